"""Rules for habits: what somebody usually does, never does, took up or gave up."""

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
)
from dualmem_graph.system1.rules.chinese.times import (
    without_times,
)

#: Tried late, since nearly every verb can be a habit.
HABITS = RuleBook()


@HABITS.on(
    r"(?:已经|成功)?戒(?:掉|断)?(?:了)?(?P<thing>烟|酒|糖|奶茶|咖啡|可乐|熬夜|游戏|手机|外卖|肉"
    r"|辣|短视频|抖音|[\u4e00-\u9fff]{1,4}?)(?:了)?"
    r"(?:(?:有|快|已经)?[\d一二两三四五六七八九十几半]+(?:年|个月|个多月|天|周)(?:多|半)?)?$"
)
def gave_up(match: re.Match[str], clause: Clause) -> Iterable[Draft] | None:
    """``戒烟了``; trying to is not having done it."""
    if "失败" in clause.core or "不" in clause.core:
        return None
    if clause.adverbials.future or not (
        clause.ended or "了" in clause.core or re.search("年|月|天", clause.core)
    ):
        return None
    verb = {
        "烟": "抽",
        "酒": "喝",
        "奶茶": "喝",
        "咖啡": "喝",
        "可乐": "喝",
        "游戏": "打",
        "外卖": "吃",
        "糖": "吃",
        "肉": "吃",
        "辣": "吃",
    }
    habit = verb.get(match["thing"], "") + match["thing"]
    return [Draft(keyed(dim.HABIT, habit), dim.YES, negated=True, timed=True)]


_VERBS = (
    r"(?:抽|吸|喝|吃|熬|跑|运动|健身|锻炼|开|骑|坐|化妆|染|穿|看|玩|打|养|点|用|加班|午睡|睡|刷"
    r"|做饭|赌|碰|沾|嚼|带|戴|逛|上夜班|直播|写|画|练|去健身)"
)


@HABITS.on(
    rf"(?:既|又|也|都)?不(?:再)?(?P<habit>{_VERBS}[^，也又]{{0,8}}?)(?:也|又|和)不"
    rf"(?P<second>{_VERBS}[^，]{{0,8}}?)$",
    r"(?:都|也)?(?:不再|再也不|从来不|从不|一概不|一口不|绝不|几乎不|很少|基本不|不怎么能|不太能"
    rf"|不怎么|不太|不能|不敢|不可以|吃不了|喝不了|不)(?P<habit>{_VERBS}[^，]{{0,10}}?)$",
    r"(?:不再|再也不|从来不|从不)(?P<habit>[^，]{1,12}?)$",
    r"(?:忌口|忌)(?P<habit>[^，口]{1,8})$",
)
def does_not(match: re.Match[str], clause: Clause) -> Iterable[Draft] | None:
    """``不抽烟也不喝酒``, ``不吃香菜``, ``现在不跑步了``."""
    groups = match.groupdict()
    if clause.ended and not (clause.adverbials.now or "再" in clause.core or _is_change(clause)):
        return None
    found = [groups["habit"], groups.get("second") or ""]
    if clause.core.startswith("忌"):
        found = ["吃" + found[0]]
    if any(
        re.search(
            r"^(?:用|看)(?:了|谢|不|说|担|着|客|管)?$|^"
            r"(?:用谢|用了|看了|吃了|喝了|玩了|打扰|开心|吃亏|打算|做|看好|吃惊|开玩笑|睡了|写了)"
            r"|你|到$|下$|完$|就|才|会(?!员)|动$|起$|懂$|出$|清$|着$",
            one,
        )
        for one in found
        if one
    ):
        return None
    habits: list[str] = []
    for one in filter(None, found):
        verb = one[0]
        items = items_of(one[1:])
        habits.extend(
            [one] if len(items) == 1 else [verb + item.removeprefix(verb) for item in items]
        )
    return _habits(habits, clause)


@HABITS.on(rf"(?:能|可以|敢|开始|重新开始|恢复|又)(?P<habit>{_VERBS}[^，一]{{0,5}})$")
def took_up(match: re.Match[str], clause: Clause) -> Iterable[Draft] | None:
    """``现在能吃辣了``, ``又开始抽烟了``."""
    if (
        not clause.ended
        or clause.adverbials.future
        or re.search(r"^.(?:了|好|完|到|$)", match["habit"])
    ):
        return None
    return [Draft(keyed(dim.HABIT, match["habit"]), dim.YES)]


