"""Walking the clauses of a Chinese sentence: who each is about, what it says, what comes of it.

A :class:`Chain` carries from clause to clause what the next one leaves out: the subject, whoever
was just introduced, the time.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from dualmem_graph.system1.rules import (
    chinese_life,
    chinese_person,
    chinese_refusals,
    chinese_tastes,
    chinese_text,
    chinese_times,
    chinese_work,
    dimensions,
)
from dualmem_graph.system1.rules.chinese_lexicon import KIN
from dualmem_graph.system1.rules.chinese_reading import Clause, Draft
from dualmem_graph.system1.rules.chinese_subjects import (
    ADDRESSED,
    UNKNOWN,
    Subject,
    find_subject,
    relative,
    third_person,
)
from dualmem_graph.system1.rules.findings import Finding, SentenceContext
from dualmem_graph.text.times import find_times
from dualmem_graph.types import BasicInfo, Candidate, Layer, MemoryType, TimeSpan

_BOOKS = (
    chinese_life.PLANS,
    chinese_person.RULES,
    chinese_work.RULES,
    chinese_life.THINGS,
    chinese_tastes.TASTES,
    chinese_tastes.HABITS,
    chinese_life.EVENTS,
)
_REPORT = re.compile(
    r"^(?P<who>.{1,12}?)(?:昨天|今天|刚才?|之前|前几天|上次)?(?:跟我|和我|对我|给我|在群里|打电话|发消息|微信上?)?"
    r"(?:说(?:过|了)?(?!话|明|服|法|谎|英|中文|日|德|粤|不|得|起|走|一)|告诉我|提到(?:过|了)?|表示|透露|跟我讲|通知我)[，：:,]?(?P<what>.{2,})$"
)
_AUTHORITY = re.compile(r"医生|大夫|体检|检查|报告|医院|护士|中医|B超|心理咨询师")
_OWN_VIEW = re.compile(r"^(?:我)?(?:真的?|也|一直|才|突然)?(?:觉得|认为|感觉|发现|承认|得说|必须说)(?=我(?!们)|自己|本人)")
_TOLD_BEFORE = re.compile(r"^我(?:之前|以前|上次|刚才|应该|好像)?(?:跟你|和你|给你|对你)?(?:说过|提过|讲过|提到过|说了|告诉过你|告诉你)(?=.{3,})")
_PIVOT = re.compile(
    rf"^(?P<has>.{{0,6}}?有(?:一)?(?:个|位|俩)(?:[大小])?(?P<kin>{KIN}))(?P<rest>(?:在|是|今年|已经|刚|住|很|特别|也|去|从|最近|以前|现在|喜欢|怕|叫).+)$"
)
_CALL_ME = re.compile(
    r"^(?:你们?|您|大家|朋友们?|同事们?|别人)?(?:也|就|可以|都|直接|以后|平时|一般|喜欢)*叫我(?P<name>[^，的]{1,10}?)(?:就行|就好|就可以|吧|即可|就成|好|就得)?(?:了)?$"
)
_NOT_BUT = re.compile(r"(?<=.{4})(?<![也就还可是])而?不是[^，吗]{1,14}$")
_ONLY_NOT = re.compile(r"^(?:而)?不是[^，]{1,16}$")
_DISCOURSE = re.compile(r"^(?:也|还(?!是|款|钱|在)|就(?!读|职|业)|其实|确实|真的|当然|反正|都(?!市)|又|那|然后|只是|主要)+(?=.{2,})")
_PURE_TIME = re.compile(rf"^(?:{chinese_times.TIME_WORD.pattern}|以前|之前|小时候|现在|目前|最近|平时|后来|曾经)+$")


@dataclass(slots=True)
class Chain:
    """What a sentence has established so far, clause by clause."""

    owner: Subject
    subject: Subject
    people: list[Subject]
    topic: Subject | None = None
    time: TimeSpan | None = None
    pending: str = ""
    findings: list[Finding] = field(default_factory=list)

    def meet(self, subject: Subject) -> None:
        """Remember whom the sentence speaks of, the latest first."""
        known = subject.known()
        self.people = [known, *(one for one in self.people if one.name != known.name or one.kind == "pet")]


def read_clause(
    text: str, chain: Chain, ctx: SentenceContext, masked: chinese_text.Masked
) -> None:
    if _PURE_TIME.match(text):
        chain.pending += text
        return
    text = _NOT_BUT.sub("", _TOLD_BEFORE.sub("", _OWN_VIEW.sub("", chain.pending + text)))
    chain.pending = ""
    if _ONLY_NOT.match(text) and chain.subject.is_user:
        return
    text = _CALL_ME.sub(r"我叫\g<name>", text)
    pivot = _PIVOT.match(text)
    if pivot:
        read_clause(pivot["has"], chain, ctx, masked)
        person = relative(chain.owner, pivot["kin"])
        chain.subject = chain.topic = person
        _read_predicate(person, pivot["rest"], True, chain, ctx, masked)
        return
    report = _REPORT.match(text)
    if report:
        _read_report(report["who"], report["what"], chain, ctx, masked)
        return
    found = find_subject(text, chain.owner, chain.people)
    subject = found.subject or chain.subject
    _read_predicate(subject, found.predicate, found.subject is not None, chain, ctx, masked)


def _read_report(
    who: str, what: str, chain: Chain, ctx: SentenceContext, masked: chinese_text.Masked
) -> None:
    """``小李说他下个月去日本``: a person's word on themselves counts, gossip and opinion do not."""
    if _AUTHORITY.search(who):
        read_clause(what, chain, ctx, masked)
        return
    source = find_subject(who + "说", chain.owner, chain.people).subject
    if source is None or not source.is_usable:
        chain.subject = UNKNOWN
        return
    if source.is_user:
        read_clause(what, chain, ctx, masked)
        return
    chain.meet(source)
    chain.subject = source
    told = find_subject(re.sub(r"^(?:自己|他自己|她自己)", "", what), chain.owner, [source])
    if told.subject is None or told.subject.name == source.name:
        _read_predicate(source, told.predicate, True, chain, ctx, masked)


