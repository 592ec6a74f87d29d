"""The grammar of Chinese time expressions; the same design as :mod:`.english`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from dualmem_graph.text.times import spans
from dualmem_graph.text.times.chinese_words import (
    CN,
    DAY,
    FESTIVAL,
    FESTIVAL_KEYS,
    MONTH,
    NUMBER,
    SEASON,
    SEASONS,
    UNIT,
    UNITS,
    WEEK,
    YEAR,
    amount_of,
    leaning,
    may_hold_time,
    number_of,
    year_of,
)
from dualmem_graph.text.times.festivals import FESTIVALS, HOLIDAYS, festival_near, lunar_date
from dualmem_graph.text.times.spans import Clock, Found, Lean, Wall
from dualmem_graph.types import Granularity

__all__ = ["find", "may_hold_time"]


@dataclass(frozen=True, slots=True)
class _Said:
    """One match and the local moment of speaking."""

    match: re.Match[str]
    now: datetime

    def __getitem__(self, group: str) -> str:
        """Give a group, ``""`` where it took no part."""
        return self.match.groupdict().get(group) or ""

    @property
    def today(self) -> date:
        return self.now.date()

    @property
    def lean(self) -> Lean:
        return leaning(self.match.string, self.match.start(), self.match.end())


_Reading = Callable[[_Said], Wall | Clock | None]


def _shift(words: str) -> int:
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
_PART = r"(?P<part>凌晨|清晨|大清早|一大早|早上|早晨|上午|中午|下午|午[后後]|傍晚|晚上|晚[间間]|夜[里裡]|半夜|深夜)"


def _named_day(said: _Said) -> Wall:
    return spans.one_day(said.today + timedelta(days=_DAY_SHIFTS[said["day"]]))


def _named_part(said: _Said) -> Wall | None:
    """Read 昨晚, 今早八点."""
    day = said.today + timedelta(days=_DAY_SHIFTS[said["day"]])
    clock = _clock(said) if said["hour"] else _PARTS[said["part"]]
    if clock is None:
        return None
    start = spans.midnight(day)
    return Wall(
        start + timedelta(minutes=clock.start),
        start + timedelta(minutes=clock.end),
        Granularity.TIME,
    )


def _part(said: _Said) -> Clock:
    return _PARTS[said["part"]]


def _clock(said: _Said) -> Clock | None:
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


def _unit(said: _Said) -> tuple[str, float]:
    words = said["unit"].lstrip("个個")
    if words in ("周末", "週末"):
        return "weekend", 1.0
    return UNITS[words[0]], 3.0 if words[0] == "季" else 1.0


def _amounts(said: _Said) -> tuple[float, float]:
    fewest, most = amount_of(said["number"])
    if said["half"]:
        fewest, most = fewest + 0.5, most + 0.5
    if said["more"]:
        # 二十多年 is 20 to 29, 两年多 two to nearly three
        most = fewest + (9 if fewest >= 10 and fewest % 10 == 0 else 1)
    return fewest, most


def _distance(said: _Said) -> Wall | None:
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


def _some_days(said: _Said) -> Wall:
    """Read 前几天, 前两天, 过几天, 过两天, 前阵子."""
    direction = -1 if said["way"] == "前" else 1
    if said["while"]:
        return spans.about(said.now, -8, -1, "week")
    few = (1, 3) if said["number"] in ("两", "兩") else (2, 5)
    low, high = sorted(direction * count for count in few)
    return spans.about(said.now, low, high, "day")


def _rolling(said: _Said) -> Wall | None:
    """Read 最近三个月, 过去一年, 未来两周."""
    unit, factor = _unit(said)
    if unit == "weekend":
        return None
    direction = 1 if said["ahead"] else -1
    return spans.rolling(said.now, direction * _amounts(said)[1] * factor, _plain(unit))


# --- weeks and months by relation --------------------------------------------------------------


def _week(said: _Said) -> Wall:
    """Read 上周, 下个星期三, 这周末, 周五."""
    today, shift, day = said.today, _shift(said["which"]), said["weekday"]
    if not day:
        return spans.whole_week(today, shift)
    if day == "末":
        return _weekend(said, shift)
    number = number_of(day) - 1
    if said["which"]:
        return spans.one_day(spans.weekday_of(today, number, shift))
    return spans.one_day(spans.weekday_near(today, number, said.lean))


def _weekend(said: _Said, shift: int) -> Wall:
    if not said["which"] and said.lean == "past" and said.today.weekday() < 5:
        shift = -1
    return spans.weekend(said.today, shift)


def _month_by_relation(said: _Said) -> Wall:
    """Read 上个月, 下月初, 这个月15号."""
    first = spans.month_start(said.today, _shift(said["which"]))
    if said["date"]:
        return spans.one_day(first.replace(day=number_of(said["date"])))
    if said["third"]:
        return spans.part_of_month(first.year, first.month, _THIRDS[said["third"]])
    return spans.month_from(first)


_THIRDS: dict[str, spans.Part] = {
    "初": "start",
    "上旬": "start",
    "中": "mid",
    "中旬": "mid",
    "下旬": "end",
    "底": "end",
    "末": "end",
}
_THIRD = "(?P<third>上旬|中旬|下旬|初|中|底|末)"


def _edge_of_now(said: _Said) -> Wall:
    """Read 月底, 年初 of the month and year we are in."""
    third = _THIRDS[said["third"]]
    if said["unit"] == "年":
        return spans.part_of_year(said.today.year, third)
    return spans.part_of_month(said.today.year, said.today.month, third)


# --- dates -------------------------------------------------------------------------------------


def _year(said: _Said) -> int | None:
    return year_of(said["year"], said.today.year) if said["year"] else None


def _date(said: _Said) -> Wall:
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
        return spans.part_of_month(wall.start.year, wall.start.month, _THIRDS[said["third"]])
    return wall


def _number_of_month(said: _Said) -> Wall:
    return spans.one_day(spans.number_near(said.today, number_of(said["date"]), said.lean))


def _lunar(said: _Said) -> Wall:
    """Read 农历八月十五, 正月初三, 腊月廿三."""
    month = {"正": 1, "冬": 11, "腊": 12, "臘": 12}.get(said["month"]) or number_of(said["month"])
    number, year = number_of(said["date"]), _year(said)
    if year is not None:
        return spans.one_day(lunar_date(year, month, number))
    today = said.today
    found = [lunar_date(today.year + shift, month, number) for shift in (-1, 0, 1)]
    if said.lean == "past":
        return spans.one_day(max(each for each in found if each <= today))
    if said.lean == "future":
        return spans.one_day(min(each for each in found if each >= today))
    return spans.one_day(min(found, key=lambda each: abs((each - today).days)))


def _year_alone(said: _Said) -> Wall:
    year = year_of(said["year"], said.today.year)
    if said["third"]:
        return spans.part_of_year(year, _THIRDS[said["third"]])
    return spans.whole_year(year)


def _half_year(said: _Said) -> Wall:
    year = _year(said)
    return spans.half_of_year(said.today.year if year is None else year, said["side"] == "下")


def _decade(said: _Said) -> Wall:
    number = number_of(said["decade"])
    start = number if number >= 1000 else (1900 if number >= 30 else 2000) + number
    return spans.whole_year(start, 10)


def _season(said: _Said) -> Wall:
    name = SEASONS[said["season"][0]]
    year = _year(said)
    if year is not None:
        return spans.season(name, year)
    return spans.season_near(name, said.today, _shift(said["which"]))


def _school_holiday(said: _Said) -> Wall:
    """Read 去年暑假: July and August, or the weeks around the Spring Festival."""
    year = _year(said)
    if year is None:
        year = said.today.year + _shift(said["which"])
    if said["season"] == "暑假":
        return spans.between(date(year, 7, 1), date(year, 9, 1), Granularity.MONTH)
    return spans.between(date(year, 1, 15), date(year, 2, 20), Granularity.MONTH)


_FESTIVAL_PATTERNS = [
    (re.compile(re.sub(r"\(\?<?[!=][^()]*\)", "", words)), key)
    for words, key in FESTIVAL_KEYS.items()
]


def _festival(said: _Said) -> Wall:
    key = next(key for words, key in _FESTIVAL_PATTERNS if words.fullmatch(said["festival"]))
    year = _year(said)
    if year is not None:
        day = FESTIVALS[key](year)
    elif said["which"]:
        direction = _shift(said["which"])
        near = said.today + timedelta(days=direction)
        day = festival_near(key, near, {-1: "past", 1: "future"}.get(direction))
    else:
        day = festival_near(key, said.today, said.lean)
    if said["holiday"] and key in HOLIDAYS:
        first, after = HOLIDAYS[key]
        return spans.between(
            day + timedelta(days=first), day + timedelta(days=after), Granularity.DAY
        )
    return spans.one_day(day)


def _nothing(_said: _Said) -> None:
    """Veto: what repeats or lasts is no point in time."""


# --- the rules ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Rule:
    pattern: re.Pattern[str]
    read: _Reading
    weak: bool = False


def _rule(pattern: str, read: _Reading, *, weak: bool = False) -> _Rule:
    return _Rule(re.compile(pattern), read, weak)


_WHICH = r"(?P<which>(?<![晚早马馬网網路以楼樓乡鄉地])(?:上+|下+)(?:一)?|这|這|本)[个個]?"
_HOUR = r"(?P<hour>[0-2]?\d|十[一二]?|[零〇一二两兩三四五六七八九])"
_MINUTE = r"(?:(?P<half>半)|(?P<quarter>[一三])刻|(?P<minute>[0-5]?\d|[二三四五]?十[一二三四五六七八九]?|零[一二三四五六七八九])分)"
_DATE_OF = rf"(?:(?P<date>{DAY})(?:日|号|號))"
_HOLIDAY = r"(?P<holiday>期间|期間|假期|小?长假|小?長假|黄金周|放假)?"

_RULES = [
    # vetoes
    _rule(
        rf"每(?:隔)?(?:逢)?(?:{CN}|\d+|[个個])*(?:{WEEK}[一二三四五六日天末]?|天|日|月|年|晚上?|早上?|季度?)"
        rf"(?:{DAY}(?:日|号|號))?(?:{_PART.replace('?P<part>', '?:')})?",
        _nothing,
    ),
    _rule(r"年年|月月|天天|一天到晚|生日快乐", _nothing),
    # days
    _rule(
        r"(?P<day>大前|(?<![之以目大])前|昨|今|(?!(?<=[说說证證表声聲])明天[气氣])明|大[后後]|(?<![之以然最今随隨其大])[后後])"
        r"(?:天|日(?![本子常])|儿[个個]?(?![童子女]))(?!性|生的)",
        _named_day,
    ),
    _rule(
        rf"(?P<day>(?<![以之])前|昨|今|明)(?:天)?(?P<part>晚|早|夜|晨)(?:上)?(?:的)?(?:{_HOUR}[点點](?:[钟鐘整]|{_MINUTE})?)?",
        _named_part,
    ),
    # distances
    _rule(
        rf"(?P<number>{NUMBER})(?P<more>多)?(?P<unit>{UNIT})(?P<half>半)?(?:多)?(?:之|以)?(?P<way>前)(?![面方台途提])",
        _distance,
    ),
    _rule(
        rf"(?P<number>[一二两兩三四五六七八九十]|\d+)[个個](?P<half>半)(?P<unit>月|小时|星期|钟头)(?:之|以)?(?P<way>[前后後])",
        _distance,
    ),
    _rule(
        rf"(?P<ahead>再?过|再過)?(?P<number>{NUMBER})(?P<more>多)?(?P<unit>{UNIT})(?P<half>半)?(?:多)?(?:之|以)?(?P<way>[后後])(?![面方台])",
        _distance,
    ),
    _rule(
        rf"(?<![不经超])(?P<ahead>再?过|再過)(?P<number>{NUMBER})(?P<unit>{UNIT})(?P<way>)(?![生的])",
        _distance,
    ),
    _rule(r"(?P<way>前)(?P<number>[几幾两兩些])(?:天|日)|(?P<while>)$^", _some_days),
    _rule(r"(?P<way>前)(?P<while>(?:一)?(?:阵子|阵|陣子|段时间|段時間|段日子))", _some_days),
    _rule(r"(?<![不经超])(?P<way>过)(?P<number>[几幾两兩些])天", _some_days),
    _rule(
        rf"(?:最近|近|过去|過去|这|這|(?P<ahead>未来|未來|接下来|接下來|今[后後]))(?:的)?(?P<number>{NUMBER})(?P<unit>{UNIT})(?![前后後])",
        _rolling,
    ),
    # weeks
    _rule(
        rf"{_WHICH}{WEEK}(?P<weekday>[一二三四五六日天末](?!天))?(?![围圍边邊遭全转轉密到期])",
        _week,
    ),
    _rule(
        rf"(?<![一二两兩三四五六七八九十几幾每\d个個上下这這本])(?P<which>){WEEK}(?P<weekday>[一二三四五六日天])(?![起岁歲])",
        _week,
    ),
    _rule(r"(?<![每个個上下这這本])(?P<which>)[周週](?P<weekday>末)", _week),
    # months by relation
    _rule(
        rf"{_WHICH}月(?:份)?(?:的)?(?:{_DATE_OF}|{_THIRD})?(?![饼餅亮球光票薪经經子台])",
        _month_by_relation,
    ),
    _rule(
        rf"(?<![一二三四五六七八九十\d个個上下这這本])(?P<unit>月)(?P<third>初|中旬|底|末|上旬|下旬)",
        _edge_of_now,
    ),
    _rule(
        r"(?<![一二两兩三四五六七八九十百\d几幾这這那全每去今明前后後0-9过])(?P<unit>年)(?P<third>初|底|末|中(?=[时時要会去，]))",
        _edge_of_now,
    ),
    # dates
    _rule(
        rf"(?:(?P<year>{YEAR})(?:的)?\s*)?(?<![一二三四五六七八九十\d农阴])(?P<month>{MONTH})月(?:份)?\s*"
        rf"(?:{_DATE_OF}|(?P<third>上旬|中旬|下旬|初(?![一二三四五六七八九十])|中|底|末))?(?![饼餅亮球])",
        _date,
    ),
    _rule(
        rf"(?:(?P<year>{YEAR})(?:的)?)?(?:农历|阴历|農曆|陰曆)(?P<month>正|腊|臘|冬|{MONTH})月"
        r"(?P<date>初[一二三四五六七八九十]|[二三]十|十[一二三四五六七八九]?|二十[一二三四五六七八九]|廿[一二三四五六七八九])",
        _lunar,
    ),
    _rule(
        rf"(?:(?P<year>{YEAR})(?:的)?)?(?P<month>正|腊|臘|{MONTH})月"
        r"(?P<date>初[一二三四五六七八九十]|廿[一二三四五六七八九]|(?<=[正腊臘]月)(?:[二三]?十[一二三四五六七八九]?))",
        _lunar,
    ),
    _rule(
        rf"(?<![第\d月A-Za-z#一二三四五六七八九十])(?P<date>{DAY})(?:号|號)(?![楼樓线線院门門桌房店球选選机機位码碼称稱室馆館车車厅廳床铺])",
        _number_of_month,
    ),
    # years and their parts
    _rule(rf"(?P<year>{YEAR})(?:的)?(?:年)?(?P<third>初|底|末|中)?(?![糕级級龄齡薪])", _year_alone),
    _rule(rf"(?:(?P<year>{YEAR})(?:的)?)?(?P<side>[上下])半年", _half_year),
    _rule(
        r"(?:上(?:个)?世纪|二十世纪)?(?P<decade>(?:19|20)?\d0|[二三四五六七八九]十)年代", _decade
    ),
    _rule(
        rf"(?:(?P<year>{YEAR})|(?P<which>上|这|這|下|去)[个個]?)(?:的)?(?P<season>{SEASON})",
        _season,
    ),
    _rule(
        rf"(?:(?P<year>{YEAR})|(?P<which>上|这|這|下)[个個])(?:的)?(?P<season>暑假|寒假)",
        _school_holiday,
    ),
    _rule(
        rf"(?:(?P<year>{YEAR})(?:的)?|(?P<which>上|这|這|下)[个個])?(?P<festival>{FESTIVAL}){_HOLIDAY}(?![快路])",
        _festival,
    ),
    # clocks
    _rule(rf"(?:{_PART}(?:的)?\s*){_HOUR}[点點时時](?:[钟鐘整]|{_MINUTE})?", _clock),
    _rule(rf"(?:{_PART}(?:的)?\s*)(?P<hour>[0-2]?\d)[:：](?P<minute>[0-5]\d)", _clock),
    _rule(r"(?<!\d)(?P<hour>[0-2]?\d)：(?P<minute>[0-5]\d)(?!\d)", _clock),
    _rule(rf"(?<![\d一二三四五六七八九十有早晚]){_HOUR}[点點](?:[钟鐘整]|{_MINUTE})", _clock),
    _rule(r"(?<!\d)(?P<hour>[0-2]?\d)[点點](?![\d%])", _clock),
    _rule(rf"(?<![\d有早晚]){_HOUR}[点點](?![都也儿兒不没])", _clock, weak=True),
    _rule(_PART, _part, weak=True),
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
                continue  # 二月三十日, or a year that the calendar does not have
            if read is None and rule.read is not _nothing:
                continue
            yield Found(
                match.start(),
                match.end(),
                wall=read if isinstance(read, Wall) else None,
                clock=read if isinstance(read, Clock) else None,
                weak=rule.weak,
            )
