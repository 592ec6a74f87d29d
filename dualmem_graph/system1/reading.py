"""Reading a model's extraction: tolerant of shape, strict in what is kept.

Right facts in a wrong shape are taken, item by item; an unusable item is reported, not raised.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import tzinfo
from typing import Any

from dualmem_graph.system1 import rules
from dualmem_graph.system1.schema import (
    field_of,
    integer,
    items_of,
    tags_of,
    text_of,
    unit,
    unusable,
)
from dualmem_graph.text.times import find_times, parse_instant
from dualmem_graph.types import (
    BasicInfo,
    Candidate,
    Emotion,
    Extraction,
    Gate,
    Granularity,
    Layer,
    MemoryType,
    Skipped,
    TimeSpan,
    Turn,
)

_LISTS: tuple[tuple[tuple[str, ...], Layer], ...] = (
    (("identity", "identities", "preferences"), Layer.IDENTITY),
    (("facts", "fact", "memories", "memory"), Layer.FACT),
    (("intentions", "intention", "plans"), Layer.INTENTION),
)
_KEY_ALIASES = {
    "home": "location",
    "city": "location",
    "residence": "location",
    "address": "location",
    "current_location": "location",
    "lives_in": "location",
    "job": "occupation",
    "profession": "occupation",
    "job_title": "occupation",
    "title": "occupation",
    "company": "employer",
    "workplace": "employer",
    "hometown": "origin",
    "marital_status": "relationship",
    "relationship_status": "relationship",
    "date_of_birth": "birthday",
    "姓名": "name",
    "名字": "name",
    "年龄": "age",
    "生日": "birthday",
    "住址": "location",
    "居住地": "location",
    "所在地": "location",
    "城市": "location",
    "职业": "occupation",
    "工作": "occupation",
    "职位": "occupation",
    "公司": "employer",
    "雇主": "employer",
    "单位": "employer",
    "家乡": "origin",
    "籍贯": "origin",
    "学校": "school",
    "专业": "major",
    "婚姻状况": "relationship",
    "感情状况": "relationship",
}


def read_extraction(answer: Any, turns: Sequence[Turn], *, zone: tzinfo) -> Extraction:
    """Read a model's answer item by item; unusable items are reported, the rest is kept.

    Raises:
        ValueError: the answer is no extraction at all.
    """
    if isinstance(answer, list):
        answer = {"facts": answer}
    if not isinstance(answer, Mapping):
        raise ValueError(f"expected a JSON object with facts, got {type(answer).__name__}")
    nested = answer.get("extraction") or answer.get("result")
    if isinstance(nested, Mapping):
        answer = {**answer, **nested}
    known = {key for keys, _ in _LISTS for key in keys}
    known |= {"basic_info", "is_ephemeral", "gate_decision", "gate"}
    if answer and not known & set(answer):
        raise ValueError(
            f"none of the keys facts, identity, intentions, basic_info in {sorted(answer)[:8]}"
        )
    if not answer:
        raise ValueError("the answer is an empty object; give all keys, with empty lists")
    skipped: list[Skipped] = []
    candidates: list[Candidate] = []
    for keys, layer in _LISTS:
        for item in items_of(answer, *keys):
            read = _candidate(item, layer, turns, zone)
            (candidates if isinstance(read, Candidate) else skipped).append(read)  # type: ignore[arg-type]
    return Extraction(
        gate=_gate_scores(field_of(answer, "gate_decision", "gate")),
        is_ephemeral=answer.get("is_ephemeral") is True,
        emotion=_emotion(answer.get("emotion")),
        candidates=tuple(candidates),
        basic_info=tuple(_basic_info(answer.get("basic_info"), turns)),
        skipped=tuple(skipped),
        extractor="llm",
    )


def _candidate(item: Any, layer: Layer, turns: Sequence[Turn], zone: tzinfo) -> Candidate | Skipped:
    content = text_of(item)
    if not content:
        return unusable(item, "an item without text")
    turn = _turn_of(field_of(item, "source_turn", "turn", "turn_id", "source"), turns)
    subject = _subject(field_of(item, "subject", "who", "about"), content)
    if subject not in ("user", "assistant") and subject.casefold() not in content.casefold():
        content = f"{subject}: {content}"
    event = _event(field_of(item, "event_time", "event_at", "time", "date", "due"), turn, zone)
    reading = rules.read_statement(content)
    episodic = layer is Layer.FACT and event is not None
    return Candidate(
        content=content,
        layer=layer,
        memory_type=MemoryType.EPISODIC if episodic else MemoryType.SEMANTIC,
        subject=subject,
        turn_index=turn.index,
        tags=tags_of(item),
        dimension=reading.dimension if reading else None,
        value=reading.value if reading else None,
        negated=reading.negated if reading else False,
        event=event,
        quote=turn.text[:500],
    )


def _subject(value: Any, content: str) -> str:
    text = str(value or "").strip()
    folded = text.casefold()
    if folded in ("", "user", "the user", "self", "me", "i", "用户", "我", "本人"):
        reading = rules.read_statement(content) if not text else None
        return reading.subject if reading else "user"
    if folded in ("assistant", "ai", "助手", "the assistant"):
        return "assistant"
    return text[:200]


def _turn_of(value: Any, turns: Sequence[Turn]) -> Turn:
    """Find the cited turn (numbered from 1); without a usable number, the last user turn."""
    number = integer(value)
    own = [turn for turn in turns if not turn.is_context]
    for turn in own:
        if number is not None and turn.index == number - 1:
            return turn
    users = [turn for turn in own if turn.role == "user"]
    return (users or own or list(turns))[-1]


def _event(value: Any, turn: Turn, zone: tzinfo) -> TimeSpan | None:
    """Resolve the model's time words against the turn's own date; nonsense is no time."""
    if not isinstance(value, str) or not value.strip():
        return None
    local = turn.at.astimezone(zone)
    spans = find_times(value, local, zone=zone)
    if spans:
        return spans[0]
    try:
        instant = parse_instant(value, zone=str(zone) if zone else None)
    except ValueError:
        return None
    return TimeSpan(instant, instant, Granularity.TIME, value[:100])


def _basic_info(value: Any, turns: Sequence[Turn]) -> list[BasicInfo]:
    pairs: list[tuple[Any, Any, Any]] = []
    if isinstance(value, Mapping):
        if "key" in value:
            value = [value]
        else:
            pairs = [(key, item, None) for key, item in value.items()]
    if isinstance(value, list):
        for item in value:
            key = field_of(item, "key", "name", "field")
            if key is not None and isinstance(item, Mapping):
                pairs.append((key, item.get("value"), item.get("source_turn")))
            elif isinstance(item, Mapping) and len(item) == 1:
                pairs += [(key, item[key], None) for key in item]
    found = []
    for key, entry, source in pairs:
        name = str(key).strip().casefold().replace(" ", "_")
        name = _KEY_ALIASES.get(name, name)[:64]
        usable = entry is None or (isinstance(entry, str | int | float) and str(entry).strip())
        if name and usable and not isinstance(entry, bool):
            text = None if entry is None else str(entry).strip()[:500]
            found.append(BasicInfo(name, text, _turn_of(source, turns).index))
    return found


def _gate_scores(value: Any) -> Gate:
    if not isinstance(value, Mapping):
        return Gate()
    return Gate(
        novelty=unit(field_of(value, "novelty"), 1.0),
        biographical_relevance=unit(field_of(value, "biographical_relevance", "relevance"), 1.0),
        emotional_arousal=unit(field_of(value, "emotional_arousal", "arousal"), 0.0),
        reason=str(value.get("reason") or "")[:200],
    )


def _emotion(value: Any) -> Emotion | None:
    if not isinstance(value, Mapping):
        return None
    return Emotion(
        valence=unit(value.get("valence"), 0.0, low=-1.0),
        arousal=unit(value.get("arousal"), 0.0),
        dominant=str(value.get("dominant") or "neutral")[:40],
    )
