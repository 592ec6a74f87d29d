"""The vector side: answers are the ledger's, whatever the index does, and when it fails."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sqlalchemy as sa
from vector_world import (
    ALICE,
    BOB,
    PATIENCE,
    active_vids,
    ask,
    fill,
    ids_on_disk,
    memory,
    nearest,
    open_side,
    open_store,
    remember,
    settle,
    unit_vectors,
)

from dualmem_graph.errors import EmbeddingError
from dualmem_graph.scope import scope_hash
from dualmem_graph.storage import applier as applier_module
from dualmem_graph.storage import vectors as vectors_module
from dualmem_graph.storage.chroma import ChromaIndex, IndexFailure, bucket_of
from dualmem_graph.storage.embedded import (
    EmbeddedIndex,
    generation_folder,
    generations_on_disk,
    seal,
)
from dualmem_graph.storage.homes import INDEX_FOLDER
from dualmem_graph.storage.records import Plan, Supersede
from dualmem_graph.storage.schema import outbox, vector_indexes
from dualmem_graph.storage.store import MemoryStore
from dualmem_graph.storage.vectors import VectorSide
from dualmem_graph.types import Layer


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


def close_and_reopen(
    side: VectorSide, store: MemoryStore, path: Path, **changes: Any
) -> VectorSide:
    """Close the index in order, then open it again and let it catch up with one more memory."""
    side.close(PATIENCE)
    again = open_side(store, path, **changes)
    remember(store, BOB, [memory(f"again{store.stats()['nodes']}", unit_vectors(1, seed=99)[0])])
    settle(again)
    return again


def wait_until_ready(side: VectorSide, at_least: int = 1) -> None:
    """Wait until a generation is open and filled."""
    applier = side._applier
    assert applier is not None
    with applier._condition:
        assert applier._condition.wait_for(
            lambda: applier.state == "ready" and generation(side) >= at_least, PATIENCE
        )


def generation(side: VectorSide) -> int:
    found: int = side.status()["generation"]
    return found


# --- answers


def test_index_answers_like_an_exact_scan(store: MemoryStore, side: VectorSide) -> None:
    vectors = fill(store, ALICE, 60)
    fill(store, BOB, 60, prefix="b", seed=1)
    settle(side)
    for query in unit_vectors(5, seed=2):
        assert ask(side, store, ALICE, query, 10) == (nearest(vectors, query, 10), (), True)
    turns = {id_: v for id_, v in vectors.items() if int(id_[1:]) % 2}
    found = ask(side, store, ALICE, vectors["m0"], 10, layers=[Layer.RAW])
    assert found == (nearest(turns, vectors["m0"], 10), (), True)
    status = side.status()
    assert status["searches"] == {"exact": 0, "index": 6, "index_share": 1.0}
    assert (status["state"], status["owner"], status["lag"]) == ("ready", True, 0)


def test_small_scopes_never_wait_for_the_index(store: MemoryStore, tmp_path: Path) -> None:
    side = open_side(store, tmp_path, exact_scan_limit=60)
    vectors = fill(store, ALICE, 60)
    assert ask(side, store, ALICE, vectors["m7"], 1) == (["m7"], (), False)
    assert side.status()["state"] == "idle"
    assert side.status()["fallbacks"] == {}
    side.close(PATIENCE)


def test_what_the_index_does_not_hold_yet_is_found(store: MemoryStore, side: VectorSide) -> None:
    vectors = fill(store, ALICE, 20)
    settle(side)
    new = unit_vectors(1, seed=3)[0]
    remember(store, ALICE, [memory("new", new)])
    assert ask(side, store, ALICE, new, 1) == (["new"], (), True)
    store.delete(ALICE, "new", actor="test")
    assert ask(side, store, ALICE, new, 1) == (nearest(vectors, new, 1), (), True)


def test_a_scope_never_gets_anothers_memory(store: MemoryStore, tmp_path: Path) -> None:
    side = open_side(store, tmp_path, vector_buckets=1)
    shared = unit_vectors(1)[0]
    fill(store, ALICE, 3, seed=1)
    remember(store, BOB, [memory(f"b{i}", shared) for i in range(30)])
    settle(side)
    # all of the nearest in the bucket are Bob's, and Alice asks for more than she has
    assert set(ask(side, store, ALICE, shared, 2)[0]) <= {"m0", "m1", "m2"}
    assert set(ask(side, store, ALICE, shared, 9)[0]) == {"m0", "m1", "m2"}
    side.close(PATIENCE)


def test_fewer_memories_than_asked_for_is_no_failure(store: MemoryStore, side: VectorSide) -> None:
    vectors = fill(store, ALICE, 3)
    settle(side)
    query = vectors["m1"]
    assert ask(side, store, ALICE, query, 50) == (nearest(vectors, query, 50), (), False)
    assert side.status()["fallbacks"] == {}


def test_excluded_memories_make_room_for_others(store: MemoryStore, side: VectorSide) -> None:
    vectors = fill(store, ALICE, 30)
    query = vectors["m4"]
    expected = nearest(vectors, query, 4)
    exact = ask(side, store, ALICE, query, 2, exclude=expected[:2])
    settle(side)
    indexed = ask(side, store, ALICE, query, 2, exclude=expected[:2])
    assert (exact[0], indexed[0], indexed[2]) == (expected[2:], expected[2:], True)


def test_historical_statuses_are_read_from_the_ledger(store: MemoryStore, side: VectorSide) -> None:
    vectors = fill(store, ALICE, 10)
    store.delete(ALICE, "m4", actor="test")
    settle(side)
    assert ask(side, store, ALICE, vectors["m4"], 1, statuses=["ACTIVE", "SHADOW"]) == (
        ["m4"],
        (),
        False,
    )
    assert ask(side, store, ALICE, vectors["m4"], 9, statuses=["SHADOW"])[0] == ["m4"]


@pytest.mark.parametrize("k", [0, -1])
def test_nothing_asked_for_is_nothing_found(store: MemoryStore, side: VectorSide, k: int) -> None:
    vectors = fill(store, ALICE, 3)
    assert ask(side, store, ALICE, vectors["m0"], k) == ([], (), False)
    assert ask(side, store, ALICE, vectors["m0"], 3, layers=[]) == ([], (), False)


def test_a_store_without_vectors_finds_nothing(store: MemoryStore, side: VectorSide) -> None:
    assert side.search(1, scope_hash(ALICE), unit_vectors(1)[0], 3).hits == ()


@pytest.mark.parametrize(
    "vector",
    [np.full(16, np.nan, np.float32), np.ones((2, 16), np.float32), np.empty(0, np.float32)],
)
def test_an_unusable_query_vector_is_refused(side: VectorSide, vector: Any) -> None:
    with pytest.raises(EmbeddingError, match="one row of finite numbers"):
        side.search(1, "0" * 32, vector, 3)


# --- what the index holds


def test_drained_index_holds_the_current_memories_and_nothing_else(
    store: MemoryStore, side: VectorSide, tmp_path: Path
) -> None:
    fill(store, ALICE, 20)
    fill(store, BOB, 5, prefix="b", seed=1)
    settle(side)
    remember(store, ALICE, [memory("new", unit_vectors(1, seed=4)[0])])
    store.apply(
        ALICE,
        Plan(
            nodes=[memory("newer", unit_vectors(1, seed=5)[0])],
            supersedes=[Supersede("newer", ("new",), explicit=True)],
        ),
        actor="test",
    )
    store.delete(ALICE, "m3", actor="test")
    store.delete(ALICE, "m5", actor="test")
    store.restore(ALICE, "m5", actor="test")
    store.delete_scope(BOB, actor="test")
    settle(side)
    assert side.status()["lag"] == 0
    side.close(PATIENCE)
    assert ids_on_disk(tmp_path) == active_vids(store)
    assert len(active_vids(store)) == 20


def test_a_burst_larger_than_one_reading_of_the_queue(
    store: MemoryStore, side: VectorSide, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dualmem_graph.storage.generation.OUTBOX_ROWS", 7)
    fill(store, ALICE, 1)
    settle(side)
    fill(store, ALICE, 40, prefix="n", seed=1)
    settle(side)
    side.close(PATIENCE)
    assert ids_on_disk(tmp_path) == active_vids(store)


def test_closing_applies_what_is_queued(
    store: MemoryStore, side: VectorSide, tmp_path: Path
) -> None:
    fill(store, ALICE, 2)
    settle(side)
    fill(store, ALICE, 5, prefix="n", seed=1)
    side.close(PATIENCE)
    assert ids_on_disk(tmp_path) == active_vids(store)
    assert side.status()["state"] == "closed"


def test_folders_and_files_are_private(
    store: MemoryStore, side: VectorSide, tmp_path: Path
) -> None:
    fill(store, ALICE, 2)
    settle(side)
    side.close(PATIENCE)
    folder = tmp_path / INDEX_FOLDER
    assert {path.stat().st_mode & 0o777 for path in (folder, folder / "gen-1")} == {0o700}
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert {path.stat().st_mode & 0o777 for path in files} == {0o600}
    content = b"".join(path.read_bytes() for path in files)
    assert b"about" not in content
    assert b"alice" not in content


# --- generations


def test_an_orderly_closed_generation_is_opened_again(
    store: MemoryStore, side: VectorSide, tmp_path: Path
) -> None:
    vectors = fill(store, ALICE, 30)
    settle(side)
    again = close_and_reopen(side, store, tmp_path)
    assert generation(again) == 1
    assert ask(again, store, ALICE, vectors["m3"], 3) == (
        nearest(vectors, vectors["m3"], 3),
        (),
        True,
    )
    again.close(PATIENCE)
    assert ids_on_disk(tmp_path) == active_vids(store)


def _row(**values: Any) -> Callable[[MemoryStore, Path], None]:
    def change(store: MemoryStore, _folder: Path) -> None:
        with store.ledger.write() as conn:
            conn.execute(sa.update(vector_indexes).values(**values))

    return change


def _largest_file_cut(_store: MemoryStore, folder: Path) -> None:
    files = [path for path in folder.rglob("*.bin") if path.is_file()]
    largest = max(files, key=lambda path: path.stat().st_size)
    largest.write_bytes(largest.read_bytes()[:-1])


def _largest_file_zeroed(_store: MemoryStore, folder: Path) -> None:
    files = [path for path in folder.rglob("*.bin") if path.is_file()]
    largest = max(files, key=lambda path: path.stat().st_size)
    largest.write_bytes(bytes(largest.stat().st_size))


def _tables_overwritten(_store: MemoryStore, folder: Path) -> None:
    with (folder / "chroma.sqlite3").open("r+b") as file:
        file.seek(4096)
        file.write(b"\xff" * 4096)


def _folder_is_a_file(store: MemoryStore, folder: Path) -> None:
    _folder_gone(store, folder)
    folder.write_text("not a folder")


def _seal_gone(_store: MemoryStore, folder: Path) -> None:
    (folder / "SEAL").unlink()


def _seal_unreadable(_store: MemoryStore, folder: Path) -> None:
    (folder / "SEAL").write_text("[]")


def _folder_gone(_store: MemoryStore, folder: Path) -> None:
    for path in sorted(folder.rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    folder.rmdir()


@pytest.mark.parametrize(
    "damage",
    [
        _row(clean=False),
        _row(chroma_version="0.4.1"),
        _row(buckets=7),
        _row(fingerprint="other:16"),
        _row(fingerprint=None),
        _largest_file_cut,
        _largest_file_zeroed,
        _tables_overwritten,
        _folder_is_a_file,
        _seal_gone,
        _seal_unreadable,
        _folder_gone,
    ],
    ids=[
        "unclean",
        "another chroma",
        "other buckets",
        "another embedder",
        "no embedder",
        "file cut",
        "file zeroed",
        "tables overwritten",
        "folder is a file",
        "no seal",
        "odd seal",
        "no folder",
    ],
)
def test_a_suspect_generation_is_left_alone_and_built_again(
    store: MemoryStore,
    side: VectorSide,
    tmp_path: Path,
    damage: Callable[[MemoryStore, Path], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    vectors = fill(store, ALICE, 30)
    settle(side)
    side.close(PATIENCE)
    folder = generation_folder(tmp_path / INDEX_FOLDER, 1)
    damage(store, folder)
    opened: list[Path] = []
    plain = EmbeddedIndex.__init__

    def note(self: EmbeddedIndex, path: Path, **values: Any) -> None:
        opened.append(path)
        plain(self, path, **values)

    monkeypatch.setattr(EmbeddedIndex, "__init__", note)
    again = close_and_reopen(side, store, tmp_path)
    assert generation(again) == 2
    assert opened == [generation_folder(tmp_path / INDEX_FOLDER, 2)]
    assert ask(again, store, ALICE, vectors["m3"], 1) == (["m3"], (), True)
    assert generations_on_disk(tmp_path / INDEX_FOLDER) == [2]
    again.close(PATIENCE)
    assert ids_on_disk(tmp_path) == active_vids(store)


@pytest.mark.parametrize("is_swapped", [False, True], ids=["one record less", "another vector"])
def test_a_sealed_generation_that_lost_something_is_built_again(
    store: MemoryStore, side: VectorSide, tmp_path: Path, is_swapped: bool
) -> None:
    fill(store, ALICE, 12)
    settle(side)
    side.close(PATIENCE)
    folder = generation_folder(tmp_path / INDEX_FOLDER, 1)
    _tamper(store, folder, is_swapped)
    again = close_and_reopen(side, store, tmp_path)
    assert generation(again) == 2
    again.close(PATIENCE)
    assert ids_on_disk(tmp_path) == active_vids(store)


def _tamper(store: MemoryStore, folder: Path, is_swapped: bool) -> None:
    index = EmbeddedIndex(folder, generation=1, buckets=64)
    if is_swapped:
        collection = index._collection(bucket_of(scope_hash(ALICE), index.buckets))
        collection.update(ids=sorted(index.ids()), embeddings=unit_vectors(12, seed=77))
    else:
        index.delete([(scope_hash(ALICE), sorted(index.ids())[0])])
    index.close()
    with store.ledger.read() as conn:
        row = conn.execute(sa.select(vector_indexes)).one()
    seal(folder, f"1 {row.updated_at.isoformat()}")


def test_other_buckets_in_the_settings_build_another_generation(
    store: MemoryStore, side: VectorSide, tmp_path: Path
) -> None:
    fill(store, ALICE, 3)
    settle(side)
    again = close_and_reopen(side, store, tmp_path, vector_buckets=4)
    assert generation(again) == 2
    again.close(PATIENCE)


def test_an_embedder_change_builds_another_generation(
    store: MemoryStore, side: VectorSide, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    vectors = fill(store, ALICE, 3)
    settle(side)
    monkeypatch.setattr(applier_module, "_FIRST_BACKOFF", 0.0)
    store.ledger.set_meta("embedder", "other:16")
    # what the former embedder wrote is neither found nor indexed
    assert ask(side, store, ALICE, vectors["m0"], 3)[0] == []
    side.notify()
    wait_until_ready(side, at_least=2)
    side.close(PATIENCE)
    assert ids_on_disk(tmp_path) == set()


def test_first_vectors_name_the_embedder_of_an_open_index(
    store: MemoryStore, side: VectorSide, tmp_path: Path
) -> None:
    side.notify()
    wait_until_ready(side)
    fill(store, ALICE, 3)
    settle(side)
    again = close_and_reopen(side, store, tmp_path)
    assert generation(again) == 1
    again.close(PATIENCE)


# --- when Chroma fails


@pytest.fixture
def chroma_query(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[..., Any]], None]:
    """Put something else in the place of Chroma's query."""
    from chromadb.api.models.Collection import Collection

    return lambda other: monkeypatch.setattr(Collection, "query", other)


