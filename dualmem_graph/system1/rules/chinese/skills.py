"""Rules for what somebody is able to do, how well, and what they are learning."""

from __future__ import annotations

import re
from collections.abc import Iterable

from dualmem_graph.system1.rules import dimensions as dim
from dualmem_graph.system1.rules.chinese.reading import (
    Clause,
    Draft,
    RuleBook,
    items_of,
    keyed,
    object_of,
)

SKILLS = RuleBook()

_ABILITY = (
    r"(?:弹|拉|吹|敲|打|说|讲|写|用|做|开|游|画|跳|唱|骑|滑|下|织|编|修|剪|调|冲|泡|煮|炒|烤|包"
    r"|缝|潜|冲浪|编程|游泳|手语|配音|武术|魔术|太极|瑜伽|书法|摄影|剪辑|英语|日语|法语|德语|韩语"
    r"|粤语|俄语|西班牙语|葡萄牙语|意大利语|阿拉伯语|泰语|闽南语|上海话|四川话|Python|Java|Excel"
    r"|PS|Photoshop)"
)

_LANGUAGES = (
    r"(?:英语|英文|日语|日文|法语|法文|德语|德文|韩语|韩文|粤语|俄语|西班牙语|西语|葡萄牙语|葡语"
    r"|意大利语|阿拉伯语|泰语|普通话|闽南语|上海话|四川话|口语|数学|物理|化学|编程|厨艺|球技|车技"
    r"|酒量|方向感|记性|记忆力|歌喉)"
)


@SKILLS.on(
    rf"(?:能|会)(?:一)?(?:点儿?|些)?(?P<skill>{_ABILITY}[^，吗]{{0,12}}?)(?:了)?$",
    r"(?:很|特别|非常|比较|最)*(?:擅长|精通|熟悉|熟练掌握|掌握|拿手|善于|深谙)(?:的(?:菜)?是)?"
    r"(?P<skill>[^，]{1,20}?)(?:了)?$",
    r"(?:的)?拿手(?:菜|好戏|绝活)?是(?P<skill>[^，]{1,16})$",
    r"会(?:一)?(?:点儿?|些)(?P<skill>[^，吗事]{1,8})$",
    r"(?:略懂|懂|通晓)(?:一)?(?:点儿?|些)?(?P<skill>[^，事你我得]{2,12})$",
    r"学会(?:了)?(?P<skill>[^，]{1,12})$",
)
def skill(match: re.Match[str], clause: Clause) -> Iterable[Draft] | None:
    """``会弹钢琴``, ``精通Python和Rust``."""
    said = match["skill"]
    if re.search(
        r"^(?:打算|开会|开始|做到|做好|说到|打电话|写信|用到|用的|说|做|写|开|打|用)$|你|吧$|一下"
        r"|开心|完|开除",
        said,
    ):
        return None
    return _skills(said, clause, dim.YES)


@SKILLS.on(
    rf"(?:完全|根本|还|都)?不(?:太|怎么|大)?会(?P<skill>{_ABILITY}[^，吗]{{0,10}}?)$",
    rf"(?P<skill>{_LANGUAGES})(?:很|特别|比较|不太|有点)?(?:差|烂|不好|不行|渣)$",
)
def no_skill(match: re.Match[str], clause: Clause) -> Iterable[Draft] | None:
    """``不会开车``."""
    if re.search(r"再|了$", match["skill"]) or (clause.ended and not clause.stated):
        return None
    return _skills(match["skill"], clause, dim.YES, negated=True)


@SKILLS.on(
    rf"(?:的)?(?P<skill>{_LANGUAGES})(?:水平|能力)?"
    r"(?P<level>(?:很|还|特别|挺|比较|非常|蛮|相当|也)?"
    r"(?:好|流利|不错|厉害|可以|一般|还行|马马虎虎|入门|[a-zA-Z]\d级?|[\d一二三四五六七八专]+级"
    r"|过了?[\d一二三四五六七八专]+级|N[1-5]|母语水平|母语))$",
    r"(?P<level>母语)是(?P<skill>[^，]{2,6})$",
)
def skill_level(match: re.Match[str], clause: Clause) -> Iterable[Draft] | None:
    """``英语很好，日语一般``."""
    return [Draft(keyed(dim.SKILL, match["skill"]), match["level"])]


@SKILLS.on(
    r"(?:正?在|开始|刚开始|最近在|准备)?(?:自学|学习|学着|学)(?:了)?(?:一)?(?:点|下)?"
    r"(?P<skill>[^，的]{1,12}?)(?:[\d一二两三四五六七八九十几半]+(?:年|个月|天|周))?(?:了)?$"
)
def learning(match: re.Match[str], clause: Clause) -> Iterable[Draft] | None:
    """``在学法语``."""
    said = match["skill"]
    if re.search(
        r"^[\d一二三四五六七八九十几两半好多]+(?:多)?(?:年|个|天|周|小时|次)|^"
        r"(?:会|习|校|生|期|长|历|位|费|到|不|了|完|坏|乖|得|好)|一下|你",
        said,
    ):
        return None
    if not re.match(r"正?在|开始|刚开始|自学", clause.core) and not clause.adverbials.now:
        return None
    return _skills(said, clause, "在学")


def _skills(said: str, clause: Clause, value: str, *, negated: bool = False) -> list[Draft] | None:
    items = items_of(said)
    before, _, after = clause.predicate.rpartition(said)
    drafts = [
        Draft(
            keyed(dim.SKILL, re.sub(r"^(?:一)?(?:点儿?|些)", "", object_of(item))),
            value,
            negated=negated,
            says=None if len(items) == 1 else before + item + after,
        )
        for item in items
    ]
    return [draft for draft in drafts if draft.dimension] or None
