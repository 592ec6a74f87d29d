"""The ledger's disk is full, read-only, or gives back something else."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from faulty_parts import Open, contents, disk, turns, wait_for

from dualmem_graph import SyncMemoryClient
from dualmem_graph.errors import StoreError
from dualmem_graph.storage.ledger import LEDGER_FILE

_MANY: list[dict[str, Any]] = [
    {"content": f"User keeps stamp {number}. {'x' * 400}"} for number in range(200)
]
Call = Callable[[SyncMemoryClient, str], Any]
WRITES: dict[str, Call] = {
    "add": lambda memory, _: memory.add(
        messages=[("user", f"I own kayak {number}. {'x' * 900}") for number in range(60)],
        user_id="u",
    ),
    "import_": lambda memory, _: memory.import_(_MANY, user_id="u"),
    "update": lambda memory, id_: memory.update(id_, "User owns a loom. " * 900, user_id="u"),
}


@pytest.mark.parametrize("write", WRITES)
def test_on_a_full_disk_a_write_fails_whole_and_works_once_there_is_room(
    write: str, open_memory: Open
) -> None:
    with disk() as drive:
        memory = open_memory()
        memory.add("I own a kayak.", user_id="u", wait=True)
        (item,) = memory.list(user_id="u")
        assert memory.flush() is True
        before = (contents(memory), turns(memory), memory.stats(user_id="u"))
        drive.fill()

        with pytest.raises(StoreError, match=r"full.*has room"):
            WRITES[write](memory, item.memory_id)

        assert (contents(memory), turns(memory), memory.stats(user_id="u")) == before
        assert [one.content for one in memory.search("kayak", user_id="u")] == [item.content]
        assert "kayak" in memory.context("kayak", user_id="u")
        drive.make_room()

        WRITES[write](memory, item.memory_id)

        assert memory.flush() is True
        assert (contents(memory), turns(memory)) != before[:2]
        memory.add("I own a zither.", user_id="u", wait=True)
        assert memory.search("zither", user_id="u")[0].content == "User owns a zither."


def test_jobs_wait_for_a_read_only_disk_and_are_done_by_themselves_afterwards(
    open_memory: Open,
) -> None:
    with disk() as drive:
        memory = open_memory()
        memory.add("I live in Braga.", user_id="u", wait=True)
        memory.add("I live in Porto.", user_id="u")
        drive.write_protect(True)
        with pytest.raises(StoreError, match="readonly"):
            memory.flush()
        worker = open_memory(job_workers=1, job_backoff=0.0)
        drive.write_protect(True)  # the worker's connections, too
        worker._runner.notify()
        worker.search("Porto", user_id="u")
        assert {job.state for job in worker.jobs()} == {"done", "queued"}
        drive.write_protect(False)

        wait_for(lambda: {job.state for job in worker.jobs()} == {"done"}, "the job is done")

        (place,) = memory.list(user_id="u", layers=["L2"])
        chain = [version.content for version in place.evolution_chain or ()]
        assert chain == ["User lives in Porto.", "User lives in Braga."]


@pytest.mark.parametrize("write", [*WRITES, "delete", "restore", "purge", "delete_scope"])
def test_on_a_read_only_disk_nothing_changes_and_reads_go_on(write: str, open_memory: Open) -> None:
    writes: dict[str, Call] = {
        **WRITES,
        "delete": lambda memory, id_: memory.delete(id_, user_id="u"),
        "restore": lambda memory, id_: memory.restore(id_, user_id="u"),
        "purge": lambda memory, id_: memory.purge(id_, user_id="u"),
        "delete_scope": lambda memory, _: memory.delete_scope(user_id="u", confirm=True),
    }
    with disk() as drive:
        memory = open_memory()
        memory.add("I own a kayak.", user_id="u", wait=True)
        (item,) = memory.list(user_id="u")
        if write == "restore":
            memory.delete(item.memory_id, user_id="u")
        assert memory.flush() is True
        before = (contents(memory), turns(memory), memory.stats(user_id="u"))
        drive.write_protect(True)

        with pytest.raises(StoreError, match=r"readonly.*can be written"):
            writes[write](memory, item.memory_id)

        assert (contents(memory), turns(memory), memory.stats(user_id="u")) == before
        memory.search("kayak", user_id="u")
        drive.write_protect(False)

        writes[write](memory, item.memory_id)

        assert memory.flush() is True


_FILLS_THE_DISK = """
import json, resource, sys
from pathlib import Path
from dualmem_graph import SyncMemoryClient
from dualmem_graph.errors import StoreError
from dualmem_graph.testing import HashEmbeddings

