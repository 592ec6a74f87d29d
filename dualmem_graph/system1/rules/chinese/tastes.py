"""Rules for what somebody likes, dislikes, fears, how they eat and what they are like."""

from __future__ import annotations

import re
from collections.abc import Iterable

from dualmem_graph.system1.rules import dimensions as dim
from dualmem_graph.system1.rules.chinese.lexicon import TRAITS, alternatives
from dualmem_graph.system1.rules.chinese.reading import (
    Clause,
    Draft,
    RuleBook,
    items_of,
    keyed,
    object_of,
)

TASTES = RuleBook()

_DEGREE = (
    r"(?:很|非常|特别|超级?|最|挺|蛮|比较|真的|真|太|贼|巨|更|最最|还是|有点儿?|有些|都|也|还|就"
    r"|只|一直|从小就?|格外|尤其|十分|可|老|极其|稍微|向来|越来越|打心底里?|简直)*"
)

_LIKE = (
    r"(?:喜欢上|喜欢|热爱|酷爱|喜爱|钟爱|偏爱|钟情于|迷恋|沉迷于?|痴迷于?|迷上|爱上|着迷于"
    r"|热衷于?|偏好|享受|爱好(?!是|有|包括|广泛|：)|爱"
    r"(?=[吃喝看听玩打踢拍用弹唱跳穿读逛睡养旅运画写]|[A-Za-z]"
    r"|[^你他她它我心情人好护惜在的]{2,}))"
)

_NOT_LIKE = (
    r"(?:不(?:是)?(?:太|怎么|大|很|那么|特别)?(?:喜欢|爱|感冒|中意|享受)|没(?:有)?那么(?:喜欢|爱)"
    r"|(?:最|很|特别|真的?|有点|超级?|非常)*(?:讨厌|反感|厌恶|厌烦|痛恨|憎恶|嫌弃)|受不了"
    r"|接受不了|无法忍受|忍受不了|看不惯|吃不惯|喝不惯|吃不来|喝不来|听不惯|不能接受|不能忍受)"
)

_FEAR = r"(?:很|最|特别|有点|超级?|非常|比较|真的|从小|一直|都|也|还|挺|蛮)*(?:害怕|恐惧|怕)"

_DEICTIC = re.compile(
    r"^(?:你|您|这|那|它|他|她|哪|什么|的$|了$|过$|我$|上$|不|麻烦|打扰)|你|您|^(?:我|用户)的?"
    r"(?:回答|建议)"
)

#: What is feared may be a thing or an outcome; an outcome is a worry of the moment.
_WORRY = re.compile(r"[我他她它你会没不被错丢输忘]|失去|生气|高兴|影响|用户|自己")

_LONGEST_FEAR = 8

_OBJECT = r"(?P<object>[^，]{1,24}?)"

_CLOSING = r"(?:的感觉)?(?:(?:的)?了)?$"

_DIETS = {
    "素": "素食",
    "全素": "素食",
    "纯素": "纯素",
    "素食": "素食",
    "清真": "清真",
    "生酮": "生酮",
    "低碳": "低碳",
    "低脂": "低脂",
    "低盐": "低盐",
    "无麸质": "无麸质",
    "减脂餐": "减脂餐",
    "轻食": "轻食",
    "流食": "流食",
    "蛋奶素": "蛋奶素",
}

_DIET = alternatives(" ".join(_DIETS))

_MBTI = r"[IEie][NSns][TFtf][JPjp](?:-[AT])?"


@TASTES.on(
    r"(?:是)?(?:的)?最?(?:喜欢|爱|喜爱|中意|钟爱|偏爱|常)"
    r"(?:的|吃的|看的|听的|玩的|喝的|用的|去的)(?:一)?(?:个|种|本|部|首|款|位|支)?"
    r"(?P<kind>[\u4e00-\u9fff]{1,8}?)(?:就|一直|永远|还)?(?:是|：|叫)(?P<value>[^，]{1,24})$"
)
def favourite(match: re.Match[str], clause: Clause) -> Iterable[Draft] | None:
    """``最喜欢的颜色是绿色``."""
    value = match["value"].removeprefix("我的")
    if _DEICTIC.match(value):
        return None
    kind = match["kind"]
    if kind in ("东西", "事情", "事"):
        return [Draft(keyed(dim.ATTITUDE, object_of(value)), dim.LIKE)]
    return [Draft(keyed(dim.FAVOURITE, kind), value)]


