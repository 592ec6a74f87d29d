"""The vocabulary of Chinese time expressions, their numerals, and the tense around them.

Traditional forms are read beside the simplified ones.
"""

from __future__ import annotations

import re

from dualmem_graph.text.times.spans import Lean, Unit

_DIGITS = {char: value for value, char in enumerate("零一二三四五六七八九")} | {
    "〇": 0,
    "两": 2,
    "兩": 2,
    "日": 7,
    "天": 7,
}
#: A numeral without zero, up to the hundreds.
CN = "[一二两兩三四五六七八九十百]"
#: A number in either digits.
NUMBER = rf"(?:\d{{1,3}}(?:\.5)?|好?几十|十[几幾]|好?[几幾]|数|數|大?半|{CN}{{1,4}})"
#: A day or a month by number; the day may be written 廿三.
DAY = r"(?:[0-3]?\d|三十一?|二?十[一二三四五六七八九]?|廿[一二三四五六七八九]?|二十|[一二三四五六七八九])"
MONTH = r"(?:1[0-2]|0?[1-9]|十[一二]?|[一二三四五六七八九])"
UNIT = (
    r"(?:分钟|分鐘|个?小时|個?小時|个?钟头|個?鐘頭|天|周末|週末|个?周末|周|週|个?星期|個?星期"
    r"|个?礼拜|個?禮拜|个?月|個?月|个?季度|年)"
)
WEEK = r"(?:周|週|星期|礼拜|禮拜)"
YEAR = (
    r"(?:大前年|(?<![以之年月天周期目])前年(?![轻輕纪紀龄齡])|(?<![过過回出])去年(?![轻輕纪紀龄齡])"
    r"|今年|明年|(?<![以之今年月天])[后後]年(?![轻輕纪紀龄齡])|(?<!\d)(?:19|20)\d\d年"
    r"|[一二][零〇一二三四五六七八九]{3}年|(?<![\d第])[019]\d年(?![前后後多来來级級])"
    r"|(?<!\d)2\d年(?=\s*(?:1[0-2]|[1-9])月)"
    r"|(?<![零〇一二三四五六七八九十百])[零〇九][零〇一二三四五六七八九]年(?![前后後多来來代级級]))"
)
PART = r"(?P<part>凌晨|清晨|大清早|一大早|早上|早晨|上午|中午|下午|午[后後]|傍晚|晚上|晚[间間]|夜[里裡]|半夜|深夜)"
LUNAR_DAY = (
    r"(?:初[一二三四五六七八九十]|廿[一二三四五六七八九]|[二三]十|二?十[一二三四五六七八九]?)"
)
THIRD = "(?P<third>上旬|中旬|下旬|初|中|底|末)"
SEASON = "(?:[春夏秋冬](?:天|季))"

UNITS: dict[str, Unit] = {
    "分": "minute",
    "小": "hour",
    "钟": "hour",
    "鐘": "hour",
    "天": "day",
    "周": "week",
    "週": "week",
    "星": "week",
    "礼": "week",
    "禮": "week",
    "月": "month",
    "季": "month",
    "年": "year",
}
SEASONS = {"春": "spring", "夏": "summer", "秋": "autumn", "冬": "winter"}

FESTIVAL_KEYS = {
    r"除夕|大年三十|(?<=[到在等过])年三十|年夜饭": "lunar eve",
    r"春节|春節|农历新年|農曆新年|中国年": "spring festival",
    r"元宵节?|元宵節": "lantern",
    r"清明节?|清明節": "qingming",
    r"(?<![一二三四五六七八九十百〇零\d第])五一(?:劳动节|勞動節)?(?![路村一二三四五六七八九十个個号])|劳动节|勞動節": "labour",
    r"五四青年节|青年节": "youth",
    r"端午节?|端午節": "dragon boat",
    r"六一(?:儿童节|兒童節)?(?![路村一二三四五六七八九十个個号])|儿童节|兒童節": "children",
    r"七夕节?|七夕節": "qixi",
    r"中元节?|中元節": "ghost",
    r"中秋节?|中秋節": "mid-autumn",
    r"重阳节?|重陽節": "double ninth",
    r"(?:十一)?国庆节?|國慶節?|(?<=[年在到过等])十一(?![点點个個月日号岁歲路人])|十一(?=假期|长假|黄金周|期间|小长假)": "national",
    r"元旦节?|元旦節": "new year",
    r"圣诞节?|聖誕節?": "christmas",
    r"平安夜": "christmas eve",
    r"跨年夜?": "new year eve",
    r"情人节|情人節": "valentine",
    r"三八妇女节|妇女节|婦女節|三八节": "women",
    r"愚人节|愚人節": "april fools",
    r"复活节|復活節": "easter",
    r"母亲节|母親節": "mother",
    r"父亲节|父親節": "father",
    r"教师节|教師節": "teacher",
    r"万圣节|萬聖節": "halloween",
    r"感恩节|感恩節": "thanksgiving",
    r"双十一|雙十一": "veterans",
    r"腊八节?|臘八節?": "laba",
}
FESTIVAL = "(?:" + "|".join(FESTIVAL_KEYS) + ")"


