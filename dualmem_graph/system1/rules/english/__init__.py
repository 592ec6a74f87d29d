"""The English rules: one sentence in, the statements it makes about people out.

A sentence is repaired (:mod:`.english.spelling`), refused where it asserts nothing
(:mod:`.english.refusals`), cut into clauses (:mod:`.english.clauses`), put into the third person
(:mod:`.english.grammar`) and read: first by the rules that know a dimension
(:mod:`.english.reading` lists them), then by those for plans (:mod:`.english.plans`), habits
(:mod:`.english.habits`) and events (:mod:`.english.events`). The same dimension rules read
third-person statements back, so that what a model wrote and what the rules wrote meet in one chain.
"""

from __future__ import annotations

import re
from dataclasses import replace

from dualmem_graph.system1.rules import dimensions as dim
from dualmem_graph.system1.rules.english import answers, refusals
from dualmem_graph.system1.rules.english.clauses import reason_clause, split_clauses
from dualmem_graph.system1.rules.english.drafts import Draft, View, proper
from dualmem_graph.system1.rules.english.events import event as event_of
from dualmem_graph.system1.rules.english.family import companion
from dualmem_graph.system1.rules.english.grammar import parse
from dualmem_graph.system1.rules.english.habits import habit
from dualmem_graph.system1.rules.english.naming import is_naming, naming
from dualmem_graph.system1.rules.english.plans import plan
from dualmem_graph.system1.rules.english.predicates import Tense, analyse
from dualmem_graph.system1.rules.english.reading import dimensioned, read_statement
from dualmem_graph.system1.rules.english.refusals import own_words
from dualmem_graph.system1.rules.english.smalltalk import (
    asks_to_forget,
    asks_to_remember,
    is_small_talk,
)
from dualmem_graph.system1.rules.english.spelling import tidy
from dualmem_graph.system1.rules.english.subjects import mentioned
from dualmem_graph.system1.rules.english.text import strip_closers, strip_openers
from dualmem_graph.system1.rules.english.times import absolute, spans_in
from dualmem_graph.system1.rules.english.types import Clause, Kind, Subject, display_of
from dualmem_graph.system1.rules.english.words import COUNTRIES, LANGUAGES, TOPICS
from dualmem_graph.system1.rules.findings import USER, Finding, Person, SentenceContext
from dualmem_graph.types import BasicInfo, Candidate, Layer, MemoryType, TimeSpan

__all__ = [
    "asks_to_forget",
    "asks_to_remember",
    "is_small_talk",
    "own_words",
    "people_in",
    "read_sentence",
    "read_statement",
]
_LONGEST_CONTENT = 240
_YOU = re.compile(r"\b(?:you|your|yours|yourself|u)\b", re.IGNORECASE)
_YOU_ONLY = re.compile(
    r"\byou\b(?! (?:are|have|were|do|did|will|can|know|guys|all)\b)", re.IGNORECASE
)
_CONTENT_TAIL = re.compile(r"[\s,;:.!?…~-]+$")
_MOST_TAGS = 3
_LONGEST_SENTENCE = 1500
_EACH_OTHER = re.compile(r"\b(?:each other|one another)\b")
_LOWER_PROPER = re.compile(
    r"\b(?:monday|tuesday|wednesday|thursday|friday|saturday|sunday|january|february"
    r"|april|june|july|august|september"
    r"|october|november|december|"
    + "|".join(sorted(LANGUAGES - {"scots", "basque", "thai", "lao", "polish", "latin"}))
    + r"|"
    + "|".join(sorted(COUNTRIES))
    + r")\b"
)


