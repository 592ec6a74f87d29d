"""Calendar arithmetic on the wall clock: days, weeks, months, seasons, parts of them.

Everything here is naive local time; ``search`` converts to UTC at the end. Builders raise
``ValueError`` or ``OverflowError`` for days that do not exist, which means "no such time".
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Literal

from dualmem_graph.types import Granularity

Unit = Literal["minute", "hour", "day", "week", "month", "year"]
Lean = Literal["past", "future"] | None


@dataclass(frozen=True, slots=True)
class Wall:
    """A span ``[start, end)`` of naive local time and how exactly it is known."""

    start: datetime
    end: datetime
    granularity: Granularity


@dataclass(frozen=True, slots=True)
class Clock:
    """A part of some day: minutes after its midnight, the end possibly on the next day."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Found:
    """What a grammar found at ``text[begin:end]``.

    A :class:`Wall` stands for itself; a :class:`Clock` needs a day from its neighbour or, unless
    it is ``weak``, takes the reference day; nothing at all is a veto, which keeps others from
    reading a part of it ("every Friday").
    """

    begin: int
    end: int
    wall: Wall | None = None
    clock: Clock | None = None
    weak: bool = False


def midnight(day: date) -> datetime:
    """Give the first moment of a day."""
    return datetime.combine(day, time.min)


def between(start: date, end: date, granularity: Granularity) -> Wall:
    """Span whole days from ``start`` up to, not including, ``end``."""
    return Wall(midnight(start), midnight(end), granularity)


def one_day(day: date) -> Wall:
    """Span one day."""
    return between(day, day + timedelta(days=1), Granularity.DAY)


def week_start(day: date) -> date:
    """Give the Monday of a day's week."""
    return day - timedelta(days=day.weekday())


def whole_week(day: date, shift: int = 0) -> Wall:
    """Span the Monday-to-Sunday week of a day, or one ``shift`` weeks away."""
    monday = week_start(day) + timedelta(weeks=shift)
    return between(monday, monday + timedelta(days=7), Granularity.WEEK)


def weekend(day: date, shift: int = 0) -> Wall:
    """Span the Saturday and Sunday of a day's week, or of one ``shift`` weeks away."""
    saturday = week_start(day) + timedelta(days=5, weeks=shift)
    return between(saturday, saturday + timedelta(days=2), Granularity.DAY)


def weekday_of(day: date, weekday: int, shift: int = 0) -> date:
    """Give the weekday (0 is Monday) of a day's week, or of one ``shift`` weeks away."""
    return week_start(day) + timedelta(days=weekday, weeks=shift)


def month_start(day: date, shift: int = 0) -> date:
    """Give the first day of a day's month, or of one ``shift`` months away."""
    years, month = divmod(day.month - 1 + shift, 12)
    return date(day.year + years, month + 1, 1)


def whole_month(year: int, month: int) -> Wall:
    """Span one month."""
    first = date(year, month, 1)
    return between(first, month_start(first, 1), Granularity.MONTH)


def month_from(day: date, shift: int = 0) -> Wall:
    """Span the month of a day, or one ``shift`` months away."""
    first = month_start(day, shift)
    return whole_month(first.year, first.month)


def whole_year(year: int, count: int = 1) -> Wall:
    """Span ``count`` years."""
    return between(date(year, 1, 1), date(year + count, 1, 1), Granularity.YEAR)


#: First month of each season in the northern hemisphere, three months each.
SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "winter": 12}


def season(name: str, year: int) -> Wall:
    """Span a season of a year; winter runs into the next one."""
    first = date(year, SEASONS[name], 1)
    return between(first, month_start(first, 3), Granularity.MONTH)


def season_near(name: str, day: date, direction: int) -> Wall:
    """Span the last season of a name that is over (-1), the one around or ahead (0), or the
    next to begin (1)."""
    spans = [season(name, year) for year in range(day.year - 2, day.year + 2)]
    now = midnight(day)
    if direction < 0:
        return [span for span in spans if span.end <= now][-1]
    if direction > 0:
        return next(span for span in spans if span.start > now)
    return next(span for span in spans if span.end > now)


