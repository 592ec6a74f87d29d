"""The ledger's connections, and all that only SQLite or only PostgreSQL asks of them."""

from __future__ import annotations

import math
import os
import sqlite3
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Engine
from sqlalchemy.exc import ArgumentError

from dualmem_graph.config import Settings
from dualmem_graph.errors import ConfigError, DependencyError, StoreError, StoreLockedError

_BEGIN = "dualmem_begin"
# connections that stay open between uses; those beyond are closed when they come back
_KEPT = 8
_PRAGMAS = (
    "foreign_keys=ON",
    "trusted_schema=OFF",
    "secure_delete=ON",
    "temp_store=MEMORY",
    # the first read of a scope takes all of its vectors: read them where the system has them
    "mmap_size=268435456",
)
_DRIVER = "psycopg"
_SECRETS = ("password", "sslpassword", "passfile", "sslkey")
_WAYS = "use sqlite:///path/to/ledger.db or postgresql+psycopg://user@host/name"
# sqlstates: a lock was waited for too long; two transactions waited for each other
_TOO_LONG = "55P03"
_DEADLOCKED = ("40P01", "40001")
# what the server says to a new connection where it has as many as it takes
_FULL = ("too many clients", "too many connections", "connection slots are reserved")


class Connections:
    """The connections of one process: a pool, and a reader's and a writer's view of it.

    Raises:
        DependencyError: the driver of PostgreSQL is not installed.
    """

    def __init__(self, url: sa.URL, settings: Settings) -> None:
        self.pid = os.getpid()
        self._settings = settings
        self._name = show(url)
        self._writing = threading.Lock()
        self._writing_thread: int | None = None
        self.is_sqlite = url.get_backend_name() == "sqlite"
        if self.is_sqlite:
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
    def taking_turns(self) -> Iterator[None]:
        """Let one thread write at a time on SQLite, in the order in which they came.

        On PostgreSQL writers of one scope take turns at its row, and others need not.

        Raises:
            StoreLockedError: another thread wrote longer than ``lock_timeout``.
        """
        if not self.is_sqlite:
            yield
            return
        if not self._writing.acquire(timeout=self._settings.lock_timeout):
            raise self.locked()
        self._writing_thread = threading.get_ident()
        try:
            yield
        finally:
            self._writing_thread = None
            self._writing.release()

    @contextmanager
    def bare(self) -> Iterator[Callable[[str], list[Any]]]:
        """Lend a connection on which every statement commits by itself."""
        lent = self.engine.raw_connection()
        driver: Any = lent.driver_connection

        def run(sql: str) -> list[Any]:
            cursor = lent.cursor()
            cursor.execute(sql)
            rows: list[Any] = list(cursor.fetchall()) if cursor.description else []
            cursor.close()
            return rows

        try:
            if not self.is_sqlite:
                driver.autocommit = True
            yield run
        finally:
            if not self.is_sqlite and not driver.closed:
                driver.autocommit = False
            lent.close()

    def session(self) -> Connection:
        """Open a connection outside the pool, on which every statement commits by itself."""
        engine = sa.create_engine(
            self.engine.url, poolclass=sa.pool.NullPool, isolation_level="AUTOCOMMIT"
        )
        return engine.connect()

    def prepare_fork(self) -> Callable[[], None] | None:
        """Let a write of another thread end, and close the connections that nobody uses.

        Returns:
            What the parent has to call after the fork, if anything.
        """
        release = None
        if (
            self.is_sqlite
            and self._writing_thread != threading.get_ident()
            and self._writing.acquire(timeout=self._settings.lock_timeout)
        ):
            release = self._writing.release
        self.engine.dispose()
        return release

    def explain(self, cause: BaseException) -> StoreError:
        """Say in our words what a driver's error, or a pool without connections, means."""
        text = " ".join(str(cause).split())
        state = getattr(cause, "sqlstate", None)
        if isinstance(cause, sa.exc.TimeoutError):
            return StoreError(
                f"all {self._settings.ledger_connections} connections to the ledger {self._name} "
                f"were in use for more than {self._settings.lock_timeout:g} s; use fewer threads, "
                "or raise ledger_connections"
            )
        if self.is_sqlite:
            if "locked" in text:
                return self.locked()
            return StoreError(
                f"the ledger {self._name} could not do its work: {text}; check that the disk has "
                "room, that the file can be written and that it is a ledger"
            )
        if state == _TOO_LONG:
            return self.locked()
        if state in _DEADLOCKED:
            return StoreLockedError(
                f"two writers of the ledger {self._name} waited for each other, and nothing was "
                "written; try again"
            )
        if any(words in text for words in _FULL):
            return StoreError(
                f"the ledger {self._name} takes no more connections: {text}; end some, lower "
                "ledger_connections, or raise the server's max_connections"
            )
        if self._is_lost(cause, state):
            return StoreError(
                f"the ledger {self._name} cannot be reached: {text}; check that PostgreSQL runs "
                "there and that ledger_url is right, then try again"
            )
        return StoreError(
            f"the ledger {self._name} could not do its work: {text}; check that the server has "
            "room and that its user may create and change tables"
        )

    def locked(self) -> StoreLockedError:
        """The error of a writer that waited too long."""
        return StoreLockedError(
            f"another writer held the ledger {self._name} for more than "
            f"{self._settings.lock_timeout:g} s; try again, end that process, or raise lock_timeout"
        )

    def _is_lost(self, cause: BaseException, state: str | None) -> bool:
        """Whether there is no connection (any more): none was made, or the server ended it."""
        driver: Any = self.engine.dialect.loaded_dbapi
        is_operational = isinstance(cause, driver.OperationalError)
        # class 08: connection exceptions; 57P: the server is told to end, or was
        return is_operational and (state is None or state.startswith(("08", "57P")))


