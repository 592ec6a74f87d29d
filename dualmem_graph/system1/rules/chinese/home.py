"""Rules for where somebody lives, moved to and comes from."""

from __future__ import annotations

import re
from collections.abc import Iterable

from dualmem_graph.system1.rules import dimensions as dim
from dualmem_graph.system1.rules.chinese.lexicon import (
    PLACES,
    VAGUE_PLACE,
)
from dualmem_graph.system1.rules.chinese.reading import (
    Clause,
    Draft,
    RuleBook,
)

HOME = RuleBook()

_PLACE = r"(?P<place>[\u4e00-\u9fffA-Za-z0-9·\uA000-\uA0FF ]{1,16}?)"

#: Whether a text opens with a place that the lists know.
KNOWN_PLACE = re.compile(rf"^(?:{PLACES})")

_NOT_PLACE = re.compile(
    r"^(?:这|那|一起|的|很|不|得|了|过|着|我们|他|她|你|为|自己)|[吃喝玩买看说]|"
    r"(?:长大|出生|出差|旅游|旅行|玩|上班|工作|开会|上学|读书|学习|等)"
)

_NOT_FROM = re.compile(
    r"^(?:好|坏|男|女|病|老|大|小|成年|未成年|年轻|中年|普通|正常|打工|一般|当地|本地|外地|什么"
    r"|主持|负责|发言|介绍|艺|军|工|商|诗|恋|爱|名|机器|外星|有钱|没钱|穷|富|聪明|笨|懒|善良|内向"
    r"|外向|敏感|乐观|悲观|理性|感性|随和|独立|健身|媒体|广告|金融|互联网|IT|文艺|原始|.*的|.*"
    r"(?:感性|理性|敏感|负责))$"
)


@HOME.on(
    rf"从(?P<old>.{{1,10}}?)(?:搬家|搬|移居|移民|迁)(?:到|去|来|回|至)(?:了)?{_PLACE}$",
    rf"(?:离开了?|告别了?).{{1,10}}?(?:搬|来|去|回)(?:到|去)?了?{_PLACE}(?:定居|生活|住)$",
    rf"(?:搬家|搬|移居|移民|迁)(?:到|去|来|回|进|至)(?:了)?{_PLACE}(?:住|生活|定居|来|去)?$",
    rf"(?:远)?嫁(?:到|去|来)(?:了)?{_PLACE}$",
    rf"(?:定居|落户|安家)(?:在|于|到)?(?:了)?{_PLACE}$",
    rf"(?:回|来|去|到)(?:了)?(?P<place>{PLACES})(?:定居|生活|安家|发展)$",
)
def moved(match: re.Match[str], clause: Clause) -> Iterable[Draft] | None:
    """A move is a home and an event at once."""
    place = match["place"].removeprefix("了")
    if _NOT_PLACE.search(place):
        return None
    return [Draft(dim.HOME, place, timed=True, negated=clause.adverbials.past)]


@HOME.on(
    r"从(?P<place>.{1,12}?)搬(?:走|出来|出去|家)$",
    rf"(?:搬离|离开)(?:了)?(?P<place>{PLACES})$",
    rf"(?:不再?在?|没)(?:住|居住|定居)(?:在|于)?{_PLACE}$",
    rf"不在(?P<place>{PLACES})(?:住|待|呆|生活)?$",
)
def left(match: re.Match[str], clause: Clause) -> Iterable[Draft] | None:
    """``不住在南京了``."""
    if VAGUE_PLACE.match(match["place"]):
        return None
    return [Draft(dim.HOME, match["place"], negated=True, timed=True)]


@HOME.on(
    rf"的?(?:老家|家乡|故乡|籍贯|祖籍)(?:就)?(?:在|是|为)?{_PLACE}(?:那边|人)?(?:的)?$",
    rf"(?:是)?来自{_PLACE}$",
    rf"(?:是)?(?:在|从){_PLACE}(?:长大|出生|土生土长)(?:的)?$",
    rf"(?:是)?(?:出生|生|长)(?:在|于){_PLACE}$",
)
def origin(match: re.Match[str], clause: Clause) -> Iterable[Draft] | None:
    """``老家在哈尔滨``, ``在广州长大``."""
    place = match["place"]
    if re.match(r"(?:19|20)\d\d", place) or place in ("这里", "那里"):
        return None
    return [Draft(dim.ORIGIN, place)]


@HOME.on(
    r"(?:开始)?(?:是)?(?:合租|整租|居住|定居|长住|常住|暂住|寄住|借住|租住|租房|现居|蜗居|住|常驻"
    rf"|常年住)(?:在|于|到)?(?:了)?{_PLACE}(?:这边|那边|呢)?$",
    r"(?:的)?(?:住处|住址|家庭住址|地址|现住址|现居地|居住地|所在地)(?:就|还)?(?:在|是|位于|：|:)"
    rf"{_PLACE}$",
    rf"(?:坐标|base|现居|现住)(?:在|：|:)?{_PLACE}$",
    rf"(?:的)?(?:家|人)(?:就|还)?(?:在|住在|住){_PLACE}(?:这边|那边)?$",
    rf"(?:待|呆|生活|租房|买房|蜗居)在{_PLACE}$",
    rf"(?:的)?(?:租的房子?|住的地方|新家|公寓|租的地方)(?:就)?在{_PLACE}$",
    rf"在(?P<place>(?:{PLACES})(?:{PLACES})?(?:[\u4e00-\u9fff]{{1,4}}[市区县镇村路街城湾山港])?)"
    r"(?:住|生活|定居|待|呆|租房(?:住)?|漂|北漂)?"
    r"(?:了?[\d一二两三四五六七八九十几好多]+[多几]?年(?:多)?)?$",
)
def lives(match: re.Match[str], clause: Clause) -> Iterable[Draft] | None:
    """``住在成都``; a former home is a home that ended."""
    place = match["place"].strip()
    if re.match(r"(?:院|校|宿|过|不|得|下|了|房)", place) and "在" not in clause.core:
        return None
    if _NOT_PLACE.search(place) or clause.core.startswith(("人是", "家是", "base是")):
        return None
    if VAGUE_PLACE.match(place):
        return [Draft(None, place, tags=("home",))]
    return [Draft(dim.HOME, place, negated=clause.adverbials.past)]


@HOME.on(
    r"(?:是)?(?:地道的?|土生土长的|一个|个|正宗的?|地地道道的)?"
    rf"(?P<place>(?:{PLACES})[\u4e00-\u9fff]{{0,3}}?|[\u4e00-\u9fff]{{2,4}})人$"
)
def native(match: re.Match[str], clause: Clause) -> Iterable[Draft] | None:
    """``我是东北人``; an unknown place needs 是 and must not be a kind of people."""
    place = match["place"]
    is_known = bool(KNOWN_PLACE.match(place))
    if not is_known and ("是" not in clause.core[:1] or _NOT_FROM.match(place) or len(place) > 3):
        return None
    if not is_known and not re.search(r"[省市县州城镇村海岛]$", place):
        return None
    return [Draft(dim.ORIGIN, place, says=f"是{place}人")]
