"""Store tools: how the graphs' nodes reach storage.

Each is a LangChain tool, named and typed, so that a trace (or LangGraph Studio) shows every touch
of the store as a call of its own. They take the scope from their caller, never from a model, and
find store and embedder through :func:`dualmem_graph.resources.current`.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Annotated, Any

import numpy as np
from langchain_core.runnables import RunnableConfig
from langchain_core.runnables.config import var_child_runnable_config
from langchain_core.tools import StructuredTool
from numpy.typing import NDArray
from pydantic import WithJsonSchema

from dualmem_graph.errors import ConflictError, EmbeddingError, EmbeddingMismatchError
from dualmem_graph.resources import current
from dualmem_graph.storage.records import (
    NOT_HEAD,
    Applied,
    Lease,
    NewJob,
    NewNode,
    NewTurn,
    Plan,
    Related,
    Supersede,
    SupersedeOutcome,
    TurnEvidence,
    TurnsWritten,
)
from dualmem_graph.types import CHAINED_LAYERS, Layer, Node, Scope, Status, UpdateType

logger = logging.getLogger(__name__)

_OBJECT = {"type": "object"}
PlanArg = Annotated[Plan, WithJsonSchema(_OBJECT)]
LeaseArg = Annotated[Lease | None, WithJsonSchema(_OBJECT)]

#: How often a write that lost its target to another writer looks for the new head.
_REDIRECTS = 3


class StoreTool(StructuredTool):
    """A tool whose run is recorded where somebody watches, and is a plain call where nobody does.

    Recording a tool's run costs half a millisecond, a third of a durable write.
    """

    def invoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Any:
        """Call the function; through the callbacks of the run where there are any."""
        watched = _is_watched(config or var_child_runnable_config.get())
        if watched or self.func is None or not isinstance(input, dict) or "args" in input:
            return super().invoke(input, config, **kwargs)
        return self.func(**input)


def _is_watched(config: RunnableConfig | None) -> bool:
    callbacks = (config or {}).get("callbacks")
    return bool(getattr(callbacks, "handlers", callbacks))


def tool(function: Callable[..., Any]) -> StoreTool:
    """Make a store tool of a function: its name, its signature, its docstring."""
    made = StoreTool.from_function(function)
    assert isinstance(made, StoreTool)  # a class method of the base, typed as the base
    return made


def embed(texts: Sequence[str]) -> tuple[NDArray[np.float32] | None, str | None]:
    """Embed texts for storing; ``None`` and the reason where the embedder is down.

    Raises:
        EmbeddingMismatchError: the store was written with another embedder.
    """
    resources = current()
    if not texts:
        return None, None
    try:
        vectors = resources.embedder.embed(texts)
        resources.store.check_embedder(resources.embedder.fingerprint)
    except EmbeddingMismatchError:
        raise
    except EmbeddingError as error:
        logger.warning("embedder unavailable, %d texts stay pending", len(texts))
        logger.debug("%s", error)  # may quote the texts
        return None, f"embedding: {error}"
    return vectors, None


def scope_number(scope: Scope) -> int | None:
    """Return the ledger's number of a scope, under which usage is booked."""
    info = current().store.scope_info(scope)
    return None if info is None else info.id


@tool
def store_turns(
    scope: Scope,
    turns: list[NewTurn],
    session_id: str | None = None,
    agent_id: str | None = None,
    metadata: dict[str, Any] | None = None,
    memory_type: str | None = None,
    idempotency_key: str | None = None,
) -> tuple[TurnsWritten, list[str]]:
    """Keep the turns of a conversation word for word (L1) and claim the job of reading them.

    The job carries what the caller said of all of it, for when it is done again.
    """
    resources = current()
    vectors, degraded = embed([turn.text for turn in turns])
    written = resources.store.add_turns(
        scope,
        turns,
        session_id=session_id,
        agent_id=agent_id,
        metadata=metadata or {},
        idempotency_key=idempotency_key,
        embeddings=vectors,
        fingerprint=resources.embedder.fingerprint if vectors is not None else None,
        job=NewJob("extract", "", {"metadata": metadata or {}, "memory_type": memory_type}),
        lease=resources.settings.job_lease,
    )
    return written, [degraded] if degraded else []


