"""Exact search: equal to all cosines sorted, current whoever wrote, paid for by what changed."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from vector_world import (
    ALICE,
    BOB,
    DIM,
    FINGERPRINT,
    Vector,
    fill,
    memory,
    nearest,
    open_store,
    remember,
    settings_for,
    unit_vectors,
)

from dualmem_graph.errors import EmbeddingMismatchError, StoreError
from dualmem_graph.storage import scope_cache
from dualmem_graph.storage.ledger import LEDGER_FILE, Ledger
from dualmem_graph.storage.records import NewNode, Plan, Supersede
from dualmem_graph.storage.scope_cache import ScopeCache, Snapshot, read_state, scan
from dualmem_graph.storage.scoring import best_first, dot, to_columns
from dualmem_graph.storage.store import MemoryStore
from dualmem_graph.types import Layer, Scope

MEGABYTE = 1_000_000


@pytest.fixture
def store(tmp_path: Path) -> Iterator[MemoryStore]:
    with_store = open_store(tmp_path)
    yield with_store
    with_store.close()


class Reader:
    """A cache and the ledger it reads; by default the store's own connections."""

    def __init__(self, store: MemoryStore, max_bytes: int = 10 * MEGABYTE) -> None:
        self.store, self.ledger = store, store.ledger
        self.cache = ScopeCache(max_bytes)

    def top(
        self, query: Vector, k: int, layers: tuple[Layer, ...] | None = None, scope: Scope = ALICE
    ) -> list[str]:
        with self.ledger.read() as conn:
            state = read_state(conn, self.scope_id(scope))
            assert state is not None
            return [id_ for id_, _ in self.cache.search(conn, state, query, k, layers)]

    def snapshot(self) -> Snapshot:
        with self.ledger.read() as conn:
            state = read_state(conn, self.scope_id(ALICE))
            assert state is not None
            return self.cache._vectors_of(state.scope_id).snapshot(conn, state)

    def scope_id(self, scope: Scope) -> int:
        info = self.store.scope_info(scope)
        assert info is not None
        return info.id


@pytest.fixture
def reader(store: MemoryStore) -> Reader:
    return Reader(store)


def test_exact_order_over_all_layers_turns_included(store: MemoryStore, reader: Reader) -> None:
    vectors = fill(store, ALICE, 300)
    for query in unit_vectors(5, seed=1):
        assert reader.top(query, 20) == nearest(vectors, query, 20)


@pytest.mark.parametrize(
    ("layers", "remainder"), [((Layer.FACT,), 0), ((Layer.RAW,), 1), ((Layer.SCHEMA,), None)]
)
def test_layers_restrict(
    store: MemoryStore, reader: Reader, layers: tuple[Layer, ...], remainder: int | None
) -> None:
    vectors = fill(store, ALICE, 40)
    wanted = {id_: v for id_, v in vectors.items() if int(id_[1:]) % 2 == remainder}
    query = unit_vectors(1, seed=1)[0]
    assert reader.top(query, 50, layers) == nearest(wanted, query, 50)


def test_a_layer_with_few_memories_among_many(store: MemoryStore, reader: Reader) -> None:
    fill(store, ALICE, 60)
    rare = fill(store, ALICE, 3, prefix="r", seed=2)
    remember(store, ALICE, [memory("plan", rare["r0"], Layer.INTENTION)])
    fill(store, ALICE, 60, prefix="z", seed=3)
    assert reader.top(rare["r1"], 5, (Layer.INTENTION,)) == ["plan"]


def test_cosines_are_those_of_the_vectors(store: MemoryStore, reader: Reader) -> None:
    vectors = fill(store, ALICE, 10)
    query = vectors["m3"]
    with store.ledger.read() as conn:
        state = read_state(conn, reader.scope_id(ALICE))
        assert state is not None
        hits = dict(reader.cache.search(conn, state, query, 10))
    assert hits == pytest.approx(
        {id_: float(vector @ query) for id_, vector in vectors.items()}, abs=1e-6
    )


