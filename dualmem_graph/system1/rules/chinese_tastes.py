"""Rules for what somebody likes, fears, eats, is like, usually does and is able to do."""

from __future__ import annotations

import re
from collections.abc import Iterable

from dualmem_graph.system1.rules import dimensions as dim
from dualmem_graph.system1.rules.chinese_lexicon import alternatives
from dualmem_graph.system1.rules.chinese_reading import (
    Clause,
    Draft,
    RuleBook,
    items_of,
    keyed,
    object_of,
)
from dualmem_graph.system1.rules.chinese_times import without_times

#: Likes, diet, traits and abilities: they hold whatever the clause says of time.
TASTES = RuleBook()
#: Habits: tried late, since nearly every verb can be one.
HABITS = RuleBook()

_DEGREE = (
    r"(?:很|非常|特别|超级?|最|挺|蛮|比较|真的|真|太|贼|巨|更|最最|还是|有点儿?|有些|都|也|还|就|只|一直|从小就?|格外|尤其|十分|可|老|极其|稍微|向来|越来越|打心底里?|简直)*"
)
_LIKE = (
    r"(?:喜欢上|喜欢|热爱|酷爱|喜爱|钟爱|偏爱|钟情于|迷恋|沉迷于?|痴迷于?|迷上|爱上|着迷于|热衷于?|偏好|享受|爱好(?!是|有|包括|广泛|：)|爱(?=[吃喝看听玩打踢拍用弹唱跳穿读逛睡养旅运画写]|[A-Za-z]|[^你他她它我心情人好护惜在的]{2,}))"
)
_NOT_LIKE = (
    r"(?:不(?:是)?(?:太|怎么|大|很|那么|特别)?(?:喜欢|爱|感冒|中意|享受)|没(?:有)?那么(?:喜欢|爱)|"
    r"(?:最|很|特别|真的?|有点|超级?|非常)*(?:讨厌|反感|厌恶|厌烦|痛恨|憎恶|嫌弃)|受不了|接受不了|无法忍受|忍受不了|看不惯|吃不惯|喝不惯|吃不来|喝不来|听不惯|不能接受|不能忍受)"
)
_FEAR = r"(?:很|最|特别|有点|超级?|非常|比较|真的|从小|一直|都|也|还|挺|蛮)*(?:害怕|恐惧|怕)"
_DEICTIC = re.compile(r"^(?:你|您|这|那|它|他|她|哪|什么|的$|了$|过$|我$|上$|不|麻烦|打扰)|你|您|^(?:我|用户)的?(?:回答|建议)")
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

_TRAITS = alternatives(
    """
急性子 慢性子 暴脾气 社恐 社牛 i人 e人 I人 E人 话痨 夜猫子 早起鸟 路痴 脸盲 吃货 工作狂 完美主义者 完美主义 颜控 颜狗 洁癖 乐天派 选择困难 选择困难症
拖延症 拖延症患者 强迫症 左撇子 宅男 宅女 死宅 二次元 文艺青年 理科生 文科生 理工男 吃素主义者 素食主义者 不婚主义者 丁克 丁克族 佛教徒 基督徒 穆斯林 党员 无神论者
恋爱脑 月光族 佛系 起床困难户 手残党 音痴 五音不全 内向 外向 内敛 开朗 乐观 悲观 敏感 害羞 腼腆 细心 粗心 马虎 固执 倔强 随和 独立 理性 感性 急躁 冲动
谨慎 懒 懒散 勤快 节俭 大方 幽默 安静 慢热 粗线条 玻璃心 较真 爱干净 大大咧咧 路怒症 容易焦虑 容易紧张 容易害羞 容易心软 容易焦躁 怕生 认生 心软 直爽 直率 自律 要强 好强 自卑 自信
健忘 念旧 恋旧 怀旧 挑食 嘴馋 守时 古灵精怪 调皮 黏人 粘人 胆小 活泼 温顺 高冷 好动 独来独往 不善言辞 不爱交际
"""
)
_MBTI = r"[IEie][NSns][TFtf][JPjp](?:-[AT])?"