@HABITS.on(r"(?:现在|就)?改(?:成|为)?(?P<habit>(?:喝|吃|用|骑|坐|开|练|打|看|走路)[^，]{1,12}?)$")
def switched(match: re.Match[str], clause: Clause) -> Iterable[Draft] | None:
    """``改喝茶了``."""
    if clause.adverbials.future:
        return None
    return [Draft(keyed(dim.HABIT, match["habit"]), dim.YES, timed=True)]


_ALWAYS = re.compile(
    r"每|天天|经常|常常|时常|总是|总(?!算|结|之|觉|监|经)|老是|习惯|一般|通常|平时|平常|从来|向来"
    r"|一向|偶尔|时不时|隔三差五|有时"
)


@HABITS.on(
    r"(?:有|养成了?)(?P<habit>[^，]{1,16}?)的习惯$",
    r"(?:一直|都)?习惯(?:了)?(?P<habit>[^，性上下]{2,18})$",
    r"(?:喜欢上了|坚持|坚持了)(?P<habit>[^，]{2,14}?)"
    r"(?:[\d一二两三四五六七八九十几半]+(?:年|个月|天))?$",
    r"(?P<habit>[^，]{1,24})$",
)
def does(match: re.Match[str], clause: Clause) -> Iterable[Draft] | None:
    """``每天早上六点起床跑步``, ``习惯睡前看会儿书``."""
    marked = (
        clause.core.startswith(("有", "养成", "习惯", "坚持", "一直习惯", "都习惯"))
        and match["habit"] != clause.core
    )
    if not marked and not _ALWAYS.search(clause.adverbials.text):
        inner = _ALWAYS.search(clause.core)
        if inner is None or not clause.stated or inner.start() > 8 or clause.ended:
            return None
    if not marked and (clause.ended or not _is_activity(clause.core)):
        return None
    if re.search(r"每(?:次|当|到)", clause.adverbials.text) and not re.search(
        r"[都就](?:会|要|得|去|[吃喝买点做看])|会|要", clause.core
    ):
        return None
    if "我" in clause.core:
        return None
    action = re.sub(
        r"^(?:都|也|就|要|会|得|能|自己|一个人|必须|固定|大概|基本)+(?=..)",
        "",
        without_times(match["habit"]),
    )
    action = _ALWAYS.sub("", action)
    action = re.sub(r"^(?:都|也|就|要|会|得|能|必须)+(?=..)", "", action)
    if action in ("去", "来", "是", "做"):
        return None
    key = keyed(dim.HABIT, re.sub(r"^去(?=[打踢跑游爬健看听学练吃喝买逛做上参骑拍].)", "", action))
    return [Draft(key, dim.YES, negated=clause.adverbials.past)] if key else None


def _is_activity(core: str) -> bool:
    """Whether a core starts with something that is done; states and talk are no habits."""
    return not re.match(
        r"(?:都|也|就)?(?:逼|叫|睡不|起不|觉得|感觉|感到|想|忘|说|是(?!去)|有(?!氧)|很|太|被|让|没|不知"
        r"|会(?:忘|想|觉)|担心|怀疑|好像|的|什么|能听|听说|看到|见到|遇到|碰到|梦|叫|在"
        r"(?!家|公司|外)|人|这|那|[A-Za-z]*$|最)|[\u4e00-\u9fff]{0,3}"
        r"(?:累|忙|困|烦|冷|热|好|贵|多|少|疼|痛)$",
        core,
    )


def _is_change(clause: Clause) -> bool:
    """Whether ``不…了`` gives a habit up; ``不吃饭了`` is only of the moment."""
    return bool(
        re.fullmatch(
            r"不(?:吃|喝|抽|养|染|坐|骑|熬|打|玩|穿|用)(?!饭|东西|早|晚|午|了|车|手机)[^，]{1,6}",
            clause.core,
        )
    )


def _habits(found: list[str], clause: Clause) -> list[Draft] | None:
    negation = next(
        (
            word
            for word in ("不能", "不敢", "从来不", "从不", "不再", "很少")
            if word in clause.predicate
        ),
        "不",
    )
    drafts = []
    for one in found:
        key = keyed(dim.HABIT, one)
        if key is None:
            return None
        says = None if len(found) == 1 else f"{negation}{one}"
        drafts.append(Draft(key, dim.YES, negated=True, says=says))
    return drafts
