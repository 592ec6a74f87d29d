"""Readings of Chinese expressions that name a date, a season, a festival or a lunar day."""

from __future__ import annotations

from datetime import date, timedelta

from dualmem_graph.text.times import spans
from dualmem_graph.text.times.chinese.relative import THIRDS, shift_of
from dualmem_graph.text.times.chinese.words import FESTIVAL_KEYS, SEASONS, number_of, year_of
from dualmem_graph.text.times.festivals import FESTIVALS, HOLIDAYS, festival_near, lunar_date
from dualmem_graph.text.times.grammar import Said
from dualmem_graph.text.times.spans import Wall
from dualmem_graph.types import Granularity

# --- dates -------------------------------------------------------------------------------------


def _year(said: Said) -> int | None:
    return year_of(said["year"], said.today.year) if said["year"] else None


def read_date(said: Said) -> Wall:
    """Read 2023年5月8日, 去年三月, 五月初, 5月."""
    month, year = number_of(said["month"]), _year(said)
    if said["date"]:
        number = number_of(said["date"])
        if year is None:
            return spans.one_day(spans.date_near(said.today, month, number, said.lean))
        return spans.one_day(date(year, month, number))
    wall = (
        spans.month_near(said.today, month, said.lean)
        if year is None
        else spans.whole_month(year, month)
    )
    if said["third"]:
        return spans.part_of_month(wall.start.year, wall.start.month, THIRDS[said["third"]])
    return wall


def read_number_of_month(said: Said) -> Wall:
    """Read 8号."""
    return spans.one_day(spans.number_near(said.today, number_of(said["date"]), said.lean))


# 大年初三 names no month.
_LUNAR_MONTHS = {"": 1, "正": 1, "冬": 11, "腊": 12, "臘": 12}


def read_lunar(said: Said) -> Wall:
    """Read 农历八月十五, 正月初三, 腊月廿三."""
    month = _LUNAR_MONTHS.get(said["month"]) or number_of(said["month"])
    number, year = number_of(said["date"]), _year(said)
    if year is not None:
        return spans.one_day(lunar_date(year, month, number))
    today = said.today
    found = [lunar_date(today.year + shift, month, number) for shift in (-1, 0, 1)]
    return spans.one_day(spans.nearest(found, today, said.lean))


def read_year_alone(said: Said) -> Wall:
    """Read 去年, 2023年底."""
    year = year_of(said["year"], said.today.year)
    if said["third"]:
        return spans.part_of_year(year, THIRDS[said["third"]])
    return spans.whole_year(year)


def read_half_year(said: Said) -> Wall:
    """Read 去年下半年."""
    year = _year(said)
    return spans.half_of_year(said.today.year if year is None else year, said["side"] == "下")


def read_decade(said: Said) -> Wall:
    """Read 90年代."""
    number = number_of(said["decade"])
    start = number if number >= 1000 else (1900 if number >= 30 else 2000) + number
    return spans.whole_year(start, 10)


def read_season(said: Said) -> Wall:
    """Read 去年夏天."""
    name = SEASONS[said["season"][0]]
    year = _year(said)
    if year is not None:
        return spans.season(name, year)
    return spans.season_near(name, said.today, shift_of(said["which"]))


def read_school_holiday(said: Said) -> Wall:
    """Read 去年暑假: July and August, or the weeks around the Spring Festival."""
    year = _year(said)
    if year is None:
        year = said.today.year + shift_of(said["which"])
    if said["season"] == "暑假":
        return spans.between(date(year, 7, 1), date(year, 9, 1), Granularity.MONTH)
    return spans.between(date(year, 1, 15), date(year, 2, 20), Granularity.MONTH)


_LEANS: dict[int, spans.Lean] = {-1: "past", 0: None, 1: "future"}


def read_festival(said: Said) -> Wall:
    """Read 去年春节, 国庆假期."""
    key = FESTIVAL_KEYS[said["festival"]]
    year = _year(said)
    if year is not None:
        day = FESTIVALS[key](year)
    elif said["which"]:
        direction = shift_of(said["which"])
        day = festival_near(key, said.today + timedelta(days=direction), _LEANS[direction])
    else:
        day = festival_near(key, said.today, said.lean)
    if said["holiday"] and key in HOLIDAYS:
        first, after = HOLIDAYS[key]
        return spans.between(
            day + timedelta(days=first), day + timedelta(days=after), Granularity.DAY
        )
    return spans.one_day(day)
