"""Every read of the store: SELECTs within one scope, which none of them can leave out.

The scope enters as its hash, inside the statement; an id of another scope is therefore simply not
found, and a scope that does not exist is empty.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

import numpy as np
import sqlalchemy as sa
from sqlalchemy.engine import Connection

from dualmem_graph.errors import InputError
from dualmem_graph.scope import scope_hash
from dualmem_graph.storage import schema
from dualmem_graph.storage.fulltext import full_text_of, rankable
from dualmem_graph.storage.records import (
    NODE_COLUMNS,
    ChainLink,
    LexicalHit,
    LexicalHits,
    NodePage,
    ScopeInfo,
    TurnEvidence,
    Vector,
    from_blob,
    to_node,
)
from dualmem_graph.storage.unit import batches
from dualmem_graph.types import (
    EdgeKind,
    HistoryEvent,
    Layer,
    Node,
    Scope,
    Status,
    UpdateType,
)

_nodes, _edges, _scopes, _history = schema.nodes, schema.edges, schema.scopes, schema.history

# evidence of evidence … of a turn: a schema of schemas of facts of turns is four deep
_MAX_EVIDENCE_DEPTH = 16
_MAX_CHAIN_DEPTH = 100_000


def scope_info(conn: Connection, scope: Scope) -> ScopeInfo | None:
    """Read a scope's row; ``None`` where nothing was ever stored, or all was deleted."""
    row = conn.execute(_SCOPE, {"hash": scope_hash(scope)}).one_or_none()
    return None if row is None else ScopeInfo(*row)


def list_scopes(conn: Connection, app_id: str | None) -> list[tuple[Scope, dict[str, int]]]:
    """List the scopes that hold anything, with how many nodes each layer has."""
    statement = _SCOPES if app_id is None else _SCOPES.where(_scopes.c.app_id == app_id)
    found: dict[Scope, dict[str, int]] = {}
    for row in conn.execute(statement):
        counts = found.setdefault(Scope(row.app_id, row.user_id), {})
        if row.layer is not None:
            counts[row.layer] = row.nodes
    return list(found.items())


def get_many(conn: Connection, scope: Scope, ids: Iterable[str]) -> dict[str, Node]:
    """Read nodes by id, whatever their status; absent ones are left out."""
    found: dict[str, Node] = {}
    for batch in batches(list(dict.fromkeys(ids))):
        rows = conn.execute(_BY_ID, {"hash": scope_hash(scope), "ids": batch})
        found.update((row["id"], to_node(row)) for row in rows.mappings())
    return found


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


def list_nodes(
    conn: Connection,
    scope: Scope,
    *,
    layers: Sequence[Layer] | None,
    statuses: Sequence[str],
    session_id: str | None,
    limit: int,
    cursor: str | None,
    newest_first: bool,
) -> NodePage:
    """Read one page of a scope's nodes in order of arrival."""
    if limit < 1:
        raise InputError(f"limit must be at least 1, got {limit!r}")
    wanted = [_IN_SCOPE, _nodes.c.status.in_(_texts(statuses))]
    if layers is not None:
        wanted.append(_nodes.c.layer.in_(_texts(layers)))
    if session_id is not None:
        wanted.append(_nodes.c.session_id == session_id)
    scoped = {"hash": scope_hash(scope)}
    total = conn.execute(
        sa.select(sa.func.count()).select_from(_nodes).where(*wanted), scoped
    ).scalar_one()
    if cursor is not None:
        last = _read_cursor(cursor)
        wanted.append(_nodes.c.seq < last if newest_first else _nodes.c.seq > last)
    order = _nodes.c.seq.desc() if newest_first else _nodes.c.seq.asc()
    rows = conn.execute(
        sa.select(*NODE_COLUMNS).where(*wanted).order_by(order).limit(limit + 1), scoped
    )
    nodes = [to_node(row) for row in rows.mappings()]
    more = len(nodes) > limit
    return NodePage(
        tuple(nodes[:limit]), int(total), _write_cursor(nodes[limit - 1].seq) if more else None
    )


def recent_turns(
    conn: Connection, scope: Scope, session_id: str | None, k: int, before_seq: int | None
) -> list[Node]:
    """Read the last ``k`` turns of a session that were not deleted, oldest first."""
    session = (
        _nodes.c.session_id.is_(None) if session_id is None else _nodes.c.session_id == session_id
    )
    statement = sa.select(*NODE_COLUMNS).where(
        _IN_SCOPE,
        session,
        _nodes.c.layer == str(Layer.RAW),
        _nodes.c.status == str(Status.ACTIVE),
    )
    if before_seq is not None:
        statement = statement.where(_nodes.c.seq < before_seq)
    rows = conn.execute(
        statement.order_by(_nodes.c.seq.desc()).limit(k), {"hash": scope_hash(scope)}
    )
    return [to_node(row) for row in rows.mappings()][::-1]


