"""Adverbials of a Chinese clause: where time words are, and what the clause says when.

A clause opens with adverbials in any order (``我 去年 也 经常 …``). :func:`split_adverbials` takes
them off, so that rules see the predicate alone, and keeps what they say about time: past, future,
habitual, uncertain. Which instant a time word means is :func:`dualmem_graph.text.times.find_times`'
business; here its spans are only turned into words that stay true (``上个月`` → ``2024年4月``).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo

from dualmem_graph.text.times import find_times
from dualmem_graph.types import Granularity, TimeSpan

_NUMBER = r"(?:\d+|[零〇一二两三四五六七八九十百]+|几|半|好几)"
_CLOCK = (
    r"(?:(?:大?清早|一早|一大早|早上|早晨|清晨|上午|中午|午后|下午|傍晚|晚上|夜里|深夜|半夜|凌晨"
    r"|早|晚)?(?:\d{1,2}|[一二两三四五六七八九十]{1,3})(?:点钟?|时)"
    rf"(?:半|一刻|三刻|整|{_NUMBER}分?)?(?:左右|多)?|"
    r"(?:早上|早晨|清晨|上午|中午|下午|傍晚|晚上|夜里|深夜|半夜|凌晨|一大早|大清早)"
    r"(?:\d{1,2}[:：]\d{2})?)"
)
_FESTIVAL = (
    r"(?:国庆(?:节|假期|长假|期间)?|春节(?:假期|期间)?|五一(?:节|假期|期间)?|十一"
    r"(?:假期|长假|期间)|元旦|中秋节?|端午节?|清明节?|圣诞节?|情人节|七夕|元宵节?|儿童节|母亲节"
    r"|父亲节|双十一|双11|跨年|除夕|过年|暑假|寒假|暑期|春假)"
)
_DAY = (
    r"(?:大前|大后|前|昨|今|明|后)(?:天|晚上?|早上?|儿)|当[天晚周]|"
    r"(?:上上|下下|上|下|这|本|那)?个?(?:周|星期|礼拜)(?:[一二三四五六日天末]|[1-7](?!\d))|"
    r"(?:上上|下下|上|下|这|本)个?(?:周|星期|礼拜|月|季度|学期|世纪)(?:[初底中]|\d{1,2}[号日])?"
    r"|周末|双休日|工作日"
)
_YEAR = (
    r"(?:大前|前|去|今|明|后|大后)年(?:年?[初底中])?|(?:上|下)半年|(?:19|20)\d{2}年"
    r"(?!前|后|来|级|代)|(?:19|20)\d{2}(?=[^\d年.岁元块]|$)|\d{2}年(?=[^前后级的代\d])|"
    r"(?:年|月)[初底中]|(?:春|夏|秋|冬)[天季]|(?:\d{1,2}|[一二三四五六七八九十]{1,2})月份?"
    r"(?!天)(?:初|底|中旬|上旬|下旬)?|(?:\d{1,2}|[一二三四五六七八九十]{1,3})[号日](?![线楼])"
)
_AGO = (
    rf"(?:大概|大约|差不多|快)?{_NUMBER}个?(?:多|半)?(?:分钟|小时|钟头|天|日|周|星期|礼拜|月|年)"
    r"(?:多|半)?(?:之前|以前|前|之后|以后|后|内|之内)"
)
_VAGUE = (
    r"小时候|从小(?:到大)?|(?:上|读|念)?(?:大学|高中|初中|小学|研究生|幼儿园)"
    r"(?:的时候|时候|那会儿|期间|时(?!间))|学生时代|以前|之前|从前|曾经?|过去|当年|那时候?|后来"
    r"|原来|最近|近来|近期|这段时间|这几天|这两天|这阵子|这些年|这几年|现在|目前|如今|眼下|当前"
    r"|暂时|将来|未来|以后|之后|接下来|过几天|过段时间|过阵子|改天|回头|马上|很快|即将|刚才|刚刚"
    r"|刚|才|终于|总算|(?:早餐|早饭|午饭|午餐|中饭|晚饭|晚餐|夜宵)"
    r"(?=一般|通常|都|只|总|经常|每|就)|平时|平常|通常|一般|日常|常年|一直|从来|向来|历来"
)
TIME_WORD = re.compile(
    rf"(?:从|自从|到|在|等|自|至|于)?(?:{_AGO}|{_DAY}|{_YEAR}|{_CLOCK}|{_FESTIVAL})"
    r"(?:的时候|那天|那年|那会儿|期间|以来|起(?!床|来)|开始"
    r"(?=每|就|天天|我|在|学|坚持|住|用|养|做|当|工作|上班|负责|，|$)|之前|之后|前后|左右)?"
)
_HABITUAL = (
    r"每逢?(?:隔)?(?:[一二两三四五六七八九十几半\d]+)?个?"
    r"(?:天|日|周|星期|礼拜|月|年|晚上?|早上?|早晨|次|顿|到|逢|季度)?(?:[一二三四五六日天末]+)?"
    r"|天天|日日|夜夜|(?<!\d)年年|周周|经常|常常|时常|总是|总|老是|偶尔|有时候?|时不时|动不动|隔三差五"
    r"|一?般|通常|平时|平常|习惯性?地?|向来|一向"
)
_MANNER = (
    r"也|都|还是(?=喜欢|觉得|想|不|没|很|爱|怕|会|要|在|住|有|去|吃|喝|更|最)|还|就|又|再|已经|已"
    r"(?!婚)|早就|早已|其实|确实|真的|的确|实在|好像|似乎|可能|也许|大概|或许|应该|估计|恐怕|当然"
    r"|只是|只|仅|特别地?|非常|十分|超级?|挺|蛮|很|最|比较|相当|有点儿?|有些|稍微|更加|更|越来越"
    r"|可|真|太|贼|巨|主要|本来|原本|一个人|自己|亲自|一起|突然|忽然|居然|竟然|不小心|一不小心"
    r"|偷偷|好不容易|正好|刚好|顺便|随便|基本上?|几乎|差不多|始终|仍然|依然|仍|依旧|果然|幸好"
    r"|幸亏|可惜|好在|正式|成功|顺利|临时|打小|天生|生来|这辈子|个人|私下|本科|硕士"
)
_UNCERTAIN = re.compile(
    r"可能|也许|大概(?!\d)|或许|应该|估计|好像|似乎|恐怕|说不定|不一定|不确定|没准|考虑"
)
_PAST_WORDS = re.compile(
    r"(?<!的)时候|那会儿|学时|中时|时代|以前|从前|曾|过去|当年|小时候|那时|原来|本来|原本|之前$"
)
_FUTURE_WORDS = re.compile(
    r"明|后天|后年|下个?(?:周|星期|礼拜|月|年|学期|半年|季度)|将来|未来|以后|之后|接下来|过几天"
    r"|过段时间|过阵子|马上|即将|很快|改天|年底|月底"
)
_NOW_WORDS = re.compile(
    r"现在|目前|如今|眼下|当前|最近|近来|近期|已经|早就|早已|终于|总算|这几|这段|这两|这阵"
)
_NEW = re.compile(
    r"刚|才|终于|总算|昨|前天|前年|去年|上个?(?:周|星期|礼拜|月)|今天|今早|今晚|前$|之前|以前"
)
#: Adverbs that must not be taken off where the next character makes them part of a word.
_GUARD = (
    r"(?!最喜欢的|最爱的|最讨厌的|最爱|最怕|一般[，]|可以|可爱|可乐|可惜|真实|真人|太太|太阳|老是"
    r"|总监|总经理|总裁|很多|更新|更换|还款|还钱|还清|都市|就读|就职|就业|再婚|再见|再生|只有"
    r"|自己(?:开|做|创|带|住|的|当|一)|有点(?:怕|害怕|讨厌|喜欢|爱)?的|最近的|现在的|以前的"
    r"|一起的|过年好|正月|十分钟|本科毕业|硕士毕业|才艺|才华|刚需|又又|每(?:周|月|年)的|夏天的"
    r"|冬天的|春天的|秋天的|晚上好|年底的|周末的|早就不|挺好的$|习惯(?!性)|就是了|个人的|自己家"
    r"|自己公司|本科生|硕士生|好像是?你|小时候的|成功人士|从小学|很$)"
)
_ADVERBIAL = re.compile(
    rf"{_GUARD}(?:{TIME_WORD.pattern}|{_VAGUE}|{_HABITUAL}|{_MANNER})(?:的时候|之间)?"
    r"(?:的(?=我)|地|里|,)?"
)
#: Times that have a name of their own, which stays when the year is added.
_NAMED_TIME = re.compile(rf"{_FESTIVAL}|[春夏秋冬][天季]|(?<=年)年?[初底中]|年[初底]")
_PART_OF_DAY = re.compile(
    r"一?大?清早|早上|早晨|清晨|上午|中午|午后|下午|傍晚|晚上|夜里|深夜|半夜|凌晨|晚|早"
)
_HABIT_MARK = re.compile(_HABITUAL)
_DATE_WORDS = re.compile(r"(?:19|20)\d{2}年")


@dataclass(frozen=True, slots=True)
class Adverbials:
    """What the opening adverbials of a clause are and what they say."""

    text: str = ""
    past: bool = False
    future: bool = False
    now: bool = False
    habitual: bool = False
    uncertain: bool = False

    @property
    def is_timed(self) -> bool:
        """Whether a time word that a calendar knows is among them."""
        return bool(TIME_WORD.search(self.text))


def split_adverbials(predicate: str) -> tuple[Adverbials, str]:
    """Take the opening adverbials off a predicate.

    Example:
        >>> adverbials, core = split_adverbials("现在已经不喝咖啡了")
        >>> adverbials.text, adverbials.now, core
        ('现在已经', True, '不喝咖啡了')
    """
    end = 0
    while end < len(predicate):
        match = _ADVERBIAL.match(predicate, end)
        if match is None or match.end() == end or match.end() == len(predicate):
            break
        end = match.end()
    return read_adverbials(predicate[:end]), predicate[end:]


def read_adverbials(text: str) -> Adverbials:
    """Judge a stretch of adverbials."""
    return Adverbials(
        text=text,
        past=bool(_PAST_WORDS.search(text)),
        future=bool(_FUTURE_WORDS.search(text)),
        now=bool(_NOW_WORDS.search(text)),
        habitual=bool(_HABIT_MARK.search(text)),
        uncertain=bool(_UNCERTAIN.search(text)),
    )


def is_recent(text: str) -> bool:
    """Whether the adverbials speak of something that has just, or once, come about."""
    return bool(_NEW.search(text))


def has_time_word(text: str) -> bool:
    """Whether it is worth asking the calendar about ``text``."""
    return bool(TIME_WORD.search(text))


def spans_in(text: str, reference: datetime, zone: tzinfo) -> tuple[TimeSpan, ...]:
    """The times that ``text`` names; the calendar is only asked where a time word stands."""
    return tuple(find_times(text, reference, zone=zone)) if has_time_word(text) else ()


def without_times(text: str) -> str:
    """Drop time words and the adverbs of habit, for the key of a habit or a plan.

    Example:
        >>> without_times("每天早上六点起床跑步")
        '起床跑步'
    """
    before = None
    while before != text:
        before = text
        text = TIME_WORD.sub("", _HABIT_MARK.sub("", text))
    return text.strip()


def spell_out(text: str, spans: tuple[TimeSpan, ...], zone: tzinfo) -> str:
    """Replace relative time words by dates, so that the sentence stays true later on."""
    for span in spans:
        if span.text and not _DATE_WORDS.search(span.text):
            text = text.replace(span.text, span_words(span, zone), 1)
    return text


def span_words(span: TimeSpan, zone: tzinfo) -> str:
    """A span as a Chinese date, as exact as the span is.

    Example:
        >>> from datetime import UTC, datetime
        >>> span = TimeSpan(datetime(2024, 4, 1, tzinfo=UTC), datetime(2024, 5, 1, tzinfo=UTC),
        ...                 Granularity.MONTH)
        >>> span_words(span, UTC)
        '2024年4月'
    """
    start = span.start.astimezone(zone)
    last = (span.end - timedelta(microseconds=1)).astimezone(zone)
    day = f"{start.year}年{start.month}月{start.day}日"
    if named := _NAMED_TIME.search(span.text):
        return f"{start.year}年{named.group()}"
    if span.granularity is Granularity.TIME:
        if part := _PART_OF_DAY.search(span.text if last - start > timedelta(hours=1) else ""):
            return day + part.group()
        return f"{day}{start.hour}点" + (f"{start.minute}分" if start.minute else "")
    if start.date() == last.date():
        return day
    if span.granularity is Granularity.WEEK:
        return f"{day}当周" if (last - start).days > 2 else f"{day}至{last.day}日"
    if span.granularity is Granularity.MONTH and (start.year, start.month) == (
        last.year,
        last.month,
    ):
        return f"{start.year}年{start.month}月"
    if span.granularity is Granularity.YEAR and start.year == last.year:
        return f"{start.year}年"
    if start.year == last.year:
        ending = (
            f"{last.month}月{last.day}日"
            if span.granularity is Granularity.DAY
            else f"{last.month}月"
        )
        opening = day if span.granularity is Granularity.DAY else f"{start.year}年{start.month}月"
        return f"{opening}至{ending}"
    return f"{start.year}年{start.month}月至{last.year}年{last.month}月"
