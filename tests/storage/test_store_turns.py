"""Keeping turns: each once, however often it is sent."""

from __future__ import annotations

import threading
from dataclasses import replace

import numpy as np
import pytest
from ledger_world import ANNA, BEN, FINGERPRINT, NOON, World, vector

from dualmem_graph.errors import EmbeddingError, EmbeddingMismatchError, InputError
from dualmem_graph.storage.records import NewJob, NewTurn, TurnsWritten
from dualmem_graph.storage.store import MemoryStore
from dualmem_graph.types import Layer, Status, Turn

HELLO = NewTurn("user", "Hello, I am Anna.", NOON)
REPLY = NewTurn("assistant", "Nice to meet you.", NOON)
MORE = NewTurn("user", "I live in Rome.", NOON)


def test_turns_are_kept_word_for_word(store: MemoryStore) -> None:
    turn = NewTurn("user", "I moved\tto 上海 👍\n", NOON, name="Anna", message_id="m1")
    written = store.add_turns(
        ANNA, [turn], session_id="s1", agent_id="a1", metadata={"channel": "chat"}
    )
    (kept,) = written.turns
    assert kept == Turn(kept.turn_id, 0, "user", turn.text, NOON, "Anna", "m1")
    node = store.get(ANNA, kept.turn_id)
    assert node is not None
    assert (node.layer, node.status, node.content) == (Layer.RAW, Status.ACTIVE, turn.text)
    assert (node.session_id, node.agent_id, node.metadata) == ("s1", "a1", {"channel": "chat"})


def test_the_same_call_again_within_the_window_is_a_retry(world: World) -> None:
    first = world.store.add_turns(ANNA, [HELLO, REPLY], session_id="s1")
    before = world.store.scope_info(ANNA)
    world.clock.forward(seconds=world.settings.dedup_window)
    again = world.store.add_turns(
        ANNA, [HELLO, REPLY], session_id="s1", job=NewJob("extract", "k"), lease=60
    )
    assert again == TurnsWritten(first.turns, (False, False), None)
    assert world.store.scope_info(ANNA) == before
    assert world.store.jobs.pending_count() == 0


def test_the_same_words_after_the_window_are_said_again(world: World) -> None:
    first = world.store.add_turns(ANNA, [HELLO], session_id="s1")
    world.clock.forward(seconds=world.settings.dedup_window + 1)
    again = world.store.add_turns(ANNA, [HELLO], session_id="s1")
    assert again.is_new == (True,)
    assert again.turns[0].turn_id != first.turns[0].turn_id


@pytest.mark.parametrize("seconds", [0, 10_000])
def test_a_conversation_sent_again_with_more_adds_what_is_more(
    world: World, seconds: float
) -> None:
    first = world.store.add_turns(ANNA, [HELLO, REPLY], session_id="s1")
    world.clock.forward(seconds=seconds)
    grown = world.store.add_turns(ANNA, [HELLO, REPLY, MORE], session_id="s1")
    assert grown.is_new == (False, False, True)
    assert grown.turns[:2] == first.turns


def test_a_sliding_window_of_the_conversation_adds_what_is_more(world: World) -> None:
    world.store.add_turns(ANNA, [HELLO, REPLY, MORE], session_id="s1")
    world.clock.forward(hours=5)
    again = NewTurn("assistant", "Rome is warm.", world.clock.now)
    grown = world.store.add_turns(ANNA, [REPLY, MORE, again], session_id="s1")
    assert grown.is_new == (False, False, True)


def test_one_turn_and_more_is_a_retry_only_within_the_window(world: World) -> None:
    world.store.add_turns(ANNA, [HELLO], session_id="s1")
    assert world.store.add_turns(ANNA, [HELLO, REPLY], session_id="s1").is_new == (False, True)
    world.store.add_turns(ANNA, [HELLO], session_id="s2")
    world.clock.forward(hours=5)
    assert world.store.add_turns(ANNA, [HELLO, REPLY], session_id="s2").is_new == (True, True)


