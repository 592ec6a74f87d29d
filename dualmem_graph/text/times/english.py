"""The grammar of English time expressions.

``_RULES`` pairs a pattern with the reading of its match. A reading gives a wall span, a clock, or
``None`` where the words are no time after all. A group ``core`` marks the words of the expression
where the pattern needs to see more than them.
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
    MONTH,
    NUMBER,
    ORDINAL,
    SEASON,
    SHORT_WEEKDAY,
    UNIT,
    WEEKDAY,
    YEAR,
    amount_of,
    leaning,
    may_hold_time,
    month_of,
    ordinal_of,
    season_of,
    unit_of,
    weekday_number,
)
from dualmem_graph.text.times.festivals import FESTIVALS, festival_near
from dualmem_graph.text.times.spans import Clock, Found, Lean, Wall
from dualmem_graph.types import Granularity

__all__ = ["find", "may_hold_time"]


@dataclass(frozen=True, slots=True)
class _Said:
    """One match and the local moment of speaking."""

    match: re.Match[str]
    now: datetime

    def __getitem__(self, group: str) -> str:
        """Give a group in lower case with single spaces, ``""`` where it took no part."""
        return " ".join((self.match.groupdict().get(group) or "").lower().split())

    @property
    def today(self) -> date:
        return self.now.date()

    @property
    def lean(self) -> Lean:
        return leaning(self.match.string, self.match.start(), self.match.end())


_Reading = Callable[[_Said], Wall | Clock | None]

_WHICH = r"(?P<which>(?:this\s+)?(?:past|coming|upcoming)|last|previous|this|the\s+current|next)"
_SHIFTS = {"last": -1, "past": -1, "previous": -1, "next": 1, "coming": 1, "upcoming": 1}
# The year after a month, season or festival, in digits or by relation.
_OF_YEAR = rf"(?:,?\s*(?:of\s+|in\s+)?(?P<year>{YEAR}|(?:last|this|next)\s+year|the\s+year\s+before\s+last)\b)"


def _shift(which: str) -> int:
    return _SHIFTS.get(which.split()[-1], 0) if which else 0


def _year(said: _Said) -> int | None:
    words = said["year"]
    if not words:
        return None
    if words.isdigit():
        return int(words)
    return said.today.year + (-2 if "before" in words else _shift(words.split()[0]))


# --- days and parts of days --------------------------------------------------------------------

_DAY_SHIFTS = {
    "yesterday": -1,
    "tomorrow": 1,
    "tmr": 1,
    "tmrw": 1,
    "the day before yesterday": -2,
    "day before yesterday": -2,
    "the day after tomorrow": 2,
    "day after tomorrow": 2,
}
_PARTS = {
    "morning": Clock(6 * 60, 12 * 60),
    "afternoon": Clock(12 * 60, 18 * 60),
    "evening": Clock(17 * 60, 24 * 60),
    "night": Clock(18 * 60, 30 * 60),
    "noon": Clock(12 * 60, 13 * 60),
    "midnight": Clock(24 * 60, 25 * 60),
}


def _named_day(said: _Said) -> Wall:
    return spans.one_day(said.today + timedelta(days=_DAY_SHIFTS.get(said["day"], 0)))


def _part_of_today(said: _Said) -> Wall:
    """Read "this morning", "tonight", "last night"."""
    clock = _PARTS[said["part"] or "night"]
    start = spans.midnight(said.today) - timedelta(days=said["which"] == "last")
    return Wall(
        start + timedelta(minutes=clock.start),
        start + timedelta(minutes=clock.end),
        Granularity.TIME,
    )


def _part(said: _Said) -> Clock:
    return _PARTS[said["part"]]


# --- distances ---------------------------------------------------------------------------------


def _amounts(said: _Said) -> tuple[float, float]:
    fewest, most = amount_of(said["number"])
    if said["second"]:
        most = amount_of(said["second"])[1]
    extra = 0.5 if said["half"] else 0.0
    return fewest + extra, most + extra


def _ago(said: _Said) -> Wall | None:
    return _distance(said, -1)


def _ahead(said: _Said) -> Wall | None:
    if said["in"] and said.lean == "past":
        return None  # "I read it in two days" says how long it took
    return _distance(said, 1)


def _distance(said: _Said, direction: int) -> Wall | None:
    fewest, most = _amounts(said)
    unit, factor = unit_of(said["unit"])
    if unit == "weekend":
        return spans.weekend(said.today, direction * int(fewest))
    if fewest == most:
        return spans.away(said.now, direction * fewest * factor, unit)
    bounds = sorted(direction * int(count) * factor for count in (fewest, most))
    return spans.about(said.now, bounds[0], bounds[1], unit)


def _rolling(said: _Said) -> Wall | None:
    """Read "the past two weeks", "the next few days"."""
    most = _amounts(said)[1] if said["number"] else 1.0
    unit, factor = unit_of(said["unit"])
    if unit == "weekend":
        return None
    direction = _SHIFTS[said["which"].split()[-1]]
    return spans.rolling(said.now, direction * most * factor, unit)


def _other_day(said: _Said) -> Wall:
    if said["unit"] == "week":
        return spans.about(said.now, -3, -1, "week")
    return spans.about(said.now, -5, -2, "day")


# --- units by relation -------------------------------------------------------------------------


def _unit_by_relation(said: _Said) -> Wall | None:
    """Read "last week", "next year", "the weekend before last"."""
    shift = _shift(said["which"])
    if said["beyond"]:
        shift = -2 if said["beyond"] == "before last" else 2
    return _unit_at(said, shift)


def _unit_at(said: _Said, shift: int) -> Wall | None:
    unit, today = said["unit"], said.today
    if unit == "weekend":
        return spans.weekend(today, shift)
    if unit == "quarter":
        first = spans.month_start(today, -((today.month - 1) % 3) + 3 * shift)
        return spans.between(first, spans.month_start(first, 3), Granularity.MONTH)
    if unit == "decade":
        return spans.whole_year(today.year // 10 * 10 + 10 * shift, 10)
    plain, factor = unit_of(unit)
    if plain == "weekend":
        return None
    return spans.away(said.now, shift * factor, plain)


def _the_weekend(said: _Said) -> Wall:
    """Read "at the weekend": the last one when told, else this week's."""
    if said.lean == "past" and said.today.weekday() < 5:
        return spans.weekend(said.today, -1)
    return spans.weekend(said.today)


