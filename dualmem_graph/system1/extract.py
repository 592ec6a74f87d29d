"""Gate and extraction in one model call, and what code makes of the answer.

The model proposes; code decides: shapes are read tolerantly, scores clamped, examples, small talk
and foreign layers refused, and all that was refused is reported.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import replace
from datetime import datetime, tzinfo
from typing import Any

from dualmem_graph.config import Settings
from dualmem_graph.providers.chat import StructuredChat
from dualmem_graph.system1 import rules
from dualmem_graph.system1.prompts import extract_system, extract_user, is_example
from dualmem_graph.system1.schema import (
    ExtractionAnswer,
    field_of,
    integer,
    items_of,
    tags_of,
    text_of,
    unit,
    unusable,
)
from dualmem_graph.text.chunks import split_to_tokens
from dualmem_graph.text.language import detect_language, estimate_tokens
from dualmem_graph.text.safety import content_hash
from dualmem_graph.text.times import find_times, parse_instant, zone_of
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

#: DESIGN §5: weights of novelty, biographical relevance, emotional arousal.
_GATE_WEIGHTS = (0.40, 0.40, 0.20)
_PARALLEL_PARTS = 4
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


def language_of(turns: Sequence[Turn], settings: Settings) -> str:
    """Return the language of memories: the setting, else that of the user's own words."""
    if settings.language != "auto":
        return settings.language
    own = [turn.text for turn in turns if turn.role == "user" and not turn.is_context]
    return detect_language("\n".join(own or [turn.text for turn in turns]))


def extract_with_model(
    chat: StructuredChat,
    turns: Sequence[Turn],
    *,
    settings: Settings,
    scope_id: int | None = None,
) -> Extraction:
    """Ask the model once per part of the dialogue and merge what it found.

    User turns are never cut; what exceeds the budget is split into parts. Assistant turns may be
    shortened (``extract_assistant_chars``).

    Raises:
        ModelError: the model could not be asked, or no answer could be used.
    """
    language = language_of(turns, settings)
    zone = zone_of(settings.timezone, turns[-1].at)
    system = extract_system(language)

    def ask(part: Sequence[Turn]) -> Extraction:
        user = extract_user(part, language, max(turn.at for turn in part).astimezone(zone))
        return chat.ask(
            system,
            user,
            ExtractionAnswer,
            operation="extract",
            scope_id=scope_id,
            validate=lambda answer: read_extraction(answer, part, zone=zone),
        )

    parts = split_turns(turns, settings, estimate_tokens(system))
    if len(parts) == 1:
        return ask(parts[0])
    with ThreadPoolExecutor(_PARALLEL_PARTS) as pool:
        asked = [pool.submit(copy_context().run, ask, part) for part in parts]
        return merge([future.result() for future in asked])


def split_turns(
    turns: Sequence[Turn], settings: Settings, overhead: int
) -> list[tuple[Turn, ...]]:
    """Split a dialogue into parts that each fit the model beside prompt and answer.

    Context turns lead the first part alone, within their share of the budget, newest kept.
    """
    budget = max(
        256, settings.llm_context_window - settings.llm_max_output_tokens - 2 * overhead - 200
    )
    context = [turn for turn in turns if turn.is_context]
    kept: list[Turn] = []
    room = int(budget * settings.extract_history_context_ratio)
    for turn in reversed(context):
        turn = _shortened(turn, settings)
        room -= _cost(turn)
        if room < 0:
            break
        kept.insert(0, turn)
    parts: list[list[Turn]] = [kept]
    used = sum(map(_cost, kept))
    for turn in turns:
        if turn.is_context:
            continue
        for piece in _pieces(_shortened(turn, settings), budget):
            cost = _cost(piece)
            if used + cost > budget and any(not earlier.is_context for earlier in parts[-1]):
                parts.append([])
                used = 0
            parts[-1].append(piece)
            used += cost
    return [tuple(part) for part in parts]


def merge(parts: Sequence[Extraction]) -> Extraction:
    """Merge the extractions of several parts: each statement once, the strongest gate."""
    candidates: dict[tuple[Layer, str], Candidate] = {}
    for part in parts:
        for candidate in part.candidates:
            candidates.setdefault((candidate.layer, content_hash(candidate.content)), candidate)
    strongest = max(parts, key=lambda part: part.gate.score)
    return Extraction(
        gate=strongest.gate,
        is_ephemeral=all(part.is_ephemeral for part in parts),
        emotion=strongest.emotion,
        candidates=tuple(candidates.values()),
        basic_info=tuple({info: None for part in parts for info in part.basic_info}),
        skipped=tuple(skip for part in parts for skip in part.skipped),
        extractor=strongest.extractor,
    )


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


