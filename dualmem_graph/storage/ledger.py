"""The ledger: one SQL database that holds the truth, and how this process talks to it.

SQLite in write-ahead mode by default, PostgreSQL by URL. Everything that only one of the two
understands is here or in :mod:`dualmem_graph.storage.fulltext`.
"""

from __future__ import annotations

import os
import sqlite3
import sys
import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Engine
from sqlalchemy.exc import DBAPIError

from dualmem_graph.config import Settings
from dualmem_graph.errors import (
    ClosedError,
    ConfigError,
    DependencyError,
    StoreError,
    StoreLockedError,
)
from dualmem_graph.storage import schema
from dualmem_graph.storage.prepared import upsert

LEDGER_FILE = "ledger.db"
_BEGIN = "dualmem_begin"
# connections that may be open at once; a reader more waits for one to come back
_POOL_SIZE = 8
_POOL_OVERFLOW = 24
# reset_on_return and the pool need no "are you alive" query: a file does not hang up
_PRAGMAS = (
    "foreign_keys=ON",
    "trusted_schema=OFF",
    "secure_delete=ON",
    "temp_store=MEMORY",
    # the first read of a scope takes all of its vectors: read them where the system has them
    "mmap_size=268435456",
)

# what the drivers say where another writer was in the way
_LOCKED = ("locked", "lock timeout", "deadlock detected", "could not serialize")

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
        self.url = _to_url(target)
        self.dialect = self.url.get_backend_name()
        self.path = Path(str(self.url.database)) if self.dialect == "sqlite" else None
        self.settings = settings
        self._guard = threading.Lock()
        self._connections: _Connections | None = None
        self._abandoned: list[_Connections] = []
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

        SQLite has one writer at a time. On PostgreSQL writers of one scope take turns by its row,
        and writers of different scopes do not meet.

        Raises:
            StoreLockedError: another thread or process wrote longer than ``lock_timeout``.
            StoreError: the database refused (disk full, read-only, damaged).
        """
        connections = self._connected()
        if connections.writing is None:
            with self._translated(connections), connections.writer.begin() as conn:
                yield conn
            return
        if not connections.writing.acquire(timeout=self.settings.lock_timeout):
            raise self._locked()
        connections.writing_thread = threading.get_ident()
        try:
            with self._translated(connections), connections.writer.begin() as conn:
                yield conn
        finally:
            connections.writing_thread = None
            connections.writing.release()

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """See one consistent snapshot; what is read does not change within the block."""
        connections = self._connected()
        with self._translated(connections), connections.reader.begin() as conn:
            yield conn

    @contextmanager
    def outside_transactions(self) -> Iterator[Callable[[str], list[Any]]]:
        """Run statements that no transaction may hold, such as VACUUM; no other thread writes.

        Yields:
            What executes a statement and answers its rows.
        """
        connections = self._connected()
        writing = connections.writing or nullcontext()
        with writing, self._translated(connections), connections.bare() as run:
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
            engine = sa.create_engine(
                self.url, poolclass=sa.pool.NullPool, isolation_level="AUTOCOMMIT"
            )
            return engine.connect()

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
        release = None
        writing = connections.writing
        is_mine = connections.writing_thread == threading.get_ident()
        waits = writing is not None and not is_mine
        if writing and waits and writing.acquire(timeout=self.settings.lock_timeout):
            release = writing.release
        connections.engine.dispose()
        return release

    def __str__(self) -> str:
        return str(self.path or self.url.render_as_string(hide_password=True))

    def _connected(self) -> _Connections:
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

    def _leave_to_parent(self, connections: _Connections) -> None:
        # In a forked child: the parent's connections must be neither used nor closed here (SQLite
        # would drop locks of a file that is still open), and its locks may be held by nobody.
        self._guard = threading.Lock()
        self._abandoned.append(connections)
        self._connections = None

    def _connect(self) -> _Connections:
        from dualmem_graph.storage import migrations

        if self.path is not None:
            _make_private(self.path)
        connections = _Connections(self.url, self.settings)
        try:
            with self._translated(connections):
                migrations.bring_up_to_date(connections.reader, connections.writer, self)
        except BaseException:
            connections.engine.dispose()
            raise
        return connections

    @contextmanager
    def _translated(self, connections: _Connections) -> Iterator[None]:
        try:
            yield
        except (DBAPIError, connections.driver_error) as error:
            cause = error.orig if isinstance(error, DBAPIError) else error
            if any(sign in str(cause) for sign in _LOCKED):
                raise self._locked() from cause
            raise StoreError(
                f"the ledger {self} could not do its work: {cause}; check that the disk has "
                "room, that the file can be written and that it is a ledger"
            ) from cause

    def _locked(self) -> StoreLockedError:
        return StoreLockedError(
            f"another writer held the ledger {self} for more than "
            f"{self.settings.lock_timeout:g} s; try again, end that process, or raise lock_timeout"
        )


class _Connections:
    """The connections of one process: a pool, a reader's and a writer's view of it, a lock."""

    def __init__(self, url: sa.URL, settings: Settings) -> None:
        self.pid = os.getpid()
        # SQLite's own lock is taken in no order and polled: threads of a process take turns before
        self.writing: threading.Lock | None = None
        self.writing_thread: int | None = None
        if url.get_backend_name() == "sqlite":
            self.writing = threading.Lock()
            self.engine = _sqlite_engine(url, settings)
            self.writer: Engine = self.engine.execution_options(**{_BEGIN: "BEGIN IMMEDIATE"})
            self.reader: Engine = self.engine.execution_options(**{_BEGIN: "BEGIN"})
        else:
            self.engine = _postgresql_engine(url, settings)
            self.writer = self.engine
            self.reader = self.engine.execution_options(isolation_level="REPEATABLE READ")
        # what the driver raises beneath SQLAlchemy's own errors
        driver: Any = self.engine.dialect.loaded_dbapi
        self.driver_error: type[Exception] = driver.Error
        self.integrity_error: type[Exception] = driver.IntegrityError

    @contextmanager
    def bare(self) -> Iterator[Callable[[str], list[Any]]]:
        """Lend a connection on which every statement commits by itself."""
        lent = self.engine.raw_connection()
        driver: Any = lent.driver_connection
        is_postgresql = self.engine.dialect.name == "postgresql"

        def run(sql: str) -> list[Any]:
            cursor = lent.cursor()
            cursor.execute(sql)
            rows: list[Any] = list(cursor.fetchall()) if cursor.description else []
            cursor.close()
            return rows

        try:
            if is_postgresql:
                driver.autocommit = True
            yield run
        finally:
            if is_postgresql:
                driver.autocommit = False
            lent.close()


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


_META = sa.select(schema.meta.c.value).where(schema.meta.c.key == sa.bindparam("key"))


def _to_url(target: str | Path) -> sa.URL:
    if isinstance(target, Path) or "://" not in target:
        return sa.URL.create("sqlite", database=str(Path(target).expanduser()))
    url = sa.make_url(target)
    if url.get_backend_name() not in ("sqlite", "postgresql"):
        raise ConfigError(
            f"ledger_url {url.render_as_string(hide_password=True)!r} is neither SQLite nor "
            "PostgreSQL; use sqlite:///path/to/ledger.db or postgresql+psycopg://user@host/name"
        )
    if url.get_backend_name() == "sqlite" and url.database in (None, "", ":memory:"):
        raise ConfigError(
            f"ledger_url {target!r} names no file; a ledger must outlive the process, so use "
            "sqlite:///path/to/ledger.db"
        )
    return url


def _make_private(path: Path) -> None:
    """Make directory and file readable by their owner alone; the log beside it follows suit."""
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
    except OSError as error:
        raise StoreError(
            f"cannot write the ledger {path}: {error.strerror}; set storage_dir to a directory "
            "that you may write"
        ) from error


def _sqlite_engine(url: sa.URL, settings: Settings) -> Engine:
    engine = sa.create_engine(
        url,
        connect_args={"timeout": settings.lock_timeout, "check_same_thread": False},
        pool_size=_POOL_SIZE,
        max_overflow=_POOL_OVERFLOW,
        pool_timeout=settings.lock_timeout,
    )
    pragmas = [*_PRAGMAS, f"synchronous={settings.sqlite_synchronous}"]
    if sys.platform == "darwin":
        pragmas.append("fullfsync=ON")  # F_FULLFSYNC: a plain fsync does not reach the disk there

    @sa.event.listens_for(engine, "connect")
    def configure(connection: sqlite3.Connection, _record: Any) -> None:
        # the driver must not open transactions by itself: it knows only deferred ones
        connection.isolation_level = None
        for pragma in pragmas:
            connection.execute(f"PRAGMA {pragma}")

    @sa.event.listens_for(engine, "begin")
    def begin(conn: Connection) -> None:
        conn.exec_driver_sql(conn.get_execution_options().get(_BEGIN, "BEGIN"))

    return engine


def _postgresql_engine(url: sa.URL, settings: Settings) -> Engine:
    if url.get_driver_name() == "psycopg":
        require_psycopg()
    milliseconds = int(settings.lock_timeout * 1000)
    given = url.query.get("options", "")
    return sa.create_engine(
        url,
        # the URL's own options stay in force beside ours
        connect_args={"options": f"{given} -c lock_timeout={milliseconds}".strip()},
        pool_size=_POOL_SIZE,
        max_overflow=_POOL_OVERFLOW,
        pool_timeout=settings.lock_timeout,
        pool_pre_ping=True,
    )


def require_psycopg() -> None:
    """Import the driver of PostgreSQL, which is an extra.

    Raises:
        DependencyError: it is not installed; says how to.
    """
    try:
        import psycopg  # noqa: F401
    except ImportError as error:
        raise DependencyError(
            f"ledger_url names PostgreSQL, whose driver cannot be imported ({error}); install it "
            "with: pip install 'dualmem-graph[postgres]'"
        ) from error


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