@TASTES.on(
    rf"(?:是)?(?:的)?最?(?:喜欢|爱|喜爱|中意|钟爱|偏爱|常)(?:的|吃的|看的|听的|玩的|喝的|用的|去的)(?:一)?(?:个|种|本|部|首|款|位|支)?(?P<kind>[\u4e00-\u9fff]{{1,8}}?)(?:就|一直|永远|还)?(?:是|：|叫)(?P<value>[^，]{{1,24}})$"
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
    rf"(?:比起|相比(?:于)?|跟|和)(?P<other>[^，]{{1,12}}?)(?:相比|比起来|，)?(?:我)?(?:还是)?(?:更|比较|宁愿|宁可){{1,2}}(?:喜欢|爱|偏爱|想|愿意)?{_OBJECT}$",
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


@TASTES.on(rf"{_NOT_LIKE}{_OBJECT}{_CLOSING}", rf"最?(?:讨厌|反感|受不了|烦)的(?:事情?|东西|人)?(?:就)?是{_OBJECT}$", rf"(?:觉得)?(?:对){_OBJECT}(?:不感兴趣|没(?:有|什么)?兴趣|无感|不感冒|提不起兴趣|反感)$")
def dislikes(match: re.Match[str], clause: Clause) -> Iterable[Draft] | None:
    """``讨厌下雨天``, ``不太喜欢``."""
    return _attitudes(match["object"], dim.DISLIKE, clause)


@TASTES.on(rf"(?:不|一点(?:儿)?(?:也|都)不)怕{_OBJECT}$", rf"(?:不再|已经不){_FEAR}{_OBJECT}$")
def fears_not(match: re.Match[str], clause: Clause) -> Iterable[Draft] | None:
    """``不怕狗``."""
    return _attitudes(match["object"], dim.FEAR, clause, negated=True)


@TASTES.on(r"(?:有|有点|患有|重度|严重)*(?P<kind>恐高|社恐|恐飞|晕血|怕黑|怕高)(?:症)?$", rf"{_FEAR}{_OBJECT}$")
def fears(match: re.Match[str], clause: Clause) -> Iterable[Draft] | None:
    """``怕狗``, ``恐高``."""
    groups = match.groupdict()
    if kind := groups.get("kind"):
        if kind == "社恐":
            return [Draft(keyed(dim.TRAIT, kind), dim.YES)]
        return [Draft(keyed(dim.ATTITUDE, kind[-1]), dim.FEAR)]
    if re.match(r"是|的是|忘|你|来不及|影响|万一|自己|以后|考不|输|晚|吵|耽误|冷$|热$|一个人$", groups["object"]):
        return [Draft(keyed(dim.ATTITUDE, groups["object"]), dim.FEAR)] if groups["object"] in ("冷", "热") else None
    if _WORRY.search(groups["object"]) or len(groups["object"]) > _LONGEST_FEAR:
        return None
    return _attitudes(groups["object"], dim.FEAR, clause)


@TASTES.on(
    rf"{_DEGREE}(?:{_LIKE}|好(?=[酒吃]$)){_OBJECT}{_CLOSING}",
    rf"(?:的)?(?:兴趣)?爱好(?:就)?(?:主要|广泛)?(?:是|有|包括|：){_OBJECT}$",
    rf"(?:的)?兴趣(?:就)?(?:主要)?(?:是|有|包括){_OBJECT}$",
    rf"(?:是)?(?:一个|个)?{_OBJECT}(?:的)?(?:铁杆|骨灰级|忠实|资深|死忠|超级|老)?(?:球迷|歌迷|影迷|书迷|车迷|粉丝|铁粉|粉|迷妹|迷弟|迷|控|爱好者|发烧友)$",
    rf"对{_OBJECT}(?:{_DEGREE}|充满|产生了?|有(?:着)?(?:浓厚的?|很大的?)?)(?:感)?(?:兴趣|情有独钟|着迷|上瘾|痴迷|毫无抵抗力|没有抵抗力|没抵抗力)$",
    rf"{_DEGREE}(?:沉迷|入坑|入了坑|痴迷|着迷)(?:了|于)?{_OBJECT}$",
)
def likes(match: re.Match[str], clause: Clause) -> Iterable[Draft] | None:
    """``喜欢吃火锅``, ``对历史很感兴趣``, ``爱好是爬山和露营``."""
    said = match["object"]
    if re.match(r"了?(?:一个|上了?)?(?:一个)?(?:男生|女生|女孩|男孩|人$|别人)", said):
        return None
    if re.search(r"(?:粉丝|铁粉|粉|迷妹|迷弟|迷|控)$", clause.core) and not re.match(r"是|.{2,}(?:粉丝|铁粉)", clause.core):
        return None
    return _attitudes(said, dim.LIKE, clause, negated=clause.adverbials.past)


@TASTES.on(
    rf"(?:是)?(?:一个|个|位|名)?(?P<diet>{_DIET})(?:主义者|主义|者|饮食)$",
    rf"(?:现在|已经|一直|开始|改|改成|坚持|只|在)*吃(?P<diet>{_DIET})(?:好几年|[\d一二两三四五六七八九十几]+年|为主)?$",
    rf"(?:在|坚持|开始)(?:控糖|戒糖|生酮|节食|控制饮食)(?P<diet>)$",
)
def diet(match: re.Match[str], clause: Clause) -> Iterable[Draft] | None:
    """``吃素``, ``是素食主义者``."""
    said = match["diet"] or re.sub(r"^(?:在|坚持|开始)", "", clause.core)
    return [Draft(dim.DIET, _DIETS.get(said, said), negated=clause.adverbials.past)]


@TASTES.on(rf"(?:已经)?不(?:再)?(?:吃|是)(?P<diet>{_DIET})(?:主义者|者)?$", r"(?:恢复|又开始|重新|开始)吃(?P<diet>肉|荤)$")
def diet_ended(match: re.Match[str], clause: Clause) -> Iterable[Draft] | None:
    """``不吃素了``."""
    said = match["diet"]
    return [Draft(dim.DIET, "素食" if said in ("肉", "荤") else _DIETS[said], negated=True)]


@TASTES.on(
    rf"(?:的)?(?:口味|性格|脾气|性子|为人|个性|人)?(?:是)?(?:一)?(?:个|位|名)?{_DEGREE}(?:属于)?(?P<trait>{_TRAITS}|{_MBTI})(?:型)?(?:的)?(?:人|性格|体质|患者|类型)?$",
    rf"(?:是)?(?:一)?个{_DEGREE}(?P<trait>[^，]{{2,10}}?)的人$",
    rf"(?:的)?(?:性格|脾气|个性){_DEGREE}(?P<trait>[^，的]{{1,8}}?)$",
    r"(?:的)?(?:MBTI|mbti|人格)(?:类型)?(?:是)?(?P<trait>[IEie][NSns][TFtf][JPjp])$",
)
def trait(match: re.Match[str], clause: Clause) -> Iterable[Draft] | None:
    """``是个急性子``, ``比较内向``; a bare adjective needs its subject named."""
    said = match["trait"].removeprefix("是")
    about = clause.topic if not clause.stated else None
    if about is None and not clause.stated and not re.match(r"是|.*(?:性格|脾气|个性)", clause.core):
        return None
    if re.fullmatch(_MBTI, said):
        return [Draft(keyed(dim.TRAIT, "MBTI"), said.upper())]
    if _DEICTIC.match(said):
        return None
    return [Draft(keyed(dim.TRAIT, said), dim.YES, negated=clause.adverbials.past, about=about)]


_ABILITY = (
    r"(?:弹|拉|吹|敲|打|说|讲|写|用|做|开|游|画|跳|唱|骑|滑|下|织|编|修|剪|调|冲|泡|煮|炒|烤|包|缝|潜|冲浪|编程|游泳|手语|配音|武术|魔术|太极|瑜伽|书法|摄影|剪辑|"
    r"英语|日语|法语|德语|韩语|粤语|俄语|西班牙语|葡萄牙语|意大利语|阿拉伯语|泰语|闽南语|上海话|四川话|Python|Java|Excel|PS|Photoshop)"
)
_LANGUAGES = r"(?:英语|英文|日语|日文|法语|法文|德语|德文|韩语|韩文|粤语|俄语|西班牙语|西语|葡萄牙语|葡语|意大利语|阿拉伯语|泰语|普通话|闽南语|上海话|四川话|口语|数学|物理|化学|编程|厨艺|球技|车技|酒量|方向感|记性|记忆力|歌喉)"


@TASTES.on(
    rf"(?:能|会)(?:一)?(?:点儿?|些)?(?P<skill>{_ABILITY}[^，吗]{{0,12}}?)(?:了)?$",
    r"(?:很|特别|非常|比较|最)*(?:擅长|精通|熟悉|熟练掌握|掌握|拿手|善于|深谙)(?:的(?:菜)?是)?(?P<skill>[^，]{1,20}?)(?:了)?$",
    r"(?:的)?拿手(?:菜|好戏|绝活)?是(?P<skill>[^，]{1,16})$",
    r"会(?:一)?(?:点儿?|些)(?P<skill>[^，吗事]{1,8})$",
    r"(?:略懂|懂|通晓)(?:一)?(?:点儿?|些)?(?P<skill>[^，事你我得]{2,12})$",
    r"学会(?:了)?(?P<skill>[^，]{1,12})$",
)
def skill(match: re.Match[str], clause: Clause) -> Iterable[Draft] | None:
    """``会弹钢琴``, ``精通Python和Rust``."""
    said = match["skill"]
    if re.search(r"^(?:打算|开会|开始|做到|做好|说到|打电话|写信|用到|用的|说|做|写|开|打|用)$|你|吧$|一下|开心|完|开除", said):
        return None
    return _skills(said, clause, dim.YES)


@TASTES.on(rf"(?:完全|根本|还|都)?不(?:太|怎么|大)?会(?P<skill>{_ABILITY}[^，吗]{{0,10}}?)$", rf"(?P<skill>{_LANGUAGES})(?:很|特别|比较|不太|有点)?(?:差|烂|不好|不行|渣)$")
def no_skill(match: re.Match[str], clause: Clause) -> Iterable[Draft] | None:
    """``不会开车``."""
    if re.search(r"再|了$", match["skill"]) or (clause.ended and not clause.stated):
        return None
    return _skills(match["skill"], clause, dim.YES, negated=True)


@TASTES.on(
    rf"(?:的)?(?P<skill>{_LANGUAGES})(?:水平|能力)?(?P<level>(?:很|还|特别|挺|比较|非常|蛮|相当|也)?(?:好|流利|不错|厉害|可以|一般|还行|马马虎虎|入门|[a-zA-Z]\d级?|[\d一二三四五六七八专]+级|过了?[\d一二三四五六七八专]+级|N[1-5]|母语水平|母语))$",
    r"(?P<level>母语)是(?P<skill>[^，]{2,6})$",
)
def skill_level(match: re.Match[str], clause: Clause) -> Iterable[Draft] | None:
    """``英语很好，日语一般``."""
    return [Draft(keyed(dim.SKILL, match["skill"]), match["level"])]


@TASTES.on(r"(?:正?在|开始|刚开始|最近在|准备)?(?:自学|学习|学着|学)(?:了)?(?:一)?(?:点|下)?(?P<skill>[^，的]{1,12}?)(?:[\d一二两三四五六七八九十几半]+(?:年|个月|天|周))?(?:了)?$")
def learning(match: re.Match[str], clause: Clause) -> Iterable[Draft] | None:
    """``在学法语``."""
    said = match["skill"]
    if re.search(r"^[\d一二三四五六七八九十几两半好多]+(?:多)?(?:年|个|天|周|小时|次)|^(?:会|习|校|生|期|长|历|位|费|到|不|了|完|坏|乖|得|好)|一下|你", said):
        return None
    if not re.match(r"正?在|开始|刚开始|自学", clause.core) and not clause.adverbials.now:
        return None
    return _skills(said, clause, "在学")


@HABITS.on(
    r"(?:已经|成功)?戒(?:掉|断)?(?:了)?(?P<thing>烟|酒|糖|奶茶|咖啡|可乐|熬夜|游戏|手机|外卖|肉|辣|短视频|抖音|[\u4e00-\u9fff]{1,4}?)(?:了)?(?:(?:有|快|已经)?[\d一二两三四五六七八九十几半]+(?:年|个月|个多月|天|周)(?:多|半)?)?$"
)
def gave_up(match: re.Match[str], clause: Clause) -> Iterable[Draft] | None:
    """``戒烟了``; trying to is not having done it."""
    if "失败" in clause.core or "不" in clause.core:
        return None
    if clause.adverbials.future or not (clause.ended or "了" in clause.core or re.search("年|月|天", clause.core)):
        return None
    verb = {"烟": "抽", "酒": "喝", "奶茶": "喝", "咖啡": "喝", "可乐": "喝", "游戏": "打", "外卖": "吃", "糖": "吃", "肉": "吃", "辣": "吃"}
    habit = verb.get(match["thing"], "") + match["thing"]
    return [Draft(keyed(dim.HABIT, habit), dim.YES, negated=True, timed=True)]


_VERBS = (
    r"(?:抽|吸|喝|吃|熬|跑|运动|健身|锻炼|开|骑|坐|化妆|染|穿|看|玩|打|养|点|用|加班|午睡|睡|刷|做饭|赌|碰|沾|嚼|带|戴|逛|上夜班|直播|写|画|练|去健身)"
)


@HABITS.on(
    rf"(?:既|又|也|都)?不(?:再)?(?P<habit>{_VERBS}[^，也又]{{0,8}}?)(?:也|又|和)不(?P<second>{_VERBS}[^，]{{0,8}}?)$",
    rf"(?:都|也)?(?:不再|再也不|从来不|从不|一概不|一口不|绝不|几乎不|很少|基本不|不怎么能|不太能|不怎么|不太|不能|不敢|不可以|吃不了|喝不了|不)(?P<habit>{_VERBS}[^，]{{0,10}}?)$",
    r"(?:不再|再也不|从来不|从不)(?P<habit>[^，]{1,12}?)$",
    r"(?:忌口|忌)(?P<habit>[^，口]{1,8})$",
    r"(?P<fronted>[\u4e00-\u9fffA-Za-z、和]{1,8})(?:我|我都)?(?:一概|都|从来)?(?P<habit>不吃|不喝|不碰|不能吃|不能喝)$",
)
def does_not(match: re.Match[str], clause: Clause) -> Iterable[Draft] | None:
    """``不抽烟也不喝酒``, ``不吃香菜``, ``现在不跑步了``."""
    groups = match.groupdict()
    if clause.ended and not (clause.adverbials.now or "再" in clause.core or _is_change(clause)):
        return None
    found = [groups["habit"], groups.get("second") or ""]
    if fronted := groups.get("fronted"):
        verb = found[0].removeprefix("不").removeprefix("能")
        return _habits([verb + item for item in items_of(fronted)], clause)
    if clause.core.startswith("忌"):
        found = ["吃" + found[0]]
    if any(re.search(r"^(?:用|看)(?:了|谢|不|说|担|着|客|管)?$|^(?:用谢|用了|看了|吃了|喝了|玩了|打扰|开心|吃亏|打算|做|看好|吃惊|开玩笑|睡了|写了)|你|到$|下$|完$|就|才|会(?!员)|动$|起$|懂$|出$|清$|着$", one) for one in found if one):
        return None
    habits: list[str] = []
    for one in filter(None, found):
        verb = one[0]
        items = items_of(one[1:])
        habits.extend([one] if len(items) == 1 else [verb + item.removeprefix(verb) for item in items])
    return _habits(habits, clause)


@HABITS.on(rf"(?:能|可以|敢|开始|重新开始|恢复|又)(?P<habit>{_VERBS}[^，一]{{0,5}})$")
def took_up(match: re.Match[str], clause: Clause) -> Iterable[Draft] | None:
    """``现在能吃辣了``, ``又开始抽烟了``."""
    if not clause.ended or clause.adverbials.future or re.search(r"^.(?:了|好|完|到|$)", match["habit"]):
        return None
    return [Draft(keyed(dim.HABIT, match["habit"]), dim.YES)]


@HABITS.on(r"(?:现在|就)?改(?:成|为)?(?P<habit>(?:喝|吃|用|骑|坐|开|练|打|看|走路)[^，]{1,12}?)$")
def switched(match: re.Match[str], clause: Clause) -> Iterable[Draft] | None:
    """``改喝茶了``."""
    if clause.adverbials.future:
        return None
    return [Draft(keyed(dim.HABIT, match["habit"]), dim.YES, timed=True)]


_ALWAYS = re.compile(
    r"每|天天|经常|常常|时常|总是|总(?!算|结|之|觉|监|经)|老是|习惯|一般|通常|平时|平常|从来|向来|一向|偶尔|时不时|隔三差五|有时"
)


@HABITS.on(
    r"(?:有|养成了?)(?P<habit>[^，]{1,16}?)的习惯$",
    r"(?:一直|都)?习惯(?:了)?(?P<habit>[^，性上下]{2,18})$",
    r"(?:喜欢上了|坚持|坚持了)(?P<habit>[^，]{2,14})(?:[\d一二两三四五六七八九十几半]+(?:年|个月|天))?$",
    r"(?P<habit>[^，]{1,24})$",
)
def does(match: re.Match[str], clause: Clause) -> Iterable[Draft] | None:
    """``每天早上六点起床跑步``, ``习惯睡前看会儿书``."""
    marked = clause.core.startswith(("有", "养成", "习惯", "坚持", "一直习惯", "都习惯")) and match["habit"] != clause.core
    if not marked and not _ALWAYS.search(clause.adverbials.text):
        inner = _ALWAYS.search(clause.core)
        if inner is None or not clause.stated or inner.start() > 8 or clause.ended:  # noqa: PLR2004
            return None
    if not marked and (clause.ended or not _is_activity(clause.core)):
        return None
    if re.search(r"每(?:次|当|到)", clause.adverbials.text) and not re.search(r"[都就](?:会|要|得|去|[吃喝买点做看])|会|要", clause.core):
        return None
    if "我" in clause.core:
        return None
    action = re.sub(r"^(?:都|也|就|要|会|得|能|自己|一个人|必须|固定|大概|基本)+(?=..)", "", without_times(match["habit"]))
    action = _ALWAYS.sub("", action)
    action = re.sub(r"^(?:都|也|就|要|会|得|能|必须)+(?=..)", "", action)
    key = keyed(dim.HABIT, re.sub(r"^去(?=[打踢跑游爬健看听学练吃喝买逛做上参骑].)", "", action))
    return [Draft(key, dim.YES, negated=clause.adverbials.past)] if key else None


def _is_activity(core: str) -> bool:
    """Whether a core starts with something that is done; states and talk are no habits."""
    return not re.match(
        r"(?:都|也|就)?(?:觉得|感觉|感到|想|忘|说|是(?!去)|有(?!氧)|很|太|被|让|没|不知|会(?:忘|想|觉)|担心|怀疑|好像|的|什么|能听|听说|看到|见到|遇到|碰到|梦|叫|在(?!家|公司|外)|人|这|那|[A-Za-z]*$|最)"
        r"|[\u4e00-\u9fff]{0,3}(?:累|忙|困|烦|冷|热|好|贵|多|少|疼|痛)$",
        core,
    )


def _is_change(clause: Clause) -> bool:
    """Whether ``不…了`` gives a habit up; ``不吃饭了`` is only of the moment."""
    return bool(
        re.fullmatch(r"不(?:吃|喝|抽|养|染|坐|骑|熬|打|玩|穿|用)(?!饭|东西|早|晚|午|了|车|手机)[^，]{1,6}", clause.core)
    )


def _was_otherwise(clause: Clause) -> bool:
    return clause.adverbials.now or bool(re.match(r"已经|早", clause.core))


def _attitudes(said: str, value: str, clause: Clause, *, negated: bool = False) -> list[Draft] | None:
    said = said.strip()
    if _DEICTIC.search(said) or said.startswith("的") or said in ("了", "的", "过", "上", "上了", "死", "死了", "人"):
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


def _habits(found: list[str], clause: Clause) -> list[Draft] | None:
    negation = next((word for word in ("不能", "不敢", "从来不", "从不", "不再", "很少") if word in clause.predicate), "不")
    drafts = []
    for one in found:
        key = keyed(dim.HABIT, one)
        if key is None:
            return None
        says = None if len(found) == 1 else f"{negation}{one}"
        drafts.append(Draft(key, dim.YES, negated=True, says=says))
    return drafts