def history(
    conn: Connection, scope: Scope, id_: str | None, since: datetime | None, limit: int
) -> list[HistoryEvent]:
    """Read what happened to one memory, or to all, oldest first; the newest ``limit`` events."""
    wanted = [_scope_is(_history)]
    if id_ is not None:
        wanted.append(_history.c.node_id == id_)
    if since is not None:
        wanted.append(_history.c.at >= since)
    rows = conn.execute(
        sa.select(_history, _nodes.c.content, _nodes.c.layer)
        .join(_nodes, _nodes.c.id == _history.c.node_id, isouter=True)
        .where(*wanted)
        .order_by(_history.c.id.desc())
        .limit(limit),
        {"hash": scope_hash(scope)},
    ).all()
    return [_to_event(row) for row in reversed(rows)]


def heads_by_dimension(
    conn: Connection, scope: Scope, keys: Iterable[tuple[str, str]]
) -> dict[tuple[str, str], list[Node]]:
    """Read the heads of each (subject, dimension), newest first; each says its status itself."""
    found: dict[tuple[str, str], list[Node]] = {key: [] for key in keys}
    for batch in batches(list(found)):
        rows = conn.execute(
            _HEADS,
            {
                "hash": scope_hash(scope),
                "subjects": sorted({subject for subject, _ in batch}),
                "dimensions": sorted({dimension for _, dimension in batch}),
            },
        )
        wanted = set(batch)
        for row in rows.mappings():
            if (key := (row["subject"], row["dimension"])) in wanted:
                found[key].append(to_node(row))
    return found


def lexical(
    conn: Connection,
    scope: Scope,
    terms: Sequence[str],
    limit: int,
    *,
    layers: Sequence[Layer] | None,
    statuses: Sequence[str],
) -> LexicalHits:
    """Find candidates by their words, with what BM25 needs to know of the scope."""
    info = scope_info(conn, scope)
    if info is None or not info.documents:
        return LexicalHits()
    full_text = full_text_of(conn)
    frequencies = full_text.frequencies(conn, info.id, list(dict.fromkeys(terms)))
    matches = full_text.candidates(
        conn,
        info.id,
        rankable(frequencies, limit),
        limit,
        statuses=_texts(statuses),
        layers=None if layers is None else _texts(layers),
    )
    return LexicalHits(
        hits=tuple(LexicalHit(*match) for match in matches),
        documents=info.documents,
        average_terms=info.terms / info.documents,
        frequencies=frequencies,
    )


def similarities(
    conn: Connection, scope: Scope, ids: Iterable[str], vector: Vector
) -> dict[str, float]:
    """Compare nodes with a vector; those that have none of its width are left out."""
    found: dict[str, float] = {}
    for batch in batches(list(dict.fromkeys(ids))):
        rows = conn.execute(_EMBEDDINGS, {"hash": scope_hash(scope), "ids": batch})
        stored = [(id_, from_blob(blob)) for id_, blob in rows]
        found.update(
            (id_, float(np.clip(np.dot(other, vector), -1.0, 1.0)))
            for id_, other in stored
            if other.shape == vector.shape
        )
    return found


def pending_embeddings(conn: Connection, limit: int) -> list[tuple[Scope, str, str]]:
    """Find memories of all scopes that still want a vector, oldest first."""
    return [
        (Scope(row.app_id, row.user_id), row.id, row.content)
        for row in conn.execute(_PENDING, {"limit": limit})
    ]


def _to_event(row: Any) -> HistoryEvent:
    new = row.new
    if row.event == "ADD" and row.content is not None:  # kept once, with the node
        new = {**(new or {}), "layer": row.layer, "content": row.content}
    return HistoryEvent(
        event=row.event,
        memory_id=row.node_id,
        at=row.at,
        actor=row.actor,
        reason=row.reason,
        old=row.old,
        new=new,
    )


def _said(node: Node) -> tuple[datetime, int, int]:
    assert node.memory_at is not None
    return (node.memory_at, node.turn_index, node.seq)


def _texts(values: Iterable[str]) -> list[str]:
    return [str(value) for value in values]


def _write_cursor(seq: int) -> str:
    return f"s{seq}"


def _read_cursor(cursor: str) -> int:
    if not (cursor[:1] == "s" and cursor[1:].isdecimal() and cursor.isascii()):
        raise InputError(
            f"cursor {cursor!r} is not one that a listing gave; pass the last page's, or None"
        )
    return int(cursor[1:])


def _scope_is(table: sa.Table) -> sa.ColumnElement[bool]:
    own = sa.select(_scopes.c.id).where(_scopes.c.hash == sa.bindparam("hash"))
    return table.c.scope_id == own.scalar_subquery()


def _guarded_by_scope() -> sa.ColumnElement[bool]:
    """The same test of nodes that are looked up by id.

    The sum keeps SQLite from walking an index of the whole scope instead of the ids'.
    """
    own = sa.select(_scopes.c.id).where(_scopes.c.hash == sa.bindparam("hash"))
    return (_nodes.c.scope_id + 0) == own.scalar_subquery()


