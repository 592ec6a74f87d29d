"""Rules for what somebody has and what happens to them: pets, things, health, plans, events."""

from __future__ import annotations

import re
from collections.abc import Iterable

from dualmem_graph.system1.rules import dimensions as dim
from dualmem_graph.system1.rules.chinese_lexicon import AILMENTS, ANIMALS
from dualmem_graph.system1.rules.chinese_reading import (
    Clause,
    Draft,
    RuleBook,
    items_of,
    keyed,
    number_of,
    thing_of,
)
from dualmem_graph.system1.rules.chinese_subjects import Subject
from dualmem_graph.system1.rules.chinese_times import TIME_WORD, has_time_word, is_recent, without_times

#: Plans come before everything else: what is planned is not so yet.
PLANS = RuleBook()
#: Pets, health and possessions.
THINGS = RuleBook()
#: What happened or is going on; tried last.
EVENTS = RuleBook()

_COUNT = r"(?:[一两二三四五六七八九十几好\d]+|个|只)?"
_MEASURE = r"(?:只|条|匹|头|个|对|窝|缸|群|位)?"
_PET_FORMS = {"小猫": "猫", "猫咪": "猫", "小狗": "狗", "狗狗": "狗", "狗子": "狗", "兔": "兔子"}
_LIVELY = r"(?:可爱的?|胖胖的?|超可爱的?|很乖的?|小|大|老|两岁的?|流浪的?|纯种的?|[\u4e00-\u9fff]{0,4}的|[黑白黄灰橘花棕]色?的?)??"


@PLANS.on(
    r"(?:已经)?(?:不|没)(?:再)?(?:打算|准备|计划|想|要)(?:再)?(?P<action>[^，]{2,20}?)$",
    r"(?:取消|推掉|放弃)(?:了)?(?P<action>[^，]{2,20}?)(?:的?(?:计划|打算|行程|预约))?$",
    r"(?P<action>[^，]{2,14}?)(?:的)?(?:计划|行程|预约|机票|旅行|聚会|婚礼)?(?:取消|泡汤|黄|不去|不办|不搞)$",
)
def plan_dropped(match: re.Match[str], clause: Clause) -> Iterable[Draft] | None:
    """``不打算买房了``, ``取消了西藏的行程``."""
    if re.match(r"(?:不|没)(?:想|要)", clause.core) and not clause.ended:
        return None
    action = _action(match["action"])
    if re.match(r"(?:说|聊|提|听|看|知道|理|用|紧|了|是|求|动|你|这|那|关注|订单|关联)", action) or "你" in action:
        return None
    if not re.match(r"不|没", clause.core) and not (clause.ended or "了" in clause.core):
        return None
    key = keyed(dim.PLAN, action)
    return [Draft(key, dim.YES, negated=True)] if key else None


_INTENT = (
    r"(?:正?在?(?:打算|准备|计划|筹备|筹划|考虑好)(?:着)?|决定(?:了)?(?:要)?|下定决心|下决心|报名(?:了)?(?:参加)?|约(?:了|好)(?:了)?|预约(?:了)?|预定(?:了)?|预订(?:了)?|"
    r"订(?:了|好)(?:了)?|买(?:了|好)(?:了)?(?=.{0,8}(?:机票|车票|火车票|高铁票))|安排(?:了|在)|"
    r"争取|立志|目标是|(?:的)?(?:计划|打算|目标|梦想|心愿|愿望)是)"
)


@PLANS.on(rf"{_INTENT}(?P<action>[^，]{{2,30}}?)(?:的打算|的计划)?$", r"有(?P<action>[^，]{2,16})的(?:打算|计划)$")
def plan(match: re.Match[str], clause: Clause) -> Iterable[Draft] | None:
    """``打算国庆去西藏旅游``: intent said in so many words."""
    action = _action(match["action"])
    if "你" in action or re.match(r"(?:怎么|是|了|的|什么|外卖|一份|单)", action) or clause.adverbials.past:
        return None
    if re.match(r"约|预|订|买|报名|安排", clause.core) and not has_time_word(clause.predicate):
        return None
    if re.match(r"约|预|订|买|报名", clause.core) and is_recent(clause.adverbials.text) and not has_time_word(clause.core):
        return None
    return _planned(action)


