"""Readings of Chinese expressions that start from now: days, distances, weeks, months."""

from __future__ import annotations

from datetime import datetime, timedelta

from dualmem_graph.text.times import spans
from dualmem_graph.text.times.chinese.words import UNITS, amount_of, number_of
from dualmem_graph.text.times.grammar import Said
from dualmem_graph.text.times.spans import Clock, Wall
from dualmem_graph.types import Granularity


def shift_of(words: str) -> int:
    """Read 上, 上上, 这, 本, 下, 下下."""
    return words.count("下") - words.count("上")


# --- days and parts of days --------------------------------------------------------------------

_DAY_SHIFTS = {
    "大前": -3,
    "前": -2,
    "昨": -1,
    "今": 0,
    "明": 1,
    "后": 2,
    "後": 2,
    "大后": 3,
    "大後": 3,
}
_PARTS = {
    **dict.fromkeys(("凌晨",), Clock(0, 6 * 60)),
    **dict.fromkeys(("清晨", "大清早", "一大早", "一早", "晨"), Clock(5 * 60, 9 * 60)),
    **dict.fromkeys(("早上", "早晨", "上午", "早"), Clock(6 * 60, 12 * 60)),
    **dict.fromkeys(("中午",), Clock(11 * 60, 14 * 60)),
    **dict.fromkeys(("下午", "午后", "午後"), Clock(12 * 60, 18 * 60)),
    **dict.fromkeys(("傍晚",), Clock(17 * 60, 20 * 60)),
    **dict.fromkeys(("晚上", "晚间", "晚間", "晚"), Clock(18 * 60, 24 * 60)),
    **dict.fromkeys(("夜里", "夜裡", "半夜", "深夜", "夜"), Clock(22 * 60, 30 * 60)),
}


def read_named_day(said: Said) -> Wall:
    """Read 昨天, 大后天."""
    return spans.one_day(said.today + timedelta(days=_DAY_SHIFTS[said["day"]]))


def read_named_part(said: Said) -> Wall | None:
    """Read 昨晚, 今早八点."""
    day = said.today + timedelta(days=_DAY_SHIFTS[said["day"]])
    clock = read_clock(said) if said["hour"] else _PARTS[said["part"]]
    if clock is None:
        return None
    start = spans.midnight(day)
    return Wall(
        start + timedelta(minutes=clock.start),
        start + timedelta(minutes=clock.end),
        Granularity.TIME,
    )


def read_part(said: Said) -> Clock:
    """Read a bare part of a day: 下午."""
    return _PARTS[said["part"]]


def read_clock(said: Said) -> Clock | None:
    """Read 下午三点半, 10点一刻."""
    hour = number_of(said["hour"])
    minute = number_of(said["minute"]) if said["minute"] else 0
    if said["half"]:
        minute = 30
    if said["quarter"]:
        minute = 15 * number_of(said["quarter"])
    if hour > 24 or minute > 59:
        return None
    is_exact = bool(said["minute"] or said["half"] or said["quarter"])
    start = _hour_in_part(hour, said["part"]) * 60 + minute
    return Clock(start, start + (1 if is_exact else 60))


def _hour_in_part(hour: int, part: str) -> int:
    if hour > 12:
        return hour
    if not part:
        return hour + 12 if 1 <= hour <= 6 else hour
    if part == "中午":
        return hour + 12 if hour < 4 else hour
    if part in ("下午", "午后", "午後", "傍晚"):
        return hour % 12 + 12
    if part in ("晚上", "晚间", "晚間", "晚"):
        return 24 if hour == 12 else hour + 12
    if part in ("夜里", "夜裡", "半夜", "深夜", "夜"):
        return hour + 12 if 9 <= hour < 12 else hour % 12 + 24
    return 0 if hour == 12 and part == "凌晨" else hour


# --- distances ---------------------------------------------------------------------------------


