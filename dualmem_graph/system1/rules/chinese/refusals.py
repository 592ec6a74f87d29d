"""What is not a statement about somebody's life: questions, wishes, orders, courtesies, code.

Each function judges one clause (masked, see :mod:`.chinese.text`) or one whole text. They err on
the side of refusing: a question taken for a fact is worse than a fact that waits to be said again.
"""

from __future__ import annotations

import re

from dualmem_graph.system1.rules.chinese.lexicon import KIN_AFTER_ME

_QUESTION = re.compile(
    r"吗$|[^什怎那这要多]么$|(?<!没)(?<!没有)什么(?!的$|都|也)|怎么(?!都|也|办)|怎么办"
    r"|咋[办么样整]?|为何|为什么|为啥|啥(?!都|也)|谁(?!都|也)|哪(?!怕|都|也)|多少|多大(?!了?的)"
    r"|多久|多远|几(?:点|号|月|岁|楼)了?$|是否|能否|可否|是不是|有没有|能不能|会不会|要不要"
    r"|好不好|行不行|可不可以|该不该|对不对|喜不喜欢|想不想|用不用|需不需要|算不算|去不去|吃不吃"
    r"|值不值|如何|何时|来着$|对吧$|是吧$|记得(?:我|吗)|^你?知道(?:我|吗)|^难道"
)
_ONLY_YOU = re.compile(r"^(?:你|您|那你|那|他|她|我)呢$")
_CHOICE = re.compile(r"^还是|应该|该(?!死)")
_HYPOTHETICAL = re.compile(
    r"如果|要是|假如|假设|假使|假若|假装|倘若|万一|若是|要不是|除非|就算|即使|即便|哪怕|的话$"
    r"|的话，|就好了$|该多好|但愿|多希望|真希望|好希望|幻想|梦见|梦到|想象|有朝一日|下辈子|早知道"
    r"|恨不得|巴不得|差点(?!意思)"
)
_NOT_ME = rf"(?!(?:的|家)?(?:{KIN_AFTER_ME}))"
_COMMAND = re.compile(
    r"^(?:那|那你|那就)?(?:请|麻烦|劳烦|拜托|能不能|可不可以|可以|能否|你能|你可以|你来|你|咱们?"
    r"|我们)?(?:你)?(?:再|先|来|就|直接|快|现在|一起|继续)*"
    rf"(?:帮我{_NOT_ME}|帮忙|帮帮|给我{_NOT_ME}|替我{_NOT_ME}|为我{_NOT_ME}|告诉我"
    rf"|教教?我{_NOT_ME}|陪我(?:聊|说|玩)|让我们|提醒我?|翻译|总结|归纳|推荐|解释|介绍(?!人)"
    r"|列[出一举]|列个|生成|画[一个张幅]|查[一下询查]|搜[一索下]|运行|跑[一下]|再跑|执行|修改"
    r"|改写|优化|润色|续写|扩写|缩写|假装|扮演|假设|想象|讲[个讲一]|说说|聊聊|说[个一]|继续|重新"
    r"|再来|再说|再写|写[一个篇首封段份点出下]|用(?:中文|英文|英语|日语|日文|一句话|法语|Python)"
    r"|把(?:这|那|下面|上面|以下|它|文|代码|“|[\uA000-\uA0FF])|将(?:以下|这|下面)|别"
    r"(?!人|的|墅|扭)|不要(?:再|给|用|说|告诉|推荐|回复|记)|不用(?:再|给|回)|看[看一下](?!书)"
    r"|看一看|看这|打开|关[闭掉](?!了)|设置|设[个一]|忘[掉记](?!了)|删[除掉](?!了)|清空|停[下止]"
    r"|分析|对比|比较一下|计算|算[一算]下?|检查[一下]|举[个一]|给出|提供|回答|模仿|编[一个]|预测"
    r"|帮着|试着|试试|确认一下|听我说|你猜|猜猜|等[我一等](?:下|会)?|稍等|开始吧?$|出[个一]"
    r"|起[个一]|做[个一](?:表|计划|总结|图))"
)
_HANDS_OVER = re.compile(
    r"写|翻译|改写|润色|总结|假装|扮演|想象|讲|编|续写|扩写|画|生成|造句|润|模仿|假设|(?:把|将)"
    r"(?:这|下面|以下|上面)|运行|解释|分析|什么意思|怎么(?:说|翻|读|改)"
)
_REQUEST_WISH = re.compile(
    r"^(?:想|想要|需要|希望)(?:请)?(?:你|您|问|知道|了解|听|看看|咨询|请教|确认|聊|和你|跟你|让你"
    r"|请你|一下)|^(?:再|先)?(?:想想|看看|试试|考虑|问问|查查|研究)|^"
    r"(?:觉得|认为|以为|感觉(?!不)|知道|明白|理解|懂(?![一点]|得)|同意|相信|猜|看来|看样子|承认"
    r"|听说|记得|记住|忘|发现|怀疑|不确定|不知道|不懂|不明白|不记得|不信|不同意|不太懂|没听懂"
    r"|没看懂|没明白|没问题|没事|没关系|没空|没时间|等你|等一下|(?:好|行|可以)(?:的|吧|了)?$)"
)
_PHATIC_WORDS = r"""
你好 您好 嗨 哈喽 哈啰 嘿 hello hi hey yo 早 早上好 早安 上午好 中午好 下午好 晚上好 晚安 午安
好久不见 在吗 在么 在不在 在 有人吗 谢谢 谢谢你 谢谢您 谢谢啦 谢谢了 多谢 感谢 谢了 谢啦 谢
万分感谢 非常感谢 感谢你 thx thanks 3q 蟹蟹 ok okay okk 好 好的 好吧 好哒 好嘞 好滴 好呀 行 行吧
行啊 可以 可以的 没问题 没事 没事儿 没关系 不客气 不用谢 不用 不用了 不必了 不谢 收到 明白 明白了
懂了 懂 了解 了解了 知道了 我知道了 我知道 我明白了 我懂了 原来如此 原来是这样 这样啊 这样 是 是的
是啊 是呀 对 对的 对啊 对呀 对对对 不是 没有 不 没 有 真的 真的假的 真棒 太棒了 棒 好棒 辛苦
辛苦了 辛苦啦 拜拜 拜 再见 回见 回头见 回头聊 下次聊 先这样 就这样 先到这 bye byebye 88 886 厉害
太厉害了 好厉害 牛 牛逼 牛啊 赞 点赞 不错 还不错 挺好 挺好的 很好 太好了 非常好 有道理 说得对
你说得对 没错 加油 恭喜 恭喜你 抱歉 对不起 不好意思 打扰了 稍等 等一下 等等 等会 继续 然后 然后呢
还有呢 还有吗 我想想 我再想想 让我想想 我试试 我看看 我去试试 我考虑一下 随便 都行 都可以 无所谓
算了 测试 test 嗯嗯好 那好 那行 那就好 先忙 我先忙了 忙去了 哇 哇塞 天哪 天啊 我的天 卧槽 晕 无语
好难 好累 累死了 困死了 饿死了 好困 好饿 好无聊 无聊 烦死了 气死我了 笑死 笑死我了 哭了 我哭了
绝了 离谱 救命 生日快乐 新年快乐 圣诞快乐 节日快乐 元旦快乐 端午安康 中秋快乐 周末愉快 祝你好运
辛苦你了 爱你 么么哒 你真好 你真棒 你太厉害了 好喜欢你 我爱你 喜欢你
"""
_PHATIC = re.compile(
    r"^(?:"
    + "|".join(sorted((re.escape(w) for w in _PHATIC_WORDS.split()), key=len, reverse=True))
    + r"|嗯+|哦+|噢+|啊+|哈+|呵+|嘿+|嘻+|额+|呃+|唔+|6{2,}|2333*|hh+|emm+|呜+|好+的?|对+|是+|"
    r"今天天气.{1,6}|天气.{1,5}|(?:祝你|祝您|祝).{1,8}|我?(?:没意见|同意|赞成))$",
    re.IGNORECASE,
)
_CODE = re.compile(
    r"```|^\s*(?:def|import|from|class|return|print|const|let|var|function|public|select|insert"
    r"|update|sudo|pip3?|npm|git|cd|curl|docker|#include|<\?|<!)\b|Traceback|Error:|Exception\b"
    r"|\bat [\w.$]+\(|[{};]\s*$|=>|==|!=|\w+\([^)]*\)\s*[;{:]?\s*$|^\s*[\w.\[\]\"']+\s*=\s*\S"
    r"|^\s*<[/a-z]|^\[?\d{4}-\d\d-\d\d[T ]\d\d:",
    re.IGNORECASE | re.MULTILINE,
)
_HAN = re.compile(r"[\u4e00-\u9fff]")
_MOSTLY_CODE = 0.4
#: How much of a text shows whether it is code.
_CODE_SEEN = 1_000

