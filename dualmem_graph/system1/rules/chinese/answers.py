"""Short answers made whole: ``上海`` after ``你住在哪里？`` is ``我住在上海``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from dualmem_graph.system1.rules.dimensions import PROFILE_KEYS, same_value
from dualmem_graph.system1.rules.findings import Finding
from dualmem_graph.types import BasicInfo, Candidate

_CORRECTION = re.compile(
    r"^(?:不对?|说错了|搞错了|打错了|更正(?:一下)?|纠正(?:一下)?|应该)?[，,：:\s]*"
    r"(?:不是(?P<old>[^，,。我]{1,12})[，,\s]*(?:而)?(?:应该)?是(?P<new>[^，,。我]{1,12})|"
    r"(?:应该)?是(?P<new_first>[^，,。我]{1,12})[，,\s]*(?:而)?不是"
    r"(?P<old_last>[^，,。我]{1,12}))[。.！!～~了啦哦啊\s]*$"
)
_LONGEST_ANSWER = 18
#: What was asked, and the statement that an answer to it makes.
_FRAMES: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(asked), frame)
    for asked, frame in (
        (r"怎么称呼|叫什么|(?:你|您)的?(?:名字|姓名)|贵姓", "我叫{}"),
        (r"多大|几岁|年龄|岁数|贵庚", "我今年{}岁"),
        (r"生日", "我的生日是{}"),
        (r"老家|家乡|哪里人|哪儿人|什么地方人", "我的老家是{}"),
        (r"住在?哪|住哪|哪个城市|在哪座城市|住的城市|现居|定居在哪", "我住在{}"),
        (
            r"(?:在|去)哪(?:家|个)(?:公司|单位)|哪里(?:上班|工作)|哪儿(?:上班|工作)|什么公司",
            "我在{}上班",
        ),
        (r"职业|做什么(?:工作)?的?|什么工作|从事什么", "我的职业是{}"),
        (r"(?:哪所|哪个|什么)(?:学校|大学)|在哪(?:里|儿)?(?:读|上)", "我在{}读书"),
        (r"专业", "我的专业是{}"),
        (r"过敏", "我对{}过敏"),
        (
            r"最喜欢(?:的|哪|什么)(?P<kind>颜色|电影|歌手|水果|季节|城市|运动|书|食物|菜)",
            "我最喜欢的{kind}是{}",
        ),
        (r"(?:有什么|什么)?(?:爱好|兴趣)", "我的爱好是{}"),
        (r"喜欢(?:吃|喝|看|听|玩)?(?:什么|哪)", "我喜欢{}"),
    )
)
_NO_VALUE = re.compile(
    r"^(?:不|没|无|保密|秘密|你猜|随便|都|暂时|好|嗯|哦|是的|对$|谢|算了|什么|为什么|干嘛|怎么"
    r"|关你|哈|在|就|我|看情况|说不)"
)
_ANSWER_FILLER = re.compile(
    r"^(?:是|叫|在|住在?|我的?|应该是|就是|当然是|嗯|哦|现在|目前|一般|主要|喜欢|对|去|做|来自)+"
    r"(?=..)"
)
_YES_NO = re.compile(
    r"(?:你|您)(?:平时|一般|现在|也|还|会不会|是不是|有没有)?"
    r"(?P<verb>喜欢|讨厌|怕|爱吃|爱喝|爱|能吃|会|养|有|吃|喝|抽)(?P<object>[^，。？?！]{1,16}?)"
    r"(?:吗|么|呢|没有|嘛|不)?[？?]"
)
_YES = re.compile(
    r"^(?:很|超|超级|特别|非常|挺|当然|也|还|蛮|最)*"
    r"(?:喜欢|爱|有|会|怕|养|吃|喝|抽|讨厌|是的|对的?|嗯+|是啊|必须的|能)"
    r"(?:的|啊|呀|呢|吃|喝|了)*$"
)
_NO = re.compile(
    r"^(?:真的?|其实|并|一点也|一点都)*(?P<no>不太|不怎么|不是很|不|没有?|从不|从来不)"
    r"(?P<verb>喜欢|爱|会|怕|养|吃|喝|抽|讨厌|能|有)?(?:的|啊|呀|呢|吃|喝)*$"
)
_HAS = re.compile(r"^(?:有|养了?)(?=[一两三二四五六七八九十几\d]*(?:只|条|个|匹))")


def complete(answer: str, asked: str) -> str:
    """Make a whole first person statement of a short answer, or return it as it is.

    Example:
        >>> complete("上海", "你现在住在哪个城市？")
        '我住在上海'
        >>> complete("不太喜欢", "你喜欢吃辣吗？")
        '我不太喜欢吃辣'
    """
    if (
        not asked
        or len(answer) > _LONGEST_ANSWER
        or ("你" not in asked and "您" not in asked and "称呼" not in asked)
    ):
        return answer
    return _yes_or_no(answer, asked) or _value(answer, asked) or answer


def correction(sentence: str) -> tuple[str, str] | None:
    """The new and the old value of ``不是北京，是南京``; ``None`` for anything else.

    Example:
        >>> correction("说错了，是南京不是北京")
        ('南京', '北京')
    """
    match = _CORRECTION.match(sentence.strip())
    if match is None:
        return None
    return match["new"] or match["new_first"], match["old"] or match["old_last"]


def corrected(new: str, old: str, earlier: Sequence[Candidate], turn_index: int) -> Finding | None:
    """The latest of the earlier statements whose value was ``old``, said anew with ``new``."""
    for one in reversed(earlier):
        if one.dimension and one.value and same_value(one.value, old) and old in one.content:
            content = one.content.replace(old, new, 1)
            candidate = replace(
                one, content=content, value=new, turn_index=turn_index, quote=f"不是{old}，是{new}"
            )
            key = PROFILE_KEYS.get(one.dimension) if one.subject == "user" else None
            return Finding(candidate, (BasicInfo(key, new, turn_index),) if key else ())
    return None


def _yes_or_no(answer: str, asked: str) -> str | None:
    question = _YES_NO.search(asked)
    if question is None:
        return None
    verb, thing = question["verb"], question["object"]
    if re.search(r"什么|哪|谁|怎么", thing):
        return None
    if _YES.match(answer):
        return f"我{verb}{thing}"
    if match := _NO.match(answer):
        negation = match["no"].replace("不是很", "不太")
        if verb in ("养", "有"):
            negation = "没" if verb == "有" else "不"
        return f"我{negation}{verb}{thing}"
    if verb in ("养", "有") and _HAS.match(answer):
        return "我" + _HAS.sub("养了", answer) if "宠物" in thing else f"我{answer}"
    return None


def _value(answer: str, asked: str) -> str | None:
    if re.match(r"我|俺|咱|.{0,4}叫我", answer) or "，" in answer:
        return None
    for pattern, frame in _FRAMES:
        if question := pattern.search(asked):
            value = _ANSWER_FILLER.sub("", answer)
            if not value or _NO_VALUE.match(value):
                return None
            if "岁" in frame:
                value = value.removesuffix("了").removesuffix("岁")
            return frame.format(value, kind=question.groupdict().get("kind", ""))
    return None
