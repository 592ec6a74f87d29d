"""Conversations of other systems: OpenAI messages, LangChain messages, LangGraph thread states."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dualmem_graph.errors import InputError

_WITHIN = ("messages", "values", "channel_values", "checkpoint", "conversation")


@dataclass(frozen=True, slots=True)
class Chat:
    """One conversation; ``session_id`` is its own, where it named one."""

    messages: list[Any]
    session_id: str | None = None


def looks_like(value: Any) -> bool:
    """Whether a value is one conversation, or a list of them."""
    return _is_chat(value) or (
        isinstance(value, list) and bool(value) and all(_is_chat(item) for item in value)
    )


def chats_in(value: Any) -> list[Chat]:
    """Take out the conversations.

    Raises:
        InputError: there is none in it.
    """
    if _is_chat(value):
        return [_chat(value)]
    if isinstance(value, list) and value and all(_is_chat(item) for item in value):
        return [_chat(item) for item in value]
    raise InputError(
        f"there is no conversation in it ({str(value)[:80]!r}); pass a list of messages with role "
        "and content, {'messages': […]}, or a list of either"
    )


def _is_chat(value: Any) -> bool:
    messages = _messages(value)
    return bool(messages) and all(_is_message(item) for item in messages or ())


def _is_message(item: Any) -> bool:
    if isinstance(item, Mapping):
        is_said = ("role" in item or "type" in item) and "content" in item
        return is_said and "layer" not in item
    return hasattr(item, "content") and hasattr(item, "type")


def _messages(value: Any) -> Sequence[Any] | None:
    """The list of messages in a value, as deep as LangGraph puts it."""
    for _ in range(len(_WITHIN)):
        if isinstance(value, list):
            return value
        if not isinstance(value, Mapping):
            value = getattr(value, "checkpoint", None) or getattr(value, "values", None)
            if callable(value):
                return None
            continue
        value = next((value[key] for key in _WITHIN if key in value), None)
    return value if isinstance(value, list) else None


def _chat(value: Any) -> Chat:
    found = _messages(value)
    assert found is not None
    named = None
    if isinstance(value, Mapping):
        named = value.get("session_id") or value.get("thread_id") or value.get("id")
        configurable = (value.get("config") or {}).get("configurable") or {}
        named = named or configurable.get("thread_id")
    return Chat(list(found), None if named is None else str(named))
