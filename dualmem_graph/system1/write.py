"""The ``fast_write`` node: what was extracted becomes nodes, findable at once.

Ids are deterministic and a statement rests on its turn; reconciling is handed on.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from langgraph.runtime import Runtime

from dualmem_graph.storage import tools
from dualmem_graph.storage.ids import node_id
from dualmem_graph.storage.records import Applied, Evidence, NewJob, NewNode, Plan, WriteOp
from dualmem_graph.system1.state import (
    MemoryContext,
    System1State,
    dump,
    lease_of,
    load,
    scope_of,
    turns_of,
)
from dualmem_graph.types import (
    AddEvent,
    Candidate,
    Emotion,
    Extraction,
    Layer,
    MemoryType,
    Node,
    Scope,
    Turn,
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


def fast_write(state: System1State, runtime: Runtime[MemoryContext]) -> dict[str, Any]:
    """Write what was extracted, findable at once, and the job that reconciles it."""
    scope = scope_of(runtime.context)
    turns = turns_of(state)
    extraction = load(Extraction, state["extraction"])
    memory_type = state.get("memory_type")
    origin = Origin(
        session_id=runtime.context.session_id,
        agent_id=runtime.context.agent_id,
        metadata=state.get("metadata"),
        memory_type=MemoryType(memory_type) if memory_type else None,
        extractor=extraction.extractor,
        emotion=extraction.emotion,
    )
    nodes = statement_nodes(scope, extraction.candidates, turns, origin)
    failed = state["status"] == "partial"
    lease = lease_of(state)
    payload = {
        "written": [node.id for node in nodes],
        "turn_ids": state["turn_ids"],
        "extraction": {"basic_info": [dump(item) for item in extraction.basic_info]},
    }
    # reconciled within this run, the claimed job stays open until it is done; else it is handed on
    stays_open = failed or runtime.context.reconcile == "sync"
    job = NewJob("reconcile", state["turn_ids"][0], payload)
    plan = Plan(
        nodes=nodes,
        jobs=[] if runtime.context.reconcile == "sync" else [job],
        finish=None if stays_open else lease,
    )
    applied, degraded = tools.write_plan.invoke(
        {"scope": scope, "plan": plan, "actor": "system1", "reason": extraction.extractor}
    )
    if failed:
        tools.retry_job.invoke({"lease": lease, "error": state["degraded"][-1]})
    events = events_of(applied)
    runtime.stream_writer({"stage": "fast_write", "events": [dump(event) for event in events]})
    return {
        "written": written_ids(applied),
        "events": [dump(event) for event in events],
        "status": _status(state, is_new(applied), bool(events), bool(degraded)),
        "degraded": state["degraded"] + degraded,
        "job_id": applied.jobs[0] if applied.jobs else None,
        "lease": None if failed or not stays_open else state.get("lease"),
    }


def _status(state: System1State, added: bool, found: bool, pending: bool) -> str:
    if state["status"] == "partial":
        return "partial"
    if pending or any(reason.startswith("embedding") for reason in state["degraded"]):
        return "pending"
    return "stored" if added or not found else "duplicate"


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
    assistant = candidate.subject == "assistant"
    intention = candidate.layer is Layer.INTENTION
    return NewNode(
        id=key,
        layer=candidate.layer,
        content=candidate.content,
        memory_type=origin.memory_type or candidate.memory_type,
        subject=candidate.subject,
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


def events_of(applied: Applied) -> list[AddEvent]:
    """Tell what a written plan did, one event per node."""
    return [
        AddEvent(
            op="ADD" if outcome.op is WriteOp.ADDED else str(outcome.op),
            memory_id=outcome.node.id,
            layer=outcome.node.layer,
            content=outcome.node.content,
        )
        for outcome in applied.nodes
        if outcome.node is not None
    ]


def written_ids(applied: Applied) -> list[str]:
    """Return the ids that now stand for what was to be written, each once."""
    ids = (outcome.node.id for outcome in applied.nodes if outcome.node is not None)
    return list(dict.fromkeys(ids))


def is_new(applied: Applied) -> bool:
    """Tell whether anything was added that was not there before."""
    return any(outcome.op is WriteOp.ADDED for outcome in applied.nodes)


def oldest_first(nodes: Iterable[Node]) -> list[Node]:
    """Order statements as they were said: (memory_at, turn order, arrival)."""

    def order(node: Node) -> tuple[datetime, int, int]:
        assert node.memory_at is not None  # the ledger always holds it
        return (node.memory_at, node.turn_index, node.seq)

    return sorted(nodes, key=order)
