"""Walking the clauses of a Chinese sentence: whom each is about and what it says.

A :class:`Chain` carries from clause to clause what the next one leaves out: the subject, whoever
was just introduced, the time.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from dualmem_graph.system1.rules.chinese import refusals as chinese_refusals
from dualmem_graph.system1.rules.chinese import text as chinese_text
from dualmem_graph.system1.rules.chinese import times as chinese_times
from dualmem_graph.system1.rules.chinese.events import EVENTS
from dualmem_graph.system1.rules.chinese.family import FAMILY
from dualmem_graph.system1.rules.chinese.findings import make_finding
from dualmem_graph.system1.rules.chinese.habits import HABITS
from dualmem_graph.system1.rules.chinese.health import HEALTH
from dualmem_graph.system1.rules.chinese.home import HOME
from dualmem_graph.system1.rules.chinese.lexicon import KIN
from dualmem_graph.system1.rules.chinese.person import INTRODUCTIONS, PERSON
from dualmem_graph.system1.rules.chinese.plans import PLANS
from dualmem_graph.system1.rules.chinese.reading import Clause, Draft
from dualmem_graph.system1.rules.chinese.skills import SKILLS
from dualmem_graph.system1.rules.chinese.subjects import (
    ADDRESSED,
    NOT_VERB,
    UNKNOWN,
    Subject,
    find_subject,
    mentioned,
    relative,
)
from dualmem_graph.system1.rules.chinese.tastes import TASTES
from dualmem_graph.system1.rules.chinese.things import THINGS
from dualmem_graph.system1.rules.chinese.work import WORK
from dualmem_graph.system1.rules.findings import Finding, SentenceContext
from dualmem_graph.types import TimeSpan

#: In the order in which they are asked; the first that answers has the clause.
_BOOKS = (
    PLANS,
    PERSON,
    HOME,
    FAMILY,
    INTRODUCTIONS,
    WORK,
    HEALTH,
    THINGS,
    TASTES,
    SKILLS,
    HABITS,
    EVENTS,
)
_REPORT = re.compile(
    r"^(?P<who>.{1,12}?)(?:昨天|今天|刚才?|之前|前几天|上次)?"
    r"(?:跟我|和我|对我|给我|在群里|打电话|发消息|微信上?)?"
    r"(?:说(?:过|了)?(?!话|明|服|法|谎|英|中文|日|德|粤|不|得|起|走|一)|告诉我|提到(?:过|了)?"
    r"|表示|透露|跟我讲|通知我)[，：:,]?(?P<what>.{2,})$"
)
#: Whose word on the speaker's body is the speaker's own fact.
_AUTHORITY = re.compile(r"医生|大夫|体检|检查|报告|医院|护士|中医|B超|心理咨询师")
_OWN_VIEW = re.compile(
    r"^(?:我)?(?:真的?|也|一直|才|突然)?(?:觉得|认为|感觉|发现|承认|得说|必须说)"
    r"(?=我(?!们)|自己|本人)"
)
_TOLD_BEFORE = re.compile(
    r"^我(?:之前|以前|上次|刚才|应该|好像)?(?:跟你|和你|给你|对你)?"
    r"(?:说过|提过|讲过|提到过|说了|告诉过你|告诉你)(?=.{3,})"
)
#: ``有个弟弟在美国读书``: the object of 有 is the subject of what follows.
_PIVOT = re.compile(
    rf"^(?P<has>.{{0,6}}?有(?:一)?(?:个|位|俩)(?:[大小])?(?P<kin>{KIN}))"
    r"(?P<rest>(?:在|是|今年|已经|刚|住|很|特别|也|去|从|最近|以前|现在|喜欢|怕|叫|想|要|打算"
    r"|说).+)$"
)
_CALL_ME = re.compile(
    r"^(?:你们?|您|大家|朋友们?|同事们?|别人)?"
    r"(?:也|就|可以|都|直接|以后|今后|请|麻烦|平时|一般|喜欢)*叫我(?P<name>[^，的]{1,10}?)"
    r"(?:就行|就好|就可以|吧|即可|就成|好|就得)?(?:了)?$"
)
#: ``香菜我不吃``, ``村上春树是我最喜欢的作家``: what comes first is the object.
_FRONTED = re.compile(
    r"^(?P<thing>[^我，]{1,8})我(?P<says>(?:从来|真的|是|都|一直|也|最)*"
    r"(?:(?:不|不能|不太|不敢)(?:吃|喝|碰|喜欢|爱吃|爱喝|爱)|讨厌|喜欢|怕))$"
)
_FAVOURITE = re.compile(
    r"^(?P<thing>[^我，]{1,16}?)(?:一直)?是我(?P<says>最?(?:喜欢|爱|讨厌)的[^，]{1,8})$"
)
#: ``我邻居在…`` with a noun that is on no list: what follows is about that, not the speaker.
_UNKNOWN_NOUN = re.compile(rf"{NOT_VERB}[\u4e00-\u9fff]{{2,3}}(?:在|是|今年|叫|已经|经常)")
_NOT_BUT = re.compile(r"(?<=.{4})(?<![也就还可是])而?不是[^，吗]{1,14}$")
_ONLY_NOT = re.compile(r"^(?:而)?不是[^，]{1,16}$")
_TIME_ONLY = re.compile(
    rf"^(?:{chinese_times.TIME_WORD.pattern}|以前|之前|小时候|现在|目前|最近|平时|后来|曾经)+$"
)
_TO_PARTNER = re.compile(r"你(?![好们])")


def is_time_only(clause: str) -> bool:
    """Whether a clause only says when, and so belongs to its neighbour (``去年夏天，…``)."""
    return bool(_TIME_ONLY.match(clause))


@dataclass(slots=True)
class Chain:
    """What a sentence has established so far.

    Attributes:
        owner: the speaker.
        ctx: what is known around the sentence.
        masked: the sentence with its quoted matter hidden.
        people: whom it spoke of, the latest first.
        reads_times: whether time words are resolved against ``ctx.reference``.
        subject: whom a clause without a subject goes on about.
        topic: the pet or person that the last clause introduced.
        time: the last event time.
        pending: a time that stood alone and belongs to the next clause.
        findings: what was found.
    """

    owner: Subject
    ctx: SentenceContext
    masked: chinese_text.Masked
    people: list[Subject] = field(default_factory=list)
    reads_times: bool = True
    subject: Subject = UNKNOWN
    topic: Subject | None = None
    time: TimeSpan | None = None
    pending: str = ""
    findings: list[Finding] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.subject = self.owner

    def read(self, text: str) -> None:
        """Read one clause, a statement as far as its words show."""
        if is_time_only(text):
            self.pending += text
            return
        text = _NOT_BUT.sub("", _TOLD_BEFORE.sub("", _OWN_VIEW.sub("", self.pending + text)))
        self.pending = ""
        if _ONLY_NOT.match(text) and self.subject.is_user:
            return
        text = _CALL_ME.sub(r"我叫\g<name>", text)
        text = _FRONTED.sub(r"我\g<says>\g<thing>", text)
        text = _FAVOURITE.sub(r"我\g<says>是\g<thing>", text)
        if self.ctx.partner:
            text = _TO_PARTNER.sub(self.ctx.partner, text)
        if pivot := _PIVOT.match(text):
            self._read_pivot(pivot)
        elif report := _REPORT.match(text):
            self._read_report(report["who"], report["what"])
        else:
            self._read_plain(text)

    def _read_plain(self, text: str) -> None:
        found = find_subject(text, self.owner, self.people)
        subject = found.subject or self.subject
        self._read_predicate(subject, found.predicate, stated=found.subject is not None)

    def _read_pivot(self, pivot: re.Match[str]) -> None:
        self._read_plain(pivot["has"])
        person = relative(self.owner, pivot["kin"])
        self.topic = person
        self._read_predicate(person, pivot["rest"], stated=True)

    def _read_report(self, who: str, what: str) -> None:
        """``小李说他下个月去日本``: a word on oneself counts, gossip and opinion do not."""
        source = find_subject(who + "说", self.owner, self.people).subject
        if _AUTHORITY.search(who) or (source is not None and source.is_user):
            self.read(what)
            return
        if source is None or not source.is_usable:
            self.subject = UNKNOWN
            return
        self._meet(source)
        self.subject = source
        told = find_subject(re.sub(r"^[他她]?自己", "", what), self.owner, [source])
        if told.subject is None or told.subject.name == source.name:
            self._read_predicate(source, told.predicate, stated=True)

    def _read_predicate(self, subject: Subject, predicate: str, *, stated: bool) -> None:
        if stated:
            self.topic = subject if subject.kind == "pet" else None
        self.subject = subject
        if not subject.is_usable or not predicate:
            return
        if "你" in predicate or "您" in predicate:
            self.subject = subject if subject.is_user else ADDRESSED
            return
        clause = self._clause(subject, predicate, stated)
        if not stated and chinese_refusals.is_command(clause.core):
            return
        if clause.adverbials.uncertain:
            return
        if subject.is_user and chinese_refusals.is_musing(clause.core):
            return
        for person in mentioned(predicate, self.owner):
            self._meet(person)
        drafts = next(filter(None, (book.read(clause) for book in _BOOKS)), [])
        if not drafts and stated and subject.is_user and _UNKNOWN_NOUN.match(predicate):
            self.subject = UNKNOWN
            return
        self._keep(drafts, clause)
        if subject.kind == "person":
            self._meet(subject)
            self.subject = subject.known()
        self._introduce(drafts)

    def _clause(self, subject: Subject, predicate: str, stated: bool) -> Clause:
        adverbials, core = chinese_times.split_adverbials(predicate)
        bare = chinese_text.strip_particles(core)
        ended = bare.endswith("了") and len(bare) > 1
        return Clause(
            subject=subject,
            predicate=chinese_text.strip_particles(predicate),
            adverbials=adverbials,
            core=bare[:-1] if ended else bare,
            owner=self.owner,
            ended=ended,
            stated=stated,
            topic=self.topic,
        )

    def _keep(self, drafts: Sequence[Draft], clause: Clause) -> None:
        spans: tuple[TimeSpan, ...] = ()
        if any(draft.timed for draft in drafts):
            spans = self._spans(clause.predicate)
        for draft in drafts:
            finding = make_finding(draft, clause, spans, self.time, self.ctx, self.masked)
            self.findings.append(finding)
        if spans:
            self.time = spans[0]

    def _spans(self, text: str) -> tuple[TimeSpan, ...]:
        if not self.reads_times:
            return ()
        return chinese_times.spans_in(text, self.ctx.reference, self.ctx.zone)

    def _introduce(self, drafts: Sequence[Draft]) -> None:
        for draft in drafts:
            if draft.introduces is not None:
                self.topic = draft.introduces.known()
                self._meet(draft.introduces)
            if draft.about is not None:
                self.subject = self.topic or draft.about.known()

    def _meet(self, subject: Subject) -> None:
        """Remember whom the sentence speaks of, the latest first."""
        known = subject.known()
        self.people = [
            known,
            *(one for one in self.people if one.name != known.name or one.kind == "pet"),
        ]