@tool
def recent_turns(scope: Scope, session_id: str | None, k: int) -> list[Node]:
    """Read the last k turns of a session, oldest first."""
    return current().store.recent_turns(scope, session_id, k) if k > 0 else []


@tool
def load_nodes(scope: Scope, ids: list[str]) -> list[Node]:
    """Read nodes by id, in the order asked for; absent ones are left out."""
    found = current().store.get_many(scope, ids)
    return [found[node_id] for node_id in ids if node_id in found]


@tool
def read_novelty(scope: Scope, texts: list[str]) -> float:
    """Say how new texts are to a scope: 1 − the highest cosine to a current statement."""
    store = current().store
    vectors, _ = embed(texts)
    if vectors is None:
        return 1.0
    layers = [*CHAINED_LAYERS]
    fingerprint = current().embedder.fingerprint
    found = (
        store.semantic(scope, vector, 1, layers=layers, fingerprint=fingerprint).hits
        for vector in vectors
    )
    nearest = max((hits[0][1] for hits in found if hits), default=0.0)
    return float(min(1.0, max(0.0, 1.0 - nearest)))


@tool
def write_plan(
    scope: Scope, plan: PlanArg, actor: str, reason: str = ""
) -> tuple[Applied, list[str]]:
    """Write nodes, evidence, chains and jobs as one unit of work, embedding what is new."""
    return _write(scope, plan, actor, reason)


def _write(scope: Scope, plan: Plan, actor: str, reason: str) -> tuple[Applied, list[str]]:
    bare = [node for node in plan.nodes if node.embedding is None]
    vectors, degraded = embed([node.content for node in bare])
    if vectors is not None:
        rows = dict(zip((id(node) for node in bare), vectors, strict=True))
        plan = replace(plan, nodes=[_with_vector(node, rows.get(id(node))) for node in plan.nodes])
    store = current().store
    try:
        applied = store.apply(scope, plan, actor=actor, reason=reason)
    except EmbeddingMismatchError as error:
        # the store was changed over while this was under way: the turns are kept, and what was
        # drawn from them must not be lost for that. It waits for a vector of the new embedder
        bare_nodes = [replace(node, embedding=None, fingerprint=None) for node in plan.nodes]
        plan = replace(plan, nodes=bare_nodes)
        applied = store.apply(scope, plan, actor=actor, reason=reason)
        degraded = f"embedding: {error}"
    except ConflictError:
        if plan.finish is None:
            raise
        # the job was done or taken over meanwhile: a node that runs again after a crash. Ids are
        # deterministic, so the same writes find themselves there
        applied = store.apply(scope, replace(plan, finish=None), actor=actor, reason=reason)
    return applied, [degraded] if degraded else []


@tool
def find_related(
    scope: Scope, ids: list[str], per_statement: int, min_similarity: float
) -> dict[str, list[Related]]:
    """Find, per new statement, the current memories that it may be a version of.

    Heads of the same dimension come first, then the nearest by meaning.
    """
    resources = current()
    store = resources.store
    nodes = store.get_many(scope, ids)
    keyed = [(node.subject, node.dimension) for node in nodes.values() if node.dimension]
    heads = store.heads_by_dimension(scope, keyed) if keyed else {}
    vectors, _ = embed([node.content for node in nodes.values()])
    related: dict[str, list[Related]] = {}
    for place, (node_id, node) in enumerate(nodes.items()):
        found = {head.id: 1.0 for head in heads.get((node.subject, node.dimension or ""), [])}
        same_dimension = set(found)
        if vectors is not None:
            hits = store.semantic(
                scope,
                vectors[place],
                per_statement,
                layers=[*CHAINED_LAYERS],
                exclude=(node_id,),
                fingerprint=resources.embedder.fingerprint,
            ).hits
            found |= {hit_id: score for hit_id, score in hits if score >= min_similarity}
            found |= store.similarities(
                scope, sorted(same_dimension), vectors[place], resources.embedder.fingerprint
            )
        found.pop(node_id, None)
        known = store.get_many(scope, list(found))
        related[node_id] = [
            Related(known[hit_id], score)
            for hit_id, score in found.items()
            if hit_id in known and _may_be_superseded(known[hit_id], hit_id in same_dimension)
        ]
    return related


