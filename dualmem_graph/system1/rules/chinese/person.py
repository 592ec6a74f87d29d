"""Rules for who somebody is: names, age, birthday and what is fixed from birth."""

from __future__ import annotations

import re
from collections.abc import Iterable

from dualmem_graph.system1.rules import dimensions as dim
from dualmem_graph.system1.rules.chinese.family import family_name, pet_name
from dualmem_graph.system1.rules.chinese.home import KNOWN_PLACE
from dualmem_graph.system1.rules.chinese.lexicon import (
    FULL_NAME,
    JOB,
    LATIN_NAME,
    NICKNAME,
    TRAITS,
    alternatives,
)
from dualmem_graph.system1.rules.chinese.reading import (
    Clause,
    Draft,
    RuleBook,
    keyed,
    number_of,
)

PERSON = RuleBook()
#: Tried after everything else that ``我是…`` can say.
INTRODUCTIONS = RuleBook()

_NAME = (
    r"(?P<name>[\u4e00-\u9fff·]{1,6}|[A-Za-z][\w .'-]{0,24}"
    r"|[\u4e00-\u9fff]{1,3} ?[A-Za-z]{1,12}|[\uA000-\uA0FF])"
)

_NOT_NAME = re.compile(
    r"^(?:什么|外卖|车|出租|滴滴|快递|我|你|他|她|它|人|醒|停|板|好|救护|苦|大家|一|不|了|这|那"
    r"|做|起来|来|你们|家长|家人)"
)

_NUM = r"(?:\d{1,3}|[零〇一二两三四五六七八九十百]{1,4})"

_DATE = (
    r"(?:(?:农历|阴历|阳历|公历)?(?:(?:19|20)\d\d年)?"
    r"(?:\d{1,2}|[一二三四五六七八九十]{1,2}|正|腊)月(?:初)?"
    r"(?:\d{1,2}|[一二三四五六七八九十]{1,3})[日号]?|(?:\d{1,2}[./-]\d{1,2}))"
)

_SIGNS = (
    "白羊座 牡羊座 金牛座 双子座 巨蟹座 狮子座 处女座 天秤座 天蝎座 射手座 人马座 摩羯座 魔羯座 水"
    "瓶座 双鱼座"
)

_IS_TRAIT = re.compile(rf"(?:{TRAITS})$")
_ANIMAL_YEARS = "鼠牛虎兔龙蛇马羊猴鸡狗猪"


@PERSON.on(
    rf"(?:的)?(?:名字|大名|本名|真名|全名|姓名)(?:就?叫做?|就?是|为|：)?{_NAME}$",
    rf"(?:名叫|就叫|叫做|叫){_NAME}$",
    rf"(?:[一两]|另一|还有一|大的|小的|老大|老二)(?:只|条|个)?叫(?:做)?{_NAME}$",
)
def name(match: re.Match[str], clause: Clause) -> Iterable[Draft] | None:
    """``我叫李娜``; of a relative or a pet it is the owner's family or pet that has a name."""
    called = match["name"].strip()
    if _NOT_NAME.match(called):
        return None
    subject = clause.subject if clause.stated or clause.topic is None else clause.topic
    if subject.kind == "pet":
        return [pet_name(called, subject, clause.owner)]
    if subject.kind == "person" and subject.kin:
        draft = family_name(called, clause, subject)
        return [draft] if draft else None
    return [Draft(dim.NAME, called, says=f"叫{called}")]


@PERSON.on(
    r"姓(?P<name>[\u4e00-\u9fff]{1,2})$",
    rf"的?(?:英文名|网名|昵称|小名|外号|绰号|花名|笔名|微信名)(?:字)?(?:叫做?|是|为)?{_NAME}$",
)
def other_name(match: re.Match[str], clause: Clause) -> Iterable[Draft] | None:
    """A surname or by-name adds to a person's name and does not replace it."""
    return [Draft(None, match["name"], tags=("identity",))]


@PERSON.on(
    rf"(?:的?年龄是?|都?满|快|也?才|刚满|虚岁|周岁)?(?P<age>{_NUM})(?:周岁|岁)(?:半|多|出头)?$",
    r"(?:快|都|满|刚满|奔)?(?P<age>\d{2}|[二三四五六七八九]十[一二三四五六七八九]?)$",
)
def age(match: re.Match[str], clause: Clause) -> Iterable[Draft] | None:
    """``今年28岁``, ``我35了``; a bare number needs the 了 or a 今年."""
    value = number_of(match["age"])
    is_bare = "岁" not in clause.core
    if (
        value is None
        or int(value) > 120
        or (is_bare and not (clause.ended or "今年" in clause.predicate))
    ):
        return None
    if clause.adverbials.past or "时候" in clause.predicate:
        return None
    if clause.adverbials.future:
        return [Draft(None, timed=True, tags=("identity",))]
    about = clause.topic if not clause.stated and clause.topic is not None else None
    says = f"快{value}岁了" if "快" in clause.core else f"{value}岁"
    return [Draft(dim.AGE, value, says=says, about=about)]


