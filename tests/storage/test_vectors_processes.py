"""The index among processes: ends, crashes, forks, and several on one folder."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import pytest
from vector_world import (
    ALICE,
    BOB,
    PATIENCE,
    active_vids,
    ask,
    fill,
    ids_on_disk,
    nearest,
    open_side,
    open_store,
    script,
    settle,
    unit_vectors,
)

from dualmem_graph.storage.embedded import generations_on_disk
from dualmem_graph.storage.store import MemoryStore
from dualmem_graph.storage.vectors import INDEX_FOLDER

LIVE = """
path = Path(sys.argv[1])
store = MemoryStore.open(settings_for(path, vector_index="auto", exact_scan_limit=0))
"""

SHORT = (
    LIVE
    + """
fill(store, ALICE, 5)
info = store.scope_info(ALICE)
assert store.semantic(ALICE, unit_vectors(5)[3], 1).hits[0][0] == "m3"
ENDING
assert "chromadb" not in sys.modules
"""
)

NO_CLOSE = (
    LIVE
    + """
fill(store, ALICE, 5)
assert store.flush_index(60)
assert store.status()["index"]["state"] == "ready"
"""
)

# Writes for ever; says each id once it is acknowledged, and lets the index follow all along.
WRITER = (
    LIVE
    + """
fill(store, ALICE, 200)
assert store.flush_index(60)
print("ready", flush=True)
for number, vector in enumerate(unit_vectors(100_000, seed=7)):
    remember(store, BOB, [memory(f"w{number}", vector)])
    if number % 3 == 0:
        store.delete(BOB, f"w{number}", actor="test")
    print(number, flush=True)
"""
)

VISITOR = (
    LIVE
    + """
import json
vectors = fill(store, BOB, 5, prefix="v", seed=3)
found = store.semantic(BOB, vectors["v2"], 1)
print(json.dumps([found.hits[0][0], found.from_index, store.flush_index(60)]), flush=True)
found = store.semantic(BOB, vectors["v2"], 1)
print(json.dumps([found.hits[0][0], list(found.degraded)]), flush=True)
print(store.status()["index"]["state"], flush=True)
sys.stdin.readline()
from vector_world import settle
store._shared.vectors.notify()
fill(store, BOB, 1, prefix="late", seed=4)
assert store.flush_index(60)
print(store.status()["index"]["state"], flush=True)
store.close()
"""
)

FORKS = (
    LIVE
    + """
import os, threading
vectors = fill(store, ALICE, 5)
assert store.flush_index(60)
assert store.semantic(ALICE, vectors["m3"], 1).from_index
child = os.fork()
if child == 0:
    found = store.semantic(ALICE, vectors["m3"], 1)
    assert found.hits[0][0] == "m3" and not found.from_index, found
    fill(store, BOB, 2, prefix="c", seed=1)
    assert store.semantic(BOB, unit_vectors(2, seed=1)[1], 1).hits[0][0] == "c1"
    assert store.flush_index(60)
    assert store.status()["index"]["owner"] is False
    sys.exit(0)
assert os.waitpid(child, 0)[1] == 0
assert store.semantic(ALICE, vectors["m3"], 1).from_index
assert store.flush_index(60)
assert store.status()["index"]["owner"] is True
print("parent is still the owner", flush=True)
store.close()
"""
)


def run(body: str, path: Path) -> str:
    """Run to the end; says what was printed, and that nothing was on the error channel."""
    done = subprocess.run(
        script(body, path), capture_output=True, text=True, timeout=PATIENCE, cwd=path
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def lines(stream: IO[str] | None) -> Iterator[str]:
    assert stream is not None
    return (line.strip() for line in stream)


@pytest.mark.parametrize("ending", ["store.close()", ""], ids=["closed", "just ended"])
def test_a_short_process_pays_nothing_for_chroma(tmp_path: Path, ending: str) -> None:
    body = SHORT.replace("ENDING", ending).replace(
        "exact_scan_limit=0", "exact_scan_limit=10, vector_apply_delay=60.0"
    )
    assert run(body, tmp_path) == ""
    assert not generations_on_disk(tmp_path / INDEX_FOLDER)


def test_a_process_that_just_ends_leaves_an_orderly_index(tmp_path: Path) -> None:
    assert run(NO_CLOSE, tmp_path) == ""
    store = open_store(tmp_path)
    side = open_side(store, tmp_path)
    fill(store, BOB, 1, prefix="b")
    settle(side)
    assert side.status()["generation"] == 1
    side.close(PATIENCE)
    store.close()


@pytest.mark.parametrize("after", [3, 40])
def test_a_killed_owner_loses_an_index_and_no_memory(tmp_path: Path, after: int) -> None:
    with subprocess.Popen(script(WRITER, tmp_path), stdout=subprocess.PIPE, text=True) as owner:
        said = lines(owner.stdout)
        assert next(said) == "ready"
        acknowledged = [int(next(said)) for _ in range(after)]
        owner.send_signal(signal.SIGKILL)
    store = open_store(tmp_path)
    assert store.check() == []
    known = unit_vectors(100_000, seed=7)
    kept = {f"w{n}": known[n] for n in acknowledged if n % 3}
    side = open_side(store, tmp_path)
    for id_, vector in kept.items():
        assert ask(side, store, BOB, vector, 1)[0] == [id_]
    fill(store, BOB, 1, prefix="last", seed=5)
    settle(side)
    assert side.status()["generation"] == 2
    assert ask(side, store, ALICE, unit_vectors(200)[9], 1) == (["m9"], (), True)
    for id_, vector in kept.items():
        assert ask(side, store, BOB, vector, 1) == ([id_], (), True)
    side.close(PATIENCE)
    assert generations_on_disk(tmp_path / INDEX_FOLDER) == [2]
    assert ids_on_disk(tmp_path) == active_vids(store)
    store.close()


def test_two_processes_on_one_folder_and_a_take_over(tmp_path: Path) -> None:
    store: MemoryStore = open_store(tmp_path)
    side = open_side(store, tmp_path, vector_poll_interval=0.05)
    mine = fill(store, ALICE, 10)
    settle(side)
    with subprocess.Popen(
        script(VISITOR, tmp_path), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as visitor:
        said = lines(visitor.stdout)
        assert json.loads(next(said)) == ["v2", False, True]
        assert json.loads(next(said)) == ["v2", ["vector_index_not_owner"]]
        assert next(said) == "not_owner"
        theirs = dict(zip([f"v{i}" for i in range(5)], unit_vectors(5, seed=3), strict=True))
        assert ask(side, store, BOB, theirs["v4"], 3)[0] == nearest(theirs, theirs["v4"], 3)
        assert ask(side, store, ALICE, mine["m4"], 1) == (["m4"], (), True)
        side.close(PATIENCE)
        assert visitor.stdin is not None
        visitor.stdin.write("the owner is gone\n")
        visitor.stdin.flush()
        assert next(said) == "ready"
    assert visitor.returncode == 0
    assert ids_on_disk(tmp_path) == active_vids(store)
    store.close()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_a_forked_child_searches_writes_and_ends(tmp_path: Path) -> None:
    assert run(FORKS, tmp_path) == "parent is still the owner\n"
    store = open_store(tmp_path)
    assert ids_on_disk(tmp_path) == active_vids(store)
    store.close()