_WISH_VERBS = (
    r"(?:学|换|买(?!单)|去(?!问|查)|搬|考(?!虑)|当|成为|开(?:一?(?:家|个|间)|店)|辞|结婚|移民|减肥|生(?!气)|养|读|转行|创业|留学|旅|跑|练|攒|存|写(?:一?(?:本|部))|戒|找(?:个|份|一)|租|装修|回|健身|瘦|改行|尝试)"
)


@PLANS.on(
    rf"(?:也|很|特别|非常|超级?|一直|还|就|最)*(?:想要?|希望(?:能|可以)?|渴望)(?:能|可以)?(?P<action>.{{0,12}}?{_WISH_VERBS}[^，]{{1,20}})$",
    rf"(?:想|希望|要|争取)(?:在|于)?(?P<action>(?:{TIME_WORD.pattern}|[\d一二三四五六七八九十]+岁(?:前|之前|以前|后)).{{2,20}})$",
)
def wish(match: re.Match[str], clause: Clause) -> Iterable[Draft] | None:
    """``想学吉他``; a wish of the moment (``想喝水``) is none."""
    action = _action(match["action"])
    if re.search("[你它]", action) or clause.ended or clause.adverbials.past or re.match(r"(?:去厕所|去死|回家|去睡|学一下|买点)", action):
        return None
    return _planned(action)


@PLANS.on(
    r"(?:也|还|就|都)?(?:要|得|会|将|将要|该|需要|必须|肯定|一定|可以|能)?(?P<action>[^，]{1,30}?)$",
)
def appointment(match: re.Match[str], clause: Clause) -> Iterable[Draft] | None:
    """``下周三要去看牙医``, ``后天我有个面试``: a time to come and something to do then."""
    if clause.ended or clause.adverbials.past or clause.adverbials.habitual or clause.adverbials.uncertain:
        return None
    if not _is_ahead(clause) or "你" in clause.core:
        return None
    action = _action(match["action"])
    event = re.match(
        r"(?:有|是)?(?:一|个|场|节|次)*(?P<what>[^，]{0,10}?(?:面试|考试|团建|聚餐|年会|放假|会议|会|聚会|婚礼|约会|手术|体检|答辩|比赛|演出|演唱会|出差|课|典礼|复查|复诊|航班|飞机|高铁|截止|ddl|DDL|生日|开学|开会|值班|纪念日))$",
        action,
    )
    if event and not action.startswith("去"):
        return _planned(event["what"])
    if re.search(r"没|得[很好不]|起来|不[好到完]", action):
        return None
    going = re.match(r"(?:也|还|就|都)?(?:要|得|会|将|必须|肯定|一定)|(?:去|来|到|回|飞|出发|结婚|搬|入职|开学|毕业|动身|出差|参加|带|陪|和|跟|请|做|看|见|交|考|面试|开|办|退休|上|当|生|订婚|离开|接|送|给)", clause.core)
    if going is None or re.match(r"(?:会|要)(?:不|下雨|降温|下雪|冷|热|好|是|有)|看来|看样|上面|开心|做人|给你|跟你|和你|好|去世", clause.core):
        return None
    return _planned(action)


@PLANS.on(r"(?:要|将|即将|马上|快要?|就要)(?P<action>(?:去|来|回|搬|结婚|生|当|毕业|退休|入职|考|出差|参加|开学|上|做|换|辞职|离职|订婚|出国|移民|读|办)[^，]{0,16}?)$")
def about_to(match: re.Match[str], clause: Clause) -> Iterable[Draft] | None:
    """``要去大理开民宿``, ``快毕业了``."""
    if "你" in match["action"] or not (clause.stated or clause.subject.kind == "person" or has_time_word(clause.predicate)):
        return None
    return _planned(_action(match["action"]))


