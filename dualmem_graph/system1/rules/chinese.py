"""The rules form of the extractor for Chinese: one sentence in, findings out.

A sentence is a chain of clauses. Each is judged in order: is it a statement at all
(:mod:`.chinese_refusals`), whom is it about (:mod:`.chinese_subjects`; a dropped subject is that of
the clause before), what does it say (the rule books), and since when
(:mod:`dualmem_graph.text.times`). The content of a finding is the speaker's own predicate under a
subject in the third person.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

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
from dualmem_graph.system1.rules.chinese_answers import complete
from dualmem_graph.system1.rules.chinese_lexicon import KIN, LATIN_NAME
from dualmem_graph.system1.rules.chinese_reading import Clause, Draft
from dualmem_graph.system1.rules.chinese_refusals import asks_to_forget, asks_to_remember
from dualmem_graph.system1.rules.chinese_subjects import (
    ADDRESSED,
    UNKNOWN,
    Subject,
    find_subject,
    relative,
    speaker,
    third_person,
)
from dualmem_graph.system1.rules.findings import USER, Finding, Person, Reading, SentenceContext
from dualmem_graph.text.times import find_times
from dualmem_graph.types import BasicInfo, Candidate, Layer, MemoryType, TimeSpan

__all__ = [
    "asks_to_forget",
    "asks_to_remember",
    "is_small_talk",
    "read_sentence",
    "read_statement",
]

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
_NOT_BUT = re.compile(r"(?<=.{4})(?<![也就还可是])而?不是[^，吗]{1,14}$")
_ONLY_NOT = re.compile(r"^(?:而)?不是[^，]{1,16}$")
_DISCOURSE = re.compile(r"^(?:也|还(?!是|款|钱|在)|就(?!读|职|业)|其实|确实|真的|当然|反正|都(?!市)|又|那|然后|只是|主要)+(?=.{2,})")
_PURE_TIME = re.compile(rf"^(?:{chinese_times.TIME_WORD.pattern}|以前|之前|小时候|现在|目前|最近|平时|后来|曾经)+$")
_NARROW_NAME = re.compile(
    rf"^(?P<name>{LATIN_NAME}|[\u4e00-\u9fff]{{2,4}}?|[\w-]{{2,16}})"
    r"(?=住|现居|居住|家[住在]|是|在|叫|今年|目前|现在|最?喜欢|讨厌|爱|害?怕|恐|不|已|搬|有|养|对|从|会|擅长|每|习惯|计划|打算|准备|想|曾|以前|没|单身|离|结|戒|吃|就|"
    r"毕业|任职|来自|出生|性格|患|得了|买|换|跳槽|加入|入职|失业|退休|热爱|偏好|精通|正在|更|\d{1,3}岁|的(?:名字|生日|职业|工作|老家|家乡|专业|公司|年龄|爱好)|做|于|20\d\d年|19\d\d年)"
)
_USER_WORD = re.compile(r"(?:该|这位|本)?(?:用户|使用者)")
_ANY_TIME = datetime(2000, 1, 1, tzinfo=UTC)


@dataclass(slots=True)
class _Chain:
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


def read_sentence(sentence: str, ctx: SentenceContext) -> list[Finding]:
    """Find what one sentence says about somebody's life.

    Args:
        sentence: one sentence as said, first person.
        ctx: when, where and by whom it was said.

    Returns:
        The findings in the order of the clauses, none of them twice; empty where the sentence
        asks, orders, supposes, quotes or is small talk.

    Example:
        >>> ctx = SentenceContext(reference=datetime(2024, 5, 15, tzinfo=UTC), zone=UTC)
        >>> [one.candidate.content for one in read_sentence("我住在成都，喜欢吃火锅", ctx)]
        ['用户住在成都。', '用户喜欢吃火锅。']
    """
    if chinese_refusals.is_code(sentence) or asks_to_forget(sentence):
        return []
    masked = chinese_text.mask(asks_to_remember(sentence) or sentence)
    owner = speaker(ctx.subject)
    chain = _Chain(owner, owner, [_known_person(person, owner) for person in ctx.people])
    pieces = chinese_text.clauses(masked.text)
    if pieces and ctx.asked:
        first = replace(pieces[0], text=complete(chinese_text.bare(pieces[0].text), ctx.asked))
        pieces = [first, *pieces[1:]]
    for text in _statements(pieces, chinese_text.has_speech(masked)):
        _read_clause(text, chain, ctx, masked)
    return _without_repeats(chain.findings)


def is_small_talk(text: str) -> bool:
    """Whether a whole text is courtesy, acknowledgement, a question or an order.

    Example:
        >>> is_small_talk("好的，谢谢啦！"), is_small_talk("我住在北京")
        (True, False)
    """
    if chinese_refusals.is_code(text):
        return False
    pieces = chinese_text.clauses(chinese_text.mask(text).text)
    return all(_is_talk(piece) for piece in pieces)


def read_statement(content: str) -> Reading | None:
    """Read back what a third-person statement is a version of.

    Example:
        >>> read_statement("用户现居杭州。")
        Reading(subject='user', dimension='home', value='杭州', negated=False)
        >>> read_statement("阿杰怕高").dimension
        'attitude:高'
    """
    first_person = _USER_WORD.sub("我", content.strip())
    masked = chinese_text.mask(first_person)
    owner = speaker(USER)
    chain = _Chain(owner, owner, [])
    ctx = SentenceContext(reference=_ANY_TIME, zone=UTC, language="zh")
    for piece in chinese_text.clauses(masked.text):
        _read_clause(_with_known_name(piece.text, chain), chain, ctx, masked)
        for finding in chain.findings:
            found = finding.candidate
            if found.dimension is not None:
                return Reading(found.subject, found.dimension, found.value, found.negated)
    return None


def _is_talk(piece: chinese_text.Piece) -> bool:
    text = chinese_text.bare(piece.text)
    return (
        chinese_refusals.is_phatic(piece.text)
        or chinese_refusals.is_phatic(text)
        or chinese_refusals.is_question(piece.text, asked=piece.asked)
        or chinese_refusals.is_command(text)
        or chinese_refusals.is_musing(re.sub(r"^我(?:就|也|再|先|只是)?", "", text))
    )


def _statements(pieces: Sequence[chinese_text.Piece], speech: bool) -> Iterator[str]:
    """The clauses of a sentence that state something, up to where it supposes or hands over."""
    held: str | None = None
    for piece in pieces:
        text = chinese_text.bare(piece.text)
        asks = chinese_refusals.is_question(piece.text, asked=piece.asked)
        orders = chinese_refusals.is_command(text)
        if chinese_refusals.is_hypothetical(text):
            break
        if asks or orders:
            if asks and held is not None and chinese_refusals.opens_choice(text + held):
                held = None
            if held is not None:
                yield held
                held = None
            if chinese_refusals.hands_over_material(text):
                return
            continue
        if held is not None:
            yield held
        held = None
        quotes = speech and any("\ue000" <= char <= "\ue0ff" for char in text)
        if text and not chinese_refusals.is_phatic(text) and not quotes:
            held = text
    if held is not None:
        yield held


def _read_clause(
    text: str, chain: _Chain, ctx: SentenceContext, masked: chinese_text.Masked
) -> None:
    if _PURE_TIME.match(text):
        chain.pending += text
        return
    text = _NOT_BUT.sub("", _TOLD_BEFORE.sub("", _OWN_VIEW.sub("", chain.pending + text)))
    chain.pending = ""
    if _ONLY_NOT.match(text) and chain.subject.is_user:
        return
    pivot = _PIVOT.match(text)
    if pivot:
        _read_clause(pivot["has"], chain, ctx, masked)
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
    who: str, what: str, chain: _Chain, ctx: SentenceContext, masked: chinese_text.Masked
) -> None:
    """``小李说他下个月去日本``: a person's word on themselves counts, gossip and opinion do not."""
    if _AUTHORITY.search(who):
        _read_clause(what, chain, ctx, masked)
        return
    source = find_subject(who, chain.owner, chain.people).subject
    if source is None or not source.is_usable:
        chain.subject = UNKNOWN
        return
    if source.is_user:
        _read_clause(what, chain, ctx, masked)
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
    chain: _Chain,
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


