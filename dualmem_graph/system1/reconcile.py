"""The ``reconcile`` node: tie new statements to the heads they replace.

:mod:`~dualmem_graph.system1.decisions` proposes (by model or by rules); the store checks every
chain rule; what it refuses is reported.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

from langgraph.errors import NodeError
from langgraph.runtime import Runtime
from langgraph.types import Command

from dualmem_graph.resources import current
from dualmem_graph.storage import tools
from dualmem_graph.storage.ids import node_id
from dualmem_graph.storage.records import Evidence, NewNode, Plan, Related, Supersede, TurnEvidence
from dualmem_graph.system1 import rules
from dualmem_graph.system1.decisions import Decisions, decide_by_rules, decide_with_model
from dualmem_graph.system1.extract import MODEL_FAILURES, language_of
from dualmem_graph.system1.ingest import as_turn
from dualmem_graph.system1.state import MemoryContext, System1State, dump, lease_of, scope_of
from dualmem_graph.system1.write import events_of, oldest_first, written_ids
from dualmem_graph.text.tokens import index_terms
from dualmem_graph.types import AddEvent, Node, Scope, Skipped, Status, Turn, UpdateType

logger = logging.getLogger(__name__)

#: Per statement, the turns that it rests on.
Sources = Mapping[str, Sequence[TurnEvidence]]


def reconcile(state: System1State, runtime: Runtime[MemoryContext]) -> dict[str, Any]:
    """Tie new statements to the heads they replace; the store checks every chain rule."""
    scope = scope_of(runtime.context)
    new = current_statements(scope, state["written"])
    if not new:
        return {}
    known = _known(scope, new)
    sources = _sources(scope, new)
    decisions = _decide(scope, new, known, sources)
    return _applied(scope, new, decisions, sources, state, runtime)


def reconcile_later(
    state: System1State, error: NodeError, runtime: Runtime[MemoryContext]
) -> Command[Literal["profile"]]:
    """Leave the new statements stored and unmerged; the job is retried."""
    cause = error.error
    if not isinstance(cause, MODEL_FAILURES):
        raise cause
    logger.warning("the model could not reconcile (%s), the job is retried", type(cause).__name__)
    logger.debug("reconcile: %s", cause)
    lease = lease_of(state)
    tools.retry_job.invoke({"lease": lease, "error": f"reconcile: {cause}"})
    update: dict[str, Any] = {
        "degraded": [*(state.get("degraded") or []), f"reconcile: {cause}"],
        "lease": None,
    }
    return Command(update=update, goto="profile")


def current_statements(scope: Scope, ids: Sequence[str]) -> list[Node]:
    """Read those of ``ids`` that are still current, oldest first."""
    nodes = tools.load_nodes.invoke({"scope": scope, "ids": list(ids)})
    return oldest_first(node for node in nodes if node.status is Status.ACTIVE)


def _known(scope: Scope, new: Sequence[Node]) -> dict[str, list[Related]]:
    settings = current().settings
    related: dict[str, list[Related]] = tools.find_related.invoke(
        {
            "scope": scope,
            "ids": [node.id for node in new],
            "per_statement": settings.reconcile_candidates,
            "min_similarity": settings.reconcile_min_similarity,
        }
    )
    return related


def _sources(scope: Scope, new: Sequence[Node]) -> Sources:
    """Read the turns behind new statements; the rules form needs none."""
    if all(node.extractor != "llm" for node in new):
        return {}
    found: Sources = tools.read_sources.invoke({"scope": scope, "ids": [node.id for node in new]})
    return found


def _decide(
    scope: Scope, new: Sequence[Node], known: dict[str, list[Related]], sources: Sources
) -> Decisions:
    resources = current()
    if resources.chat is None or not sources:
        return decide_by_rules(new, known, resources.settings)
    turns = _turns_behind(new, sources)
    return decide_with_model(
        resources.chat,
        new,
        known,
        settings=resources.settings,
        language=language_of(turns, resources.settings),
        forget_requested=any(rules.asks_to_forget(turn.text) for turn in turns),
        scope_id=tools.scope_number(scope),
    )


def _turns_behind(nodes: Sequence[Node], sources: Sources) -> list[Turn]:
    found = {item.node.id: item.node for node in nodes for item in sources.get(node.id, ())}
    return [as_turn(node, place, False) for place, node in enumerate(found.values())]


def _applied(
    scope: Scope,
    new: Sequence[Node],
    decisions: Decisions,
    sources: Sources,
    state: System1State,
    runtime: Runtime[MemoryContext],
) -> dict[str, Any]:
    by_id = {node.id: node for node in new}
    if decisions.skipped:
        # a reason may quote a memory, so it is for the result and the debug log only
        logger.warning("reconcile: %d updates of the model were refused", len(decisions.skipped))
        logger.debug("refused: %s", [item.reason for item in decisions.skipped])
    plan = _with_merges(scope, by_id, decisions)
    replacing = _replacing_rules(scope, new, plan, sources)
    plan = replace(plan, supersedes=[*plan.supersedes, *replacing])
    if not (plan.supersedes or plan.nodes or plan.hides):
        return {"skipped": (state.get("skipped") or []) + [dump(s) for s in decisions.skipped]}
    applied, degraded = tools.write_chains.invoke(
        {"scope": scope, "plan": plan, "actor": "system1", "reason": "reconcile"}
    )
    refused = [
        Skipped(f"not superseded: {why}", target)
        for outcome in applied.supersedes
        for target, why in outcome.refused
    ]
    events = _chain_events(scope, plan, applied)
    runtime.stream_writer({"stage": "reconcile", "events": [dump(event) for event in events]})
    return {
        "events": (state.get("events") or []) + [dump(event) for event in events],
        "skipped": (state.get("skipped") or [])
        + [dump(item) for item in (*decisions.skipped, *refused)],
        "written": [*state["written"], *written_ids(applied)],
        "degraded": (state.get("degraded") or []) + degraded,
    }


def _with_merges(scope: Scope, new: dict[str, Node], decisions: Decisions) -> Plan:
    nodes = []
    supersedes = list(decisions.supersedes)
    for merge in decisions.merges:
        old = tools.load_nodes.invoke({"scope": scope, "ids": list(merge.old)})
        node = merged_node(scope, new[merge.new], old, merge.content)
        nodes.append(node)
        supersedes.append(
            Supersede(node.id, (merge.new, *merge.old), UpdateType.SUPPLEMENT, explicit=True)
        )
    return Plan(nodes=nodes, supersedes=supersedes, hides=decisions.hides)


def _replacing_rules(
    scope: Scope, new: Sequence[Node], plan: Plan, sources: Sources
) -> list[Supersede]:
    """Where the model now did what the rules did before: put theirs below the model's."""
    by_model = [node for node in new if node.extractor == "llm"]
    if not by_model:
        return []
    turns = [turn.turn_id for turn in _turns_behind(by_model, sources)]
    drawn = tools.read_evidence.invoke({"scope": scope, "ids": turns})
    retired = {old for item in plan.supersedes for old in item.old}
    old = [
        node
        for nodes in drawn.values()
        for node in nodes
        if node.extractor == "rules" and node.status is Status.ACTIVE and node.id not in retired
    ]
    return replaced_by_model(by_model, old)


def _chain_events(scope: Scope, plan: Plan, applied: Any) -> list[AddEvent]:
    kinds = {item.new: item.update_type for item in plan.supersedes}
    tied = [outcome for outcome in applied.supersedes if outcome.applied]
    nodes = {
        node.id: node
        for node in tools.load_nodes.invoke({"scope": scope, "ids": [item.new for item in tied]})
    }
    events = events_of(applied)
    events += [
        AddEvent(
            op="SUPERSEDE",
            memory_id=outcome.new,
            layer=nodes[outcome.new].layer,
            content=nodes[outcome.new].content,
            supersedes=outcome.applied,
            update_type=kinds.get(outcome.new),
        )
        for outcome in tied
        if outcome.new in nodes
    ]
    return events


def replaced_by_model(new: Sequence[Node], from_rules: Iterable[Node]) -> list[Supersede]:
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


def merged_node(scope: Scope, new: Node, old: Sequence[Node], content: str) -> NewNode:
    """Build the node of a merge; it rests on what the merged ones rest on, through them."""
    reading = rules.read_statement(content)
    return NewNode(
        id=node_id(scope, new.id, new.layer, content),
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
