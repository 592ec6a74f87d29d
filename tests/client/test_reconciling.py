"""Group C: what a new statement does to what is already known."""

from __future__ import annotations

import asyncio
import logging
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from answers import (
    ADD,
    DELETE,
    EX,
    RE,
    Open,
    chain,
    extract_calls,
    fact,
    forget,
    model,
    number_of,
    over,
    reconcile_calls,
    texts,
)
from langchain_core.embeddings import Embeddings

from dualmem_graph import MemoryClient, SyncMemoryClient
from dualmem_graph.errors import NotHeadError
from dualmem_graph.testing import HashEmbeddings

BRAGA, PORTO = "Ilka lives in Braga.", "Ilka moved to Porto."


class Alike(Embeddings):
    """Every two different texts have the same cosine."""

    def __init__(self, cosine: float) -> None:
        self._cosine = cosine
        self._texts: dict[str, int] = {}

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [self.embed_query(text) for text in texts]

    def embed_query(self, text: str) -> list[float]:
        vector = np.zeros(64)
        vector[0] = np.sqrt(self._cosine)
        vector[1 + self._texts.setdefault(text, len(self._texts))] = np.sqrt(1 - self._cosine)
        return [float(value) for value in vector]


@pytest.mark.parametrize("unknown", ["12", 12, "1a", "n1", -1, None])
def test_an_id_that_was_not_shown_voids_that_link_alone(
    unknown: Any, open_memory: Open, caplog: pytest.LogCaptureFixture
) -> None:
    chat = model(
        [
            EX(fact(BRAGA, "Ilka"), fact("Ilka lives with a heron.", "Ilka")),
            EX(fact(PORTO, "Ilka")),
        ],
        [RE(ADD(PORTO, [unknown]))],
    )
    memory = open_memory(chat, reconcile_min_similarity=0.0)
    memory.add("Ilka lives in Braga with a heron.", user_id="u", wait=True)

    with caplog.at_level(logging.DEBUG, logger="dualmem_graph"):
        result = memory.add("Ilka moved to Porto.", user_id="u", wait=True)

    assert texts(memory) == [BRAGA, "Ilka lives with a heron.", PORTO]
    assert all(item.evolution_chain is None for item in memory.list(user_id="u"))
    assert [skip.reason for skip in result.skipped] == [f"unknown id {unknown!r}: nothing retired"]
    assert f"unknown id {unknown!r}" in caplog.text


def test_the_known_targets_of_an_update_with_an_unknown_one_are_retired(open_memory: Open) -> None:
    def half_right(sent: Any) -> dict[str, Any]:
        return RE(ADD(PORTO, [99, number_of(sent, BRAGA)]))

    memory = open_memory(model([EX(fact(BRAGA, "Ilka")), EX(fact(PORTO, "Ilka"))], [half_right]))
    memory.add("Ilka lives in Braga.", user_id="u", wait=True)

    result = memory.add("Ilka moved to Porto.", user_id="u", wait=True)

    (item,) = memory.list(user_id="u")
    assert chain(item) == [PORTO, BRAGA]
    assert [skip.reason for skip in result.skipped] == ["unknown id 99: nothing retired"]


def test_real_ids_are_never_shown_to_the_model(open_memory: Open) -> None:
    chat = model([EX(fact(BRAGA, "Ilka")), EX(fact(PORTO, "Ilka"))], [over(BRAGA, PORTO)])
    memory = open_memory(chat)
    first = memory.add("Ilka lives in Braga.", user_id="u", wait=True)
    memory.add("Ilka moved to Porto.", user_id="u", wait=True)

    shown = str(reconcile_calls(chat)[0])
    assert BRAGA in shown
    assert first.events[0].memory_id not in shown


def test_a_contradiction_supersedes_even_where_the_model_only_deletes(open_memory: Open) -> None:
    adores, dislikes = "User adores okra.", "User dislikes okra."
    chat = model([EX(identity=[fact(adores)]), EX(identity=[fact(dislikes)])], [forget(adores)])
    memory = open_memory(chat, reconcile_min_similarity=0.0)
    memory.add("I adore okra.", user_id="u", wait=True)

    result = memory.add("I can't stand okra any more.", user_id="u", wait=True)

    (item,) = memory.list(user_id="u")
    assert chain(item) == [dislikes, adores]
    assert [str(event.update_type) for event in result.events if event.op == "SUPERSEDE"] == [
        "NEGATE"
    ]


