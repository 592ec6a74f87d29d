"""Rules for work and study: occupation, employer, school, subject of study."""

from __future__ import annotations

import re
from collections.abc import Iterable

from dualmem_graph.system1.rules import dimensions as dim
from dualmem_graph.system1.rules.chinese.lexicon import (
    COMPANIES,
    FIELDS,
    JOB,
    NOT_JOB,
    PLACES,
    SCHOOL,
)
from dualmem_graph.system1.rules.chinese.reading import Clause, Draft, RuleBook

WORK = RuleBook()

_ORG = r"(?P<org>[^，的吃喝看玩]{1,20}?(?:的[^，]{1,10}?)?)"
_ROLE = r"(?P<role>[^，了]{1,16}?)"
_YEARS = r"(?:(?:了)?(?:快|已经|有)?[\d一二两三四五六七八九十几半好多]+(?:多|来)?年(?:多|半)?)?"
_JUST_PLACE = re.compile(rf"^(?:{PLACES})(?:市|省)?(?:这边|那边|市区)?$")
_NOT_ORG = re.compile(
    r"^(?:家|家里|国内|户外|老家|身边|状态|市区|这|那|这里|那里|哪|外面|外地|国外|楼上|网上|线上"
    r"|外|户外|一起|异地|路上|晚上|早上|周末|白天|夜里|单位|公司|学校|一线|基层|努力|认真|拼命"
    r"|好好)$|^(?:找|他|她|你|我|同|朋友|老公|老婆|父母|妈|爸)"
)
_CLASSIFIER = r"(?:一?(?:名|个|位|枚|只|家)|一)?"
_STUDIES = (
    r"(?:大[一二三四五](?:下|上)?|高[一二三]|初[一二三]|研[一二三]|博[一二三]|[一二三四五六]年级"
    r"|研究生|本科|硕士|博士|研|博|MBA|mba|书|大专|专科|高中|初中|小学|大学|幼儿园|PhD|phd|Ph\.D"
    r"|Master|master|高三复读|在职研究生|语言学校|预科)"
)
_STAGE = {
    "研": "研究生在读",
    "研究生": "研究生在读",
    "硕士": "硕士在读",
    "博": "博士在读",
    "博士": "博士在读",
}
_TRADE = re.compile(
    rf"^(?:{FIELDS})(?:类|方面|行业|相关|工作|开发|设计|运营|测试|产品)?(?:的|的工作|工作)?$",
    re.IGNORECASE,
)
_OWN_BUSINESS = re.compile(
    r"(?:[\u4e00-\u9fff]{0,6}(?:店|馆|吧|公司|工作室|民宿|餐厅|饭馆|诊所|农场|客栈|超市|酒吧"
    r"|书吧|咖啡厅|面包房|花房|网店|淘宝店|铺|铺子|小摊|作坊|律所|事务所|培训班|养殖场|厂))"
)


@WORK.on(
    r"(?:从|离开)(?P<old>.{1,14}?)(?:跳槽|离职|辞职|辞掉工作|转|调|换|跳)(?:，)?"
    rf"(?:到|去|来|进|加入)(?:了)?{_ORG}(?:工作|上班|任职)?$",
    rf"(?:跳槽|跳|转岗|调动|调|换(?:了)?工作)(?:到|去|来|进)(?:了)?{_ORG}(?:工作|上班)?$",
    rf"(?:入职(?:的)?|加入|加盟|就职于|任职于|供职于|受雇于|进入)(?:了)?{_ORG}"
    rf"(?:工作|上班)?{_YEARS}$",
    rf"(?:拿到|收到)(?:了)?{_ORG}的?(?:offer|Offer|录用通知)$",
)
def changed_employer(match: re.Match[str], clause: Clause) -> Iterable[Draft] | None:
    """``从阿里跳槽到了美团``."""
    org = match["org"]
    if _JUST_PLACE.match(org) or re.search(r"微信群|群聊?$|俱乐部|社团|党|协会|战队|会员", org):
        return None
    if "offer" in clause.core.casefold() or "录用" in clause.core:
        return [Draft(None, org, timed=True, tags=("work",))]
    return [Draft(dim.EMPLOYER, org, timed=True, negated=clause.adverbials.past)]