#: Parts of a month, year or week. "Late" is its last third, "end" its very end.
Part = Literal["start", "early", "mid", "late", "end"]


def part_of_month(year: int, month: int, part: Part) -> Wall:
    """Span ten days or so at the beginning, the middle or the end of a month."""
    first = date(year, month, 1)
    following = month_start(first, 1)
    low, high = {"start": (0, 10), "early": (0, 10), "mid": (10, 20)}.get(part, (20, 31))
    end = min(first + timedelta(days=high), following)
    return between(first + timedelta(days=low), end, Granularity.WEEK)


def part_of_year(year: int, part: Part) -> Wall:
    """Span a third of a year, or two months at its start or end."""
    month, count = {
        "start": (1, 2),
        "early": (1, 4),
        "mid": (5, 4),
        "late": (9, 4),
        "end": (11, 2),
    }[part]
    first = date(year, month, 1)
    return between(first, month_start(first, count), Granularity.MONTH)


def part_of_week(day: date, part: Part) -> Wall:
    """Span Monday and Tuesday, Wednesday and Thursday, or Friday to Sunday of a day's week."""
    low, high = {"start": (0, 2), "early": (0, 2), "mid": (2, 4)}.get(part, (4, 7))
    monday = week_start(day)
    return between(monday + timedelta(days=low), monday + timedelta(days=high), Granularity.DAY)


def half_of_year(year: int, second: bool) -> Wall:
    """Span January to June or July to December."""
    first = date(year, 7 if second else 1, 1)
    return between(first, month_start(first, 6), Granularity.MONTH)


def away(now: datetime, amount: float, unit: Unit) -> Wall:
    """Span the calendar unit that lies ``amount`` units from now (negative: ago).

    A part of a unit is counted in the next smaller one: half a year is six months.
    """
    if amount != int(amount) and unit in ("year", "month", "week", "day", "hour"):
        return _part_away(now, amount, unit)
    count = int(amount)
    day = now.date()
    if unit == "minute":
        start = (now + timedelta(minutes=count)).replace(second=0, microsecond=0)
        return Wall(start, start + timedelta(minutes=1), Granularity.TIME)
    if unit == "hour":
        start = (now + timedelta(hours=count)).replace(second=0, microsecond=0)
        return Wall(start, start + timedelta(hours=1), Granularity.TIME)
    if unit == "day":
        return one_day(day + timedelta(days=count))
    if unit == "week":
        return whole_week(day, count)
    if unit == "month":
        return month_from(day, count)
    return whole_year(day.year + count)


def _part_away(now: datetime, amount: float, unit: Unit) -> Wall:
    if unit == "year":
        return away(now, round(amount * 12), "month")
    if unit == "month":
        whole = int(amount)
        shifted = add_months(now.date(), whole) + timedelta(days=round((amount - whole) * 30))
        return whole_week(shifted)
    if unit == "week":
        return away(now, round(amount * 7), "day")
    if unit == "day":
        return away(now, round(amount * 24), "hour")
    return away(now, round(amount * 60), "minute")


def about(now: datetime, fewest: int, most: int, unit: Unit) -> Wall:
    """Span a vague distance, ``fewest`` to ``most`` units from now (both negative: ago)."""
    walls = (away(now, fewest, unit), away(now, most, unit))
    coarser: dict[Unit, Granularity] = {
        "minute": Granularity.TIME,
        "hour": Granularity.TIME,
        "day": Granularity.WEEK,
        "week": Granularity.MONTH,
        "month": Granularity.YEAR,
        "year": Granularity.YEAR,
    }
    return Wall(min(wall.start for wall in walls), max(wall.end for wall in walls), coarser[unit])