@THINGS.on(
    rf"(?:还|也)?(?:养|收养|领养|捡|买|接|带|有)(?:了|着|过|回来?|到)*(?:了)?{_COUNT}{_MEASURE}{_LIVELY}(?P<pet>{ANIMALS})(?:回家|回来)?(?:，?(?:名字)?叫(?:做)?(?P<name>[\u4e00-\u9fffA-Za-z]{{1,8}}))?$",
    rf"(?:家里?|屋里)(?:还)?(?:有|养了?|养着|(?=[一两二三四五六七八九十几\d]+[只条])){_COUNT}{_MEASURE}{_LIVELY}(?P<pet>{ANIMALS})(?:，?(?:名字)?叫(?:做)?(?P<name>[\u4e00-\u9fffA-Za-z]{{1,8}}))?$",
)
def has_pet(match: re.Match[str], clause: Clause) -> Iterable[Draft] | None:
    """``养了一只橘猫``, ``有只猫叫年糕``."""
    kind, called = _PET_FORMS.get(match["pet"], match["pet"]), match["name"]
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
    rf"把(?:我的|我家的?|家里的?)?(?P<pet>{ANIMALS})(?:都|给)?(?:送|卖|弄丢|丢|放生|送走)(?:给?.{{0,6}})?$",
    rf"(?:已经)?(?:不|没)(?:再)?养(?P<pet>{ANIMALS})$",
    rf"没有?养?(?P<pet>宠物|{ANIMALS})$",
)
def no_pet(match: re.Match[str], clause: Clause) -> Iterable[Draft] | None:
    """``把仓鼠送人了``."""
    kind = _PET_FORMS.get(match["pet"], match["pet"])
    return [Draft(keyed(dim.PET, kind), dim.YES, negated=True, timed=True)]


@THINGS.on(
    r"(?:对)(?P<what>[^，]{1,16}?)(?:严重|重度|轻微|轻度|有点|有些|都|也|会|有|中度|极度|很)*过敏(?:体质)?$",
    r"有(?P<what>[^，严重]{1,10})过敏(?:症)?$",
    r"(?P<what>花粉|海鲜|花生|尘螨|芒果|青霉素|头孢|酒精|牛奶|鸡蛋|坚果|猫毛|狗毛|虾|蟹|螃蟹|虾蟹|乳制品|麸质|大豆|桃子|菠萝|冷空气|紫外线|[\u4e00-\u9fff]{1,5})(?:严重|轻微)?过敏$",
    r"吃(?P<what>[^，]{1,8}?)(?:会|就|会严重)过敏$",
    r"(?P<what>乳糖|麸质|果糖|酒精)(?:不耐受?|不耐症)$",
)
def allergy(match: re.Match[str], clause: Clause) -> Iterable[Draft] | None:
    """``对花生过敏``, ``乳糖不耐受``."""
    what = match["what"]
    negated = bool(re.search(r"不$|不会$|不再$|没$|不是$|不怎么$", what))
    what = re.sub(r"(?:也|都|已经|现在)*(?:不|不会|不再|没|不是|不怎么)$", "", what)
    if what in ("皮肤", "鼻子", "什么", "季节性", "很", "容易", "有点", "过", "药物") or not what:
        return [Draft(keyed(dim.HEALTH, "过敏"), dim.YES, negated=negated)] if what in ("皮肤", "药物", "季节性") else None
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


_BODY = r"(?:腰|头|胃|肚子|膝盖|颈椎|脖子|肩膀|肩|背|后背|腿|脚|脚踝|手腕|手|牙|牙齿|眼睛|嗓子|喉咙|心脏|肝|肾|关节|皮肤|血压|血糖|血脂|尿酸|心率|视力|听力|身体|免疫力|睡眠|肠胃|胸口|耳朵|鼻子)"
_TROUBLE = r"(?:不太好|不好|不行|疼|痛|酸|难受|不舒服|受伤|扭|崴|骨折|发炎|偏高|偏低|高|低|差|很差|出问题|有问题|拉伤|劳损|肿|做了手术|过敏|下降|酸痛|疼痛)"


