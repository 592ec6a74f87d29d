"""Chinese text made ready for rules: quoted matter hidden, clauses cut, particles taken off.

Spoken Chinese runs on: one sentence is a chain of clauses behind commas, spaces or nothing at all,
and what is quoted (``“…”``, ``《…》``, code, addresses) is not the speaker's own statement. The
functions here cut the chain and hide the quoted matter behind one placeholder character each, so
that no rule can look inside; :meth:`Masked.restore` puts it back.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

#: The placeholders: letters to every pattern, and a script (Yi) that chats in Chinese never hold.
_FIRST_MASK, _LAST_MASK = 0xA000, 0xA0FF
_MASKED = re.compile(
    r"《[^《》]{1,80}》|“[^“”]{0,400}”|‘[^‘’]{0,200}’|「[^「」]{0,400}」|『[^『』]{0,400}』"
    r'|"[^"]{0,400}"|`[^`]{0,400}`|https?://[^\s，。；！？）)]+'
    r"|(?<![A-Za-z0-9_.+-])[A-Za-z0-9_.+-]{1,64}@[A-Za-z0-9-]{1,64}\.[A-Za-z0-9.-]+"
)
_PARENTHESES = re.compile(r"（[^（）]{0,120}）|\([^()]{0,120}\)")
_EMOJI = re.compile(
    r"(?:[\U0001F000-\U0001FAFF\u2190-\u21FF\u2300-\u27BF\u2B00-\u2BFF\uFE0F\u200D\u20E3]"
    r"|\[[\u4e00-\u9fff]{1,3}\])+"
)
#: The ideographs, with the placeholder's range, so that a hidden title counts as a word.
_HAN = r"[\u3007\u3400-\u9fff\uA000-\uA0FF]"
_SPACED = re.compile(rf"(?<={_HAN})\s+(?={_HAN})|(?<=[\u4e00-\u9fff])\s{{2,}}|\n")
_PANGU = re.compile(rf"(?<={_HAN})[ \t]+(?=[A-Za-z0-9])|(?<=[A-Za-z0-9])[ \t]+(?={_HAN})")
_BREAKS = re.compile(
    r"(?:[，；;。！!？?…~～\n|｜]|,(?!\d)|(?<!\d),)+|——+|(?<![A-Za-z0-9])\.{2,}|："
    r"(?=\s*(?:我|俺|本人|咱))"
)
_CONJUNCTIONS = re.compile(
    r"(?<=[^不虽])(?=(?:但是|不过(?![敏去来期节分关瘾年])|而且|然后|所以|因为|可是|同时|并且|只是)(?!说|不))|(?<=\S{3})"
    r"(?=但(?:我|不|也|很|更|还|最|没|讨厌|怕))"
)
#: A new subject in the middle of a run-on clause, unless a verb or preposition asks for it.
_RUN_ON = re.compile(
    r"(?<="
    r"[^跟和给对让叫请帮把被比说得为道欢爱的是在陪问诉教骂打找见想带送借等怕恨厌像与替向随由要])"
    r"(?=(?:我|他|她)(?:在|是|想|要|打算|现在|今年|喜欢|就|有|去年|住|叫|最近|从小)(?!的))"
)
_MIN_RUN_ON = 4
#: Nobody states one fact in more characters; what is longer is pasted, and slow to match.
LONGEST_CLAUSE = 160
_QUESTION_MARK = re.compile(r"[？?]")
_PARTICLES = re.compile(
    r"(?:[啊呀耶哦噢哈嘛啦喽哒诶欸呐咯唉额]|hh+|233+|www+|lol|orz|hhh|的说|呢|吧|而已|来着"
    r"|就是了)+$",
    re.IGNORECASE,
)
_OPENERS = re.compile(
    r"^(?:说起来|嗯+|哦+|噢|诶|欸|哎呀?|唉|额|呃|emm+|哈哈+|嘿嘿|hhh*|ps[:：]|对了|话说(?:回来)?"
    r"|说实话|老实说|实话说|讲真|说真的|坦白说|顺便(?:说一下|一提)?|另外|还有就是|还有|然后|所以"
    r"|因为|但是|不过(?![敏去来期节分关瘾年])|而且|虽然|反正|总之|其实|可是|只是|并且|同时|原来|是的|没错|事实上|实际上"
    r"|不瞒你说|跟你说|告诉你|你知道吗|准确(?:地|来)?说|更正(?:一下)?|纠正(?:一下)?|应该说|刚"
    r"(?:才)?说错了|说错了|搞错了|打错了|我是说|我的意思是|补充(?:一下|一点)?|汇报一下|自我介绍"
    r"(?:一下)?|大家好|你好|您好|hello|hi|嗨|早上好|晚上好|对的|但(?=[我俺咱不也很更还最没]))"
    r"[，,：:\s]*",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Masked:
    """A text whose quoted matter stands behind placeholders."""

    text: str
    hidden: tuple[str, ...] = ()

    def restore(self, text: str) -> str:
        """Put the quoted matter back into ``text``, a piece of this text."""
        if not self.hidden:
            return text
        return "".join(self._original(char) for char in text)

    def _original(self, char: str) -> str:
        index = ord(char) - _FIRST_MASK
        return self.hidden[index] if 0 <= index < len(self.hidden) else char


@dataclass(frozen=True, slots=True)
class Piece:
    """One clause as cut: its text, and whether a question mark closed it."""

    text: str
    asked: bool = False


def mask(text: str) -> Masked:
    """Fold widths of letters and digits, drop asides in brackets, hide quoted matter."""
    folded = _PARENTHESES.sub("", _fold_letters(text))
    hidden: list[str] = []

    def hide(match: re.Match[str]) -> str:
        if len(hidden) > _LAST_MASK - _FIRST_MASK:
            return ""
        hidden.append(match.group())
        return chr(_FIRST_MASK + len(hidden) - 1)

    return Masked(_MASKED.sub(hide, folded), tuple(hidden))


def has_speech(masked: Masked) -> bool:
    """Whether a quotation in the text speaks in the first person, so that it is not a mere name."""
    return any(hidden[0] not in "《h" and "我" in hidden for hidden in masked.hidden)


def is_masked(text: str) -> bool:
    """Whether a placeholder stands in ``text``."""
    return any(_FIRST_MASK <= ord(char) <= _LAST_MASK for char in text)


def clauses(text: str) -> list[Piece]:
    """Cut a masked sentence into its clauses, in order, none of them empty.

    Example:
        >>> [piece.text for piece in clauses("我住在成都，喜欢吃辣 但是不吃香菜")]
        ['我住在成都', '喜欢吃辣', '但是不吃香菜']
    """
    text = _EMOJI.sub("，", text)
    text = _SPACED.sub("，", _PANGU.sub("", text))
    pieces: list[Piece] = []
    start = 0
    for match in _BREAKS.finditer(text):
        _append(pieces, text[start : match.start()], bool(_QUESTION_MARK.search(match.group())))
        start = match.end()
    _append(pieces, text[start:], False)
    return pieces


def bare(clause: str) -> str:
    """Take interjections off the front and particles off the end of a clause.

    Example:
        >>> bare("对了，其实我住在无锡呢")
        '我住在无锡'
    """
    before = None
    while before != clause:
        before = clause
        clause = _OPENERS.sub("", clause).strip()
    return strip_particles(clause)


def strip_particles(clause: str) -> str:
    """Take sentence-final particles off a clause; the aspect mark 了 stays."""
    return _PARTICLES.sub("", clause).strip()


def _append(pieces: list[Piece], text: str, asked: bool) -> None:
    parts = [
        part.strip(" \t、：:。.")
        for whole in _CONJUNCTIONS.split(text)
        for part in _split_run_on(whole)
    ]
    parts = [part for part in parts if part]
    for part in parts[:-1]:
        pieces.append(Piece(part))
    if parts:
        pieces.append(Piece(parts[-1], asked))
    elif asked and pieces:
        pieces[-1] = Piece(pieces[-1].text, True)


def _split_run_on(text: str) -> list[str]:
    parts: list[str] = []
    start = 0
    for match in _RUN_ON.finditer(text):
        if match.start() - start >= _MIN_RUN_ON:
            parts.append(text[start : match.start()])
            start = match.start()
    return [*parts, text[start:]]


def _fold_letters(text: str) -> str:
    return "".join(
        unicodedata.normalize("NFKC", char)
        if "\uff10" <= char <= "\uff5a" and char.isalnum()
        else char
        for char in text
    )
