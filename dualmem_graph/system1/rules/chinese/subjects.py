"""Who a Chinese clause speaks of: first person, kin, names, pronouns, or nobody named.

Chinese drops its subject as soon as it is known, so a clause without one goes on about the subject
of the clause before. What memory keeps is third person: ``我妈`` becomes ``用户的妈妈``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from dualmem_graph.system1.rules.chinese.lexicon import (
    ANIMALS,
    BARE_KIN,
    FULL_NAME,
    GROUPS,
    KIN,
    KIN_AFTER_ME,
    KIN_FORMS,
    LATIN_NAME,
    NICKNAME,
    PLACES,
    SURNAMES,
)
from dualmem_graph.system1.rules.chinese.times import split_adverbials
from dualmem_graph.system1.rules.findings import USER, Person

#: How memory calls the person whose memory it is.
USER_DISPLAY = "用户"
_ME = r"(?:我们|咱们|俺们|(?<!自)我|俺|咱|本人)"
#: ``我的`` before a kin word, and words that only look like one (``我先生病了``, ``我对象棋``).
_NOT_KIN = (
    r"(?!(?<=先生)[病气]|(?<=先)生病|(?<=对象)棋|(?<=朋友)圈|(?<=学生)(?:时|证|会)|(?<=老大)不小|"
    r"(?<=客户)端|(?<=老师)傅|(?<=家人)多)"
)
_KIN_PHRASE = re.compile(
    rf"{_ME}(?:家的?|的)?(?:那个|这个)?(?P<kin>前任|(?:最好的|好)?(?:{KIN_AFTER_ME})){_NOT_KIN}"
    r"(?:们)?"
)
_GROUP_PHRASE = re.compile(rf"{_ME}的?(?P<group>(?!家)(?:{GROUPS}))(?!务|里人)")
_PET_PHRASE = re.compile(
    rf"(?:{_ME}家?的?|家里?的?)(?:那只|这只|那条|小|老|大)?(?P<pet>{ANIMALS})"
    r"(?![\w]?[肉粮毛砂片奶])"
)
_FIRST = re.compile(
    r"(?:(?P<family>(?:我们|咱们?|我)(?:一家(?:[三四五]口|人)?|全家(?:人)?))|我们"
    r"(?:俩|两个|几个|仨|三个)?|我(?:自己|本人)?|咱们?|俺们?|本人|在下|鄙人|老娘|偶(?!尔|像|然))"
    r"(?:这个?人|这人)?(?![的]?(?:国|方案|校区))"
)
_ADDRESSED = re.compile(r"(?:你|您|大家|各位)")
_PRONOUN = re.compile(r"(?:他|她|它|TA|ta|Ta)们?(?=的|[^a-zA-Z])")
_PREDICATE = (
    r"(?=的(?!话)|是(?!否)|在|叫|今年|现在|以前|平时|经常|总|喜欢|讨厌|怕|恐|住|要|想|会|有|没|也"
    r"|都|还|说|告诉|跟我|和我|最|下周|下个?月|下下|明[天年早]|后天|昨[天晚]|前天|去年|上周"
    r"|上个?月|上[学班小初高大]|周|已|刚|养|很|特别|超|怀孕|生[了病]|结婚|离[婚职]|订婚|辞职|去世"
    r"|搬|换|来自?|去|考|跳槽|对|不|爱|升|分手|单身|打算|准备|计划"
    r"|[0-9一二三四五六七八九十]{1,3}岁|得了|买|做|学|吃|喝|得过|退休|失业|过敏)"
)
#: Characters that open a predicate and no name.
NOT_VERB = (
    r"(?!"
    r"[在是有喜讨怕住要想会也上说最下明昨去周已刚养很特怀结离辞不没对和跟给从被把都还就得能可爱吃喝开做当搬来回过打买卖身性脾比退失创待毕订怕让叫使令请给教帮骂逼催问陪嫁娶个一二三经平以每总现今超叫的]"
    r")"
)
_NAME_AFTER_KIN = re.compile(
    rf"(?P<name>{NICKNAME}(?![\u4e00-\u9fff]{{0}}$)|(?P<twice>[\u4e00-\u9fff])(?P=twice)(?!地)"
    rf"|{FULL_NAME}{_PREDICATE}|{LATIN_NAME}|{NOT_VERB}[\u4e00-\u9fff]{{2,3}}?{_PREDICATE})"
)
_BARE_SURNAME = "王李张刘陈杨赵吴徐孙朱胡郭林罗郑梁谢宋韩冯邓曹彭蔡潘袁董蒋魏吕沈姚卢"
_COMMON_WORDS = re.compile(
    r"^(?:王者|李子|张口|杨梅|杨树|吴语|孙子|孙女|朱古力|胡[子同萝说椒]|林业|罗马|谢谢|宋[代朝]"
    r"|韩[国剧语]|沈阳|陈[年皮醋旧]|王国|刘海|梁[山祝])"
)
_NAMED = re.compile(
    rf"(?P<name>{NICKNAME}{_PREDICATE}|[{SURNAMES}]"
    rf"(?:姐|哥|总|老师|医生|叔|阿姨|经理|教授|主任){_PREDICATE}"
    rf"|[{_BARE_SURNAME}][\u4e00-\u9fff]{{1,2}}?{_PREDICATE}|"
    r"(?P<twice>(?![天人常刚偏偷慢渐往时哈嘿呵嗯好大多早快轻静好最谢拜看想等试聊说试听走])"
    rf"[\u4e00-\u9fff])(?P=twice){_PREDICATE}|{LATIN_NAME}{_PREDICATE})"
)
_BARE_KIN_PHRASE = re.compile(rf"(?P<kin>{BARE_KIN})(?!圈|们的|装|票|节|版|会上)")
#: ``我妹妹的男朋友``: somebody of somebody's.
_THEIR_KIN = re.compile(rf"的(?P<kin>{KIN})")
_OWN_KIN = re.compile(rf"{_ME}的?(?P<kin>{KIN_AFTER_ME}){_NOT_KIN}")
_OWN_GROUP = re.compile(rf"{_ME}的?(?P<group>{GROUPS})")
_OWN_FAMILY = re.compile(r"(?:我们|咱们?|我)(?=一家|全家)")
_OWN = re.compile(r"(?:我们|咱们|俺们|我自己|(?<!自)我|俺|咱|本人)")
_FEMALE = re.compile(r"妈|母|姐|妹|婆|奶|姥姥|姑|姨|婶|嫂|女|老婆|妻|太太|媳妇|闺蜜|娘")
_MALE = re.compile(r"爸|父|哥|弟|公|爷|舅|叔|伯|夫|男|儿子|侄子|兄弟")

Kind = Literal["user", "person", "pet", "group", "addressed", "unknown"]


@dataclass(frozen=True, slots=True)
class Subject:
    """Whom or what a clause is about.

    Attributes:
        name: the ``Candidate.subject``: ``"user"`` or a name.
        display: how the content names it where it is first spoken of.
        kind: ``addressed`` (你) and ``unknown`` (a pronoun nobody stands behind) yield no memory.
        kin: the kin word, where there is one.
        short: how the content names it once it is known.
    """

    name: str
    display: str
    kind: Kind
    kin: str = ""
    short: str = ""

    @property
    def is_user(self) -> bool:
        """Whether it is the speaker."""
        return self.kind == "user"

    @property
    def is_usable(self) -> bool:
        """Whether anything may be remembered of it."""
        return self.kind not in ("addressed", "unknown")

    def known(self) -> Subject:
        """The same subject, from its second mention on."""
        return Subject(self.name, self.short or self.display, self.kind, self.kin)

    def as_person(self) -> Person | None:
        """What later sentences need to know of it; ``None`` for the speaker and for things."""
        if self.kind != "person":
            return None
        pronoun = "she" if _FEMALE.search(self.kin) else "he" if _MALE.search(self.kin) else ""
        return Person(self.name, pronoun)


ADDRESSED = Subject("", "", "addressed")
UNKNOWN = Subject("", "", "unknown")


def speaker(subject: str) -> Subject:
    """The subject of first person statements: the user, or a speaker's own name."""
    return Subject(subject, USER_DISPLAY if subject == USER else subject, "user")


