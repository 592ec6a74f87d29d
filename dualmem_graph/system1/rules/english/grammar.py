"""Who a clause is about, and the clause in the third person.

``parse`` finds the subject ("I", "my cousin Tobin", "he", "my tent", "Tobin") and gives the clause
back as a subject and a predicate in the third person: "I've been living in Porto with my wife" →
"User", "has been living in Porto with their wife".
"""

from __future__ import annotations

import re

from dualmem_graph.system1.rules.english.clauses import SAME_SUBJECT
from dualmem_graph.system1.rules.english.pronouns import third_person
from dualmem_graph.system1.rules.english.subjects import find_subject
from dualmem_graph.system1.rules.english.types import Clause, Subject
from dualmem_graph.system1.rules.findings import Person, SentenceContext
from dualmem_graph.system1.rules.wordlist import word_set

_DAY_NAME = r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?"
_MONTH_NAME = (
    r"(?:january|february|march|april|may|june|july|august|september|october|november|december)"
)
_PERIOD = (
    r"(?:day|week|weekend|month|year|morning|evening|night|afternoon|summer|winter"
    rf"|spring|autumn|fall|semester|term|time|christmas|{_DAY_NAME}|{_MONTH_NAME})s?"
)
#: Opens a clause with or without a comma after it.
_TIME_LEAD = re.compile(
    r"^(?:yesterday|today|tonight|tomorrow|(?:earlier |later )?(?:last|next|this|these"
    rf"|this past|this coming|every|each|most|some) (?:other |single )?{_PERIOD}"
    r"|recently|lately|currently|sometimes|usually|often|normally|generally|occasionally"
    r"|typically|nowadays|right now|now|then|soon|later"
    rf"|eventually|so far|the other {_PERIOD}|(?:starting |beginning )?(?:from|starting"
    rf"|as of) (?:now on|{_MONTH_NAME}|(?:next )?{_PERIOD})|the {_PERIOD} (?:before"
    rf"|after)\b.*?|(?:back )?in (?:(?:early |late )?{_MONTH_NAME}|(?:19|20)\d\d"
    rf"|the {_PERIOD})"
    rf"|(?:on |over )?(?:the )?(?:{_DAY_NAME}|weekends?)|(?:\d+|a few|a couple of|an?|one"
    rf"|two|three|four|five|six|ten) {_PERIOD} ago)(?=[\s,])",
    re.IGNORECASE,
)
#: Opens a clause only with a comma before the subject.
_ADVERBIAL = re.compile(
    r"^(?:in|on|at|during|over|back|for|after|before|as|at first|growing up|up until"
    r"|until|by|with|to|from|besides|apart from|instead of"
    r"|despite|thanks to|like|unlike|since|throughout|within|under|when|whenever|while"
    r"|once|ever since|because|although|though|even though"
    r"|now that|outside|inside|about|a|an|one|two|three|\d+|some|these|this|last|next|every)\b",
    re.IGNORECASE,
)
_SUBORDINATOR = re.compile(
    r"^(?:when|whenever|while|after|before|since|as|once|ever since|because|although"
    r"|though|even though|now that"
    r"|until)\b",
    re.IGNORECASE,
)
_DROPPED_ADVERBIAL = word_set(
    "now then recently lately currently soon later eventually earlier so far nowadays"
)
_ASIDE = re.compile(
    r"^(?:as for|on (?:another|a (?:different|lighter|related|side)) note|for me\b"
    r"|to me\b|in my opinion|at first$|after all|at least|by the way"
    r"|in fact|in general|like you|like I said)",
    re.IGNORECASE,
)
_MAIN = re.compile(r"(?:^|[\s,])((?:my (?:\w+ ){1,2}and I|I|we|my|our|he|she|they)\s)")
_COMMA_NAME = re.compile(r"^((?:my|our) [\w' -]+?), ([A-Z][\w-]+(?: [A-Z][\w-]+)?),? ")
_NAME_COMMA = re.compile(r"^([A-Z][\w-]+), ((?:my|our) [\w' -]+?), ")


def parse(
    clause: str, ctx: SentenceContext, before: Subject | None, people: tuple[Person, ...]
) -> Clause | None:
    """Find the subject of a clause and put the clause into the third person.

    Args:
        clause: a tidied clause, possibly with :data:`SAME_SUBJECT` for its subject.
        before: the subject of the clause before, for clauses that share it.
        people: who was spoken of before, the latest first.

    Returns:
        ``None`` where the clause is about nobody that is known.
    """
    if clause.startswith(SAME_SUBJECT):
        rest = clause[len(SAME_SUBJECT) :].strip()
        return _clause(before, rest, "", ctx) if before is not None else None
    clause = _COMMA_NAME.sub(r"\1 \2 ", clause)
    clause = _NAME_COMMA.sub(r"\2 \1 ", clause)
    front, main = _split_adverbial(clause)
    found = find_subject(main, ctx, people)
    if found is None:
        return None
    subject, rest = found
    return _clause(subject, rest, front, ctx)


def _clause(subject: Subject, rest: str, front: str, ctx: SentenceContext) -> Clause | None:
    if not rest:
        return None
    if front and front.lower() not in _DROPPED_ADVERBIAL and not _ASIDE.match(front):
        rest = f"{rest} {front[0].lower() + front[1:] if not front.startswith('I ') else front}"
    predicate = third_person(rest, subject, ctx.subject)
    if not predicate:
        return None
    return Clause(subject, predicate, rest, subject.people)


def _split_adverbial(clause: str) -> tuple[str, str]:
    """Split "Last week, I moved" into the adverbial and the main clause."""
    time = _TIME_LEAD.match(clause)
    if not time and not _ADVERBIAL.match(clause):
        return "", clause
    starts = [match for match in _MAIN.finditer(clause) if match.start() > 0]
    after_comma = [match for match in starts if clause[: match.start(1)].rstrip().endswith(",")]
    if time and starts and starts[0][1].split()[0].lower() not in {"my", "our"}:
        starts = starts[:1]
    elif after_comma:
        starts = after_comma
    elif _SUBORDINATOR.match(clause):
        starts = [match for match in starts if not match[1].lower().startswith(("my", "our"))][1:2]
    elif not time:
        starts = []
    if not starts:
        return "", clause
    cut = starts[0].start(1)
    return clause[:cut].strip(" ,"), clause[cut:]