def hints_of(text: str) -> frozenset[str] | set[str]:
    """Give the characters of a text: what rules name as their hints."""
    return _NOTHING if text.isascii() else set(text)


_NOTHING: frozenset[str] = frozenset()


def number_of(words: str) -> int:
    """Read a numeral: 23, 二十三, 廿三, 初八, 二〇二三.

    >>> number_of("二十三"), number_of("十"), number_of("二〇二三")
    (23, 10, 2023)
    """
    words = words.lstrip("初")
    if words.isdigit():
        return int(words)
    if words.startswith("廿"):
        return 20 + (_DIGITS[words[1]] if len(words) > 1 else 0)
    if not any(char in words for char in "十百"):
        return int("".join(str(_DIGITS[char]) for char in words))
    total, digit = 0, 0
    for char in words:
        if char == "百":
            total, digit = total + (digit or 1) * 100, 0
        elif char == "十":
            total, digit = total + (digit or 1) * 10, 0
        else:
            digit = _DIGITS[char]
    return total + digit


def amount_of(words: str) -> tuple[float, float]:
    """Read a number as the fewest and the most it may mean: 两三 is 2 to 3, 几 is 2 to 5.

    >>> amount_of("两三"), amount_of("几"), amount_of("半")
    ((2, 3), (2, 5), (0.5, 0.5))
    """
    if "半" in words:
        return 0.5, 0.5
    if words in ("十几", "十幾"):
        return 11, 19
    if words.endswith("几十"):
        return 20, 90
    if words.endswith(("几", "幾", "数", "數")):
        return 2, 5
    if words[0].isdigit():
        return float(words), float(words)
    if len(words) == 2 and all(char in _DIGITS for char in words):
        first, second = (_DIGITS[char] for char in words)
        if second > first:
            return first, second
    value = number_of(words)
    return value, value


def year_of(words: str, this_year: int) -> int:
    """Read a year: 去年, 2023年, 二〇二三年, 98年."""
    relative = {"大前年": -3, "前年": -2, "去年": -1, "今年": 0, "明年": 1, "后年": 2, "後年": 2}
    if words in relative:
        return this_year + relative[words]
    year = number_of(words.rstrip("年"))
    if year < 100:
        year += 1900 if year >= 60 else 2000
    return year


_FUTURE = re.compile(
    r"要(?!求)|(?<![学學社机機开開聚约約体體])会(?![议議员員计計所])|將|将(?!近)|打算|准备|準備|计划|計劃"
    r"|想去|想在|希望|即将|马上|记得|提醒|约好|約好|安排|预定|预约|等到|之前得|截止|到期"
)
_PAST = re.compile(
    r"[了曾刚剛]|已经|已經|(?<![通经經不超度])过(?![年节節来來去生])|以前|当时|當時|那时|开始|是.{0,12}的(?:\Z|[。，])"
)
_CLAUSE_EDGE = re.compile(r"[，。；！？,.;!?\n]")
_REACH = 60


def leaning(text: str, begin: int, end: int) -> Lean:
    """Say which way the words around ``text[begin:end]`` point, if they do."""
    before, after = text[max(0, begin - _REACH) : begin], text[end : end + _REACH]
    clause = _CLAUSE_EDGE.split(before)[-1] + " " + _CLAUSE_EDGE.split(after)[0]
    return _lean_of(clause) or _lean_of(f"{before} {after}")


def _lean_of(clause: str) -> Lean:
    if _FUTURE.search(clause):
        return "future"
    return "past" if _PAST.search(clause) else None