def _clause(subject: Subject, predicate: str, stated: bool, chain: _Chain) -> Clause:
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


def _introduce(drafts: Sequence[Draft], chain: _Chain) -> None:
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
    chain: _Chain,
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


def _known_person(person: Person, owner: Subject) -> Subject:
    """A person of an earlier sentence, with the kin word that tells their pronoun."""
    kin = {"she": "女", "he": "男"}.get(person.pronoun, "")
    return Subject(person.name, person.name, "person", kin)


def _with_known_name(text: str, chain: _Chain) -> str:
    """Let a statement's subject be any name that stands before a verb."""
    if find_subject(text, chain.owner, chain.people).subject is None:
        match = _NARROW_NAME.match(text)
        if match:
            chain.people.insert(0, Subject(match["name"], match["name"], "person"))
    return text


def _without_repeats(findings: Sequence[Finding]) -> list[Finding]:
    """Drop what is said twice, and a denial that the next clause replaces (``不是医生，是药剂师``)."""
    kept: list[Finding] = []
    for index, finding in enumerate(findings):
        one = finding.candidate
        later = [other.candidate for other in findings[index + 1 :]]
        if any(other.content == one.content for other in later):
            continue
        if one.negated and any(
            not other.negated
            and other.dimension == one.dimension is not None
            and other.subject == one.subject
            and "不是" in one.content
            for other in later
        ):
            continue
        kept.append(finding)
    return kept