def _part_of_unit(said: _Said) -> Wall | None:
    """Read "the end of the month", "early next year", "later this week"."""
    part = _third(said)
    shift, unit = _shift(said["which"]), said["unit"]
    if part is None:
        return _unit_at(said, shift)
    if unit == "week":
        return spans.part_of_week(said.today + timedelta(weeks=shift), part)
    if unit == "month":
        first = spans.month_start(said.today, shift)
        return spans.part_of_month(first.year, first.month, part)
    return spans.part_of_year(said.today.year + shift, part)


_THIRDS: dict[str, spans.Part] = {
    "early": "early",
    "beginning": "start",
    "start": "start",
    "mid": "mid",
    "middle": "mid",
    "late": "late",
    "end": "end",
}


def _third(said: _Said) -> spans.Part | None:
    return _THIRDS.get(said["edge"] or said["third"])


# --- weekdays ----------------------------------------------------------------------------------


def _weekday(said: _Said) -> Wall:
    """Read a weekday: "last" is the latest one past, "next" that of the coming week."""
    number, which = weekday_number(said["weekday"]), said["which"]
    today = said.today
    if said["beyond"]:
        days = _before(today, number)
        return spans.one_day(days - timedelta(days=7))
    if said["week"]:
        return spans.one_day(spans.weekday_of(today, number, _shift(said["week"])))
    if which == "next":
        return spans.one_day(spans.weekday_of(today, number, 1))
    if _shift(which) < 0:
        return spans.one_day(_before(today, number))
    if _shift(which) > 0:
        return spans.one_day(spans.weekday_near(today + timedelta(days=1), number, "future"))
    if which:
        return spans.one_day(spans.weekday_of(today, number))
    return spans.one_day(spans.weekday_near(today, number, said.lean))


