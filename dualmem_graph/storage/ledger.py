"""The ledger: one SQL database that holds the truth, and how this process talks to it.

SQLite in write-ahead mode by default, PostgreSQL by URL. What only one of the two understands is in
:mod:`dualmem_graph.storage.connections` and :mod:`dualmem_graph.storage.fulltext`.
"""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection
from sqlalchemy.exc import DBAPIError

from dualmem_graph.config import Settings
from dualmem_graph.errors import ClosedError
from dualmem_graph.storage import schema
from dualmem_graph.storage.connections import Connections, make_private, read_url, show
from dualmem_graph.storage.prepared import upsert

LEDGER_FILE = "ledger.db"

_open_ledgers: weakref.WeakSet[Ledger] = weakref.WeakSet()


class Ledger:
    """Connections to one ledger, opened on first use and safe to use from many threads.

    A forked child gets connections of its own. Transactions do not nest: a thread that asks for
    :meth:`write` within :meth:`write` waits for itself until the time-out.

    Args:
        target: the path of a SQLite file, or a SQLAlchemy URL.
        settings: ``lock_timeout`` and ``sqlite_synchronous`` are read here.

    Raises:
        ConfigError: the URL is of a database that is not supported.
    """

    def __init__(self, target: str | Path, settings: Settings) -> None:
        self.url = read_url(target)
        self.dialect = self.url.get_backend_name()
        self.path = Path(str(self.url.database)) if self.dialect == "sqlite" else None
        self.settings = settings
        self._guard = threading.Lock()
        self._connections: Connections | None = None
        self._abandoned: list[Connections] = []
        self._is_closed = False
        _open_ledgers.add(self)

    def open(self) -> None:
        """Connect and bring the tables to this version, if that has not happened yet.

        Raises:
            SchemaVersionError: a newer version of this package wrote it.
            StoreLockedError: another process held it too long.
            StoreError: the file cannot be opened, or is no ledger.
        """
        self._connected()

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """Hold a write transaction; commit at the end, roll back on any exception.

        On SQLite it is the only one; on PostgreSQL it sees what others commit meanwhile, and is
        alone with whatever row it locks first.

        Raises:
            StoreLockedError: another thread or process wrote longer than ``lock_timeout``, or
                waited for this one as this one for it.
            StoreError: the database refused (disk full, read-only, damaged), or is gone.
        """
        connections = self._connected()
        with (
            connections.taking_turns(),
            self._translated(connections),
            connections.writer.begin() as conn,
        ):
            yield conn

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """See one consistent snapshot; what is read does not change within the block."""
        connections = self._connected()
        with self._translated(connections), connections.reader.begin() as conn:
            yield conn

    @contextmanager
    def outside_transactions(self) -> Iterator[Callable[[str], list[Any]]]:
        """Run statements that no transaction may hold, such as VACUUM.

        On SQLite no other thread writes meanwhile.

        Yields:
            What executes a statement and answers its rows.
        """
        connections = self._connected()
        with (
            connections.taking_turns(),
            self._translated(connections),
            connections.bare() as run,
        ):
            yield run

    def meta(self, key: str) -> str | None:
        """Read a fact about the store itself."""
        with self.read() as conn:
            return read_meta(conn, key)

    def set_meta(self, key: str, value: str) -> None:
        """Write a fact about the store itself."""
        with self.write() as conn:
            write_meta(conn, key, value)

    def session(self) -> Connection:
        """Open a connection of the caller's own, outside the pool, which commits every statement.

        What a session holds in the database, such as an advisory lock, goes when it is closed.
        """
        connections = self._connected()
        with self._translated(connections):
            return connections.session()

    def close(self) -> None:
        """Let go of all connections; the ledger cannot be used after it."""
        with self._guard:
            self._is_closed = True
            connections, self._connections = self._connections, None
        if connections is not None:
            connections.engine.dispose()

    @property
    def integrity_error(self) -> type[Exception]:
        """What the driver raises where a constraint does not hold; the cause of a StoreError."""
        return self._connected().integrity_error

    def prepare_fork(self) -> Callable[[], None] | None:
        """Let a write of another thread end, and close the connections that nobody uses.

        Returns:
            What the parent has to call after the fork, if anything.
        """
        connections = self._connections
        if connections is None or connections.pid != os.getpid():
            return None
        return connections.prepare_fork()

    def __str__(self) -> str:
        return show(self.url)

    def _connected(self) -> Connections:
        connections = self._connections
        if connections is not None and connections.pid == os.getpid():
            return connections
        if connections is not None:
            self._leave_to_parent(connections)
        with self._guard:
            if self._is_closed:
                raise ClosedError(f"the ledger {self} was closed; open the store again")
            if self._connections is None:
                self._connections = self._connect()
            return self._connections

    def _leave_to_parent(self, connections: Connections) -> None:
        # In a forked child: the parent's connections must be neither used nor closed here (SQLite
        # would drop locks of a file that is still open), and its locks may be held by nobody.
        self._guard = threading.Lock()
        self._abandoned.append(connections)
        self._connections = None

    def _connect(self) -> Connections:
        from dualmem_graph.storage import migrations

        if self.path is not None:
            make_private(self.path)
        connections = Connections(self.url, self.settings)
        try:
            with self._translated(connections):
                migrations.bring_up_to_date(connections.reader, connections.writer, self)
        except BaseException:
            connections.engine.dispose()
            raise
        return connections

    @contextmanager
    def _translated(self, connections: Connections) -> Iterator[None]:
        try:
            yield
        except (DBAPIError, sa.exc.TimeoutError, connections.driver_error) as error:
            cause = error.orig if isinstance(error, DBAPIError) and error.orig else error
            raise connections.explain(cause) from cause


def read_meta(conn: Connection, key: str) -> str | None:
    """Read a fact about the store within a transaction."""
    value: str | None = conn.execute(_META, {"key": key}).scalar_one_or_none()
    return value


def write_meta(conn: Connection, key: str, value: str) -> None:
    """Write a fact about the store within a transaction."""
    insert = upsert(conn.dialect.name, schema.meta)
    conn.execute(
        insert.on_conflict_do_update(index_elements=["key"], set_={"value": insert.excluded.value}),
        {"key": key, "value": value},
    )


def claim_meta(conn: Connection, key: str, value: str) -> str:
    """Write a fact about the store unless there is one; answers the one that stands."""
    insert = upsert(conn.dialect.name, schema.meta).on_conflict_do_nothing()
    conn.execute(insert, {"key": key, "value": value})
    return read_meta(conn, key) or value


def count_meta(conn: Connection, key: str) -> None:
    """Raise a number among the facts about the store, whoever else raises it meanwhile."""
    insert = upsert(conn.dialect.name, schema.meta)
    higher = sa.cast(sa.cast(schema.meta.c.value, sa.BigInteger) + 1, sa.Text)
    conn.execute(
        insert.on_conflict_do_update(index_elements=["key"], set_={"value": higher}),
        {"key": key, "value": "1"},
    )


_META = sa.select(schema.meta.c.value).where(schema.meta.c.key == sa.bindparam("key"))


_after_fork: list[Callable[[], None]] = []


def _before_fork() -> None:
    # SQLite keeps its locks per process: a child that inherits an open handle, or a write under
    # way, would count locks as its own that it does not hold, or that nobody will let go
    prepared = [ledger.prepare_fork() for ledger in list(_open_ledgers)]
    _after_fork[:] = [release for release in prepared if release is not None]


def _in_parent() -> None:
    while _after_fork:
        _after_fork.pop()()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_parent=_in_parent)
