"""The ``profile`` node: one L0 chain per key, each entry resting on the fact it came from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from langgraph.runtime import Runtime

from dualmem_graph.storage import tools
from dualmem_graph.storage.ids import node_id
from dualmem_graph.storage.records import Evidence, Lease, NewNode, Plan, Supersede
from dualmem_graph.system1.ingest import load_turns
from dualmem_graph.system1.reconcile import current_statements
from dualmem_graph.system1.state import MemoryContext, System1State, dump, lease_of, load, scope_of
from dualmem_graph.system1.write import events_of
from dualmem_graph.types import AddEvent, BasicInfo, Layer, Node, Scope, Status, Turn, UpdateType

#: Dimensions of facts that are profile entries too, and the entry's key.
KEYS = {
    "name": "name",
    "age": "age",
    "birthday": "birthday",
    "home": "location",
    "origin": "origin",
    "occupation": "occupation",
    "employer": "employer",
    "school": "school",
    "major": "major",
    "relationship": "relationship",
}
_PREFIX = "profile:"


def profile(state: System1State, runtime: Runtime[MemoryContext]) -> dict[str, Any]:
    """Bring the profile (L0) up to date, one chain per key, and close the job."""
    scope = scope_of(runtime.context)
    info = [load(BasicInfo, item) for item in state["extraction"].get("basic_info", [])]
    turns = load_turns(scope, state["turn_ids"]) if info else []
    facts = current_statements(scope, state["written"])
    events = update_profile(scope, info, turns, facts, finish=lease_of(state))
    runtime.stream_writer({"stage": "profile", "events": [dump(event) for event in events]})
    return {"events": (state.get("events") or []) + [dump(event) for event in events]}


def update_profile(
    scope: Scope,
    info: Sequence[BasicInfo] = (),
    turns: Sequence[Turn] = (),
    facts: Sequence[Node] = (),
    *,
    finish: Lease | None = None,
) -> list[AddEvent]:
    """Write what ``info`` and ``facts`` say of the user, and let go of what lost its ground."""
    wanted = entries(info, turns, facts)
    heads = tools.read_profile.invoke({"scope": scope})
    plan = Plan()
    if wanted or heads:
        ids = [node.id for node in heads]
        grounds = tools.read_grounds.invoke({"scope": scope, "ids": ids}) if ids else {}
        plan = profile_plan(scope, wanted, heads, grounds)
    plan = replace(plan, finish=finish)
    if plan == Plan():
        return []
    applied, _ = tools.write_plan.invoke(
        {"scope": scope, "plan": plan, "actor": "system1", "reason": "profile"}
    )
    return events_of(applied)


@dataclass(frozen=True, slots=True)
class Entry:
    """A profile entry that is to be: its value, when it was said, and what it rests on.

    ``value=None`` says that the entry has ended: whatever it says, or only where it says ``ends``.
    """

    key: str
    value: str | None
    at: datetime
    turn_index: int
    evidence: str
    ends: str | None = None


def key_of(node: Node) -> str:
    """Return the profile key of an L0 node."""
    return (node.dimension or "").removeprefix(_PREFIX)


def entries(info: Sequence[BasicInfo], turns: Sequence[Turn], facts: Sequence[Node]) -> list[Entry]:
    """Gather the profile entries of one ``add``, each with the fact or turn it rests on.

    What the extractor named comes first; facts of a profile dimension (home, employer, …) speak
    for keys that it did not name. Oldest first.
    """
    by_index = {turn.index: turn for turn in turns if not turn.is_context}
    found = []
    for item in info:
        turn = by_index.get(item.turn_index)
        if turn is not None:
            basis = _basis(item, turn, facts)
            found.append(Entry(item.key, item.value, turn.at, turn.index, basis))
    named = {entry.key for entry in found}
    for fact in facts:
        key = KEYS.get(fact.dimension or "")
        usable = fact.subject == "user" and fact.value is not None and fact.memory_at is not None
        if key is not None and key not in named and usable:
            value = None if fact.negated else fact.value
            assert fact.memory_at is not None
            ends = fact.value if fact.negated else None
            found.append(Entry(key, value, fact.memory_at, fact.turn_index, fact.id, ends))
    return sorted(found, key=lambda entry: (entry.at, entry.turn_index))


def profile_plan(
    scope: Scope,
    wanted: Sequence[Entry],
    current: Sequence[Node],
    evidence_of: Mapping[str, Sequence[Node]],
) -> Plan:
    """Write what is new in the profile, and let go of what lost its ground.

    Args:
        wanted: the entries of this turn.
        current: the ACTIVE entries of the scope.
        evidence_of: per current entry, the facts that it rests on.
    """
    heads = {key_of(node): node for node in current}
    nodes: list[NewNode] = []
    supersedes: list[Supersede] = []
    evidence: list[tuple[str, Evidence]] = []
    expires: list[str] = []
    touched: set[str] = set()
    fresh: dict[str, str] = {}
    for entry in wanted:
        touched.add(entry.key)
        head = heads.get(entry.key)
        if entry.value is None:
            if head is not None and _is_ended_by(head, entry):
                expires.append(head.id)
        elif head is not None and _same(head.value, entry.value):
            evidence.append((head.id, Evidence(entry.evidence)))
        else:
            node = _entry_node(scope, entry)
            nodes.append(node)
            last = fresh.get(entry.key) or (head.id if head is not None else None)
            if last is not None and last != node.id:
                supersedes.append(Supersede(node.id, (last,), UpdateType.OVERRIDE))
            fresh[entry.key] = node.id
    for key, head in heads.items():
        grounds = evidence_of.get(head.id, ())
        if key not in touched and grounds and all(_ended(node) for node in grounds):
            expires.append(head.id)
    return Plan(
        nodes=nodes, supersedes=supersedes, evidence=evidence, expires=list(dict.fromkeys(expires))
    )


def _is_ended_by(head: Node, entry: Entry) -> bool:
    assert head.memory_at is not None
    meant = entry.ends is None or _same(head.value, entry.ends)
    return meant and head.memory_at <= entry.at


def _ended(node: Node) -> bool:
    return node.status is not Status.ACTIVE


def _entry_node(scope: Scope, entry: Entry) -> NewNode:
    content = f"{entry.key}: {entry.value}"
    return NewNode(
        id=node_id(scope, entry.evidence, Layer.BASIC_INFO, content),
        layer=Layer.BASIC_INFO,
        content=content,
        dimension=f"{_PREFIX}{entry.key}",
        value=entry.value,
        metadata={"key": entry.key, "value": entry.value},
        memory_at=entry.at,
        turn_index=entry.turn_index,
        extractor="profile",
        evidence=(Evidence(entry.evidence),),
    )


def _basis(item: BasicInfo, turn: Turn, facts: Sequence[Node]) -> str:
    """Rest on the fact that says it (same dimension, else same value); else on the turn."""
    for node in facts:
        if node.dimension is not None and KEYS.get(node.dimension) == item.key:
            return node.id
    if item.value:
        for node in facts:
            if item.value.casefold() in node.content.casefold():
                return node.id
    return turn.turn_id


def _same(one: str | None, other: str | None) -> bool:
    return (one or "").casefold().split() == (other or "").casefold().split()
