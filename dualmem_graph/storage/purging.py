"""Removal for good: rows, words, vectors, and every trace of the text but a hash that keeps it out.

A purge takes memories out of chains and evidence, then deletes them with their history and the work
that was queued about them. What it leaves is a ``PURGE`` event without content, and tombstones, so
that neither a second import nor a digest brings the text back. The bytes that a database keeps of
deleted rows are :mod:`~dualmem_graph.storage.compaction`'s to remove.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from dualmem_graph.errors import MemoryNotFoundError
from dualmem_graph.scope import scope_hash
from dualmem_graph.storage import schema
from dualmem_graph.storage.compaction import COMPACTION_KEY, DUE
from dualmem_graph.storage.forgetting import bury
from dualmem_graph.storage.fulltext import Entry, full_text_of
from dualmem_graph.storage.jobs import OPEN, PARKED
from dualmem_graph.storage.ledger import count_meta, write_meta
from dualmem_graph.storage.records import SEARCHABLE, Purged
from dualmem_graph.storage.scope_cache import ERASURES_KEY
from dualmem_graph.storage.unit import Link, Unit, batches
from dualmem_graph.storage.writer import Writer
from dualmem_graph.text.safety import content_hash
from dualmem_graph.text.tokens import index_terms
from dualmem_graph.types import EdgeKind, Layer, Scope, Status

_nodes, _edges, _scopes, _jobs = schema.nodes, schema.edges, schema.scopes, schema.jobs

PURGE = "PURGE"
#: What a turn says whose words were purged while other memories still rest on it.
BLANK = "[purged]"


def purge_memory(
    writer: Writer, scope: Scope, id_: str, *, chain: bool, actor: str, reason: str
) -> Purged:
    """Remove one version (or its whole chain) or one turn; see :meth:`MemoryStore.purge`."""
    with writer.unit(scope, actor, reason) as unit:
        unit.load([id_])
        if id_ not in unit.held:
            raise MemoryNotFoundError(
                f"no memory {id_!r} in scope {scope}; list() shows the ids of this scope"
            )
        wanted = [id_]
        if chain and unit.held[id_].node.layer is not Layer.RAW:
            head = unit.load_chain(id_)
            wanted = [head, *(dst for dst, link in unit.links.items() if link is not None)]
        return _purge(unit, wanted)


def purge_session(
    writer: Writer, scope: Scope, session_id: str, *, actor: str, reason: str
) -> Purged:
    """Remove the turns of a session and what rests on them alone."""
    with writer.unit(scope, actor, reason) as unit:
        wanted = _of_session(unit, session_id)
        if not wanted:
            raise MemoryNotFoundError(
                f"no turn or memory of a session {session_id!r} in scope {scope}; the items of "
                "list() name their sessions"
            )
        return _purge(unit, wanted)


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
        counts = _erase_scope(conn, scope_id)
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
        _note_erasure(conn)
    writer.on_outbox()
    return counts


def _purge(unit: Unit, wanted: Iterable[str]) -> Purged:
    doomed = _with_profile_facts(unit, wanted)
    turns = _turns_beneath(unit, doomed)
    doomed |= {id_: None for id_ in turns if not _survivors(unit, [id_], doomed)}
    _add_unsupported(unit, doomed)
    blanked = [id_ for id_ in turns if id_ not in doomed]
    bury(unit, [*doomed, *blanked])
    for id_ in doomed:
        _close_gap(unit, id_, doomed)
    _forget_jobs(unit, {*doomed, *blanked})
    _delete(unit, list(doomed))
    _blank(unit, blanked)
    for id_ in (*doomed, *blanked):
        unit.record(id_, PURGE)
    _note_erasure(unit.conn)
    return Purged(tuple(doomed), tuple(blanked))


def _with_profile_facts(unit: Unit, wanted: Iterable[str]) -> dict[str, None]:
    """What is to go: with a profile entry the facts that it restates."""
    doomed = dict.fromkeys(wanted)
    unit.load(doomed)
    entries = [id_ for id_ in doomed if unit.held[id_].node.layer is Layer.BASIC_INFO]
    for sources in unit.evidence_of(entries).values():
        doomed |= {id_: None for id_ in sources if unit.held[id_].node.layer is not Layer.RAW}
    return doomed


def _turns_beneath(unit: Unit, doomed: Mapping[str, None]) -> list[str]:
    """The turns that purged memories rest on directly: they say the same in the user's words."""
    found: dict[str, None] = {}
    for sources in unit.evidence_of(doomed).values():
        found |= {id_: None for id_ in sources if unit.held[id_].node.layer is Layer.RAW}
    return [id_ for id_ in found if id_ not in doomed]