#: An order about a text that follows; the text is material, wherever the turn goes on.
_TASK_TEXT = re.compile(
    r"(?P<mark>^|[。！？!?\n；，,])[ \t]*(?:(?:请|麻烦|能不能|可以)?(?:你)?"
    r"(?:帮我|帮忙|给我|替我|把|将|请|用)[^。！？\n：:]{0,24}?"
    r"(?:翻译|改|润色|总结|概括|校对|分析|解释|写|读|看|评)[^。！？\n：:]{0,16}|"
    r"(?:翻译|改写|润色|总结|概括|归纳|校对|分析|解释|点评|续写|扩写|缩写)[^。！？\n：:]{0,16}|"
    r"(?:下面|以下)(?:是|这)[^。！？\n：:]{0,16}|(?:原文|文章|作文|代码|日志|报错信息?)"
    r"(?:是|如下)?)[：:]\s*(?=\S)"
)
_ROLE_PLAY = re.compile(
    r"^(?:请|从现在(?:开始|起)[，,]?|接下来[，,]?)?(?:你)?(?:现在|来)?"
    r"(?:(?:假装|扮演|模仿|假设)你?|你(?:现在)?是一?(?:个|名|位)|我们来?(?:玩|做)?"
    r"(?:个)?角色扮演)"
)
_CODE_BLOCK = re.compile(r"```.*?(?:```|$)", re.DOTALL)
_QUOTED_LINE = re.compile(r"^[ \t]*>.*$", re.MULTILINE)

