"""Rules for who somebody is: name, age, birthday, home, origin, partner and family."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from dualmem_graph.system1.rules import dimensions as dim
from dualmem_graph.system1.rules.chinese_lexicon import (
    FULL_NAME,
    JOB,
    KIN,
    KIN_FORMS,
    LATIN_NAME,
    NICKNAME,
    PLACES,
    VAGUE_PLACE,
    alternatives,
)
from dualmem_graph.system1.rules.chinese_reading import Clause, Draft, RuleBook, keyed, number_of
from dualmem_graph.system1.rules.chinese_subjects import Subject, relative

RULES = RuleBook()

_NAME = r"(?P<name>[\u4e00-\u9fff·]{1,6}|[A-Za-z][\w .'-]{0,24}|[\u4e00-\u9fff]{1,3} ?[A-Za-z]{1,12}|[\uA000-\uA0FF])"
_NOT_NAME = re.compile(
    r"^(?:什么|外卖|车|出租|滴滴|快递|我|你|他|她|它|人|醒|停|板|好|救护|苦|大家|一|不|了|这|那|做|起来|来|你们|家长|家人)"
)
_NUM = r"(?:\d{1,3}|[零〇一二两三四五六七八九十百]{1,4})"
_DATE = (
    r"(?:(?:农历|阴历|阳历|公历)?(?:(?:19|20)\d\d年)?(?:\d{1,2}|[一二三四五六七八九十]{1,2}|正|腊)月(?:初)?(?:\d{1,2}|[一二三四五六七八九十]{1,3})[日号]?"
    r"|(?:\d{1,2}[./-]\d{1,2}))"
)
_PLACE = r"(?P<place>[\u4e00-\u9fffA-Za-z0-9·\uA000-\uA0FF ]{1,16}?)"
_KNOWN_PLACE = re.compile(rf"^(?:{PLACES})")
_NOT_PLACE = re.compile(r"^(?:这|那|一起|的|很|不|得|了|过|着|我们|他|她|你|为|自己)|[吃喝玩买看说]|(?:长大|出生|出差|旅游|旅行|玩|上班|工作|开会|上学|读书|学习|等)")
_NOT_FROM = re.compile(
    r"^(?:好|坏|男|女|病|老|大|小|成年|未成年|年轻|中年|普通|正常|打工|一般|当地|本地|外地|什么|主持|负责|发言|介绍|艺|军|工|商|诗|恋|爱|名|机器|外星|"
    r"有钱|没钱|穷|富|聪明|笨|懒|善良|内向|外向|敏感|乐观|悲观|理性|感性|随和|独立|健身|媒体|广告|金融|互联网|IT|文艺|原始|.*的|.*(?:感性|理性|敏感|负责))$"
)
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
    r"友|闺蜜|兄弟$|哥们|发小|死党|同学|同桌|邻居|房东|同事|老板|领导|上司|经理|主管|组长|下属|徒弟|师傅|客户|老师|班主任|导师|教练|学生|实习生|"
    r"助理|合伙人|搭档|医生|对象|家人|朋友"
)
_SIGNS = "白羊座 牡羊座 金牛座 双子座 巨蟹座 狮子座 处女座 天秤座 天蝎座 射手座 人马座 摩羯座 魔羯座 水瓶座 双鱼座"
_ANIMAL_YEARS = "鼠牛虎兔龙蛇马羊猴鸡狗猪"


@RULES.on(rf"(?:的)?(?:名字|大名|本名|真名|全名|姓名)(?:就?叫做?|就?是|为|：)?{_NAME}$", rf"(?:名叫|就叫|叫做|叫){_NAME}$", rf"(?:[一两]|另一|还有一|大的|小的|老大|老二)(?:只|条|个)?叫(?:做)?{_NAME}$")
def name(match: re.Match[str], clause: Clause) -> Iterable[Draft] | None:
    """``我叫李娜``; of a relative or a pet it is the owner's family or pet that has a name."""
    called = match["name"].strip()
    if _NOT_NAME.match(called):
        return None
    subject = clause.subject if clause.stated or clause.topic is None else clause.topic
    if subject.kind == "pet":
        return [_pet_name(called, subject)]
    if subject.kind == "person" and subject.kin:
        draft = _family_name(called, clause, subject)
        return [draft] if draft else None
    return [Draft(dim.NAME, called, says=f"叫{called}")]


@RULES.on(r"姓(?P<name>[\u4e00-\u9fff]{1,2})$", rf"的?(?:英文名|网名|昵称|小名|外号|绰号|花名|笔名|微信名)(?:字)?(?:叫做?|是|为)?{_NAME}$")
def other_name(match: re.Match[str], clause: Clause) -> Iterable[Draft] | None:
    """A surname or by-name adds to a person's name and does not replace it."""
    return [Draft(None, match["name"], tags=("identity",))]


