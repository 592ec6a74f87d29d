"""From a draft to a finding: the sentence that is kept, its layer, its time, its profile entry."""

from __future__ import annotations

import re
from collections.abc import Sequence

from dualmem_graph.system1.rules import dimensions
from dualmem_graph.system1.rules.chinese import times as chinese_times
from dualmem_graph.system1.rules.chinese.reading import Clause, Draft
from dualmem_graph.system1.rules.chinese.subjects import (
    Subject,
    find_subject,
    speaker,
    third_person,
)
from dualmem_graph.system1.rules.chinese.text import Masked
from dualmem_graph.system1.rules.findings import Finding, SentenceContext
from dualmem_graph.types import BasicInfo, Candidate, Layer, MemoryType, TimeSpan

#: Words that tie a clause to its neighbours and mean nothing when it stands alone.
_DISCOURSE = re.compile(
    r"^(?:也|还(?!是|款|钱|在)|就(?!读|职|业)|其实|确实|真的|当然|反正|都(?!市)|又|那|然后|只是"
    r"|主要)+(?=.{2,})"
)
#: The key of a title is its name.
_TITLE_MARKS = {ord(mark): None for mark in "《》“”「」"}
_ASCII_START = re.compile(r"[A-Za-z0-9]")
_ASCII_END = re.compile(r"[A-Za-z0-9]$")


def make_finding(
    draft: Draft,
    clause: Clause,
    spans: Sequence[TimeSpan],
    earlier: TimeSpan | None,
    ctx: SentenceContext,
    masked: Masked,
) -> Finding:
    """Put a draft into words and into its place.

    Args:
        draft: what a rule made of the clause.
        clause: the clause it rests on.
        spans: the times that the clause names.
        earlier: the time of the clause before, which an event without its own goes on in.
        ctx: what is known around the sentence.
        masked: the sentence, to put quoted matter back.
    """
    subject = draft.about or clause.subject
    is_own = subject.name == ctx.subject
    dimension = _dimension(draft.dimension, subject, is_own)
    times = tuple(spans) if draft.timed else ()
    event = min(times, key=lambda span: span.end - span.start, default=None)
    if event is None and draft.timed and dimension is None and not clause.stated:
        event = earlier
    if _is_over(dimension, draft, event, ctx):
        dimension = None
    layer = dimensions.layer_for(dimension) if is_own else Layer.FACT
    is_episode = draft.timed and layer is Layer.FACT and (event is not None or dimension is None)
    candidate = Candidate(
        content=masked.restore(_words(draft, clause, subject, times, ctx)),
        layer=layer,
        memory_type=MemoryType.EPISODIC if is_episode else MemoryType.SEMANTIC,
        subject=subject.name,
        turn_index=ctx.turn_index,
        tags=draft.tags or dimensions.tags_for(dimension),
        dimension=_restored_dimension(dimension, clause.owner, masked),
        value=_restored(draft.value if dimension else None, clause.owner, masked),
        negated=draft.negated,
        event=event,
        quote=masked.restore(clause.predicate),
    )
    people = (one.as_person() for one in (subject, draft.introduces) if one is not None)
    return Finding(
        candidate,
        basic_info=_basic_info(candidate, clause, ctx) if is_own else (),
        people=tuple(person for person in people if person is not None),
    )


def keep_verbatim(payload: str, ctx: SentenceContext, masked: Masked) -> Finding:
    """What the speaker asked to remember and no rule understood, in the third person."""
    owner = speaker(ctx.subject)
    found = find_subject(payload, owner, ())
    subject = found.subject if found.subject and found.subject.is_usable else None
    spans = chinese_times.spans_in(payload, ctx.reference, ctx.zone)
    words = payload if subject is None else subject.display + found.predicate
    content = chinese_times.spell_out(third_person(words, owner), spans, ctx.zone)
    return Finding(
        Candidate(
            content=masked.restore(content).rstrip("。") + "。",
            layer=Layer.FACT,
            subject=subject.name if subject else ctx.subject,
            turn_index=ctx.turn_index,
            tags=("note",),
            event=spans[0] if spans else None,
            quote=masked.restore(payload),
        )
    )


def _words(
    draft: Draft,
    clause: Clause,
    subject: Subject,
    spans: tuple[TimeSpan, ...],
    ctx: SentenceContext,
) -> str:
    says = _DISCOURSE.sub("", draft.says or clause.predicate)
    says = chinese_times.spell_out(third_person(says, clause.owner), spans, ctx.zone)
    # A Latin name and a date would run into one another.
    gap = " " if _ASCII_END.search(subject.display) and _ASCII_START.match(says) else ""
    return f"{subject.display}{gap}{says}。"


def _restored(text: str | None, owner: Subject, masked: Masked) -> str | None:
    return masked.restore(third_person(text, owner)) if text else None


def _restored_dimension(dimension: str | None, owner: Subject, masked: Masked) -> str | None:
    """The key was normalised with placeholders in it; what they stand for is not yet."""
    if dimension is None:
        return None
    name, colon, key = dimension.partition(":")
    restored = _restored(key, owner, masked)
    restored = restored.translate(_TITLE_MARKS) if restored else None
    return dimensions.keyed(name, restored) if colon and restored else dimension


def _dimension(dimension: str | None, subject: Subject, is_own: bool) -> str | None:
    """Pets have no dimensions but their own; other people's plans are events to the speaker."""
    if dimension is None:
        return None
    base = dimensions.base(dimension)
    if subject.kind == "pet":
        return dimension if base == dimensions.PET else None
    return None if base == dimensions.PLAN and not is_own else dimension


def _is_over(
    dimension: str | None, draft: Draft, event: TimeSpan | None, ctx: SentenceContext
) -> bool:
    """Whether what reads like a plan had its day before it was told (``2019年5月去日本``)."""
    if dimension is None or dimensions.base(dimension) != dimensions.PLAN or draft.negated:
        return False
    return event is not None and event.end <= ctx.reference


def _basic_info(
    candidate: Candidate, clause: Clause, ctx: SentenceContext
) -> tuple[BasicInfo, ...]:
    key = dimensions.PROFILE_KEYS.get(candidate.dimension or "")
    # What was so long ago says nothing of what the profile holds now.
    if key is None or (candidate.negated and clause.adverbials.past):
        return ()
    return (BasicInfo(key, None if candidate.negated else candidate.value, ctx.turn_index),)