def _unit(said: Said) -> tuple[str, float]:
    words = said["unit"].lstrip("个個")
    if words in ("周末", "週末"):
        return "weekend", 1.0
    return UNITS[words[0]], 3.0 if words[0] == "季" else 1.0


def _amounts(said: Said) -> tuple[float, float]:
    fewest, most = amount_of(said["number"])
    if said["half"]:
        fewest, most = fewest + 0.5, most + 0.5
    if said["more"]:
        # 二十多年 is 20 to 29, 两年多 two to nearly three
        most = fewest + (9 if fewest >= 10 and fewest % 10 == 0 else 1)
    elif said["over"]:
        most = fewest + 1
    return fewest, most


def read_distance(said: Said) -> Wall | None:
    """Read 三天前, 两周后, 半年前."""
    direction = -1 if said["way"] == "前" else 1
    if direction > 0 and not said["ahead"] and said.lean == "past":
        return None  # told from another day: 三天后他走了
    fewest, most = _amounts(said)
    unit, factor = _unit(said)
    if unit == "weekend":
        return spans.weekend(said.today, direction * int(fewest))
    return _away(said.now, direction * fewest * factor, direction * most * factor, unit)


def _away(now: datetime, first: float, second: float, unit: str) -> Wall:
    if first == second:
        return spans.away(now, first, _plain(unit))
    low, high = sorted((int(first), int(second)))
    return spans.about(now, low, high, _plain(unit))


def _plain(unit: str) -> spans.Unit:
    return next(known for known in UNITS.values() if known == unit)


def read_some_days(said: Said) -> Wall:
    """Read 前几天, 前两天, 过几天, 过两天, 前阵子."""
    direction = -1 if said["way"] == "前" else 1
    if said["while"]:
        return spans.about(said.now, -8, -1, "week")
    few = (1, 3) if said["number"] in ("两", "兩") else (2, 5)
    low, high = sorted(direction * count for count in few)
    return spans.about(said.now, low, high, "day")


def read_rolling(said: Said) -> Wall | None:
    """Read 最近三个月, 过去一年, 未来两周."""
    unit, factor = _unit(said)
    if unit == "weekend":
        return None
    direction = 1 if said["ahead"] else -1
    return spans.rolling(said.now, direction * _amounts(said)[1] * factor, _plain(unit))


# --- weeks and months by relation --------------------------------------------------------------


def read_week(said: Said) -> Wall:
    """Read 上周, 下个星期三, 这周末, 周五."""
    today, shift, day = said.today, shift_of(said["which"]), said["weekday"]
    if not day:
        return spans.whole_week(today, shift)
    if day == "末":
        return _weekend(said, shift)
    number = number_of(day) - 1
    if said["which"]:
        return spans.one_day(spans.weekday_of(today, number, shift))
    return spans.one_day(spans.weekday_near(today, number, said.lean))


def _weekend(said: Said, shift: int) -> Wall:
    if not said["which"] and said.lean == "past" and said.today.weekday() < 5:
        shift = -1
    return spans.weekend(said.today, shift)


def read_month_by_relation(said: Said) -> Wall:
    """Read 上个月, 下月初, 这个月15号."""
    first = spans.month_start(said.today, shift_of(said["which"]))
    if said["date"]:
        return spans.one_day(first.replace(day=number_of(said["date"])))
    if said["third"]:
        return spans.part_of_month(first.year, first.month, THIRDS[said["third"]])
    return spans.month_from(first)


THIRDS: dict[str, spans.Part] = {
    "初": "start",
    "上旬": "start",
    "中": "mid",
    "中旬": "mid",
    "下旬": "end",
    "底": "end",
    "末": "end",
}


def read_edge_of_now(said: Said) -> Wall:
    """Read 月底, 年初 of the month and year we are in."""
    third = THIRDS[said["third"]]
    if said["unit"] == "年":
        return spans.part_of_year(said.today.year, third)
    return spans.part_of_month(said.today.year, said.today.month, third)
