"""The write path as a LangGraph state machine: the table of contents of this folder.

``START → ingest → extract → (ephemeral? → END) → fast_write → reconcile → profile → END``

``reconcile`` and ``profile`` run as a ledger job by default; :data:`reconcile_graph` is that job.
Nodes are sync functions: LangGraph moves them off the event loop, and all of them reach storage
through the store tools.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import asdict, replace
from datetime import datetime
from typing import Any, Literal

from langgraph.errors import NodeError
from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime
from langgraph.types import Command, RetryPolicy

from dualmem_graph.errors import ModelError
from dualmem_graph.resources import current
from dualmem_graph.storage import tools
from dualmem_graph.storage.records import Lease, NewJob, NewTurn, Plan
from dualmem_graph.system1 import profile as profiles
from dualmem_graph.system1 import rules
from dualmem_graph.system1.extract import extract_with_model, judge, language_of
from dualmem_graph.system1.messages import keep_offset, read_messages
from dualmem_graph.system1.reconcile import (
    Decisions,
    Known,
    decide_by_rules,
    decide_with_model,
)
from dualmem_graph.system1.state import (
    MemoryContext,
    ReconcileInput,
    System1Input,
    System1Output,
    System1State,
    dump,
    load,
    scope_of,
)
from dualmem_graph.system1.write import (
    Origin,
    events_of,
    is_new,
    merged_node,
    oldest_first,
    replaced_by_model,
    statement_nodes,
    written_ids,
)
from dualmem_graph.text.times import zone_of
from dualmem_graph.types import (
    AddEvent,
    BasicInfo,
    Extraction,
    MemoryType,
    Node,
    Scope,
    Skipped,
    Status,
    Turn,
)

logger = logging.getLogger(__name__)

#: What the rules form stands in for. Anything else is a fault of ours and must be seen.
_MODEL_FAILURES = (ModelError, ConnectionError, TimeoutError)
_RETRY = RetryPolicy(max_attempts=2, initial_interval=0.2, retry_on=(ConnectionError, TimeoutError))


# --- ingest


def ingest(
    state: System1State, runtime: Runtime[MemoryContext]
) -> Command[Literal["extract", "__end__"]]:
    """Keep the turns word for word before anything can fail; no model call."""
    scope = scope_of(runtime.context)
    update = _empty_output()
    if state.get("turn_ids"):
        turns = _reload(scope, state["turn_ids"], runtime.context)
        return Command(
            update=update | {"turns": _dump_all(turns), "turn_ids": state["turn_ids"]},
            goto="extract" if turns else END,
        )
    written, skipped, degraded = _store(scope, state, runtime.context)
    update["skipped"] = [dump(item) for item in skipped]
    update["degraded"] = degraded
    update["turn_ids"] = [turn.turn_id for turn in written.turns]
    fresh = [turn for turn, new in zip(written.turns, written.is_new, strict=True) if new]
    if not fresh:
        update["status"] = "duplicate" if written.turns else "ephemeral"
        return Command(update=update, goto=END)
    runtime.stream_writer({"stage": "ingest", "turns": len(fresh)})
    update["turns"] = _dump_all([*_context_turns(scope, fresh, runtime.context), *fresh])
    update["turn_ids"] = [turn.turn_id for turn in fresh]
    update["lease"] = dump(written.job) if written.job else None
    return Command(update=update, goto="extract")


def _store(scope: Scope, state: System1State, context: MemoryContext) -> Any:
    settings = current().settings
    given = state.get("memory_at")
    now = current().clock()
    at = keep_offset(given, zone=settings.timezone) if given is not None else now
    read = read_messages(
        state["messages"], settings=settings, default_at=at, explicit_at=given is not None
    )
    if not read.kept:
        return tools.TurnsWritten((), ()), read.skipped, []
    turns = [NewTurn(**asdict(message)) for message in read.kept]
    written, degraded = tools.store_turns.invoke(
        {
            "scope": scope,
            "turns": turns,
            "session_id": context.session_id,
            "agent_id": context.agent_id,
            "metadata": state.get("metadata"),
            "idempotency_key": state.get("idempotency_key"),
        }
    )
    return written, read.skipped, degraded


def _context_turns(scope: Scope, fresh: Sequence[Turn], context: MemoryContext) -> list[Turn]:
    """Read the turns before these, so that "yes, that one" can be understood."""
    k = current().settings.recent_messages_k
    new = {turn.turn_id for turn in fresh}
    if k == 0:
        return []
    nodes = tools.recent_turns.invoke(
        {"scope": scope, "session_id": context.session_id, "k": k + len(fresh)}
    )
    earlier = [node for node in nodes if node.id not in new][-k:]
    return [_turn(node, -len(earlier) + place, True) for place, node in enumerate(earlier)]


def _reload(scope: Scope, turn_ids: Sequence[str], context: MemoryContext) -> list[Turn]:
    """Read stored turns again, for a job that repeats the extraction."""
    nodes = tools.load_nodes.invoke({"scope": scope, "ids": list(turn_ids)})
    alive = [node for node in nodes if node.status is Status.ACTIVE]
    return [_turn(node, place, False) for place, node in enumerate(alive)]


def _turn(node: Node, index: int, is_context: bool) -> Turn:
    assert node.memory_at is not None
    zone = zone_of(current().settings.timezone, node.memory_at)
    return Turn(
        turn_id=node.id,
        index=index,
        role=node.role or "user",
        text=node.content,
        at=node.memory_at.astimezone(zone),
        name=node.name,
        message_id=node.message_id,
        is_context=is_context,
    )


# --- extract


def extract(
    state: System1State, runtime: Runtime[MemoryContext]
) -> Command[Literal["fast_write", "__end__"]]:
    """Gate and extract in one model call; with no model configured, by rules."""
    resources = current()
    scope = scope_of(runtime.context)
    turns = _load_turns(state)
    if resources.chat is None:
        return _judged(state, runtime, _extract_by_rules(turns))
    info = resources.store.scope_info(scope)
    extraction = extract_with_model(
        resources.chat,
        turns,
        settings=resources.settings,
        scope_id=info.id if info else None,
    )
    return _judged(state, runtime, extraction)


def extract_by_rules(
    state: System1State, error: NodeError, runtime: Runtime[MemoryContext]
) -> Command[Literal["fast_write", "__end__"]]:
    """Stand in for the model: the write is never blocked, and the model's turn comes again."""
    cause = error.error
    if not isinstance(cause, _MODEL_FAILURES):
        raise cause
    reason = f"extract: {cause}"
    logger.warning("the model could not extract, the rules do: %s", cause)
    degraded = {"degraded": [*state["degraded"], reason], "status": "partial"}
    command = _judged({**state, **degraded}, runtime, _extract_by_rules(_load_turns(state)))  # type: ignore[typeddict-item]
    return replace(command, update={**degraded, **(command.update or {})})


