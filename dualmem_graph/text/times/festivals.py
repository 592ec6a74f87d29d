"""Days that people name instead of a date, solar, movable and of the Chinese lunar calendar."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta

from dualmem_graph.text.times.spans import Lean, nearest

_FIRST_LUNAR_YEAR = 1970
# One number a year: bits 17 and up are the days from 1 January to the first day of the lunar
# year, bits 13-16 the month after which a leap month follows (0: none), bits 0-12 say of each
# month in turn whether it has 30 days rather than 29.
_LUNAR_YEARS = (
    0x480B69,
    0x34B752,
    0x5A0B52,
    0x420B25,
    0x2C964B,
    0x520A4B,
    0x3D14AB,
    0x6002AD,
    0x4A056D,
    0x36CB69,
    0x5C0DA9,
    0x460D92,
    0x309D25,
    0x560D25,
    0x415A4D,
    0x640A56,
    0x4E02B6,
    0x38C5B5,
    0x5E06D5,
    0x480EA9,
    0x34BE92,
    0x5A0E92,
    0x440D26,
    0x2C6A56,
    0x500A57,
    0x3D14D6,
    0x62035A,
    0x4A06D5,
    0x36B6C9,
    0x5C0749,
    0x460693,
    0x2E952B,
    0x54052B,
    0x3E0A5B,
    0x2A555A,
    0x4E056A,
    0x38FB55,
    0x600BA4,
    0x4A0B49,
    0x32BA93,
    0x580A95,
    0x42052D,
    0x2C8AAD,
    0x500AB5,
    0x3D35AA,
    0x6205D2,
    0x4C0DA5,
    0x36DD4A,
    0x5C0D4A,
    0x460C95,
    0x30952E,
    0x540556,
    0x3E0AB5,
    0x2A55B2,
    0x5006D2,
    0x38CEA5,
    0x5E0725,
    0x48064B,
    0x32AC97,
    0x560CAB,
    0x42055A,
    0x2C6AD6,
    0x520B69,
    0x3D7752,
    0x620B52,
    0x4C0B25,
    0x36DA4B,
    0x5A0A4B,
    0x4404AB,
    0x2EA55B,
    0x5405AD,
    0x3E0B6A,
    0x2A5B52,
    0x500D92,
    0x3AFD25,
    0x5E0D25,
    0x480A55,
    0x32B4AD,
    0x5804B6,
    0x4005B5,
    0x2C6DAA,
    0x520EC9,
    0x3F1E92,
    0x620E92,
    0x4C0D26,
    0x36CA56,
    0x5A0A57,
    0x4404D6,
    0x2E86D5,
    0x540755,
    0x400749,
    0x286E93,
    0x4E0693,
    0x38F52B,
    0x5E052B,
    0x460A5B,
    0x32B55A,
    0x58056A,
    0x420B65,
    0x2C974A,
    0x520B4A,
)


def lunar_date(year: int, month: int, day: int) -> date:
    """Give the solar date of a day in an ordinary month of a Chinese lunar year.

    Raises:
        ValueError: for a year outside 1970 to 2070, or a day the month does not have.

    >>> lunar_date(2024, 8, 15)
    datetime.date(2024, 9, 17)
    """
    if not 0 <= year - _FIRST_LUNAR_YEAR < len(_LUNAR_YEARS):
        raise ValueError(f"no lunar calendar for the year {year!r}")
    packed = _LUNAR_YEARS[year - _FIRST_LUNAR_YEAR]
    leap = packed >> 13 & 0xF
    index = month - 1 + (1 if leap and month > leap else 0)
    length = 30 if packed >> index & 1 else 29
    if not (1 <= month <= 12 and 1 <= day <= length):
        raise ValueError(f"no day {day!r} in month {month!r} of the lunar year {year!r}")
    before = 29 * index + (packed & (1 << index) - 1).bit_count()
    return date(year, 1, 1) + timedelta(days=(packed >> 17) + before + day - 1)


def _solar(month: int, day: int) -> Callable[[int], date]:
    return lambda year: date(year, month, day)


def _lunar(month: int, day: int) -> Callable[[int], date]:
    return lambda year: lunar_date(year, month, day)


def _nth_weekday(month: int, weekday: int, count: int) -> Callable[[int], date]:
    """The ``count``-th such weekday of a month; 0 is the last one."""

    def find(year: int) -> date:
        if count == 0:
            following = date(year + month // 12, month % 12 + 1, 1)
            return following - timedelta(days=(following.weekday() - weekday - 1) % 7 + 1)
        first = date(year, month, 1)
        return first + timedelta(days=(weekday - first.weekday()) % 7 + 7 * (count - 1))

    return find


def _new_years_eve_of_the_moon(year: int) -> date:
    return lunar_date(year, 1, 1) - timedelta(days=1)


def _clear_and_bright(year: int) -> date:
    """Qingming, the sun's fifth term, by the usual formula (right for 1970 to 2070)."""
    start, base = (1900, 5.59) if year < 2000 else (2000, 4.81)
    number = year - start
    return date(year, 4, int(number * 0.2422 + base) - number // 4)


def _easter(year: int) -> date:
    """Easter Sunday by the anonymous Gregorian computus."""
    golden, century = year % 19, year // 100
    epact = (century - century // 4 - (8 * century + 13) // 25 + 19 * golden + 15) % 30
    full = epact - epact // 28 * (1 - 29 // (epact + 1) * ((21 - golden) // 11))
    weekday = (year + year // 4 + full + 2 - century + century // 4) % 7
    offset = full - weekday
    month = 3 + (offset + 40) // 44
    return date(year, month, offset + 28 - 31 * (month // 4))


#: From a festival's key to its day in a year.
FESTIVALS: dict[str, Callable[[int], date]] = {
    "new year": _solar(1, 1),
    "valentine": _solar(2, 14),
    "women": _solar(3, 8),
    "patrick": _solar(3, 17),
    "april fools": _solar(4, 1),
    "qingming": _clear_and_bright,
    "easter": _easter,
    "good friday": lambda year: _easter(year) - timedelta(days=2),
    "easter monday": lambda year: _easter(year) + timedelta(days=1),
    "labour": _solar(5, 1),
    "us labor": _nth_weekday(9, 0, 1),
    "youth": _solar(5, 4),
    "mother": _nth_weekday(5, 6, 2),
    "memorial": _nth_weekday(5, 0, 0),
    "children": _solar(6, 1),
    "father": _nth_weekday(6, 6, 3),
    "independence": _solar(7, 4),
    "teacher": _solar(9, 10),
    "national": _solar(10, 1),
    "halloween": _solar(10, 31),
    "singles": _solar(11, 11),
    "thanksgiving": _nth_weekday(11, 3, 4),
    "black friday": lambda year: _nth_weekday(11, 3, 4)(year) + timedelta(days=1),
    "christmas eve": _solar(12, 24),
    "christmas": _solar(12, 25),
    "boxing": _solar(12, 26),
    "new year eve": _solar(12, 31),
    "lunar eve": _new_years_eve_of_the_moon,
    "spring festival": _lunar(1, 1),
    "lantern": _lunar(1, 15),
    "dragon boat": _lunar(5, 5),
    "qixi": _lunar(7, 7),
    "ghost": _lunar(7, 15),
    "mid-autumn": _lunar(8, 15),
    "double ninth": _lunar(9, 9),
    "laba": _lunar(12, 8),
}

#: Days of the holiday around a festival, counted from the festival itself.
HOLIDAYS = {
    "spring festival": (-1, 7),
    "labour": (0, 5),
    "national": (0, 7),
    "new year": (0, 3),
    "qingming": (0, 3),
    "dragon boat": (0, 3),
    "mid-autumn": (0, 3),
    "christmas": (-1, 8),
}


def festival_near(key: str, day: date, lean: Lean) -> date:
    """Give the last, the next, or the nearest day of a festival; ``day`` itself counts."""
    return nearest([FESTIVALS[key](day.year + shift) for shift in (-1, 0, 1)], day, lean)
