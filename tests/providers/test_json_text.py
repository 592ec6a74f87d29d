from __future__ import annotations

from typing import Any

import pytest

from dualmem_graph.providers.json_text import first_json, strip_thoughts

FENCE = "```"
FACT = '{"facts": ["Ilka keeps bees"]}'
BEES = {"facts": ["Ilka keeps bees"]}


@pytest.mark.parametrize(
    "text",
    [
        FACT,
        f"{FENCE}json\n{FACT}\n{FENCE}",
        f"Sure, this is what I found:\n{FENCE}json\n{FACT}\n{FENCE}\nAnything else?",
        f"{FENCE}json\n{FACT}{FENCE}",
        f"{FENCE}{FACT}{FENCE}",
        f"Sure, this is what I found: {FACT} Shall I go on?",
        f"<think>Maybe {{}} or {{'a': 1}}?</think>{FACT}",
        f"Bees {{or not}}.</think>\n{FACT}",
        f"\ufeff{FACT}",
        f"As said in [1] and {{turn}}: {FACT}",
        f"[2024-05-01] {FACT}",
        f'{FACT} {{"facts": ["another"]}}',
        f"An empty object is {{}}; mine is {FACT}",
        '"{\\"facts\\": [\\"Ilka keeps bees\\"]}"',
        f"<|channel|>final<|message|>{FACT}<|end|>",
    ],
)
def test_object_is_found_whatever_surrounds_it(text: str) -> None:
    assert first_json(text) == BEES


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": 1 "b": 2}', {"a": 1, "b": 2}),
        ('{"a": [1, 2,], "b": 3,}', {"a": [1, 2], "b": 3}),
        ("{'a': 'x', 'b': True, 'c': None}", {"a": "x", "b": True, "c": None}),
        ("{a: 1}", {"a": 1}),
        ('{\n // why\n "a": 1}', {"a": 1}),
        ('{"a": "he said "hi" to me", "b": 1}', {"a": 'he said "hi" to me', "b": 1}),
        ('{"a": "line\nbreak\tand tab"}', {"a": "line\nbreak\tand tab"}),
        ('{"城市"："上海"，"年"：2024}', {"城市": "上海", "年": 2024}),
        (r'{"path": "C:\Users\x"}', {"path": r"C:\Users\x"}),
        (r'{"a": "half \uD83D smile"}', {"a": "half \ufffd smile"}),
        (r'{"a": "\ud83d\ude00"}', {"a": "😀"}),
        ('{"a": NaN, "b": Infinity, "c": 1e999}', {"a": None, "b": None, "c": None}),
        ('{"facts": [{"text": "a"}, {"text": "b" "tags": []}]}',
         {"facts": [{"text": "a"}, {"text": "b", "tags": []}]}),
    ],
)  # fmt: skip
def test_light_damage_is_mended_and_nothing_is_lost(text: str, value: Any) -> None:
    assert first_json(text) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('["x", "y"]', ["x", "y"]),
        ('[{"a": 1}, {"b": 2}]', [{"a": 1}, {"b": 2}]),
        ("{}", {}),
        ('{"a": "see ```code``` here"}', {"a": "see ```code``` here"}),
        ('{"a": "it said <think>x</think> and </think>"}',
         {"a": "it said <think>x</think> and </think>"}),
    ],
)  # fmt: skip
def test_other_shapes_come_through_as_they_are(text: str, value: Any) -> None:
    assert first_json(text) == value


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "empty"),
        (" \n", "empty"),
        ("<think>I wonder", "empty"),
        ("I found nothing worth remembering.", "no JSON"),
        ("He said {well, so} and [sic].", "no JSON"),
        ('{"facts": [{"text": "a"}, {"te', "cut off"),
        ('{"facts": ["a", "b"', "cut off"),
        (f'{FENCE}json\n{{"facts": ["a"', "cut off"),
        ('{"a":' * 100_000, "nested"),
        ("[" * 100_000, "nested"),
    ],
)
def test_unusable_answer_is_refused_with_a_reason(text: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        first_json(text)


def test_thoughts_are_taken_away_closed_or_not() -> None:
    assert strip_thoughts("<think>a</think>b<thinking>c</thinking>d<think>e") == "bd"
