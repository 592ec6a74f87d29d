"""From whatever a caller holds (dicts, LangChain messages, pairs) to turns that can be stored."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from dualmem_graph.config import Settings
from dualmem_graph.errors import InputError, LimitError
from dualmem_graph.text.safety import clean_text, redact_secrets, strip_memory_blocks
from dualmem_graph.text.times import parse_instant
from dualmem_graph.types import Skipped

_ROLES = {
    "user": "user",
    "human": "user",
    "assistant": "assistant",
    "ai": "assistant",
    "AIMessageChunk": "assistant",
    "HumanMessageChunk": "user",
}
#: Instructions and machine output are not what a person said: never stored, never extracted.
_DROPPED = {"system", "developer", "tool", "function", "remove", "SystemMessageChunk"}
_IMAGE = "[image]"


@dataclass(frozen=True, slots=True)
class Message:
    """One message that is worth storing: cleaned text, a known role, an aware instant.

    ``at`` keeps the offset it was given with, so that "today" can be read in the speaker's zone;
    ``explicit_at`` tells a given time from the clock's.
    """

    role: str
    text: str
    at: datetime
    explicit_at: bool = False
    name: str | None = None
    message_id: str | None = None


@dataclass(frozen=True, slots=True)
class Messages:
    """The usable messages of one call, and what was left out and why."""

    kept: tuple[Message, ...]
    skipped: tuple[Skipped, ...]


def read_messages(
    messages: Sequence[Any], *, settings: Settings, default_at: datetime, explicit_at: bool
) -> Messages:
    """Normalise the messages of one ``add``.

    System, developer and tool messages are dropped and named in ``skipped``; images become
    ``[image]``; recalled memory blocks are cut out, secrets replaced (settings).

    Args:
        messages: dicts (``role``, ``content``, optional ``name``, ``timestamp``, ``id``),
            LangChain messages, or ``(role, text)`` pairs.
        default_at: the instant of messages that carry none.
        explicit_at: whether that instant was given by the caller.

    Raises:
        InputError: a message of unknown form or role, named by its index.
        LimitError: too many messages, or one that is too long.
    """
    if isinstance(messages, str | bytes | Mapping) or not isinstance(messages, Sequence):
        raise InputError(
            f"messages must be a list of messages, got {type(messages).__name__} "
            f"{str(messages)[:60]!r}; pass content=… for a single text"
        )
    if len(messages) > settings.max_messages:
        raise LimitError(
            f"{len(messages)} messages in one add; at most {settings.max_messages} are allowed "
            "(setting max_messages): split the list"
        )
    kept: list[Message] = []
    skipped: list[Skipped] = []
    for index, raw in enumerate(messages):
        fields = _fields(raw, index)
        role = _role(fields["role"], index)
        if role is None:
            skipped.append(Skipped(f"{fields['role']} message {index} is not a person's words"))
            continue
        text, notes = _clean(fields["content"], index, settings)
        skipped += notes
        if not text.replace(_IMAGE, "").strip():
            what = "holds only images" if _IMAGE in text else "holds no text"
            skipped.append(Skipped(f"message {index} {what}"))
            continue
        at, explicit = default_at, explicit_at
        if fields["timestamp"] is not None:
            at, explicit = _instant(fields["timestamp"], index, settings), True
        kept.append(Message(role, text, at, explicit, _label(fields["name"]), _label(fields["id"])))
    return Messages(tuple(kept), tuple(skipped))


def keep_offset(value: Any, *, zone: str | None) -> datetime:
    """Parse an instant and keep the offset it was written with.

    >>> keep_offset("2025-03-02T00:30:00+08:00", zone=None).isoformat()
    '2025-03-02T00:30:00+08:00'
    """
    instant = parse_instant(value, zone=zone)
    given = value
    if isinstance(value, str):
        try:
            given = datetime.fromisoformat(value.strip())
        except ValueError:
            return instant
    if isinstance(given, datetime) and given.tzinfo is not None:
        return instant.astimezone(given.tzinfo)
    return instant


def _fields(raw: Any, index: int) -> dict[str, Any]:
    """Read role, content, name, timestamp and id out of any supported form."""
    if isinstance(raw, Mapping):
        if "role" not in raw and "type" not in raw:
            raise InputError(
                f"message {index} has no role (keys {sorted(map(str, raw))!r}); "
                "write {'role': 'user', 'content': …}"
            )
        return {
            "role": raw.get("role", raw.get("type")),
            "content": raw.get("content"),
            "name": raw.get("name"),
            "timestamp": raw.get("timestamp"),
            "id": raw.get("id"),
        }
    if hasattr(raw, "content") and hasattr(raw, "type"):
        extra = getattr(raw, "additional_kwargs", None) or {}
        return {
            "role": getattr(raw, "role", None) or raw.type,
            "content": raw.content,
            "name": getattr(raw, "name", None),
            "timestamp": extra.get("timestamp"),
            "id": getattr(raw, "id", None),
        }
    if isinstance(raw, tuple | list) and len(raw) == 2:
        return {"role": raw[0], "content": raw[1], "name": None, "timestamp": None, "id": None}
    raise InputError(
        f"message {index} is {type(raw).__name__} {str(raw)[:60]!r}; pass a dict with role and "
        "content, a LangChain message, or a (role, text) pair"
    )


def _role(value: Any, index: int) -> str | None:
    """Return ``user`` or ``assistant``; ``None`` for what is never stored."""
    if isinstance(value, str):
        if value in _DROPPED:
            return None
        if value in _ROLES:
            return _ROLES[value]
    raise InputError(f"message {index} has the role {value!r}; use user, assistant, system or tool")


def _clean(content: Any, index: int, settings: Settings) -> tuple[str, list[Skipped]]:
    text = strip_memory_blocks(clean_text(_text(content, index)))
    if len(text) > settings.max_content_chars:
        raise LimitError(
            f"message {index} has {len(text)} characters; at most {settings.max_content_chars} "
            "are allowed (setting max_content_chars): split it"
        )
    if not settings.redact_secrets:
        return text.strip(), []
    text, kinds = redact_secrets(text)
    notes = [Skipped(f"redacted {kind} in message {index}") for kind in kinds]
    return text.strip(), notes


def _text(content: Any, index: int) -> str:
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    if isinstance(content, Sequence) and not isinstance(content, bytes):
        return "\n".join(part for block in content if (part := _block(block, index)))
    raise InputError(
        f"message {index} has content of type {type(content).__name__} ({content!r:.60}); "
        "pass text or a list of content blocks"
    )


def _block(block: Any, index: int) -> str:
    if isinstance(block, str):
        return block
    if isinstance(block, Mapping):
        kind = str(block.get("type", "text"))
        if kind in ("text", "input_text", "output_text"):
            return str(block.get("text") or "")
        return _IMAGE if "image" in kind else ""
    raise InputError(
        f"message {index} holds a content block of type {type(block).__name__}; "
        "pass strings or dicts with a type"
    )


def _instant(value: Any, index: int, settings: Settings) -> datetime:
    try:
        return keep_offset(value, zone=settings.timezone)
    except InputError as error:
        raise InputError(f"message {index}: timestamp {value!r} is not a time: {error}") from None


def _label(value: Any) -> str | None:
    text = clean_text(str(value)).strip() if value is not None else ""
    return text[:200] or None
