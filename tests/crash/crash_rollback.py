"""A power cut: what Chroma wrote and never synced is rolled back, what SQLite synced is kept.

The index files of an earlier moment are kept aside, the child goes on writing, and then some of
the old files are put in place of the new ones. The store must end with a right index, rebuilt or
not, and never with vectors silently missing.
"""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Callable
from pathlib import Path

from crash_child import Child, index_files, let_chroma_write_early
from crash_log import Call, Log
from crash_work import Embedder, open_memory, user_of

_PATIENCE = 90.0
_BEFORE, _AFTER = 60, 60

Undo = Callable[[Path, Path], None]


def _all_old(old: Path, new: Path) -> None:
    _put_back(old, new, "*")


def _folder_lost(_: Path, new: Path) -> None:
    shutil.rmtree(new)


def _bin_old(old: Path, new: Path) -> None:
    _put_back(old, new, "*.bin")


def _pickle_old(old: Path, new: Path) -> None:
    _put_back(old, new, "*.pickle")


def _pickle_empty(_: Path, new: Path) -> None:
    for path in new.glob("*.pickle"):
        path.write_bytes(b"")


def _links_old(old: Path, new: Path) -> None:
    _put_back(old, new, "link_lists.bin")


def _data_zeroed(_: Path, new: Path) -> None:
    path = new / "data_level0.bin"
    path.write_bytes(b"\x00" * path.stat().st_size)


VARIANTS: dict[str, Undo] = {
    "all files old": _all_old,
    "folder lost": _folder_lost,
    ".bin old, pickle new": _bin_old,
    "pickle old, .bin new": _pickle_old,
    "pickle empty": _pickle_empty,
    "links old": _links_old,
    "data zeroed": _data_zeroed,
}


def _put_back(old: Path, new: Path, pattern: str) -> None:
    for path in old.glob(pattern):
        shutil.copy2(path, new / path.name)


def cut_power(directory: Path, variant: str, *, closes: bool, number: int) -> None:
    """Write, keep the index files, write more, end, and put files back.

    Args:
        directory: the store and the log of what was acknowledged are made in it.
        variant: one of :data:`VARIANTS`.
        closes: close in order before the power fails; else end by a kill.
        number: makes the texts unique.

    Raises:
        AssertionError: the child did not end as it should.
    """
    store, kept, log = directory / "store", directory / "kept", directory / "001.log"

    def work() -> None:
        let_chroma_write_early()
        memory = open_memory(store, Embedder(), job_workers=0)
        said = Log(log)

        def add(first: int, count: int) -> None:
            texts = [f"User keeps stamp {number}." for number in range(first, first + count)]
            call = Call(first, "import_", user_of(0), dict.fromkeys(texts, "ACTIVE"))
            said.begin(call)
            memory.import_([{"content": text} for text in texts], user_id=user_of(0))
            said.acknowledge(call.number)
            if not memory.flush(timeout=_PATIENCE):
                said.wrong("flush() left work undone")

        add(number * 1000, _BEFORE)
        # the moment that the disk remembers
        for folder in _segments(store):
            shutil.copytree(folder, kept / folder.name)
        add(number * 1000 + _BEFORE, _AFTER)
        if closes:
            memory.close()
        else:
            os.kill(os.getpid(), signal.SIGKILL)

    child = Child(work, directory / "001.err")
    if not child.ends_within(_PATIENCE) or child.status() != (0 if closes else -signal.SIGKILL):
        raise AssertionError(f"the store could not be prepared: {child.said()}")
    before = _contents(store)
    for old in sorted(kept.iterdir()):
        for new in _segments(store):
            if new.name == old.name:
                VARIANTS[variant](old, new)
    if _contents(store) == before:
        raise AssertionError(f"the power cut {variant!r} took nothing away")


def _contents(store: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in index_files(store)}


def _segments(store: Path) -> list[Path]:
    """The folders that Chroma keeps its index files in."""
    return sorted({path.parent for path in index_files(store)})
