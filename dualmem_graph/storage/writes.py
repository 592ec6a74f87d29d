"""Every write of the store: one transaction each, all or nothing.

What takes time (hashing, tokenising, checking vectors) happens before the transaction; within it
the scope is touched first, a :class:`~dualmem_graph.storage.unit.Unit` collects what changes, and
:func:`~dualmem_graph.storage.flush.flush` writes it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from typing import NamedTuple

import sqlalchemy as sa

from dualmem_graph.errors import InputError, MemoryNotFoundError, NotHeadError, StoreError
from dualmem_graph.storage import schema
from dualmem_graph.storage.chains import supersede
from dualmem_graph.storage.flush import flush
from dualmem_graph.storage.forgetting import bring_back, hide, stones_of
from dualmem_graph.storage.ids import adopted_id, node_id
from dualmem_graph.storage.jobs import enqueue, finish
from dualmem_graph.storage.ledger import Ledger
from dualmem_graph.storage.prepared import Prepared, any_of
from dualmem_graph.storage.records import (
    About,
    Applied,
    Deleted,
    NewJob,
    NewNode,
    Plan,
    Supersede,
    SupersedeOutcome,
    TurnsWritten,
    Vector,
    WriteOp,
    WriteOutcome,
    to_blob,
    to_row,
)
from dualmem_graph.storage.turns import Conversation, keep_turns
from dualmem_graph.storage.unit import Unit, batches, touch_scope
from dualmem_graph.text.safety import content_hash
from dualmem_graph.text.tokens import index_terms
from dualmem_graph.types import Layer, Node, Scope, Status

_nodes = schema.nodes
# their text is never edited: turns are what was said, schemas keep their wording for life
_UNEDITABLE = (Layer.RAW, Layer.SCHEMA)


@dataclass(frozen=True, slots=True)
class Writer:
    """What every write needs, and who is told when the vector index has something to follow."""

    ledger: Ledger
    clock: Callable[[], datetime]
    on_outbox: Callable[[], None]

    @contextmanager
    def unit(self, scope: Scope, actor: str, reason: str = "") -> Iterator[Unit]:
        """Open a unit of work; it is written and committed at the end of the block."""
        with self.ledger.write() as conn:
            now = self.clock()
            scope_id, revision = touch_scope(conn, scope, now)
            unit = Unit(conn, scope, scope_id, revision, now, actor, reason)
            yield unit
            if not unit.is_abandoned:
                flush(unit)
        if unit.outbox:
            self.on_outbox()


class _Text(NamedTuple):
    """What is known of a content before the transaction."""

    hash: str
    terms: Sequence[str]


@dataclass(slots=True)
class _Draft:
    """How far the writing of a plan's nodes has come.

    ``stands_for`` maps the ids of the plan to those in the ledger, where they differ.
    """

    stones: set[tuple[str, str]]
    taken: set[str]
    stands_for: dict[str, str]
    outcomes: list[tuple[WriteOp, str | None, str]]

    def actual(self, id_: str) -> str:
        return self.stands_for.get(id_, id_)


def add_turns(
    writer: Writer,
    scope: Scope,
    talk: Conversation,
    *,
    actor: str = "user",
    job: NewJob | None = None,
    lease: float | None = None,
) -> TurnsWritten:
    """Keep turns; with nothing new, nothing at all is written."""
    if not talk.turns:
        return TurnsWritten((), ())
    with writer.unit(scope, actor) as unit:
        turns, is_new = keep_turns(unit, talk)
        if not any(is_new):
            unit.abandon()
            return TurnsWritten(tuple(turns), tuple(is_new))
        claimed = None
        if job is not None:
            new_ids = [turn.turn_id for turn, new in zip(turns, is_new, strict=True) if new]
            job = _about_turns(job, new_ids)
            queued = enqueue(
                unit.conn, scope, unit.scope_id, unit.revision, [job], unit.now, lease=lease
            )
            claimed = queued[0].lease
    return TurnsWritten(tuple(turns), tuple(is_new), claimed)


def apply(
    writer: Writer,
    scope: Scope,
    plan: Plan,
    *,
    actor: str,
    reason: str = "",
    adopts: bool = False,
) -> Applied:
    """Carry out a plan; see :meth:`dualmem_graph.storage.store.MemoryStore.apply`.

    Args:
        adopts: the ids come from elsewhere, so another scope may have one; such a node gets an id
            of its own. Ids that this package makes contain their scope and cannot meet.
    """
    texts = [_read_text(new) for new in plan.nodes]
    try:
        return _apply(writer, scope, plan, texts, actor, reason, adopts)
    except StoreError as error:
        if adopts or not isinstance(error.__cause__, writer.ledger.integrity_error):
            raise
        return _apply(writer, scope, plan, texts, actor, reason, True)


def _apply(
    writer: Writer,
    scope: Scope,
    plan: Plan,
    texts: Sequence[_Text],
    actor: str,
    reason: str,
    adopts: bool,
) -> Applied:
    with writer.unit(scope, actor, reason) as unit:
        if plan.finish is not None:
            finish(unit.conn, plan.finish, unit.now)
        draft = _write_nodes(unit, plan, texts, adopts)
        _add_evidence(unit, plan, draft)
        for id_ in plan.expires:
            _expire(unit, draft.actual(id_))
        chained = _supersede_all(unit, plan, draft)
        hidden: list[str] = []
        for item in plan.hides:
            if draft.actual(item.id) in unit.held:
                gone, retired = hide(unit, [draft.actual(item.id)], item.reason)
                hidden += gone + retired
        jobs = enqueue(unit.conn, scope, unit.scope_id, unit.revision, plan.jobs, unit.now)
    return Applied(
        nodes=tuple(
            WriteOutcome(op, None if id_ is None else unit.held[id_].node, why)
            for op, id_, why in draft.outcomes
        ),
        supersedes=tuple(chained),
        hidden=tuple(hidden),
        jobs=tuple(job.id for job in jobs),
        revision=unit.revision,
    )


def update(
    writer: Writer,
    scope: Scope,
    id_: str,
    content: str,
    *,
    embedding: Vector | None,
    fingerprint: str | None,
    tags: tuple[str, ...] | None,
    metadata: dict[str, object] | None,
    about: About,
    actor: str,
) -> Node:
    """Write a new version of a memory that supersedes it."""
    if not content.strip():
        raise InputError(f"content {content!r} is blank; to forget a memory, delete it")
    new_version = NewNode(id_, Layer.FACT, content, embedding=embedding, fingerprint=fingerprint)
    text = _read_text(new_version)
    with writer.unit(scope, actor) as unit:
        old = _editable(unit, id_)
        tags = old.tags if tags is None else tags
        metadata = dict(old.metadata) if metadata is None else metadata
        if content == old.content:
            unit.change(id_, "UPDATE", tags=tags, metadata=metadata)
            if not unit.events:
                unit.abandon()
            new_id = id_
        else:
            new = _next_version(scope, old, new_version, about, tags, metadata)
            new_id = new.id
            _insert(unit, new, text)
            for source in unit.evidence_of([id_])[id_]:
                unit.add_evidence(new_id, source)
            unit.load_links([id_])
            supersede(unit, new_id, [id_], Supersede(new_id, (id_,), explicit=True))
    return unit.held[new_id].node


def delete(
    writer: Writer, scope: Scope, id_: str, *, chain: bool, actor: str, reason: str
) -> Deleted:
    """Hide a version, or its whole chain."""
    with writer.unit(scope, actor, reason) as unit:
        _existing(unit, id_)
        ids = [id_]
        if chain:
            head = unit.load_chain(id_)
            ids = [head, *(dst for dst, link in unit.links.items() if link is not None)]
        hidden, retired = hide(unit, ids)
        if not hidden:
            unit.abandon()
    return Deleted(tuple(hidden), tuple(retired))


def restore(writer: Writer, scope: Scope, id_: str, *, actor: str) -> Node:
    """Make a version current again."""
    with writer.unit(scope, actor) as unit:
        _existing(unit, id_)
        bring_back(unit, id_)
        if not unit.events:
            unit.abandon()
    return unit.held[id_].node


def set_embeddings(
    writer: Writer, scope: Scope, vectors: dict[str, Vector], fingerprint: str
) -> int:
    """Give nodes their vectors; answers how many there were to give to."""
    blobs = {id_: to_blob(vector, fingerprint) for id_, vector in vectors.items()}
    with writer.unit(scope, "embedder") as unit:
        unit.load(blobs)
        rows = []
        for id_ in blobs:
            held = unit.held.get(id_)
            if held is None:
                continue
            rev = held.node.rev + 1
            is_active = held.node.status is Status.ACTIVE
            vid = f"{id_}:{rev}" if is_active else None
            unit.outbox += [name for name in (held.vid, vid) if name is not None]
            rows.append(
                {
                    "scope_id_": unit.scope_id,
                    "id_": id_,
                    "rev": rev,
                    "vid": vid,
                    "embedding": blobs[id_],
                    "fingerprint": fingerprint,
                    "changed": unit.revision,
                }
            )
        if rows:
            _SET_EMBEDDING.run_many(unit.conn, rows)
        else:
            unit.abandon()
    return len(rows)


def _about_turns(job: NewJob, turn_ids: list[str]) -> NewJob:
    """Name a job by the first new turn, unless the caller did, and tell it which turns are new."""
    payload = {"turn_ids": turn_ids} | dict(job.payload)
    return replace(job, key=job.key or turn_ids[0], payload=payload)


def _read_text(new: NewNode) -> _Text:
    if not new.content.strip():
        raise InputError(f"memory {new.id!r} has no content ({new.content!r}); leave it out")
    if new.embedding is not None:
        to_blob(new.embedding, new.fingerprint)  # a bad vector is refused before any writing
    return _Text(content_hash(new.content), index_terms(new.content))


def _write_nodes(unit: Unit, plan: Plan, texts: Sequence[_Text], adopts: bool) -> _Draft:
    draft = _Draft(stones=set(), taken=set(), stands_for={}, outcomes=[])
    unit.load(_ids_of(plan))
    if not plan.nodes:
        return draft
    hashes = list(dict.fromkeys(text.hash for text in texts))
    unit.load_equal(hashes)
    draft.stones = stones_of(unit, hashes)
    if adopts:
        draft.taken = _taken_elsewhere(unit, [new.id for new in plan.nodes])
        unit.load(adopted_id(unit.scope, id_) for id_ in draft.taken)
    for new, text in zip(plan.nodes, texts, strict=True):
        draft.outcomes.append(_write_node(unit, draft, new, text))
    return draft


def _write_node(
    unit: Unit, draft: _Draft, new: NewNode, text: _Text
) -> tuple[WriteOp, str | None, str]:
    """Add a node, or find what stands for it, or why nothing may."""
    if new.id in draft.taken:
        draft.stands_for[new.id] = adopted_id(unit.scope, new.id)
    id_ = draft.actual(new.id)
    evidence = [replace(item, node_id=draft.actual(item.node_id)) for item in new.evidence]
    live = [item for item in evidence if _is_live(unit, item.node_id)]
    grounds = {id_, *(item.node_id for item in evidence)}
    twin = id_ if id_ in unit.held else _twin(unit, new, text)
    if (twin is not None and not unit.held[twin].is_live) or any(
        (ground, text.hash) in draft.stones for ground in grounds
    ):
        return WriteOp.TOMBSTONED, None, "it was deleted"
    if twin is not None:
        draft.stands_for[new.id] = twin
        for item in live:
            unit.add_evidence(twin, item.node_id, item.quote)
        return (WriteOp.EXISTS if twin == id_ else WriteOp.DUPLICATE), twin, ""
    if evidence and not live:
        return WriteOp.REFUSED, None, "what it rests on is unknown or deleted"
    _insert(unit, replace(new, id=id_, evidence=tuple(live)), text)
    return WriteOp.ADDED, id_, ""


def _insert(unit: Unit, new: NewNode, text: _Text) -> None:
    row = to_row(new, unit.now, scope_id=unit.scope_id, content_hash=text.hash)
    unit.add(row, text.terms)
    for item in new.evidence:
        unit.add_evidence(new.id, item.node_id, item.quote)


def _twin(unit: Unit, new: NewNode, text: _Text) -> str | None:
    """The current memory that says the same of the same subject."""
    if new.layer is Layer.RAW:
        return None
    for id_ in unit.held_by_hash.get(text.hash, ()):
        node = unit.held[id_].node
        if (node.status, node.layer, node.subject) == (Status.ACTIVE, new.layer, new.subject):
            return id_
    return None


def _is_live(unit: Unit, id_: str) -> bool:
    return id_ in unit.held and unit.held[id_].is_live


def _taken_elsewhere(unit: Unit, ids: Sequence[str]) -> set[str]:
    """Of ids that this scope does not have, those that cannot be used since another has them."""
    absent = [id_ for id_ in ids if id_ not in unit.held]
    return {
        row["id"] for batch in batches(absent) for row in _TAKEN.rows(unit.conn, {"ids": batch})
    }


def _add_evidence(unit: Unit, plan: Plan, draft: _Draft) -> None:
    for id_, item in plan.evidence:
        node, source = draft.actual(id_), draft.actual(item.node_id)
        if node not in unit.held or not _is_live(unit, source):
            continue
        if unit.add_evidence(node, source, item.quote):
            unit.record(node, "EVIDENCE", new={"evidence": source})


def _expire(unit: Unit, id_: str) -> None:
    held = unit.held.get(id_)
    if held is not None and held.node.status is Status.ACTIVE:
        unit.change(id_, "EXPIRE", status=Status.EXPIRED, known_until=unit.now)


def _supersede_all(unit: Unit, plan: Plan, draft: _Draft) -> list[SupersedeOutcome]:
    ids = [draft.actual(id_) for item in plan.supersedes for id_ in (item.new, *item.old)]
    unit.load_links([id_ for id_ in ids if id_ in unit.held])
    return [
        supersede(unit, draft.actual(item.new), [draft.actual(id_) for id_ in item.old], item)
        for item in plan.supersedes
    ]


def _ids_of(plan: Plan) -> Iterator[str]:
    for new in plan.nodes:
        yield new.id
        yield from (item.node_id for item in new.evidence)
    for change in plan.supersedes:
        yield change.new
        yield from change.old
    yield from (item.id for item in plan.hides)
    yield from plan.expires
    for id_, evidence in plan.evidence:
        yield id_
        yield evidence.node_id


def _existing(unit: Unit, id_: str) -> Node:
    unit.load([id_])
    if id_ not in unit.held:
        raise MemoryNotFoundError(
            f"no memory {id_!r} in scope {unit.scope}; list() shows the ids of this scope"
        )
    return unit.held[id_].node


def _editable(unit: Unit, id_: str) -> Node:
    node = _existing(unit, id_)
    if node.layer in _UNEDITABLE:
        raise InputError(
            f"memory {id_!r} is of layer {node.layer}, whose text never changes; "
            "add a new statement instead"
        )
    head = unit.head_of(id_)
    if head != id_:
        raise NotHeadError(
            f"memory {id_!r} was superseded; update the current version {head!r}", head_id=head
        )
    if node.status is Status.SHADOW:
        raise MemoryNotFoundError(f"memory {id_!r} was deleted; restore it before updating it")
    return node


def _next_version(
    scope: Scope,
    old: Node,
    edit: NewNode,
    about: About,
    tags: tuple[str, ...],
    metadata: dict[str, object],
) -> NewNode:
    """What an edit keeps of the version before: all but what it says."""
    return replace(
        edit,
        # the revision, too: a version that was restored may be edited to the same text again
        id=node_id(scope, f"{old.id}:{old.rev}", old.layer, edit.content),
        layer=old.layer,
        memory_type=old.memory_type,
        subject=old.subject,
        dimension=about.dimension or old.dimension,
        value=about.value,
        negated=about.negated,
        tags=tags,
        metadata=metadata,
        agent_id=old.agent_id,
        session_id=old.session_id,
        expires_at=old.expires_at,
    )


_TAKEN = Prepared(
    lambda _, ids: sa.select(_nodes.c.id).where(any_of(_nodes.c.id, "ids", ids)), lists=["ids"]
)
_NEW_VECTOR = ("rev", "vid", "embedding", "fingerprint", "changed")
_SET_EMBEDDING = Prepared(
    lambda _: (
        sa.update(_nodes)
        .where(_nodes.c.scope_id == sa.bindparam("scope_id_"), _nodes.c.id == sa.bindparam("id_"))
        .values({name: sa.bindparam(name, type_=_nodes.c[name].type) for name in _NEW_VECTOR})
    )
)