def test_other_scopes_are_not_seen(store: MemoryStore, reader: Reader) -> None:
    fill(store, ALICE, 5)
    other = fill(store, BOB, 5, prefix="b", seed=1)
    assert reader.top(other["b0"], 50) == nearest(
        dict(zip([f"m{i}" for i in range(5)], unit_vectors(5), strict=True)), other["b0"], 5
    )


def test_a_write_appends_and_moves_nothing(store: MemoryStore, reader: Reader) -> None:
    fill(store, ALICE, 50)
    before = reader.snapshot()
    new = fill(store, ALICE, 2, prefix="n", seed=1)
    after = reader.snapshot()
    assert after.blocks[0] is before.blocks[0]
    assert [len(block) for block in after.blocks] == [50, 2]
    assert (len(before.seqs), len(after.seqs)) == (50, 52)
    assert reader.top(new["n1"], 1) == ["n1"]
    third = fill(store, ALICE, 1, prefix="o", seed=2)
    assert np.shares_memory(reader.snapshot().blocks[1], after.blocks[1])
    assert reader.top(third["o0"], 1) == ["o0"]


def test_without_a_write_nothing_is_read_again(store: MemoryStore, reader: Reader) -> None:
    fill(store, ALICE, 5)
    first = reader.snapshot()
    fill(store, BOB, 5)
    assert reader.snapshot() is first


def test_a_superseded_memory_leaves_and_a_restored_one_returns(
    store: MemoryStore, reader: Reader
) -> None:
    vectors = fill(store, ALICE, 4)
    assert reader.top(vectors["m0"], 1) == ["m0"]
    new = memory("m0-new", vectors["m1"])
    store.apply(
        ALICE,
        Plan(nodes=[new], supersedes=[Supersede("m0-new", ("m0",), explicit=True)]),
        actor="test",
    )
    assert set(reader.top(vectors["m0"], 9)) == {"m0-new", "m1", "m2", "m3"}
    store.restore(ALICE, "m0", actor="test")
    assert set(reader.top(vectors["m0"], 9)) == {"m0", "m1", "m2", "m3"}
    store.delete(ALICE, "m2", actor="test")
    assert set(reader.top(vectors["m0"], 9)) == {"m0", "m1", "m3"}


def test_a_memory_without_a_vector_is_found_once_it_has_one(
    store: MemoryStore, reader: Reader
) -> None:
    vectors = fill(store, ALICE, 3)
    remember(store, ALICE, [NewNode(id="late", layer=Layer.FACT, content="embedder was away")])
    assert set(reader.top(vectors["m0"], 9)) == {"m0", "m1", "m2"}
    store.set_embeddings(ALICE, {"late": unit_vectors(1, seed=5)[0]}, FINGERPRINT)
    assert reader.top(unit_vectors(1, seed=5)[0], 1) == ["late"]


def test_a_scope_that_starts_empty_fills(store: MemoryStore, reader: Reader) -> None:
    remember(store, ALICE, [NewNode(id="bare", layer=Layer.FACT, content="no vector")])
    query = unit_vectors(1)[0]
    assert read_state_of(reader).fingerprint is None
    store.bind_embedder(FINGERPRINT)
    assert reader.top(query, 3) == []
    fill(store, ALICE, 2)
    assert set(reader.top(query, 3)) == {"m0", "m1"}


def read_state_of(reader: Reader) -> scope_cache.ScopeState:
    with reader.ledger.read() as conn:
        state = read_state(conn, reader.scope_id(ALICE))
    assert state is not None
    return state


def test_unknown_scope_has_no_state(store: MemoryStore) -> None:
    with store.ledger.read() as conn:
        assert read_state(conn, 4711) is None


