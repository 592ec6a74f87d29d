"""Clauses whose real subject stands elsewhere: "call me Theo", "teal is my favourite colour"."""

from __future__ import annotations

import re

from dualmem_graph.system1.rules.english.types import Clause, Kind, Subject, display_of
from dualmem_graph.system1.rules.findings import SentenceContext

_NAMING = re.compile(
    r"^(?:(?:you can |please |just |but )?call me|(?:everyone|everybody|people|friends"
    r"|my friends|they) calls? me"
    r"|I go by)\s+(?P<v>[\w'-]+(?: [A-Z][\w'-]+)?)(?:,? (?:not|instead of"
    r"|rather than) .*)?[.!]*$",
    re.IGNORECASE,
)
_LAST_DAY = re.compile(
    r"^(?P<t>today|yesterday|(?:last )?(?:mon|tues|wednes|thurs|fri|satur|sun)day) (?:is"
    r"|was) my (?:very )?last day at (?P<v>[\w' &.-]+)$",
    re.IGNORECASE,
)
_BIRTHDAY = re.compile(
    r"^(?:it is|it was) my birthday (?P<a>today|tomorrow|(?:on|next|this) [\w ]+)$"
    r"|^(?P<b>today|tomorrow) is my birthday$",
    re.IGNORECASE,
)
_FAVOURITE = re.compile(
    r"^(?P<v>(?!(?:that|this|it|he|she|they|what|which|there|these|those"
    r"|you)\b)[^,;]{2,40}?) (?:is|are|has always been|was always)"
    r" (?:by far |definitely |probably "
    r"|still )?my (?P<k>(?:all-time )?favou?rite (?!of\b|one\b|thing about\b"
    r"|part\b)[\w -]+)$",
    re.IGNORECASE,
)
#: Favourites that are no proper names.
_COMMON_FAVOURITE = re.compile(
    r"\b(?:colou?r|food|fruit|vegetable|season|drink|dessert|animal|flower|sport|subject"
    r"|hobby|snack|meal|dish|ice cream|number|weather)$"
)


def is_naming(text: str) -> bool:
    """Whether a text is "call me …" and no command."""
    return bool(_NAMING.match(text))


def naming(clause: str, ctx: SentenceContext) -> Clause | None:
    """ "Call me Theo", "teal is my favourite colour": the subject stands elsewhere.

    Returns:
        The clause with the speaker, or what is theirs, as the subject; ``None`` for others.
    """
    me = display_of(ctx.subject)
    favourite = _FAVOURITE.match(clause)
    if favourite:
        noun = favourite["k"]
        value = favourite["v"]
        if _COMMON_FAVOURITE.search(noun):
            value = value[:1].lower() + value[1:]
        topic = Subject(ctx.subject, f"{me}'s {noun}", Kind.THING, noun=noun)
        return Clause(topic, f"is {value}", clause)
    birthday = _BIRTHDAY.match(clause)
    if birthday:
        topic = Subject(ctx.subject, f"{me}'s birthday", Kind.THING, noun="birthday")
        return Clause(topic, f"is {birthday['a'] or birthday['b']}", clause)
    last = _LAST_DAY.match(clause)
    if last:
        when = last["t"][0].lower() + last["t"][1:]
        speaker = Subject(ctx.subject, me, Kind.SELF)
        return Clause(speaker, f"had their last day at {last['v']} {when}", clause)
    match = _NAMING.match(clause)
    if match is None:
        return None
    name = match["v"][:1].upper() + match["v"][1:]
    return Clause(Subject(ctx.subject, me, Kind.SELF), f"goes by {name}", clause)