def _read_predicate(
    subject: Subject,
    predicate: str,
    stated: bool,
    chain: Chain,
    ctx: SentenceContext,
    masked: chinese_text.Masked,
) -> None:
    if stated:
        chain.topic = subject if subject.kind == "pet" else None
    chain.subject = subject
    if not subject.is_usable or not predicate:
        return
    if "你" in predicate or "您" in predicate:
        chain.subject = ADDRESSED if not subject.is_user else subject
        return
    clause = _clause(subject, predicate, stated, chain)
    if clause.adverbials.uncertain or (subject.is_user and chinese_refusals.is_musing(clause.core)):
        return
    drafts = next(filter(None, (book.read(clause) for book in _BOOKS)), [])
    spans = _spans(predicate, ctx) if any(draft.timed for draft in drafts) else ()
    for draft in drafts:
        chain.findings.append(_finding(draft, clause, spans, chain, ctx, masked))
    if subject.kind == "person":
        chain.meet(subject)
        chain.subject = subject.known()
    _introduce(drafts, chain)
    if spans:
        chain.time = spans[0]


def _clause(subject: Subject, predicate: str, stated: bool, chain: Chain) -> Clause:
    adverbials, core = chinese_times.split_adverbials(predicate)
    bare = chinese_text.strip_particles(core)
    ended = bare.endswith("了") and len(bare) > 1
    return Clause(
        subject=subject,
        predicate=chinese_text.strip_particles(predicate),
        adverbials=adverbials,
        core=bare[:-1] if ended else bare,
        owner=chain.owner,
        ended=ended,
        stated=stated,
        topic=chain.topic,
    )


def _introduce(drafts: Sequence[Draft], chain: Chain) -> None:
    for draft in drafts:
        if draft.introduces is not None:
            chain.topic = draft.introduces.known()
            chain.meet(draft.introduces)
        if draft.about is not None:
            chain.subject = chain.topic or draft.about.known()


def _spans(text: str, ctx: SentenceContext) -> tuple[TimeSpan, ...]:
    if ctx.reference is _ANY_TIME or not chinese_times.has_time_word(text):
        return ()
    return tuple(find_times(text, ctx.reference, zone=ctx.zone))


def _finding(
    draft: Draft,
    clause: Clause,
    spans: Sequence[TimeSpan],
    chain: Chain,
    ctx: SentenceContext,
    masked: chinese_text.Masked,
) -> Finding:
    subject = draft.about or clause.subject
    dimension = _dimension(draft.dimension, subject, clause.owner)
    spans = tuple(spans) if draft.timed else ()
    event = min(spans, key=lambda span: span.end - span.start, default=None)
    if event is None and draft.timed and dimension is None and not clause.stated:
        event = chain.time
    says = _DISCOURSE.sub("", draft.says or clause.predicate)
    says = chinese_times.spell_out(third_person(says, clause.owner), spans, ctx.zone)
    is_own = subject.name == ctx.subject
    layer = dimensions.layer_for(dimension) if is_own else Layer.FACT
    is_episode = draft.timed and layer is Layer.FACT and (event is not None or dimension is None)
    value = masked.restore(draft.value) if draft.value else draft.value
    candidate = Candidate(
        content=masked.restore(subject.display + says) + "。",
        layer=layer,
        memory_type=MemoryType.EPISODIC if is_episode else MemoryType.SEMANTIC,
        subject=subject.name,
        turn_index=ctx.turn_index,
        tags=draft.tags or dimensions.tags_for(dimension),
        dimension=masked.restore(dimension) if dimension else None,
        value=value if dimension is not None else None,
        negated=draft.negated,
        event=event,
        quote=masked.restore(clause.predicate),
    )
    people = [one for one in (subject, draft.introduces) if one is not None]
    return Finding(
        candidate,
        basic_info=_basic_info(candidate, clause, ctx) if is_own else (),
        people=tuple(person for one in people if (person := one.as_person()) is not None),
    )


def _dimension(dimension: str | None, subject: Subject, owner: Subject) -> str | None:
    """Pets have no dimensions but their own; other people's plans are events to the owner."""
    if dimension is None:
        return None
    if subject.kind == "pet":
        return dimension if dimensions.base(dimension) == dimensions.PET else None
    if subject.name != owner.name and dimensions.base(dimension) == dimensions.PLAN:
        return None
    return dimension


def _basic_info(
    candidate: Candidate, clause: Clause, ctx: SentenceContext
) -> tuple[BasicInfo, ...]:
    key = dimensions.PROFILE_KEYS.get(candidate.dimension or "")
    # What was so long ago says nothing of what the profile holds now.
    if key is None or (candidate.negated and clause.adverbials.past):
        return ()
    return (BasicInfo(key, None if candidate.negated else candidate.value, ctx.turn_index),)