@TASTES.on(
    r"(?:比起|相比(?:于)?|跟|和)(?P<other>[^，]{1,12}?)(?:相比|比起来|，)?(?:我)?(?:还是)?"
    rf"(?:更|比较|宁愿|宁可){{1,2}}(?:喜欢|爱|偏爱|想|愿意)?{_OBJECT}$",
    rf"(?:更)?喜欢{_OBJECT}(?:胜过|多过|多于|超过|而不是|不是)(?P<other>[^，]{{1,12}})$",
)
def prefers(match: re.Match[str], clause: Clause) -> Iterable[Draft] | None:
    """``比起咖啡我更喜欢茶``: one slot for the pair, whichever side wins."""
    chosen, other = object_of(match["object"]), object_of(match["other"])
    if _DEICTIC.search(chosen) or _DEICTIC.search(other):
        return None
    key = keyed(dim.ATTITUDE, "或".join(sorted((chosen, other))))
    return [Draft(key, chosen, says=f"比起{other}更喜欢{match['object']}")]


@TASTES.on(
    rf"(?:已经)?不再{_DEGREE}(?:{_LIKE}|爱){_OBJECT}{_CLOSING}",
    rf"(?:已经|早就|早)?(?:不{_DEGREE}(?:{_LIKE}|爱)|没以前那么(?:喜欢|爱)){_OBJECT}{_CLOSING}",
)
def no_longer_likes(match: re.Match[str], clause: Clause) -> Iterable[Draft] | None:
    """``不再喜欢可乐了`` ends a liking; ``不喜欢可乐`` is a dislike and not meant here."""
    if "不再" not in clause.predicate and not (clause.ended and _was_otherwise(clause)):
        return None
    return _attitudes(match["object"], dim.LIKE, clause, negated=True)


@TASTES.on(
    rf"{_NOT_LIKE}{_OBJECT}{_CLOSING}",
    rf"最?(?:讨厌|反感|受不了|烦)的(?:事情?|东西|人)?(?:就)?是{_OBJECT}$",
    rf"(?:觉得)?(?:对){_OBJECT}(?:不感兴趣|没(?:有|什么)?兴趣|无感|不感冒|提不起兴趣|反感)$",
)
def dislikes(match: re.Match[str], clause: Clause) -> Iterable[Draft] | None:
    """``讨厌下雨天``, ``不太喜欢``."""
    return _attitudes(match["object"], dim.DISLIKE, clause)


@TASTES.on(rf"(?:不|一点(?:儿)?(?:也|都)不)怕{_OBJECT}$", rf"(?:不再|已经不){_FEAR}{_OBJECT}$")
def fears_not(match: re.Match[str], clause: Clause) -> Iterable[Draft] | None:
    """``不怕狗``."""
    return _attitudes(match["object"], dim.FEAR, clause, negated=True)


@TASTES.on(
    rf"(?:最|很)?怕的(?:事情?|东西)?(?:就)?是{_OBJECT}$",
    r"(?:有|有点|患有|重度|严重)*(?P<kind>恐高|社恐|恐飞|晕血|怕黑|怕高)(?:症)?$",
    rf"{_FEAR}{_OBJECT}$",
)
def fears(match: re.Match[str], clause: Clause) -> Iterable[Draft] | None:
    """``怕狗``, ``恐高``."""
    groups = match.groupdict()
    if kind := groups.get("kind"):
        if kind == "社恐":
            return [Draft(keyed(dim.TRAIT, kind), dim.YES)]
        return [Draft(keyed(dim.ATTITUDE, kind[-1]), dim.FEAR)]
    if re.match(
        r"是|的是|忘|你|来不及|影响|万一|自己|以后|考不|输|晚|吵|耽误|冷$|热$|一个人$",
        groups["object"],
    ):
        return (
            [Draft(keyed(dim.ATTITUDE, groups["object"]), dim.FEAR)]
            if groups["object"] in ("冷", "热")
            else None
        )
    if _WORRY.search(groups["object"]) or len(groups["object"]) > _LONGEST_FEAR:
        return None
    return _attitudes(groups["object"], dim.FEAR, clause)


@TASTES.on(
    rf"{_DEGREE}(?:{_LIKE}|好(?=[酒吃]$)){_OBJECT}{_CLOSING}",
    rf"(?:的)?(?:兴趣)?爱好(?:就)?(?:主要|广泛)?(?:是|有|包括|：){_OBJECT}$",
    rf"(?:的)?兴趣(?:就)?(?:主要)?(?:是|有|包括){_OBJECT}$",
    rf"(?:是)?(?:一个|个)?{_OBJECT}(?:的)?(?:铁杆|骨灰级|忠实|资深|死忠|超级|老)?"
    r"(?:球迷|歌迷|影迷|书迷|车迷|粉丝|铁粉|粉|迷妹|迷弟|迷|控|爱好者|发烧友)$",
    rf"对{_OBJECT}(?:{_DEGREE}|充满|产生了?|有(?:着)?(?:浓厚的?|很大的?)?)(?:感)?"
    r"(?:兴趣|情有独钟|着迷|上瘾|痴迷|毫无抵抗力|没有抵抗力|没抵抗力)$",
    rf"{_DEGREE}(?:沉迷|入坑|入了坑|痴迷|着迷)(?:了|于)?{_OBJECT}$",
)
def likes(match: re.Match[str], clause: Clause) -> Iterable[Draft] | None:
    """``喜欢吃火锅``, ``对历史很感兴趣``, ``爱好是爬山和露营``."""
    said = match["object"]
    if re.match(r"了?(?:一个|上了?)?(?:一个)?(?:男生|女生|女孩|男孩|人$|别人)", said):
        return None
    if re.search(r"(?:粉丝|铁粉|粉|迷妹|迷弟|迷|控)$", clause.core) and not re.match(
        r"是|.{2,}(?:粉丝|铁粉)", clause.core
    ):
        return None
    return _attitudes(said, dim.LIKE, clause, negated=clause.adverbials.past)