def test_writes_through_other_connections_are_seen(
    store: MemoryStore, reader: Reader, tmp_path: Path
) -> None:
    fill(store, ALICE, 5)
    reader.ledger = Ledger(tmp_path / LEDGER_FILE, settings_for(tmp_path))
    assert len(reader.top(unit_vectors(1)[0], 50)) == 5
    new = fill(store, ALICE, 1, prefix="n", seed=1)
    assert reader.top(new["n0"], 1) == ["n0"]
    reader.ledger.close()


def test_a_deleted_scope_leaves_nothing_behind(store: MemoryStore, reader: Reader) -> None:
    vectors = fill(store, ALICE, 5)
    scope_id = reader.scope_id(ALICE)
    assert len(reader.top(vectors["m0"], 9)) == 5
    store.delete_scope(ALICE, actor="test")
    with store.ledger.read() as conn:
        state = read_state(conn, scope_id)
        assert state is None or reader.cache.search(conn, state, vectors["m0"], 9) == []
    again = fill(store, ALICE, 2, prefix="n", seed=1)
    assert set(reader.top(vectors["m0"], 9)) == set(again)


def test_struck_rows_are_left_behind_once_they_are_most(store: MemoryStore, reader: Reader) -> None:
    vectors = fill(store, ALICE, 10)
    assert len(reader.top(vectors["m0"], 20)) == 10
    for number in range(6):
        store.delete(ALICE, f"m{number}", actor="test")
        reader.snapshot()
    assert len(reader.snapshot().seqs) == 4
    left = {id_: vectors[id_] for id_ in ("m6", "m7", "m8", "m9")}
    assert reader.top(vectors["m0"], 20) == nearest(left, vectors["m0"], 20)
    new = fill(store, ALICE, 1, prefix="n", seed=1)
    assert reader.top(new["n0"], 1) == ["n0"]
    for id_ in [*left, "n0"]:
        store.delete(ALICE, id_, actor="test")
    assert reader.top(vectors["m0"], 20) == []


def test_equal_cosines_come_oldest_first(store: MemoryStore, reader: Reader) -> None:
    vector = unit_vectors(1)[0]
    remember(store, ALICE, [memory(f"same{i}", vector) for i in range(20)])
    assert reader.top(vector, 5) == [f"same{i}" for i in range(5)]


def test_a_scope_over_the_budget_is_searched_and_not_kept(
    store: MemoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scope_cache, "_SCAN_ROWS", 7)
    vectors = fill(store, ALICE, 50)
    reader = Reader(store, max_bytes=0)
    query = unit_vectors(1, seed=1)[0]
    assert reader.top(query, 20) == nearest(vectors, query, 20)
    assert reader.top(query, 60, (Layer.RAW,)) == nearest(
        {id_: v for id_, v in vectors.items() if int(id_[1:]) % 2}, query, 60
    )
    assert reader.cache.stats() == {"scopes": 0, "vectors": 0, "bytes": 0}


def test_the_scope_not_searched_for_longest_goes_first(store: MemoryStore) -> None:
    scopes = [Scope("default", f"u{i}") for i in range(3)]
    vectors = [
        fill(store, scope, 20, prefix=f"{scope.user_id}-", seed=i) for i, scope in enumerate(scopes)
    ]
    one = 20 * (4 * DIM + 200)
    reader = Reader(store, max_bytes=2 * one)
    for turn in (0, 1, 0, 2):
        first = f"u{turn}-0"
        assert reader.top(vectors[turn][first], 1, scope=scopes[turn]) == [first]
    assert reader.cache.stats() == {"scopes": 2, "vectors": 40, "bytes": 2 * one}
    kept = {reader.scope_id(scope) for scope in (scopes[0], scopes[2])}
    assert set(reader.cache._scopes) == kept


