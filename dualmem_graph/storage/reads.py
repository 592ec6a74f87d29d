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
from dualmem_graph.storage.fulltext import choose_terms, full_text_of
from dualmem_graph.storage.prepared import Prepared, any_of
from dualmem_graph.storage.records import (
    NODE_COLUMNS,
    LexicalHit,
    LexicalHits,
    NodePage,
    ScopeInfo,
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
)

_nodes, _edges, _scopes, _history = schema.nodes, schema.edges, schema.scopes, schema.history


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
        rows = _BY_ID.rows(conn, {"hash": scope_hash(scope), "ids": batch})
        found.update((row["id"], to_node(row)) for row in rows)
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
    # the page's places first, from the index alone: sorting whole rows costs many times as much
    places = sa.select(_nodes.c.seq).where(*wanted).order_by(order).limit(limit + 1)
    rows = conn.execute(
        sa.select(*NODE_COLUMNS).where(_nodes.c.seq.in_(places)).order_by(order), scoped
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
    wanted = [is_of_scope(_history)]
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
        choose_terms(frequencies),
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
    conn: Connection, scope: Scope, ids: Iterable[str], vector: Vector, fingerprint: str
) -> dict[str, float]:
    """Compare nodes with a vector; those that have none of its embedder are left out."""
    found: dict[str, float] = {}
    for batch in batches(list(dict.fromkeys(ids))):
        rows = conn.execute(_EMBEDDINGS, {"hash": scope_hash(scope), "ids": batch})
        found.update(
            (id_, float(np.clip(np.dot(from_blob(blob), vector), -1.0, 1.0)))
            for id_, blob, embedder in rows
            if embedder == fingerprint
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


def is_of_scope(table: sa.Table) -> sa.ColumnElement[bool]:
    """Say that rows belong to the scope whose hash is the parameter ``hash``."""
    own = sa.select(_scopes.c.id).where(_scopes.c.hash == sa.bindparam("hash"))
    return table.c.scope_id == own.scalar_subquery()


def _is_guarded() -> sa.ColumnElement[bool]:
    """The same test of nodes that are looked up by id.

    The sum keeps SQLite from walking an index of the whole scope instead of the ids'.
    """
    own = sa.select(_scopes.c.id).where(_scopes.c.hash == sa.bindparam("hash"))
    return (_nodes.c.scope_id + 0) == own.scalar_subquery()


_IN_SCOPE = is_of_scope(_nodes)
#: That looked-up nodes are of the scope, and the parameter for the ids to look up.
GUARDED_BY_SCOPE = _is_guarded()
IDS: sa.BindParameter[Any] = sa.bindparam("ids", expanding=True)
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
_BY_ID = Prepared(
    lambda _, ids: sa.select(*NODE_COLUMNS).where(
        GUARDED_BY_SCOPE, any_of(_nodes.c.id, "ids", ids)
    ),
    lists=["ids"],
)
_EMBEDDINGS = sa.select(_nodes.c.id, _nodes.c.embedding, _nodes.c.fingerprint).where(
    GUARDED_BY_SCOPE, _nodes.c.id.in_(IDS), _nodes.c.embedding.is_not(None)
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
