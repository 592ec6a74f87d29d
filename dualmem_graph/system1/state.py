"""State, input, output and context of the write path.

Channels hold plain values only (what ``json.dumps`` takes, besides the caller's messages), so that
any checkpointer can write them; ``dump`` and ``load`` turn the package's values into such and back.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NotRequired, TypeVar

from pydantic import TypeAdapter
from typing_extensions import TypedDict

from dualmem_graph.errors import ScopeError
from dualmem_graph.scope import make_scope
from dualmem_graph.storage.records import Lease
from dualmem_graph.types import Scope, Turn

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class MemoryContext:
    """Whose memory is written, and how; the context of a run of ``system1``."""

    user_id: str = field(default="default", metadata={"description": "The one whose memory it is."})
    app_id: str = field(
        default="default", metadata={"description": "The application that the memory belongs to."}
    )
    session_id: str | None = field(
        default=None, metadata={"description": "The conversation that the messages belong to."}
    )
    agent_id: str | None = field(
        default=None, metadata={"description": "The agent that was spoken to."}
    )
    reconcile: Literal["background", "sync"] = field(
        default="background",
        metadata={"description": "Reconcile as a ledger job, or before the run ends."},
    )


class System1Input(TypedDict):
    """What a caller hands in: messages, and how to take them."""

    messages: list[Any]
    memory_at: NotRequired[str | None]
    metadata: NotRequired[dict[str, Any]]
    memory_type: NotRequired[str | None]
    idempotency_key: NotRequired[str | None]
    turn_ids: NotRequired[list[str]]
    lease: NotRequired[dict[str, Any] | None]


class System1Output(TypedDict):
    """What became of them; the fields of ``AddResult``."""

    status: str
    gate: dict[str, Any] | None
    events: list[dict[str, Any]]
    extractor: str | None
    skipped: list[dict[str, Any]]
    job_id: str | None
    turn_ids: list[str]
    degraded: list[str]


class System1State(System1Output):
    """All channels of a run: its input, its output, and what passes between its nodes."""

    messages: list[Any]
    memory_at: NotRequired[str | None]
    metadata: NotRequired[dict[str, Any]]
    memory_type: NotRequired[str | None]
    idempotency_key: NotRequired[str | None]
    lease: NotRequired[dict[str, Any] | None]
    turns: list[dict[str, Any]]
    extraction: dict[str, Any]
    written: list[str]


class ReconcileInput(TypedDict):
    """What the reconcile job starts from."""

    written: list[str]
    extraction: dict[str, Any]
    turn_ids: list[str]
    lease: dict[str, Any] | None


def scope_of(context: MemoryContext | dict[str, Any] | None) -> Scope:
    """Read the scope out of a run's context.

    Raises:
        ScopeError: the run has no context, or an unusable ``user_id``.
    """
    if context is None:
        raise ScopeError(
            "the run has no context (got None); pass context=MemoryContext(user_id=…) "
            "or context={'user_id': …}"
        )
    if isinstance(context, dict):
        context = MemoryContext(**context)
    return make_scope(context.user_id, context.app_id)


_ADAPTERS: dict[Any, TypeAdapter[Any]] = {}


def _adapter(kind: Any) -> TypeAdapter[Any]:
    if kind not in _ADAPTERS:
        _ADAPTERS[kind] = TypeAdapter(kind)
    return _ADAPTERS[kind]


def dump(value: Any) -> Any:
    """Turn a value of :mod:`dualmem_graph.types` into plain JSON values."""
    return _adapter(type(value)).dump_python(value, mode="json")


def load(kind: type[T], value: Any) -> T:
    """Turn what :func:`dump` made back into a value of ``kind``."""
    loaded: T = _adapter(kind).validate_python(value)
    return loaded


def turns_of(state: System1State) -> list[Turn]:
    """Read the turns of a run."""
    return [load(Turn, item) for item in state["turns"]]


def own_turns(turns: Sequence[Turn]) -> list[Turn]:
    """Return what the user said now: no context, no assistant."""
    return [turn for turn in turns if turn.role == "user" and not turn.is_context]


def lease_of(state: System1State) -> Lease | None:
    """Read the lease of the job that the run does, if it does one."""
    raw = state.get("lease")
    return load(Lease, raw) if raw else None


def empty_output() -> dict[str, Any]:
    """Initialise every output channel: a run that writes none of them would answer ``None``."""
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
