"""The context block: what memory knows, ready for a prompt, and only as data.

One delimited block; one dated line per memory; text of memories on one line each, with whatever
could end the block or pass for a message defused. Nothing relevant is the empty string, not an
empty heading.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from dualmem_graph.recall.intent import NORMAL, PROACTIVE, PROFILE
from dualmem_graph.recall.wording import asks_for_history
from dualmem_graph.text.chunks import split_to_tokens
from dualmem_graph.text.language import Language, detect_language, estimate_tokens
from dualmem_graph.text.safety import MEMORY_CLOSE, MEMORY_OPEN, neutralise
from dualmem_graph.text.times import local_day, zone_of
from dualmem_graph.types import Granularity, Layer, MemoryItem, Source, TimeSpan

#: The largest share of the budget that the text of one memory may take.
_LARGEST_SHARE = 0.4
#: An event ends where the next moment begins, so its last day is a moment before.
_A_MOMENT = timedelta(microseconds=1)
#: Earlier versions told in one line.
_MOST_VERSIONS = 4


@dataclass(frozen=True, slots=True)
class _Labels:
    headings: dict[str, str]
    today: str
    happened: str
    earlier: str
    said: str
    said_by: str
    user: str
    assistant: str
    separator: str
    brackets: tuple[str, str]


_ENGLISH = _Labels(
    headings={
        NORMAL: "Remembered from earlier conversations (dates say when it was said):",
        PROFILE: "What is known about the user (dates say when it was said):",
        PROACTIVE: "Plans and related memories (dates say when it was said):",
    },
    today="Today is {day}.",
    happened="when: {when}",
    earlier="earlier: {versions}",
    said="{name}: “{text}”",
    said_by="said by {name}",
    user="the user",
    assistant="the assistant",
    separator="; ",
    brackets=(" (", ")"),
)
_CHINESE = _Labels(
    headings={
        NORMAL: "以往对话中的记忆（日期为说起的时间）：",
        PROFILE: "关于用户的已知信息（日期为说起的时间）：",
        PROACTIVE: "计划与相关记忆（日期为说起的时间）：",
    },
    today="今天是 {day}。",
    happened="发生时间：{when}",
    earlier="此前：{versions}",
    said="{name}：“{text}”",
    said_by="{name}所说",
    user="用户",
    assistant="助手",
    separator="；",
    brackets=("（", "）"),
)


def format_context(
    items: Sequence[MemoryItem],
    *,
    query: str = "",
    route: str = NORMAL,
    max_tokens: int = 1000,
    language: str | None = None,
    zone: str | None = None,
    now: datetime | None = None,
    with_history: bool | None = None,
) -> str:
    """Write memories as one block for a prompt.

    Args:
        items: best first; what does not fit the budget is left out.
        query: decides on language and history where those are not given.
        route: chooses the heading.
        max_tokens: estimated tokens of the whole block, marks included.
        language: ``"en"`` or ``"zh"``; ``None``: that of the query, else of the memories.
        zone: IANA zone of the dates; ``None``: UTC.
        now: adds a line with today's date.
        with_history: also tell earlier versions; ``None``: where the query asks for them.

    Returns:
        The block, or ``""`` where there is nothing to tell.
    """
    spoken = language or _language_of(query, items)
    labels = _CHINESE if spoken == "zh" else _ENGLISH
    tell_history = asks_for_history(query) if with_history is None else with_history
    opening = [MEMORY_OPEN]
    if now is not None:
        opening.append(labels.today.format(day=_day(now, zone)))
    opening.append(labels.headings.get(route, labels.headings[NORMAL]))
    room = max_tokens - sum(map(_cost, [*opening, MEMORY_CLOSE]))
    lines: list[str] = []
    for item in items:
        line = _line(item, labels, zone, tell_history, int(max_tokens * _LARGEST_SHARE))
        if _cost(line) <= room:
            lines.append(line)
            room -= _cost(line)
    return "\n".join([*opening, *lines, MEMORY_CLOSE]) if lines else ""


def _line(
    item: MemoryItem, labels: _Labels, zone: str | None, tell_history: bool, limit: int
) -> str:
    text = _shortened(neutralise(item.content), limit)
    source = item.sources[0] if item.sources else None
    notes = []
    if item.layer is Layer.RAW and source is not None:
        text = labels.said.format(name=_speaker(source, labels), text=text)
    elif source is not None and (source.name or source.role == "assistant"):
        notes.append(labels.said_by.format(name=_speaker(source, labels)))
    if item.event is not None:
        notes.insert(0, labels.happened.format(when=_when(item.event, zone)))
    if tell_history and item.evolution_chain:
        versions = [
            f"[{_day(version.memory_at, zone)}] {_shortened(neutralise(version.content), limit)}"
            for version in item.evolution_chain[1 : 1 + _MOST_VERSIONS]
        ]
        notes.append(labels.earlier.format(versions=labels.separator.join(versions)))
    day = f"[{_day(item.memory_at, zone)}] " if item.memory_at is not None else ""
    before, after = labels.brackets
    note = f"{before}{labels.separator.join(notes)}{after}" if notes else ""
    return f"- {day}{text}{note}"


def _speaker(source: Source, labels: _Labels) -> str:
    if source.name:
        return neutralise(source.name).replace(":", " ").strip() or labels.user
    return labels.assistant if source.role == "assistant" else labels.user


def _shortened(text: str, limit: int) -> str:
    if estimate_tokens(text) <= limit:
        return text
    pieces = split_to_tokens(text, max(limit - 1, 1))
    return f"{pieces[0].rstrip()}…"


def _when(event: TimeSpan, zone: str | None) -> str:
    """Write an event time as exactly as it is known."""
    start = local_day(event.start, zone_of(zone, event.start))
    if event.granularity is Granularity.YEAR:
        return f"{start:%Y}"
    if event.granularity is Granularity.MONTH:
        return f"{start:%Y-%m}"
    if event.granularity is Granularity.TIME:
        return f"{event.start.astimezone(zone_of(zone, event.start)):%Y-%m-%d %H:%M}"
    last = local_day(max(event.end - _A_MOMENT, event.start), zone_of(zone, event.end))
    return start.isoformat() if last <= start else f"{start.isoformat()} – {last.isoformat()}"


def _day(instant: datetime, zone: str | None) -> str:
    return local_day(instant, zone_of(zone, instant)).isoformat()


def _cost(line: str) -> int:
    return estimate_tokens(line) + 1


def _language_of(query: str, items: Sequence[MemoryItem]) -> Language:
    if any(char.isalpha() for char in query):
        return detect_language(query)
    return detect_language("\n".join(item.content for item in items[:3]))
