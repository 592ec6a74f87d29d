"""The time of an English clause: which span it names, and its words made absolute.

A memory is read months later, so "yesterday" cannot stay in it: "went camping yesterday" becomes
"went camping on 7 May 2023", and the span is the event's time.
"""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import datetime, timedelta, tzinfo

from dualmem_graph.system1.rules.english.predicates import Tense
from dualmem_graph.system1.rules.findings import SentenceContext
from dualmem_graph.text.times import find_times
from dualmem_graph.types import TimeSpan

_HINT = re.compile(
    r"\d|\b(?:to(?:day|night|morrow)|yesterday|week|month|year|day|night|morning|evening"
    r"|afternoon|noon|weekend|fortnight|ago|last|next"
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun)day|jan|feb|mar|apr|may|jun|jul|aug|sep"
    r"|oct|nov|dec|january|february|march|april"
    r"|june|july|august|september|october|november|december|spring|summer|autumn|fall"
    r"|winter|christmas|easter|thanksgiving"
    r"|halloween|new year)",
    re.IGNORECASE,
)
_BOOKED = re.compile(
    r"^(?:\w+ )?(?:has )?(?:just |already )?(?:signed up|registered|booked|scheduled"
    r"|planned|enrolled|reserved)\b|\btickets? (?:for|to)\b",
    re.IGNORECASE,
)
_WEEKDAY = re.compile(
    r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b|\b(?:mon|tue|wed|thu|fri|sat|sun)\b",
    re.IGNORECASE,
)
_MONTH = re.compile(
    r"\b(?:january|february|march|april|may|june|july|august|september|october|november"
    r"|december)\b",
    re.IGNORECASE,
)
_DIRECTED = re.compile(
    r"\b(?:last|next|this|ago|past|coming|previous|(?:19|20)\d\d)\b", re.IGNORECASE
)
_ABSOLUTE_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_REPEATED = re.compile(r"\b(?:every|each|most|per|any)\s+(?:\w+\s+)?$", re.IGNORECASE)
_DURATION = re.compile(
    r"\b(?:for|in under|within|over|about|almost|nearly|of|a)\s+(?:the )?(?:last|past"
    r"|about |over |almost )?\s*$",
    re.IGNORECASE,
)
_PREPOSITION = re.compile(
    r"\b(?:on|in|at|during|over|around|about|almost|nearly|roughly|just over"
    r"|some)\s+(?:the\s+)?$",
    re.IGNORECASE,
)
_KEEPS_PREPOSITION = re.compile(
    r"\b(since|until|till|by|before|after|from|for|to|through|between)\s+(?:the\s+)?$",
    re.IGNORECASE,
)
_PART_OF_DAY = re.compile(
    r"\b(morning|afternoon|evening|night|noon)\b|\b(tonight)\b", re.IGNORECASE
)
_CLOCK = re.compile(r"\d+:\d\d(?::\d\d)?")
_DAY = timedelta(days=1)
#: "The 1900s" is no time of an event.
_LONGEST = timedelta(days=3660)
_WEEKEND_DAYS = 3
_WEEK_DAYS = 7
_MONTH_DAYS = (27, 32)
_LATE = 20
_YEAR_DAYS = (360, 367)


def spans_in(text: str, ctx: SentenceContext, tense: Tense) -> list[TimeSpan]:
    """The points in time that a clause names, read in the direction of its tense.

    What was booked lies ahead although it was booked before.
    """
    if not _HINT.search(text):
        return []
    if _BOOKED.search(text):
        tense = Tense.FUTURE
    local = ctx.reference.astimezone(ctx.zone)
    found = find_times(text, local, zone=ctx.zone)
    return [
        _directed(span, local, tense)
        for span in found
        if not _is_repeated(text, span) and span.end - span.start <= _LONGEST
    ]