def relative(owner: Subject, kin: str, name: str = "") -> Subject:
    """Somebody of the owner's: ``relative(user, "妈")`` is ``用户的妈妈``."""
    kin = KIN_FORMS.get(kin, kin)
    title = owner.display + ("" if kin.startswith("最") else "的") + kin
    if name:
        return Subject(name, title + name, "person", kin, short=name)
    return Subject(title, title, "person", kin)


@dataclass(frozen=True, slots=True)
class Addressed:
    """A clause taken apart: its subject (``None`` where it is dropped) and what is said of it."""

    subject: Subject | None
    predicate: str


def find_subject(clause: str, owner: Subject, people: Sequence[Subject]) -> Addressed:
    """Tell the subject of a clause from its predicate, also behind opening adverbials.

    ``people`` are those spoken of before, the latest first; they answer to pronouns and names.

    Example:
        >>> found = find_subject("上周我妈住院了", speaker("user"), ())
        >>> found.subject.name, found.predicate
        ('用户的妈妈', '上周住院了')
    """
    found = _at_start(clause, owner, people)
    if found.subject is not None:
        return found
    adverbials, rest = split_adverbials(clause)
    if adverbials.text:
        found = _at_start(rest, owner, people)
        if found.subject is not None:
            return Addressed(found.subject, adverbials.text + found.predicate)
    return Addressed(None, clause)