def test_two_timestamps_make_two_turns(world: World) -> None:
    turn = replace(HELLO, explicit_at=True)
    later = replace(turn, at=NOON.replace(hour=13))
    world.store.add_turns(ANNA, [turn], session_id="s1")
    assert world.store.add_turns(ANNA, [later], session_id="s1").is_new == (True,)
    assert world.store.add_turns(ANNA, [later], session_id="s1").is_new == (False,)


@pytest.mark.parametrize(
    "other",
    [
        replace(HELLO, role="assistant"),
        replace(HELLO, name="Ben"),
        replace(HELLO, text="Hello, I am Anna!"),
    ],
)
def test_another_role_name_or_text_is_another_turn(store: MemoryStore, other: NewTurn) -> None:
    store.add_turns(ANNA, [HELLO], session_id="s1")
    assert store.add_turns(ANNA, [other], session_id="s1").is_new == (True,)


def test_sessions_and_scopes_do_not_share_turns(store: MemoryStore) -> None:
    for scope, session in ((ANNA, "s1"), (ANNA, "s2"), (ANNA, None), (ANNA, ""), (BEN, "s1")):
        assert store.add_turns(scope, [HELLO], session_id=session).is_new == (True,)


def test_a_message_id_names_a_turn_for_good(world: World) -> None:
    turn = replace(HELLO, message_id="m1")
    first = world.store.add_turns(ANNA, [turn], session_id="s1")
    world.store.add_turns(ANNA, [REPLY, MORE], session_id="s1")
    world.clock.forward(days=30)
    again = world.store.add_turns(ANNA, [turn, replace(turn, message_id="m2")], session_id="s1")
    assert again.is_new == (False, True)
    assert again.turns[0] == first.turns[0]


def test_an_idempotency_key_names_the_turns_of_a_call(world: World) -> None:
    call = {"session_id": "s1", "idempotency_key": "k1"}
    first = world.store.add_turns(ANNA, [HELLO, HELLO], **call)
    assert first.is_new == (True, True)
    world.clock.forward(days=30)
    assert world.store.add_turns(ANNA, [HELLO, HELLO], **call).is_new == (False, False)
    other = world.store.add_turns(ANNA, [HELLO], session_id="s1", idempotency_key="k2")
    assert other.is_new == (True,)


def test_a_turn_without_id_is_known_by_its_neighbour_that_has_one(world: World) -> None:
    turns = [HELLO, replace(REPLY, message_id="run-1")]
    assert world.store.add_turns(ANNA, turns, session_id="s1").is_new == (True, True)
    world.clock.forward(days=30)
    assert world.store.add_turns(ANNA, turns, session_id="s1").is_new == (False, False)
    following = [HELLO, replace(REPLY, message_id="run-2")]
    assert world.store.add_turns(ANNA, following, session_id="s1").is_new == (True, True)


def test_a_deleted_turn_is_not_revived_by_a_longer_retry_but_by_saying_it(world: World) -> None:
    first = world.store.add_turns(ANNA, [HELLO, REPLY], session_id="s1")
    for turn in first.turns:
        world.store.delete(ANNA, turn.turn_id)
    grown = world.store.add_turns(ANNA, [HELLO, REPLY, MORE], session_id="s1")
    assert grown.is_new == (False, False, True)
    world.store.delete(ANNA, grown.turns[2].turn_id)
    assert world.store.add_turns(ANNA, [MORE], session_id="s1").is_new == (True,)


