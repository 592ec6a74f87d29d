"""Which of the two languages a text is written in, and how long it is to a model."""

from __future__ import annotations

import re
from typing import Literal

from dualmem_graph.text.scripts import HAN, HANGUL, KANA, UNSPACED
from dualmem_graph.text.wordlists import words

Language = Literal["en", "zh"]

# What is not prose: fenced and inline code, addresses, paths, and names with a joint inside.
_NOT_PROSE = re.compile(
    r"```.*?(?:```|\Z)|`[^`\n]*`|(?<!\w)\w{1,20}://[!-~]+|(?<!\w)www\.[!-~]+"
    r"|(?<![\w.+-])[\w.+-]{1,64}@[\w-]+\.\w+|(?<!\w)\w++(?:[._/\\:-]\w++)+",
    re.DOTALL | re.ASCII,
)
_HAN = re.compile(f"[{HAN}]")
_JAPANESE = re.compile(f"[{KANA}]")
_KOREAN = re.compile(f"[{HANGUL}]")
# Words that open with a capital are mostly names, which people keep in any language.
_LOWER_WORD = re.compile(r"(?<![A-Za-z])(?:[a-z][a-z'’]*|I)(?![A-Za-z])")
_WIDE = re.compile(f"[{UNSPACED}]|[^\u0000-\u2fff]")

_ENGLISH_GRAMMAR = words(
    "a an the i my me you your he him his she her it its we our they them their is am are was were"
    " be been do does did have has had to of in on at for from with by about and or but not that"
    " this who what when where why how will would can could should"
)
_CHINESE_GRAMMAR = frozenset(
    "的了我你他她它们是在有和就都也很不没这那吗呢吧啊啦着过把被给让去来说想要会能么怎哪谁"
)


def detect_language(text: str) -> Language:
    """Say whether a text is Chinese (``"zh"``) or not (``"en"``).

    Code, addresses and identifiers do not count. Grammar decides rather than the number of
    letters: function words weigh more than names and loan words, so that a Chinese sentence full
    of English terms stays Chinese and an English sentence about 王小明 stays English. Japanese and
    Korean count as ``"en"``, as does text without any letters.

    >>> detect_language("我用 PostgreSQL 和 machine learning 做推荐")
    'zh'
    >>> detect_language("I met 王小明 yesterday")
    'en'
    """
    if text.isascii():
        return "en"
    prose = _NOT_PROSE.sub(" ", text)
    han = _HAN.findall(prose)
    if not han:
        return "en"
    foreign = len(_JAPANESE.findall(prose)) + len(_KOREAN.findall(prose))
    # Japanese is written with kana between its ideographs; a Chinese text may quote a few.
    if foreign * 4 > len(han):
        return "en"
    chinese = len(han) + sum(char in _CHINESE_GRAMMAR for char in han)
    words = _LOWER_WORD.findall(prose)
    english = len(words) + 2 * sum(word.lower() in _ENGLISH_GRAMMAR for word in words)
    return "zh" if chinese >= english else "en"


def estimate_tokens(text: str) -> int:
    """Estimate how many tokens a model sees in a text, without any tokenizer.

    A Chinese, Japanese or Korean character and an emoji count one token each, four ASCII
    characters count one, two characters of other alphabets count one. The sum is rounded up.

    >>> estimate_tokens("我搬到了上海"), estimate_tokens("moved to Shanghai")
    (6, 5)
    """
    if text.isascii():
        return (len(text) + 3) // 4
    wide = len(_WIDE.findall(text))
    ascii_chars = len(text.encode("ascii", "ignore"))
    return (4 * wide + ascii_chars + 2 * (len(text) - wide - ascii_chars) + 3) // 4


def token_quarters(char: str) -> int:
    """Give one character's share of :func:`estimate_tokens`, in quarters of a token."""
    if char.isascii():
        return 1
    return 4 if _WIDE.match(char) else 2