def third_person(text: str, owner: Subject) -> str:
    """Put the first person inside a predicate into the third.

    Example:
        >>> third_person("带我妈去了我们公司", speaker("user"))
        '带用户的妈妈去了用户的公司'
    """
    if not _OWN.search(text):
        return text
    text = _OWN_KIN.sub(lambda m: f"{owner.display}的{KIN_FORMS.get(m['kin'], m['kin'])}", text)
    text = _OWN_GROUP.sub(lambda m: f"{owner.display}的{m['group']}", text)
    text = _OWN_FAMILY.sub(owner.display, text)
    return _OWN.sub(owner.display, text)


def mentioned(predicate: str, owner: Subject) -> list[Subject]:
    """Relatives of the owner's that a predicate names, for a later pronoun."""
    return [relative(owner, match["kin"]) for match in _OWN_KIN.finditer(predicate)]


def _at_start(clause: str, owner: Subject, people: Sequence[Subject]) -> Addressed:
    if match := _KIN_PHRASE.match(clause):
        return _with_name(clause, match.end(), match["kin"], owner)
    if match := _PET_PHRASE.match(clause):
        pet = Subject(owner.name, f"{owner.display}的{match['pet']}", "pet", match["pet"])
        return Addressed(pet, clause[match.end() :])
    if match := _GROUP_PHRASE.match(clause):
        title = f"{owner.display}的{match['group']}"
        return Addressed(Subject(title, title, "group"), clause[match.end() :])
    if match := _FIRST.match(clause):
        subject = owner
        if match["family"]:
            subject = Subject(owner.name, f"{owner.display}一家", "user")
        return Addressed(subject, clause[match.end() :])
    if match := _ADDRESSED.match(clause):
        return Addressed(ADDRESSED, clause[match.end() :])
    if match := _PRONOUN.match(clause):
        return Addressed(_answering(match.group(), people), clause[match.end() :])
    return _named(clause, owner, people)


def _named(clause: str, owner: Subject, people: Sequence[Subject]) -> Addressed:
    for person in people:
        if person.kind == "person" and clause.startswith(person.name):
            return Addressed(person, clause[len(person.name) :])
    if match := _BARE_KIN_PHRASE.match(clause):
        return _with_name(clause, match.end(), match["kin"], owner)
    if (match := _NAMED.match(clause)) and not _is_common(match["name"]):
        name = match["name"]
        return Addressed(Subject(name, name, "person"), clause[match.end() :])
    return Addressed(None, clause)


def _with_name(clause: str, end: int, kin: str, owner: Subject) -> Addressed:
    rest = clause[end:]
    match = _NAME_AFTER_KIN.match(rest)
    if match and not split_adverbials(rest)[0].text and not _is_common(match["name"]):
        return Addressed(relative(owner, kin, match["name"]), rest[match.end() :])
    person = relative(owner, kin)
    nested = _THEIR_KIN.match(rest)
    if nested:
        return Addressed(relative(person, nested["kin"]), rest[nested.end() :])
    return Addressed(person, rest)


def _answering(pronoun: str, people: Sequence[Subject]) -> Subject:
    """The last person that the pronoun can mean."""
    wanted = {"他": "she", "她": "he"}.get(pronoun[0])
    things = pronoun[0] == "它"
    for person in people:
        if things and person.kind == "pet":
            return person
        known = person.as_person()
        if known is not None and not things and known.pronoun != wanted:
            return person
    return UNKNOWN


_PLACE_NAME = re.compile(rf"^(?:{PLACES})$")
_KIN_WORD = re.compile(rf"^(?:{KIN})$")


def _is_common(name: str) -> bool:
    return bool(_COMMON_WORDS.match(name) or _PLACE_NAME.match(name) or _KIN_WORD.match(name))
