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
DAY = (
    r"(?:[0-3]?\d|三十一?|二?十[一二三四五六七八九]?|廿[一二三四五六七八九]?"
    r"|[一二三四五六七八九])"
)
MONTH = r"(?:1[0-2]|0?[1-9]|十[一二]?|[一二三四五六七八九])"
UNIT = (
    r"(?:分钟|分鐘|个?小时|個?小時|个?钟头|個?鐘頭|天|周末|週末|个?周末|周|週|个?星期|個?星期"
    r"|个?礼拜|個?禮拜|个?月|個?月|个?季度|年)"
)
WEEK = r"(?:周|週|星期|礼拜|禮拜)"
YEAR = (
    r"(?:大前年|(?<![以之年月天周期目])前年(?![轻輕纪紀龄齡])"
    r"|(?<![过過回出])去年(?![轻輕纪紀龄齡])"
    r"|今年|明年|(?<![以之今年月天])[后後]年(?![轻輕纪紀龄齡])|(?<!\d)(?:19|20)\d\d年"
    r"|[一二][零〇一二三四五六七八九]{3}年|(?<![\d第])[019]\d年(?![前后後多来來级級])"
    r"|(?<!\d)2\d年(?=\s*(?:1[0-2]|[1-9])月)"
    r"|(?<![零〇一二三四五六七八九十百])[零〇九][零〇一二三四五六七八九]年(?![前后後多来來代级級]))"
)
PART = (
    r"(?P<part>凌晨|清晨|大清早|一大早|早上|早晨|上午|中午|下午|午[后後]|傍晚|晚上|晚[间間]"
    r"|夜[里裡]|半夜|深夜)"
)
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

_FESTIVAL_NAMES = {
    "lunar eve": "除夕 大年三十 年三十",
    "spring festival": "春节 春節 农历新年 農曆新年",
    "lantern": "元宵 元宵节 元宵節",
    "qingming": "清明 清明节 清明節",
    "labour": "五一 五一劳动节 劳动节 勞動節",
    "youth": "青年节 五四青年节",
    "dragon boat": "端午 端午节 端午節",
    "children": "六一 六一儿童节 儿童节 兒童節",
    "qixi": "七夕 七夕节 七夕節",
    "ghost": "中元 中元节 中元節",
    "mid-autumn": "中秋 中秋节 中秋節",
    "double ninth": "重阳 重阳节 重陽節",
    "national": "国庆 国庆节 國慶 國慶節 十一国庆 十一",
    "new year": "元旦 元旦节",
    "christmas": "圣诞 圣诞节 聖誕節",
    "christmas eve": "平安夜",
    "new year eve": "跨年 跨年夜",
    "valentine": "情人节 情人節",
    "women": "妇女节 婦女節 三八妇女节 三八节",
    "april fools": "愚人节 愚人節",
    "easter": "复活节 復活節",
    "mother": "母亲节 母親節",
    "father": "父亲节 父親節",
    "teacher": "教师节 教師節",
    "halloween": "万圣节 萬聖節",
    "thanksgiving": "感恩节 感恩節",
    "singles": "双十一 雙十一",
    "laba": "腊八 腊八节 臘八節",
}
#: From each name of a festival to its key in :mod:`..festivals`.
FESTIVAL_KEYS = {name: key for key, names in _FESTIVAL_NAMES.items() for name in names.split()}
FESTIVAL_HINTS = frozenset(name[-1] for name in FESTIVAL_KEYS)
# Names that are numbers, roads and ornaments too, with what must not, or must, stand around them.
_NUMERAL_BEFORE = "(?<![一二三四五六七八九十百〇零\\d第])"
_COUNTED_AFTER = "(?![路村一二三四五六七八九十个個号])"
_GUARDS = {
    "五一": (_NUMERAL_BEFORE, _COUNTED_AFTER),
    "六一": (_NUMERAL_BEFORE, _COUNTED_AFTER),
    "十一": ("(?<=[年在到过过等])", "(?![点點个個月日号岁歲路人])"),
    "年三十": ("(?<=[到在等过過])", ""),
    "圣诞": ("", "(?![树樹老礼禮歌卡帽袜晚派])"),
    "元宵": ("", "(?![汤湯馅餡])"),
    "清明": ("", "(?![上河的])"),
}


def _guarded(name: str) -> str:
    before, after = _GUARDS.get(name, ("", ""))
    return f"{before}{name}{after}"


FESTIVAL = (
    "(?:"
    + "|".join(map(_guarded, sorted(FESTIVAL_KEYS, key=len, reverse=True)))
    + "|十一(?=假期|长假|黄金周|期间|小长假))"
)


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