@WORK.on(
    rf"(?:是)?在{_ORG}(?:上班|工作|任职|就职|供职|打工|搬砖|实习|干活|干|混){_YEARS}(?:，)?"
    rf"(?:(?:做|当|担任|任){_ROLE}(?:的)?)?(?:的)?$",
    rf"(?:是)?在{_ORG}(?:里|那边|这边)?(?:做|当|担任|任|干){_ROLE}(?:的工作|工作|的)?{_YEARS}$",
    rf"(?:去|到|来|回)(?:了)?{_ORG}(?:上班|工作|任职|实习)(?:了)?{_YEARS}$",
    rf"给{_ORG}打工$",
    rf"在(?P<org>{COMPANIES})$",
    rf"在{_ORG}(?:负责|主管|分管|带)[^，]{{2,16}}$",
)
def works_at(match: re.Match[str], clause: Clause) -> Iterable[Draft] | None:
    """``在一家游戏公司做设计``: the employer, and the occupation where it is named."""
    org = re.sub(r"(?:这边|那边|里面|里)$", "", match["org"])
    role = match.groupdict().get("role")
    is_job = role is not None and _is_role(role)
    if role is not None and not is_job:
        return None
    if (
        org.startswith("从事")
        or not clause.core
        or (_NOT_ORG.search(org) and org not in ("家", "家里"))
    ):
        return None
    former = clause.adverbials.past
    drafts = []
    if _JUST_PLACE.match(org) or org in ("家", "家里", "外地", "国外"):
        if not is_job:
            return [Draft(None, org, timed=True, tags=("work",))]
    else:
        # Two statements of one turn must not be told in the same words.
        says = None if role is None else f"{clause.adverbials.text}在{org}工作"
        drafts.append(Draft(dim.EMPLOYER, org, negated=former, says=says))
    if role is not None:
        drafts.append(Draft(dim.OCCUPATION, _role(role), negated=former))
    return drafts


@WORK.on(
    rf"(?:已经|早就|早)?不在{_ORG}(?:上班|工作|干|做|待|任职|实习)?(?:了)?$",
    rf"(?:从|离开){_ORG}(?:离职|辞职|辞|走|离开|被裁)(?:了)?$",
    r"离开(?:了)?(?P<org>.{1,10}(?:公司|厂|银行|集团|医院|学校|大学|研究院))$",
    rf"被{_ORG}(?:裁员|裁掉|裁|开除|辞退|优化)(?:了)?$",
)
def left_employer(match: re.Match[str], clause: Clause) -> Iterable[Draft] | None:
    """``已经不在腾讯了``."""
    org = match["org"]
    if _JUST_PLACE.match(org) or _NOT_ORG.match(org) or re.match(r"乎|意|一起|线|家", org):
        return None
    return [Draft(dim.EMPLOYER, org, negated=True, timed=True)]


@WORK.on(
    r"(?:已经)?(?:裸辞|离职|辞职|辞掉(?:了)?(?:工作|那份工作)|辞(?:了)?(?:工作|职)|从公司离职"
    r"|把工作辞|提离职)(?:了)?(?:在家)?$",
)
def resigned(match: re.Match[str], clause: Clause) -> Iterable[Draft] | None:
    """``我离职了``: whichever employer it was."""
    if (
        not (clause.ended or "了" in clause.core or clause.adverbials.is_timed)
        or clause.adverbials.future
    ):
        return None
    return [Draft(dim.EMPLOYER, negated=True, timed=True)]


