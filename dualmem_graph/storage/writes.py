"""The writes of one call: turns, an edit, a deletion, its undoing, vectors.

Each is one transaction, all or nothing. What takes time (hashing, tokenising, checking vectors)
happens before it; within it the scope is touched first, a
:class:`~dualmem_graph.storage.unit.Unit` collects what changes, and
:func:`~dualmem_graph.storage.flush.flush` writes it.
"""

from __future__ import annotations

from dataclasses import replace

import sqlalchemy as sa

from dualmem_graph.errors import ConflictError, InputError, MemoryNotFoundError, NotHeadError
from dualmem_graph.storage import schema
from dualmem_graph.storage.chains import supersede
from dualmem_graph.storage.forgetting import bring_back, hide
from dualmem_graph.storage.ids import node_id
from dualmem_graph.storage.jobs import enqueue
from dualmem_graph.storage.plans import insert_node, read_text
from dualmem_graph.storage.prepared import Prepared
from dualmem_graph.storage.records import (
    About,
    Deleted,
    Lease,
    NewJob,
    NewNode,
    Supersede,
    TurnsWritten,
    Vector,
    to_blob,
)
from dualmem_graph.storage.reembedding import refuse_other
from dualmem_graph.storage.turns import Conversation, keep_turns
from dualmem_graph.storage.unit import Unit
from dualmem_graph.storage.writer import Writer
from dualmem_graph.types import Layer, Node, Scope, Status

_nodes = schema.nodes
# their text is never edited: turns are what was said, schemas keep their wording for life
_UNEDITABLE = (Layer.RAW, Layer.SCHEMA)


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
        turns, is_new, purged = keep_turns(unit, talk)
        if not any(is_new):
            unit.abandon()
            return TurnsWritten(tuple(turns), tuple(is_new), purged=tuple(purged))
        claimed = None
        if job is not None:
            new_ids = [turn.turn_id for turn, new in zip(turns, is_new, strict=True) if new]
            job = _about_turns(job, new_ids)
            queued = enqueue(
                unit.conn, scope, unit.scope_id, unit.revision, [job], unit.now, lease=lease
            )
            claimed = queued[0].lease
    return TurnsWritten(tuple(turns), tuple(is_new), claimed, tuple(purged))


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
    revision: int | None,
    actor: str,
    lease: float | None,
) -> tuple[Node, Lease | None]:
    """Write a new version of a memory that supersedes it, and claim the job of its profile entry.

    With ``lease`` (seconds) the caller brings the profile up to date itself; only if it does not
    live to do so, a runner of jobs does.
    """
    if not content.strip():
        raise InputError(f"content {content!r} is blank; to forget a memory, delete it")
    new_version = NewNode(id_, Layer.FACT, content, embedding=embedding, fingerprint=fingerprint)
    text = read_text(new_version)
    claimed = None
    with writer.unit(scope, actor) as unit:
        old = _editable(unit, id_)
        if revision is not None and revision != old.rev:
            raise ConflictError(
                f"memory {id_!r} is at revision {old.rev}, not {revision!r}: it was changed since "
                "it was read; get() it again and decide anew"
            )
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
            insert_node(unit, new, text)
            for source in unit.evidence_of([id_])[id_]:
                unit.add_evidence(new_id, source)
            unit.load_links([id_])
            supersede(unit, new_id, [id_], Supersede(new_id, (id_,), explicit=True))
            claimed = None if lease is None else _queue_profile(unit, new_id, lease)
    return unit.held[new_id].node, claimed


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
        refuse_other(unit.conn, fingerprint)
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


def _queue_profile(unit: Unit, id_: str, lease: float) -> Lease | None:
    payload = {"written": [id_], "turn_ids": [], "extraction": {}}
    job = NewJob("reconcile", id_, payload)
    queued = enqueue(
        unit.conn, unit.scope, unit.scope_id, unit.revision, [job], unit.now, lease=lease
    )
    return queued[0].lease


def _about_turns(job: NewJob, turn_ids: list[str]) -> NewJob:
    """Name a job by the first new turn, unless the caller did, and tell it which turns are new."""
    payload = {"turn_ids": turn_ids} | dict(job.payload)
    return replace(job, key=job.key or turn_ids[0], payload=payload)


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


_NEW_VECTOR = ("rev", "vid", "embedding", "fingerprint", "changed")
_SET_EMBEDDING = Prepared(
    lambda _: (
        sa.update(_nodes)
        .where(_nodes.c.scope_id == sa.bindparam("scope_id_"), _nodes.c.id == sa.bindparam("id_"))
        .values({name: sa.bindparam(name, type_=_nodes.c[name].type) for name in _NEW_VECTOR})
    )
)