def rolling(now: datetime, amount: float, unit: Unit) -> Wall:
    """Span the time from ``amount`` units ago to the end of today, or from today on."""
    day = now.date()
    granularity = {
        "minute": Granularity.TIME,
        "hour": Granularity.TIME,
        "day": Granularity.DAY,
        "week": Granularity.WEEK,
        "month": Granularity.MONTH,
        "year": Granularity.YEAR,
    }[unit]
    if unit in ("minute", "hour"):
        other = now + timedelta(**{f"{unit}s": amount})
        return Wall(min(now, other), max(now, other), granularity)
    other_day = shift_day(day, amount, unit)
    tomorrow = day + timedelta(days=1)
    if amount < 0:
        return between(other_day, tomorrow, granularity)
    return between(day, other_day + timedelta(days=1), granularity)


def shift_day(day: date, amount: float, unit: Unit) -> date:
    """Move a day by days, weeks, months or years; the 31st becomes the last day there is."""
    if unit == "week":
        return day + timedelta(days=round(amount * 7))
    if unit == "month":
        return add_months(day, round(amount))
    if unit == "year":
        return add_months(day, round(amount * 12))
    return day + timedelta(days=round(amount))


def add_months(day: date, count: int) -> date:
    """Move a day by months, to the last day of a shorter month where it must be."""
    first = month_start(day, count)
    last = month_start(first, 1) - timedelta(days=1)
    return first.replace(day=min(day.day, last.day))


# The tense is only a guess: a day some weeks off the other way beats one almost a year away.
_SOON, _FAR = timedelta(days=60), timedelta(days=300)


def date_near(day: date, month: int, number: int, lean: Lean) -> date:
    """Give the nearest day of this month and number: before, after, or around ``day``."""
    found = [date(year, month, number) for year in _years_with(day, month, number)]
    meant, closest = nearest(found, day, lean), nearest(found, day, None)
    is_absurd = abs(meant - day) > _FAR and abs(closest - day) < _SOON
    return closest if is_absurd else meant


def date_on_weekday(day: date, month: int, number: int, weekday: int) -> date:
    """Give the day of this month and number, nearest to ``day``, that falls on a weekday."""
    found = [date(year, month, number) for year in _years_with(day, month, number, reach=6)]
    return nearest([each for each in found if each.weekday() == weekday], day, None)


def month_near(day: date, month: int, lean: Lean) -> Wall:
    """Span the nearest month of this number: before, after, or around ``day``."""
    firsts = [date(day.year + shift, month, 1) for shift in (-1, 0, 1)]
    first = nearest(firsts, month_start(day), lean)
    return whole_month(first.year, first.month)


def number_near(day: date, number: int, lean: Lean) -> date:
    """Give the nearest day of the month with this number (the 8th)."""
    found = []
    for shift in (-2, -1, 0, 1, 2):
        first = month_start(day, shift)
        if number <= (month_start(first, 1) - first).days:
            found.append(first.replace(day=number))
    return nearest(found, day, lean)


def weekday_near(day: date, weekday: int, lean: Lean) -> date:
    """Give the nearest such weekday: the last one, the next one, or this week's; today counts."""
    if lean == "past":
        return day - timedelta(days=(day.weekday() - weekday) % 7)
    if lean == "future":
        return day + timedelta(days=(weekday - day.weekday()) % 7)
    return weekday_of(day, weekday)


def _years_with(day: date, month: int, number: int, reach: int = 1) -> list[int]:
    """List the years around a day in which the date exists (29 February is not in each)."""
    if (month, number) == (2, 29):
        reach = max(40 if reach > 1 else 8, reach)
    years = []
    for year in range(day.year - reach, day.year + reach + 1):
        try:
            date(year, month, number)
        except ValueError:
            continue
        years.append(year)
    return years


def nearest(found: list[date], day: date, lean: Lean) -> date:
    """Choose the last day before, the first after, or the one closest to ``day``; it counts too."""
    if lean == "past":
        return max(each for each in found if each <= day)
    if lean == "future":
        return min(each for each in found if each >= day)
    return min(found, key=lambda each: abs(each - day))
