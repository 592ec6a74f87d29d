"""Rules for what somebody means to do: plans, wishes, appointments, and their end."""

from __future__ import annotations

import re
from collections.abc import Iterable

from dualmem_graph.system1.rules import dimensions as dim
from dualmem_graph.system1.rules.chinese.reading import (
    Clause,
    Draft,
    RuleBook,
    keyed,
)
from dualmem_graph.system1.rules.chinese.times import (
    TIME_WORD,
    has_time_word,
    is_recent,
    without_times,
)

#: Tried before everything else: what is planned is not so yet.
PLANS = RuleBook()


@PLANS.on(
    r"(?:已经)?(?:不|没)(?:再)?(?:打算|准备|计划|想|要)(?:再)?(?P<action>[^，]{2,20}?)$",
    r"(?:取消|推掉|放弃)(?:了)?(?P<action>[^，]{2,20}?)(?:的?(?:计划|打算|行程|预约))?$",
    r"(?P<action>[^，]{2,14}?)(?:的)?(?:计划|行程|预约|机票|旅行|聚会|婚礼)?"
    r"(?:取消|泡汤|黄|不去|不办|不搞)$",
)
def plan_dropped(match: re.Match[str], clause: Clause) -> Iterable[Draft] | None:
    """``不打算买房了``, ``取消了西藏的行程``."""
    if re.match(r"(?:不|没)(?:想|要)", clause.core) and not clause.ended:
        return None
    action = _action(match["action"])
    if (
        re.match(r"(?:说|聊|提|听|看|知道|理|用|紧|了|是|求|动|你|这|那|关注|订单|关联)", action)
        or "你" in action
    ):
        return None
    if not re.match(r"不|没", clause.core) and not (clause.ended or "了" in clause.core):
        return None
    key = keyed(dim.PLAN, action)
    return [Draft(key, dim.YES, negated=True)] if key else None


_INTENT = (
    r"(?:正?在?(?:打算|准备|计划|筹备|筹划|考虑好)(?:着)?|决定(?:了)?(?:要)?|下定决心|下决心|报名"
    r"(?:了)?(?:参加)?|约(?:了|好)(?:了)?|预约(?:了)?|预定(?:了)?|预订(?:了)?|订(?:了|好)(?:了)?"
    r"|买(?:了|好)(?:了)?(?=.{0,8}(?:机票|车票|火车票|高铁票))|安排(?:了|在)|争取|立志|目标是|"
    r"(?:的)?(?:计划|打算|目标|理想|梦想|心愿|愿望)是)"
)


@PLANS.on(
    rf"(?:[跟和与][^，]{{1,6}}?)?{_INTENT}(?P<action>[^，]{{2,30}}?)(?:的打算|的计划)?$",
    r"有(?P<action>[^，]{2,16})的(?:打算|计划)$",
)
def plan(match: re.Match[str], clause: Clause) -> Iterable[Draft] | None:
    """``打算国庆去西藏旅游``: intent said in so many words."""
    action = _action(match["action"])
    if (
        "你" in action
        or re.match(r"(?:怎么|是|了|的|什么|外卖|一份|单)", action)
        or clause.adverbials.past
    ):
        return None
    if re.match(r"约|预|订|买|报名|安排", clause.core) and not has_time_word(clause.predicate):
        return None
    if (
        re.match(r"约|预|订|买|报名", clause.core)
        and is_recent(clause.adverbials.text)
        and not has_time_word(clause.core)
    ):
        return None
    return planned(action)


_WISH_VERBS = (
    r"(?:学|换|买(?!单)|去(?!问|查)|搬|考(?!虑)|当|成为|开(?:一?(?:家|个|间)|店)|辞|结婚|移民"
    r"|减肥|生(?!气)|养|读|转行|创业|留学|旅|跑|练|攒|存|写(?:一?(?:本|部))|戒|找(?:个|份|一)|租"
    r"|装修|回|健身|瘦|改行|尝试)"
)


@PLANS.on(
    r"(?:也|很|特别|非常|超级?|一直|还|就|最)*(?:想要?|希望(?:能|可以)?|渴望)(?:能|可以)?"
    rf"(?P<action>.{{0,12}}?{_WISH_VERBS}[^，]{{1,20}})$",
    r"(?:想|希望|要|争取)(?:在|于)?(?P<action>"
    rf"(?:{TIME_WORD.pattern}|[\d一二三四五六七八九十]+岁(?:前|之前|以前|后)).{{2,20}})$",
)
def wish(match: re.Match[str], clause: Clause) -> Iterable[Draft] | None:
    """``想学吉他``; a wish of the moment (``想喝水``) is none."""
    action = _action(match["action"])
    if (
        re.search("[你它]", action)
        or clause.ended
        or clause.adverbials.past
        or re.match(r"(?:去厕所|去死|回家|去睡|学一下|买点)", action)
    ):
        return None
    return planned(action)


