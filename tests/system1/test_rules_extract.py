"""The loop over turns that both languages share: speakers, context, answers, limits, gate."""

from __future__ import annotations

import doctest
import time
from datetime import UTC, datetime
from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType

import pytest

from dualmem_graph.system1 import rules
from dualmem_graph.system1.rules import extract
from dualmem_graph.types import BasicInfo, Turn

MODULES = [
    import_module(f"{rules.__name__}.{each.name}")
    for each in iter_modules(rules.__path__)
    if not each.name.startswith("chinese")
]

SAID = datetime(2023, 5, 8, 13, 56, tzinfo=UTC)


def turn(
    index: int, text: str, *, role: str = "user", name: str | None = None, context: bool = False
) -> Turn:
    return Turn(f"t{index}", index, role, text, SAID, name=name, is_context=context)


def test_only_the_users_new_turns_are_read() -> None:
    found = extract(
        [
            turn(0, "I live in Oslo.", context=True),
            turn(1, "I am an assistant and I love helping.", role="assistant"),
            turn(2, "I have a tortoise."),
            turn(3, "I live in Rome.", role="tool"),
        ]
    )
    assert [(c.content, c.turn_index) for c in found.candidates] == [("User has a tortoise.", 2)]


def test_two_named_speakers_are_the_subjects_of_what_they_say() -> None:
    found = extract(
        [
            turn(0, "I went to a LGBTQ support group yesterday.", name="Caroline"),
            turn(1, "We painted a sunset last weekend.", name="Melanie"),
        ]
    )
    assert [(c.subject, c.content) for c in found.candidates] == [
        ("Caroline", "Caroline went to a LGBTQ support group on 7 May 2023."),
        ("Melanie", "Melanie painted a sunset on the weekend of 6 May 2023."),
    ]
    assert found.basic_info == ()


def test_one_named_speaker_is_still_the_user() -> None:
    found = extract([turn(0, "I live in Oslo.", name="Caroline")])
    assert [(c.subject, c.content) for c in found.candidates] == [("user", "User lives in Oslo.")]


def test_a_speaker_in_the_context_counts_as_the_second_name() -> None:
    found = extract(
        [
            turn(0, "Hi Caroline!", name="Melanie", context=True),
            turn(1, "I met you in Oslo.", name="Caroline"),
            turn(2, "I live in Oslo.", name="Caroline"),
        ]
    )
    assert [c.content for c in found.candidates] == [
        "Caroline met Melanie in Oslo.",
        "Caroline lives in Oslo.",
    ]


def test_a_short_answer_is_read_with_the_question() -> None:
    found = extract([turn(0, "Where do you live?", role="assistant"), turn(1, "Porto.")])
    assert [(c.content, c.dimension, c.value) for c in found.candidates] == [
        ("User lives in Porto.", "home", "Porto")
    ]
    assert found.basic_info == (BasicInfo("location", "Porto", 1),)


def test_a_correction_finds_what_it_corrects_in_earlier_turns() -> None:
    found = extract(
        [turn(0, "I live in Antwerp.", context=True), turn(1, "Sorry, it's Ghent, not Antwerp.")]
    )
    assert [(c.content, c.dimension, c.value) for c in found.candidates] == [
        ("User lives in Ghent.", "home", "Ghent")
    ]


def test_the_later_of_two_profile_values_holds() -> None:
    found = extract([turn(0, "I live in Oslo. I mean I live in Bergen.")])
    assert found.basic_info == (BasicInfo("location", "Bergen", 0),)


def test_small_talk_is_ephemeral_and_does_not_pass_the_gate() -> None:
    found = extract([turn(0, "hey there!"), turn(1, "thanks a lot")])
    assert found.is_ephemeral
    assert (found.gate.passed, found.gate.score, found.gate.reason) == (False, 0.0, "small talk")
    assert found.candidates == ()


def test_a_question_about_ones_life_is_not_ephemeral_although_it_states_nothing() -> None:
    found = extract([turn(0, "What should I bake for my daughter's birthday?")])
    assert not found.is_ephemeral
    assert found.candidates == ()


def test_a_life_fact_passes_the_gate() -> None:
    found = extract([turn(0, "I'm so proud, I finally moved to Lisbon!")])
    assert found.gate.passed
    assert found.gate.biographical_relevance == 0.9
    assert found.emotion is not None
    assert found.emotion.dominant == "pride"


def test_what_exceeds_the_cap_of_a_turn_is_reported() -> None:
    text = "I like tea. I like rye bread. I like figs."
    found = extract([turn(0, text)], max_items=2)
    assert [c.content for c in found.candidates] == ["User likes tea.", "User likes rye bread."]
    assert [(s.reason, s.content) for s in found.skipped] == [
        ("more than 2 statements of one turn", "User likes figs.")
    ]


def test_no_turns_and_emoji_only_turns_give_nothing() -> None:
    assert extract([]).candidates == ()
    found = extract([turn(0, "🎉🎉🎉")])
    assert found.candidates == ()
    assert found.is_ephemeral


def test_the_same_turns_give_the_same_result() -> None:
    turns = [turn(0, "I moved to Porto last week and I love figs.")]
    assert extract(turns) == extract(turns)


def test_a_short_turn_takes_less_than_a_millisecond() -> None:
    turns = [turn(0, "I work as a nurse in Porto and I love my cat.")]
    extract(turns)
    best = min(_seconds(turns) for _ in range(50))
    assert best < 0.001


def test_a_long_hostile_text_is_read_in_bounded_time() -> None:
    hostile = "I live in " + "a, " * 2000 + "and I " * 2000 + "my " * 2000
    assert _seconds([turn(0, hostile)]) < 5


def _seconds(turns: list[Turn]) -> float:
    start = time.process_time()
    extract(turns)
    return time.process_time() - start


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__.rpartition(".")[2])
def test_examples_in_docstrings_hold(module: ModuleType) -> None:
    assert doctest.testmod(module).failed == 0
