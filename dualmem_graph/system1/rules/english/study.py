"""English rules for study: subject, school, degree."""

from __future__ import annotations

import re

from dualmem_graph.system1.rules import dimensions as dim
from dualmem_graph.system1.rules.english.drafts import Draft, Rule, View, cut, is_value, rule
from dualmem_graph.system1.rules.english.work import NOT_EMPLOYER

_DEGREE = (
    r"(?:a |an |the |their |my )?(?:(?:bachelor|master|doctorate"
    r"|associate)(?:'?s)?(?: degree)?|degree|ph\.?d\.?|mba|bsc|msc|ba|ma|bs|ms|diploma"
    r"|phd|doctorate|major|minor)"
)
_AT_SCHOOL = re.compile(r"\s+(?:at|from)\s+(.+)$", re.IGNORECASE)
_NO_SUBJECT = re.compile(
    r"^(?:hard|a lot|abroad|together|online|for|with|at|in|all|every|everything|more"
    r"|here|there|how|the (?:text|book|map|menu|data|material)|it|this|that)\b",
    re.IGNORECASE,
)


def _studies(match: re.Match[str], view: View) -> list[Draft]:
    """ "is studying marine biology at Bergen": a subject, a school, or both."""
    rest = match["rest"]
    drafts: list[Draft] = []
    school = _AT_SCHOOL.search(rest)
    subject = cut(rest[: school.start()] if school else rest)
    subject = re.sub(r"^(?:to (?:be|become) .*|for .*)$", "", subject)
    if subject and is_value(subject) and not _NO_SUBJECT.match(subject):
        drafts.append(Draft(dim.MAJOR, subject, view.negated))
    elif rest.lower().startswith(("at ", "in ")):
        school = re.match(r"(?:at|in) (.+)$", rest, re.IGNORECASE)
    if school and is_value(cut(school[1])) and not NOT_EMPLOYER.match(cut(school[1])):
        name = cut(school[1])
        predicate = f"studies at {name}" if drafts else ""
        drafts.append(Draft(dim.SCHOOL, name, view.negated, predicate=predicate))
    return drafts


def _degree(match: re.Match[str], view: View) -> list[Draft]:
    value = cut(_AT_SCHOOL.sub("", match["v"]))
    if not is_value(value) or view.negated:
        return []
    drafts = [Draft(dim.MAJOR, value)]
    school = _AT_SCHOOL.search(match["v"])
    if school and is_value(cut(school[1])):
        name = cut(school[1])
        drafts.append(Draft(dim.SCHOOL, name, predicate=f"studied at {name}"))
    return drafts


def _school(match: re.Match[str], view: View) -> list[Draft]:
    value = cut(match["v"])
    if not is_value(value):
        return []
    return [Draft(dim.SCHOOL, value, view.negated)]


def _enrolled(match: re.Match[str], view: View) -> list[Draft]:
    """ "is a junior at UCLA studying economics": a school and perhaps a subject."""
    school, _, subject = match["v"].partition(" studying ")
    name = cut(school)
    if not is_value(name) or view.negated:
        return []
    drafts = [Draft(dim.SCHOOL, name)]
    if subject and is_value(cut(subject)):
        major = cut(subject)
        drafts.append(Draft(dim.MAJOR, major, predicate=f"studies {major}"))
    return drafts


def _graduated(match: re.Match[str], view: View) -> list[Draft]:
    value = re.sub(r"\s+(?:in|with)\b.*$", "", cut(match["v"]))
    if not is_value(value) or view.negated:
        return []
    return [Draft(dim.SCHOOL, value)]


RULES: tuple[Rule, ...] = (
    rule(
        r"(?:studies|studied|is studying|has been studying|was studying)\s+(?P<rest>.+)$", _studies
    ),
    rule(r"(?:majors?|majored|is majoring|is doing a major)\s+in\s+(?P<rest>.+)$", _studies),
    rule(
        r"(?:has|got|earned|holds|is (?:doing|pursuing|finishing|getting|working on"
        r"|studying for)|finished|completed|did|started|has (?:got|finished|completed"
        rf"|started))\s+{_DEGREE}\s+(?:degree )?(?:in|on)\s+(?P<v>.+)$",
        _degree,
    ),
    rule(
        r"is an? (?:[\w-]+ )?(?:freshman|sophomore|junior|senior|student|undergrad"
        r"|phd candidate) at (?P<v>.+)$",
        _enrolled,
    ),
    rule(
        r"(?:goes to|attends|is enrolled at|enrolled at|got into|(?:was|got"
        r"|has been) (?:accepted|admitted) (?:to|into|at)|is a (?:student|freshman|sophomore"
        r"|junior|senior) at|went to)\s+(?P<v>(?:the )?(?-i:(?:[A-Z][\w'’.-]* "
        r")*)(?:University|College|School|Academy|Institute|High|Primary|Conservatory"
        r"|Polytechnic)\b.*)$",
        _school,
    ),
    rule(r"(?:graduated|has graduated)\s+from\s+(?P<v>.+)$", _graduated),
)