_REMEMBER_VERB = (
    r"(?:记住|记下来?|记一下|记着|记录一下|记录下来|备注一下|记一笔|牢记|"
    r"(?:别|不要|千万别|可别)忘(?:了|记)?(?!提醒)|不要忘记|提醒我(?:一下|要|记得)?|"
    r"(?:要|一定要)?记得(?=我|，|：)|remember(?: that)?)"
)
_REMEMBER = re.compile(
    r"^(?:(?:请|麻烦|拜托)?你?(?:要|一定要|得|能|可以|也|先)?(?:请|务必|一定)?"
    rf"(?:帮我|帮忙|给我|替我)?(?:好好|先|也|把这个|这个)?){_REMEMBER_VERB}"
    r"(?:一下|一点|一件事|件事|这个|这点|这件事|哦|啊|哈|呀|下)*[，,：:\s。！!]*(?P<payload>.+)$",
    re.IGNORECASE | re.DOTALL,
)
_REMEMBER_LAST = re.compile(
    r"^(?P<payload>.{4,}?)[，,。；;！!\s]+(?:请|麻烦)?你?(?:要|一定要)?"
    rf"(?:帮我|给我|替我)?{_REMEMBER_VERB}(?:一下|这个|这点|下|哦|啊|哈|呀|了)*[。！!~～]*$",
    re.IGNORECASE | re.DOTALL,
)
_REMIND = re.compile(r"提醒我(?:一下|要|记得)?")
_NOT_REMEMBER = re.compile(r"^(?:了|吗|没|没有|了吗|不住|我)$|[?？]$|吗$|记得住|^了[，。]?$")
_FORGET = re.compile(
    r"^(?:请|麻烦)?你?(?:把|帮我|给我|可以|能不能|能)?(?:请)?"
    r"(?:忘掉|忘了(?!吗)|忘记|删掉|删除|清除|清空|抹掉|移除|不要(?:再)?记(?:住|得|着|录)?|别"
    r"(?:再)?记(?:住|得|着|录)?(?!错))(?:一下|掉)?[，,：:\s]*(?:有关|关于|所有关于)?"
    r"(?P<payload>.{1,60}?)(?:的(?:记忆|信息|记录|事情?|内容))?[吧了。！!~]*$"
)
_FORGET_BA = re.compile(
    r"^(?:请|麻烦)?你?(?:帮我|给我)?把(?:有关|关于)?(?P<payload>.{1,40}?)"
    r"(?:的(?:记忆|信息|记录|事情?|内容))?(?:都|全|全部|给)*"
    r"(?:忘掉|忘了|忘记|删掉|删除|删了|清除|抹掉)[吧了。！!~]*$"
)
_FORGETTABLE = re.compile(
    r"我|刚才|刚刚|上面|之前|这[个件条些]|那[个件条些]|他|她|[\u4e00-\u9fff]{2,}"
)