def _is_repeated(text: str, span: TimeSpan) -> bool:
    at = text.find(span.text)
    if at < 0 or not span.text:
        return True
    if _CLOCK.fullmatch(span.text) and re.search(r"\bin\s+$", text[:at]):
        return True  # "in 3:45" is a length of time
    after = text[at + len(span.text) : at + len(span.text) + 2]
    if _REPEATED.search(text[:at]) or re.match(r"(?:every|each)\b", span.text, re.IGNORECASE):
        return True
    return after.startswith(("s", "'s")) or after[:1].isalnum()


def _directed(span: TimeSpan, reference: datetime, tense: Tense) -> TimeSpan:
    """A bare weekday or month lies before a past verb and after a future one."""
    if _DIRECTED.search(span.text):
        return span
    past = tense in (Tense.PAST, Tense.PERFECT)
    ahead, behind = span.start > reference, span.end <= reference
    if _WEEKDAY.search(span.text) and not re.search(r"\d", span.text):
        if past and ahead:
            return replace(span, start=span.start - 7 * _DAY, end=span.end - 7 * _DAY)
        if not past and behind:
            return replace(span, start=span.start + 7 * _DAY, end=span.end + 7 * _DAY)
    if _MONTH.search(span.text) and ((past and ahead) or (not past and behind)):
        return _shift_year(span, -1 if past else 1)
    return span


def _shift_year(span: TimeSpan, years: int) -> TimeSpan:
    try:
        return replace(
            span,
            start=span.start.replace(year=span.start.year + years),
            end=span.end.replace(year=span.end.year + years),
        )
    except ValueError:  # 29 February
        return span


def absolute(text: str, spans: list[TimeSpan], zone: tzinfo) -> str:
    """Replace the relative time words of ``text`` by dates; what is absolute already stays."""
    for span in spans:
        at = text.find(span.text)
        if at < 0 or not span.text or _ABSOLUTE_YEAR.search(span.text):
            continue
        rendered = _rendered(span, zone)
        if not rendered:
            continue
        before, after = text[:at], text[at + len(span.text) :]
        keeps = _KEEPS_PREPOSITION.search(before)
        if keeps:
            rendered = re.sub(r"^(?:on|in) ", "", rendered)
            before = before[: keeps.end(1)] + " "
        else:
            before = _PREPOSITION.sub("", before)
        text = f"{before.rstrip()} {rendered}{after}".strip()
    return text


def _rendered(span: TimeSpan, zone: tzinfo) -> str:
    """A span in words: ``on 7 May 2023``, ``in May 2023``, ``in the week of 1 May 2023``."""
    start, end = span.start.astimezone(zone), span.end.astimezone(zone)
    length = end - start
    days = length / _DAY
    date = f"{start.day} {start:%B %Y}"
    part = _PART_OF_DAY.search(span.text)
    if length < _DAY or part:
        if part:
            return f"on the {'night' if part[2] else part[1].lower()} of {date}"
        return f"on {date} at {start:%H:%M}"
    if days <= 1.5:
        return f"on {date}"
    if days <= _WEEKEND_DAYS + 0.5:
        return f"on the weekend of {date}"
    if days <= _WEEK_DAYS + 0.5:
        return f"in the week of {date}"
    if days < _MONTH_DAYS[0] and start.month == (end - _DAY).month:
        part_of_month = (
            "early" if start.day <= _WEEK_DAYS else "late" if start.day >= _LATE else "mid"
        )
        return f"in {part_of_month} {start:%B %Y}"
    if _MONTH_DAYS[0] <= days <= _MONTH_DAYS[1] and start.day == 1:
        return f"in {start:%B %Y}"
    if _YEAR_DAYS[0] <= days <= _YEAR_DAYS[1] and start.month == 1:
        return f"in {start:%Y}"
    if days <= 2 * _MONTH_DAYS[1]:
        return f"around {start + length / 2:%B %Y}"
    last = end - _DAY
    if days > _YEAR_DAYS[1]:
        return f"between {start:%Y} and {last:%Y}"
    return f"between {start:%B %Y} and {last:%B %Y}" if start.month != last.month else ""