@WORK.on(
    r"(?:被)?(?P<state>失业|下岗|退休|待业|裁员|被裁|裁|优化|创业|自由职业|全职带娃|在家带娃"
    rf"|自己创业|全职妈妈|找工作)(?:在家)?(?:中)?{_YEARS}(?:了)?"
    r"(?:[\d一二两三四五六七八九十半]+个?月)?(?:在家)?$",
    r"(?:是)?在(?P<state>创业|待业|找工作|找实习|家带娃|家带孩子)(?:中)?$",
    r"(?:是)?(?:一个)?(?P<state>失业|待业|退休|离休)(?:人员|状态|在家|的)?$",
)
def no_employer(match: re.Match[str], clause: Clause) -> Iterable[Draft] | None:
    """``我失业半年了``, ``退休了``."""
    state = match["state"]
    if clause.adverbials.future:
        return None
    if state in ("裁员", "裁", "被裁", "优化"):
        if "被" not in clause.core:
            return None
        state = "失业"
    return [Draft(dim.OCCUPATION, state, timed=True)]


@WORK.on(
    rf"(?:已经)?不(?:再)?(?:做|当|干|从事){_ROLE}(?:的工作|这行|这一行|工作)?$",
    rf"(?:已经)?不是{_CLASSIFIER}{_ROLE}$",
)
def not_occupation(match: re.Match[str], clause: Clause) -> Iterable[Draft] | None:
    """``不做设计了``, ``我不是医生``."""
    role = match["role"]
    if not _is_role(role):
        return None
    return [Draft(dim.OCCUPATION, _role(role), negated=True)]


@WORK.on(
    rf"(?:是)?{_CLASSIFIER}(?:做|干|搞|从事|负责)(?P<role>[^，]{{1,14}}?)"
    rf"(?:行业|工作|方面|方向|相关|这一?行|相关工作)?的(?:工作)?{_YEARS}$",
    rf"(?:一直)?(?:从事|做|干)(?P<role>[^，的]{{1,14}}?)(?:的)?(?:行业|工作|这一?行){_YEARS}$",
    rf"(?:做|当|干|担任|搞)(?:了)?(?P<role>[^，了的]{{1,14}}?){_YEARS}$",
    r"转(?:行|岗|型)?(?:去|到|成|做|当)+(?:了)?(?P<role>[^，了]{1,14}?)(?:的)?$",
    r"改(?:行|做|当)+(?P<role>[^，了]{1,14}?)$",
    r"(?:在)?自己(?:开|做|经营)(?:了)?(?:一)?(?:家|个|间)?(?P<role>[^，了]{1,12}?)$",
    r"(?:开|经营)(?:了|着)?(?:一)?(?:家|间|个)(?P<role>[^，了]{1,12}?)$",
)
def does(match: re.Match[str], clause: Clause) -> Iterable[Draft] | None:
    """``我是做外贸的``, ``以前当过老师``, ``自己开咖啡店``."""
    role = match["role"].removeprefix("过").removeprefix("了")
    role = re.sub(r"^(?:[\d一二两三四五六七八九十几半]+多?年的?)?(?:一)?(?:名|个|位)?", "", role)
    own = clause.core.startswith(("自己", "在自己", "开", "经营"))
    if own:
        if not _OWN_BUSINESS.fullmatch(re.sub(r"^.*的", "", role)):
            return None
        verb = "开" if "开" in clause.core[:4] else "经营"
        return [Draft(dim.OCCUPATION, f"{verb}{role}", negated=clause.adverbials.past)]
    frame = re.match(r"(?:是.*|从事|做.*的$|干.*的$|搞.*的$|.*行业|.*这一?行)", clause.core)
    if not _is_role(role) and not (
        frame and re.fullmatch(r"[\w\uA000-\uA0FF]{1,8}", role) and not _not_trade(role)
    ):
        return None
    past = clause.adverbials.past or "过" in match.group()[:4]
    return [Draft(dim.OCCUPATION, _role(role), negated=past, timed="转" in clause.core[:1])]


@WORK.on(
    r"(?P<role>(?:开|跑)(?:网约车|出租车?|滴滴|大?货车|卡车|大车|公交车?|货运|顺风车|专车)|"
    r"(?:送|跑)(?:外卖|快递)|摆(?:地)?摊|种地|带货|做直播)(?:为生|谋生)?$"
)
def trade(match: re.Match[str], clause: Clause) -> Iterable[Draft] | None:
    """``开网约车``: a trade told by what one does."""
    return [Draft(dim.OCCUPATION, match["role"], negated=clause.adverbials.past)]