def test_other_statuses_are_read_from_the_ledger(store: MemoryStore, reader: Reader) -> None:
    vectors = fill(store, ALICE, 6)
    store.delete(ALICE, "m3", actor="test")
    with store.ledger.read() as conn:
        state = read_state(conn, reader.scope_id(ALICE))
        assert state is not None
        shadows = scan(conn, state, vectors["m3"], 9, ["SHADOW"])
        assert shadows == [("m3", pytest.approx(1.0))]
        assert scan(conn, state, vectors["m3"], 9, ["SHADOW"], [Layer.FACT]) == []
        assert scan(conn, state, vectors["m3"], 9, ["EXPIRED"]) == []


def test_a_vector_of_another_width_is_refused_by_name(store: MemoryStore, reader: Reader) -> None:
    fill(store, ALICE, 3)
    with pytest.raises(EmbeddingMismatchError, match=r"8 dimensions meets a store of 16.*test:16"):
        reader.top(np.ones(8, np.float32), 3)


def test_stored_vectors_of_two_widths_are_damage() -> None:
    with pytest.raises(StoreError, match=r"\[4, 8\] bytes"):
        to_columns([(1, "a", "L2_FACT", bytes(4)), (2, "b", "L2_FACT", bytes(8))])


def test_a_failed_refresh_leaves_no_half_updated_cache(
    store: MemoryStore, reader: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    vectors = fill(store, ALICE, 5)
    reader.snapshot()
    store.delete(ALICE, "m1", actor="test")

    def fail(*_: object) -> None:
        raise MemoryError

    with monkeypatch.context() as patch:
        patch.setattr(scope_cache, "to_columns", fail)
        with pytest.raises(MemoryError):
            reader.snapshot()
    assert set(reader.top(vectors["m1"], 9)) == {"m0", "m2", "m3", "m4"}


def test_readers_never_see_half_an_update(store: MemoryStore, reader: Reader) -> None:
    known = fill(store, ALICE, 40)
    known |= dict(zip([f"n{i}" for i in range(40)], unit_vectors(40, seed=9), strict=True))
    query = unit_vectors(1, seed=3)[0]
    failures: list[str] = []
    is_over = threading.Event()

    def read() -> None:
        while not is_over.is_set():
            with store.ledger.read() as conn:
                state = read_state(conn, reader.scope_id(ALICE))
                assert state is not None
                hits = reader.cache.search(conn, state, query, 100)
            scores = [score for _, score in hits]
            if scores != sorted(scores, reverse=True) or len({id_ for id_, _ in hits}) != len(hits):
                failures.append("order")
            failures.extend(
                id_ for id_, score in hits if abs(score - float(known[id_] @ query)) > 1e-5
            )

    readers = [threading.Thread(target=read) for _ in range(6)]
    for thread in readers:
        thread.start()
    for number in range(40):
        remember(store, ALICE, [memory(f"n{number}", known[f"n{number}"])])
        if f"n{number}" not in reader.top(known[f"n{number}"], 1):
            failures.append(f"own write n{number}")
        if number % 2:
            store.delete(ALICE, f"m{number}", actor="test")
            if f"m{number}" in reader.top(known[f"m{number}"], 100):
                failures.append(f"own deletion m{number}")
    is_over.set()
    for thread in readers:
        thread.join()
    assert failures == []


def test_best_first_equals_a_full_sort() -> None:
    rng = np.random.default_rng(0)
    for size in (0, 1, 7, 100):
        scores = rng.integers(-3, 3, size).astype(np.float32)
        seqs = rng.permutation(size).astype(np.int64)
        expected = sorted(range(size), key=lambda i: (-scores[i], seqs[i]))
        for k in (1, 3, size, size + 5):
            assert best_first(scores, seqs, k).tolist() == expected[:k]


def test_dot_stays_within_cosines() -> None:
    row = np.full(DIM, 1 / np.sqrt(np.float32(DIM)), np.float32) * np.float32(1.000001)
    assert dot(np.stack([row, -row, 0 * row]), row).tolist() == [1.0, -1.0, 0.0]
