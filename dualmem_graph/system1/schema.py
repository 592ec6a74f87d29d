"""What the model is asked to answer, and the tolerant reading of what it did answer.

The pydantic models describe the wanted shape to the model. Reading never relies on them: right
facts in a wrong shape are taken, item by item, and an unusable item is reported, not raised.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal

from pydantic import BaseModel, Field

from dualmem_graph.config import Settings
from dualmem_graph.text.safety import clean_text, redact_secrets
from dualmem_graph.types import Skipped


class GateScores(BaseModel):
    """How much there is to remember, each from 0 to 1."""

    novelty: float = Field(description="0 nothing new … 1 all new")
    biographical_relevance: float = Field(description="0 says nothing of a person … 1 a life fact")
    emotional_arousal: float = Field(description="0 calm … 1 strong feeling")
    reason: str = Field(default="", description="a few words")


class EmotionScores(BaseModel):
    """The speaker's feeling."""

    valence: float = 0.0
    arousal: float = 0.0
    dominant: str = "neutral"


class StatementItem(BaseModel):
    """One statement to remember."""

    content: str = Field(description="a full third-person sentence that stands alone")
    subject: str = Field(description="'user', 'assistant', or the name of who it is about")
    source_turn: int = Field(description="number of the turn that says it")
    tags: list[str] = Field(default_factory=list, description="1 to 3 words")
    event_time: str | None = Field(default=None, description="the time words of the turn, if any")


class BasicInfoItem(BaseModel):
    """One entry of the user's profile."""

    key: str = Field(description="name, age, birthday, location, occupation, employer, …")
    value: str | None = Field(description="null when it no longer holds")
    source_turn: int = 1


class ExtractionAnswer(BaseModel):
    """Gate and extraction in one answer."""

    gate_decision: GateScores
    is_ephemeral: bool = Field(description="true when nothing is worth remembering")
    emotion: EmotionScores | None = None
    identity: list[StatementItem] = Field(description="preferences, attitudes, values, traits")
    facts: list[StatementItem] = Field(description="facts and events")
    intentions: list[StatementItem] = Field(description="concrete plans")
    basic_info: list[BasicInfoItem] = Field(description="profile entries of the user alone")


class UpdateItem(BaseModel):
    """One decision about a new statement."""

    op: Literal["ADD", "DELETE"]
    content: str = Field(default="", description="the new statement, word for word")
    supersedes: list[int] = Field(default_factory=list, description="numbers of old memories")
    update_type: Literal["OVERRIDE", "SUPPLEMENT", "TEMPORAL", "NEGATE", "CONFLICT"] = "OVERRIDE"


class ReconcileAnswer(BaseModel):
    """All decisions."""

    updates: list[UpdateItem]


def without_secrets(answer: Any, settings: Settings) -> Any:
    """Replace keys and passwords in a parsed answer, which may hold what no turn does.

    >>> without_secrets({"facts": ["password=hunter2"]}, Settings())
    {'facts': ['password=[redacted: password]']}
    """
    if not settings.redact_secrets:
        return answer
    if isinstance(answer, str):
        return redact_secrets(answer)[0]
    if isinstance(answer, Mapping):
        return {
            without_secrets(key, settings): without_secrets(value, settings)
            for key, value in answer.items()
        }
    if isinstance(answer, list):
        return [without_secrets(item, settings) for item in answer]
    return answer


_TEXT_KEYS = ("content", "text", "fact", "statement", "memory", "description", "value")


def items_of(answer: Mapping[str, Any], *keys: str) -> list[Any]:
    """Read a list under the first of ``keys`` that is there; a single item becomes a list.

    >>> items_of({"fact": "keeps bees"}, "facts", "fact")
    ['keeps bees']
    """
    for key in keys:
        value = answer.get(key)
        if value is None:
            continue
        return list(value) if isinstance(value, list | tuple) else [value]
    return []


def text_of(item: Any) -> str:
    """Read the statement out of an item, whatever its shape; ``""`` where there is none.

    >>> text_of({"fact": " keeps bees "})
    'keeps bees'
    """
    if isinstance(item, str):
        return clean_text(item).strip()
    if isinstance(item, Mapping):
        for key in _TEXT_KEYS:
            if isinstance(item.get(key), str) and item[key].strip():
                return clean_text(item[key]).strip()
        # {"keeps bees": {}} or {"keeps bees": "facts"}: the fact is the key
        if len(item) == 1:
            (key,) = item
            if isinstance(key, str) and " " in key.strip():
                return clean_text(key).strip()
    return ""


def field_of(item: Any, *keys: str) -> Any:
    """Read the first present of ``keys`` from a mapping; ``None`` from anything else."""
    if isinstance(item, Mapping):
        for key in keys:
            if item.get(key) is not None:
                return item[key]
    return None


def unit(value: Any, default: float, *, low: float = 0.0) -> float:
    """Read a number and clamp it to [low, 1]; models ignore minimum and maximum.

    >>> unit("7", 0.0), unit("high", 0.5)
    (1.0, 0.5)
    """
    try:
        number = float(value)
    except (TypeError, ValueError):
        return default
    return min(1.0, max(low, number)) if number == number else default


def tags_of(item: Any, limit: int = 3) -> tuple[str, ...]:
    """Read up to ``limit`` tags, cleaned and without repeats."""
    raw = field_of(item, "tags", "tag")
    words: Iterable[Any] = raw if isinstance(raw, list | tuple) else str(raw or "").split(",")
    seen: dict[str, None] = {}
    for word in words:
        text = clean_text(str(word)).strip()[:64]
        if text:
            seen.setdefault(text, None)
    return tuple(seen)[:limit]


def integer(value: Any) -> int | None:
    """Read an integer out of ``3``, ``"3"``, ``"[3]"`` or ``"T3"``; ``None`` otherwise."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, str):
        digits = value.strip().strip("[]()#T ").strip()
        if digits.isdecimal():
            return int(digits)
    return None


def unusable(item: Any, why: str) -> Skipped:
    """Report an item that was dropped, with a glimpse of it."""
    return Skipped(why, str(item)[:200])