@TASTES.on(
    rf"(?:是)?(?:一个|个|位|名)?(?P<diet>{_DIET})(?:主义者|主义|者|饮食)$",
    rf"(?:现在|已经|一直|开始|改|改成|坚持|只|在)*吃(?P<diet>{_DIET})"
    r"(?:好几年|[\d一二两三四五六七八九十几]+年|为主)?$",
    r"(?:在|坚持|开始)(?:控糖|戒糖|生酮|节食|控制饮食)(?P<diet>)$",
)
def diet(match: re.Match[str], clause: Clause) -> Iterable[Draft] | None:
    """``吃素``, ``是素食主义者``."""
    said = match["diet"] or re.sub(r"^(?:在|坚持|开始)", "", clause.core)
    return [Draft(dim.DIET, _DIETS.get(said, said), negated=clause.adverbials.past)]


@TASTES.on(
    rf"(?:已经)?不(?:再)?(?:吃|是)(?P<diet>{_DIET})(?:主义者|者)?$",
    r"(?:恢复|又开始|重新|开始)吃(?P<diet>肉|荤)$",
)
def diet_ended(match: re.Match[str], clause: Clause) -> Iterable[Draft] | None:
    """``不吃素了``."""
    said = match["diet"]
    return [Draft(dim.DIET, "素食" if said in ("肉", "荤") else _DIETS[said], negated=True)]


@TASTES.on(
    rf"(?:的)?(?:口味|性格|脾气|性子|为人|个性|人)?(?:是)?(?:一)?(?:个|位|名)?{_DEGREE}(?:属于)?"
    rf"(?P<trait>{TRAITS}|{_MBTI})(?:型)?(?:的)?(?:人|性格|体质|患者|类型)?$",
    rf"(?:是)?(?:一)?个{_DEGREE}(?P<trait>[^，]{{2,10}}?)的人$",
    rf"(?:的)?(?:性格|脾气|个性){_DEGREE}(?P<trait>[^，的]{{1,8}}?)$",
    r"(?:的)?(?:MBTI|mbti|人格)(?:类型)?(?:是)?(?P<trait>[IEie][NSns][TFtf][JPjp])$",
)
def trait(match: re.Match[str], clause: Clause) -> Iterable[Draft] | None:
    """``是个急性子``, ``比较内向``; a bare adjective needs its subject named."""
    said = match["trait"].removeprefix("是")
    about = clause.topic if not clause.stated else None
    if (
        about is None
        and not clause.stated
        and not re.match(r"是|.*(?:性格|脾气|个性)", clause.core)
    ):
        return None
    if re.fullmatch(_MBTI, said):
        return [Draft(keyed(dim.TRAIT, "MBTI"), said.upper())]
    if _DEICTIC.match(said):
        return None
    return [Draft(keyed(dim.TRAIT, said), dim.YES, negated=clause.adverbials.past, about=about)]


def _was_otherwise(clause: Clause) -> bool:
    return clause.adverbials.now or bool(re.match(r"已经|早", clause.core))


def _attitudes(
    said: str, value: str, clause: Clause, *, negated: bool = False
) -> list[Draft] | None:
    said = said.strip()
    if (
        _DEICTIC.search(said)
        or said.startswith("的")
        or said in ("吃", "喝", "看", "玩", "了", "的", "过", "上", "上了", "死", "死了", "人")
    ):
        return None
    items = items_of(said)
    if len(items) == 1:
        key = keyed(dim.ATTITUDE, object_of(said))
        return [Draft(key, value, negated=negated)] if key else None
    before, _, after = clause.predicate.rpartition(said)
    verb = said[0] if object_of(items[0]) != items[0] and said[0] in "吃喝看听玩打" else ""
    return [
        Draft(
            keyed(dim.ATTITUDE, object_of(item)),
            value,
            negated=negated,
            says=before + (item if not verb or item.startswith(verb) else verb + item) + after,
        )
        for item in items
    ]