def _add_unsupported(unit: Unit, doomed: dict[str, None]) -> None:
    """Add, step by step upwards, what rested on purged nodes and rests on nothing else."""
    fringe = list(doomed)
    while fringe:
        resting = _survivors(unit, fringe, doomed)
        evidence = unit.evidence_of(resting)
        fringe = [id_ for id_ in resting if all(source in doomed for source in evidence[id_])]
        doomed |= dict.fromkeys(fringe)


def _survivors(unit: Unit, ids: Sequence[str], doomed: Mapping[str, None]) -> list[str]:
    """The nodes that rest directly on these and stay; they are held."""
    found: dict[str, None] = {}
    for batch in batches(ids):
        rows = unit.conn.execute(
            sa.select(_edges.c.src)
            .where(
                _edges.c.scope_id == unit.scope_id,
                _edges.c.kind == str(EdgeKind.DERIVED_FROM),
                _edges.c.dst.in_(batch),
            )
            .distinct()
        )
        found |= {id_: None for id_ in rows.scalars() if id_ not in doomed}
    unit.load(found)
    return list(found)


def _close_gap(unit: Unit, id_: str, doomed: Mapping[str, None]) -> None:
    """Tie what a purged version replaced to what replaced it; without that, it has ended."""
    for below in _directly_below(unit, id_):
        if below in doomed:
            continue
        unit.load_links([below])
        link = unit.links[below]
        assert link is not None
        above: Link | None = Link(id_, link.update_type)
        while above is not None and above.successor in doomed:
            unit.load_links([above.successor])
            above = unit.links[above.successor]
        if above is not None:
            unit.link(above.successor, below, link.update_type)
            continue
        unit.unlink(below)
        if unit.held[below].node.status is Status.SUPERSEDED:
            unit.change(below, "EXPIRE", "the version after it was purged", status=Status.EXPIRED)


def _directly_below(unit: Unit, id_: str) -> list[str]:
    rows = unit.conn.execute(
        sa.select(_edges.c.dst).where(
            _edges.c.scope_id == unit.scope_id,
            _edges.c.kind == str(EdgeKind.SUPERSEDES),
            _edges.c.src == id_,
        )
    )
    found = list(rows.scalars())
    unit.load(found)
    return found


def _of_session(unit: Unit, session_id: str) -> list[str]:
    """The turns of a session, and the memories of it that rest on nothing (imported ones)."""
    rests = sa.exists().where(
        _edges.c.src == _nodes.c.id, _edges.c.kind == str(EdgeKind.DERIVED_FROM)
    )
    rows = unit.conn.execute(
        sa.select(_nodes.c.id)
        .where(_nodes.c.scope_id == unit.scope_id, _nodes.c.session_id == session_id, ~rests)
        .order_by(_nodes.c.seq)
    )
    return list(rows.scalars())


def _delete(unit: Unit, ids: Sequence[str]) -> None:
    conn, scope_id = unit.conn, unit.scope_id
    full_text = full_text_of(conn)
    documents = terms = 0
    for batch in batches(ids):
        held = [unit.held.pop(id_) for id_ in batch]
        unit.outbox += [one.vid for one in held if one.vid is not None]
        indexed = _indexed(unit, [one.node.seq for one in held])
        terms += full_text.remove(conn, indexed)
        documents += len(indexed)
        conn.execute(
            sa.delete(_edges).where(
                _edges.c.scope_id == scope_id,
                sa.or_(_edges.c.src.in_(batch), _edges.c.dst.in_(batch)),
            )
        )
        for table, column in (
            (schema.history, schema.history.c.node_id),
            (schema.new_vectors, schema.new_vectors.c.node_id),
            (_nodes, _nodes.c.id),
        ):
            conn.execute(sa.delete(table).where(table.c.scope_id == scope_id, column.in_(batch)))
    _count_out(unit, documents, terms)


def _indexed(unit: Unit, seqs: Sequence[int]) -> list[int]:
    """Of these places, those whose text is in full text."""
    rows = unit.conn.execute(
        sa.select(_nodes.c.seq).where(
            _nodes.c.seq.in_(seqs),
            (_nodes.c.scope_id + 0) == unit.scope_id,
            _nodes.c.status.in_([str(status) for status in SEARCHABLE]),
        )
    )
    return list(rows.scalars())


