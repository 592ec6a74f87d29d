"""State, input, output and context of the read path.

Channels hold plain values only (what ``json.dumps`` takes, besides the caller's messages), so that
any checkpointer can write them; nodes of the store are read anew by the step that needs them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, NotRequired

from langchain_core.messages import convert_to_messages
from typing_extensions import TypedDict

from dualmem_graph.config import Settings
from dualmem_graph.errors import InputError, ScopeError
from dualmem_graph.recall.request import RecallRequest
from dualmem_graph.scope import make_scope
from dualmem_graph.text.times import parse_instant
from dualmem_graph.types import Layer, Turn

#: A conversation that is only asked with needs no times of its own.
_UNDATED = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, kw_only=True)
class RecallContext:
    """Whose memory is read; the context of a run of ``recall``."""

    user_id: str = field(default="default", metadata={"description": "Whose memory is read."})
    app_id: str = field(
        default="default", metadata={"description": "The application that the memory belongs to."}
    )


class RecallInput(TypedDict, total=False):
    """What a caller hands in: a query or a conversation, and how to answer."""

    query: str
    messages: list[Any]
    top_k: int
    layers: list[str] | None
    filters: dict[str, Any] | None
    threshold: float | None
    as_of: str | None
    time_range: list[str | None] | None
    reference_time: str | None
    include_superseded: bool
    explain: bool
    max_tokens: int
    language: str | None


class RecallOutput(TypedDict):
    """What was found: items as plain JSON, and the block for a prompt."""

    items: list[dict[str, Any]]
    context: str
    route: str
    degraded: list[str]


class RecallState(RecallInput, RecallOutput):
    """All channels of a run."""

    understanding: NotRequired[dict[str, Any]]
    hits: NotRequired[list[dict[str, Any]]]
    names: NotRequired[list[str]]
    is_embedded: NotRequired[bool]
    candidates: NotRequired[list[dict[str, Any]]]
    drawn: NotRequired[dict[str, Any]]
    ranked: NotRequired[list[dict[str, Any]]]


def request_of(
    state: RecallState, context: RecallContext | dict[str, Any] | None, settings: Settings
) -> RecallRequest:
    """Read the request out of a run's state and context.

    Raises:
        ScopeError: the run has no context, or an unusable ``user_id``.
        InputError: there is neither a query nor messages, or a layer or time cannot be read.
    """
    if context is None:
        raise ScopeError(
            "the run has no context (got None); pass context=RecallContext(user_id=…) "
            "or context={'user_id': …}"
        )
    if isinstance(context, dict):
        context = RecallContext(**context)
    if "query" not in state and not state.get("messages"):
        raise InputError("the run has neither a query nor messages; pass one of them")
    since, until = state.get("time_range") or (None, None)
    return RecallRequest(
        scope=make_scope(context.user_id, context.app_id),
        query=state.get("query", ""),
        messages=_turns(state.get("messages") or ()),
        top_k=state.get("top_k", settings.retrieval_top_k),
        layers=_layers(state.get("layers")),
        filters=state.get("filters"),
        threshold=state.get("threshold"),
        as_of=_instant(state.get("as_of"), settings),
        time_range=(_instant(since, settings), _instant(until, settings))
        if since or until
        else None,
        reference_time=_instant(state.get("reference_time"), settings),
        include_superseded=state.get("include_superseded", False),
        explain=state.get("explain", False),
    )


def _turns(messages: Sequence[Any]) -> tuple[Turn, ...]:
    """Take what people and assistants said; tool and system messages ask memory nothing."""
    roles = {"human": "user", "ai": "assistant"}
    return tuple(
        Turn(f"query-{index}", index, roles[message.type], message.text, _UNDATED, message.name)
        for index, message in enumerate(convert_to_messages(messages))
        if message.type in roles
    )


def _layers(names: list[str] | None) -> tuple[Layer, ...] | None:
    if not names:
        return None
    try:
        return tuple(Layer(name) for name in names)
    except ValueError:
        raise InputError(
            f"unknown layer among {names!r}; layers are {[*map(str, Layer)]}"
        ) from None


def _instant(value: str | None, settings: Settings) -> datetime | None:
    return None if value is None else parse_instant(value, zone=settings.timezone)
