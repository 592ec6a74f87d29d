"""The ``ingest`` node: keep what was said word for word, before anything can fail."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Literal

from langgraph.runtime import Runtime
from langgraph.types import Command

from dualmem_graph.resources import current
from dualmem_graph.storage import tools
from dualmem_graph.storage.records import NewTurn, TurnsWritten
from dualmem_graph.system1.messages import keep_offset, read_messages
from dualmem_graph.system1.state import (
    MemoryContext,
    System1State,
    dump,
    empty_output,
    lease_of,
    scope_of,
)
from dualmem_graph.text.times import zone_of
from dualmem_graph.types import Node, Scope, Skipped, Status, Turn


def ingest(
    state: System1State, runtime: Runtime[MemoryContext]
) -> Command[Literal["extract", "__end__"]]:
    """Keep the turns word for word before anything can fail; no model call."""
    scope = scope_of(runtime.context)
    update = empty_output()
    if state.get("turn_ids") is not None:  # a job's, which has none left where all were purged
        turns = load_turns(scope, state["turn_ids"])
        if not turns:
            tools.finish_job.invoke({"scope": scope, "lease": lease_of(state)})
        return Command(
            update=update
            | {"turns": [dump(turn) for turn in turns], "turn_ids": state["turn_ids"]},
            goto="extract" if turns else "__end__",
        )
    written, skipped, degraded = _store(scope, state, runtime.context)
    update["skipped"] = [dump(item) for item in skipped]
    update["degraded"] = degraded
    update["turn_ids"] = [turn.turn_id for turn in written.turns]
    fresh = [turn for turn, new in zip(written.turns, written.is_new, strict=True) if new]
    if not fresh:
        update["status"] = "duplicate" if written.turns or written.purged else "ephemeral"
        return Command(update=update, goto="__end__")
    runtime.stream_writer({"stage": "ingest", "turns": len(fresh)})
    update["turns"] = [
        dump(turn) for turn in (*_context_turns(scope, fresh, runtime.context), *fresh)
    ]
    update["turn_ids"] = [turn.turn_id for turn in fresh]
    update["lease"] = dump(written.job) if written.job else None
    return Command(update=update, goto="extract")


def _store(
    scope: Scope, state: System1State, context: MemoryContext
) -> tuple[TurnsWritten, tuple[Skipped, ...], list[str]]:
    settings = current().settings
    given = state.get("memory_at")
    now = current().clock()
    at = keep_offset(given, zone=settings.timezone) if given is not None else now
    read = read_messages(
        state["messages"], settings=settings, default_at=at, explicit_at=given is not None
    )
    if not read.kept:
        return TurnsWritten((), ()), read.skipped, []
    turns = [NewTurn(**asdict(message)) for message in read.kept]
    written, degraded = tools.store_turns.invoke(
        {
            "scope": scope,
            "turns": turns,
            "session_id": context.session_id,
            "agent_id": context.agent_id,
            "metadata": state.get("metadata"),
            "memory_type": state.get("memory_type"),
            "idempotency_key": state.get("idempotency_key"),
        }
    )
    purged = [Skipped(f"message {place} was purged, and stays out") for place in written.purged]
    return written, (*read.skipped, *purged), degraded


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
    return [as_turn(node, -len(earlier) + place, True) for place, node in enumerate(earlier)]


def load_turns(scope: Scope, turn_ids: Sequence[str]) -> list[Turn]:
    """Read stored turns again, for a job; deleted ones are left out."""
    nodes = tools.load_nodes.invoke({"scope": scope, "ids": list(turn_ids)})
    alive = [node for node in nodes if node.status is Status.ACTIVE]
    return [as_turn(node, node.turn_index, False) for node in alive]


def as_turn(node: Node, index: int, is_context: bool) -> Turn:
    """Show a stored turn to an extractor, its time in the speaker's zone."""
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