def read_sentence(sentence: str, ctx: SentenceContext) -> list[Finding]:
    """Read the statements of one sentence as the speaker said it.

    Args:
        sentence: one sentence, any spelling.
        ctx: who said it, when, and what was said before.

    Returns:
        The findings in the order of the sentence; empty where it asserts nothing about anybody.
    """
    if len(sentence) > _LONGEST_SENTENCE:
        return []  # no sentence that somebody spoke
    fixed = answers.correction(tidy(sentence))
    if fixed is not None:
        return _correct(fixed, sentence, ctx)
    payload = asks_to_remember(sentence)
    if payload is not None:
        return _remember(payload, sentence, ctx)
    answer = answers.full_answer(tidy(sentence), ctx.asked) if ctx.asked else None
    text = strip_openers(tidy(answer or sentence), ctx.partner)
    return _read(text, sentence, ctx)


def _read(text: str, quote: str, ctx: SentenceContext) -> list[Finding]:
    clauses = _statements(text)
    findings: list[Finding] = []
    before: Subject | None = None
    people = ctx.people
    for clause in clauses:
        clause = strip_closers(strip_openers(clause, ctx.partner), ctx.partner)
        parsed = _parse(clause, ctx, before, people)
        if parsed is None:
            before = None
            continue
        before = parsed.subject
        people = (*parsed.subject.people, *mentioned(clause, ctx.subject), *people)
        found = _read_clause(parsed, quote, ctx)
        findings += found
        reason = reason_clause(clause)
        if reason and not (found and any(item.candidate.dimension for item in found)):
            because = _parse(reason, ctx, None, people)
            if because is not None:
                findings += [
                    item
                    for item in _read_clause(because, quote, ctx)
                    if item.candidate.dimension is not None
                ]
    return _distinct(findings)


def people_in(sentence: str, ctx: SentenceContext) -> tuple[Person, ...]:
    """Whom a sentence speaks of, the last first, whether or not it states anything."""
    return mentioned(tidy(sentence), ctx.subject)


def _statements(text: str) -> list[str]:
    """The clauses of a sentence that assert something; none for questions and suppositions."""
    if is_naming(text):
        return [text]
    if refusals.is_hypothetical(text) or refusals.is_command(text):
        return []
    clauses = split_clauses(text)
    if not refusals.is_question(text):
        return [clause for clause in clauses if not refusals.starts_question(clause)]
    # "I'm vegetarian, can you suggest a dinner?": what stands before the question is said.
    asked = re.split(
        r"(?:,\s*|\s+[–—-]+\s*|\s+(?:and|so|but)\s+)(?=(?:can|could|would|do|does|did"
        r"|what|which|how|any|is|are|will|should"
        r"|where|when|who|why|got|wanna|want)\b)",
        text,
        maxsplit=1,
        flags=re.IGNORECASE,
    )
    if len(asked) == 1 or refusals.starts_question(asked[0]):
        return []
    return [clause for clause in split_clauses(asked[0]) if not refusals.starts_question(clause)]


def _parse(
    clause: str, ctx: SentenceContext, before: Subject | None, people: tuple[Person, ...]
) -> Clause | None:
    named = naming(clause, ctx)
    if named is not None:
        return named
    if len(clause.split()) < 2 or refusals.is_unsure(clause):
        return None
    if refusals.starts_question(clause) or refusals.quotes_somebody(clause):
        return None
    if _YOU.search(clause):
        if not ctx.partner or not _YOU_ONLY.search(clause):
            return None
        clause = re.sub(r"\byour\b", f"{ctx.partner}'s", _YOU_ONLY.sub(ctx.partner, clause))
        if _YOU.search(clause):
            return None
    return parse(clause, ctx, before, people)


def _read_clause(clause: Clause, quote: str, ctx: SentenceContext) -> list[Finding]:
    subject = clause.subject
    if subject.is_self and not subject.plural and _EACH_OTHER.search(clause.predicate):
        return []
    predicate = analyse(clause.predicate, plural=subject.plural or subject.noun.endswith("s"))
    view = View(subject, clause.predicate, predicate)
    drafts = dimensioned(view)
    spans = spans_in(clause.predicate, ctx, predicate.tense)
    if not drafts:
        future = any(span.end > ctx.reference for span in spans)
        drafts = plan(view, future=future, timed=bool(spans))
        drafts = drafts or habit(view)
        drafts = drafts or event_of(view, timed=bool(spans))
    drafts = drafts + companion(view)
    return [_finding(draft, view, spans, quote, ctx) for draft in drafts]