@RULES.on(
    rf"(?:的?年龄是?|都?满|快|也?才|刚满|虚岁|周岁)?(?P<age>{_NUM})(?:周岁|岁)(?:半|多|出头)?$",
    rf"(?:快|都|满|刚满|奔)?(?P<age>\d{{2}}|[二三四五六七八九]十[一二三四五六七八九]?)$",
)
def age(match: re.Match[str], clause: Clause) -> Iterable[Draft] | None:
    """``今年28岁``, ``我35了``; a bare number needs the 了 or a 今年."""
    value = number_of(match["age"])
    is_bare = "岁" not in clause.core
    if value is None or int(value) > 120 or (is_bare and not (clause.ended or "今年" in clause.predicate)):  # noqa: PLR2004
        return None
    if clause.adverbials.past or "时候" in clause.predicate:
        return None
    about = clause.topic if not clause.stated and clause.topic is not None else None
    says = f"快{value}岁了" if "快" in clause.core else f"{value}岁"
    return [Draft(dim.AGE, value, says=says, about=about)]


@RULES.on(
    rf"的?(?:农历|阴历|阳历)?生日(?:是|在|：)?(?P<day>{_DATE})(?:号|日)?(?:，?不是.*|，?而不是.*)?$",
    rf"(?:出?生于|是)?(?P<day>(?:(?:19|20)\d\d年?)?(?:{_DATE})?)(?:出生|的生日|生)(?:的)?$",
    r"(?:出生于|生于)(?P<day>(?:19|20)\d\d年?.{0,8})$",
)
def birthday(match: re.Match[str], clause: Clause) -> Iterable[Draft] | None:
    """``生日是3月5号``, ``1990年出生``."""
    day = re.sub(r"号$", "日", match["day"].strip())
    if not day:
        return None
    if re.search(r"\d月\d+$", day):
        day += "日"
    says = f"的生日是{day}" if "生日" in clause.core else f"{day}出生"
    return [Draft(dim.BIRTHDAY, day, says=says)]


@RULES.on(rf"(?:是|，)?(?P<sign>{alternatives(_SIGNS)})(?:的)?$", rf"(?:的)?星座是(?P<sign>{alternatives(_SIGNS)})$")
def sign(match: re.Match[str], clause: Clause) -> Iterable[Draft] | None:
    """``天蝎座``."""
    return [Draft(keyed(dim.TRAIT, "星座"), match["sign"], says=f"是{match['sign']}")]


@RULES.on(r"(?:是)?(?:一)?(?:个|名)?(?P<born>[5-9]0|0[05]|10)后(?:的)?$")
def decade(match: re.Match[str], clause: Clause) -> Iterable[Draft] | None:
    """``90后``."""
    return [Draft(keyed(dim.TRAIT, "年代"), f"{match['born']}后", says=f"是{match['born']}后")]


@RULES.on(r"(?:的)?(?P<what>身高|体重|血型|鞋码|尺码|腰围|视力|净身高)(?:是|有|为|：|大概|差不多|都)*(?P<value>[^，是有]{1,12})$")
def measure(match: re.Match[str], clause: Clause) -> Iterable[Draft] | None:
    """``身高178``, ``血型是O型``."""
    if not re.search(r"[\dA-Za-zOABｏ一二三四五六七八九]", match["value"]):
        return None
    return [Draft(keyed(dim.TRAIT, match["what"]), match["value"])]


@RULES.on(r"信(?:仰)?(?:奉)?(?P<faith>佛|佛教|基督教?|天主教?|伊斯兰教?|道教|东正教)$")
def faith(match: re.Match[str], clause: Clause) -> Iterable[Draft] | None:
    """``信佛``."""
    return [Draft(keyed(dim.TRAIT, "信仰"), match["faith"])]


@RULES.on(rf"属(?P<animal>[{_ANIMAL_YEARS}])(?:的)?$", rf"是属(?P<animal>[{_ANIMAL_YEARS}])的$")
def animal_year(match: re.Match[str], clause: Clause) -> Iterable[Draft] | None:
    """``属兔``."""
    return [Draft(keyed(dim.TRAIT, "生肖"), match["animal"], says=f"属{match['animal']}")]


