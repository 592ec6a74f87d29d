"""Rules for health: allergies, ailments, what hurts, and recovery."""

from __future__ import annotations

import re
from collections.abc import Iterable

from dualmem_graph.system1.rules import dimensions as dim
from dualmem_graph.system1.rules.chinese.lexicon import (
    AILMENTS,
)
from dualmem_graph.system1.rules.chinese.reading import (
    Clause,
    Draft,
    RuleBook,
    items_of,
    keyed,
)

HEALTH = RuleBook()


@HEALTH.on(
    r"(?P<what>[^，]{1,8}?)(?:[吃喝闻]了?)(?:就|会|就会)过敏$",
    r"(?:对)(?P<what>[^，]{1,16}?)(?:严重|重度|轻微|轻度|有点|有些|都|也|会|有|中度|极度|很)*过"
    r"敏(?:体质)?$",
    r"有(?P<what>[^，严重]{1,10})过敏(?:症)?$",
    r"(?P<what>花粉|海鲜|花生|尘螨|芒果|青霉素|头孢|酒精|牛奶|鸡蛋|坚果|猫毛|狗毛|虾|蟹|螃蟹|虾蟹"
    r"|乳制品|麸质|大豆|桃子|菠萝|冷空气|紫外线|[\u4e00-\u9fff]{1,5})(?:严重|轻微)?过敏$",
    r"吃(?P<what>[^，]{1,8}?)(?:会|就|会严重)过敏$",
    r"(?P<what>乳糖|麸质|果糖|酒精)(?:不耐受?|不耐症)$",
)
def allergy(match: re.Match[str], clause: Clause) -> Iterable[Draft] | None:
    """``对花生过敏``, ``乳糖不耐受``."""
    what = match["what"]
    if what in ("没有", "没", "不"):
        return None
    negated = bool(re.search(r"不$|不会$|不再$|没$|不是$|不怎么$", what))
    what = re.sub(r"(?:也|都|已经|现在)*(?:不|不会|不再|没|不是|不怎么)$", "", what)
    if what in ("皮肤", "鼻子", "什么", "季节性", "很", "容易", "有点", "过", "药物") or not what:
        return (
            [Draft(keyed(dim.HEALTH, "过敏"), dim.YES, negated=negated)]
            if what in ("皮肤", "药物", "季节性")
            else None
        )
    items = items_of(what)
    before, _, after = clause.predicate.rpartition(what)
    return [
        Draft(
            keyed(dim.ALLERGY, item),
            dim.YES,
            negated=negated or (clause.ended and "不" in clause.core and "不耐" not in clause.core),
            says=None if len(items) == 1 else before + item + after.replace("都过敏", "过敏"),
        )
        for item in items
    ]


_BODY = (
    r"(?:腰|头|胃|肚子|膝盖|颈椎|脖子|肩膀|肩|背|后背|腿|脚|脚踝|手腕|手|牙|牙齿|眼睛|嗓子|喉咙"
    r"|心脏|肝|肾|关节|皮肤|血压|血糖|血脂|尿酸|心率|视力|听力|身体|免疫力|睡眠|肠胃|胸口|耳朵"
    r"|鼻子)"
)

_TROUBLE = (
    r"(?:不太好|不好|不行|疼|痛|酸|难受|不舒服|受伤|扭|崴|骨折|发炎|偏高|偏低|高|低|差|很差"
    r"|出问题|有问题|拉伤|劳损|肿|做了手术|过敏|下降|酸痛|疼痛)"
)


@HEALTH.on(
    r"(?:确诊|查出|查出来|检查出|被诊断(?:为|出|出了)|诊断(?:为|出)|得|患|患上|患有|患了)"
    rf"(?:了|过|有)?(?:轻度|中度|重度|严重的?|一点)?(?P<ailment>{AILMENTS})$",
    r"(?:有|是)?(?:点|些|一点|轻度|中度|重度|严重的?|严重|慢性|先天性|遗传性|轻微的?|家族)*"
    rf"(?P<ailment>{AILMENTS})(?:患者|病史|(?:\d|[一二三四五六七八九十百])+多?度)?"
    r"(?:[\d一二两三四五六七八九十几好多]+多?(?:年|个月|天))?(?:的毛病|的问题)?$",
    rf"(?P<ailment>{AILMENTS})(?:又)?(?:犯|发作|复发|加重|手术|很严重|严重)$",
)
def ailment(match: re.Match[str], clause: Clause) -> Iterable[Draft] | None:
    """``有糖尿病``, ``总失眠``."""
    if re.search(r"手术$", clause.core):
        return None
    if match["ailment"] == "洁癖" or clause.adverbials.future:
        return None
    found = re.match(r"确诊|查出|检查出|被?诊断|得|患上", clause.core) is not None
    return [
        Draft(
            keyed(dim.HEALTH, match["ailment"]),
            dim.YES,
            negated=clause.adverbials.past and not found,
            timed=found,
        )
    ]


@HEALTH.on(
    rf"(?:的)?(?P<ailment>{AILMENTS})(?:已经|都|终于|彻底|基本)*(?:好|痊愈|康复|没|治好|好转)"
    r"(?:了)?(?:很多)?$",
    rf"没有?(?P<ailment>{AILMENTS})$",
)
def recovered(match: re.Match[str], clause: Clause) -> Iterable[Draft] | None:
    """``感冒好了``."""
    if clause.core.startswith("没") and not clause.stated:
        return None
    return [Draft(keyed(dim.HEALTH, match["ailment"]), dim.YES, negated=True, timed=True)]


@HEALTH.on(
    rf"(?:的)?(?P<part>{_BODY})(?:一直|总是?|经常|又|有点儿?|有些|很|不知怎么|特别|非常|都|最近|也"
    rf"|老|比较|稍微|现在)*(?P<trouble>{_TROUBLE})(?:得厉害|得很|到|伤)?$",
    r"(?P<part>)(?P<trouble>睡不着|睡不好|入睡困难)(?:觉)?$",
    r"(?P<part>)(?P<trouble>怀孕|怀上|怀宝宝|怀二胎|有身孕)(?:了)?"
    r"(?:(?:快)?[\d一二两三四五六七八九十几]+(?:个月|周|个多月)(?:多)?)?$",
)
def bodily(match: re.Match[str], clause: Clause) -> Iterable[Draft] | None:
    """``腰也疼``, ``血压偏高``, ``怀孕三个月了``."""
    if match["trouble"].startswith(("睡", "入睡")):
        return [Draft(keyed(dim.HEALTH, "失眠"), dim.YES)]
    if not match["part"]:
        return [Draft(keyed(dim.HEALTH, "怀孕"), dim.YES)]
    if match["part"] == "身体" and match["trouble"] in ("高", "低"):
        return None
    return [Draft(keyed(dim.HEALTH, match["part"] + match["trouble"]), dim.YES)]
