"""English rules for things that somebody has, buys and gives away."""

from __future__ import annotations

import re

from dualmem_graph.system1.rules import dimensions as dim
from dualmem_graph.system1.rules.english.drafts import (
    Draft,
    Rule,
    View,
    cut,
    key_of,
    rule,
    without_article,
)


def _drives(match: re.Match[str], view: View) -> list[Draft]:
    phrase = without_article(cut(match["v"]))
    words = phrase.split()
    if (
        not words
        or view.negated
        or not re.search(r"[A-Z]|\d|\b(?:car|van|truck|pickup|minivan|suv|hatchback)$", phrase)
    ):
        return []
    return [Draft("possession:car", phrase)]


def _owns(match: re.Match[str], view: View) -> list[Draft]:
    phrase = without_article(cut(match["v"]))
    dimension = key_of(dim.POSSESSION, phrase)
    return [Draft(dimension, None if view.negated else dim.YES, view.negated)] if dimension else []


_PASSING = re.compile(
    r"(?:ticket|food|coffee|grocer|drink|lunch|dinner|breakfast|gift|present|flower"
    r"|snack|stuff|thing|clothes|time|round|meal|pizza|cake|milk|bread|something|some"
    r"|more|lots|lot|few|them|it)s?\b",
    re.IGNORECASE,
)


def _bought(match: re.Match[str], view: View) -> list[Draft]:
    """A purchase that lasts; groceries and tickets are events, not possessions."""
    phrase = without_article(
        cut(
            re.split(r"\s+(?:for|at|from|in|on|to|named|called|that|because|which)\b", match["v"])[
                0
            ]
        )
    )
    if view.negated or not phrase or _PASSING.search(phrase) or len(phrase.split()) > 4:
        return []
    if " and " in phrase:
        return []
    dimension = key_of(dim.POSSESSION, phrase)
    return [Draft(dimension, dim.YES)] if dimension else []


def _sold(match: re.Match[str], view: View) -> list[Draft]:
    phrase = cut(re.split(r"\s+(?:to|at|for|on|in|during)\b", match["v"])[0])
    dimension = key_of(
        dim.POSSESSION, re.sub(r"^(?:old|beloved|broken)\s+", "", without_article(phrase))
    )
    if dimension is None or view.negated or len(phrase.split()) > 4:
        return []
    return [Draft(dimension, None, True)]


RULES: tuple[Rule, ...] = (
    rule(r"drives?\s+(?P<v>(?:an?|my|their|the|his|her) .+)$", _drives),
    rule(r"owns?\s+(?P<v>.+)$", _owns),
    rule(
        r"(?:bought|purchased|has bought|has purchased|treated (?:myself|themselves) to"
        r"|got (?:myself|themselves)|got (?:a|an) new)\s+(?P<v>.+)$",
        _bought,
    ),
    rule(
        r"(?:sold|gave away|got rid of|donated|crashed|has sold"
        r"|has given away)\s+(?P<v>(?:my|their|our|his|her) .+)$",
        _sold,
    ),
)