@THINGS.on(
    rf"(?:确诊|查出|查出来|检查出|被诊断(?:为|出|出了)|诊断(?:为|出)|得|患|患上|患有|患了)(?:了|过|有)?(?:轻度|中度|重度|严重的?|一点)?(?P<ailment>{AILMENTS})$",
    rf"(?:有|是)?(?:点|些|一点|轻度|中度|重度|严重的?|严重|慢性|先天性|遗传性|轻微的?|家族)*(?P<ailment>{AILMENTS})(?:患者|病史|(?:\d|[一二三四五六七八九十百])+多?度)?(?:[\d一二两三四五六七八九十几好多]+多?(?:年|个月|天))?(?:的毛病|的问题)?$",
    rf"(?P<ailment>{AILMENTS})(?:又)?(?:犯|发作|复发|加重|手术|很严重|严重)$",
)
def ailment(match: re.Match[str], clause: Clause) -> Iterable[Draft] | None:
    """``有糖尿病``, ``总失眠``."""
    if re.search(r"手术$", clause.core):
        return None
    if match["ailment"] == "洁癖" or clause.adverbials.future:
        return None
    found = re.match(r"确诊|查出|检查出|被?诊断|得|患上", clause.core) is not None
    return [Draft(keyed(dim.HEALTH, match["ailment"]), dim.YES, negated=clause.adverbials.past and not found, timed=found)]


@THINGS.on(rf"(?:的)?(?P<ailment>{AILMENTS})(?:已经|都|终于|彻底|基本)*(?:好|痊愈|康复|没|治好|好转)(?:了)?(?:很多)?$", rf"没有?(?P<ailment>{AILMENTS})$")
def recovered(match: re.Match[str], clause: Clause) -> Iterable[Draft] | None:
    """``感冒好了``."""
    if clause.core.startswith("没") and not clause.stated:
        return None
    return [Draft(keyed(dim.HEALTH, match["ailment"]), dim.YES, negated=True, timed=True)]


@THINGS.on(
    rf"(?:的)?(?P<part>{_BODY})(?:一直|总是?|经常|又|有点儿?|有些|很|不知怎么|特别|非常|都|最近|也|老|比较|稍微|现在)*(?P<trouble>{_TROUBLE})(?:得厉害|得很|到|伤)?$",
    r"(?P<part>)(?P<trouble>怀孕|怀上|怀宝宝|怀二胎|有身孕)(?:了)?(?:(?:快)?[\d一二两三四五六七八九十几]+(?:个月|周|个多月)(?:多)?)?$",
)
def bodily(match: re.Match[str], clause: Clause) -> Iterable[Draft] | None:
    """``腰也疼``, ``血压偏高``, ``怀孕三个月了``."""
    if not match["part"]:
        return [Draft(keyed(dim.HEALTH, "怀孕"), dim.YES)]
    if match["part"] == "身体" and match["trouble"] in ("高", "低"):
        return None
    return [Draft(keyed(dim.HEALTH, match["part"] + match["trouble"]), dim.YES)]


_DURABLE = r"(?:辆|台|部|套|架|把|块|双|本|幅|间|栋|副|顶|艘|款|支|只|条|件|个|座|张|枚)"
_GADGET = (
    r"(?:手机|电脑|笔记本|笔记本电脑|平板|相机|单反|微单|镜头|耳机|音箱|键盘|鼠标|显示器|显卡|主机|游戏机|电视|投影仪|冰箱|洗衣机|空调|扫地机器人|扫地机|咖啡机|烤箱|"
    r"空气炸锅|洗碗机|车|汽车|电动车|摩托车|摩托|自行车|公路车|山地车|房子|房|公寓|吉他|钢琴|电子琴|小提琴|琴|尤克里里|架子鼓|手表|表|戒指|项链|包|包包|滑板|雪板|帐篷|"
    r"瑜伽垫|跑步机|沙发|床|书桌|书架|衣柜|无人机|kindle|Kindle|iPad|ipad|MacBook|Macbook|iPhone|iphone|Switch|switch|PS5|ps5|特斯拉|奔驰|宝马|奥迪|比亚迪|丰田|本田|大众)"
)


