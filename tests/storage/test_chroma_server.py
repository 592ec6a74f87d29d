"""The same index on a Chroma server: asked by all, written by one, and never believed blindly."""

from __future__ import annotations

import http.server
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from uuid import uuid4

import pytest
import sqlalchemy as sa
from servers import free_port, running_chroma
from vector_world import (
    ALICE,
    BOB,
    PATIENCE,
    active_vids,
    ask,
    fill,
    nearest,
    open_side,
    open_store,
    script,
    settle,
)

from dualmem_graph.storage.chroma import ChromaIndex
from dualmem_graph.storage.schema import vector_indexes
from dualmem_graph.storage.store import MemoryStore
from dualmem_graph.storage.vectors import VectorSide

Open = Callable[..., VectorSide]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[MemoryStore]:
    opened = open_store(tmp_path)
    yield opened
    opened.close()


@pytest.fixture
def database() -> str:
    return f"db-{uuid4().hex[:8]}"


@pytest.fixture
def open_one(
    store: MemoryStore, tmp_path: Path, chroma_server: str, database: str
) -> Iterator[Open]:
    opened: list[VectorSide] = []

    def open_it(**changes: object) -> VectorSide:
        given = {"chroma_url": chroma_server, "chroma_database": database} | changes
        opened.append(open_side(store, tmp_path, **given))
        return opened[-1]

    yield open_it
    for side in opened:
        side.close(PATIENCE)


def _index(side: VectorSide) -> ChromaIndex:
    assert side._applier is not None
    return side._applier._opened


def _wait(condition: Callable[[], bool], side: VectorSide) -> None:
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, side.status()
        side.notify()
        side.drain(1.0)


def test_a_server_answers_like_an_exact_scan(store: MemoryStore, open_one: Open) -> None:
    side = open_one()
    vectors = fill(store, ALICE, 40)
    fill(store, BOB, 10, prefix="b", seed=1)
    settle(side)
    assert _index(side).ids() == active_vids(store)
    for id_ in ("m3", "m17"):
        expected = (nearest(vectors, vectors[id_], 5), (), True)
        assert ask(side, store, ALICE, vectors[id_], 5) == expected
    store.delete(ALICE, "m3")
    settle(side)
    assert _index(side).ids() == active_vids(store)


def test_no_text_reaches_the_server(store: MemoryStore, open_one: Open) -> None:
    side = open_one()
    fill(store, ALICE, 3)
    settle(side)
    for collection in _index(side)._client.list_collections():
        held = collection.get(include=["metadatas", "documents"])
        assert held["documents"] == [None] * len(held["ids"])
        assert all(set(values) == {"u", "l"} for values in held["metadatas"])


def test_a_generation_on_a_server_outlives_its_process(store: MemoryStore, open_one: Open) -> None:
    vectors = fill(store, ALICE, 10)
    first = open_one()
    settle(first)
    assert first._applier is not None
    first._applier._owner.release()  # as when the process is killed: nothing was closed in order
    second = open_one()
    assert second.check(PATIENCE).ok
    assert second.status()["generation"] == 1
    assert second.status()["owner"] is True
    assert ask(second, store, ALICE, vectors["m3"], 1) == (["m3"], (), True)


def test_every_process_asks_the_server_and_one_writes(
    store: MemoryStore, open_one: Open, tmp_path: Path, chroma_server: str, database: str
) -> None:
    owner = open_one()
    vectors = fill(store, ALICE, 10)
    settle(owner)
    reader = open_one()
    _wait(lambda: ask(reader, store, ALICE, vectors["m3"], 1)[2], reader)
    assert (owner.status()["owner"], reader.status()["owner"]) == (True, False)
    assert ask(reader, store, ALICE, vectors["m3"], 1) == (["m3"], (), True)
    code = """
store = open_store(Path(sys.argv[1]))
side = open_side(store, Path(sys.argv[1]), chroma_url=sys.argv[2], chroma_database=sys.argv[3])
vectors = fill(store, ALICE, 1, prefix="late", seed=5)
settle(side)
print(ask(side, store, ALICE, vectors["late0"], 1), side.status()["owner"])
side.close(PATIENCE)
"""
    done = subprocess.run(
        script(code, tmp_path, chroma_server, database), capture_output=True, text=True, timeout=60
    )
    assert done.stdout == "(['late0'], (), True) False\n", done.stderr
    owner.rebuild(PATIENCE)
    _wait(lambda: reader.status()["generation"] == 2, reader)
    assert ask(reader, store, ALICE, vectors["m3"], 1) == (["m3"], (), True)


