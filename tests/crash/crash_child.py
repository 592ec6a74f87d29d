"""Children that can be killed: forked from a process that imported everything and opened nothing.

That costs a few milliseconds, where a new interpreter would need two seconds for its imports. The
process that forks must have one thread only.
"""

from __future__ import annotations

import importlib
import logging
import os
import pkgutil
import select
import signal
import sys
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import dualmem_graph

_NOT_FOR_CHILDREN = (
    "dualmem_graph.cli",
    "dualmem_graph.demo",
    "dualmem_graph.storage.migrations.",
)
#: Records after which Chroma writes its index files, in trials that aim at it.
_SYNC_THRESHOLD = 20


def import_everything() -> None:
    """Import what children need, and be sure that forking is safe afterwards.

    Raises:
        RuntimeError: an import has started a thread.
    """
    for name in ("chromadb.api.rust", "sqlalchemy.dialects.sqlite"):
        importlib.import_module(name)
    for module in pkgutil.walk_packages(dualmem_graph.__path__, "dualmem_graph."):
        if not module.name.startswith(_NOT_FOR_CHILDREN):
            importlib.import_module(module.name)
    importlib.import_module("dualmem_graph.storage.migrations.triggers")
    threads = len(list(Path("/proc/self/task").iterdir()))
    if threads != 1:
        raise RuntimeError(f"{threads} threads after the imports; set OPENBLAS_NUM_THREADS=1")


class Child:
    """A forked process that calls a function and ends; what it says of errors goes to a file."""

    def __init__(self, target: Callable[[], None], errors: Path) -> None:
        self._errors = errors
        self._status: int | None = None
        sys.stdout.flush()
        self.pid = os.fork()
        if self.pid == 0:
            self._live(target)
        self._handle = os.pidfd_open(self.pid)

    def _live(self, target: Callable[[], None]) -> None:
        status = 1
        try:
            descriptor = os.open(self._errors, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
            os.dup2(descriptor, 2)
            os.dup2(descriptor, 1)
            logging.basicConfig(level=logging.INFO, format="%(asctime)s %(name)s %(message)s")
            target()
            status = 0
        except BaseException:  # noqa: BLE001  (nothing may leave the fork)
            traceback.print_exc()
        finally:
            sys.stderr.flush()
            os._exit(status)

    def ends_within(self, seconds: float) -> bool:
        """Wait for its end, at most so long."""
        if self._status is not None:
            return True
        poll = select.poll()
        poll.register(self._handle, select.POLLIN)
        if not poll.poll(seconds * 1000):
            return False
        _, status = os.waitpid(self.pid, 0)
        self._status = os.waitstatus_to_exitcode(status)
        os.close(self._handle)
        return True

    def signal(self, number: int) -> None:
        """Send it a signal; nothing happens where it has ended."""
        if self._status is None:
            signal.pidfd_send_signal(self._handle, number)

    def status(self) -> int | None:
        """Its exit status, negative for a signal; ``None`` while it lives."""
        return self._status

    def said(self) -> str:
        """The end of what it printed."""
        return self._errors.read_text(errors="replace")[-2000:] if self._errors.exists() else ""


def until_told() -> Callable[[], bool]:
    """Whether SIGTERM has come."""
    told: list[int] = []
    signal.signal(signal.SIGTERM, lambda number, _: told.append(number))
    return lambda: bool(told)


def let_chroma_write_early() -> None:
    """Make Chroma write its index files after a few records instead of a thousand."""
    from chromadb.api.client import Client

    original = Client.get_or_create_collection

    def create(self: Any, name: str, **options: Any) -> Any:
        hnsw = {"space": "cosine", "sync_threshold": _SYNC_THRESHOLD, "batch_size": 10}
        return original(self, name, **{**options, "configuration": {"hnsw": hnsw}})

    Client.get_or_create_collection = create  # type: ignore[method-assign]


def index_files(store: Path) -> Iterator[Path]:
    """The files that Chroma writes without syncing them."""
    for pattern in ("*.bin", "*.pickle"):
        yield from store.glob(f"index/gen-*/*/{pattern}")


def newest_index_write(store: Path) -> int:
    try:
        return max((path.stat().st_mtime_ns for path in index_files(store)), default=0)
    except FileNotFoundError:  # a generation is just being removed
        return 0
