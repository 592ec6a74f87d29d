"""The rules form of the extractor for Chinese: one sentence in, findings out.

A sentence is a chain of clauses. Each is judged in order: is it a statement at all
(:mod:`.chinese.refusals`), whom is it about (:mod:`.chinese.subjects`; a dropped subject is that of
the clause before), what does it say (the rule books), and since when
(:mod:`dualmem_graph.text.times`). The content of a finding is the speaker's own predicate under a
subject in the third person.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from dualmem_graph.system1.rules.chinese import refusals as chinese_refusals
from dualmem_graph.system1.rules.chinese import text as chinese_text
from dualmem_graph.system1.rules.chinese import traditional as chinese_traditional
from dualmem_graph.system1.rules.chinese.answers import complete, corrected, correction
from dualmem_graph.system1.rules.chinese.chain import Chain, is_time_only
from dualmem_graph.system1.rules.chinese.findings import keep_verbatim
from dualmem_graph.system1.rules.chinese.lexicon import LATIN_NAME
from dualmem_graph.system1.rules.chinese.subjects import Subject, find_subject, speaker
from dualmem_graph.system1.rules.findings import USER, Finding, Person, Reading, SentenceContext
from dualmem_graph.types import Candidate

__all__ = [
    "asks_to_forget",
    "asks_to_remember",
    "is_small_talk",
    "own_words",
    "read_sentence",
    "read_statement",
]

#: A name as models write it, told from the verb after it.
_NAME_BEFORE_VERB = re.compile(
    rf"^(?P<name>{LATIN_NAME}|[\u4e00-\u9fff]{{2,4}}?|[\w-]{{2,16}})"
    r"(?=住|现居|居住|家[住在]|是|在|叫|今年|目前|现在|最?喜欢|讨厌|爱|害?怕|恐|不|已|搬|有|养|对"
    r"|从|会|擅长|每|习惯|计划|打算|准备|想|曾|以前|没|单身|离|结|戒|吃|就|毕业|任职|来自|出生"
    r"|性格|患|得了|买|换|跳槽|加入|入职|失业|退休|热爱|偏好|精通|正在|更|\d{1,3}岁|做|于"
    r"|20\d\d年|19\d\d年|的(?:名字|生日|职业|工作|老家|家乡|专业|公司|年龄|爱好))"
)
_USER_WORD = re.compile(r"(?:该|这位|本)?(?:用[户戶]|使用者)")
_NO_TIME = datetime(2000, 1, 1, tzinfo=UTC)


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
    script = chinese_traditional.simplified(sentence)
    found = _read_simplified(script.text, ctx)
    return [chinese_traditional.as_written(one, script) for one in found]


def _read_simplified(sentence: str, ctx: SentenceContext) -> list[Finding]:
    if chinese_refusals.is_code(sentence) or chinese_refusals.asks_to_forget(sentence):
        return []
    if change := correction(sentence):
        said = corrected(*change, ctx.earlier(), ctx.turn_index)
        if said is not None:
            return [said]
    payload = chinese_refusals.asks_to_remember(sentence)
    masked = chinese_text.mask(payload or sentence)
    found = _read(masked, ctx)
    if payload and not found:
        return [keep_verbatim(masked.text, ctx, masked)]
    return found


def asks_to_remember(text: str) -> str | None:
    """The payload of an explicit request to remember, ``None`` where there is none.

    Example:
        >>> asks_to_remember("帮我记一下，周五下午三点开会")
        '周五下午三点开会'
    """
    script = chinese_traditional.simplified(text)
    payload = chinese_refusals.asks_to_remember(script.text)
    return script.restore(payload) if payload else None


def asks_to_forget(text: str) -> str | None:
    """What the speaker wants forgotten, ``None`` where nothing is asked.

    Example:
        >>> asks_to_forget("忘掉我的地址")
        '我的地址'
    """
    script = chinese_traditional.simplified(text)
    payload = chinese_refusals.asks_to_forget(script.text)
    return script.restore(payload) if payload else None


def own_words(text: str) -> str:
    """A turn without code, quoted lines, handed-over material and role play.

    Example:
        >>> own_words("把这段翻译成英文：我住在北京")
        ''
    """
    return chinese_refusals.own_words(text)


def is_small_talk(text: str) -> bool:
    """Whether a whole text is courtesy, acknowledgement, a question or an order.

    Example:
        >>> is_small_talk("好的，谢谢啦！"), is_small_talk("我住在北京")
        (True, False)
    """
    if chinese_refusals.is_code(text):
        return False
    plain = chinese_traditional.simplified(text).text
    pieces = chinese_text.clauses(chinese_text.mask(plain).text)
    return all(_is_talk(piece) for piece in pieces)


def read_statement(content: str) -> Reading | None:
    """Read back what a third-person statement is a version of.

    Example:
        >>> read_statement("用户现居杭州。")
        Reading(subject='user', dimension='home', value='杭州', negated=False)
        >>> read_statement("阿杰怕高").dimension
        'attitude:高'
    """
    script = chinese_traditional.simplified(_USER_WORD.sub("我", content.strip()))
    masked = chinese_text.mask(script.text)
    ctx = SentenceContext(reference=_NO_TIME, zone=UTC, language="zh")
    chain = Chain(speaker(USER), ctx, masked, reads_times=False)
    for piece in chinese_text.clauses(masked.text):
        if len(piece.text) > chinese_text.LONGEST_CLAUSE:
            continue
        _learn_name(piece.text, chain)
        chain.read(piece.text)
        found = [one.candidate for one in chain.findings if one.candidate.dimension is not None]
        if found:
            # One clause may say two things; the one that is told in just these words is meant.
            one = next((each for each in found if masked.text.startswith(_told(each))), found[0])
            return Reading(
                script.restore(one.subject),
                script.restore(one.dimension or ""),
                script.restore(one.value) if one.value else None,
                one.negated,
            )
    return None


def _read(masked: chinese_text.Masked, ctx: SentenceContext) -> list[Finding]:
    owner = speaker(ctx.subject)
    people = [_known_person(person) for person in ctx.people]
    if ctx.partner:
        people.append(Subject(ctx.partner, ctx.partner, "person"))
    chain = Chain(owner, ctx, masked, people)
    pieces = chinese_text.clauses(masked.text)
    if pieces and ctx.asked and len(pieces[0].text) <= chinese_text.LONGEST_CLAUSE:
        whole = complete(chinese_text.bare(pieces[0].text), ctx.asked)
        pieces = [replace(pieces[0], text=whole), *pieces[1:]]
    texts = list(_statements(pieces, speech=chinese_text.has_speech(masked)))
    if len(texts) > 1 and is_time_only(texts[-1]):
        texts[-2:] = [texts[-1] + texts[-2]]
    for text in texts:
        chain.read(text)
    return _without_repeats(chain.findings)


def _statements(pieces: Sequence[chinese_text.Piece], *, speech: bool) -> Iterator[str]:
    """The clauses of a sentence that state something, up to where it supposes or hands over."""
    held = ""
    for piece in pieces:
        if len(piece.text) > chinese_text.LONGEST_CLAUSE:
            continue
        text = chinese_text.bare(piece.text)
        if chinese_refusals.is_hypothetical(text):
            break
        asks = chinese_refusals.is_question(piece.text, asked=piece.asked)
        if asks and chinese_refusals.opens_choice(held + text):
            held = ""
        if held:
            yield held
        held = ""
        if asks or chinese_refusals.is_command(text):
            if chinese_refusals.hands_over_material(text):
                return
            continue
        if not chinese_refusals.is_phatic(text) and not (speech and chinese_text.is_masked(text)):
            held = text
    if held:
        yield held


def _is_talk(piece: chinese_text.Piece) -> bool:
    if len(piece.text) > chinese_text.LONGEST_CLAUSE:
        return False
    text = chinese_text.bare(piece.text)
    return (
        chinese_refusals.is_phatic(piece.text)
        or chinese_refusals.is_phatic(text)
        or chinese_refusals.is_question(piece.text, asked=piece.asked)
        or chinese_refusals.is_command(text)
        or chinese_refusals.is_musing(re.sub(r"^我(?:就|也|再|先|只是)?", "", text))
    )


def _told(candidate: Candidate) -> str:
    """The content of a candidate as :func:`read_statement` would have got it."""
    return _USER_WORD.sub("我", candidate.content).rstrip("。")


def _known_person(person: Person) -> Subject:
    """A person of an earlier sentence, with a kin word that tells their pronoun."""
    kin = {"she": "女", "he": "男"}.get(person.pronoun, "")
    return Subject(person.name, person.name, "person", kin)


def _learn_name(text: str, chain: Chain) -> None:
    """Let a statement's subject be any name that stands before a verb."""
    if find_subject(text, chain.owner, chain.people).subject is None:
        match = _NAME_BEFORE_VERB.match(text)
        if match:
            chain.people.insert(0, Subject(match["name"], match["name"], "person"))


def _without_repeats(findings: Sequence[Finding]) -> list[Finding]:
    """Drop what is said twice, and a denial that a later clause replaces."""
    kept: dict[str, Finding] = {}
    asserted: set[tuple[str, str | None]] = set()
    for finding in reversed(findings):
        one = finding.candidate
        if one.content in kept:
            continue
        if one.negated and "不是" in one.content and (one.subject, one.dimension) in asserted:
            continue
        if not one.negated:
            asserted.add((one.subject, one.dimension))
        kept[one.content] = finding
    return list(reversed(kept.values()))
