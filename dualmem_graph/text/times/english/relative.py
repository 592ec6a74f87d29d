"""Readings of English expressions that start from now: days, distances, weeks, weekdays."""

from __future__ import annotations

from datetime import date, timedelta

from dualmem_graph.text.times import spans
from dualmem_graph.text.times.english.words import amount_of, shift_of, unit_of, weekday_number
from dualmem_graph.text.times.grammar import Said
from dualmem_graph.text.times.spans import Clock, Wall
from dualmem_graph.types import Granularity

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
PARTS = {
    "morning": Clock(6 * 60, 12 * 60),
    "afternoon": Clock(12 * 60, 18 * 60),
    "evening": Clock(17 * 60, 24 * 60),
    "night": Clock(18 * 60, 30 * 60),
    "noon": Clock(12 * 60, 13 * 60),
    "midnight": Clock(24 * 60, 25 * 60),
}


def read_named_day(said: Said) -> Wall:
    """Read "today", "the day after tomorrow"."""
    return spans.one_day(said.today + timedelta(days=_DAY_SHIFTS.get(said["day"], 0)))


def read_part_of_today(said: Said) -> Wall:
    """Read "this morning", "tonight", "last night"."""
    clock = PARTS[said["part"] or "night"]
    start = spans.midnight(said.today) - timedelta(days=bool(said["last"]))
    return Wall(
        start + timedelta(minutes=clock.start),
        start + timedelta(minutes=clock.end),
        Granularity.TIME,
    )


def read_part(said: Said) -> Clock:
    """Read a bare part of a day."""
    return PARTS[said["part"]]


# --- distances ---------------------------------------------------------------------------------


def _amounts(said: Said) -> tuple[float, float]:
    fewest, most = amount_of(said["number"])
    if said["second"]:
        most = amount_of(said["second"])[1]
    extra = 0.5 if said["half"] or said["after"] else 0.0
    return fewest + extra, most + extra


def read_ago(said: Said) -> Wall | None:
    """Read "three days ago", "a couple of weeks back"."""
    return _distance(said, -1)


def read_ahead(said: Said) -> Wall | None:
    """Read "in two weeks", "a year from now"."""
    if said["in"] and said.lean == "past":
        return None  # "I read it in two days" says how long it took
    return _distance(said, 1)


def _distance(said: Said, direction: int) -> Wall | None:
    fewest, most = _amounts(said)
    unit, factor = unit_of(said["unit"])
    if unit == "weekend":
        return spans.weekend(said.today, direction * int(fewest))
    if fewest == most:
        return spans.away(said.now, direction * fewest * factor, unit)
    bounds = sorted(direction * int(count) * factor for count in (fewest, most))
    return spans.about(said.now, bounds[0], bounds[1], unit)


def read_rolling(said: Said) -> Wall | None:
    """Read "the past two weeks", "the next few days"."""
    most = _amounts(said)[1] if said["number"] else 1.0
    unit, factor = unit_of(said["unit"])
    if unit == "weekend":
        return None
    direction = shift_of(said["which"])
    return spans.rolling(said.now, direction * most * factor, unit)


def read_other_day(said: Said) -> Wall:
    """Read "the other day": some days ago."""
    if said["unit"] == "week":
        return spans.about(said.now, -3, -1, "week")
    return spans.about(said.now, -5, -2, "day")


# --- units by relation -------------------------------------------------------------------------


def read_unit_by_relation(said: Said) -> Wall | None:
    """Read "last week", "next year", "the weekend before last"."""
    shift = shift_of(said["which"])
    if said["beyond"]:
        shift = -2 if said["beyond"] == "before last" else 2
    return _unit_at(said, shift)


def _unit_at(said: Said, shift: int) -> Wall | None:
    unit, today = said["unit"], said.today
    if unit == "weekend":
        is_coming = said["which"].endswith("coming") and today.weekday() < 5
        return spans.weekend(today, 0 if is_coming else shift)
    if unit == "quarter":
        first = spans.month_start(today, -((today.month - 1) % 3) + 3 * shift)
        return spans.between(first, spans.month_start(first, 3), Granularity.MONTH)
    if unit == "decade":
        return spans.whole_year(today.year // 10 * 10 + 10 * shift, 10)
    plain, factor = unit_of(unit)
    if plain == "weekend":
        return None
    return spans.away(said.now, shift * factor, plain)


def read_the_weekend(said: Said) -> Wall:
    """Read "at the weekend": the last one when told, else this week's."""
    if said.lean == "past" and said.today.weekday() < 5:
        return spans.weekend(said.today, -1)
    return spans.weekend(said.today)


def read_part_of_unit(said: Said) -> Wall | None:
    """Read "the end of the month", "early next year", "later this week"."""
    part = third_of(said)
    shift, unit = shift_of(said["which"]), said["unit"]
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


def third_of(said: Said) -> spans.Part | None:
    """Read which part of a month or year "early", "the end of" … means."""
    return _THIRDS.get(said["edge"] or said["third"])


# --- weekdays ----------------------------------------------------------------------------------


def read_weekday(said: Said) -> Wall:
    """Read a weekday: "last" is the latest one past, "next" that of the coming week."""
    number, which = weekday_number(said["weekday"]), said["which"]
    today = said.today
    if said["beyond"]:
        days = last_before(today, number)
        return spans.one_day(days - timedelta(days=7))
    if said["week"]:
        return spans.one_day(spans.weekday_of(today, number, shift_of(said["week"])))
    if which == "next":
        return spans.one_day(spans.weekday_of(today, number, 1))
    if shift_of(which) < 0:
        return spans.one_day(last_before(today, number))
    if shift_of(which) > 0:
        return spans.one_day(spans.weekday_near(today + timedelta(days=1), number, "future"))
    if which:
        return spans.one_day(spans.weekday_of(today, number))
    return spans.one_day(spans.weekday_near(today, number, said.lean))


def last_before(today: date, weekday: int) -> date:
    """Give the last such weekday before a day."""
    return spans.weekday_near(today - timedelta(days=1), weekday, "past")