def read_url(target: str | Path) -> sa.URL:
    """Read the path of a SQLite file, or a URL of SQLite or PostgreSQL.

    >>> read_url("postgresql://me@db/memory").drivername
    'postgresql+psycopg'

    Raises:
        ConfigError: it is of another database, or names nothing that outlives the process.
    """
    if isinstance(target, Path) or "://" not in target:
        return sa.URL.create("sqlite", database=str(Path(target).expanduser()))
    try:
        url = sa.make_url(target)
    except (ArgumentError, ValueError):
        scheme = target.partition("://")[0]
        raise ConfigError(
            f"ledger_url ({scheme!r}) cannot be read: its port must be a number, and special "
            f"characters of user and password must be percent-encoded; {_WAYS}"
        ) from None
    backend, _, driver = url.drivername.partition("+")
    if backend == "postgresql" and driver in ("", _DRIVER):
        return url.set(drivername=f"postgresql+{_DRIVER}")
    if backend != "sqlite" or driver not in ("", "pysqlite"):
        raise ConfigError(f"ledger_url {show(url)!r} is neither SQLite nor PostgreSQL; {_WAYS}")
    if url.database in (None, "", ":memory:"):
        raise ConfigError(
            f"ledger_url {target!r} names no file; a ledger must outlive the process, so use "
            "sqlite:///path/to/ledger.db"
        )
    return url


def show(url: sa.URL) -> str:
    """Write a URL (or the path of a file) for people, without what is secret in it."""
    if url.get_backend_name() == "sqlite":
        return str(url.database)
    shown = url.difference_update_query(_SECRETS).render_as_string(hide_password=True)
    return shown


def make_private(path: Path) -> None:
    """Make directory and file readable by their owner alone; the log beside it follows suit.

    Raises:
        StoreError: they cannot be written.
    """
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
    except OSError as error:
        raise StoreError(
            f"cannot write the ledger {path}: {error.strerror}; set storage_dir to a directory "
            "that you may write"
        ) from error


def _pool(settings: Settings) -> dict[str, Any]:
    kept = min(_KEPT, settings.ledger_connections)
    return {
        "pool_size": kept,
        "max_overflow": settings.ledger_connections - kept,
        "pool_timeout": settings.lock_timeout,
    }


def _sqlite_engine(url: sa.URL, settings: Settings) -> Engine:
    engine = sa.create_engine(
        url,
        connect_args={"timeout": settings.lock_timeout, "check_same_thread": False},
        **_pool(settings),
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
    given = url.query.get("options", "")
    options = given if isinstance(given, str) else " ".join(given)
    arguments: dict[str, Any] = {
        "options": f"{options} -c lock_timeout={int(settings.lock_timeout * 1000)}".strip()
    }
    if "connect_timeout" not in url.query:
        # without one, an address where nobody answers is waited for for minutes
        arguments["connect_timeout"] = max(2, math.ceil(settings.lock_timeout))
    try:
        # a connection is tried before it is lent: the server may have been restarted since
        return sa.create_engine(url, connect_args=arguments, pool_pre_ping=True, **_pool(settings))
    except ImportError as error:
        raise DependencyError(
            f"the ledger {show(url)} needs the driver {_DRIVER}, which cannot be imported "
            f"({error}); pip install 'dualmem-graph[postgres]'"
        ) from error
