"""Writing a unit of work: a fixed order and number of statements, however many nodes there are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import sqlalchemy as sa

from dualmem_graph.storage import schema
from dualmem_graph.storage.fulltext import Entry, full_text_of
from dualmem_graph.storage.prepared import Prepared, any_of, insert
from dualmem_graph.storage.records import SEARCHABLE
from dualmem_graph.storage.reembedding import refuse_other
from dualmem_graph.storage.unit import Held, Unit, batches
from dualmem_graph.text.tokens import index_terms
from dualmem_graph.types import EdgeKind, Status, UpdateType

_nodes, _edges, _scopes = schema.nodes, schema.edges, schema.scopes
_STATE = (
    "status",
    "rev",
    "vid",
    "known_from",
    "known_until",
    "expires_at",
    "modified_at",
    "tags",
    "metadata",
    "changed",
)


def flush(unit: Unit) -> None:
    """Write what a unit changed; the last thing in its transaction.

    ``unit.held`` then holds the nodes as the ledger does, and ``unit.outbox`` what the vector index
    has to follow.
    """
    changed = [held for held in unit.held.values() if held.is_changed and held.row is None]
    _insert_nodes(unit)
    _update_nodes(unit, changed)
    _write_links(unit)
    _write_evidence(unit)
    _write_full_text(unit, changed)
    _RECORD.run_many(unit.conn, unit.events)
    _TELL_INDEX.run_many(
        unit.conn, [{"scope_id": unit.scope_id, "vid": vid} for vid in unit.outbox]
    )


def _insert_nodes(unit: Unit) -> None:
    if not unit.added:
        return
    for fingerprint in {held.row["fingerprint"] for held in unit.added if held.row is not None}:
        if fingerprint is not None:
            refuse_other(unit.conn, fingerprint)
    rows = []
    for held in unit.added:
        assert held.row is not None
        node = held.node
        if node.status is Status.ACTIVE and held.has_embedding:
            held.vid = f"{node.id}:{node.rev}"
            unit.outbox.append(held.vid)
        rows.append(
            held.row
            | {
                "status": str(node.status),
                "known_from": node.known_from,
                "known_until": node.known_until,
                "vid": held.vid,
                "changed": unit.revision,
            }
        )
    _ADD_NODES.run_many(unit.conn, rows)
    for batch in batches([held.node.id for held in unit.added]):
        for row in _SEQS.rows(unit.conn, {"scope_id": unit.scope_id, "ids": batch}):
            held = unit.held[row["id"]]
            held.node = replace(held.node, seq=row["seq"])


def _update_nodes(unit: Unit, changed: Sequence[Held]) -> None:
    if not changed:
        return
    for held in changed:
        rev = held.node.rev + 1
        held.node = replace(held.node, rev=rev, modified_at=unit.now)
        if held.node.status is not held.was:
            _move_in_index(unit, held, f"{held.node.id}:{rev}")
    _UPDATE.run_many(unit.conn, [_state(unit, held) for held in changed])


def _move_in_index(unit: Unit, held: Held, fresh: str) -> None:
    if held.vid is not None:
        unit.outbox.append(held.vid)
        held.vid = None
    if held.node.status is Status.ACTIVE and held.has_embedding:
        held.vid = fresh
        unit.outbox.append(fresh)


def _state(unit: Unit, held: Held) -> dict[str, Any]:
    node = held.node
    return {
        "scope_id_": unit.scope_id,
        "id_": node.id,
        "status": str(node.status),
        "rev": node.rev,
        "vid": held.vid,
        "known_from": node.known_from,
        "known_until": node.known_until,
        "expires_at": node.expires_at,
        "modified_at": node.modified_at,
        "tags": list(node.tags),
        "metadata": dict(node.metadata),
        "changed": unit.revision,
    }


def _write_links(unit: Unit) -> None:
    moved = {dst: link for dst, link in unit.links.items() if link != unit.stored_links[dst]}
    gone = [
        {"scope_id_": unit.scope_id, "src_": before.successor, "dst_": dst}
        for dst in moved
        if (before := unit.stored_links[dst]) is not None
    ]
    _UNLINK.run_many(unit.conn, gone)
    new = [
        _edge(unit, link.successor, dst, EdgeKind.SUPERSEDES, update_type=link.update_type)
        for dst, link in moved.items()
        if link is not None
    ]
    _ADD_EDGES.run_many(unit.conn, new)


def _write_evidence(unit: Unit) -> None:
    _ADD_EVIDENCE.run_many(
        unit.conn,
        [
            _edge(unit, src, dst, EdgeKind.DERIVED_FROM, quote=quote or None)
            for (src, dst), quote in unit.new_evidence.items()
        ],
    )


def _edge(
    unit: Unit,
    src: str,
    dst: str,
    kind: EdgeKind,
    *,
    update_type: UpdateType | None = None,
    quote: str | None = None,
) -> dict[str, Any]:
    return {
        "src": src,
        "kind": str(kind),
        "dst": dst,
        "scope_id": unit.scope_id,
        "update_type": None if update_type is None else str(update_type),
        "quote": quote,
        "created_at": unit.now,
    }


def _write_full_text(unit: Unit, changed: Sequence[Held]) -> None:
    full_text = full_text_of(unit.conn)
    documents = terms = 0
    gone = [
        held.node.seq
        for held in changed
        if held.was in SEARCHABLE and held.node.status not in SEARCHABLE
    ]
    for batch in batches(gone):
        terms -= full_text.remove(unit.conn, batch)
        documents -= len(batch)
    entries = [
        Entry(held.node.id, index_terms(held.node.content) if held.terms is None else held.terms)
        for held in (*unit.added, *changed)
        if held.was not in SEARCHABLE and held.node.status in SEARCHABLE
    ]
    if entries:
        full_text.add(unit.conn, unit.scope_id, entries)
        documents += len(entries)
        terms += sum(len(entry.terms) for entry in entries)
    if documents or terms:
        _COUNT.run(
            unit.conn, {"scope_id_": unit.scope_id, "documents_": documents, "terms_": terms}
        )


_ADD_NODES = insert(_nodes, without=["seq"])
_ADD_EDGES = insert(_edges)
_ADD_EVIDENCE = insert(_edges, skip_existing=True)
_RECORD = insert(schema.history, without=["id"])
_TELL_INDEX = insert(schema.outbox, without=["seq"])
_SEQS = Prepared(
    lambda _, ids: sa.select(_nodes.c.id, _nodes.c.seq).where(
        # the sum keeps SQLite from walking an index of the whole scope instead of the ids'
        (_nodes.c.scope_id + 0) == sa.bindparam("scope_id"),
        any_of(_nodes.c.id, "ids", ids),
    ),
    lists=["ids"],
)
_UPDATE = Prepared(
    lambda _: (
        sa.update(_nodes)
        .where(_nodes.c.scope_id == sa.bindparam("scope_id_"), _nodes.c.id == sa.bindparam("id_"))
        .values({name: sa.bindparam(name, type_=_nodes.c[name].type) for name in _STATE})
    )
)
_UNLINK = Prepared(
    lambda _: sa.delete(_edges).where(
        _edges.c.scope_id == sa.bindparam("scope_id_"),
        _edges.c.kind == str(EdgeKind.SUPERSEDES),
        _edges.c.src == sa.bindparam("src_"),
        _edges.c.dst == sa.bindparam("dst_"),
    )
)
_COUNT = Prepared(
    lambda _: (
        sa.update(_scopes)
        .where(_scopes.c.id == sa.bindparam("scope_id_"))
        .values(
            documents=_scopes.c.documents + sa.bindparam("documents_"),
            terms=_scopes.c.terms + sa.bindparam("terms_"),
        )
    )
)
