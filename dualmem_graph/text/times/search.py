"""Finding time expressions: run the grammars, join days with clocks, keep the longest."""

from __future__ import annotations

import re
from bisect import bisect
from collections import defaultdict
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, tzinfo

from dualmem_graph.text.times.chinese import CHINESE
from dualmem_graph.text.times.english import ENGLISH
from dualmem_graph.text.times.spans import Clock, Found, Wall, midnight
from dualmem_graph.types import Granularity, TimeSpan

# What may stand between a day and a clock that belong together.
_GAP = re.compile(
    r"[\s,]*(?:(?:at|around|about|by|from|before|after|on|of|in|in the|的|，|、|大概|大约)\s*)?\Z",
    re.I,
)
_MAX_GAP = 8


def find_times(text: str, reference: datetime, *, zone: tzinfo | None = None) -> list[TimeSpan]:
    """Find the time expressions of a text and resolve them against when it was said.

    Each span is the local day, week, month, year or clock time that the words name, ``[start,
    end)`` in UTC, in the order of the text, never overlapping there. "Friday" or "in May" without
    more is read by the tense around it. Repetition ("every Friday") and durations ("for two
    weeks") are no points in time and are left out.

    Args:
        text: any text, Chinese, English or both.
        reference: when it was said; naive means UTC.
        zone: the speaker's zone; unset: the offset of ``reference``.

    >>> said = datetime(2023, 5, 8, 13, 56, tzinfo=UTC)
    >>> [(span.text, span.start.date().isoformat()) for span in find_times("I ran yesterday", said)]
    [('yesterday', '2023-05-07')]
    """
    if reference.tzinfo is None:
        reference = reference.replace(tzinfo=UTC)
    local = zone or reference.tzinfo or UTC
    now = reference.astimezone(local).replace(tzinfo=None)
    found = [*_moments(text, local), *ENGLISH.find(text, now), *CHINESE.find(text, now)]
    if not found:
        return []
    return list(_to_spans(_longest(_join_clocks(found, text)), text, now, local))


# An ISO 8601 moment, which may bring its own offset.
_MOMENT = re.compile(
    r"(?<![\d./-])(?:19|20)\d\d-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?"
    r"(?:Z|[+-]\d\d:?\d\d)?(?!\d)",
    re.ASCII,
)


def _moments(text: str, local: tzinfo) -> Iterator[Found]:
    for match in _MOMENT.finditer(text) if ":" in text else ():
        try:
            moment = datetime.fromisoformat(match[0])
        except ValueError:
            continue
        if moment.tzinfo is not None:
            moment = moment.astimezone(local).replace(tzinfo=None)
        yield Found(*match.span(), Wall(moment, moment + timedelta(minutes=1), Granularity.TIME))


def _join_clocks(found: list[Found], text: str) -> list[Found]:
    """Add for each day with a clock beside it the two as one, longer, expression."""
    days = [each for each in found if each.wall and each.wall.granularity is Granularity.DAY]
    clocks = [each for each in found if each.clock]
    clocks += [
        Found(min(part.begin, clock.begin), max(part.end, clock.end), clock=within, weak=True)
        for part, clock in _neighbours(clocks, clocks, text)
        if (within := _within(part.clock, clock.clock))
    ]
    joined = [
        Found(
            min(day.begin, clock.begin),
            max(day.end, clock.end),
            _on_day(day.wall.start, clock.clock),
        )
        for day, clock in _neighbours(days, clocks, text)
        if day.wall and clock.clock
    ]
    return found + joined


def _neighbours(some: list[Found], others: list[Found], text: str) -> Iterator[tuple[Found, Found]]:
    """Pair what stands next to each other in either order, but for a preposition or a comma."""
    beginning: defaultdict[int, list[Found]] = defaultdict(list)
    ending: defaultdict[int, list[Found]] = defaultdict(list)
    for other in others:
        beginning[other.begin].append(other)
        ending[other.end].append(other)
    for one in some:
        for gap in range(_MAX_GAP + 1):
            if one.end + gap in beginning and _GAP.match(text, one.end, one.end + gap):
                yield from ((one, other) for other in beginning[one.end + gap])
            if one.begin - gap in ending and _GAP.match(text, one.begin - gap, one.begin):
                yield from ((one, other) for other in ending[one.begin - gap])


def _within(part: Clock | None, clock: Clock | None) -> Clock | None:
    """Read "evening at 8": the clock moved into the part of the day, if it fits there."""
    if not (part and clock) or part.end - part.start < 2 * (clock.end - clock.start):
        return None
    for shift in (0, -12 * 60, 12 * 60):
        if part.start <= clock.start + shift < part.end:
            return Clock(clock.start + shift, clock.end + shift)
    return None


def _on_day(start: datetime, clock: Clock) -> Wall:
    return Wall(
        start + timedelta(minutes=clock.start),
        start + timedelta(minutes=clock.end),
        Granularity.TIME,
    )


def _longest(found: list[Found]) -> list[Found]:
    """Choose among overlapping finds the longest, then the first; vetoes take part, then go."""
    chosen: list[Found] = []
    for each in sorted(found, key=lambda each: (each.begin - each.end, each.begin)):
        if each.weak:
            continue
        place = bisect(chosen, each.begin, key=lambda other: other.begin)
        if place > 0 and chosen[place - 1].end > each.begin:
            continue
        if place < len(chosen) and chosen[place].begin < each.end:
            continue
        chosen.insert(place, each)
    return [each for each in chosen if each.wall or each.clock]


def _to_spans(found: list[Found], text: str, now: datetime, local: tzinfo) -> Iterator[TimeSpan]:
    for each in found:
        wall = each.wall
        if wall is None and each.clock is not None:
            wall = _on_day(midnight(now.date()), each.clock)
        if wall is None:
            continue
        try:
            start, end = _utc(wall.start, local), _utc(wall.end, local)
        except (OverflowError, ValueError):
            continue  # next to the first or the last year there is
        if start < end:
            yield TimeSpan(start, end, wall.granularity, text[each.begin : each.end])


def _utc(wall: datetime, local: tzinfo) -> datetime:
    return wall.replace(tzinfo=local).astimezone(UTC)