_IN_SCOPE = _scope_is(_nodes)
_OF_SCOPE = _guarded_by_scope()
_IDS: sa.BindParameter[Any] = sa.bindparam("ids", expanding=True)
_SCOPE = sa.select(
    _scopes.c.id, _scopes.c.hash, _scopes.c.revision, _scopes.c.documents, _scopes.c.terms
).where(_scopes.c.hash == sa.bindparam("hash"), _scopes.c.app_id != "")
_SCOPES = (
    sa.select(
        _scopes.c.app_id,
        _scopes.c.user_id,
        _nodes.c.layer,
        sa.func.count(_nodes.c.seq).label("nodes"),
    )
    .join(_nodes, _nodes.c.scope_id == _scopes.c.id, isouter=True)
    .where(_scopes.c.app_id != "")
    .group_by(_scopes.c.app_id, _scopes.c.user_id, _nodes.c.layer)
    .order_by(_scopes.c.app_id, _scopes.c.user_id, _nodes.c.layer)
)
_BY_ID = sa.select(*NODE_COLUMNS).where(_OF_SCOPE, _nodes.c.id.in_(_IDS))
_EMBEDDINGS = sa.select(_nodes.c.id, _nodes.c.embedding).where(
    _OF_SCOPE, _nodes.c.id.in_(_IDS), _nodes.c.embedding.is_not(None)
)
_PENDING = (
    sa.select(_scopes.c.app_id, _scopes.c.user_id, _nodes.c.id, _nodes.c.content)
    .join(_scopes, _scopes.c.id == _nodes.c.scope_id)
    .where(_nodes.c.embedding.is_(None), _nodes.c.status != str(Status.SHADOW))
    .order_by(_nodes.c.seq)
    .limit(sa.bindparam("limit"))
)
_successor = _edges.alias("successor")
_HEADS = (
    sa.select(*NODE_COLUMNS)
    .where(
        _IN_SCOPE,
        _nodes.c.subject.in_(sa.bindparam("subjects", expanding=True)),
        _nodes.c.dimension.in_(sa.bindparam("dimensions", expanding=True)),
        ~sa.exists().where(
            _successor.c.dst == _nodes.c.id, _successor.c.kind == str(EdgeKind.SUPERSEDES)
        ),
    )
    .order_by(_nodes.c.known_from.desc(), _nodes.c.seq.desc())
)


def _one_step(here: str, there: str) -> sa.Select[Any]:
    """Nodes at one end of the evidence edges whose other end is one of ``ids``."""
    return (
        sa.select(*NODE_COLUMNS, _edges.c[here].label("root"))
        .join(_edges, _edges.c[there] == _nodes.c.id)
        .where(
            _OF_SCOPE,
            _scope_is(_edges),
            _edges.c.kind == str(EdgeKind.DERIVED_FROM),
            _edges.c[here].in_(_IDS),
        )
        .order_by(_nodes.c.seq)
    )


_DERIVED = _one_step("dst", "src")
_GROUNDS = _one_step("src", "dst")


def _head_statement() -> sa.Select[Any]:
    """The node itself and its successors, one after the other."""
    walk = (
        sa.select(_nodes.c.id, sa.literal(0).label("depth"))
        .where(_OF_SCOPE, _nodes.c.id == sa.bindparam("id"))
        .cte("walk", recursive=True)
    )
    walk = walk.union(
        sa.select(_edges.c.src, walk.c.depth + 1)
        .join(walk, walk.c.id == _edges.c.dst)
        .where(
            _scope_is(_edges),
            _edges.c.kind == str(EdgeKind.SUPERSEDES),
            walk.c.depth < _MAX_CHAIN_DEPTH,
        )
    )
    return sa.select(walk.c.id).order_by(walk.c.depth)


def _walk_down(kind: EdgeKind, label: str, max_depth: int) -> sa.CTE:
    """Edges of one kind from the roots ``ids`` downwards: root, node, the edge's label, depth."""
    edge = (_edges.c.kind == str(kind), _scope_is(_edges))
    walk = (
        sa.select(
            _edges.c.src.label("root"),
            _edges.c.dst.label("id"),
            _edges.c[label],
            sa.literal(1).label("depth"),
        )
        .where(*edge, _edges.c.src.in_(_IDS))
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
    .where(_OF_SCOPE)
)
_evidence = _walk_down(EdgeKind.DERIVED_FROM, "quote", _MAX_EVIDENCE_DEPTH)
_SOURCES = (
    sa.select(*NODE_COLUMNS, _evidence.c.root, _evidence.c.quote)
    .join(_evidence, _evidence.c.id == _nodes.c.id)
    .where(
        _OF_SCOPE,
        _nodes.c.layer == str(Layer.RAW),
        _nodes.c.status != str(Status.SHADOW),
    )
    .order_by(_evidence.c.depth)
)
