"""Reads along the edges: chains upwards and downwards, evidence down to the turns."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from dualmem_graph.scope import scope_hash
from dualmem_graph.storage import schema
from dualmem_graph.storage.reads import GUARDED_BY_SCOPE, IDS, is_of_scope
from dualmem_graph.storage.records import NODE_COLUMNS, ChainLink, TurnEvidence, to_node
from dualmem_graph.storage.unit import batches
from dualmem_graph.types import EdgeKind, Layer, Node, Scope, Status, UpdateType

_nodes, _edges = schema.nodes, schema.edges

# evidence of evidence … of a turn: a schema of schemas of facts of turns is four deep
_MAX_EVIDENCE_DEPTH = 16
_MAX_CHAIN_DEPTH = 100_000


def head_of(conn: Connection, scope: Scope, id_: str) -> str | None:
    """Find the head of a node's chain; ``None`` for an absent node."""
    rows = conn.execute(_HEAD, {"hash": scope_hash(scope), "id": id_}).scalars().all()
    return rows[-1] if rows else None


def chains(conn: Connection, scope: Scope, ids: Iterable[str]) -> dict[str, list[ChainLink]]:
    """Read all earlier versions of each node, the one said last first."""
    found: dict[str, list[ChainLink]] = {id_: [] for id_ in ids}
    for batch in batches(list(found)):
        rows = conn.execute(_CHAINS, {"hash": scope_hash(scope), "ids": batch})
        for row in rows.mappings():
            kind = row["update_type"]
            found[row["root"]].append(ChainLink(to_node(row), UpdateType(kind) if kind else None))
    for links in found.values():
        links.sort(key=lambda link: _said(link.node), reverse=True)
    return found


def sources(conn: Connection, scope: Scope, ids: Iterable[str]) -> dict[str, list[TurnEvidence]]:
    """Read the turns that each node rests on, directly or not, oldest first."""
    found: dict[str, list[TurnEvidence]] = {id_: [] for id_ in ids}
    for batch in batches(list(found)):
        rows = conn.execute(_SOURCES, {"hash": scope_hash(scope), "ids": batch})
        for row in rows.mappings():
            turns = found[row["root"]]
            if all(turn.node.id != row["id"] for turn in turns):
                turns.append(TurnEvidence(to_node(row), row["quote"] or ""))
    for turns in found.values():
        turns.sort(key=lambda turn: turn.node.seq)
    return found


def derived_from(conn: Connection, scope: Scope, ids: Iterable[str]) -> dict[str, list[Node]]:
    """Read what rests directly on each node, oldest first."""
    found: dict[str, list[Node]] = {id_: [] for id_ in ids}
    for batch in batches(list(found)):
        rows = conn.execute(_DERIVED, {"hash": scope_hash(scope), "ids": batch})
        for row in rows.mappings():
            found[row["root"]].append(to_node(row))
    return found


def grounds(conn: Connection, scope: Scope, ids: Iterable[str]) -> dict[str, list[Node]]:
    """Read what each node rests on directly, oldest first."""
    found: dict[str, list[Node]] = {id_: [] for id_ in ids}
    for batch in batches(list(found)):
        rows = conn.execute(_GROUNDS, {"hash": scope_hash(scope), "ids": batch})
        for row in rows.mappings():
            found[row["root"]].append(to_node(row))
    return found


def _said(node: Node) -> tuple[datetime, int, int]:
    assert node.memory_at is not None
    return (node.memory_at, node.turn_index, node.seq)


def _one_step(here: str, there: str) -> sa.Select[Any]:
    """Nodes at one end of the evidence edges whose other end is one of ``ids``."""
    return (
        sa.select(*NODE_COLUMNS, _edges.c[here].label("root"))
        .join(_edges, _edges.c[there] == _nodes.c.id)
        .where(
            GUARDED_BY_SCOPE,
            is_of_scope(_edges),
            _edges.c.kind == str(EdgeKind.DERIVED_FROM),
            _edges.c[here].in_(IDS),
        )
        .order_by(_nodes.c.seq)
    )


_DERIVED = _one_step("dst", "src")
_GROUNDS = _one_step("src", "dst")


def _head_statement() -> sa.Select[Any]:
    """The node itself and its successors, one after the other."""
    walk = (
        sa.select(_nodes.c.id, sa.literal(0).label("depth"))
        .where(GUARDED_BY_SCOPE, _nodes.c.id == sa.bindparam("id"))
        .cte("walk", recursive=True)
    )
    walk = walk.union(
        sa.select(_edges.c.src, walk.c.depth + 1)
        .join(walk, walk.c.id == _edges.c.dst)
        .where(
            is_of_scope(_edges),
            _edges.c.kind == str(EdgeKind.SUPERSEDES),
            walk.c.depth < _MAX_CHAIN_DEPTH,
        )
    )
    return sa.select(walk.c.id).order_by(walk.c.depth)


def _walk_down(kind: EdgeKind, label: str, max_depth: int) -> sa.CTE:
    """Edges of one kind from the roots ``ids`` downwards: root, node, the edge's label, depth."""
    edge = (_edges.c.kind == str(kind), is_of_scope(_edges))
    walk = (
        sa.select(
            _edges.c.src.label("root"),
            _edges.c.dst.label("id"),
            _edges.c[label],
            sa.literal(1).label("depth"),
        )
        .where(*edge, _edges.c.src.in_(IDS))
        .cte("walk", recursive=True)
    )
    return walk.union(
        sa.select(walk.c.root, _edges.c.dst, _edges.c[label], walk.c.depth + 1)
        .join(walk, walk.c.id == _edges.c.src)
        .where(*edge, walk.c.depth < max_depth)
    )


_HEAD = _head_statement()
_chain = _walk_down(EdgeKind.SUPERSEDES, "update_type", _MAX_CHAIN_DEPTH)
_CHAINS = (
    sa.select(*NODE_COLUMNS, _chain.c.root, _chain.c.update_type)
    .join(_chain, _chain.c.id == _nodes.c.id)
    .where(GUARDED_BY_SCOPE)
)
_evidence = _walk_down(EdgeKind.DERIVED_FROM, "quote", _MAX_EVIDENCE_DEPTH)
_SOURCES = (
    sa.select(*NODE_COLUMNS, _evidence.c.root, _evidence.c.quote)
    .join(_evidence, _evidence.c.id == _nodes.c.id)
    .where(
        GUARDED_BY_SCOPE,
        _nodes.c.layer == str(Layer.RAW),
        _nodes.c.status != str(Status.SHADOW),
    )
    .order_by(_evidence.c.depth)
)