def test_a_deletion_is_taken_when_the_user_asks_to_forget(open_memory: Open) -> None:
    okra = "User adores okra."
    chat = model([EX(okra), EX("User asked to forget about okra.")], [forget(okra)])
    memory = open_memory(chat, reconcile_min_similarity=0.0)
    memory.add("I adore okra.", user_id="u", wait=True)

    memory.add("Please forget that I adore okra.", user_id="u", wait=True)

    assert okra not in texts(memory)


def test_only_the_head_of_a_chain_is_a_result(open_memory: Open) -> None:
    old, new = "User lives in Braga.", "User lives in Porto."
    memory = open_memory(model([EX(old), EX(new)], [over(old, new)]))
    memory.add("I live in Braga.", user_id="u", memory_at="2024-03-01", wait=True)
    memory.add("I live in Porto now.", user_id="u", memory_at="2025-03-01", wait=True)

    found = memory.search("where do I live?", user_id="u")
    listed = [item for item in memory.list(user_id="u") if item.layer == "L2_FACT"]
    block = memory.context("where do I live?", user_id="u")
    both = memory.search("where do I live?", user_id="u", include_superseded=True, layers=["L2"])

    assert [item.content for item in found if item.layer == "L2_FACT"] == [new]
    assert found[0].content == new
    assert [(v.content, v.memory_at.year) for v in found[0].evolution_chain or ()] == [
        (new, 2025),
        (old, 2024),
    ]
    assert [item.content for item in listed] == [new]
    assert "Porto" in block
    assert "Braga" not in block
    assert {item.content for item in both} == {old, new}
    assert {item.content for item in memory.list(user_id="u", include_superseded=True)} >= {
        old,
        new,
    }


@pytest.mark.parametrize("answer", [RE(DELETE(1)), RE(ADD("User keeps bees.", [1]))])
@pytest.mark.parametrize("hours", [0, 24])
def test_the_same_message_twice_is_one_memory(
    answer: dict[str, Any], hours: int, open_memory: Open
) -> None:
    times = iter([datetime(2025, 3, 1, tzinfo=UTC)] * 60)
    now = [next(times)]
    chat = model([EX("User keeps bees.")], [answer])
    memory = open_memory(chat, clock=lambda: now[0], reconcile_min_similarity=0.0)
    first = memory.add("I keep bees.", user_id="u", wait=True)
    now[0] += timedelta(hours=hours)

    second = memory.add("I keep bees.", user_id="u", wait=True)

    (item,) = memory.list(user_id="u")
    assert (item.content, item.memory_id) == ("User keeps bees.", first.events[0].memory_id)
    assert second.status == "duplicate"
    assert len(extract_calls(chat)) == (2 if hours else 1)
    assert len(item.sources) == (2 if hours else 1)


WORDINGS = [
    "User likes strong tea.",
    "User really likes strong tea.",
    "User is fond of strong tea.",
    "User enjoys tea that is strong.",
    "User prefers tea strong.",
    "User loves tea when strong.",
    "User has a liking for strong tea.",
    "User takes pleasure in strong tea.",
]


@pytest.mark.parametrize(("cosine", "left"), [(0.99, WORDINGS[-1:]), (0.5, WORDINGS)])
def test_wordings_of_one_preference_are_one_chain_from_a_similarity_on(
    cosine: float, left: list[str], open_memory: Open
) -> None:
    chat = model([EX(identity=[fact(text)]) for text in WORDINGS], [RE(ADD("User likes tea.", []))])
    memory = open_memory(chat, embeddings=Alike(cosine))

    for day, text in enumerate(WORDINGS, start=1):
        memory.add(f"{text} Truly.", user_id="u", memory_at=f"2025-03-{day:02}", wait=True)

    assert texts(memory) == left
    if cosine > 0.9:
        assert chain(memory.list(user_id="u")[0]) == WORDINGS[::-1]


