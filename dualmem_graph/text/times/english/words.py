"""The vocabulary of English time expressions."""

from __future__ import annotations

import re
from typing import Literal

from dualmem_graph.text.times.spans import Unit
from dualmem_graph.text.wordlists import words

MONTHS = {
    name: index // 2 + 1
    for index, name in enumerate(
        [
            *("january", "jan", "february", "feb", "march", "mar", "april", "apr", "may", "may"),
            *("june", "jun", "july", "jul", "august", "aug", "september", "sep", "october", "oct"),
            *("november", "nov", "december", "dec"),
        ]
    )
} | {"sept": 9}
WEEKDAYS = {
    "mon": 0,
    "tue": 1,
    "wed": 2,
    "thu": 3,
    "fri": 4,
    "sat": 5,
    "sun": 6,
}
_SMALL_NUMBERS = {
    name: value
    for value, name in enumerate(
        [
            *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"),
            *("ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen"),
            *("seventeen", "eighteen", "nineteen", "twenty"),
        ]
    )
} | {"a": 1, "an": 1, "thirty": 30, "forty": 40, "fifty": 50, "dozen": 12}
_ORDINALS = {
    name: value for value, name in enumerate(["first", "second", "third", "fourth"], start=1)
}
# Vague numbers as the fewest and the most that people mean.
_VAGUE = {"couple": (2, 2), "few": (2, 5), "several": (3, 7)}

# A full stop belongs to an abbreviation only if the date goes on after it.
_STOP = r"\b(?:\.(?=\s*\d))?"
MONTH = (
    rf"(?:(?:january|february|march|april|may|june|july|august|september|october|november|december)\b"
    rf"|(?:jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec){_STOP})"
)
WEEKDAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
SHORT_WEEKDAY = r"(?:mon|tues?|wed|thur?s?|fri|sat|sun)\b"
YEAR = r"(?:19|20)\d\d"
SEASON = r"(?:spring|summer|autumn|fall|winter)"
UNIT = (
    r"(?:min(?:ute)?s?|hours?|hrs?|days?|nights?|weekends?|weeks?|fortnights?|months?|quarters?"
    r"|years?|yrs?|decades?)\b"
)
WHICH = r"(?P<which>(?:this\s+)?(?:past|coming|upcoming)|last|this|the\s+current|next)"
# The year after a month, season or festival, in digits or by relation.
OF_YEAR = (
    rf"(?:,?\s*(?:of\s+|in\s+)?(?P<year>{YEAR}|(?:last|this|next)\s+year"
    r"|the\s+year\s+before\s+last)\b)"
)
NUMBER = (
    r"(?:\d{1,3}(?:\.5)?|half\s+an?|(?:an?\s+)?(?:couple|dozen)(?:\s+of)?|(?:an?\s+)?few|several"
    r"|(?:twenty|thirty|forty|fifty)(?:[\s-](?:one|two|three|four|five|six|seven|eight|nine))?"
    r"|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen"
    r"|sixteen|seventeen|eighteen|nineteen|an?)"
)
HOUR = r"(?:\d{1,2}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)"

FESTIVAL_KEYS = {
    r"christmas\s+eve": "christmas eve",
    r"christmas(?:\s+day)?|xmas": "christmas",
    r"boxing\s+day": "boxing",
    r"(?:chinese|lunar)\s+new\s+year(?:['’]s)?\s+eve": "lunar eve",
    r"(?:chinese|lunar)\s+new\s+year|spring\s+festival": "spring festival",
    r"new\s+year['’]?s['’]?\s+eve": "new year eve",
    r"new\s+year['’]?s['’]?(?:\s+day)?": "new year",
    r"valentine['’]?s(?:['’])?(?:\s+day)?": "valentine",
    r"(?:international\s+)?women['’]?s\s+day": "women",
    r"(?:st\.?|saint)\s+patrick['’]?s\s+day": "patrick",
    r"april\s+fools?['’]?s?(?:['’])?\s+day": "april fools",
    r"good\s+friday": "good friday",
    r"easter\s+monday": "easter monday",
    r"easter(?:\s+sunday)?": "easter",
    r"(?:international\s+)?(?:labou?r|workers['’]?)\s+day": "labour",
    r"mother['’]?s['’]?\s+day": "mother",
    r"father['’]?s['’]?\s+day": "father",
    r"memorial\s+day": "memorial",
    r"independence\s+day|(?:the\s+)?fourth\s+of\s+july": "independence",
    r"halloween": "halloween",
    r"thanksgiving(?:\s+day)?": "thanksgiving",
    r"black\s+friday": "black friday",
    r"mid-?\s?autumn\s+festival|moon\s+festival": "mid-autumn",
    r"dragon\s+boat\s+festival": "dragon boat",
    r"lantern\s+festival": "lantern",
    r"qing\s?ming(?:\s+festival)?|tomb[\s-]sweeping\s+day": "qingming",
}
FESTIVAL = "(?:" + "|".join(FESTIVAL_KEYS) + ")"