@THINGS.on(
    rf"把(?:我的|家里的?|那[辆台部套个把]|旧|老)?(?P<thing>[^，]{{1,12}}?)(?:给)?(?:卖|卖掉|卖了|出掉|处理掉|弄丢|丢|送人|送|捐|摔坏|退|退货)(?:了|掉)*$",
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
    rf"(?:的)?(?P<slot>{_GADGET})从(?P<old>[^，]{{1,16}}?)换(?:成|到|为|了)(?:了)?(?P<value>[^，]{{1,16}})$",
    rf"(?:把|的)?(?:旧|我的)?(?P<slot>{_GADGET})(?:换成|改成|换为)(?:了)?(?P<value>[^，]{{1,16}})$",
    rf"(?:平时|现在)?开(?:的)?(?:(?:是|着)(?:一)?(?:辆)?|一?辆)(?P<value>[^，]{{2,12}})(?P<slot>)$",
)
def thing_changed(match: re.Match[str], clause: Clause) -> Iterable[Draft] | None:
    """``手机从iPhone换成了小米``."""
    return [Draft(keyed(dim.POSSESSION, match["slot"] or "车"), match["value"], timed=True)]


@THINGS.on(
    rf"(?:终于|刚|又)?(?:买|入手|新买|添置|入|淘|提|贷款买|全款买|换|置办|拥有|收到|换|购入|订)(?:到|下|入)?(?:了)(?P<thing>(?:[一两二三四五六七八九十几\d]+)?(?:{_DURABLE})?(?:新)?[^，]{{1,18}}?)$",
    rf"(?:还|也)?有(?P<thing>[一两二三四五六七八九十几\d]*(?:辆|台|部|套|架|把|块|间|栋|副|艘|座)[^，]{{1,14}}?)$",
    r"(?:现在|一直|平时)?用的(?:手机|电脑|相机)?是(?P<thing>[^，你]{2,18})$",
    rf"(?:的)?(?:手机|电脑|座驾)是(?P<thing>[^，]{{2,18}})$",
)
def has_thing(match: re.Match[str], clause: Clause) -> Iterable[Draft] | None:
    """``买了一辆特斯拉``; food and errands are events at most."""
    said = match["thing"]
    thing = thing_of(said)
    durable = re.match(r"[一两二三四五六七八九十几\d]*(?:辆|台|部|套|架|把|块|双|间|栋|副|艘|座|顶)", said)
    if not durable and not re.search(rf"{_GADGET}$", thing) and "用的" not in clause.core and "是" not in clause.core[:4]:
        return None
    if re.search(r"(?:票|饭|菜|水|咖啡|奶茶|蛋糕|药|礼物)$", thing) or thing.startswith("你"):
        return None
    key = keyed(dim.POSSESSION, thing)
    return [Draft(key, dim.YES, timed=True, negated=clause.adverbials.past)] if key else None


_OWN_SLOT = r"(?P<slot>[\u4e00-\u9fffA-Za-z]{1,10}?)"


@THINGS.on(
    rf"的{_OWN_SLOT}(?:现在|已经)?(?:就|还)?(?:是|为|：|叫)(?P<value>[^，]{{1,30}})$",
    rf"的?{_OWN_SLOT}(?:现在|已经|都|就|还)*(?:放|停|存|藏|锁|收|挂|埋|摆|寄存|落)?在(?P<value>[^，]{{1,20}})$",
    rf"的{_OWN_SLOT}(?:换成|改成|变成|改为|换到)(?:了)?(?P<value>[^，]{{1,30}})$",
    rf"把{_OWN_SLOT}(?:放|停|存|藏|锁|收|挂|埋|摆|忘|落)(?:在|到|进)(?:了)?(?P<value>[^，]{{1,20}})$",
)
def own_slot(match: re.Match[str], clause: Clause) -> Iterable[Draft] | None:
    """``我的车牌是沪A12345``, ``我的护照放在书房``: what is true of a thing one owns."""
    slot, value = match["slot"], match["value"]
    if not clause.core.startswith(("的", "把")) or not clause.stated:
        return None
    if re.search(r"意思|问题|想法|看法|建议|意见|观点|理解|感觉|回答|答案|需求|要求|情况|原因|重点|心情|朋友|生日|MBTI|mbti|性格|人格|兴趣|爱好|星座|梦想|代码|目的|天|时候|选择", slot) or "你" in value:
        return None
    if re.fullmatch(r"偶像|男神|女神|本命|爱豆|榜样", slot):
        return [Draft(keyed(dim.FAVOURITE, slot), value)]
    if TIME_WORD.match(value):
        return _planned(slot)
    key = keyed(dim.POSSESSION, slot)
    return [Draft(key, value)] if key else None