@pytest.mark.parametrize(
    "other", ["User likes 3 cups of tea.", "User likes tea from Assam.", "User doesn't like tea."]
)
def test_a_new_number_name_or_negation_is_never_a_repetition(other: str, open_memory: Open) -> None:
    memory = open_memory(model([EX("User likes tea."), EX(other)]), embeddings=Alike(0.99))

    memory.add("I like tea.", user_id="u", wait=True)
    memory.add("And so on.", user_id="u", wait=True)

    assert texts(memory) == ["User likes tea.", other]


def test_twenty_identical_adds_at_once_are_one_memory(open_memory: Open) -> None:
    memory = open_memory(model([EX("User keeps bees.")], delay=0.05))

    with ThreadPoolExecutor(20) as pool:
        results = list(
            pool.map(lambda _: memory.add("I keep bees.", user_id="u", wait=True), range(20))
        )

    assert texts(memory) == ["User keeps bees."]
    assert sorted(result.status for result in results) == ["duplicate"] * 19 + ["stored"]


def test_two_updates_of_one_memory_at_once_leave_one_head(open_memory: Open) -> None:
    old = "User's kayak is red."
    both = ["User's kayak is green.", "User's kayak is blue."]
    together = threading.Barrier(2, timeout=30)

    def extracted(sent: Any) -> dict[str, Any]:
        return EX(next(text for text in both if text.split()[-1] in sent[1].content))

    def tied(sent: Any) -> dict[str, Any]:
        together.wait()  # both have read their candidates before either writes
        new = next(text for text in both if f"] {text}" in sent[1].content.split("<New")[1])
        return RE(ADD(new, [number_of(sent, old)]))

    memory = open_memory(model([EX(old), extracted], [tied]), reconcile_candidates=1)
    memory.add("My kayak is red.", user_id="u", session_id="a", wait=True)
    with ThreadPoolExecutor(2) as pool:
        said = [("b", "It is green."), ("c", "It is blue.")]
        list(
            pool.map(
                lambda each: memory.add(each[1], user_id="u", session_id=each[0], wait=True), said
            )
        )

    (item,) = memory.list(user_id="u")
    assert chain(item)[0] in both
    assert sorted(chain(item)) == sorted([old, *both])


async def test_users_never_wait_for_each_other(tmp_path: Path) -> None:
    all_at_once = threading.Barrier(10, timeout=60)

    def extracted(sent: Any) -> dict[str, Any]:
        all_at_once.wait()  # passes only if all ten are asking at the same moment
        return EX("User keeps bees.")

    async with MemoryClient(
        storage_dir=tmp_path / "store",
        embeddings=HashEmbeddings(),
        chat_model=model([extracted]),
        job_workers=0,
    ) as memory:
        results = await asyncio.gather(
            *(memory.add("I keep bees.", user_id=f"u{n}") for n in range(10))
        )
        assert [result.status for result in results] == ["stored"] * 10
        assert [(s.user_id, s.counts["L2_FACT"]) for s in await memory.list_scopes()] == [
            (f"u{n}", 1) for n in range(10)
        ]


def test_a_correction_retires_what_it_names_and_an_echo_changes_nothing(open_memory: Open) -> None:
    false, truth = "User keeps a windmill.", "User never kept a windmill."
    chat = model(
        [EX(false), EX(truth), EX(fact(false, "user", 1))], [over(false, truth, "NEGATE"), RE()]
    )
    memory = open_memory(chat, reconcile_min_similarity=0.0)
    first = memory.add("I keep a windmill.", user_id="u", session_id="s", wait=True)
    memory.add("I never kept a windmill; that was another visitor.", user_id="u", wait=True)
    retired = memory.get(first.events[0].memory_id, user_id="u")

    memory.add(
        messages=[("assistant", "I am sorry that I said you keep a windmill.")],
        user_id="u",
        wait=True,
    )

    assert memory.get(first.events[0].memory_id, user_id="u") == retired
    assert (str(retired.status), len(retired.sources)) == ("SUPERSEDED", 1)
    own = [item for item in memory.list(user_id="u") if item.subject == "user"]
    assert [chain(item) for item in own] == [[truth, false]]
    assert len(own[0].sources) == 1


