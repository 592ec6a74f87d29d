"""Readings of English expressions that name a date, a month, a year, a festival or a clock time."""

from __future__ import annotations

import re
from datetime import date, timedelta

from dualmem_graph.text.times import spans
from dualmem_graph.text.times.english.relative import last_before, third_of
from dualmem_graph.text.times.english.words import (
    FESTIVAL_KEYS,
    amount_of,
    month_of,
    ordinal_of,
    season_of,
    shift_of,
    weekday_number,
)
from dualmem_graph.text.times.festivals import FESTIVALS, festival_near
from dualmem_graph.text.times.grammar import Said
from dualmem_graph.text.times.spans import Clock, Wall
from dualmem_graph.types import Granularity


def year_of(said: Said) -> int | None:
    """Read the year that goes with a month, a season or a festival, if one is given."""
    words = said["year"]
    if not words:
        return None
    if words.isdigit():
        return int(words)
    return said.today.year + (-2 if "before" in words else shift_of(words.split()[0]))


# --- months, dates, years ----------------------------------------------------------------------


def read_date(said: Said) -> Wall:
    """Read "May 8", "8th of May 2023", "May 8-10"."""
    month, number, year = month_of(said["month"]), int(said["number"]), year_of(said)
    if year is None and said["weekday"]:
        first = spans.date_on_weekday(said.today, month, number, weekday_number(said["weekday"]))
    elif year is None:
        first = spans.date_near(said.today, month, number, said.lean)
    else:
        first = date(year, month, number)
    last = first.replace(day=int(said["last"])) if said["last"] else first
    return spans.between(first, last + timedelta(days=1), Granularity.DAY)


def read_month(said: Said) -> Wall:
    """Read "in March", "last May", "early June 2023"."""
    month, year, today = month_of(said["month"]), year_of(said), said.today
    if year is not None:
        wall = spans.whole_month(year, month)
    else:
        wall = _month_by_relation(said, month, today)
    third = third_of(said)
    if third:
        return spans.part_of_month(wall.start.year, wall.start.month, third)
    return wall


def _month_by_relation(said: Said, month: int, today: date) -> Wall:
    shift = shift_of(said["which"])
    if shift < 0:
        return spans.month_near(spans.month_start(today, -1), month, "past")
    if shift > 0:
        return spans.month_near(spans.month_start(today, 1), month, "future")
    if said["which"]:
        return spans.whole_month(today.year, month)
    return spans.month_near(today, month, said.lean)


def read_year_alone(said: Said) -> Wall:
    """Read "2019", "late 2020"."""
    third = third_of(said)
    year = int(said["year"])
    return spans.part_of_year(year, third) if third else spans.whole_year(year)


def read_decade(said: Said) -> Wall | None:
    """Read "the 90s", "the early 2000s"; "the 1900s" are the century."""
    digits = said["decade"]
    start = int(digits) if len(digits) == 4 else (1900 if int(digits) >= 30 else 2000) + int(digits)
    if len(digits) == 4 and digits.endswith("00") and start < 2000:
        return spans.whole_year(start, 100)
    third = third_of(said)
    if third:
        offset, count = {"start": (0, 3), "early": (0, 4), "mid": (4, 3)}.get(third, (7, 3))
        return spans.whole_year(start + offset, count)
    return spans.whole_year(start, 10)


def read_season(said: Said) -> Wall:
    """Read "last summer", "the spring of 2021"."""
    name, year = season_of(said["season"]), year_of(said)
    if year is not None:
        return spans.season(name, year)
    if said["which"] == "this":
        return spans.season(name, said.today.year)
    shift = shift_of(said["which"])
    if not said["which"] and said.lean == "past":
        now = spans.season_near(name, said.today, 0)
        return now if now.start <= said.now else spans.season_near(name, said.today, -1)
    return spans.season_near(name, said.today, shift)


def read_iso_date(said: Said) -> Wall:
    """Read 2023-05-08."""
    return spans.one_day(date(int(said["y"]), int(said["m"]), int(said["d"])))


def read_slashed_date(said: Said) -> Wall:
    """Read 5/8/2023 in the American order unless only the other one exists; 8.5.2023 day first."""
    first, second, year = int(said["a"]), int(said["b"]), int(said["y"])
    month, day = (first, second) if said["sep"] != "." else (second, first)
    if month > 12:
        month, day = day, month
    return spans.one_day(date(year, month, day))


def read_short_date(said: Said) -> Wall:
    """Read 5/8, the month first."""
    return spans.one_day(spans.date_near(said.today, int(said["m"]), int(said["d"]), said.lean))


def read_iso_month(said: Said) -> Wall:
    """Read 2023-05."""
    return spans.whole_month(int(said["y"]), int(said["m"]))


def read_nth_of_month(said: Said) -> Wall:
    """Read "the 8th"."""
    return spans.one_day(spans.number_near(said.today, int(said["number"]), said.lean))


def read_counted_in_month(said: Said) -> Wall | None:
    """Read "the first weekend of May", "the last Friday of this month"."""
    if said["month"]:
        first = read_month(said).start.date()
    else:
        first = spans.month_start(said.today, shift_of(said["which"]))
    following = spans.month_start(first, 1)
    count = ordinal_of(said["ordinal"])
    if said["what"] == "week":
        days = timedelta(days=7)
        start = following - days if count == 0 else first + days * (count - 1)
        return spans.between(start, min(start + days, following), Granularity.WEEK)
    number = 5 if said["what"] == "weekend" else weekday_number(said["what"])
    if count == 0:
        day = last_before(following, number)
    else:
        day = spans.weekday_near(first, number, "future") + timedelta(days=7 * (count - 1))
    if day.month != first.month:
        return None
    return spans.between(
        day, day + timedelta(days=2 if said["what"] == "weekend" else 1), Granularity.DAY
    )


def read_weekend_of(said: Said) -> Wall:
    """Read "the weekend of May 6", "the week of 12 June"."""
    day = read_date(said).start.date()
    return spans.weekend(day) if said["what"] == "weekend" else spans.whole_week(day)


# --- festivals ---------------------------------------------------------------------------------

_FESTIVAL_PATTERNS = [(re.compile(words, re.I), key) for words, key in FESTIVAL_KEYS.items()]


def read_festival(said: Said) -> Wall:
    """Read "last Christmas", "Easter 2022"."""
    key = next(key for words, key in _FESTIVAL_PATTERNS if words.fullmatch(said["festival"]))
    year, today = year_of(said), said.today
    if year is not None:
        return spans.one_day(FESTIVALS[key](year))
    shift = shift_of(said["which"])
    if shift < 0:
        return spans.one_day(festival_near(key, today - timedelta(days=1), "past"))
    if shift > 0:
        return spans.one_day(festival_near(key, today + timedelta(days=1), "future"))
    if said["which"]:
        return spans.one_day(FESTIVALS[key](today.year))
    return spans.one_day(festival_near(key, today, said.lean))


# --- clocks ------------------------------------------------------------------------------------


def read_clock(said: Said) -> Clock | None:
    """Read "10 am", "6:45", "nine in the morning"."""
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


def read_spoken_clock(said: Said) -> Clock | None:
    """Read "half past ten", "a quarter to six"."""
    hour = int(amount_of(said["hour"])[0])
    minutes = 30 if said["share"] == "half" else 15
    if not 1 <= hour <= 12:
        return None
    hour += 12 if 1 <= hour <= 6 else 0
    start = hour * 60 + (minutes if said["direction"] == "past" else -minutes)
    return Clock(start, start + 1)