def _before(today: date, weekday: int) -> date:
    return spans.weekday_near(today - timedelta(days=1), weekday, "past")


# --- months, dates, years ----------------------------------------------------------------------


def _date(said: _Said) -> Wall:
    """Read "May 8", "8th of May 2023", "May 8-10"."""
    month, number, year = month_of(said["month"]), int(said["number"]), _year(said)
    if year is None:
        first = spans.date_near(said.today, month, number, said.lean)
    else:
        first = date(year, month, number)
    last = first.replace(day=int(said["last"])) if said["last"] else first
    return spans.between(first, last + timedelta(days=1), Granularity.DAY)


def _month(said: _Said) -> Wall:
    """Read "in March", "last May", "early June 2023"."""
    month, year, today = month_of(said["month"]), _year(said), said.today
    if year is not None:
        wall = spans.whole_month(year, month)
    else:
        wall = _month_by_relation(said, month, today)
    third = _third(said)
    if third:
        return spans.part_of_month(wall.start.year, wall.start.month, third)
    return wall


def _month_by_relation(said: _Said, month: int, today: date) -> Wall:
    shift = _shift(said["which"])
    if shift < 0:
        return spans.month_near(spans.month_start(today, -1), month, "past")
    if shift > 0:
        return spans.month_near(spans.month_start(today, 1), month, "future")
    if said["which"]:
        return spans.whole_month(today.year, month)
    return spans.month_near(today, month, said.lean)


def _year_alone(said: _Said) -> Wall:
    third = _third(said)
    year = int(said["year"])
    return spans.part_of_year(year, third) if third else spans.whole_year(year)


def _decade(said: _Said) -> Wall | None:
    digits = said["decade"]
    start = int(digits) if len(digits) == 4 else (1900 if int(digits) >= 30 else 2000) + int(digits)
    third = _third(said)
    if third:
        offset, count = {"start": (0, 3), "early": (0, 4), "mid": (4, 3)}.get(third, (7, 3))
        return spans.whole_year(start + offset, count)
    return spans.whole_year(start, 10)


def _season(said: _Said) -> Wall:
    name, year = season_of(said["season"]), _year(said)
    if year is not None:
        return spans.season(name, year)
    if said["which"] == "this":
        return spans.season(name, said.today.year)
    shift = _shift(said["which"])
    if not said["which"] and said.lean == "past":
        now = spans.season_near(name, said.today, 0)
        return now if now.start <= said.now else spans.season_near(name, said.today, -1)
    return spans.season_near(name, said.today, shift)


def _iso_date(said: _Said) -> Wall:
    return spans.one_day(date(int(said["y"]), int(said["m"]), int(said["d"])))


def _iso_moment(said: _Said) -> Wall | None:
    """Read an ISO 8601 moment; one with an offset is brought to the local clock."""
    moment = datetime.fromisoformat(said.match["moment"].replace(" ", "T"))
    if moment.tzinfo is not None:
        return None  # ``search`` reads these, since it knows the zone
    return Wall(moment, moment + timedelta(minutes=1), Granularity.TIME)


def _slashed_date(said: _Said) -> Wall:
    """Read 5/8/2023 in the American order unless only the other one exists; 8.5.2023 day first."""
    first, second, year = int(said["a"]), int(said["b"]), int(said["y"])
    month, day = (first, second) if said["sep"] != "." else (second, first)
    if month > 12:
        month, day = day, month
    return spans.one_day(date(year, month, day))


def _short_date(said: _Said) -> Wall:
    return spans.one_day(spans.date_near(said.today, int(said["m"]), int(said["d"]), said.lean))


def _iso_month(said: _Said) -> Wall:
    return spans.whole_month(int(said["y"]), int(said["m"]))


def _nth_of_month(said: _Said) -> Wall:
    return spans.one_day(spans.number_near(said.today, int(said["number"]), said.lean))


