"""Checking the index against the ledger, building it anew, and what a purge asks of it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import sqlalchemy as sa
from vector_world import (
    ALICE,
    PATIENCE,
    active_vids,
    ask,
    fill,
    ids_on_disk,
    open_side,
    open_store,
    settle,
)

from dualmem_graph.errors import ConfigError, StoreError
from dualmem_graph.scope import scope_hash
from dualmem_graph.storage.chroma import ChromaIndex, bucket_of
from dualmem_graph.storage.embedded import generations_on_disk
from dualmem_graph.storage.homes import INDEX_FOLDER
from dualmem_graph.storage.schema import vector_indexes
from dualmem_graph.storage.store import MemoryStore
from dualmem_graph.storage.vectors import VectorSide
from dualmem_graph.types import IndexCheck


@pytest.fixture
def store(tmp_path: Path) -> Iterator[MemoryStore]:
    opened = open_store(tmp_path)
    yield opened
    opened.close()


@pytest.fixture
def side(store: MemoryStore, tmp_path: Path) -> Iterator[VectorSide]:
    opened = open_side(store, tmp_path)
    yield opened
    opened.close(PATIENCE)


def _opened(side: VectorSide) -> ChromaIndex:
    assert side._applier is not None
    return side._applier._opened


def _generation(side: VectorSide) -> int:
    generation: int = side.status()["generation"]
    return generation


def test_a_sound_index_is_said_to_be_sound(store: MemoryStore, side: VectorSide) -> None:
    fill(store, ALICE, 30)
    assert side.check(PATIENCE) == IndexCheck(expected=30, records=30)


def test_what_the_index_lost_or_kept_too_long_is_mended(
    store: MemoryStore, side: VectorSide
) -> None:
    vectors = fill(store, ALICE, 30)
    settle(side)
    index = _opened(side)
    collection = index._collection(bucket_of(scope_hash(ALICE), 64))
    collection.delete(ids=["m3:1", "m4:1"])
    collection.add(ids=["ghost:1"], embeddings=[vectors["m3"]], metadatas=[{"u": "x", "l": "y"}])

    found = side.check(PATIENCE)

    assert (found.missing, found.superfluous, found.wrong, found.ok) == (2, 1, 0, False)
    assert len(found.problems) == 2
    assert side.check(PATIENCE).ok
    assert index.ids() == active_vids(store)
    assert _generation(side) == 1


def test_wrong_vectors_are_built_anew(store: MemoryStore, side: VectorSide) -> None:
    vectors = fill(store, ALICE, 30)
    settle(side)
    collection = _opened(side)._collection(bucket_of(scope_hash(ALICE), 64))
    collection.update(ids=["m3:1"], embeddings=[-vectors["m3"]])

    found = side.check(PATIENCE)

    assert (found.wrong, found.ok) == (1, False)
    settle(side)
    assert _generation(side) == 2
    assert side.check(PATIENCE).ok
    assert ask(side, store, ALICE, vectors["m3"], 1) == (["m3"], (), True)


def test_an_index_is_compared_by_itself_from_time_to_time(
    store: MemoryStore, tmp_path: Path
) -> None:
    side = open_side(store, tmp_path, index_check_interval=1e-9)
    fill(store, ALICE, 10)
    settle(side)
    _opened(side)._collection(bucket_of(scope_hash(ALICE), 64)).delete(ids=["m3:1"])
    settle(side)
    settle(side)
    assert _opened(side).ids() == active_vids(store)
    side.close(PATIENCE)


def test_an_index_is_built_anew_on_demand(
    store: MemoryStore, side: VectorSide, tmp_path: Path
) -> None:
    vectors = fill(store, ALICE, 30)
    settle(side)
    assert side.rebuild(PATIENCE) == 2
    assert ask(side, store, ALICE, vectors["m3"], 1) == (["m3"], (), True)
    assert generations_on_disk(tmp_path / INDEX_FOLDER) == [2]
    side.close(PATIENCE)
    assert ids_on_disk(tmp_path) == active_vids(store)


def test_who_does_not_own_the_index_is_told_who_does(
    store: MemoryStore, side: VectorSide, tmp_path: Path
) -> None:
    fill(store, ALICE, 3)
    settle(side)
    other = open_side(store, tmp_path)
    for ask_it in (other.check, other.rebuild):
        with pytest.raises(StoreError, match=r"process \d+ owns the vector index"):
            ask_it(PATIENCE)
    other.close(PATIENCE)


def test_without_an_index_there_is_nothing_to_check(store: MemoryStore, tmp_path: Path) -> None:
    side = open_side(store, tmp_path, vector_index="off")
    for ask_it in (side.check, side.rebuild):
        with pytest.raises(ConfigError, match="vector_index"):
            ask_it(PATIENCE)


def test_a_purged_vector_is_in_no_file_of_the_index(
    store: MemoryStore, side: VectorSide, tmp_path: Path
) -> None:
    vectors = fill(store, ALICE, 30)
    settle(side)
    secret = vectors["m3"].astype("<f4").tobytes()
    assert _holds(tmp_path, secret)

    store.purge(ALICE, "m3")
    settle(side)
    settle(side)

    assert _generation(side) == 2
    side.close(PATIENCE)
    assert not _holds(tmp_path / INDEX_FOLDER, secret)
    assert ids_on_disk(tmp_path) == active_vids(store)


def test_a_large_index_is_rid_of_purged_vectors_later(
    store: MemoryStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from dualmem_graph.storage import applier

    monkeypatch.setattr(applier, "_SMALL", 5)
    side = open_side(store, tmp_path, vector_renew_delay=3600)
    fill(store, ALICE, 30)
    settle(side)
    store.purge(ALICE, "m3")
    settle(side)
    assert _generation(side) == 1
    side.close(PATIENCE)

    again = open_side(store, tmp_path)
    assert again.check(PATIENCE).ok
    assert _generation(again) == 2
    again.close(PATIENCE)


def test_a_home_that_was_left_for_another_is_not_believed_later(
    store: MemoryStore, side: VectorSide, tmp_path: Path
) -> None:
    fill(store, ALICE, 3)
    settle(side)
    side.close(PATIENCE)
    with store.ledger.write() as conn:
        row = conn.execute(sa.select(vector_indexes)).mappings().one()
        conn.execute(sa.insert(vector_indexes).values({**row, "name": "server-x", "clean": True}))
    again = open_side(store, tmp_path)
    assert again.check(PATIENCE).ok
    with store.ledger.read() as conn:
        rows = conn.execute(sa.select(vector_indexes.c.name, vector_indexes.c.clean)).all()
    assert sorted(map(tuple, rows)) == [("embedded", False), ("server-x", False)]
    again.close(PATIENCE)


def _holds(directory: Path, wanted: bytes) -> bool:
    assert np.frombuffer(wanted, "<f4").any()
    return any(wanted in path.read_bytes() for path in directory.rglob("*") if path.is_file())