def _extract_by_rules(turns: Sequence[Turn]) -> Extraction:
    settings = current().settings
    return rules.extract(
        turns,
        language=settings.language,
        zone=zone_of(settings.timezone, turns[-1].at),
        max_items=settings.extract_max_items,
    )


def _judged(
    state: System1State, runtime: Runtime[MemoryContext], extraction: Extraction
) -> Command[Literal["fast_write", "__end__"]]:
    scope = scope_of(runtime.context)
    turns = _load_turns(state)
    own = [turn.text for turn in turns if turn.role == "user" and not turn.is_context]

    def novelty() -> float:
        found: float = tools.read_novelty.invoke({"scope": scope, "texts": own[-8:]})
        return found

    judged = judge(extraction, turns, settings=current().settings, novelty=novelty)
    failed = state["status"] == "partial"
    runtime.stream_writer(
        {"stage": "extract", "extractor": judged.extractor, "found": len(judged.candidates)}
    )
    update = {
        "extraction": dump(judged),
        "gate": dump(judged.gate),
        "extractor": judged.extractor,
        "skipped": state["skipped"] + [dump(item) for item in judged.skipped],
    }
    if judged.candidates or judged.basic_info:
        return Command(update=update, goto="fast_write")
    # nothing to write; a failed model call is handed back, so that it is tried again
    lease = _lease(state)
    if failed:
        tools.retry_job.invoke({"lease": lease, "error": state["degraded"][-1]})
        update["job_id"] = lease.job_id if lease else None
    else:
        tools.finish_job.invoke({"scope": scope, "lease": lease})
        update["status"] = "ephemeral"
    return Command(update=update, goto=END)