def _counted_in_month(said: _Said) -> Wall | None:
    """Read "the first weekend of May", "the last Friday of this month"."""
    if said["month"]:
        first = _month(said).start.date()
    else:
        first = spans.month_start(said.today, _shift(said["which"]))
    following = spans.month_start(first, 1)
    count = ordinal_of(said["ordinal"])
    if said["what"] == "week":
        days = timedelta(days=7)
        start = following - days if count == 0 else first + days * (count - 1)
        return spans.between(start, min(start + days, following), Granularity.WEEK)
    number = 5 if said["what"] == "weekend" else weekday_number(said["what"])
    if count == 0:
        day = _before(following, number)
    else:
        day = spans.weekday_near(first, number, "future") + timedelta(days=7 * (count - 1))
    if day.month != first.month:
        return None
    return spans.between(
        day, day + timedelta(days=2 if said["what"] == "weekend" else 1), Granularity.DAY
    )


def _weekend_of(said: _Said) -> Wall:
    """Read "the weekend of May 6", "the week of 12 June"."""
    day = _date(said).start.date()
    return spans.weekend(day) if said["what"] == "weekend" else spans.whole_week(day)


# --- festivals ---------------------------------------------------------------------------------

_FESTIVAL_PATTERNS = [(re.compile(words, re.I), key) for words, key in FESTIVAL_KEYS.items()]


def _festival(said: _Said) -> Wall:
    key = next(key for words, key in _FESTIVAL_PATTERNS if words.fullmatch(said["festival"]))
    year, today = _year(said), said.today
    if year is not None:
        return spans.one_day(FESTIVALS[key](year))
    shift = _shift(said["which"])
    if shift < 0:
        return spans.one_day(festival_near(key, today - timedelta(days=1), "past"))
    if shift > 0:
        return spans.one_day(festival_near(key, today + timedelta(days=1), "future"))
    if said["which"]:
        return spans.one_day(FESTIVALS[key](today.year))
    return spans.one_day(festival_near(key, today, said.lean))


# --- clocks ------------------------------------------------------------------------------------

_HOUR = r"(?:\d{1,2}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)"


def _clock(said: _Said) -> Clock | None:
    hour = int(amount_of(said["hour"])[0])
    minute = int(said["minute"] or 0)
    half = said["half"].replace(".", "") or _HALF_OF.get(said["part"], "")
    if minute > 59 or hour > 24 or (half and not 1 <= hour <= 12):
        return None
    if half:
        hour = hour % 12 + (12 if half == "pm" else 0)
    elif not said["minute"] and 1 <= hour <= 6:
        hour += 12  # "at 3" is hardly ever the night
    start = hour * 60 + minute
    return Clock(start, start + (1 if said["minute"] else 60))


_HALF_OF = {"morning": "am", "afternoon": "pm", "evening": "pm", "night": "pm"}


def _spoken_clock(said: _Said) -> Clock | None:
    """Read "half past ten", "a quarter to six"."""
    hour = int(amount_of(said["hour"])[0])
    minutes = 30 if said["share"] == "half" else 15
    if not 1 <= hour <= 12:
        return None
    hour += 12 if 1 <= hour <= 6 else 0
    start = hour * 60 + (minutes if said["direction"] == "past" else -minutes)
    return Clock(start, start + 1)


def _nothing(_said: _Said) -> None:
    """Veto: what repeats or lasts is no point in time."""


# --- the rules ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Rule:
    pattern: re.Pattern[str]
    read: _Reading
    weak: bool = False


def _rule(pattern: str, read: _Reading, *, weak: bool = False) -> _Rule:
    return _Rule(re.compile(pattern, re.I), read, weak)