def _blank(unit: Unit, ids: Sequence[str]) -> None:
    """Take the words out of turns that stay because other memories rest on them."""
    if not ids:
        return
    conn, scope_id = unit.conn, unit.scope_id
    full_text = full_text_of(conn)
    marks = index_terms(BLANK)
    documents = terms = 0
    for batch in batches(ids):
        held = [unit.held.pop(id_) for id_ in batch]
        unit.outbox += [one.vid for one in held if one.vid is not None]
        seqs = [one.node.seq for one in held]
        indexed = set(_indexed(unit, seqs))
        terms -= full_text.remove(conn, sorted(indexed))
        conn.execute(
            sa.update(_nodes)
            .where(_nodes.c.scope_id == scope_id, _nodes.c.id.in_(batch))
            .values(
                content=BLANK,
                content_hash=content_hash(BLANK),
                embedding=None,
                fingerprint=None,
                vid=None,
                rev=_nodes.c.rev + 1,
                changed=unit.revision,
                modified_at=unit.now,
            )
        )
        entries = [Entry(one.node.id, marks) for one in held if one.node.seq in indexed]
        full_text.add(conn, scope_id, entries)
        terms += len(marks) * len(entries)
        conn.execute(
            sa.update(_edges)
            .where(_edges.c.scope_id == scope_id, _edges.c.dst.in_(batch))
            .values(quote=None)
        )
        conn.execute(
            sa.delete(schema.new_vectors).where(
                schema.new_vectors.c.scope_id == scope_id, schema.new_vectors.c.node_id.in_(batch)
            )
        )
    _count_out(unit, documents, -terms)


def _count_out(unit: Unit, documents: int, terms: int) -> None:
    unit.conn.execute(
        sa.update(_scopes)
        .where(_scopes.c.id == unit.scope_id)
        .values(documents=_scopes.c.documents - documents, terms=_scopes.c.terms - terms)
    )


def _forget_jobs(unit: Unit, ids: set[str]) -> None:
    """Take purged memories out of work that waits; what is left of it is still done."""
    rows = unit.conn.execute(
        sa.select(_jobs.c.id, _jobs.c.payload).where(
            _jobs.c.scope_id == unit.scope_id, _jobs.c.state.in_([*OPEN, PARKED])
        )
    ).all()
    for id_, payload in rows:
        left = _without(payload, ids)
        if left != payload:
            unit.conn.execute(
                sa.update(_jobs).where(_jobs.c.id == id_).values(payload=left, error=None)
            )


def _without(payload: Mapping[str, Any], ids: set[str]) -> dict[str, Any]:
    """A job's payload without these ids, and without what was drawn from their turns."""
    named = {*payload.get("turn_ids", ()), *payload.get("written", ())}
    if not named & ids:
        return dict(payload)
    left = dict(payload)
    for key in ("turn_ids", "written"):
        if key in left:
            left[key] = [id_ for id_ in left[key] if id_ not in ids]
    if "extraction" in left:
        left["extraction"] = {}
    return left


def _note_erasure(conn: Connection) -> None:
    """Let every cache and the index know that rows are gone, and that bytes of them are left."""
    count_meta(conn, ERASURES_KEY)
    write_meta(conn, COMPACTION_KEY, DUE)


def _erase_scope(conn: Connection, scope_id: int) -> dict[str, int]:
    rows: Sequence[Any] = conn.execute(
        sa.select(_nodes.c.seq, _nodes.c.vid).where(_nodes.c.scope_id == scope_id)
    ).all()
    full_text = full_text_of(conn)
    for batch in batches([row.seq for row in rows]):
        full_text.remove(conn, batch)
    vids = [{"scope_id": scope_id, "vid": row.vid} for row in rows if row.vid is not None]
    if vids:
        conn.execute(sa.insert(schema.outbox), vids)
    conn.execute(sa.delete(schema.new_vectors).where(schema.new_vectors.c.scope_id == scope_id))
    return {
        name: conn.execute(sa.delete(table).where(table.c.scope_id == scope_id)).rowcount
        for name, table in _COUNTED.items()
    }


#: What a scope's rows are called in the answer; edges go before the nodes that they join.
_COUNTED = {
    "edges": _edges,
    "nodes": _nodes,
    "history": schema.history,
    "tombstones": schema.tombstones,
    "jobs": _jobs,
    "usage": schema.usage,
}
