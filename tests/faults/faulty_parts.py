"""Parts that fail when told to: an embedder, the disk beneath the ledger, a clock."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Engine

from dualmem_graph import SyncMemoryClient
from dualmem_graph.testing import HashEmbeddings

Open = Callable[..., SyncMemoryClient]

_PATIENCE = 60.0
# more pages than SQLite can have
_UNLIMITED = 4_294_967_294


class FlakyEmbeddings(HashEmbeddings):
    """Hashed embeddings of a service that can be down."""

    is_down = False

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Embed each text, unless it is down."""
        if self.is_down:
            raise ConnectionError("no such host")
        return super().embed_documents(texts)

    def embed_query(self, text: str) -> list[float]:
        """Embed one text, unless it is down."""
        if self.is_down:
            raise ConnectionError("no such host")
        return super().embed_query(text)


class MovableClock:
    """A clock that goes on by itself and is set to another time when told to."""

    def __init__(self) -> None:
        self.shift = timedelta(0)

    def __call__(self) -> datetime:
        """The time it shows."""
        return datetime.now(UTC) + self.shift


class Disk:
    """What the ledgers that are opened meanwhile are written to: it can be full, or read-only."""

    def __init__(self) -> None:
        self._connections: list[sqlite3.Connection] = []

    def fill(self) -> None:
        """From now on no ledger can grow."""
        for connection in self._connections:
            (pages,) = connection.execute("PRAGMA page_count").fetchone()
            connection.execute(f"PRAGMA max_page_count={pages}")

    def make_room(self) -> None:
        """There is room again."""
        for connection in self._connections:
            connection.execute(f"PRAGMA max_page_count={_UNLIMITED}")

    def write_protect(self, on: bool) -> None:
        """Refuse writes, as a file system does that was mounted again read-only."""
        for connection in self._connections:
            connection.execute(f"PRAGMA query_only={int(on)}")

    def _connected(self, connection: Any, _record: Any) -> None:
        self._connections.append(connection)

    def _closed(self, connection: Any, _record: Any) -> None:
        self._connections.remove(connection)


@contextmanager
def disk() -> Iterator[Disk]:
    """The disk of all ledgers that are opened within the block."""
    one = Disk()
    listeners = {"connect": one._connected, "close": one._closed}
    for name, listener in listeners.items():
        sa.event.listen(Engine, name, listener)
    try:
        yield one
    finally:
        for name, listener in listeners.items():
            sa.event.remove(Engine, name, listener)


def wait_for(condition: Callable[[], bool], what: str) -> None:
    """Wait until something holds.

    Raises:
        AssertionError: it did not within a minute.
    """
    deadline, tick = time.monotonic() + _PATIENCE, threading.Event()
    while not condition():
        assert time.monotonic() < deadline, f"it never came to pass: {what}"
        tick.wait(0.01)


def contents(memory: SyncMemoryClient, user: str = "u") -> list[str]:
    """All current memories of a user, oldest first; the words that were said excluded."""
    return [item.content for item in reversed(memory.list(user_id=user, limit=200))]


def turns(memory: SyncMemoryClient, user: str = "u") -> list[str]:
    """What a user said, oldest first."""
    said = memory.list(user_id=user, layers=["L1"], limit=200)
    return [item.content for item in reversed(said)]