_LIFE_VERBS = (
    r"(?:升职|加薪|涨薪|涨工资|毕业|退休|住院|出院|做(?:了)?.{0,8}手术|动(?:了)?.{0,8}手术|去世|过世|离世|走丢|跑丢|丢|弄丢|被偷|偷|受伤|摔|骨折|撞|出车祸|"
    r"考上|考过|考到|通过|过(?=了)|拿到|获得|赢|得(?:了)?(?:奖|第|冠|亚|季|金|银|铜)|拿(?:了)?(?:奖|第|冠|亚|季|金|银|铜)|中奖|搬家|换(?:了)?工作|买(?:了)?房|装修|参加|去|回|见|遇到|碰到|认识|"
    r"学会|跑完|看完|读完|写完|做完|完成|发表|出版|开业|开店|分娩|出生|领养|入职|转正|拔(?:了)?.{0,3}牙|打(?:了)?.{0,4}疫苗|体检|看(?:了)?|吃(?:了)?|爬(?:了)?|参观|听(?:了)?|拍(?:了)?|办(?:了)?|"
    r"做(?:了)?|收到|送(?:了)?|吵架|和好|求婚|被.{1,8}(?:咬|撞|骂|打|批评|表扬|录取|拒|骗|抓|裁)|旅游|旅行|出差|露营|滑雪|潜水|跳伞|献血|当(?:上|了)|加入|退出|报名|订(?:了)?|聚(?:了)?|聚会|相亲|迟到|熬夜|通宵|感染|阳)"
)
_SMALL_EVENT = re.compile(
    r"^(?:先|希望|能|会|怕|担心|喜欢|觉得|快|用|就|去(?:吃饭|睡|洗澡|上班|忙|上课|吃个饭)|回家|回来|出门|上班|知道|明白|懂|看到|看见|听到|听见|问|说|试|想|忘|回复|发|收到你|打开|点|更新|下载|安装|运行|报错|改|修复|复制|上传|好|行|困|累|饿|吃饱|下班|到家|起床|睡|醒|洗|来|是|有|没|不|太|真|很|挺|还|又|都|天气|下雨|下雪|停电|堵车|考虑|决定|聊|查|搜|看了(?:一下|下)|做了个梦|梦|刷|忙|等|准备)"
)


@EVENTS.on(
    r"(?:一次|也|都|还)?(?:没|没有|从没|从来没|从未|未)(?:有)?(?P<what>[^，]{0,4}?(?:去|吃|坐|看|见|玩|学|谈|做|喝|用|出|养|当|住)过[^，]{0,16})$",
    r"(?P<what>(?:去|到|在|来|坐|参加|学|当|做|住|养|得|拿|读|写|演|教|练|打|组|谈|出|被|吃|玩|骑|爬|开|跑|拜访|见|接触|经历|考|创|办)[^，]{0,16}?过(?!程|去|度|敏|来|年|节|生日)[^，]{0,14})$",
)
def experienced(match: re.Match[str], clause: Clause) -> Iterable[Draft] | None:
    """``去过日本三次``, ``小时候被咬过``."""
    if "你" in clause.core or not (clause.stated or clause.adverbials.past or has_time_word(clause.predicate)):
        return None
    return [Draft(None, timed=True)]