@WORK.on(
    r"(?:的)?(?:职业|工作|本职工作?|本职|职位|岗位|职务|主业)(?:就)?(?:是|为|：)(?:做)?(?:一)?"
    rf"(?:名|个|位)?{_ROLE}(?:的)?$",
    rf"(?:升职|升|晋升|提拔|升任|被提拔)(?:为|成|做|当|到)(?:了)?{_ROLE}$",
)
def occupation_is(match: re.Match[str], clause: Clause) -> Iterable[Draft] | None:
    """``我的职业是律师``."""
    role = match["role"]
    if re.search(r"^(?:很|不|非常|比较|在|最|超)|忙$|累$", role):
        return None
    return [
        Draft(dim.OCCUPATION, _role(role), timed=clause.core.startswith(("升", "晋", "提", "被")))
    ]


@WORK.on(
    r"(?:的)?(?:公司|单位|雇主|东家|工作单位)(?:就)?(?:是|叫)(?P<org>[^，不很]{1,20})$",
    r"是(?P<org>[^，的是在]{2,14}?)的(?:一)?(?:名|个)?(?P<role>[^，的]{2,12})$",
    rf"(?:成为|当上|当选|做|是)(?:了)?{_CLASSIFIER}(?P<role>[^，了]{{1,16}})$",
    r"(?P<role>[A-Za-z\u4e00-\u9fff]{2,8})一(?:名|枚|个|位|只)$",
)
def is_job(match: re.Match[str], clause: Clause) -> Iterable[Draft] | None:
    """``我是一名护士``, ``码农一枚``."""
    groups = match.groupdict()
    org, role = groups.get("org"), groups.get("role")
    if role is None:
        return [Draft(dim.EMPLOYER, str(org))]
    if not JOB.match(role) or NOT_JOB.search(role):
        return None
    former = clause.adverbials.past
    drafts = [Draft(dim.OCCUPATION, role, negated=former)]
    if org and re.search(
        r"[A-Za-z]|公司|医院|银行|大学|学院|厂|局|中学|小学|集团|字节|腾讯|阿里|美团|华为|百度"
        r"|京东|网易|小米",
        org,
    ):
        place = dim.SCHOOL if re.search(r"学生|研究生|博士|大[一二三四]", role) else dim.EMPLOYER
        drafts.append(Draft(place, org, negated=former, says=_at(place, org, clause)))
    return drafts


@WORK.on(
    rf"(?:是)?在(?P<school>{SCHOOL}(?:的?[\u4e00-\u9fff]{{2,8}}(?:系|学院))?)(?:里)?"
    r"(?:读|上|念|学|攻读|就读|学习)(?P<study>[^，]{0,12}?)(?:的)?$",
    r"(?:就读于|就读|在读于|考上|考进|考取|录取到|被录取到|转学到|转到|保送|保研到?|申请到|申上"
    rf"|上的?是?|读的?是?|念的?是?)(?:了)?(?P<school>{SCHOOL})(?P<study>的?[\u4e00-\u9fff]{{0,8}})"
    r"$",
    rf"被(?P<school>{SCHOOL})(?P<study>[\u4e00-\u9fff]{{0,8}}?)录取$",
    rf"(?:是)?(?:本科|硕士|博士|大学|高中|研究生)?(?:是)?(?:毕业于|毕业自|从)(?P<school>{SCHOOL})"
    r"(?:的)?(?P<study>[\u4e00-\u9fffA-Za-z]{0,10}?)(?:专业)?(?:毕业)?(?:的)?$",
    rf"(?:是)?(?P<school>{SCHOOL})(?P<study>[\u4e00-\u9fffA-Za-z]{{0,10}}?)(?:专业)?"
    r"(?:毕业|在读|校友)(?:的)?$",
    rf"(?:的)?(?:学校|母校|大学|高中|本科|硕士)(?:就)?(?:是|在)(?P<school>{SCHOOL})(?P<study>)"
    r"(?:读的|念的|上的)?$",
)
def school(match: re.Match[str], clause: Clause) -> Iterable[Draft] | None:
    """``在复旦大学读研``, ``毕业于武汉大学``."""
    drafts = [Draft(dim.SCHOOL, match["school"].removeprefix("了"), timed=True)]
    study = re.sub(r"^(?:了|的)|(?:专业|的)$", "", match["study"])
    if (
        study
        and re.fullmatch(rf"{_STUDIES}", study) is None
        and not re.search(r"研究生|博士|硕士|本科|工作|书|年", study)
    ):
        drafts.append(Draft(dim.MAJOR, study, says=f"的专业是{study}"))
    return drafts


