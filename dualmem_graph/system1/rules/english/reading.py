"""Reading third-person statements back: what each is a version of."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime

from dualmem_graph.system1.rules import dimensions as dim
from dualmem_graph.system1.rules.english import (
    attitudes,
    family,
    habits,
    health,
    home,
    person,
    skills,
    study,
    things,
    traits,
    work,
)
from dualmem_graph.system1.rules.english.clauses import split_clauses
from dualmem_graph.system1.rules.english.drafts import Draft, View
from dualmem_graph.system1.rules.english.grammar import parse
from dualmem_graph.system1.rules.english.habits import habit
from dualmem_graph.system1.rules.english.plans import plan
from dualmem_graph.system1.rules.english.predicates import analyse
from dualmem_graph.system1.rules.english.spelling import tidy
from dualmem_graph.system1.rules.english.topics import called, topic
from dualmem_graph.system1.rules.english.types import Clause, Kind, Subject, display_of
from dualmem_graph.system1.rules.findings import USER, Reading, SentenceContext

_RULES = (
    *home.RULES,
    *work.RULES,
    *study.RULES,
    *person.RULES,
    *health.RULES,
    *family.RULES,
    *skills.RULES,
    *things.RULES,
    *traits.RULES,
    *attitudes.RULES,
    *habits.RULES,
)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def dimensioned(view: View) -> list[Draft]:
    """What the rules with a dimension make of a clause; the first that understands it wins."""
    subject = view.subject
    if subject.kind is Kind.WORLD:
        return []
    if subject.kind is Kind.THING:
        return topic(subject.noun.lower(), subject.owner, view.predicate.core, view)
    for rule in _RULES:
        match = rule.pattern.match(view.predicate.core)
        if match is None:
            continue
        drafts = rule.handle(match, view)
        if drafts:
            return _named_relative(drafts, subject)
    return []


def _named_relative(drafts: list[Draft], subject: Subject) -> list[Draft]:
    """ "My wife is called Ilka" names a wife of the speaker's; it is no statement of hers."""
    if (
        len(drafts) == 1
        and drafts[0].dimension == dim.NAME
        and subject.noun
        and not subject.is_self
    ):
        named = called(subject.noun, drafts[0].value or "")
        return [named] if named else drafts
    return drafts


_THIRD = re.compile(
    r"^(?:The )?(?P<who>(?:[Uu]ser|[Aa]ssistant)(?:'s)?"
    r"|[A-Z][\w-]+(?: [A-Z][\w-]+)?(?:'s)?)\s+(?P<rest>.+?)[.!]*$"
)
#: "User and their wife live …"
_TOGETHER = re.compile(r"^and (?:(?:their|his|her|the) )?[\w'-]+(?: [A-Z][\w'-]+)? (?P<rest>.+)$")


#: A statement that names a time to come, as far as its words tell without a date to count from.
_DATED = re.compile(
    r"\b(?:next|tomorrow|tonight|soon|20\d\d|January|February|March|April|May|June|July"
    r"|August|September"
    r"|October|November|December)\b"
)


def read_statement(content: str) -> Reading | None:
    """What a third-person statement is a version of; ``None`` where no rule knows.

    Example:
        >>> read_statement("The user works at Siemens.")
        Reading(subject='user', dimension='employer', value='Siemens', negated=False)
    """
    text = tidy(content)
    match = _THIRD.match(text)
    view = _third_view(match) if match else _bare_view(text)
    if view is None:
        return None
    future = bool(_DATED.search(view.text)) or view.text.startswith("will ")
    drafts = dimensioned(view) or plan(view, future=future, timed=True) or habit(view)
    drafts = [draft for draft in drafts if draft.dimension]
    if not drafts:
        return None
    draft = drafts[0]
    own_tie = view.subject.owner and dim.base(draft.dimension or "") in {dim.FAMILY, dim.PET}
    subject = USER if own_tie or draft.subject == USER else view.subject.id
    return Reading(subject, draft.dimension or "", draft.value, draft.negated)


def _third_view(match: re.Match[str]) -> View | None:
    """The subject and predicate of "User's cousin Tobin is …", "The user likes …"."""
    who, rest = match["who"], match["rest"]
    ctx_subject = USER if who.lower().startswith("user") else who.removesuffix("'s")
    ctx = SentenceContext(reference=_EPOCH, zone=UTC, subject=ctx_subject)
    if who.endswith("'s"):
        parsed = parse(f"my {rest}", ctx, None, ())
        return view_of(parsed) if parsed else None
    subject = Subject(ctx_subject, display_of(ctx_subject), Kind.SELF)
    together = _TOGETHER.match(rest)
    if together:
        both = together["rest"]
        return View(replace(subject, plural=True), both, analyse(both, plural=True))
    rest = _first_clause(rest)
    return View(subject, rest, analyse(rest))


def _first_clause(predicate: str) -> str:
    """The first statement of a predicate: "enjoys pottery and finds it calming" is two."""
    return split_clauses(f"She {predicate}")[0].removeprefix("She ")


def _bare_view(text: str) -> View | None:
    """A predicate without a subject ("dislikes okra") is the user's."""
    rest = text.rstrip(".!")
    subject = Subject(USER, "User", Kind.SELF)
    first = rest.split(" ", 1)[0]
    if not first or first != first.lower():
        rest = rest[:1].lower() + rest[1:]
    return View(subject, rest, analyse(rest))


def view_of(parsed: Clause) -> View:
    """What rules see of a parsed clause."""
    subject = parsed.subject
    plural = subject.plural or subject.noun.endswith("s")
    return View(subject, parsed.predicate, analyse(parsed.predicate, plural=plural))