# --- fast_write


def fast_write(state: System1State, runtime: Runtime[MemoryContext]) -> dict[str, Any]:
    """Write what was extracted, findable at once, and the job that reconciles it."""
    scope = scope_of(runtime.context)
    turns = _load_turns(state)
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
    lease = _lease(state)
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


def route_reconcile(
    state: System1State, runtime: Runtime[MemoryContext]
) -> Literal["reconcile", "__end__"]:
    """Reconcile now where the caller waits for it; else the ledger's job does."""
    return "reconcile" if runtime.context.reconcile == "sync" else "__end__"


# --- reconcile


def reconcile(state: System1State, runtime: Runtime[MemoryContext]) -> dict[str, Any]:
    """Tie new statements to the heads they replace; the store checks every chain rule."""
    scope = scope_of(runtime.context)
    new = _current_statements(scope, state["written"])
    if not new:
        return {}
    known = _known(scope, new)
    decisions = _decide(scope, new, known)
    return _applied(scope, new, decisions, state, runtime)


def reconcile_later(
    state: System1State, error: NodeError, runtime: Runtime[MemoryContext]
) -> Command[Literal["profile"]]:
    """Leave the new statements stored and unmerged; the job is retried."""
    cause = error.error
    if not isinstance(cause, _MODEL_FAILURES):
        raise cause
    logger.warning("the model could not reconcile, the job is retried: %s", cause)
    lease = _lease(state)
    tools.retry_job.invoke({"lease": lease, "error": f"reconcile: {cause}"})
    update: dict[str, Any] = {
        "degraded": [*(state.get("degraded") or []), f"reconcile: {cause}"],
        "lease": None,
    }
    return Command(update=update, goto="profile")


def _current_statements(scope: Scope, ids: Sequence[str]) -> list[Node]:
    nodes = tools.load_nodes.invoke({"scope": scope, "ids": list(ids)})
    return oldest_first(node for node in nodes if node.status is Status.ACTIVE)


def _known(scope: Scope, new: Sequence[Node]) -> dict[str, list[Known]]:
    settings = current().settings
    related = tools.find_related.invoke(
        {
            "scope": scope,
            "ids": [node.id for node in new],
            "per_statement": settings.reconcile_candidates,
            "min_similarity": settings.reconcile_min_similarity,
        }
    )
    return {key: [Known(item.node, item.similarity) for item in items] for key, items in related.items()}


def _decide(scope: Scope, new: Sequence[Node], known: dict[str, list[Known]]) -> Decisions:
    resources = current()
    from_rules = [node for node in new if node.extractor != "llm"]
    if resources.chat is None or len(from_rules) == len(new):
        return decide_by_rules(new, known, resources.settings)
    turns = _turns_behind(scope, new)
    info = resources.store.scope_info(scope)
    return decide_with_model(
        resources.chat,
        new,
        known,
        settings=resources.settings,
        language=language_of(turns, resources.settings),
        forget_requested=any(rules.asks_to_forget(turn.text) for turn in turns),
        scope_id=info.id if info else None,
    )


def _turns_behind(scope: Scope, nodes: Sequence[Node]) -> list[Turn]:
    sources = current().store.sources(scope, [node.id for node in nodes])
    found = {item.node.id: item.node for items in sources.values() for item in items}
    return [_turn(node, place, False) for place, node in enumerate(found.values())]


