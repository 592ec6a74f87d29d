"""Days that people name instead of a date, solar, movable and of the Chinese lunar calendar."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta

_FIRST_LUNAR_YEAR = 1970
# One number a year: bits 17 and up are the days from 1 January to the first day of the lunar
# year, bits 13-16 the month after which a leap month follows (0: none), bits 0-12 say of each
# month in turn whether it has 30 days rather than 29.
_LUNAR_YEARS = (
    0x480b69, 0x34b752, 0x5a0b52, 0x420b25, 0x2c964b, 0x520a4b, 0x3d14ab, 0x6002ad, 0x4a056d, 0x36cb69,
    0x5c0da9, 0x460d92, 0x309d25, 0x560d25, 0x415a4d, 0x640a56, 0x4e02b6, 0x38c5b5, 0x5e06d5, 0x480ea9,
    0x34be92, 0x5a0e92, 0x440d26, 0x2c6a56, 0x500a57, 0x3d14d6, 0x62035a, 0x4a06d5, 0x36b6c9, 0x5c0749,
    0x460693, 0x2e952b, 0x54052b, 0x3e0a5b, 0x2a555a, 0x4e056a, 0x38fb55, 0x600ba4, 0x4a0b49, 0x32ba93,
    0x580a95, 0x42052d, 0x2c8aad, 0x500ab5, 0x3d35aa, 0x6205d2, 0x4c0da5, 0x36dd4a, 0x5c0d4a, 0x460c95,
    0x30952e, 0x540556, 0x3e0ab5, 0x2a55b2, 0x5006d2, 0x38cea5, 0x5e0725, 0x48064b, 0x32ac97, 0x560cab,
    0x42055a, 0x2c6ad6, 0x520b69, 0x3d7752, 0x620b52, 0x4c0b25, 0x36da4b, 0x5a0a4b, 0x4404ab, 0x2ea55b,
    0x5405ad, 0x3e0b6a, 0x2a5b52, 0x500d92, 0x3afd25, 0x5e0d25, 0x480a55, 0x32b4ad, 0x5804b6, 0x4005b5,
    0x2c6daa, 0x520ec9, 0x3f1e92, 0x620e92, 0x4c0d26, 0x36ca56, 0x5a0a57, 0x4404d6, 0x2e86d5, 0x540755,
    0x400749, 0x286e93, 0x4e0693, 0x38f52b, 0x5e052b, 0x460a5b, 0x32b55a, 0x58056a, 0x420b65, 0x2c974a,
    0x520b4a,
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
    "veterans": _solar(11, 11),
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


def festival_near(key: str, day: date, lean: str | None) -> date:
    """Give the last, the next, or the nearest day of a festival; today counts."""
    found = [FESTIVALS[key](year) for year in (day.year - 1, day.year, day.year + 1)]
    if lean == "past":
        return max(each for each in found if each <= day)
    if lean == "future":
        return min(each for each in found if each >= day)
    return min(found, key=lambda each: abs((each - day).days))
