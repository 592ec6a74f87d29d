"""Carrying out a plan: nodes, evidence, chains, deletions and jobs in one transaction."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import sqlalchemy as sa

from dualmem_graph.errors import InputError, StoreError
from dualmem_graph.storage import schema
from dualmem_graph.storage.chains import supersede
from dualmem_graph.storage.forgetting import hide, stones_of
from dualmem_graph.storage.ids import adopted_id
from dualmem_graph.storage.jobs import enqueue, finish
from dualmem_graph.storage.prepared import Prepared, any_of
from dualmem_graph.storage.records import (
    Applied,
    NewNode,
    Plan,
    SupersedeOutcome,
    WriteOp,
    WriteOutcome,
    blob_of,
    to_row,
)
from dualmem_graph.storage.unit import Unit, batches
from dualmem_graph.storage.writer import Writer
from dualmem_graph.text.safety import content_hash
from dualmem_graph.text.tokens import index_terms
from dualmem_graph.types import Layer, Scope, Status

_nodes = schema.nodes


class Text(NamedTuple):
    """What is known of a content before the transaction."""

    hash: str
    terms: Sequence[str]
    blob: bytes | None


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


def apply(
    writer: Writer,
    scope: Scope,
    plan: Plan,
    *,
    actor: str,
    reason: str = "",
    adopts: bool = False,
    is_rehearsal: bool = False,
) -> Applied:
    """Carry out a plan; see :meth:`dualmem_graph.storage.store.MemoryStore.apply`.

    Args:
        adopts: the ids come from elsewhere, so another scope may have one; such a node gets an id
            of its own. Ids that this package makes contain their scope and cannot meet.
        is_rehearsal: do all of it, and take it back.
    """
    texts = [read_text(new) for new in plan.nodes]
    try:
        return _apply(writer, scope, plan, texts, actor, reason, adopts, is_rehearsal)
    except StoreError as error:
        if adopts or not isinstance(error.__cause__, writer.ledger.integrity_error):
            raise
        return _apply(writer, scope, plan, texts, actor, reason, True, is_rehearsal)


def read_text(new: NewNode) -> Text:
    """Hash and tokenise a content, and refuse what cannot be stored, before any transaction.

    Raises:
        InputError: it is blank.
        EmbeddingError: its vector cannot be used.
    """
    if not new.content.strip():
        raise InputError(f"memory {new.id!r} has no content ({new.content!r}); leave it out")
    return Text(content_hash(new.content), index_terms(new.content), blob_of(new))


def insert_node(unit: Unit, new: NewNode, text: Text) -> None:
    """Add a node that is not there, with its evidence."""
    row = to_row(new, unit.now, scope_id=unit.scope_id, content_hash=text.hash, blob=text.blob)
    unit.add(row, text.terms)
    for item in new.evidence:
        unit.add_evidence(new.id, item.node_id, item.quote)


def _apply(
    writer: Writer,
    scope: Scope,
    plan: Plan,
    texts: Sequence[Text],
    actor: str,
    reason: str,
    adopts: bool,
    is_rehearsal: bool,
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
        if is_rehearsal:
            unit.abandon()
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


def _write_nodes(unit: Unit, plan: Plan, texts: Sequence[Text], adopts: bool) -> _Draft:
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
    unit: Unit, draft: _Draft, new: NewNode, text: Text
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
    if id_ != new.id or evidence:
        new = replace(new, id=id_, evidence=tuple(live))
    insert_node(unit, new, text)
    return WriteOp.ADDED, id_, ""


def _twin(unit: Unit, new: NewNode, text: Text) -> str | None:
    """The current memory that says the same of the same subject; the oldest where an edit made two.

    One that this plan writes has no place in the order of arrival yet and comes last.
    """
    if new.layer is Layer.RAW:
        return None
    alike = [
        node
        for node in (unit.held[id_].node for id_ in unit.held_by_hash.get(text.hash, ()))
        if (node.status, node.layer, node.subject) == (Status.ACTIVE, new.layer, new.subject)
    ]
    oldest = min(alike, key=lambda node: (node.seq == 0, node.seq), default=None)
    return None if oldest is None else oldest.id


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


_TAKEN = Prepared(
    lambda _, ids: sa.select(_nodes.c.id).where(any_of(_nodes.c.id, "ids", ids)), lists=["ids"]
)
