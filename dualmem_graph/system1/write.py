"""From what was extracted to the nodes that are written: ids, evidence, repeats.

Pure functions; the graph's nodes call the store tools.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from dualmem_graph.storage.ids import node_id
from dualmem_graph.storage.records import Applied, Evidence, NewNode, Supersede, WriteOp
from dualmem_graph.storage.tools import Related
from dualmem_graph.system1 import rules
from dualmem_graph.text.tokens import index_terms
from dualmem_graph.types import (
    AddEvent,
    Candidate,
    Emotion,
    Layer,
    MemoryType,
    Node,
    Scope,
    Turn,
    UpdateType,
)


@dataclass(frozen=True, slots=True)
class Origin:
    """What all nodes of one ``add`` share."""

    session_id: str | None = None
    agent_id: str | None = None
    metadata: Mapping[str, Any] | None = None
    memory_type: MemoryType | None = None
    extractor: str = "rules"
    emotion: Emotion | None = None


def statement_nodes(
    scope: Scope, candidates: Sequence[Candidate], turns: Sequence[Turn], origin: Origin
) -> list[NewNode]:
    """Give every statement its deterministic id, its evidence and its time.

    The id rests on scope, turn, layer and text alone: a step that is run again after a crash
    writes nothing twice.
    """
    by_index = {turn.index: turn for turn in turns if not turn.is_context}
    nodes: dict[str, NewNode] = {}
    for candidate in candidates:
        turn = by_index.get(candidate.turn_index)
        if turn is None:
            continue
        key = node_id(scope, turn.turn_id, candidate.layer, candidate.content)
        nodes.setdefault(key, _node(key, candidate, turn, origin))
    return list(nodes.values())


def _node(key: str, candidate: Candidate, turn: Turn, origin: Origin) -> NewNode:
    assistant = candidate.subject == "assistant" or turn.role == "assistant"
    intention = candidate.layer is Layer.INTENTION
    return NewNode(
        id=key,
        layer=candidate.layer,
        content=candidate.content,
        memory_type=origin.memory_type or candidate.memory_type,
        subject="assistant" if assistant else candidate.subject,
        dimension=candidate.dimension,
        value=candidate.value,
        negated=candidate.negated,
        tags=candidate.tags,
        metadata=dict(origin.metadata or {}),
        emotion=origin.emotion,
        agent_id=origin.agent_id,
        session_id=origin.session_id,
        source="assistant" if assistant else "user",
        extractor=origin.extractor,
        memory_at=turn.at,
        event=candidate.event,
        expires_at=candidate.event.end if intention and candidate.event else None,
        turn_index=turn.index,
        evidence=(Evidence(turn.turn_id, candidate.quote),),
    )


def replaced_by_model(
    new: Sequence[Node], from_rules: Iterable[Node]
) -> list[Supersede]:
    """Tie what the rules form drew earlier from the same turns below what the model drew now.

    Each old statement goes to the new one of its dimension, else to the one it shares most words
    with; so the fallback is superseded, not doubled.
    """
    grouped: dict[str, list[str]] = {}
    for old in from_rules:
        if not new or any(node.id == old.id for node in new):
            continue
        words = set(index_terms(old.content))

        def likeness(
            node: Node, words: set[str] = words, dimension: str | None = old.dimension
        ) -> tuple[bool, int]:
            same = dimension is not None and node.dimension == dimension
            return same, len(words & set(index_terms(node.content)))

        grouped.setdefault(max(new, key=likeness).id, []).append(old.id)
    return [
        Supersede(node, tuple(olds), UpdateType.SUPPLEMENT, explicit=True)
        for node, olds in grouped.items()
    ]


def merged_node(new: Node, old: Sequence[Node], content: str) -> NewNode:
    """Build the node of a merge; it rests on what the merged ones rest on, through them."""
    reading = rules.read_statement(content)
    return NewNode(
        id=node_id_of_merge(new, content),
        layer=new.layer,
        content=content,
        memory_type=new.memory_type,
        subject=new.subject,
        dimension=reading.dimension if reading else new.dimension,
        value=reading.value if reading else new.value,
        negated=reading.negated if reading else new.negated,
        tags=tuple(dict.fromkeys(tag for node in (new, *old) for tag in node.tags))[:3],
        metadata=dict(new.metadata),
        emotion=new.emotion,
        agent_id=new.agent_id,
        session_id=new.session_id,
        source=new.source,
        extractor="llm",
        memory_at=new.memory_at,
        event=new.event,
        turn_index=new.turn_index,
        evidence=tuple(Evidence(node.id) for node in (new, *old)),
    )


def node_id_of_merge(new: Node, content: str) -> str:
    """Make the id of a merge from the newer statement's id and the merged text."""
    return node_id(Scope("merge", new.id), new.id, new.layer, content)


def events_of(applied: Applied) -> list[AddEvent]:
    """Tell what a written plan did, one event per node written and per chain tied."""
    events = [
        AddEvent(
            op="ADD" if outcome.op is WriteOp.ADDED else str(outcome.op),
            memory_id=outcome.node.id,
            layer=outcome.node.layer,
            content=outcome.node.content,
        )
        for outcome in applied.nodes
        if outcome.node is not None
    ]
    return events


def written_ids(applied: Applied) -> list[str]:
    """Return the ids that now stand for what was to be written, each once."""
    ids = (outcome.node.id for outcome in applied.nodes if outcome.node is not None)
    return list(dict.fromkeys(ids))


def is_new(applied: Applied) -> bool:
    """Tell whether anything was added that was not there before."""
    return any(outcome.op is WriteOp.ADDED for outcome in applied.nodes)


def as_known(related: Mapping[str, Sequence[Related]]) -> dict[str, list[Related]]:
    """Copy the related memories, so that a decision may add to them."""
    return {key: list(items) for key, items in related.items()}


def oldest_first(nodes: Iterable[Node]) -> list[Node]:
    """Order statements as they were said: (memory_at, turn order, arrival)."""

    def order(node: Node) -> tuple[datetime, int, int]:
        assert node.memory_at is not None  # the ledger always holds it
        return (node.memory_at, node.turn_index, node.seq)

    return sorted(nodes, key=order)