def _finding(
    draft: Draft, view: View, spans: list[TimeSpan], quote: str, ctx: SentenceContext
) -> Finding:
    own = _is_own(draft, view, ctx)
    subject = ctx.subject if own else view.subject.id
    layer = dim.layer_for(draft.dimension) if own else Layer.FACT
    shown = [] if _is_timeless(draft, view) else spans
    predicate = draft.predicate or view.text
    event = next((span for span in shown if not draft.predicate or span.text in predicate), None)
    display = display_of(subject) if draft.display else view.subject.display
    content = _sentence(f"{display} {absolute(predicate, shown, ctx.zone)}", draft, view)
    happened = draft.dimension is None and view.predicate.tense in (Tense.PAST, Tense.PERFECT)
    episodic = layer is Layer.FACT and (happened or (event is not None and draft.dimension is None))
    if draft.dimension == dim.BIRTHDAY and event is not None:
        draft = replace(draft, value=_day(event, ctx))
    candidate = Candidate(
        content=content,
        layer=layer,
        memory_type=MemoryType.EPISODIC if episodic else MemoryType.SEMANTIC,
        subject=subject,
        turn_index=ctx.turn_index,
        tags=_tags(draft.dimension, content),
        dimension=draft.dimension,
        value=draft.value,
        negated=draft.negated,
        event=event,
        quote=quote,
    )
    profile = _profile(draft, view, ctx) if own and ctx.subject == USER else ()
    return Finding(candidate, profile, view.subject.people)


def _day(event: TimeSpan, ctx: SentenceContext) -> str:
    """The day of a birthday that was said as "tomorrow"."""
    start = event.start.astimezone(ctx.zone)
    return f"{start.day} {start:%B}"


def _is_timeless(draft: Draft, view: View) -> bool:
    """Whether the time words of a clause are part of the fact: a habit's hours, a birthday."""
    if draft.dimension is None:
        return view.predicate.tense is Tense.PRESENT and not view.predicate.core.startswith("is ")
    if draft.dimension == dim.BIRTHDAY:
        return bool(re.search(r"\d", draft.value or ""))
    return dim.base(draft.dimension) == dim.HABIT and view.predicate.tense is not Tense.PAST


def _is_own(draft: Draft, view: View, ctx: SentenceContext) -> bool:
    """Whether a statement is about the speaker, not about a person or pet of theirs."""
    subject = view.subject
    if subject.kind in (Kind.PERSON, Kind.PET, Kind.NAME):
        return (
            draft.dimension is not None
            and dim.base(draft.dimension) in {dim.FAMILY, dim.PET}
            and bool(draft.subject)
        )
    if subject.kind is Kind.THING and subject.owner:
        return draft.dimension is not None and dim.base(draft.dimension) in {dim.FAMILY, dim.PET}
    return subject.id == ctx.subject


def _sentence(text: str, draft: Draft, view: View) -> str:
    """A clean sentence: values in their capitals, one final mark."""
    value = draft.value
    if (
        value
        and draft.dimension in {dim.HOME, dim.ORIGIN, dim.NAME, dim.EMPLOYER}
        and value not in text
    ):
        text = re.sub(re.escape(value), lambda _: value, text, count=1, flags=re.IGNORECASE)
    if len(text) > _LONGEST_CONTENT:
        text = re.split(r", (?:which|who|so|because|and)\b", text)[0][:_LONGEST_CONTENT]
    text = _CONTENT_TAIL.sub("", proper_languages(text))
    return text[:1].upper() + text[1:] + "."