def test_an_echo_of_the_assistant_is_no_evidence(open_memory: Open) -> None:
    memory = open_memory(model([EX("User keeps bees.")]))
    memory.add("I keep bees.", user_id="u", wait=True)

    memory.add(messages=[("assistant", "So you keep bees.")], user_id="u", wait=True)

    (own,) = [item for item in memory.list(user_id="u") if item.subject == "user"]
    assert [source.role for source in own.sources] == ["user"]


@pytest.mark.parametrize("op", ["NONE", "ADD"])
def test_a_repetition_that_says_less_hides_nothing(op: str, open_memory: Open) -> None:
    more, less = "User met the twins Jo and Bo on day 12.", "User met the twins."

    def repeated(sent: Any) -> dict[str, Any]:
        return RE(ADD(less, [number_of(sent, more)], "SUPPLEMENT") | {"op": op})

    memory = open_memory(model([EX(more), EX(less)], [repeated]), embeddings=Alike(0.99))
    memory.add("I own a kayak named Otter.", user_id="u", wait=True)
    memory.add("I own a kayak.", user_id="u", wait=True)

    assert texts(memory) == [more, less]


def test_an_update_in_the_old_words_changes_nothing_and_is_reported(open_memory: Open) -> None:
    old, new = "User owns a kayak.", "User waxed the kayak."

    def same_words(sent: Any) -> dict[str, Any]:
        return RE({"op": "UPDATE", "content": old, "supersedes": [number_of(sent, old)]})

    memory = open_memory(model([EX(old), EX(new)], [same_words]))
    memory.add("I own a kayak.", user_id="u", wait=True)

    result = memory.add("I waxed the kayak.", user_id="u", wait=True)

    assert texts(memory) == [old, new]
    assert [(skip.reason, skip.content) for skip in result.skipped] == [
        ("an update that repeats the old memory", old)
    ]


def test_a_direct_update_is_a_new_version_of_the_same_memory(memory: SyncMemoryClient) -> None:
    added = memory.add("I play the bagpipes.", user_id="u", session_id="s", wait=True)
    (old,) = memory.list(user_id="u")

    new = memory.update(old.memory_id, "User plays the zither.", user_id="u")

    (found,) = memory.search("zither", user_id="u", top_k=1)
    assert (found.memory_id, found.content) == (new.memory_id, "User plays the zither.")
    assert chain(found) == ["User plays the zither.", old.content]
    assert (found.layer, found.session_id, found.subject) == (old.layer, "s", "user")
    assert [source.turn_id for source in found.sources] == list(added.turn_ids)
    assert memory.get(old.memory_id, user_id="u").status == "SUPERSEDED"
    assert memory.get(old.memory_id, user_id="u").head_id == new.memory_id
    found = memory.search("bagpipes", user_id="u", layers=["L2"], explain=True)
    assert [item.content for item in found] in ([], ["User plays the zither."])
    assert all((item.score_details or {})["bm25"] <= 0.8 for item in found)


def test_an_update_to_the_same_text_is_no_version(memory: SyncMemoryClient) -> None:
    memory.add("I own a kayak.", user_id="u", wait=True)
    (old,) = memory.list(user_id="u")
    events = memory.history(user_id="u")

    assert memory.update(old.memory_id, old.content, user_id="u") == old
    assert memory.history(user_id="u") == events


def test_an_update_of_an_old_version_names_the_head(memory: SyncMemoryClient) -> None:
    memory.add("I own a kayak.", user_id="u", wait=True)
    (old,) = memory.list(user_id="u")
    new = memory.update(old.memory_id, "User owns a canoe.", user_id="u")

    with pytest.raises(NotHeadError, match=new.memory_id) as caught:
        memory.update(old.memory_id, "User owns a raft.", user_id="u")

    assert caught.value.head_id == new.memory_id
    assert texts(memory) == ["User owns a canoe."]


