"""Rules for what somebody has: pets, durable things, and where or what they are."""

from __future__ import annotations

import re
from collections.abc import Iterable

from dualmem_graph.system1.rules import dimensions as dim
from dualmem_graph.system1.rules.chinese.lexicon import ANIMALS, PET_FORMS
from dualmem_graph.system1.rules.chinese.plans import planned
from dualmem_graph.system1.rules.chinese.reading import (
    Clause,
    Draft,
    RuleBook,
    keyed,
    number_of,
    thing_of,
)
from dualmem_graph.system1.rules.chinese.subjects import Subject
from dualmem_graph.system1.rules.chinese.times import (
    TIME_WORD,
)

THINGS = RuleBook()

_COUNT = r"(?:[一两二三四五六七八九十几好\d]+|个|只)?"

_MEASURE = r"(?:只|条|匹|头|个|对|窝|缸|群|位)?"


_LIVELY = (
    r"(?:可爱的?|胖胖的?|超可爱的?|很乖的?|小|大|老|两岁的?|流浪的?|纯种的?"
    r"|[\u4e00-\u9fff]{0,4}的|[黑白黄灰橘花棕]色?的?)??"
)


@THINGS.on(
    r"(?:还|也)?(?:养|收养|领养|有)(?:了|着)?一?(?:只|条|个|匹)?(?:名)?叫(?:做)?"
    rf"(?P<name>[\u4e00-\u9fffA-Za-z]{{1,8}})的(?P<pet>{ANIMALS})$",
    r"(?:还|也)?(?:养|收养|领养|捡|买|接|带|有)(?:了|着|过|回来?|到)*"
    rf"(?:了)?{_COUNT}{_MEASURE}{_LIVELY}(?P<pet>{ANIMALS})(?:回家|回来)?"
    r"(?:，?(?:名字)?叫(?:做)?(?P<name>[\u4e00-\u9fffA-Za-z]{1,8}))?$",
    r"(?:家里?|屋里)(?:还)?(?:有|养了?|养着|(?=[一两二三四五六七八九十几\d]+[只条]))"
    rf"{_COUNT}{_MEASURE}{_LIVELY}(?P<pet>{ANIMALS})"
    r"(?:，?(?:名字)?叫(?:做)?(?P<name>[\u4e00-\u9fffA-Za-z]{1,8}))?$",
)
def has_pet(match: re.Match[str], clause: Clause) -> Iterable[Draft] | None:
    """``养了一只橘猫``, ``有只猫叫年糕``."""
    kind, called = PET_FORMS.get(match["pet"], match["pet"]), match["name"]
    verb = clause.core.lstrip("还也")[:1]
    if verb in "买带接捡有" and not called and not re.search(r"只|条|匹|领养|收养|捡", clause.core):
        return None
    if clause.adverbials.past or "过" in clause.core[:3]:
        return [Draft(keyed(dim.PET, kind), dim.YES, negated=True)]
    owner = clause.subject
    if called:
        pet = Subject(owner.name, called, "pet", kind)
        return [Draft(keyed(dim.PET, called), kind, introduces=pet, timed=True)]
    pet = Subject(owner.name, f"{owner.display}的{kind}", "pet", kind)
    count = re.search(r"[两二三四五六七八九十]+|[2-9]|1\d", clause.core)
    value = number_of(count.group()) if count else None
    return [Draft(keyed(dim.PET, kind), value or dim.YES, introduces=pet, timed=True)]


@THINGS.on(
    rf"把(?:我的|我家的?|家里的?)?(?P<pet>{ANIMALS})(?:都|给)?(?:送|卖|弄丢|丢|放生|送走)"
    r"(?:给?.{0,6})?$",
    rf"(?:已经)?(?:不|没)(?:再)?养(?P<pet>{ANIMALS})$",
    rf"没有?养?(?P<pet>宠物|{ANIMALS})$",
)
def no_pet(match: re.Match[str], clause: Clause) -> Iterable[Draft] | None:
    """``把仓鼠送人了``."""
    kind = PET_FORMS.get(match["pet"], match["pet"])
    return [Draft(keyed(dim.PET, kind), dim.YES, negated=True, timed=True)]


_DURABLE = r"(?:辆|台|部|套|架|把|块|双|本|幅|间|栋|副|顶|艘|款|支|只|条|件|个|座|张|枚)"

_GADGET = (
    r"(?:手机|电脑|笔记本|笔记本电脑|平板|相机|单反|微单|镜头|耳机|音箱|键盘|鼠标|显示器|显卡"
    r"|主机|游戏机|电视|投影仪|冰箱|洗衣机|空调|扫地机器人|扫地机|咖啡机|烤箱|空气炸锅|洗碗机|车"
    r"|汽车|电动车|摩托车|摩托|自行车|公路车|山地车|房子|房|公寓|吉他|钢琴|电子琴|小提琴|琴"
    r"|尤克里里|架子鼓|手表|表|戒指|项链|包|包包|滑板|雪板|帐篷|瑜伽垫|跑步机|沙发|床|书桌|书架"
    r"|衣柜|无人机|kindle|Kindle|iPad|ipad|MacBook|Macbook|iPhone|iphone|Switch|switch|PS5|ps5"
    r"|特斯拉|奔驰|宝马|奥迪|比亚迪|丰田|本田|大众)"
)


