"""Rules for somebody's partner and family, and for the names of relatives and pets."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from dualmem_graph.system1.rules import dimensions as dim
from dualmem_graph.system1.rules.chinese.lexicon import (
    KIN,
    KIN_FORMS,
    PET_FORMS,
    alternatives,
)
from dualmem_graph.system1.rules.chinese.reading import (
    Clause,
    Draft,
    RuleBook,
    keyed,
    number_of,
)
from dualmem_graph.system1.rules.chinese.subjects import Subject, relative

FAMILY = RuleBook()

_STATUS = {
    "单身": "单身",
    "母胎单身": "单身",
    "母胎solo": "单身",
    "单身狗": "单身",
    "未婚": "未婚",
    "已婚": "已婚",
    "离异": "离异",
    "丧偶": "丧偶",
    "没结婚": "未婚",
    "没有结婚": "未婚",
    "没对象": "单身",
    "没有对象": "单身",
    "没男朋友": "单身",
    "没女朋友": "单身",
    "没有男朋友": "单身",
    "没有女朋友": "单身",
    "没谈恋爱": "单身",
    "有对象": "恋爱中",
    "有男朋友": "恋爱中",
    "有女朋友": "恋爱中",
    "有男朋友了": "恋爱中",
    "有家室": "已婚",
    "恋爱中": "恋爱中",
}

_CHANGES = {
    "分手": "单身",
    "分": "单身",
    "离婚": "离异",
    "离的婚": "离异",
    "结的婚": "已婚",
    "分的手": "单身",
    "离": "离异",
    "结婚": "已婚",
    "领证": "已婚",
    "领结婚证": "已婚",
    "订婚": "订婚",
    "脱单": "恋爱中",
    "恋爱": "恋爱中",
    "谈恋爱": "恋爱中",
    "在一起": "恋爱中",
    "复合": "恋爱中",
    "复婚": "已婚",
    "分居": "分居",
}

_NOT_FAMILY = re.compile(
    r"友|闺蜜|兄弟$|哥们|发小|死党|同学|同桌|邻居|房东|同事|老板|领导|上司|经理|主管|组长|下属"
    r"|徒弟|师傅|客户|老师|班主任|导师|教练|学生|实习生|助理|合伙人|搭档|医生|对象|家人|朋友"
)


@FAMILY.on(rf"(?:是|还是|一直)?(?P<status>{alternatives(' '.join(_STATUS))})(?:的|状态|狗|贵族)?$")
def status(match: re.Match[str], clause: Clause) -> Iterable[Draft] | None:
    """``还没结婚``, ``是单身``."""
    is_noun = match["status"] in ("单身", "未婚", "已婚", "离异")
    said = f"是{match['status']}" if is_noun else None
    if clause.adverbials.past:
        return [Draft(dim.RELATIONSHIP, _STATUS[match["status"]], negated=True)]
    return [Draft(dim.RELATIONSHIP, _STATUS[match["status"]], says=said)]


@FAMILY.on(
    r"(?:(?:和|跟|与)(?P<with>.{1,10}?))?(?:已经|刚|又|终于)?"
    r"(?P<change>分手|分的手|分|离婚|离的婚|结的婚|离|结婚|领结婚证|领证|订婚|脱单|谈恋爱|在一起"
    r"|复合|复婚|分居)(?:了|啦)?(?:[\d一二两三四五六七八九十几半]+(?:年|个月|天)(?:多)?)?(?:了)?$"
)
def partner_change(match: re.Match[str], clause: Clause) -> Iterable[Draft] | None:
    """``跟男朋友分手了``; without a 了 or a past time nothing has changed."""
    happened = (
        clause.ended
        or "了" in match.group()
        or "的" in match["change"]
        or clause.adverbials.is_timed
    )
    if not happened or clause.adverbials.future:
        return None
    if match["change"] in ("分", "离") and not match["with"]:
        return None
    return [Draft(dim.RELATIONSHIP, _CHANGES[match["change"]], timed=True)]


@FAMILY.on(
    r"(?:交|找|谈|有)(?:了|到)?(?:一|新)?(?:个|位)?(?:新)?(?P<kin>男朋友|女朋友|男友|女友|对象)$"
)
def found_partner(match: re.Match[str], clause: Clause) -> Iterable[Draft] | None:
    """``交了个女朋友``."""
    return [
        Draft(
            dim.RELATIONSHIP,
            "恋爱中",
            timed=True,
            introduces=relative(clause.subject, match["kin"]),
        )
    ]


@FAMILY.on(
    r"(?:家里?)?(?:还)?有(?P<count>[一两二三四五六七八九十几\d]+|好几)?(?:个|位|对|名)?"
    rf"(?:[大小双亲]|双胞胎)?(?P<kin>{KIN})(?:了|叫(?P<name>[\u4e00-\u9fffA-Za-z]{{1,8}}))?$"
)
def has_family(match: re.Match[str], clause: Clause) -> Iterable[Draft] | None:
    """``有两个孩子``, ``有个弟弟叫小宝``."""
    if _NOT_FAMILY.search(match["kin"]):
        return None
    kin = KIN_FORMS.get(match["kin"], match["kin"])
    count = number_of(match["count"] or "")
    value = match["name"] or (count if count not in (None, "1") else dim.YES)
    person = relative(clause.subject, kin, match["name"] or "")
    return [Draft(keyed(dim.FAMILY, kin), value, introduces=person)]


@FAMILY.on(
    rf"(?:家里?)?有(?P<first>[一两二三四五六七八九\d]+)个(?P<kin>{KIN})(?:、|和|，|还有)?"
    rf"(?P<second>[一两二三四五六七八九\d]+)个(?P<other>{KIN})$"
)
def has_two_kinds(match: re.Match[str], clause: Clause) -> Iterable[Draft] | None:
    """``有两个哥哥一个妹妹``."""
    pairs = ((match["first"], match["kin"]), (match["second"], match["other"]))
    if any(_NOT_FAMILY.search(kin) for _, kin in pairs):
        return None
    return [
        Draft(keyed(dim.FAMILY, kin), number_of(count) or dim.YES, says=f"有{count}个{kin}")
        for count, kin in pairs
    ]


@FAMILY.on(r"(?:没有?)(?P<kin>孩子|小孩|兄弟姐妹|哥哥|弟弟|姐姐|妹妹|儿子|女儿)$")
def has_no_family(match: re.Match[str], clause: Clause) -> Iterable[Draft] | None:
    """``没有孩子``."""
    return [Draft(keyed(dim.FAMILY, match["kin"]), dim.YES, negated=True)]


@FAMILY.on(
    r"(?:是)?(?:家里?的?)?(?P<rank>独生子女|独生女|独生子|独苗|独女|独子)$",
    r"(?:是)?(?:在)?家里?(?:排行)?(?:的)?(?P<rank>老[大二三四五幺小])$",
    r"排行(?P<rank>老[大二三四五幺小]|第[一二三四五])$",
)
def siblings(match: re.Match[str], clause: Clause) -> Iterable[Draft] | None:
    """``是独生女``."""
    return [Draft(keyed(dim.FAMILY, "兄弟姐妹"), match["rank"])]


@FAMILY.on(
    r"(?:喜得|生|添|得|迎来)(?:下)?(?:了)?(?:一)?(?:个|对|位)?(?:大胖|小)?"
    r"(?P<kin>儿子|女儿|闺女|双胞胎|二胎|三胎|大胖小子|小子|宝宝|孩子|千金|龙凤胎|小孩|娃)$",
    r"当(?:了)?(?P<kin>妈妈|爸爸|妈|爸|爷爷|奶奶|外公|外婆|姥姥|姥爷|舅舅|姑姑|叔叔|阿姨)$",
)
def born(match: re.Match[str], clause: Clause) -> Iterable[Draft] | None:
    """``生了个女儿``."""
    kin = KIN_FORMS.get(match["kin"], match["kin"])
    if kin in ("二胎", "三胎", "小子", "大胖小子", "宝宝", "小孩"):
        kin = "孩子"
    if clause.core.startswith("当"):
        return [Draft(None, timed=True, tags=("family",))]
    return [
        Draft(keyed(dim.FAMILY, kin), dim.YES, timed=True, introduces=relative(clause.subject, kin))
    ]


def family_name(called: str, clause: Clause, subject: Subject) -> Draft | None:
    """``我女儿叫糖糖``: the owner's family has a member of this name."""
    if _NOT_FAMILY.search(subject.kin):
        named = relative(clause.owner, subject.kin, called)
        return Draft(
            None,
            says=f"叫{called}",
            introduces=named,
            about=replace(subject, name=called),
            tags=("people",),
        )
    if subject.display != relative(clause.owner, subject.kin).display:
        return None
    return Draft(
        keyed(dim.FAMILY, subject.kin),
        called,
        says=f"叫{called}",
        about=replace(subject, name=clause.owner.name),
        introduces=relative(clause.owner, subject.kin, called),
    )


def pet_name(called: str, subject: Subject, owner: Subject) -> Draft:
    """``我家猫叫年糕``: the owner has a pet of this name, of the kind that the subject is."""
    pet = Subject(subject.name, called, "pet", subject.kin)
    kind = Subject(subject.name, f"{owner.display}的{subject.kin}", "pet", subject.kin)
    return Draft(
        keyed(dim.PET, called),
        PET_FORMS.get(subject.kin, subject.kin),
        says=f"叫{called}",
        about=kind,
        introduces=pet,
    )