@RULES.on(
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


@RULES.on(rf"从(?P<place>.{{1,12}}?)搬(?:走|出来|出去|家)$", rf"(?:不在?|没)(?:住|居住)(?:在)?{_PLACE}$", rf"不在(?P<place>{PLACES})(?:住|待|呆|生活)?$")
def left(match: re.Match[str], clause: Clause) -> Iterable[Draft] | None:
    """``不住在南京了``."""
    if VAGUE_PLACE.match(match["place"]):
        return None
    return [Draft(dim.HOME, match["place"], negated=True, timed=True)]


@RULES.on(
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


@RULES.on(
    rf"(?:是)?(?:居住|定居|长住|常住|暂住|寄住|借住|租住|租房|现居|蜗居|住|常驻|常年住)(?:在|于|到)?(?:了)?{_PLACE}(?:这边|那边|呢)?$",
    rf"(?:的)?(?:住处|住址|家庭住址|地址|现住址|现居地|居住地|所在地)(?:就|还)?(?:在|是|位于|：|:){_PLACE}$",
    rf"(?:坐标|base|现居|现住)(?:在|：|:)?{_PLACE}$",
    rf"(?:的)?(?:家|人)(?:就|还)?(?:在|住在|住){_PLACE}(?:这边|那边)?$",
    rf"(?:待|呆|生活|租房|买房|蜗居)在{_PLACE}$",
    rf"(?:的)?(?:租的房子?|住的地方|新家|公寓|租的地方)(?:就)?在{_PLACE}$",
    rf"在(?P<place>(?:{PLACES})(?:{PLACES})?(?:[\u4e00-\u9fff]{{1,4}}[市区县镇村路街城湾山港])?)(?:住|生活|定居|待|呆|租房(?:住)?|漂|北漂)?(?:了?[\d一二两三四五六七八九十几好多]+[多几]?年(?:多)?)?$",
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


@RULES.on(rf"(?:是)?(?:地道的?|土生土长的|一个|个|正宗的?|地地道道的)?(?P<place>(?:{PLACES})[\u4e00-\u9fff]{{0,3}}?|[\u4e00-\u9fff]{{2,4}})人$")
def native(match: re.Match[str], clause: Clause) -> Iterable[Draft] | None:
    """``我是东北人``; an unknown place needs 是 and must not be a kind of people."""
    place = match["place"]
    is_known = bool(_KNOWN_PLACE.match(place))
    if not is_known and ("是" not in clause.core[:1] or _NOT_FROM.match(place) or len(place) > 3):  # noqa: PLR2004
        return None
    if not is_known and not re.search(r"[省市县州城镇村海岛]$", place):
        return None
    return [Draft(dim.ORIGIN, place, says=f"是{place}人")]


@RULES.on(rf"(?:是|还是|一直)?(?P<status>{alternatives(' '.join(_STATUS))})(?:的|状态|狗|贵族)?$")
def status(match: re.Match[str], clause: Clause) -> Iterable[Draft] | None:
    """``还没结婚``, ``是单身``."""
    is_noun = match["status"] in ("单身", "未婚", "已婚", "离异")
    said = f"是{match['status']}" if is_noun else None
    if clause.adverbials.past:
        return [Draft(dim.RELATIONSHIP, _STATUS[match["status"]], negated=True)]
    return [Draft(dim.RELATIONSHIP, _STATUS[match["status"]], says=said)]


@RULES.on(
    rf"(?:(?:和|跟|与)(?P<with>.{{1,10}}?))?(?:已经|刚|又|终于)?(?P<change>分手|分的手|分|离婚|离的婚|结的婚|离|结婚|领结婚证|领证|订婚|脱单|谈恋爱|在一起|复合|复婚|分居)"
    r"(?:了|啦)?(?:[\d一二两三四五六七八九十几半]+(?:年|个月|天)(?:多)?)?(?:了)?$"
)
def partner_change(match: re.Match[str], clause: Clause) -> Iterable[Draft] | None:
    """``跟男朋友分手了``; without a 了 or a past time nothing has changed."""
    happened = clause.ended or "了" in match.group() or "的" in match["change"] or clause.adverbials.is_timed
    if not happened or clause.adverbials.future:
        return None
    if match["change"] in ("分", "离") and not match["with"]:
        return None
    return [Draft(dim.RELATIONSHIP, _CHANGES[match["change"]], timed=True)]


@RULES.on(rf"(?:交|找|谈|有)(?:了|到)?(?:一|新)?(?:个|位)?(?:新)?(?P<kin>男朋友|女朋友|男友|女友|对象)$")
def found_partner(match: re.Match[str], clause: Clause) -> Iterable[Draft] | None:
    """``交了个女朋友``."""
    return [Draft(dim.RELATIONSHIP, "恋爱中", timed=True, introduces=relative(clause.subject, match["kin"]))]


@RULES.on(
    rf"(?:家里?)?(?:还)?有(?P<count>[一两二三四五六七八九十几\d]+|好几)?(?:个|位|对|名)?(?:[大小双亲]|双胞胎)?(?P<kin>{KIN})(?:了|叫(?P<name>[\u4e00-\u9fffA-Za-z]{{1,8}}))?$"
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


@RULES.on(
    rf"(?:家里?)?有(?P<first>[一两二三四五六七八九\d]+)个(?P<kin>{KIN})(?:、|和|，|还有)?(?P<second>[一两二三四五六七八九\d]+)个(?P<other>{KIN})$"
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


@RULES.on(rf"(?:没有?)(?P<kin>孩子|小孩|兄弟姐妹|哥哥|弟弟|姐姐|妹妹|儿子|女儿)$")
def has_no_family(match: re.Match[str], clause: Clause) -> Iterable[Draft] | None:
    """``没有孩子``."""
    return [Draft(keyed(dim.FAMILY, match["kin"]), dim.YES, negated=True)]


@RULES.on(r"(?:是)?(?:家里?的?)?(?P<rank>独生子女|独生女|独生子|独苗|独女|独子)$", r"(?:是)?(?:在)?家里?(?:排行)?(?:的)?(?P<rank>老[大二三四五幺小])$", r"排行(?P<rank>老[大二三四五幺小]|第[一二三四五])$")
def siblings(match: re.Match[str], clause: Clause) -> Iterable[Draft] | None:
    """``是独生女``."""
    return [Draft(keyed(dim.FAMILY, "兄弟姐妹"), match["rank"])]


@RULES.on(r"(?:喜得|生|添|得|迎来)(?:下)?(?:了)?(?:一)?(?:个|对|位)?(?:大胖|小)?(?P<kin>儿子|女儿|闺女|双胞胎|宝宝|孩子|千金|龙凤胎|小孩|娃)$", r"当(?:了)?(?P<kin>妈妈|爸爸|妈|爸|爷爷|奶奶|外公|外婆|姥姥|姥爷|舅舅|姑姑|叔叔|阿姨)$")
def born(match: re.Match[str], clause: Clause) -> Iterable[Draft] | None:
    """``生了个女儿``."""
    kin = KIN_FORMS.get(match["kin"], match["kin"])
    if clause.core.startswith("当"):
        return [Draft(None, timed=True, tags=("family",))]
    return [Draft(keyed(dim.FAMILY, kin), dim.YES, timed=True, introduces=relative(clause.subject, kin))]


@RULES.on(r"(?:是)?(?P<sex>男生|女生|男的|女的|男孩子?|女孩子?|妹子|汉子|男性|女性)$")
def sex(match: re.Match[str], clause: Clause) -> Iterable[Draft] | None:
    """``我是女生``."""
    if not clause.stated:
        return None
    value = "女" if re.search("女|妹", match["sex"]) else "男"
    return [Draft(keyed(dim.TRAIT, "性别"), value, says=f"是{value}性")]


@RULES.on(rf"是(?P<name>{FULL_NAME}|{NICKNAME}|{LATIN_NAME})$")
def introduced(match: re.Match[str], clause: Clause) -> Iterable[Draft] | None:
    """``大家好我是王磊``: a name stands where a job could stand."""
    called = match["name"]
    if not (clause.subject.is_user and clause.stated) or JOB.match(called) or _KNOWN_PLACE.match(called):
        return None
    if re.search(r"人$|控$|党$|迷$|族$|型$|粉$|手$|生$", called):
        return None
    return [Draft(dim.NAME, called, says=f"叫{called}")]


def _family_name(called: str, clause: Clause, subject: Subject) -> Draft | None:
    """``我女儿叫糖糖``: the owner's family has a member of this name."""
    if _NOT_FAMILY.search(subject.kin):
        named = relative(clause.owner, subject.kin, called)
        return Draft(None, says=f"叫{called}", introduces=named, about=replace(subject, name=called), tags=("people",))
    if subject.display != relative(clause.owner, subject.kin).display:
        return None
    return Draft(
        keyed(dim.FAMILY, subject.kin),
        called,
        says=f"叫{called}",
        about=replace(subject, name=clause.owner.name),
        introduces=relative(clause.owner, subject.kin, called),
    )


def _pet_name(called: str, subject: Subject) -> Draft:
    pet = Subject(subject.name, called, "pet", subject.kin)
    return Draft(
        keyed(dim.PET, called), subject.kin, says=f"叫{called}", about=subject, introduces=pet
    )
