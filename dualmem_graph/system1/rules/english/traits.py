"""English rules for diet, traits, nationality and measures."""

from __future__ import annotations

import re

from dualmem_graph.system1.rules import dimensions as dim
from dualmem_graph.system1.rules.english.drafts import (
    Draft,
    Rule,
    View,
    cut,
    items,
    rule,
    without_article,
)
from dualmem_graph.system1.rules.english.types import Kind
from dualmem_graph.system1.rules.english.words import DIETS, NATIONALITIES, TRAIT_PHRASES, TRAITS


def _diet(match: re.Match[str], view: View) -> list[Draft]:
    value = (
        without_article(cut(match["v"]))
        .lower()
        .replace("gluten free", "gluten-free")
        .replace("dairy free", "dairy-free")
    )
    value = re.sub(r"\s+diet$", "", value)
    plural = value not in DIETS and value.removesuffix("s") in DIETS
    value = value.removesuffix("s") if plural else value
    if value not in DIETS:
        return []
    predicate = f"is {value}" if plural and not view.negated and not view.subject.plural else ""
    return [Draft(dim.DIET, value, view.negated, predicate)]


def _trait(match: re.Match[str], view: View) -> list[Draft]:
    """ "is left-handed and pretty introverted": each adjective of the list that is a trait."""
    if view.subject.kind in (Kind.THING, Kind.WORLD):
        return []
    phrase = re.sub(r" (?=handed\b)", "-", cut(match["v"]))
    parts = [
        re.sub(
            r"^(?:very|pretty|quite|really|so|a bit|a little|rather|super|extremely|an?"
            r"|more of an?|such an?|total|big|huge|natural|complete|bit of an?)\s+",
            "",
            part,
        )
        for part in items(phrase)
    ]
    parts = [re.sub(r"^(?:an?|total|huge|big)\s+", "", part) for part in parts]
    traits = [part for part in parts if part.lower() in TRAITS or part.lower() in TRAIT_PHRASES]
    if not traits or len(traits) < len(parts):
        return []
    several = len(traits) > 1
    return [
        Draft(
            f"{dim.TRAIT}:{dim.normalise_key(part)}",
            None if view.negated else dim.YES,
            view.negated,
            predicate=f"is {_with_article(phrase, part)}" if several and not view.negated else "",
        )
        for part in traits
    ]


def _with_article(phrase: str, part: str) -> str:
    before = re.search(rf"(?:\ban? )?{re.escape(part)}", phrase)
    return before[0] if before else part


def _nationality(match: re.Match[str], view: View) -> list[Draft]:
    value = match["v"]
    if value.lower() not in NATIONALITIES or view.subject.kind in (Kind.THING, Kind.WORLD):
        return []
    return [Draft("trait:nationality", value[:1].upper() + value[1:], view.negated)]


def _measure(what: str, match: re.Match[str], view: View) -> list[Draft]:
    return [] if view.negated else [Draft(f"{dim.TRAIT}:{what}", cut(match["v"]))]


RULES: tuple[Rule, ...] = (
    rule(r"is\s+(?:half |part |originally |also |half-)?(?P<v>[A-Za-z]+)$", _nationality),
    rule(
        r"(?:is|went|has been|became|turned|has gone|has become|goes|eats|follows|is on"
        r"|has started)\s+(?:strictly |mostly |fully |on "
        r"|back to (?:being )?)*(?P<v>(?:an? )?[\w-]+(?: free)?(?: diet)?)(?=$|[\s,.])",
        _diet,
    ),
    rule(r"(?:is|has (?:always )?been|considers (?:myself|themselves))\s+(?P<v>.+)$", _trait),
    rule(r"weighs\s+(?P<v>\d.*)$", lambda match, view: _measure("weight", match, view)),
    rule(r"is\s+(?P<v>\d.*?) tall$", lambda match, view: _measure("height", match, view)),
)