#: What a text holds that has a digit in it.
DIGIT = frozenset("#")
WEEKDAY_WORDS = words(
    "monday tuesday wednesday thursday friday saturday sunday"
    " mondays tuesdays wednesdays thursdays fridays saturdays sundays"
    " mon tue tues wed thu thur thurs fri sat sun"
)
UNIT_WORDS = words(
    "min mins minute minutes hour hours hr hrs day days night nights week weeks weekend weekends"
    " fortnight fortnights month months quarter quarters year years yr yrs decade decades"
)
FESTIVAL_WORDS = words(
    "christmas xmas boxing year years festival valentine valentines women womens patrick patricks"
    " fool fools friday easter labor labour workers mother mothers father fathers memorial"
    " independence july halloween thanksgiving qingming qing sweeping"
)
_WORD = re.compile(r"[a-z]+")
_DIGITS = re.compile(r"\d")


def hints_of(text: str) -> set[str]:
    """Give the words of a text, and ``#`` if it has a digit: what rules name as their hints."""
    lowered = text.lower()
    found = set(_WORD.findall(lowered))
    if ".m" in lowered:
        found.add("pm")
    if _DIGITS.search(text):
        found |= DIGIT
    return found


_SHIFTS = {"last": -1, "past": -1, "next": 1, "coming": 1, "upcoming": 1}


def shift_of(which: str) -> int:
    """Say how many units away "last", "this" or "next" is; nothing is 0."""
    return _SHIFTS.get(which.split()[-1].lower(), 0) if which else 0


def month_of(name: str) -> int:
    """Number a month's name or abbreviation."""
    return MONTHS[name.lower().rstrip(".")]


def weekday_number(name: str) -> int:
    """Number a weekday's name or abbreviation, Monday being 0."""
    return WEEKDAYS[name[:3].lower()]


def season_of(name: str) -> str:
    """Name a season in one way."""
    return "autumn" if name.lower() == "fall" else name.lower()


def ordinal_of(word: str) -> int:
    """Number "first" or "1st"; "last" is 0."""
    word = word.lower()
    if word == "last":
        return 0
    return _ORDINALS[word] if word in _ORDINALS else int(word[0])


def amount_of(words: str) -> tuple[float, float]:
    """Read a number as the fewest and the most it may mean.

    >>> amount_of("a few"), amount_of("twenty-five"), amount_of("half a")
    ((2, 5), (25.0, 25.0), (0.5, 0.5))
    """
    parts = words.lower().replace("-", " ").split()
    for vague, bounds in _VAGUE.items():
        if vague in parts:
            return bounds
    if "half" in parts:
        return 0.5, 0.5
    if "dozen" in parts:
        return 12.0, 12.0
    try:
        value = float(parts[0])
    except ValueError:
        value = float(sum(_SMALL_NUMBERS[part] for part in parts))
    return value, value


def unit_of(word: str) -> tuple[Unit | Literal["weekend"], int]:
    """Read a unit as one the calendar has, and how many of those it is."""
    word = word.lower()
    stems: dict[str, tuple[Unit | Literal["weekend"], int]] = {
        "min": ("minute", 1),
        "h": ("hour", 1),
        "d": ("day", 1),
        "night": ("day", 1),
        "weekend": ("weekend", 1),
        "week": ("week", 1),
        "fortnight": ("week", 2),
        "month": ("month", 1),
        "quarter": ("month", 3),
        "decade": ("year", 10),
        "y": ("year", 1),
    }
    longest = max((stem for stem in stems if word.startswith(stem)), key=len)
    return stems[longest]