@pytest.mark.parametrize(
    ("first", "second", "left"),
    [
        ("I live in Beijing.", "I moved to Shanghai.", "Shanghai"),
        ("我住在北京。", "我搬到上海了。", "上海"),
        ("I love coffee.", "I don't like coffee any more.", "coffee"),
        ("我喜欢咖啡。", "我不再喜欢咖啡了。", "咖啡"),
    ],
)
def test_the_rules_form_supersedes_by_dimension(
    first: str, second: str, left: str, memory: SyncMemoryClient
) -> None:
    memory.add(first, user_id="u", wait=True)
    memory.add(second, user_id="u", wait=True)

    (item,) = memory.list(user_id="u", layers=["L2", "L4"])
    assert left in item.content
    assert len(chain(item)) == 2


@pytest.mark.parametrize(
    ("first", "second"),
    [("I like coffee.", "I also like tea."), ("我喜欢咖啡。", "我也喜欢茶。")],
)
def test_preferences_that_coexist_are_two_memories(
    first: str, second: str, memory: SyncMemoryClient
) -> None:
    memory.add(first, user_id="u", wait=True)
    memory.add(second, user_id="u", wait=True)

    items = memory.list(user_id="u")
    assert len(items) == 2
    assert [item.evolution_chain for item in items] == [None, None]


def test_the_way_back_is_a_third_version(memory: SyncMemoryClient) -> None:
    for day, city in enumerate(["Beijing", "Shanghai", "Beijing"], start=1):
        memory.add(f"I live in {city}.", user_id="u", memory_at=f"2025-03-{day:02}", wait=True)

    (item,) = memory.list(user_id="u", layers=["L2"])
    assert ["Beijing" in text for text in chain(item)] == [True, False, True]
    assert len({version.node_id for version in item.evolution_chain or ()}) == 3


def test_the_conservative_policy_never_merges(open_memory: Open) -> None:
    old, new = "User owns a kayak.", "User owns a kayak, a long one."
    chat = model([EX(old), EX(new)], [over(old, new, "SUPPLEMENT")])
    memory = open_memory(chat, reconcile_policy="conservative")

    memory.add("I own a kayak.", user_id="u", wait=True)
    result = memory.add("I own a kayak, a long one.", user_id="u", wait=True)

    assert texts(memory) == [old, new]
    assert [skip.reason for skip in result.skipped] == ["conservative policy: not merged"]


UNUSABLE = ["", "prose", "{}", [1, 2], {"updates": "none"}, {"updates": [None, 7, "x"]}]


@pytest.mark.parametrize("answer", UNUSABLE, ids=str)
def test_an_unusable_reconciliation_leaves_both_standing(answer: Any, open_memory: Open) -> None:
    old, new = "User lives in Braga.", "User lives in Porto."
    chat = model([EX(old), EX(new)], [answer, answer, answer, over(old, new)])
    memory = open_memory(chat, llm_structured_output="text")
    memory.add("I live in Braga.", user_id="u", session_id="s")
    memory.flush()

    added = memory.add("I live in Porto.", user_id="u", session_id="s")
    for _ in range(3):  # the attempt, its retries, and what is left for them to do
        memory.flush()

    assert added.status == "stored"
    facts = memory.list(user_id="u", layers=["L2"])
    assert [chain(item) for item in facts] in ([[new, old]], [[], []])
    assert facts[0].content == new
    assert memory.status()["jobs"] == {"done": memory.status()["jobs"]["done"]}


def test_a_failed_reconciliation_is_a_job_that_is_retried(open_memory: Open) -> None:
    old, new = "User lives in Braga.", "User lives in Porto."
    chat = model([EX(old), EX(new)], ["broken", "broken", over(old, new)])
    memory = open_memory(chat, llm_structured_output="text")
    memory.add("I live in Braga.", user_id="u", wait=True)
    memory.add("I live in Porto.", user_id="u")

    assert memory.flush() is False
    assert [item.content for item in memory.list(user_id="u", layers=["L2"])] == [new, old]
    assert memory.status()["jobs"]["queued"] == 1

    assert memory.flush() is True
    (item,) = memory.list(user_id="u", layers=["L2"])
    assert chain(item) == [new, old]