@tool
def write_chains(
    scope: Scope, plan: PlanArg, actor: str, reason: str = ""
) -> tuple[Applied, list[str]]:
    """Apply supersedes; where another writer was faster, aim at the head it made."""
    store = current().store
    applied, degraded = _write(scope, plan, actor, reason)
    outcomes: list[SupersedeOutcome] = list(applied.supersedes)
    for _ in range(_REDIRECTS):
        again = _redirected(scope, outcomes, plan.supersedes)
        if not again:
            break
        retried = store.apply(scope, Plan(supersedes=again), actor=actor, reason=reason)
        outcomes += retried.supersedes
    return replace(applied, supersedes=tuple(outcomes)), degraded


@tool
def read_profile(scope: Scope) -> list[Node]:
    """Read the current profile entries (L0)."""
    page = current().store.list_nodes(scope, layers=[Layer.BASIC_INFO], limit=200)
    return list(page.nodes)


@tool
def read_evidence(scope: Scope, ids: list[str]) -> dict[str, list[Node]]:
    """Read what rests directly on nodes (the facts of a turn, the profile entry of a fact)."""
    return current().store.derived_from(scope, ids)


@tool
def read_grounds(scope: Scope, ids: list[str]) -> dict[str, list[Node]]:
    """Read what nodes rest on directly: the facts of a profile entry, the turn of a fact."""
    return current().store.grounds(scope, ids)


@tool
def read_sources(scope: Scope, ids: list[str]) -> dict[str, list[TurnEvidence]]:
    """Read the turns that nodes rest on, however indirectly."""
    return current().store.sources(scope, ids)


@tool
def finish_job(scope: Scope, lease: LeaseArg) -> None:
    """Mark a job done that left nothing to write."""
    if lease is not None:
        current().store.apply(scope, Plan(finish=lease), actor="system1")


@tool
def retry_job(lease: LeaseArg, error: str) -> None:
    """Hand a job back that could not be done now; it is retried with growing pauses."""
    if lease is not None:
        current().store.jobs.fail(lease, error)


def _with_vector(node: NewNode, vector: NDArray[np.float32] | None) -> NewNode:
    if vector is None:
        return node
    return replace(node, embedding=vector, fingerprint=current().embedder.fingerprint)


def _may_be_superseded(node: Node, same_dimension: bool) -> bool:
    """A hidden or expired head is taken up again only by a version of its own dimension."""
    return node.status is Status.ACTIVE or (same_dimension and node.status is Status.EXPIRED)


def _redirected(
    scope: Scope, outcomes: Sequence[SupersedeOutcome], asked: Sequence[Supersede]
) -> list[Supersede]:
    """Aim refused supersedes at the heads that now stand where the targets stood."""
    store = current().store
    kinds: dict[str, UpdateType] = {item.new: item.update_type for item in asked}
    tied = {(outcome.new, old) for outcome in outcomes for old in outcome.applied}
    again = []
    for outcome in outcomes:
        for target, why in outcome.refused:
            head = store.head_of(scope, target) if why == NOT_HEAD else None
            own = store.head_of(scope, outcome.new)
            if head and head != own and (outcome.new, head) not in tied:
                kind = kinds.get(outcome.new, UpdateType.OVERRIDE)
                again.append(Supersede(outcome.new, (head,), kind))
    return again