@THINGS.on(
    r"把(?:我的|家里的?|那[辆台部套个把]|旧|老)?(?P<thing>[^，]{1,12}?)(?:给)?"
    r"(?:卖|卖掉|卖了|出掉|处理掉|弄丢|丢|送人|送|捐|摔坏|退|退货)(?:了|掉)*$",
    rf"(?:卖|卖掉|弄丢|丢)(?:了|掉)+(?:我的|那[辆台部套个把])?(?P<thing>{_GADGET})$",
)
def thing_gone(match: re.Match[str], clause: Clause) -> Iterable[Draft] | None:
    """``把车卖了``."""
    thing = thing_of(match["thing"])
    if thing in ("它", "他", "她", "这个", "那个", "这", "那"):
        return None
    if "把我" in clause.core and not clause.subject.is_user:
        return [Draft(None, timed=True)]
    return [Draft(keyed(dim.POSSESSION, thing), dim.YES, negated=True, timed=True)]


@THINGS.on(
    rf"(?:的)?(?P<slot>{_GADGET})从(?P<old>[^，]{{1,16}}?)换(?:成|到|为|了)(?:了)?"
    r"(?P<value>[^，]{1,16})$",
    rf"(?:把|的)?(?:旧|我的)?(?P<slot>{_GADGET})(?:换成|改成|换为)(?:了)?(?P<value>[^，]{{1,16}})$",
    r"(?:平时|现在)?开(?:的)?(?:(?:是|着)(?:一)?(?:辆)?|一?辆)(?P<value>[^，]{2,12})(?P<slot>)$",
)
def thing_changed(match: re.Match[str], clause: Clause) -> Iterable[Draft] | None:
    """``手机从iPhone换成了小米``."""
    return [Draft(keyed(dim.POSSESSION, match["slot"] or "车"), match["value"], timed=True)]


@THINGS.on(
    r"(?:终于|刚|又)?(?:买|入手|新买|添置|入|淘|提|贷款买|全款买|换|置办|拥有|收藏|收到|换|购入|订)"
    rf"(?:到|下|入)?(?:了)(?P<thing>(?:[一两二三四五六七八九十几\d]+)?(?:{_DURABLE})?"
    r"(?:新)?[^，]{1,18}?)$",
    r"(?:还|也)?有(?P<thing>[一两二三四五六七八九十几\d]*"
    r"(?:辆|台|部|套|架|把|块|间|栋|副|艘|座)[^，]{1,14}?)$",
    r"(?:现在|一直|平时)?用的(?:手机|电脑|相机)?是(?P<thing>[^，你]{2,18})$",
    r"(?:的)?(?:手机|电脑|座驾)是(?P<thing>[^，]{2,18})$",
)
def has_thing(match: re.Match[str], clause: Clause) -> Iterable[Draft] | None:
    """``买了一辆特斯拉``; food and errands are events at most."""
    said = match["thing"]
    thing = thing_of(re.sub(r"在.*$", "", said) or said)
    durable = re.match(
        r"[一两二三四五六七八九十几\d]*(?:辆|台|部|套|架|把|块|双|间|栋|副|艘|座|顶)", said
    )
    if (
        not durable
        and not re.search(rf"{_GADGET}$", thing)
        and "用的" not in clause.core
        and "是" not in clause.core[:4]
    ):
        return None
    if re.search(r"(?:票|饭|菜|水|咖啡|奶茶|蛋糕|药|礼物)$", thing) or thing.startswith("你"):
        return None
    key = keyed(dim.POSSESSION, thing)
    return [Draft(key, dim.YES, timed=True, negated=clause.adverbials.past)] if key else None


_OWN_SLOT = r"(?P<slot>[\u4e00-\u9fffA-Za-z]{1,10}?)"


@THINGS.on(
    rf"的{_OWN_SLOT}(?:现在|已经)?(?:就|还)?(?:是|为|：|叫)(?P<value>[^，]{{1,30}})$",
    rf"的?{_OWN_SLOT}(?:现在|已经|都|就|还)*(?:放|停|存|藏|锁|收|挂|埋|摆|寄存|落)?在"
    r"(?P<value>[^，]{1,20})$",
    rf"的{_OWN_SLOT}(?:换成|改成|变成|改为|换到)(?:了)?(?P<value>[^，]{{1,30}})$",
    rf"把{_OWN_SLOT}(?:放|停|存|藏|锁|收|挂|埋|摆|忘|落)(?:在|到|进)(?:了)?"
    r"(?P<value>[^，]{1,20})$",
)
def own_slot(match: re.Match[str], clause: Clause) -> Iterable[Draft] | None:
    """``我的车牌是沪A12345``, ``我的护照放在书房``: what is true of a thing one owns."""
    slot, value = match["slot"], match["value"]
    if not clause.core.startswith(("的", "把")) or not clause.stated:
        return None
    if (
        re.search(
            r"意思|问题|想法|看法|建议|意见|观点|理解|感觉|回答|答案|需求|要求|情况|原因|重点"
            r"|心情|朋友|生日|MBTI|mbti|性格|人格|兴趣|爱好|星座|梦想|理想|愿望|目标|代码|目的|天|时候|选择",
            slot,
        )
        or "你" in value
    ):
        return None
    if re.fullmatch(r"偶像|男神|女神|本命|爱豆|榜样", slot):
        return [Draft(keyed(dim.FAVOURITE, slot), value)]
    if TIME_WORD.match(value):
        return planned(slot)
    key = keyed(dim.POSSESSION, slot)
    return [Draft(key, value)] if key else None