def _applied(
    scope: Scope,
    new: Sequence[Node],
    decisions: Decisions,
    state: System1State,
    runtime: Runtime[MemoryContext],
) -> dict[str, Any]:
    by_id = {node.id: node for node in new}
    plan = _with_merges(scope, by_id, decisions)
    plan = replace(plan, supersedes=[*plan.supersedes, *_replacing_rules(scope, new, plan)])
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
        node = merged_node(new[merge.new], old, merge.content)
        nodes.append(node)
        supersedes.append(
            tools.Supersede(
                node.id, (merge.new, *merge.old), tools.UpdateType.SUPPLEMENT, explicit=True
            )
        )
    return Plan(nodes=nodes, supersedes=supersedes, hides=decisions.hides)


def _replacing_rules(scope: Scope, new: Sequence[Node], plan: Plan) -> list[tools.Supersede]:
    """Where the model now did what the rules did before: put theirs below the model's."""
    by_model = [node for node in new if node.extractor == "llm"]
    if not by_model:
        return []
    turns = [turn.turn_id for turn in _turns_behind(scope, by_model)]
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


# --- profile


def profile(state: System1State, runtime: Runtime[MemoryContext]) -> dict[str, Any]:
    """Bring the profile (L0) up to date, one chain per key, and close the job."""
    scope = scope_of(runtime.context)
    info = [load(BasicInfo, item) for item in state["extraction"].get("basic_info", [])]
    turns = _reload(scope, state["turn_ids"], runtime.context) if info else []
    facts = _current_statements(scope, state["written"])
    wanted = profiles.entries(info, turns, facts)
    current_entries = tools.read_profile.invoke({"scope": scope})
    plan = Plan()
    if wanted or current_entries:
        grounds = tools.read_grounds.invoke(
            {"scope": scope, "ids": [node.id for node in current_entries]}
        )
        plan = profiles.profile_plan(scope, wanted, current_entries, grounds)
    plan = replace(plan, finish=_lease(state))
    if plan == Plan():
        return {}
    applied, _ = tools.write_plan.invoke(
        {"scope": scope, "plan": plan, "actor": "system1", "reason": "profile"}
    )
    events = events_of(applied)
    runtime.stream_writer({"stage": "profile", "events": [dump(event) for event in events]})
    return {"events": (state.get("events") or []) + [dump(event) for event in events]}


# --- shared


def _empty_output() -> dict[str, Any]:
    return {
        "status": "stored",
        "gate": None,
        "events": [],
        "extractor": None,
        "skipped": [],
        "job_id": None,
        "turn_ids": [],
        "degraded": [],
        "turns": [],
        "written": [],
    }


def _load_turns(state: System1State) -> list[Turn]:
    return [load(Turn, item) for item in state["turns"]]


def _dump_all(turns: Sequence[Turn]) -> list[dict[str, Any]]:
    return [dump(turn) for turn in turns]


def _lease(state: System1State) -> Lease | None:
    raw = state.get("lease")
    return load(Lease, raw) if raw else None


def newest(turns: Sequence[Turn]) -> datetime:
    """Return when the last of the turns was said."""
    return max(turn.at for turn in turns)


# --- the graphs

system1_builder = StateGraph(
    System1State,
    context_schema=MemoryContext,
    input_schema=System1Input,
    output_schema=System1Output,
)
system1_builder.add_node(ingest)
system1_builder.add_node(extract, retry_policy=_RETRY, error_handler=extract_by_rules)
system1_builder.add_node(fast_write)
system1_builder.add_node(reconcile, retry_policy=_RETRY, error_handler=reconcile_later)
system1_builder.add_node(profile)
system1_builder.add_edge(START, "ingest")
system1_builder.add_conditional_edges("fast_write", route_reconcile)
system1_builder.add_edge("reconcile", "profile")
system1_builder.add_edge("profile", END)
system1 = system1_builder.compile(name="system1")

reconcile_builder = StateGraph(
    System1State,
    context_schema=MemoryContext,
    input_schema=ReconcileInput,
    output_schema=System1Output,
)
reconcile_builder.add_node(reconcile, retry_policy=_RETRY, error_handler=reconcile_later)
reconcile_builder.add_node(profile)
reconcile_builder.add_edge(START, "reconcile")
reconcile_builder.add_edge("reconcile", "profile")
reconcile_builder.add_edge("profile", END)
reconcile_graph = reconcile_builder.compile(name="reconcile")
