"""What the rules of Chinese are made of: a clause to look at, drafts to answer, books of rules.

A rule is a pattern over the *core* of a clause (the predicate without opening adverbials and the
closing 了) and a function that turns the match into :class:`Draft` objects. Rules classify; the
words that are kept are the speaker's own, see :mod:`.chinese`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property

from dualmem_graph.system1.rules import dimensions
from dualmem_graph.system1.rules.chinese.subjects import Subject
from dualmem_graph.system1.rules.chinese.times import Adverbials

_HAN_DIGITS = {char: value for value, char in enumerate("零一二三四五六七八九")} | {
    "〇": 0,
    "两": 2,
}
_HAN_NUMBER = re.compile(r"^([一二两三四五六七八九]?)(十?)([一二三四五六七八九]?)$")
_LIGHT_VERB = re.compile(
    r"^(?:去|到)?(?:[吃喝](?=.)|(?:看|听|玩|打|踢|拍|用|弹|拉|说|讲|养|穿|读|逛)(?=.{2,}))"
    r"(?!书店|点|个|得|不|苦|亏|醋|力)"
)
_QUANTITY = re.compile(
    r"^(?:了|过|着)?(?!一(?:个人|起|切|样|直|家|边|同))"
    r"(?:(?:[一两二三四五六七八九十几好\d]+(?:来|多)?)|这|那|个|点|些)?"
    r"(?:只|条|匹|头|辆|台|部|套|架|把|块|双|件|本|张|个|位|对|间|栋|幅|枚|款|副|顶|支|瓶|杯|碗"
    r"|份|顿|场|次|种|些|点儿?|会儿?|口|家|名|门)?(?=[^的]{1,})"
)
_LIST = re.compile(
    r"[、/&]|以及|还有|和(?!平|谐|服|牛|尚|解|我|他|她|朋|家|同|别|人|孩|老|妈|爸)|跟"
    r"(?!我|他|她|风|团|朋|家|同|人)|与(?!人|我)"
)
_TOO_LONG = 24
_LONGEST_ITEM = 10


@dataclass(frozen=True, slots=True)
class Clause:
    """One clause, taken apart.

    Attributes:
        subject: whom it is about.
        predicate: all that is said of the subject, adverbials and 了 included.
        adverbials: the opening adverbials.
        core: the predicate without them and without a closing 了.
        ended: whether a closing 了 was taken off.
        owner: the speaker, whom the subject may belong to.
        stated: whether the clause names its subject, or only goes on about it.
        topic: the pet or person that the clause before introduced.
    """

    subject: Subject
    predicate: str
    adverbials: Adverbials
    core: str
    owner: Subject
    ended: bool = False
    stated: bool = True
    topic: Subject | None = None


@dataclass(frozen=True, slots=True)
class Draft:
    """What a rule makes of a clause.

    Attributes:
        dimension: what it is a version of, ``None`` for an event.
        value: the value along the dimension.
        negated: it ends something.
        says: the predicate to keep, where the speaker's own will not do.
        timed: whether the clause's time words say when it happened.
        about: the subject, where it is not the clause's.
        introduces: somebody that later clauses may go on about.
        tags: tags besides those of the dimension.
    """

    dimension: str | None
    value: str | None = None
    negated: bool = False
    says: str | None = None
    timed: bool = False
    about: Subject | None = None
    introduces: Subject | None = None
    tags: tuple[str, ...] = ()


Builder = Callable[[re.Match[str], Clause], Iterable[Draft] | None]


@dataclass(frozen=True)
class Rule:
    """A pattern and what to make of its match.

    The pattern is compiled when a clause first gets as far as this rule: all of them together
    take a fifth of a second, which a short script need not pay.
    """

    source: str
    build: Builder

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """The compiled pattern, anchored by ``match`` at the start of the core."""
        return re.compile(self.source)


@dataclass(frozen=True, slots=True)
class RuleBook:
    """Rules in the order in which they are tried; the first that answers has the clause."""

    rules: list[Rule] = field(default_factory=list)

    def on(self, *patterns: str) -> Callable[[Builder], Builder]:
        """Register a builder for cores that one of the ``patterns`` matches from their start."""

        def register(builder: Builder) -> Builder:
            self.rules.extend(Rule(pattern, builder) for pattern in patterns)
            return builder

        return register

    def read(self, clause: Clause) -> list[Draft]:
        """The drafts of the first rule that answers, or none."""
        for rule in self.rules:
            match = rule.pattern.match(clause.core)
            if match is not None:
                drafts = rule.build(match, clause)
                if drafts is not None:
                    return list(drafts)
        return []


def keyed(dimension: str, key: str) -> str | None:
    """A keyed dimension, or ``None`` where the key is empty or is a whole sentence."""
    key = key.strip("的了过着 ")
    if not dimensions.normalise_key(key) or len(key) > _TOO_LONG:
        return None
    return dimensions.keyed(dimension, key)


def object_of(phrase: str) -> str:
    """The thing that a liked or done action is about: ``吃火锅`` → ``火锅``, ``看书`` stays.

    Example:
        >>> object_of("喝一杯热巧克力"), object_of("看书"), object_of("打羽毛球")
        ('热巧克力', '看书', '羽毛球')
    """
    phrase = re.sub(r"^(?:去|到|来|要)(?=..)", "", phrase.strip())
    return without_quantity(_LIGHT_VERB.sub("", phrase))


def without_quantity(noun: str) -> str:
    """``一辆蓝色的自行车`` → ``蓝色的自行车``."""
    stripped = _QUANTITY.sub("", noun, count=1)
    return stripped or noun


def thing_of(noun: str) -> str:
    """The bare thing in a noun phrase: ``一辆蓝色的自行车`` → ``自行车``."""
    noun = without_quantity(noun.strip())
    return noun.rpartition("的")[2] or noun


def items_of(phrase: str) -> list[str]:
    """The parts of a list of short things (``咖啡、茶和果汁``); any other phrase is one part."""
    parts = [part.strip() for part in _LIST.split(phrase)]
    if len(parts) == 1 or any(not part or len(part) > _LONGEST_ITEM for part in parts):
        return [phrase]
    if "的" in parts[-1] and "的" not in parts[0]:  # 数学和科学的问题: the list is inside
        return [phrase]
    return parts


def number_of(text: str) -> str | None:
    """A number up to 99 as digits: ``六十`` → ``60``; ``None`` where it is none.

    Example:
        >>> number_of("二十八"), number_of("35"), number_of("十")
        ('28', '35', '10')
    """
    if text.isascii() and text.isdigit():
        return str(int(text))
    if len(text) > 1 and all(char in _HAN_DIGITS for char in text):
        return "".join(str(_HAN_DIGITS[char]) for char in text).lstrip("0") or None
    match = _HAN_NUMBER.match(text)
    if match is None or not text:
        return None
    tens, ten, ones = match.groups()
    if not ten:
        return str(_HAN_DIGITS[tens or ones])
    return str((_HAN_DIGITS[tens] if tens else 1) * 10 + (_HAN_DIGITS[ones] if ones else 0))
