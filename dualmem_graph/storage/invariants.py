"""What must hold of a ledger at every moment, as queries that find what breaks it.

Each query names the offenders in its first column; none returned means that the rule holds.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from dualmem_graph.storage import schema
from dualmem_graph.storage.records import SEARCHABLE
from dualmem_graph.types import EdgeKind, Layer, Status

_nodes, _edges, _scopes, _jobs = schema.nodes, schema.edges, schema.scopes, schema.jobs
# offenders of one rule that are named
_SHOWN = 20

_src, _dst = _nodes.alias("src"), _nodes.alias("dst")
_supersedes = _edges.c.kind == str(EdgeKind.SUPERSEDES)
_derives = _edges.c.kind == str(EdgeKind.DERIVED_FROM)
_both_ends = _edges.join(_src, _src.c.id == _edges.c.src).join(_dst, _dst.c.id == _edges.c.dst)
_has_successor = sa.exists().where(_edges.c.dst == _nodes.c.id, _supersedes)


class Rule(NamedTuple):
    """A sentence that is true of every offender, and the query that finds the first of them."""

    sentence: str
    offenders: sa.Select[Any]


def violations(conn: Connection) -> list[str]:
    """Check every rule; answers one sentence for each offender, at most 20 for a rule."""
    found = [f"{row[0]}: {rule.sentence}" for rule in RULES for row in conn.execute(rule.offenders)]
    return found + _DIALECT_CHECKS[conn.dialect.name](conn)


def _is_before(table: sa.FromClause, other: sa.FromClause) -> sa.ColumnElement[bool]:
    """Whether one version comes before another in the order of a chain, or is level with it."""
    return sa.or_(
        table.c.known_from < other.c.known_from,
        sa.and_(
            table.c.known_from == other.c.known_from,
            sa.or_(
                table.c.turn_index < other.c.turn_index,
                sa.and_(table.c.turn_index == other.c.turn_index, table.c.seq <= other.c.seq),
            ),
        ),
    )


def _unsupported() -> sa.Select[Any]:
    source, support = _nodes.alias("source"), _edges.alias("support")
    rests = sa.exists().where(_edges.c.src == _nodes.c.id, _derives)
    is_held_up = (
        sa.exists()
        .where(support.c.src == _nodes.c.id, support.c.kind == str(EdgeKind.DERIVED_FROM))
        .where(support.c.dst == source.c.id, source.c.status != str(Status.SHADOW))
    )
    return sa.select(_nodes.c.id).where(_nodes.c.status != str(Status.SHADOW), rests, ~is_held_up)


def _counts(column: str, total: Callable[[], sa.Select[Any]]) -> sa.Select[Any]:
    return sa.select(_scopes.c.hash).where(_scopes.c[column] != total().scalar_subquery())


def _documents_of_scope() -> sa.Select[Any]:
    return sa.select(sa.func.count()).where(
        _nodes.c.scope_id == _scopes.c.id, _nodes.c.status.in_([str(s) for s in SEARCHABLE])
    )


_RULES = (
    Rule(
        "an edge joins two scopes",
        sa.select(_edges.c.src)
        .select_from(_both_ends)
        .where(sa.or_(_src.c.scope_id != _edges.c.scope_id, _dst.c.scope_id != _edges.c.scope_id)),
    ),
    Rule(
        "an edge leads to a node that does not exist",
        sa.select(_edges.c.src)
        .select_from(
            _edges.outerjoin(_src, _src.c.id == _edges.c.src).outerjoin(
                _dst, _dst.c.id == _edges.c.dst
            )
        )
        .where(sa.or_(_src.c.id.is_(None), _dst.c.id.is_(None))),
    ),
    Rule(
        "supersedes a version that is not before it (rule 1: no cycle)",
        sa.select(_src.c.id).select_from(_both_ends).where(_supersedes, _is_before(_src, _dst)),
    ),
    Rule(
        "has two successors (rule 1: one head)",
        sa.select(_edges.c.dst)
        .where(_supersedes)
        .group_by(_edges.c.dst)
        .having(sa.func.count() > 1),
    ),
    Rule(
        "has a successor and is neither SUPERSEDED nor SHADOW (rule 2)",
        sa.select(_nodes.c.id).where(
            _has_successor,
            _nodes.c.status.not_in([str(Status.SUPERSEDED), str(Status.SHADOW)]),
        ),
    ),
    Rule(
        "is SUPERSEDED without a successor (rule 2)",
        sa.select(_nodes.c.id).where(~_has_successor, _nodes.c.status == str(Status.SUPERSEDED)),
    ),
    Rule(
        "is a raw turn in a chain",
        sa.select(_edges.c.src)
        .select_from(_both_ends)
        .where(
            _supersedes,
            sa.or_(_src.c.layer == str(Layer.RAW), _dst.c.layer == str(Layer.RAW)),
        ),
    ),
    Rule("rests on nothing that is live (rule 6)", _unsupported()),
    Rule(
        "is current and has an end, or is not and has none (rule 8)",
        sa.select(_nodes.c.id).where(
            (_nodes.c.status == str(Status.ACTIVE)) != _nodes.c.known_until.is_(None)
        ),
    ),
    Rule(
        "has no ADD in its history",
        sa.select(_nodes.c.id).where(
            ~sa.exists().where(
                schema.history.c.scope_id == _nodes.c.scope_id,
                schema.history.c.node_id == _nodes.c.id,
                schema.history.c.event == "ADD",
            )
        ),
    ),
    Rule(
        "has a history and does not exist",
        sa.select(schema.history.c.node_id)
        .where(
            ~sa.exists().where(_nodes.c.id == schema.history.c.node_id),
            schema.history.c.event != "PURGE",
        )
        .distinct(),
    ),
    Rule(
        "is in the vector index though not current, or the other way round",
        sa.select(_nodes.c.id).where(
            _nodes.c.vid.is_not(None)
            != sa.and_(_nodes.c.status == str(Status.ACTIVE), _nodes.c.embedding.is_not(None))
        ),
    ),
    Rule(
        "scope has another number of documents than its row says",
        _counts("documents", _documents_of_scope),
    ),
    Rule(
        "scope has two jobs running at once",
        sa.select(_scopes.c.hash)
        .join(_jobs, _jobs.c.scope_id == _scopes.c.id)
        # a job that its own enqueuer runs (no attempt yet) does not wait for the queue
        .where(_jobs.c.state == "running", _jobs.c.attempts > 0)
        .group_by(_scopes.c.hash)
        .having(sa.func.count() > 1),
    ),
)

#: All rules that both databases can check with the same query.
RULES = tuple(rule._replace(offenders=rule.offenders.limit(_SHOWN)) for rule in _RULES)


def _sqlite_checks(conn: Connection) -> list[str]:
    searchable = ", ".join(f"'{status}'" for status in SEARCHABLE)
    found = [
        f"{row[0]}: is not in full text, or is and must not be"
        for row in conn.exec_driver_sql(
            f"SELECT n.id FROM nodes n LEFT JOIN full_text f ON f.rowid = n.seq "
            f"WHERE (n.status IN ({searchable})) <> (f.rowid IS NOT NULL) LIMIT {_SHOWN}"
        )
    ]
    found += [
        f"{row[0]}: is the place of a text in full text that no node has"
        for row in conn.exec_driver_sql(
            "SELECT f.rowid FROM full_text f LEFT JOIN nodes n ON n.seq = f.rowid "
            f"WHERE n.seq IS NULL LIMIT {_SHOWN}"
        )
    ]
    damage = conn.exec_driver_sql("PRAGMA quick_check").scalar_one()
    return found if damage == "ok" else [*found, f"the file is damaged: {damage}"]


def _postgresql_checks(conn: Connection) -> list[str]:
    searchable = ", ".join(f"'{status}'" for status in SEARCHABLE)
    return [
        f"{row[0]}: is not in full text, or is and must not be"
        for row in conn.exec_driver_sql(
            "SELECT n.id FROM nodes n LEFT JOIN full_text f ON f.seq = n.seq "
            f"WHERE (n.status IN ({searchable})) <> (f.seq IS NOT NULL) LIMIT {_SHOWN}"
        )
    ]


_DIALECT_CHECKS = {"sqlite": _sqlite_checks, "postgresql": _postgresql_checks}