def judge(
    extraction: Extraction,
    turns: Sequence[Turn],
    *,
    settings: Settings,
    novelty: Callable[[], float],
) -> Extraction:
    """Apply the gate and every check that code can make; nothing is dropped in silence.

    Args:
        novelty: ``1 − max similarity`` of the turns to current memories, in [0, 1]; asked only
            when there is something to judge. It caps the extractor's own novelty (DESIGN §5).
    """
    own = [turn for turn in turns if turn.role == "user" and not turn.is_context]
    told_to_remember = any(rules.asks_to_remember(turn.text) for turn in own)
    if told_to_remember and not extraction.candidates:
        extraction = _with_requests(extraction, turns)
    found = bool(extraction.candidates or extraction.basic_info)
    gate = _weigh(extraction.gate, novelty() if found else 1.0, settings.gate_threshold)
    why = None
    if extraction.is_ephemeral and not told_to_remember:
        why = "the turn is ephemeral"
    elif own and all(rules.is_small_talk(turn.text) for turn in own) and not told_to_remember:
        why = "the turn is small talk"
    elif found and not gate.passed and not told_to_remember:
        why = f"gate score {gate.score:.2f} does not exceed {settings.gate_threshold:.2f}"
    if why is not None:
        dropped = tuple(Skipped(why, candidate.content) for candidate in extraction.candidates)
        return replace(
            extraction,
            gate=replace(gate, passed=False, reason=why),
            is_ephemeral=True,
            candidates=(),
            basic_info=(),
            skipped=extraction.skipped + dropped,
        )
    return _checked(replace(extraction, gate=gate), turns, settings)


def _checked(extraction: Extraction, turns: Sequence[Turn], settings: Settings) -> Extraction:
    """Refuse examples, foreign profile items and more items than a turn can hold."""
    kept: list[Candidate] = []
    skipped = list(extraction.skipped)
    per_turn: dict[int, int] = {}
    for candidate in extraction.candidates:
        count = per_turn.get(candidate.turn_index, 0)
        if is_example(candidate.content):
            skipped.append(Skipped("copied from the prompt's example", candidate.content))
        elif candidate.subject == "assistant" and not settings.remember_assistant:
            skipped.append(Skipped("said by the assistant", candidate.content))
        elif count >= settings.extract_max_items:
            limit = settings.extract_max_items
            skipped.append(Skipped(f"more than {limit} statements of one turn", candidate.content))
        else:
            per_turn[candidate.turn_index] = count + 1
            kept.append(_in_own_layer(candidate))
    user_turns = {turn.index for turn in turns if turn.role == "user"}
    info = tuple(item for item in extraction.basic_info if item.turn_index in user_turns)
    return replace(
        extraction, candidates=tuple(kept), basic_info=info, skipped=tuple(skipped)
    )


def _in_own_layer(candidate: Candidate) -> Candidate:
    """Keep L4 and L7 for the user: what others are like or plan is a fact about them."""
    if candidate.layer is not Layer.FACT and candidate.subject != "user":
        return replace(candidate, layer=Layer.FACT)
    return candidate


def _with_requests(extraction: Extraction, turns: Sequence[Turn]) -> Extraction:
    """Store "remember that …" in the user's own words where the extractor found nothing."""
    by_rules = rules.extract([turn for turn in turns if rules.asks_to_remember(turn.text)])
    return replace(
        extraction,
        candidates=by_rules.candidates,
        is_ephemeral=False,
        gate=replace(extraction.gate, reason="asked to remember"),
    )


def _weigh(gate: Gate, novelty: float, threshold: float) -> Gate:
    capped = min(gate.novelty, novelty)
    parts = (capped, gate.biographical_relevance, gate.emotional_arousal)
    score = sum(weight * part for weight, part in zip(_GATE_WEIGHTS, parts, strict=True))
    return replace(gate, novelty=capped, score=round(score, 4), passed=score > threshold)


def _candidate(
    item: Any, layer: Layer, turns: Sequence[Turn], zone: tzinfo
) -> Candidate | Skipped:
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


def _cost(turn: Turn) -> int:
    return estimate_tokens(turn.text) + 16


def _shortened(turn: Turn, settings: Settings) -> Turn:
    limit = settings.extract_assistant_chars
    if turn.role == "user" or len(turn.text) <= limit:
        return turn
    return replace(turn, text=turn.text[:limit] + " […]")


def _pieces(turn: Turn, budget: int) -> list[Turn]:
    if _cost(turn) <= budget:
        return [turn]
    return [replace(turn, text=piece) for piece in split_to_tokens(turn.text, budget - 32)]


def latest(turns: Sequence[Turn]) -> datetime:
    """Return the instant of the newest turn."""
    return max(turn.at for turn in turns)