def test_twenty_threads_adding_the_same_thing_add_it_once(world: World) -> None:
    written: list[TurnsWritten] = []
    start = threading.Barrier(20)

    def add() -> None:
        start.wait()
        written.append(world.store.add_turns(ANNA, [HELLO], session_id="s1"))

    threads = [threading.Thread(target=add) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({result.turns for result in written}) == 1
    assert sorted(result.is_new for result in written) == [(False,)] * 19 + [(True,)]
    assert world.store.stats(ANNA)["nodes"] == 1


def test_the_job_of_an_add_is_claimed_by_its_caller(world: World) -> None:
    written = world.store.add_turns(
        ANNA, [HELLO, REPLY], session_id="s1", job=NewJob("extract", ""), lease=60
    )
    (job,) = world.store.jobs.list()
    assert written.job is not None
    assert (job.id, job.key, job.state) == (
        written.job.job_id,
        written.turns[0].turn_id,
        "running",
    )
    assert job.payload == {"turn_ids": [turn.turn_id for turn in written.turns]}
    assert world.store.jobs.claim() is None
    world.clock.forward(seconds=61)
    claimed = world.store.jobs.claim()
    assert claimed is not None
    assert claimed.id == job.id


def test_the_last_turns_of_a_session_come_oldest_first(world: World) -> None:
    ids = world.say(*(f"turn {n}" for n in range(5)))
    world.say("elsewhere", session="s2")
    world.store.delete(ANNA, ids[3])
    last = world.store.recent_turns(ANNA, "s1", 3)
    assert [node.id for node in last] == [ids[1], ids[2], ids[4]]
    before = world.store.recent_turns(ANNA, "s1", 2, before_seq=last[1].seq)
    assert [node.id for node in before] == [ids[0], ids[1]]
    assert world.store.recent_turns(ANNA, None, 3) == []


def test_vectors_of_turns_are_stamped_with_their_embedder(store: MemoryStore) -> None:
    vectors = np.stack([vector(1, 0, 0, 0), vector(0, 1, 0, 0)])
    written = store.add_turns(
        ANNA, [HELLO, REPLY], session_id="s1", embeddings=vectors, fingerprint=FINGERPRINT
    )
    ids = [turn.turn_id for turn in written.turns]
    assert store.similarities(ANNA, ids, vectors[1], FINGERPRINT) == {ids[0]: 0.0, ids[1]: 1.0}
    store.check_embedder(FINGERPRINT)
    with pytest.raises(EmbeddingMismatchError, match=r"'test:4'.*'other:4'"):
        store.check_embedder("other:4")
    with pytest.raises(EmbeddingMismatchError, match=r"'test:4'.*'other:4'"):
        store.add_turns(
            ANNA, [MORE], session_id="s1", embeddings=vectors[:1], fingerprint="other:4"
        )
    assert store.stats(ANNA)["nodes"] == 2


@pytest.mark.parametrize(
    ("vectors", "fingerprint", "error", "message"),
    [
        (np.ones((2, 4), np.float32), FINGERPRINT, InputError, "1 turns.*2 embeddings"),
        (np.ones((1, 4), np.float32), None, EmbeddingError, "fingerprint"),
        (np.full((1, 4), np.nan, np.float32), FINGERPRINT, EmbeddingError, "NaN"),
        (np.ones((1, 2, 2), np.float32), FINGERPRINT, EmbeddingError, r"\(2, 2\)"),
    ],
)
def test_unusable_vectors_are_refused_and_nothing_is_written(
    store: MemoryStore,
    vectors: np.ndarray,
    fingerprint: str | None,
    error: type[Exception],
    message: str,
) -> None:
    with pytest.raises(error, match=message):
        store.add_turns(ANNA, [HELLO], session_id="s1", embeddings=vectors, fingerprint=fingerprint)
    assert store.scope_info(ANNA) is None


def test_an_empty_turn_is_refused(store: MemoryStore) -> None:
    with pytest.raises(InputError, match="turn 1 has no text"):
        store.add_turns(ANNA, [HELLO, replace(HELLO, text="")], session_id="s1")
    assert store.add_turns(ANNA, [], session_id="s1") == TurnsWritten((), ())