@WORK.on(
    rf"(?:是)?(?:在)?(?:读|上|念)(?P<stage>{_STUDIES})(?:中)?$",
    rf"(?:是)?(?:在)?(?P<abroad>{PLACES})?(?:读书|留学|上学|念书)$",
    rf"在(?P<abroad>[\u4e00-\u9fffA-Za-z ]{{2,16}}?)(?:读|上|念)(?P<stage>{_STUDIES})$",
)
def studies(match: re.Match[str], clause: Clause) -> Iterable[Draft] | None:
    """``在读博``, ``上小学``."""
    stage = match.groupdict().get("stage")
    if stage in (None, "书"):
        return [Draft(None, tags=("education",))] if clause.stated or clause.core else None
    if re.search(r"小学|初中|高中|大学|幼儿园|年级", stage) and not clause.subject.is_user:
        return [Draft(dim.SCHOOL, stage)]
    return [Draft(dim.OCCUPATION, _STAGE.get(stage, f"{stage}在读"))]


@WORK.on(
    r"(?:的)?(?:专业|主修|研究方向|方向|科系)(?:就)?(?:是|为|：|学的是?)?"
    r"(?P<major>[\u4e00-\u9fffA-Za-z]{2,14}?)(?:专业|方向)?(?:的)?$",
    r"(?:大学|本科|硕士|研究生|博士)?(?:是)?(?:读|学|念)(?:的)?(?:专业)?(?:是)?"
    r"(?P<major>[\u4e00-\u9fffA-Za-z]{2,12}?)(?:专业)?的$",
    r"(?:大学|本科|硕士|研究生|博士)?(?:读|学|念)的(?:专业)?(?:是)?"
    r"(?P<major>[\u4e00-\u9fffA-Za-z]{2,12}?)(?:专业)?$",
    r"(?:主修|攻读|转专业到|转到|转专业去)(?:了)?(?P<major>[\u4e00-\u9fffA-Za-z]{2,12}?)(?:专业)?$",
    r"(?:读|学|是)(?P<major>[\u4e00-\u9fffA-Za-z]{2,10}?)专业(?:的)?$",
)
def major(match: re.Match[str], clause: Clause) -> Iterable[Draft] | None:
    """``专业是计算机``, ``学建筑的``."""
    if re.search(r"很|好|不|什么|贵|了|慢|快", match["major"]):
        return None
    return [Draft(dim.MAJOR, match["major"])]


def _at(dimension: str, place: str, clause: Clause) -> str:
    """The words for where somebody works or studies, said beside what they are there."""
    return f"{clause.adverbials.text}在{place}" + ("读书" if dimension == dim.SCHOOL else "工作")


def _role(role: str) -> str:
    return re.sub(r"^(?:一)?(?:名|个|位)", "", role).removesuffix("工作").removesuffix("的") or role


def _is_role(role: str) -> bool:
    role = _role(role)
    return bool((JOB.match(role) and not NOT_JOB.search(role)) or _TRADE.match(role))


def _not_trade(role: str) -> bool:
    """Whether ``做…的`` is about cooking, dreaming and the like instead of a trade."""
    return bool(
        re.match(
            r"(?:饭|菜|梦|作业|运动|家务|手术|核酸|决定|事|好|对|错|得|不|到|了|这|那|什么|个|一"
            r"|完|出|过|自己|我|他|她|最|早餐|晚饭|午饭|饼|蛋糕|面|汤|朋友|人|爱)",
            role,
        )
    )
