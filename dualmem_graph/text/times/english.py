"""The grammar of English time expressions.

``RULES`` pairs a pattern with a reading of its match. A reading gives a wall span, a clock, or
``None`` where the words are no time after all.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from dualmem_graph.text.times import spans
from dualmem_graph.text.times.english_words import (
    FESTIVAL,
    FESTIVAL_KEYS,
    LAST,
    MONTH,
    MONTHS,
    NEXT,
    NUMBER,
    ORDINAL,
    SEASON,
    UNIT,
    WEEKDAY,
    WEEKDAYS,
    YEAR,
    leaning,
    may_hold_time,
    number_of,
    ordinal_of,
    season_of,
    unit_of,
)
from dualmem_graph.text.times.festivals import FESTIVALS, festival_near
from dualmem_graph.text.times.spans import Clock, Found, Lean, Wall
from dualmem_graph.types import Granularity

__all__ = ["find", "may_hold_time"]


@dataclass(frozen=True, slots=True)
class _Said:
    """One match with what its reading may need: the words, the text around, and the local now."""

    match: re.Match[str]
    now: datetime

    @property
    def today(self) -> date:
        return self.now.date()

    @property
    def lean(self) -> Lean:
        return leaning(self.match.string, self.match.start(), self.match.end())

    def __getitem__(self, name: str) -> str:
        return (self.match[name] or "").lower()


_Reading = Callable[[_Said], Wall | Clock | None]

# Which way "last", "this" and "next" point.
_SHIFTS = {
    **dict.fromkeys(("last", "past", "previous", "this past"), -1),
    **dict.fromkeys(("this", "the current", "current"), 0),
    **dict.fromkeys(("next", "coming", "this coming", "upcoming", "the coming", "following"), 1),
}
_THIS = r"(?:this\s+(?:past|coming)|last|past|previous|this|the\s+current|next|upcoming|coming)"


def _shift(word: str) -> int:
    return _SHIFTS[" ".join(word.lower().split())]


# --- days --------------------------------------------------------------------------------------


def _named_day(said: _Said) -> Wall:
    words = " ".join(said["day"].split())
    shifts = {
        "yesterday": -1,
        "tomorrow": 1,
        "tmr": 1,
        "tmrw": 1,
        "day before yesterday": -2,
        "day after tomorrow": 2,
    }
    return spans.one_day(said.today + timedelta(days=shifts.get(words, 0)))


def _part_of_today(said: _Said) -> Wall:
    start = spans.midnight(said.today)
    clock = Clock(17 * 60, 24 * 60)
    words = said[0] if False else said.match[0].lower()
    for part, span in _PARTS.items():
        if part in words:
            clock = span
    if words.startswith("last"):
        start -= timedelta(days=1)
    return Wall(
        start + timedelta(minutes=clock.start),
        start + timedelta(minutes=clock.end),
        Granularity.TIME,
    )


_PARTS = {
    "morning": Clock(6 * 60, 12 * 60),
    "afternoon": Clock(12 * 60, 18 * 60),
    "evening": Clock(17 * 60, 24 * 60),
    "night": Clock(18 * 60, 30 * 60),
    "noon": Clock(12 * 60, 13 * 60),
    "midnight": Clock(24 * 60, 25 * 60),
}


def find(text: str, now: datetime) -> Iterator[Found]:
    """Yield everything in a text that some rule reads, overlaps included."""
    return iter(())