store = Path(sys.argv[1])
memory = SyncMemoryClient(
    storage_dir=store, embeddings=HashEmbeddings(), exact_scan_limit=0, vector_apply_delay=0.0
)
stamps = lambda first: [{"content": f"User keeps stamp {n}."} for n in range(first, first + 50)]
memory.import_(stamps(0), user_id="u")
assert memory.flush(timeout=60)
# no file of this process can grow beyond what the largest has now: ledger, log and index
largest = max(path.stat().st_size for path in store.rglob("*") if path.is_file())
_, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
resource.setrlimit(resource.RLIMIT_FSIZE, (largest + 200_000, hard))
written, error = 50, ""
while not error and written < 20_000:
    try:
        memory.import_(stamps(written), user_id="u")
        written += 50
    except StoreError as refused:
        error = str(refused)
total = memory.list(user_id="u", limit=1).total
found = memory.search("User keeps stamp 33.", user_id="u", top_k=1)[0].content
resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
memory.import_(stamps(written), user_id="u")
flushed = memory.flush(timeout=60)
status = memory.status()["index"]
rules = memory._resources.store.check()
last = memory.search(f"User keeps stamp {written + 49}.", user_id="u", top_k=1)[0].content
after = memory.list(user_id="u", limit=1).total
memory.close()
print(json.dumps([error, total - written, found, flushed, status["lag"], rules,
                  last == f"User keeps stamp {written + 49}.", after - total]))
"""


def test_where_no_file_can_grow_any_more_nothing_is_lost_and_the_index_recovers(
    tmp_path: Path,
) -> None:
    """The limit holds for Chroma's files as well, in the middle of its writing."""
    child = subprocess.run(
        [sys.executable, "-c", _FILLS_THE_DISK, str(tmp_path / "store")],
        capture_output=True,
        text=True,
        timeout=180,
    )

    assert child.returncode == 0, child.stderr
    error, half, found, flushed, lag, rules, is_last_found, added = json.loads(child.stdout)
    assert "check that the disk has room" in error
    assert (half, found, added) == (0, "User keeps stamp 33.", 50)
    assert (flushed, lag, rules, is_last_found) == (True, 0, [], True)


GARBAGE: dict[str, Callable[[bytes], bytes]] = {
    "zeros": lambda whole: bytes(len(whole)),
    "noise": lambda whole: bytes((place * 7919 + 13) % 251 for place in range(len(whole))),
    "a text": lambda whole: b"This is no database.\n" * 500,
    "its first half": lambda whole: whole[: len(whole) // 2],
}


@pytest.mark.parametrize("kind", GARBAGE)
def test_a_ledger_that_is_none_is_refused_by_name_and_left_alone(
    kind: str, open_memory: Open, tmp_path: Path
) -> None:
    memory = open_memory()
    memory.import_(_MANY, user_id="u")
    memory.close()
    ledger = tmp_path / "store" / LEDGER_FILE
    whole = ledger.read_bytes()
    garbage = GARBAGE[kind](whole)
    ledger.write_bytes(garbage)

    with pytest.raises(StoreError, match=LEDGER_FILE):
        contents(open_memory(job_workers=1))

    assert ledger.read_bytes() == garbage
    ledger.write_bytes(whole)
    assert len(contents(open_memory())) == 200


def test_a_ledger_with_a_damaged_page_says_so_when_asked(open_memory: Open, tmp_path: Path) -> None:
    memory = open_memory()
    memory.import_(_MANY, user_id="u")
    memory.close()
    ledger = tmp_path / "store" / LEDGER_FILE
    whole = ledger.read_bytes()
    middle = len(whole) // 2 // 4096 * 4096
    ledger.write_bytes(whole[:middle] + b"\xff" * 8192 + whole[middle + 8192 :])

    memory = open_memory()
    try:
        damage = memory._resources.store.check()
    except StoreError as error:
        damage = [str(error)]
    memory.close()

    assert any("damaged" in line or "malformed" in line for line in damage), damage
    ledger.write_bytes(whole)