_THIRD = r"(?P<third>early|mid|late|(?:the\s+)?(?P<edge>beginning|start|middle|end)\s+of)"
_D = r"(?:0?[1-9]|[12]\d|3[01])"
_ORD_D = rf"(?P<number>{_D})(?:st|nd|rd|th)?"
_RANGE = rf"(?:\s*(?:-|–|to)\s*(?P<last>{_D})(?:st|nd|rd|th)?)?"
_MONTH = rf"(?P<month>{MONTH})"
_BEFORE_MONTH = (
    r"(?:in|since|until|till|by|of|during|around|for|from|through|throughout|before|after|back\s+in"
    r"|to|and|between|starting|for\s+all\s+of)"
)

_RULES = [
    # vetoes
    _rule(
        rf"\b(?:every|each|any|most|some|per)\s+(?:other\s+|single\s+|second\s+)?"
        rf"(?:{UNIT}|{WEEKDAY}s?|{MONTH}|{FESTIVAL}|{SEASON}|morning|afternoon|evening)"
        rf"(?:\s+(?:morning|afternoon|evening|night)s?)?",
        _nothing,
    ),
    _rule(rf"\b(?:on\s+)?{WEEKDAY}(?:s|\s+(?:mornings|afternoons|evenings|nights))\b", _nothing),
    # days
    _rule(
        r"\b(?P<day>today|yesterday|tomorrow|tmrw?|(?:the\s+)?day\s+before\s+yesterday"
        r"|(?:the\s+)?day\s+after\s+tomorrow)\b",
        _named_day,
    ),
    _rule(r"\b(?:(?P<which>this)\s+(?P<part>morning|afternoon|evening)|tonight)\b", _part_of_today),
    _rule(r"\b(?P<which>last)\s+(?P<part>night|evening)\b", _part_of_today),
    _rule(r"\b(?:the\s+)?other\s+(?P<unit>day|night|evening|week)\b", _other_day),
    # distances
    _rule(
        rf"\b(?P<number>{NUMBER})(?:\s*(?:or|to|-|–)\s*(?P<second>{NUMBER}))?"
        rf"(?P<half>\s+and\s+a\s+half)?\s+(?P<unit>{UNIT})(?:\s+or\s+(?:two|so))?"
        r"(?:\s+and\s+a\s+half)?\s+(?:ago|back)\b",
        _ago,
    ),
    _rule(rf"\b(?P<number>a)\s+(?P<unit>{UNIT})(?P<half>\s+and\s+a\s+half)\s+(?:ago|back)\b", _ago),
    _rule(
        rf"\b(?P<in>in)\s+(?:about\s+|around\s+)?(?P<number>{NUMBER})"
        rf"(?:\s*(?:or|to|-|–)\s*(?P<second>{NUMBER}))?(?P<half>\s+and\s+a\s+half)?"
        rf"\s+(?P<unit>{UNIT})(?:['’]s?)?(?:\s+time)?",
        _ahead,
    ),
    _rule(
        rf"\b(?P<number>{NUMBER})(?:\s*(?:or|to|-|–)\s*(?P<second>{NUMBER}))?\s+(?P<unit>{UNIT})"
        r"\s+from\s+(?:now|today)\b",
        _ahead,
    ),
    _rule(
        rf"\b(?:the\s+|these\s+)?(?P<which>last|past|next|coming)\s+(?P<number>{NUMBER})\s+(?P<unit>{UNIT})",
        _rolling,
    ),
    _rule(
        rf"\b(?:in|over|during|for|within|throughout)\s+(?P<core>the\s+(?P<which>last|past|next|coming)"
        r"\s+(?P<unit>day|week|month|quarter|year|decade|hour))\b(?!\s+(?:of|before)\b)",
        _rolling,
    ),
    # units by relation
    _rule(
        rf"\b{_WHICH}\s+(?P<unit>weekend|week|fortnight|month|quarter|year|decade)\b",
        _unit_by_relation,
    ),
    _rule(
        r"\b(?:the\s+)?(?P<unit>weekend|week|month|quarter|year)\s+"
        r"(?P<beyond>before\s+last|after\s+next)\b",
        _unit_by_relation,
    ),
    _rule(r"\b(?:at|on|over|during|for|by)\s+(?P<core>the\s+weekend)\b(?!\s+of\b)", _the_weekend),
    _rule(
        r"\b(?:the\s+)?(?P<third>early|beginning|start|mid|middle|late|end)(?:\s+of)?[\s-]+"
        r"(?:the|(?P<which>this|last|next))\s+(?P<unit>week|month|year)\b",
        _part_of_unit,
    ),
    _rule(
        r"\b(?P<third>later|earlier|early|late)\s+(?P<which>this|last|next)\s+(?P<unit>week|month|year)\b",
        _part_of_unit,
    ),
    # weekdays
    _rule(
        rf"\b(?:{_WHICH}\s+)?(?P<weekday>{WEEKDAY})\b(?:\s+(?:of\s+)?(?P<week>last|this|next)\s+week\b)?",
        _weekday,
    ),
    _rule(rf"\b(?:on|{_WHICH})\s+(?P<core>(?P<weekday>{SHORT_WEEKDAY}))(?!\w)", _weekday),
    _rule(rf"\b(?:the\s+)?(?P<weekday>{WEEKDAY})\s+(?P<beyond>before\s+last)\b", _weekday),
    _rule(
        rf"\b(?P<week>last|this|next)\s+week(?:['’]s)?(?:\s+on)?\s+(?P<weekday>{WEEKDAY})\b",
        _weekday,
    ),
    # dates
    _rule(
        rf"\b(?:{WEEKDAY}\s*,?\s+)?(?:the\s+)?{_MONTH}\s+(?:the\s+)?{_ORD_D}(?![\d:]|\s*[ap]\.?m\b)"
        rf"{_RANGE}{_OF_YEAR}?",
        _date,
    ),
    _rule(
        rf"\b(?:{WEEKDAY}\s*,?\s+)?(?:the\s+)?{_ORD_D}{_RANGE}\s+(?:of\s+)?{_MONTH}{_OF_YEAR}?",
        _date,
    ),
    _rule(
        rf"\b(?:the\s+)?(?P<what>weekend|week)\s+of\s+(?:the\s+)?(?:{_MONTH}\s+{_ORD_D}"
        rf"|(?P<number2>{_D})(?:st|nd|rd|th)?\s+(?:of\s+)?(?P<month2>{MONTH})){_OF_YEAR}?",
        _weekend_of,
    ),
    _rule(
        rf"(?<![\d./-])(?P<y>{YEAR})(?P<sep>[-/.])(?P<m>0?[1-9]|1[0-2])(?P=sep)(?P<d>{_D})(?![\d-])",
        _iso_date,
    ),
    _rule(
        rf"(?<![\d./-])(?P<moment>{YEAR}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d{{1,6}})?)?"
        r"(?:Z|[+-]\d\d:?\d\d)?)(?!\d)",
        _iso_moment,
    ),
    _rule(
        rf"(?<![\d./-])(?P<a>\d\d?)(?P<sep>[-/.])(?P<b>\d\d?)(?P=sep)(?P<y>{YEAR})(?![\d-])",
        _slashed_date,
    ),
    _rule(r"\bon\s+(?P<core>(?P<m>0?[1-9]|1[0-2])/(?P<d>\d\d?))(?![\d/])", _short_date),
    _rule(rf"(?<![\d./-])(?P<y>{YEAR})-(?P<m>0[1-9]|1[0-2])(?![\d-])", _iso_month),
    # months and years
    _rule(rf"\b{_MONTH}{_OF_YEAR}", _month),
    _rule(rf"\b(?:{_WHICH}|{_BEFORE_MONTH})\s+(?P<core>{_MONTH})(?!\s+\d{{1,2}}\b)", _month),
    _rule(rf"\b{_THIRD}[\s-]+(?:in\s+)?{_MONTH}{_OF_YEAR}?", _month),
    _rule(r"\b(?P<month>January|February|July|September|October|November|December)\b", _month),
    _rule(
        rf"\b(?:in|since|by|until|till|during|from|of|around|before|after|year|to|and|between)\s+"
        rf"(?P<core>(?P<year>{YEAR}))(?![\d:/.,-]*\d)",
        _year_alone,
    ),
    _rule(rf"\b{_THIRD}[\s-]+(?P<year>{YEAR})\b(?![-/])", _year_alone),
    _rule(rf"\b(?:{_THIRD}[\s-]+)?the\s+['’]?(?P<decade>(?:19|20)?\d0)['’]?s\b", _decade),
    _rule(rf"\b(?:{_THIRD}[\s-]+)?(?P<decade>(?:19|20)\d0)['’]?s\b", _decade),
    _rule(rf"\b(?:{_WHICH}\s+)(?P<season>{SEASON})\b", _season),
    _rule(rf"\b(?:the\s+)?(?P<season>{SEASON}){_OF_YEAR}", _season),
    _rule(rf"\b(?:in|over|during|for|by|since)\s+(?P<core>the\s+(?P<season>{SEASON}))\b", _season),
    _rule(
        r"\b(?:the\s+)?(?P<ordinal>first|second|third|fourth|last|1st|2nd|3rd|4th)\s+"
        rf"(?P<what>{WEEKDAY}|weekend|week)\s+(?:of|in)\s+(?:{_MONTH}{_OF_YEAR}?"
        r"|(?:the|(?P<which>this|last|next))\s+month\b)",
        _counted_in_month,
    ),
    _rule(
        rf"\b(?:on|by|until|before|from)\s+(?P<core>the\s+(?P<number>{_D})(?:st|nd|rd|th))\b"
        r"(?!\s+(?:of|floor|street|avenue|time|one|birthday|anniversary|day|century|grade|place))",
        _nth_of_month,
    ),
    _rule(rf"\b(?:{_WHICH}\s+)?(?P<festival>{FESTIVAL})\b{_OF_YEAR}?", _festival),
    # clocks
    _rule(
        rf"\b(?:at\s+)?(?P<core>(?P<hour>{_HOUR})(?:[:.](?P<minute>[0-5]\d))?\s*(?P<half>[ap]\.?m\b\.?))",
        _clock,
    ),
    _rule(
        r"(?<![\d:.])(?P<hour>[01]?\d|2[0-3]):(?P<minute>[0-5]\d)(?![\d:])(?!\s*[ap]\.?m)", _clock
    ),
    _rule(
        rf"\b(?P<hour>{_HOUR})\s+o['’]clock(?:\s+(?:in\s+the|at)\s+(?P<part>morning|afternoon|evening|night))?\b",
        _clock,
    ),
    _rule(
        rf"\b(?P<hour>{_HOUR})(?::(?P<minute>[0-5]\d))?\s+(?:in\s+the|at)\s+"
        r"(?P<part>morning|afternoon|evening|night)\b",
        _clock,
    ),
    _rule(
        rf"\b(?:a\s+)?(?P<share>half|quarter)\s+(?P<direction>past|to)\s+(?P<hour>{_HOUR})\b",
        _spoken_clock,
    ),
    _rule(r"\bat\s+(?P<core>(?P<part>noon|midnight))\b", _part),
    _rule(r"\b(?P<part>morning|afternoon|evening|night|noon|midnight)\b", _part, weak=True),
    _rule(rf"\bat\s+(?P<core>(?P<hour>{_HOUR}))(?![\d:%./]|\s*[ap]\.?m)\b", _clock, weak=True),
]


def find(text: str, now: datetime) -> Iterator[Found]:
    """Yield everything in a text that some rule reads, overlaps included.

    Args:
        text: any text.
        now: the local moment of speaking, naive.
    """
    for rule in _RULES:
        for match in rule.pattern.finditer(text):
            try:
                read = rule.read(_Said(match, now))
            except (ValueError, OverflowError):
                continue  # 30 February, or a year that the calendar does not have
            if read is None and rule.read is not _nothing:
                continue
            group = "core" if "core" in rule.pattern.groupindex else 0
            begin, end = match.span(group)
            yield Found(
                begin,
                end,
                wall=read if isinstance(read, Wall) else None,
                clock=read if isinstance(read, Clock) else None,
                weak=rule.weak,
            )