def test_stores_share_a_server_and_see_only_their_own(
    store: MemoryStore, open_one: Open, tmp_path: Path, chroma_server: str, database: str
) -> None:
    side = open_one()
    fill(store, ALICE, 5)
    settle(side)
    (tmp_path / "other").mkdir()
    other = open_store(tmp_path / "other")
    beside = open_side(
        other, tmp_path / "other", chroma_url=chroma_server, chroma_database=database
    )
    fill(other, ALICE, 3, prefix="o")
    settle(beside)
    beside.rebuild(PATIENCE)
    assert _index(beside).ids() == active_vids(other)
    assert _index(side).ids() == active_vids(store)
    assert side.check(PATIENCE).ok
    beside.close(PATIENCE)
    other.close()


def test_a_server_that_is_down_costs_exactness_nothing(
    store: MemoryStore, open_one: Open, tmp_path: Path
) -> None:
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    data = tmp_path / "server" / "data"
    data.parent.mkdir()
    with running_chroma(data, port):
        side = open_one(chroma_url=url, vector_timeout=5.0)
        vectors = fill(store, ALICE, 10)
        settle(side)
    assert ask(side, store, ALICE, vectors["m3"], 1) == (
        ["m3"],
        ("vector_index_unreachable",),
        False,
    )
    vectors |= fill(store, ALICE, 5, prefix="n", seed=3)
    side.notify()
    assert side.drain(5.0) is False
    status = side.status()
    assert (status["state"], status["lag"]) == ("unreachable", 5)
    assert url in status["error"]
    assert ask(side, store, ALICE, vectors["n3"], 1)[0] == ["n3"]
    with running_chroma(data, port):
        _wait(lambda: side.status()["state"] == "ready", side)
        settle(side)
        assert side.status()["generation"] == 1
        assert _index(side).ids() == active_vids(store)
        assert ask(side, store, ALICE, vectors["n3"], 1) == (["n3"], (), True)
        side.close(PATIENCE)


def test_a_server_that_lost_its_data_is_filled_again(
    store: MemoryStore, open_one: Open, tmp_path: Path
) -> None:
    port = free_port()
    (tmp_path / "server").mkdir()
    with running_chroma(tmp_path / "server" / "first", port):
        side = open_one(chroma_url=f"http://127.0.0.1:{port}")
        vectors = fill(store, ALICE, 10)
        settle(side)
    with running_chroma(tmp_path / "server" / "second", port):
        for _ in range(4):
            ask(side, store, ALICE, vectors["m3"], 1)
        _wait(lambda: side.status()["generation"] == 2, side)
        settle(side)
        assert _index(side).ids() == active_vids(store)
        assert ask(side, store, ALICE, vectors["m3"], 1) == (["m3"], (), True)
        side.close(PATIENCE)


def test_a_killed_server_loses_nothing_that_the_ledger_has(
    store: MemoryStore, open_one: Open, tmp_path: Path
) -> None:
    port = free_port()
    data = tmp_path / "server" / "data"
    data.parent.mkdir()
    with running_chroma(data, port) as server:
        side = open_one(chroma_url=f"http://127.0.0.1:{port}")
        fill(store, ALICE, 200)
        side.notify()
        server.kill()
        server.wait()
    with running_chroma(data, port):
        _wait(lambda: side.status()["state"] == "ready", side)
        settle(side)
        assert side.check(PATIENCE).ok
        assert _index(side).ids() == active_vids(store)
        side.close(PATIENCE)


class _NobodyEnters(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        _NobodyEnters.seen.append(self.headers.get("Authorization", ""))
        self.send_response(401)
        self.end_headers()

    do_POST = do_GET  # noqa: N815

    def log_message(self, *_: object) -> None:
        return None

    seen: list[str] = []  # noqa: RUF012


def test_a_wrong_token_is_said_and_breaks_nothing(store: MemoryStore, open_one: Open) -> None:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _NobodyEnters)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        port = server.server_address[1]
        side = open_one(chroma_url=f"http://127.0.0.1:{port}", chroma_token="not-the-one")
        vectors = fill(store, ALICE, 3)
        side.notify()
        assert side.drain(5.0) is False
        status = side.status()
        assert status["state"] == "unreachable", status
        assert "401" in status["error"]
        assert "not-the-one" not in str(status)
        assert set(_NobodyEnters.seen) == {"Bearer not-the-one"}
        assert ask(side, store, ALICE, vectors["m1"], 1)[0] == ["m1"]
        side.close(PATIENCE)
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def test_a_server_row_survives_a_change_of_settings(store: MemoryStore, open_one: Open) -> None:
    side = open_one()
    fill(store, ALICE, 3)
    settle(side)
    side.close(PATIENCE)
    with store.ledger.read() as conn:
        (name,) = conn.execute(sa.select(vector_indexes.c.name)).scalars()
    assert name.startswith("server-")