def own_words(text: str) -> str:
    """A turn without code, quoted lines, handed-over material and role play.

    Example:
        >>> own_words("把这段翻译成英文：我住在北京")
        ''
        >>> own_words("我住在北京。帮我润色一下这句话：今天很冷")
        '我住在北京。'
    """
    if _ROLE_PLAY.match(text):
        return ""
    text = _QUOTED_LINE.sub("", _CODE_BLOCK.sub("\n", text))
    match = _TASK_TEXT.search(text)
    if match is not None:
        text = text[: match.end("mark")]
    return "\n".join(line for line in text.splitlines() if not is_code(line)).strip()


def is_question(clause: str, *, asked: bool = False) -> bool:
    """Whether a clause asks, by its words or by the question mark that closed it."""
    return asked or bool(_QUESTION.search(clause) or _ONLY_YOU.match(clause))


def opens_choice(clause: str) -> bool:
    """Whether a clause weighs alternatives (``应该留下``), which its sequel may ask about."""
    return bool(_CHOICE.search(clause))


def is_hypothetical(clause: str) -> bool:
    """Whether a clause supposes or wishes; what follows it in the sentence is supposed as well."""
    return bool(_HYPOTHETICAL.search(clause))


def is_command(clause: str) -> bool:
    """Whether a clause tells the assistant to do something."""
    return bool(_COMMAND.match(clause))


def hands_over_material(clause: str) -> bool:
    """Whether an order or question is about a text that follows (``翻译成英文：…``).

    What comes after it is material, not a statement of the speaker's.
    """
    return bool(_HANDS_OVER.search(clause))


def is_musing(predicate: str) -> bool:
    """Whether the speaker's predicate is about this talk rather than about life (``想问一下``)."""
    return bool(_REQUEST_WISH.match(predicate))


def is_phatic(clause: str) -> bool:
    """Whether a clause is a greeting, thanks, an acknowledgement or an exclamation."""
    return not clause or bool(_PHATIC.match(clause))


def is_code(text: str) -> bool:
    """Whether a text is code, a log or an error message rather than something said."""
    text = text[:_CODE_SEEN]
    if not _CODE.search(text):
        return False
    return "```" in text or len(_HAN.findall(text)) < _MOSTLY_CODE * len(text.replace(" ", ""))


def asks_to_remember(text: str) -> str | None:
    """The payload of an explicit request to remember, ``None`` where there is none.

    Example:
        >>> asks_to_remember("帮我记一下，周五下午三点开会")
        '周五下午三点开会'
        >>> asks_to_remember("你记住了吗？") is None
        True
    """
    text = text.strip()
    match = _REMEMBER.match(text) or _REMEMBER_LAST.match(text)
    if match is None:
        return None
    payload = _REMIND.sub("", match["payload"].strip(" ，,：:。！!～~"))
    if not payload or _NOT_REMEMBER.search(payload) or is_question(payload):
        return None
    return payload


def asks_to_forget(text: str) -> str | None:
    """What the speaker wants forgotten, ``None`` where nothing is asked.

    Example:
        >>> asks_to_forget("忘掉我的地址")
        '我的地址'
        >>> asks_to_forget("我忘了带伞") is None
        True
    """
    text = text.strip()
    match = _FORGET_BA.match(text) or _FORGET.match(text)
    if match is None or text.endswith(("?", "？", "吗")):
        return None
    payload = match["payload"].strip(" ，,：:。！!～~")
    return payload if payload and _FORGETTABLE.search(payload) else None
