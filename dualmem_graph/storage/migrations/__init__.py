"""The tables of the ledger: made at once where there are none, brought forward where they are old.

A fresh ledger is created at the newest version from :mod:`dualmem_graph.storage.schema` and
stamped; an older one is upgraded step by step with Alembic, which is imported only then.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING
from uuid import uuid4

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Engine

from dualmem_graph.errors import SchemaVersionError, StoreLockedError
from dualmem_graph.storage import schema

if TYPE_CHECKING:
    from dualmem_graph.storage.ledger import Ledger

#: The Alembic revision of :data:`dualmem_graph.storage.schema.SCHEMA_VERSION`.
HEAD = f"{schema.SCHEMA_VERSION:04d}"

_version = sa.Table(
    "alembic_version", sa.MetaData(), sa.Column("version_num", sa.String(32), primary_key=True)
)
# any number, the same in every process: two that open an empty PostgreSQL at once take turns
_ADVISORY_LOCK = 0x6D656D01


def bring_up_to_date(reader: Engine, writer: Engine, ledger: Ledger) -> None:
    """Create or upgrade the tables, unless they are of this version already.

    With nothing to do it only reads, so that opening never waits for a writer.

    Raises:
        SchemaVersionError: they are of a newer version.
    """
    with reader.connect() as conn:
        version = _read_version(conn)
    if version != HEAD:
        _refuse_newer(version, ledger)
        with _taking_turns(ledger):
            _create_or_upgrade(writer, ledger)
    _refresh_full_text(reader, writer)


def create(conn: Connection) -> None:
    """Make all tables, triggers and full text of the newest version in an empty database."""
    from dualmem_graph.storage.fulltext import full_text_of
    from dualmem_graph.storage.ledger import write_meta
    from dualmem_graph.storage.migrations.triggers import create_triggers
    from dualmem_graph.text.tokens import TOKENIZER_VERSION

    schema.metadata.create_all(conn, checkfirst=False)
    full_text_of(conn).create(conn)
    create_triggers(conn)
    write_meta(conn, "store_id", uuid4().hex)
    write_meta(conn, "tokenizer_version", TOKENIZER_VERSION)


def upgrade(conn: Connection) -> None:
    """Run the Alembic steps from the version that the database has to the newest."""
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", "dualmem_graph.storage:migrations")
    config.attributes["connection"] = conn
    command.upgrade(config, "head")


def _create_or_upgrade(engine: Engine, ledger: Ledger) -> None:
    if ledger.dialect == "sqlite":
        # a property of the file, which cannot change within a transaction
        raw = engine.raw_connection()
        try:
            raw.cursor().execute("PRAGMA journal_mode=WAL")
        finally:
            raw.close()
    with engine.begin() as conn:
        _be_alone(conn)
        version = _read_version(conn)
        if version is None:
            create(conn)
            _stamp(conn)
        elif version != HEAD:
            _refuse_newer(version, ledger)
            upgrade(conn)


def _read_version(conn: Connection) -> str | None:
    if not sa.inspect(conn).has_table(_version.name):
        return None
    version: str | None = conn.execute(sa.select(_version.c.version_num)).scalar_one_or_none()
    return version


def _stamp(conn: Connection) -> None:
    _version.create(conn)
    conn.execute(sa.insert(_version), {"version_num": HEAD})


def _refuse_newer(version: str | None, ledger: Ledger) -> None:
    if version is not None and (not version.isdecimal() or int(version) > schema.SCHEMA_VERSION):
        raise SchemaVersionError(
            f"the ledger {ledger} has schema version {version!r}, this package knows versions up "
            f"to {HEAD!r}; upgrade dualmem-graph, or use another storage_dir"
        )


def _be_alone(conn: Connection) -> None:
    """Wait until no other process creates, upgrades or indexes; on SQLite every writer is alone."""
    if conn.dialect.name == "postgresql":
        conn.execute(sa.select(sa.func.pg_advisory_xact_lock(_ADVISORY_LOCK)))


def _taking_turns(ledger: Ledger) -> AbstractContextManager[object]:
    if ledger.path is None:
        return nullcontext()
    from filelock import FileLock, Timeout

    lock = FileLock(ledger.path.with_name("ledger.lock"), ledger.settings.lock_timeout, mode=0o600)
    try:
        return lock.acquire()
    except Timeout:
        raise StoreLockedError(
            f"another process has been creating or upgrading {ledger} for more than "
            f"{ledger.settings.lock_timeout:g} s; wait for it, or raise lock_timeout"
        ) from None


def _refresh_full_text(reader: Engine, writer: Engine) -> None:
    """Index all texts again where another tokeniser did it."""
    from dualmem_graph.storage.fulltext import rebuild
    from dualmem_graph.storage.ledger import read_meta, write_meta
    from dualmem_graph.text.tokens import TOKENIZER_VERSION

    with reader.connect() as conn:
        if read_meta(conn, "tokenizer_version") == TOKENIZER_VERSION:
            return
    with writer.begin() as conn:
        _be_alone(conn)
        if read_meta(conn, "tokenizer_version") != TOKENIZER_VERSION:
            rebuild(conn)
            write_meta(conn, "tokenizer_version", TOKENIZER_VERSION)
