"""Copying a whole ledger into another one, of the same or of the other database.

Rows are copied in batches, each its own transaction, in the order of their keys, and what is copied
is looked up in the target: so a copy that was killed goes on where it stopped. At the end every
table is compared by number and checksum, and only then does the target become the store.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from dualmem_graph.errors import StoreError
from dualmem_graph.storage import schema
from dualmem_graph.storage.fulltext import rebuild
from dualmem_graph.storage.ledger import Ledger, read_meta, write_meta

Progress = Callable[[str, int, int], None]

#: Keys in the target's ``meta`` while the copy is under way: of which store, in which state.
_FROM_KEY, _STATE_KEY = "copying_from", "copying_state"
_BATCH = 1000
# what follows from the rest, or is of the place and not of the store
_NOT_COPIED = {"meta", "outbox", "vector_indexes", "new_vectors"}
_TABLES = [table for table in schema.metadata.sorted_tables if table.name not in _NOT_COPIED]
_SUM_BITS = 64


class Copying:
    """One copy of a ledger into another.

    Args:
        source: is only read.
        target: an empty ledger, or one that an earlier copy of the same source was begun in.
    """

    def __init__(self, source: Ledger, target: Ledger) -> None:
        self._source = source
        self._target = target

    def run(self, progress: Progress | None = None) -> dict[str, int]:
        """Copy, compare, and make the target the store; answers the rows of each table.

        Raises:
            StoreError: the target holds something else, the source was written to meanwhile, or
                the two differ at the end. The source is as it was; run it again.
        """
        tell = progress or (lambda *_: None)
        with self._source.read() as conn:  # one snapshot, whoever writes
            self._begin(conn)
            counts = {table.name: self._copy(conn, table, tell) for table in _TABLES}
            self._make_searchable()
            for table in _TABLES:
                self._compare(conn, table)
            state = _state_of(conn)
        with self._source.read() as conn:
            if _state_of(conn) != state:
                raise StoreError(
                    f"{self._source} was written to while it was copied; stop its writers and run "
                    "the migration again"
                )
            facts = {row.key: row.value for row in conn.execute(sa.select(schema.meta))}
        with self._target.write() as conn:
            conn.execute(sa.delete(schema.meta).where(schema.meta.c.key.in_([_FROM_KEY])))
            conn.execute(sa.delete(schema.meta).where(schema.meta.c.key.in_([_STATE_KEY])))
            for key, value in facts.items():
                write_meta(conn, key, value)
        return counts

    def _begin(self, source: Connection) -> None:
        """Mark the target as under way; what an older state of the source left there goes."""
        store, state = str(read_meta(source, "store_id")), _state_of(source)
        with self._target.write() as conn:
            begun = read_meta(conn, _FROM_KEY)
            is_empty = all(_count(conn, table) == 0 for table in _TABLES)
            if read_meta(conn, "store_id") == store:
                raise StoreError(
                    f"{self._target} is this very store already; open it with ledger_url, or "
                    "name an empty database"
                )
            if begun != store and not is_empty:
                raise StoreError(
                    f"{self._target} holds another store; name an empty database, or empty this "
                    "one first"
                )
            if read_meta(conn, _STATE_KEY) != state:
                conn.execute(sa.text(f"DELETE FROM {schema.FULL_TEXT_TABLE}"))
                for table in reversed(_TABLES):
                    conn.execute(sa.delete(table))
            write_meta(conn, _FROM_KEY, store)
            write_meta(conn, _STATE_KEY, state)

    def _copy(self, source: Connection, table: sa.Table, tell: Progress) -> int:
        total = _count(source, table)
        place = _place_of(table)
        statement = sa.select(table).order_by(*(place,) if place is not None else ())
        done = 0
        with self._target.write() as conn:
            if place is None:
                conn.execute(sa.delete(table))
            elif (last := conn.execute(sa.select(sa.func.max(place))).scalar_one()) is not None:
                statement = statement.where(place > last)
                done = _count(conn, table)
        for batch in _in_batches(source, statement):
            with self._target.write() as conn:
                conn.execute(sa.insert(table), batch)
            done += len(batch)
            tell(table.name, done, total)
        if place is not None and self._target.dialect == "postgresql":
            self._move_sequence(table, place)
        return total

    def _move_sequence(self, table: sa.Table, place: sa.Column[Any]) -> None:
        """Let the database number new rows behind those that came with a number."""
        with self._target.write() as conn:
            last = conn.execute(sa.select(sa.func.max(place))).scalar_one()
            if last is not None:
                name = sa.func.pg_get_serial_sequence(table.name, place.name)
                conn.execute(sa.select(sa.func.setval(name, last)))

    def _make_searchable(self) -> None:
        with self._target.write() as conn:
            rebuild(conn)

    def _compare(self, source: Connection, table: sa.Table) -> None:
        with self._target.read() as conn:
            here, there = _checksum(source, table), _checksum(conn, table)
        if here != there:
            raise StoreError(
                f"table {table.name!r} differs after the copy: {here[0]} rows with checksum "
                f"{here[1]:016x} in {self._source}, {there[0]} with {there[1]:016x} in "
                f"{self._target}; empty the target and run the migration again"
            )


def _state_of(conn: Connection) -> str:
    """What changes with everything that is written."""
    revisions = conn.execute(sa.select(sa.func.sum(schema.scopes.c.revision))).scalar_one()
    events = conn.execute(sa.select(sa.func.max(schema.history.c.id))).scalar_one()
    erasures = read_meta(conn, "erasures")
    done = conn.execute(sa.select(sa.func.max(schema.jobs.c.finished_at))).scalar_one()
    return f"{revisions} {events} {erasures} {done}"


def _place_of(table: sa.Table) -> sa.Column[Any] | None:
    """The number that rows of a table are kept under, in the order of arrival, if they are."""
    keys = list(table.primary_key.columns)
    is_numbered = len(keys) == 1 and isinstance(keys[0].type, sa.Integer)
    return keys[0] if is_numbered else None


def _count(conn: Connection, table: sa.Table) -> int:
    return int(conn.execute(sa.select(sa.func.count()).select_from(table)).scalar_one())


def _in_batches(conn: Connection, statement: sa.Select[Any]) -> Iterator[list[dict[str, Any]]]:
    stream = conn.execute(statement, execution_options={"stream_results": True})
    for part in stream.mappings().partitions(_BATCH):
        yield [dict(row) for row in part]


def _checksum(conn: Connection, table: sa.Table) -> tuple[int, int]:
    """The number of rows, and a sum over them that their order does not matter to."""
    rows = total = 0
    for batch in _in_batches(conn, sa.select(table)):
        for row in batch:
            told = json.dumps([_canonical(value) for value in row.values()], sort_keys=True)
            digest = hashlib.blake2b(told.encode(), digest_size=_SUM_BITS // 8).digest()
            total = (total + int.from_bytes(digest)) % (1 << _SUM_BITS)
        rows += len(batch)
    return rows, total


def _canonical(value: Any) -> Any:
    """A value as both databases give it back."""
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, bytes | memoryview):
        return hashlib.blake2b(value, digest_size=16).hexdigest()
    return value