@EVENTS.on(r"(?P<what>[^，]{1,40})$")
def happened(match: re.Match[str], clause: Clause) -> Iterable[Draft] | None:
    """``昨天去看了《奥本海默》``: an event of life that has come about."""
    core = clause.core
    if "你" in core or clause.adverbials.habitual or clause.adverbials.future or clause.adverbials.uncertain:
        return None
    if _SMALL_EVENT.match(core) or re.search(r"(?:吧|吗|多少)$", core):
        return None
    if re.search(r"没|不", core) and not re.match(r"[\d一二三四五六七八九十几好多]+年没", core):
        return None
    came_about = clause.ended or re.search(r"了|过(?!程|敏|来|年|节|分)|完|到(?!底)|通过|上(?=.{2})", core)
    # Without a subject of its own the clause may have an unknown one before the verb.
    eventful = re.compile(_LIFE_VERBS).search(core, 0, 14) if clause.stated else re.match(_LIFE_VERBS, core) or _is_weighty(core)
    timed = clause.adverbials.is_timed or has_time_word(core)
    if core == "走" and clause.stated and not clause.subject.is_user:
        return [Draft(None, timed=True)]
    if eventful and came_about and (clause.stated or timed or _is_weighty(core)):
        return [Draft(None, timed=True)]
    if timed and eventful and clause.stated:
        return [Draft(None, timed=True)]
    if timed and came_about and clause.stated and len(core) > 3:  # noqa: PLR2004
        return [Draft(None, timed=True)]
    return None


@EVENTS.on(
    r"(?:正?在)(?P<what>(?:减肥|减脂|健身|备考|考研|考公|找工作|找房|装修|学车|创业|休假|休产假|坐月子|住院|实习|写|做|准备|筹备|筹办|开发|研究|翻译|追|练|恢复|康复|吃药|治疗|服药|带|照顾|攒|还)[^，]{0,16})$",
)
def ongoing(match: re.Match[str], clause: Clause) -> Iterable[Draft] | None:
    """``在准备雅思``: what somebody is at these days."""
    if "你" in clause.core or not (clause.stated or clause.adverbials.now or clause.subject.kind != "user"):
        return None
    if re.match(r"(?:做|写)(?:饭|菜|作业|什么|梦|饭菜|代码)?$", match["what"]):
        return None
    return [Draft(None, tags=("activity",))]


def _is_weighty(core: str) -> bool:
    """Whether an event matters enough to be kept without a time and a named subject."""
    return bool(re.search(r"面试|升职|加薪|毕业|住院|出院|手术|去世|过世|走丢|考上|录取|通过|获奖|冠军|结婚|生了|买房|搬家|退休|被裁|骨折|车祸|offer", core))


def _is_ahead(clause: Clause) -> bool:
    """Whether the clause's time words point to a time to come."""
    text = clause.adverbials.text
    if clause.adverbials.future:
        return True
    ahead = re.search(
        r"(?:周|星期|礼拜)[一二三四五六日天末]|周末|今晚|今天|今年|本周|这周|这个?(?:月|周末|星期)|\d{1,2}[号日]|\d{1,2}月|国庆|春节|五一|元旦|中秋|端午|清明|圣诞|过年|暑假|寒假|暑期|点",
        text,
    )
    back = re.search(r"上|昨|前|去年|刚|已经|才|最近|当年", text)
    inner = re.match(r"(?:在|于)?(?:大后|后|明)[天年]|下个?(?:周|星期|礼拜|月|年)|(?:周|星期)[一二三四五六日天]", clause.core)
    if inner:
        return True
    will = re.match(r"(?:也|还|就|都)?(?:要|得|将|会|有(?:一|个|场)|必须|去|来|到|回|飞|带|陪|开会|面试|考试|出差|结婚|搬|交)", clause.core)
    return bool(ahead and not back and will)


def _action(text: str) -> str:
    action = without_times(text)
    action = re.sub(r"^(?:也|还|就|都|要|会|得|将|能|可以|在|于|再|的|有个|有一?[场个次]|自己)+(?=..)", "", action)
    return re.sub(r"^(?:去|来|到)(?=..)", "", action).strip()


def _planned(action: str) -> list[Draft] | None:
    action = re.sub(r"的(?:机票|车票|高铁票|火车票|票)$", "", action)
    key = keyed(dim.PLAN, action)
    return [Draft(key, dim.YES, timed=True)] if key else None