def test_a_failing_query_is_answered_exactly_and_said(
    store: MemoryStore, side: VectorSide, chroma_query: Callable[..., None]
) -> None:
    vectors = fill(store, ALICE, 30)
    settle(side)

    def fail(*_: Any, **__: Any) -> None:
        raise RuntimeError("Error finding id")

    chroma_query(fail)
    for _ in range(2):
        assert ask(side, store, ALICE, vectors["m3"], 3) == (
            nearest(vectors, vectors["m3"], 3),
            ("vector_index_error",),
            False,
        )
    status = side.status()
    assert (status["state"], status["fallbacks"]) == ("ready", {"error": 2})
    assert status["searches"] == {"exact": 2, "index": 0, "index_share": 0.0}


def test_an_index_that_keeps_failing_is_built_again(
    store: MemoryStore,
    side: VectorSide,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    from chromadb.api.models.Collection import Collection

    vectors = fill(store, ALICE, 30)
    settle(side)
    monkeypatch.setattr(applier_module, "_FIRST_BACKOFF", 0.0)
    with monkeypatch.context() as patch:
        patch.setattr(Collection, "query", None)
        for _ in range(3):
            assert ask(side, store, ALICE, vectors["m3"], 1)[0] == ["m3"]
    wait_until_ready(side, at_least=2)
    assert ask(side, store, ALICE, vectors["m3"], 1) == (["m3"], (), True)
    side.close(PATIENCE)
    assert ids_on_disk(tmp_path) == active_vids(store)


def test_a_hanging_query_costs_one_search_its_time_out(
    store: MemoryStore, tmp_path: Path, chroma_query: Callable[..., None]
) -> None:
    side = open_side(store, tmp_path, vector_timeout=0.05)
    vectors = fill(store, ALICE, 30)
    settle(side)
    go_on = threading.Event()
    calls: list[int] = []

    def hang(*_: Any, **__: Any) -> dict[str, list[list[str]]]:
        calls.append(1)
        go_on.wait(PATIENCE)
        return {"ids": [[]]}

    chroma_query(hang)
    for _ in range(4):
        assert ask(side, store, ALICE, vectors["m3"], 3) == (
            nearest(vectors, vectors["m3"], 3),
            ("vector_index_timeout",),
            False,
        )
    assert len(calls) == 1
    assert side.status()["fallbacks"] == {"timeout": 4}
    go_on.set()
    side.close(PATIENCE)


def test_an_index_that_finds_too_little_is_not_believed(
    store: MemoryStore, side: VectorSide, chroma_query: Callable[..., None]
) -> None:
    vectors = fill(store, ALICE, 30)
    settle(side)
    chroma_query(lambda *_, **__: {"ids": [["m3:1", "m4:1"]]})
    assert ask(side, store, ALICE, vectors["m3"], 3) == (
        nearest(vectors, vectors["m3"], 3),
        ("vector_index_too_few",),
        False,
    )


def test_ghosts_and_foreign_records_die_in_the_ledger(
    store: MemoryStore, side: VectorSide, chroma_query: Callable[..., None]
) -> None:
    vectors = fill(store, ALICE, 5)
    fill(store, BOB, 5, prefix="b", seed=1)
    settle(side)
    chroma_query(lambda *_, **__: {"ids": [["b0:1", "nobody:1", "m3:9", "m2:1", "m3:1"]]})
    expected = nearest({id_: vectors[id_] for id_ in ("m2", "m3")}, vectors["m3"], 2)
    assert ask(side, store, ALICE, vectors["m3"], 2) == (expected, (), True)


def test_a_long_queue_is_scanned_instead(
    store: MemoryStore, side: VectorSide, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(store, ALICE, 3)
    settle(side)
    monkeypatch.setattr(vectors_module, "_MAX_PENDING", 4)
    new = fill(store, ALICE, 5, prefix="n", seed=1)
    assert ask(side, store, ALICE, new["n2"], 1) == (["n2"], ("vector_index_lag",), False)


def test_writing_to_chroma_fails_and_is_mended(
    store: MemoryStore, side: VectorSide, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from chromadb.api.models.Collection import Collection

    vectors = fill(store, ALICE, 10)
    settle(side)
    monkeypatch.setattr(applier_module, "_FIRST_BACKOFF", PATIENCE)
    fill(store, ALICE, 3, prefix="n", seed=1)
    with monkeypatch.context() as patch:
        patch.setattr(Collection, "upsert", None)
        side.notify()
        assert not side.drain(PATIENCE)
        status = side.status()
        assert (status["state"], status["lag"]) == ("failed", 3)
        assert "Chroma could not write vectors" in status["error"]
        assert ask(side, store, ALICE, vectors["m3"], 1) == (
            ["m3"],
            ("vector_index_failed",),
            False,
        )
    assert side._applier is not None
    side._applier._retry_at = 0.0  # the pause is over
    settle(side)
    assert (generation(side), side.status()["error"]) == (2, None)
    side.close(PATIENCE)
    assert ids_on_disk(tmp_path) == active_vids(store)


def test_while_it_fails_it_is_tried_less_and_less(
    store: MemoryStore, side: VectorSide, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(store, ALICE, 3)
    monkeypatch.setattr(ChromaIndex, "upsert", _no_room)
    assert not side.drain(PATIENCE)
    tried = side.status()["error"]
    assert "no room" in tried
    monkeypatch.setattr(ChromaIndex, "upsert", None)  # would be another error, if it was called
    assert not side.drain(PATIENCE)
    assert side.status()["error"] == tried


def _no_room(*_: Any) -> None:
    raise IndexFailure("no room")


def test_without_chromadb_everything_but_the_index_works(
    store: MemoryStore, side: VectorSide, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "chromadb", None)
    vectors = fill(store, ALICE, 5)
    side.notify()
    assert side.drain(PATIENCE)
    assert ask(side, store, ALICE, vectors["m3"], 1) == (
        ["m3"],
        ("vector_index_unavailable",),
        False,
    )
    status = side.status()
    assert (status["state"], status["owner"], status["lag"]) == ("unavailable", False, 5)
    assert "chromadb cannot be imported" in status["error"]
    assert "pip install 'chromadb" in status["error"]
    assert not generations_on_disk(store.ledger.path.parent / INDEX_FOLDER)


def test_switched_off_there_is_no_index(store: MemoryStore, tmp_path: Path) -> None:
    side = open_side(store, tmp_path, vector_index="off")
    vectors = fill(store, ALICE, 5)
    side.start()
    side.notify()
    assert side.drain(0.0)
    assert ask(side, store, ALICE, vectors["m3"], 1) == (["m3"], (), False)
    status = side.status()
    assert (status["state"], status["fallbacks"]) == ("off", {})
    side.close(0.0)
    assert generations_on_disk(tmp_path / INDEX_FOLDER) == []
    with store.ledger.read() as conn:
        assert conn.execute(sa.select(sa.func.count()).select_from(outbox)).scalar_one() == 0


def test_a_second_side_on_the_folder_searches_exactly_until_it_is_free(
    store: MemoryStore, side: VectorSide, tmp_path: Path
) -> None:
    vectors = fill(store, ALICE, 5)
    settle(side)
    second = open_side(store, tmp_path)
    second.notify()
    new = fill(store, ALICE, 1, prefix="n", seed=1)
    assert second.drain(PATIENCE)  # nothing of it is for this one to do
    assert ask(second, store, ALICE, new["n0"], 1) == (["n0"], ("vector_index_not_owner",), False)
    assert second.status()["state"] == "not_owner"
    side.close(PATIENCE)
    second.notify()
    wait_until_ready(second)
    assert ask(second, store, ALICE, vectors["m3"], 1) == (["m3"], (), True)
    second.close(PATIENCE)


def test_waiting_is_bounded(
    store: MemoryStore, side: VectorSide, monkeypatch: pytest.MonkeyPatch
) -> None:
    go_on = threading.Event()
    monkeypatch.setattr(applier_module, "require_chromadb", lambda: go_on.wait(PATIENCE))
    vectors = fill(store, ALICE, 3)
    assert not side.drain(0.01)
    assert ask(side, store, ALICE, vectors["m1"], 1) == (["m1"], ("vector_index_not_ready",), False)
    side.close(0.01)
    go_on.set()


def test_a_closed_side_starts_nothing(store: MemoryStore, side: VectorSide) -> None:
    side.close(0.0)
    fill(store, ALICE, 3)
    side.notify()
    assert not side.drain(0.0)
    assert side.status()["state"] == "closed"
    side.close(0.0)
