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

_NARROW_NAME = re.compile(
    rf"^(?P<name>{LATIN_NAME}|[\u4e00-\u9fff]{{2,4}}?|[\w-]{{2,16}})"
    r"(?=住|现居|居住|家[住在]|是|在|叫|今年|目前|现在|最?喜欢|讨厌|爱|害?怕|恐|不|已|搬|有|养|对|从|会|擅长|每|习惯|计划|打算|准备|想|曾|以前|没|单身|离|结|戒|吃|就|"
    r"毕业|任职|来自|出生|性格|患|得了|买|换|跳槽|加入|入职|失业|退休|热爱|偏好|精通|正在|更|\d{1,3}岁|的(?:名字|生日|职业|工作|老家|家乡|专业|公司|年龄|爱好)|做|于|20\d\d年|19\d\d年)"
)
_USER_WORD = re.compile(r"(?:该|这位|本)?(?:用户|使用者)")
_ANY_TIME = datetime(2000, 1, 1, tzinfo=UTC)


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
    chain = Chain(owner, owner, [_known_person(person, owner) for person in ctx.people])
    pieces = chinese_text.clauses(masked.text)
    if pieces and ctx.asked:
        first = replace(pieces[0], text=complete(chinese_text.bare(pieces[0].text), ctx.asked))
        pieces = [first, *pieces[1:]]
    texts = list(_statements(pieces, chinese_text.has_speech(masked)))
    if len(texts) > 1 and is_time_only(texts[-1]):
        texts[-2:] = [texts[-1] + texts[-2]]
    for text in texts:
        read_clause(text, chain, ctx, masked)
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
    chain = Chain(owner, owner, [])
    ctx = SentenceContext(reference=_ANY_TIME, zone=UTC, language="zh")
    for piece in chinese_text.clauses(masked.text):
        read_clause(_with_known_name(piece.text, chain), chain, ctx, masked)
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


def _known_person(person: Person, owner: Subject) -> Subject:
    """A person of an earlier sentence, with the kin word that tells their pronoun."""
    kin = {"she": "女", "he": "男"}.get(person.pronoun, "")
    return Subject(person.name, person.name, "person", kin)


def _with_known_name(text: str, chain: Chain) -> str:
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