@PLANS.on(
    r"(?:也|还|就|都)?(?:要|得|会|将|将要|该|需要|必须|肯定|一定|可以|能)?"
    r"(?P<action>[^，]{1,30}?)$",
)
def appointment(match: re.Match[str], clause: Clause) -> Iterable[Draft] | None:
    """``下周三要去看牙医``, ``后天我有个面试``: a time to come and something to do then."""
    if (
        clause.ended
        or clause.adverbials.past
        or clause.adverbials.habitual
        or clause.adverbials.uncertain
    ):
        return None
    if not _is_ahead(clause) or "你" in clause.core:
        return None
    action = _action(match["action"])
    event = re.match(
        r"(?:有|是)?(?:一|个|场|节|次)*(?P<what>[^，]{0,10}?"
        r"(?:面试|考试|团建|聚餐|年会|放假|会议|会|聚会|婚礼|约会|手术|体检|答辩|比赛|演出|演唱会"
        r"|出差|课|典礼|复查|复诊|航班|飞机|高铁|截止|ddl|DDL|生日|开学|开会|值班|纪念日))$",
        action,
    )
    if event and not action.startswith("去"):
        return planned(event["what"])
    if re.search(r"没|得[很好不]|起来|不[好到完]|[了过](?!年|节|生日|来|去)", action):
        return None
    going = re.match(
        r"(?:也|还|就|都)?(?:要|得|会|将|必须|肯定|一定)|"
        r"(?:去|来|到|回|飞|出发|结婚|搬|入职|开学|毕业|动身|出差|参加|带|陪|和|跟|请|做|看|见|交"
        r"|考|面试|开|办|退休|上|当|生|订婚|离开|接|送|给)",
        clause.core,
    )
    if going is None or re.match(
        r"(?:会|要)(?:不|下雨|降温|下雪|冷|热|好|是|有)|看来|看样|上面|开心|做人|给你|跟你|和你"
        r"|好|去世",
        clause.core,
    ):
        return None
    return planned(action)


#: What one leaves the chat for.
_ERRAND = re.compile(
    r"(?:去)?(?:睡|吃饭|吃|洗|上班|忙|上课|上厕所|厕所|开会|做饭|接|买菜|回家|来|上车|做作业|工作)"
)


@PLANS.on(
    r"(?:要|将|即将|马上|快要?|就要)(?P<action>"
    r"(?:去|来|回|搬|结婚|生|当|毕业|退休|入职|考|出差|参加|开学|减肥|戒|上|做|换|辞职|离职|订婚"
    r"|出国|移民|读|办)[^，]{0,16}?)$"
)
def about_to(match: re.Match[str], clause: Clause) -> Iterable[Draft] | None:
    """``要去大理开民宿``, ``快毕业了``."""
    if _ERRAND.match(match["action"]) and not has_time_word(clause.predicate):
        return None
    if "你" in match["action"] or not (
        clause.stated or clause.subject.kind == "person" or has_time_word(clause.predicate)
    ):
        return None
    return planned(_action(match["action"]))


def _is_ahead(clause: Clause) -> bool:
    """Whether the clause's time words point to a time to come."""
    text = clause.adverbials.text
    if clause.adverbials.future:
        return True
    ahead = re.search(
        r"(?:周|星期|礼拜)[一二三四五六日天末]|周末|今晚|今天|今年|本周|这周|这个?"
        r"(?:月|周末|星期)|\d{1,2}[号日]|\d{1,2}月|国庆|春节|五一|元旦|中秋|端午|清明|圣诞"
        r"|过年|暑假|寒假|暑期|点",
        text,
    )
    back = re.search(r"上|昨|前|去年|刚|已经|才|最近|当年", text)
    inner = re.match(
        r"(?:在|于)?(?:大后|后|明)[天年]|下个?(?:周|星期|礼拜|月|年)|(?:周|星期)[一二三四五六日天]",
        clause.core,
    )
    if inner:
        return True
    will = re.match(
        r"(?:也|还|就|都)?(?:要|得|将|会|有(?:一|个|场)|必须|去|来|到|回|飞|带|陪|开会|面试|考试"
        r"|出差|结婚|搬|交)",
        clause.core,
    )
    return bool(ahead and not back and will)


def _action(text: str) -> str:
    action = without_times(text)
    action = re.sub(
        r"^(?:也|还|就|都|要|会|得|将|能|可以|在|于|再|的|有个|有一?[场个次]|自己)+(?=..)",
        "",
        action,
    )
    return re.sub(r"^(?:去|来|到)(?=..)", "", action).strip()


def planned(action: str) -> list[Draft] | None:
    """The draft of an intention; ``None`` where no action is left to name it by."""
    action = re.sub(r"的(?:机票|车票|高铁票|火车票|票)$", "", action)
    key = keyed(dim.PLAN, action)
    return [Draft(key, dim.YES, timed=True)] if key else None