@PERSON.on(
    rf"的?(?:农历|阴历|阳历)?生日(?:是|在|：)?(?P<day>{_DATE})(?:号|日)?"
    r"(?:，?不是.*|，?而不是.*)?$",
    rf"(?:出?生于|是)?(?P<day>(?:(?:19|20)\d\d年?)?(?:{_DATE})?)(?:出生|的生日|生)(?:的)?$",
    r"(?:出生于|生于)(?P<day>(?:19|20)\d\d年?.{0,8})$",
    r"(?P<day>)(?:出生|生|生人)(?:的)?$",
)
def birthday(match: re.Match[str], clause: Clause) -> Iterable[Draft] | None:
    """``生日是3月5号``, ``1990年出生``."""
    before = re.search(rf"(?:19|20)\d\d年(?:{_DATE})?", clause.adverbials.text)
    day = re.sub(r"号$", "日", match["day"].strip() or (before.group() if before else ""))
    if not day:
        return None
    if re.search(r"\d月\d+$", day):
        day += "日"
    says = f"的生日是{day}" if "生日" in clause.core else f"{day}出生"
    return [Draft(dim.BIRTHDAY, day, says=says)]


@PERSON.on(
    rf"(?:是|，)?(?P<sign>{alternatives(_SIGNS)})(?:的)?$",
    rf"(?:的)?星座是(?P<sign>{alternatives(_SIGNS)})$",
)
def sign(match: re.Match[str], clause: Clause) -> Iterable[Draft] | None:
    """``天蝎座``."""
    return [Draft(keyed(dim.TRAIT, "星座"), match["sign"], says=f"是{match['sign']}")]


@PERSON.on(rf"属(?P<animal>[{_ANIMAL_YEARS}])(?:的)?$", rf"是属(?P<animal>[{_ANIMAL_YEARS}])的$")
def animal_year(match: re.Match[str], clause: Clause) -> Iterable[Draft] | None:
    """``属兔``."""
    return [Draft(keyed(dim.TRAIT, "生肖"), match["animal"], says=f"属{match['animal']}")]


@PERSON.on(r"(?:是)?(?:一)?(?:个|名)?(?P<born>[5-9]0|0[05]|10)后(?:的)?$")
def decade(match: re.Match[str], clause: Clause) -> Iterable[Draft] | None:
    """``90后``."""
    return [Draft(keyed(dim.TRAIT, "年代"), f"{match['born']}后", says=f"是{match['born']}后")]


@PERSON.on(
    r"(?:的)?(?P<what>身高|体重|血型|鞋码|尺码|腰围|视力|净身高)(?:是|有|为|：|大概|差不多|都)*"
    r"(?P<value>[^，是有]{1,12})$"
)
def measure(match: re.Match[str], clause: Clause) -> Iterable[Draft] | None:
    """``身高178``, ``血型是O型``."""
    if not re.search(r"[\dA-Za-zOABｏ一二三四五六七八九]", match["value"]):
        return None
    return [Draft(keyed(dim.TRAIT, match["what"]), match["value"])]


@PERSON.on(r"(?:是)?(?P<blood>A|B|AB|O|a|b|ab|o)型(?:血)?(?:的)?$")
def blood_group(match: re.Match[str], clause: Clause) -> Iterable[Draft] | None:
    """``是AB型血``."""
    value = f"{match['blood'].upper()}型"
    return [Draft(keyed(dim.TRAIT, "血型"), value, says=f"是{value}血")]


@PERSON.on(
    r"是(?P<people>[汉回满藏苗壮蒙彝白侗瑶土]|维吾尔|蒙古|朝鲜|哈萨克|土家|傣|黎|羌)族(?:人)?$"
)
def people(match: re.Match[str], clause: Clause) -> Iterable[Draft] | None:
    """``是回族``."""
    return [Draft(keyed(dim.TRAIT, "民族"), f"{match['people']}族")]


@PERSON.on(r"信(?:仰)?(?:奉)?(?P<faith>佛|佛教|基督教?|天主教?|伊斯兰教?|道教|东正教)$")
def faith(match: re.Match[str], clause: Clause) -> Iterable[Draft] | None:
    """``信佛``."""
    return [Draft(keyed(dim.TRAIT, "信仰"), match["faith"])]


@PERSON.on(
    r"性别(?:是|为|：)?(?P<sex>男|女)(?:性)?$",
    r"(?:是)?(?P<sex>男生|女生|男的|女的|男孩子?|女孩子?|妹子|汉子|男性|女性)$",
)
def sex(match: re.Match[str], clause: Clause) -> Iterable[Draft] | None:
    """``我是女生``."""
    if not clause.stated and not clause.core.startswith("性别"):
        return None
    value = "女" if re.search("女|妹", match["sex"]) else "男"
    return [Draft(keyed(dim.TRAIT, "性别"), value, says=f"是{value}性")]


@INTRODUCTIONS.on(rf"是(?P<name>{FULL_NAME}|{NICKNAME}|{LATIN_NAME})$")
def introduced(match: re.Match[str], clause: Clause) -> Iterable[Draft] | None:
    """``大家好我是王磊``: a name stands where a job could stand."""
    called = match["name"]
    if (
        not (clause.subject.is_user and clause.stated)
        or JOB.match(called)
        or KNOWN_PLACE.match(called)
    ):
        return None
    if _IS_TRAIT.match(called):
        return None
    if re.search(r"人$|控$|党$|迷$|族$|型$|粉$|手$|生$", called):
        return None
    return [Draft(dim.NAME, called, says=f"叫{called}")]
