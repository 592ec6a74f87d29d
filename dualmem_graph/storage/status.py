"""What a store can say of itself, and the record of what its models cost."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from dualmem_graph.scope import scope_hash
from dualmem_graph.storage import schema
from dualmem_graph.storage.ledger import Ledger, read_meta
from dualmem_graph.storage.scope_cache import EMBEDDER_KEY
from dualmem_graph.types import Scope, Status

_nodes, _scopes, _jobs = schema.nodes, schema.scopes, schema.jobs
_USAGE = tuple(column.name for column in schema.usage.c if column.name != "id")


def stats(conn: Connection, scope: Scope | None) -> dict[str, Any]:
    """Count nodes by layer and status, edges by kind, jobs by state, and what waits."""
    return {
        "scopes": _count(conn, _scopes, None, _scopes.c.app_id != "") if scope is None else 1,
        "nodes": _count(conn, _nodes, scope),
        "by_layer": _group(conn, _nodes.c.layer, scope),
        "by_status": _group(conn, _nodes.c.status, scope),
        "edges": _group(conn, schema.edges.c.kind, scope),
        "jobs": _group(conn, _jobs.c.state, scope),
        "pending_embeddings": _count(
            conn, _nodes, scope, _nodes.c.embedding.is_(None), _nodes.c.status != str(Status.SHADOW)
        ),
        "pending_index": _count(conn, schema.outbox, scope),
    }


def describe(ledger: Ledger) -> dict[str, Any]:
    """Say where the ledger is, how large, of which versions and of which embedder."""
    with ledger.read() as conn:
        found = {
            "ledger": str(ledger),
            "dialect": ledger.dialect,
            "schema_version": schema.SCHEMA_VERSION,
            "store_id": read_meta(conn, "store_id"),
            "tokenizer_version": read_meta(conn, "tokenizer_version"),
            "embedder": read_meta(conn, EMBEDDER_KEY),
        }
    if ledger.path is not None:
        beside = ledger.path.parent.glob(f"{ledger.path.name}*")
        found["bytes"] = sum(file.stat().st_size for file in beside)
    return found


def job_counts(ledger: Ledger) -> dict[str, int]:
    """Count jobs by state."""
    with ledger.read() as conn:
        return _group(conn, _jobs.c.state, None)


def record_usage(conn: Connection, events: Sequence[Any]) -> None:
    """Write usage events, whose attributes are named like the columns."""
    rows = [{name: getattr(event, name) for name in _USAGE} for event in events]
    conn.execute(sa.insert(schema.usage), rows)


def _count(
    conn: Connection, table: sa.Table, scope: Scope | None, *wanted: sa.ColumnElement[bool]
) -> int:
    statement = sa.select(sa.func.count()).select_from(table).where(*wanted)
    return int(conn.execute(_of(statement, table, scope)).scalar_one())


def _group(conn: Connection, column: sa.Column[Any], scope: Scope | None) -> dict[str, int]:
    statement = sa.select(column, sa.func.count()).group_by(column).order_by(column)
    return {
        str(value): int(count) for value, count in conn.execute(_of(statement, column.table, scope))
    }


def _of(statement: sa.Select[Any], table: sa.FromClause, scope: Scope | None) -> sa.Select[Any]:
    if scope is None:
        return statement
    own = sa.select(_scopes.c.id).where(_scopes.c.hash == scope_hash(scope))
    return statement.where(table.c.scope_id == own.scalar_subquery())