def proper_languages(text: str) -> str:
    """Months, weekdays, languages and countries that the chat wrote in lower case."""
    return _LOWER_PROPER.sub(lambda match: proper(match[0]), text) if text != text.title() else text


def _tags(dimension: str | None, content: str) -> tuple[str, ...]:
    tags = list(dim.tags_for(dimension))
    words = set(re.findall(r"[a-z]+", content.lower()))
    tags += [
        topic_name
        for topic_name, clues in TOPICS.items()
        if words & clues and topic_name not in tags
    ]
    return tuple(tags[:_MOST_TAGS])


def _profile(draft: Draft, view: View, ctx: SentenceContext) -> tuple[BasicInfo, ...]:
    entries: list[BasicInfo] = []
    key = dim.PROFILE_KEYS.get(draft.dimension or "")
    past = view.predicate.ended and view.predicate.tense is Tense.PAST
    if key is not None and not (draft.negated and past):
        entries.append(BasicInfo(key, None if draft.negated else draft.value, ctx.turn_index))
    entries += [BasicInfo(name, value, ctx.turn_index) for name, value in draft.profile]
    return tuple(entries)


def _distinct(findings: list[Finding]) -> list[Finding]:
    seen: set[str] = set()
    kept = []
    for finding in findings:
        if finding.candidate.content not in seen:
            seen.add(finding.candidate.content)
            kept.append(finding)
    return kept


def _remember(payload: str, quote: str, ctx: SentenceContext) -> list[Finding]:
    """What was asked to be remembered is kept, by the rules or else in the user's own words."""
    found = _read(strip_openers(payload), quote, ctx) or _read(payload, quote, ctx)
    if found:
        return found
    me = display_of(ctx.subject)
    parsed = parse(strip_closers(payload), ctx, None, ctx.people)
    if parsed is not None and not refusals.is_hypothetical(payload):
        view = View(parsed.subject, parsed.predicate, analyse(parsed.predicate))
        habitual = habit(view) if parsed.subject.kind is Kind.NAME else []
        draft = habitual[0] if habitual else Draft(None)
        return [
            _finding(draft, view, spans_in(parsed.predicate, ctx, view.predicate.tense), quote, ctx)
        ]
    text = re.sub(r"\b(?:my|our)\b", f"{me}'s", payload, flags=re.IGNORECASE)
    text = re.sub(r"\bI am\b", f"{me} is", text)
    text = re.sub(r"\b(?:I|me|we|us)\b", me, text)
    spans = spans_in(text, ctx, Tense.PRESENT)
    content = _CONTENT_TAIL.sub("", absolute(text, spans, ctx.zone))
    candidate = Candidate(
        content=content[:1].upper() + content[1:] + ".",
        layer=Layer.FACT,
        subject=ctx.subject,
        turn_index=ctx.turn_index,
        tags=("note",),
        event=spans[0] if spans else None,
        quote=quote,
    )
    return [Finding(candidate)]


def _correct(fixed: tuple[str, str], quote: str, ctx: SentenceContext) -> list[Finding]:
    """ "It's Ghent, not Antwerp": the statement that named Antwerp, now with Ghent."""
    new, old = fixed

    def said() -> tuple[Candidate, ...]:
        asked = answers.asked_statement(ctx.asked)
        supposed = _read(tidy(asked), quote, ctx) if asked else []
        return (*ctx.earlier(), *(finding.candidate for finding in supposed))

    wrong = answers.corrected(new, old, said)
    if wrong is None:
        return []
    content = re.sub(re.escape(old), lambda _: new, wrong.content, flags=re.IGNORECASE)
    candidate = replace(
        wrong, content=content, value=new, turn_index=ctx.turn_index, quote=quote, negated=False
    )
    key = dim.PROFILE_KEYS.get(wrong.dimension or "")
    own = wrong.subject == USER and key is not None
    return [Finding(candidate, (BasicInfo(key, new, ctx.turn_index),) if own and key else ())]
