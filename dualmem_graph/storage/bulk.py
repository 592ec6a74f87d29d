"""Writes of many rows: importing memories, and deleting all of one scope."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from dualmem_graph.errors import InputError
from dualmem_graph.scope import scope_hash
from dualmem_graph.storage import schema
from dualmem_graph.storage.fulltext import full_text_of
from dualmem_graph.storage.ledger import read_meta, write_meta
from dualmem_graph.storage.plans import apply
from dualmem_graph.storage.records import NewNode, Plan
from dualmem_graph.storage.scope_cache import ERASURES_KEY
from dualmem_graph.storage.unit import batches
from dualmem_graph.storage.writer import Writer
from dualmem_graph.types import Scope

_nodes, _scopes = schema.nodes, schema.scopes


def import_nodes(
    writer: Writer, scope: Scope, nodes: Iterable[NewNode], *, actor: str, batch: int
) -> dict[str, int]:
    """Write nodes as they come, a batch in a transaction; answers how many met which outcome."""
    if batch < 1:
        raise InputError(f"batch must be at least 1, got {batch!r}")
    counts: Counter[str] = Counter()
    waiting = iter(nodes)
    while some := list(islice(waiting, batch)):
        applied = apply(writer, scope, Plan(nodes=some), actor=actor, reason="import", adopts=True)
        counts.update(str(outcome.op) for outcome in applied.nodes)
    return dict(counts)


def delete_scope(writer: Writer, scope: Scope) -> dict[str, int]:
    """Delete all rows of one scope, and no other's; answers how many of each kind there were.

    The scope's own row stays without its names: the index has yet to drop the records that it
    leads to, and its revision must go on rising, since other processes remember it.
    """
    with writer.ledger.write() as conn:
        scope_id = conn.execute(
            sa.select(_scopes.c.id)
            .where(_scopes.c.hash == scope_hash(scope), _scopes.c.app_id == scope.app_id)
            .with_for_update()
        ).scalar_one_or_none()
        if scope_id is None:
            return dict.fromkeys(_COUNTED, 0)
        counts = _erase(conn, scope_id)
        conn.execute(
            sa.update(_scopes)
            .where(_scopes.c.id == scope_id)
            .values(
                app_id="",
                user_id=scope_hash(scope),
                revision=_scopes.c.revision + 1,
                documents=0,
                terms=0,
                created_at=writer.clock(),
            )
        )
        write_meta(conn, ERASURES_KEY, str(int(read_meta(conn, ERASURES_KEY) or 0) + 1))
    writer.on_outbox()
    return counts


def _erase(conn: Connection, scope_id: int) -> dict[str, int]:
    rows: Sequence[Any] = conn.execute(
        sa.select(_nodes.c.seq, _nodes.c.vid).where(_nodes.c.scope_id == scope_id)
    ).all()
    full_text = full_text_of(conn)
    for batch in batches([row.seq for row in rows]):
        full_text.remove(conn, batch)
    vids = [{"scope_id": scope_id, "vid": row.vid} for row in rows if row.vid is not None]
    if vids:
        conn.execute(sa.insert(schema.outbox), vids)
    return {
        name: conn.execute(sa.delete(table).where(table.c.scope_id == scope_id)).rowcount
        for name, table in _COUNTED.items()
    }


#: What a scope's rows are called in the answer; edges go before the nodes that they join.
_COUNTED = {
    "edges": schema.edges,
    "nodes": _nodes,
    "history": schema.history,
    "tombstones": schema.tombstones,
    "jobs": schema.jobs,
    "usage": schema.usage,
}
