"""Changing a store over to another embedder: beside the vectors in use, then all at once.

New vectors are gathered in ``new_vectors``, a batch in a transaction, so that a run that is killed
goes on where it stopped. Meanwhile everything is searched by the vectors there are. The switch is
one transaction, and happens only if no memory lacks a new vector by then.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from dualmem_graph.errors import EmbeddingMismatchError
from dualmem_graph.storage import schema
from dualmem_graph.storage.ledger import Ledger, write_meta
from dualmem_graph.storage.prepared import upsert
from dualmem_graph.storage.records import Vector, to_blob
from dualmem_graph.storage.scope_cache import EMBEDDER_KEY
from dualmem_graph.types import Status

_nodes, _new, _scopes = schema.nodes, schema.new_vectors, schema.scopes


class Waiting(NamedTuple):
    """A memory that has no new vector yet."""

    seq: int
    scope_id: int
    id: str
    rev: int
    content: str


def embedder_of(conn: Connection, *, for_writing: bool = False) -> str | None:
    """The fingerprint of the store's embedder; with ``for_writing`` no switch can pass it by.

    A switch changes this row first, so on PostgreSQL the two wait for each other; on SQLite there
    is one writer anyway.
    """
    statement = sa.select(schema.meta.c.value).where(schema.meta.c.key == EMBEDDER_KEY)
    if for_writing:
        statement = statement.with_for_update(read=True)
    found: str | None = conn.execute(statement).scalar_one_or_none()
    return found


def refuse_other(conn: Connection, fingerprint: str) -> None:
    """Make sure, within a write, that the store is still of this embedder.

    Raises:
        EmbeddingMismatchError: it was changed over to another one meanwhile; names both.
    """
    known = embedder_of(conn, for_writing=True)
    if known is not None and known != fingerprint:
        raise mismatch(known, fingerprint)


def mismatch(known: str, given: str) -> EmbeddingMismatchError:
    """Say which embedder the store is of, and which one was used."""
    return EmbeddingMismatchError(
        f"the store was written with embedder {known!r}, the configured one is {given!r}; "
        "configure the former, or re-embed the store: reembed(), or 'dual-mem reembed'"
    )


class Reembedding:
    """One change of a ledger from its embedder to another."""

    def __init__(self, ledger: Ledger, fingerprint: str) -> None:
        self._ledger = ledger
        self._fingerprint = fingerprint

    def prepare(self) -> tuple[str | None, int, int]:
        """Drop what was gathered for any other embedder.

        Returns:
            The store's embedder, how many memories have a new vector, and how many want one.
        """
        with self._ledger.write() as conn:
            conn.execute(sa.delete(_new).where(_new.c.fingerprint != self._fingerprint))
            return embedder_of(conn), *self._progress(conn)

    def progress(self) -> tuple[int, int]:
        """Count the memories that have a new vector, and all that want one."""
        with self._ledger.read() as conn:
            return self._progress(conn)

    def waiting(self, after: int, limit: int) -> list[Waiting]:
        """Read memories without a new vector, in the order of arrival, behind a place in it."""
        statement = (
            sa.select(_nodes.c.seq, _nodes.c.scope_id, _nodes.c.id, _nodes.c.rev, _nodes.c.content)
            .where(_nodes.c.seq > after, *_WANTED, ~_has_new(self._fingerprint))
            .order_by(_nodes.c.seq)
            .limit(limit)
        )
        with self._ledger.read() as conn:
            return [Waiting(*row) for row in conn.execute(statement)]

    def keep(self, waiting: Sequence[Waiting], vectors: Sequence[Vector]) -> None:
        """Keep new vectors, but not of what was changed, blanked or purged since it was read."""
        blobs = {
            (item.id, item.rev): to_blob(vector, self._fingerprint)
            for item, vector in zip(waiting, vectors, strict=True)
        }
        own = sorted({item.scope_id for item in waiting})
        with self._ledger.write() as conn:
            # as every writer does first: a purge of these memories waits, or is over
            conn.execute(
                sa.select(_scopes.c.id)
                .where(_scopes.c.id.in_(own))
                .order_by(_scopes.c.id)
                .with_for_update()
            ).all()
            there = conn.execute(
                sa.select(_nodes.c.id, _nodes.c.rev, _nodes.c.scope_id).where(
                    _nodes.c.id.in_([item.id for item in waiting])
                )
            )
            rows = [
                {
                    "node_id": row.id,
                    "scope_id": row.scope_id,
                    "fingerprint": self._fingerprint,
                    "embedding": blobs[row.id, row.rev],
                }
                for row in there
                if (row.id, row.rev) in blobs
            ]
            if rows:
                statement = upsert(conn.dialect.name, _new)
                replaced = {n: statement.excluded[n] for n in ("fingerprint", "embedding")}
                conn.execute(
                    statement.on_conflict_do_update(index_elements=["node_id"], set_=replaced), rows
                )

    def switch(self, before: str | None) -> bool:
        """Put all new vectors in the place of the old ones.

        Returns:
            False where memories were written since that have none; gather theirs and try again.

        Raises:
            EmbeddingMismatchError: the store is not of the embedder ``before`` any more.
        """
        with self._ledger.write() as conn:
            # rows in the order in which every writer takes them: its scope, then the embedder;
            # from there on no other writer gets past it (see embedder_of)
            conn.execute(sa.update(_scopes).values(revision=_scopes.c.revision + 1))
            known = embedder_of(conn)
            if known != before:
                raise mismatch(str(known), str(before))
            write_meta(conn, EMBEDDER_KEY, self._fingerprint)
            done, wanted = self._progress(conn)
            if done < wanted:
                conn.rollback()
                return False
            conn.execute(_TAKE_OVER, {"fingerprint": self._fingerprint})
            conn.execute(sa.delete(_new))
            # the index is built anew: what waits for the old one is in the nodes by then
            conn.execute(sa.update(schema.vector_indexes).values(clean=False))
            conn.execute(sa.delete(schema.outbox))
        return True

    def _progress(self, conn: Connection) -> tuple[int, int]:
        wanted = sa.select(sa.func.count()).select_from(_nodes).where(*_WANTED)
        done = wanted.where(_has_new(self._fingerprint))
        return conn.execute(done).scalar_one(), conn.execute(wanted).scalar_one()


def _has_new(fingerprint: str) -> sa.ColumnElement[bool]:
    return sa.exists().where(_new.c.node_id == _nodes.c.id, _new.c.fingerprint == fingerprint)


#: All but what was deleted before it ever had a vector; a deleted one may be restored.
_WANTED = (sa.or_(_nodes.c.embedding.is_not(None), _nodes.c.status != str(Status.SHADOW)),)
_is_own = sa.and_(_new.c.node_id == _nodes.c.id, _new.c.fingerprint == sa.bindparam("fingerprint"))
_own_new = sa.select(_new.c.embedding).where(_is_own).scalar_subquery()
_own_revision = (
    sa.select(_scopes.c.revision).where(_scopes.c.id == _nodes.c.scope_id).scalar_subquery()
)
_TAKE_OVER = (
    sa.update(_nodes)
    .where(sa.exists().where(_is_own))
    .values(
        embedding=_own_new,
        fingerprint=sa.bindparam("fingerprint"),
        rev=_nodes.c.rev + 1,
        vid=sa.case(
            (
                _nodes.c.status == str(Status.ACTIVE),
                _nodes.c.id + ":" + sa.cast(_nodes.c.rev + 1, sa.Text),
            ),
            else_=sa.null(),
        ),
        changed=_own_revision,
    )
)
