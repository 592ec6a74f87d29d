"""Rules for what happened to somebody or is going on; tried last."""

from __future__ import annotations

import re
from collections.abc import Iterable

from dualmem_graph.system1.rules.chinese.reading import (
    Clause,
    Draft,
    RuleBook,
)
from dualmem_graph.system1.rules.chinese.times import (
    has_time_word,
)

EVENTS = RuleBook()

_LIFE_VERBS = (
    r"(?:升职|加薪|涨薪|涨工资|毕业|退休|住院|出院|做(?:了)?.{0,8}手术|动(?:了)?.{0,8}手术"
    r"|去世|过世|离世|走丢|跑丢|丢|弄丢|被偷|偷|受伤|摔|骨折|撞|出车祸|生病|走失|绝育|考"
    r"(?:了|上|过|到)|通过|过(?=了)|拿到|获得|赢|得(?:了)?(?:奖|第|冠|亚|季|金|银|铜)|拿(?:了)?"
    r"(?:奖|第|冠|亚|季|金|银|铜)|中奖|搬家|换(?:了)?工作|买(?:了)?房|装修|参加|去|回|见|遇到"
    r"|碰到|认识|学会|跑完|看完|读完|写完|做完|完成|发表|出版|开业|开店|分娩|出生|领养|入职|转正"
    r"|拔(?:了)?.{0,3}牙|打(?:了)?.{0,4}疫苗|体检|看(?:了)?|吃(?:了)?|爬(?:了)?|参观|听"
    r"(?:了)?|拍(?:了)?|办(?:了)?|做(?:了)?|收到|送(?:了)?|吵架|和好|求婚|被.{1,8}"
    r"(?:咬|撞|骂|打|批评|表扬|录取|拒|骗|抓|裁)|旅游|旅行|出差|露营|滑雪|潜水|跳伞|献血|当"
    r"(?:上|了)|加入|退出|报名|订(?:了)?|聚(?:了)?|聚会|相亲|迟到|熬夜|通宵|感染|阳)"
)

_BARE_EXPERIENCE = r"(?:[吃喝看用试听玩学做]|去|来)过"

_SMALL_EVENT = re.compile(
    r"^(?:先|要(?!.*[了过].)|希望|能|会|怕|担心|喜欢|觉得|快|用|就|去"
    r"(?:吃饭|睡|洗澡|上班|忙|上课|吃个饭)|回家|回来|出门|上班|知道|明白|懂|看到|看见|听到|听见"
    r"|问|说|试|想|忘|回复|发|收到你|打开|点|更新|下载|安装|运行|报错|改|修复|复制|上传|好|行|困"
    r"|累|饿|吃饱|下班|到家|起床|睡|醒|洗|来|是|有|没|不|太|真|很|挺|还|又|都|天气|下雨|下雪|停电"
    r"|堵车|考虑|决定|聊|查|搜|看了(?:一下|下)|做了个梦|梦|刷|忙|等|准备|做.{0,2}梦)"
)


@EVENTS.on(
    r"(?:一次|也|都|还)?(?:没|没有|从没|从来没|从未|未)(?:有)?"
    r"(?P<what>[^，]{0,4}?(?:去|吃|坐|看|见|玩|学|谈|做|喝|用|出|养|当|住)过[^，]{0,16})$",
    r"(?P<what>(?:去|到|在|来|坐|参加|学|当|做|住|养|得|拿|读|写|演|教|练|打|组|谈|出|被|吃|玩|骑"
    r"|爬|开|跑|拜访|见|接触|经历|考|创|办)[^，]{0,16}?过"
    r"(?!程|去|度|敏|来|年|节|生日)[^，]{0,14})$",
)
def experienced(match: re.Match[str], clause: Clause) -> Iterable[Draft] | None:
    """``去过日本三次``, ``小时候被咬过``."""
    if "你" in clause.core or re.fullmatch(_BARE_EXPERIENCE, clause.core):
        return None
    if not (clause.stated or clause.adverbials.past or has_time_word(clause.predicate)):
        return None
    return [Draft(None, timed=True)]


@EVENTS.on(r"(?P<what>[^，]{1,40})$")
def happened(match: re.Match[str], clause: Clause) -> Iterable[Draft] | None:
    """``昨天去看了《奥本海默》``: an event of life that has come about."""
    core = clause.core
    if (
        "你" in core
        or clause.adverbials.habitual
        or clause.adverbials.future
        or clause.adverbials.uncertain
    ):
        return None
    if re.fullmatch(_BARE_EXPERIENCE, core):
        return None
    if _SMALL_EVENT.match(core) or re.search(r"(?:吧|吗|多少)$", core):
        return None
    if re.search(r"没|不", core) and not re.match(r"[\d一二三四五六七八九十几好多]+年没", core):
        return None
    came_about = clause.ended or re.search(
        r"了|过(?!程|敏|来|年|节|分)|完|到(?!底)|通过|上(?=.{2})", core
    )
    # Without a subject of its own the clause may have an unknown one before the verb.
    eventful = (
        re.compile(_LIFE_VERBS).search(core, 0, 14)
        if clause.stated
        else re.match(rf"(?:[跟和与陪带给][^，]{{1,6}}?)?{_LIFE_VERBS}", core) or _is_weighty(core)
    )
    timed = clause.adverbials.is_timed or has_time_word(core)
    if core == "走" and clause.stated and not clause.subject.is_user:
        return [Draft(None, timed=True)]
    if eventful and came_about and (clause.stated or timed or _is_weighty(core)):
        return [Draft(None, timed=True)]
    if timed and eventful and clause.stated:
        return [Draft(None, timed=True)]
    if timed and came_about and clause.stated and len(core) > 3:
        return [Draft(None, timed=True)]
    return None


@EVENTS.on(
    r"(?:正?在)(?P<what>(?:减肥|减脂|健身|备考|考研|考公|找工作|找房|装修|学车|创业|休假|休产假"
    r"|坐月子|住院|实习|写|做|准备|筹备|筹办|开发|研究|翻译|追|练|恢复|康复|吃药|治疗|服药|带"
    r"|照顾|攒|还)[^，]{0,16})$",
)
def ongoing(match: re.Match[str], clause: Clause) -> Iterable[Draft] | None:
    """``在准备雅思``: what somebody is at these days."""
    if "你" in clause.core or not (
        clause.stated or clause.adverbials.now or clause.subject.kind != "user"
    ):
        return None
    if re.match(r"(?:做|写)(?:饭|菜|作业|什么|梦|饭菜|代码)?$", match["what"]):
        return None
    return [Draft(None, tags=("activity",))]


def _is_weighty(core: str) -> bool:
    """Whether an event matters enough to be kept without a time and a named subject."""
    return bool(
        re.search(
            r"面试|升职|加薪|毕业|住院|出院|手术|去世|过世|走丢|考上|录取|通过|获奖|冠军|结婚"
            r"|生了|买房|搬家|退休|被裁|骨折|车祸|offer",
            core,
        )
    )
