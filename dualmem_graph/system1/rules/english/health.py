"""English rules for allergies, illnesses and complaints."""

from __future__ import annotations

import re

from dualmem_graph.system1.rules import dimensions as dim
from dualmem_graph.system1.rules.english.drafts import (
    WORD,
    Draft,
    Rule,
    View,
    cut,
    items,
    key_of,
    rule,
    without_article,
)
from dualmem_graph.system1.rules.english.words import CONDITION_ENDINGS, CONDITION_HEADS, CONDITIONS


def is_condition(words: list[str]) -> bool:
    """Whether a noun phrase (lower case words) names a lasting illness or complaint."""
    return any(
        word in CONDITIONS or (word.endswith(CONDITION_ENDINGS) and len(word) > 6) for word in words
    ) or (len(words) > 1 and words[-1] in CONDITION_HEADS)


def _expecting(match: re.Match[str], view: View) -> list[Draft]:
    return [Draft("health:pregnancy", None if view.negated else dim.YES, view.negated)]


def _allergic(match: re.Match[str], view: View) -> list[Draft]:
    parts = items(cut(match["v"], listed=True))
    drafts = []
    for part in parts:
        dimension = key_of(dim.ALLERGY, re.sub(r"^(?:most|all|raw|certain)\s+", "", part))
        if dimension is None:
            return []
        predicate = f"is allergic to {part}" if len(parts) > 1 and not view.negated else ""
        drafts.append(Draft(dimension, None if view.negated else dim.YES, view.negated, predicate))
    return drafts


def _allergy(match: re.Match[str], view: View) -> list[Draft]:
    dimension = key_of(dim.ALLERGY, match["v"])
    return [Draft(dimension, None if view.negated else dim.YES, view.negated)] if dimension else []


def _diagnosed(match: re.Match[str], view: View) -> list[Draft]:
    dimension = key_of(dim.HEALTH, without_article(cut(match["v"])))
    return [Draft(dimension, dim.YES)] if dimension and not view.negated else []


def _suffers(match: re.Match[str], view: View) -> list[Draft]:
    phrase = without_article(cut(match["v"]))
    phrase = re.sub(r"^(?:bad|terrible|frequent|severe|chronic|mild|really bad)\s+", "", phrase)
    words = [word.lower() for word in WORD.findall(phrase)]
    sure = match["verb"].lower().startswith(("suffer", "is suff", "has suff"))
    if not words or not (is_condition(words) or (sure and len(words) < 4)):
        return []
    dimension = key_of(dim.HEALTH, phrase)
    return [Draft(dimension, None if view.negated else dim.YES, view.negated)] if dimension else []


def _is_ill(match: re.Match[str], view: View) -> list[Draft]:
    dimension = key_of(dim.HEALTH, match["v"])
    return [Draft(dimension, None if view.negated else dim.YES, view.negated)] if dimension else []


def _has_allergy(match: re.Match[str], view: View) -> list[Draft]:
    dimension = key_of(
        dim.ALLERGY, without_article(match["v"]).removeprefix("severe ").removeprefix("bad ")
    )
    return [Draft(dimension, None if view.negated else dim.YES, view.negated)] if dimension else []


RULES: tuple[Rule, ...] = (
    rule(
        r"(?:has|keeps|has got)\s+(?P<v>[\w-]+(?: [\w-]+)?) allergy\b",
        lambda m, v: _has_allergy(m, v),
    ),
    rule(
        r"is\s+(?:\w+ (?:weeks|months) )?(?:pregnant|expecting (?:a baby|our|my|their"
        r"|twins))\b",
        _expecting,
    ),
    rule(r"(?:is|was) (?:\w+ly )?allergic to\s+(?P<v>.+)$", _allergic),
    rule(r"is\s+(?P<v>lactose|gluten|histamine|fructose)(?:-| )intolerant\b", _allergy),
    rule(r"(?:was|got|has been|has just been) diagnosed with\s+(?P<v>.+)$", _diagnosed),
    rule(
        r"(?P<verb>suffers? from|is suffering from|has suffered from|struggles? with"
        r"|has struggled with|gets?|is prone to|lives? with|deals? with|is living with"
        r"|is recovering from)\s+(?P<v>.+)$",
        _suffers,
    ),
    rule(
        r"is\s+(?P<v>diabetic|asthmatic|epileptic|anemic|anaemic|coeliac|celiac|dyslexic"
        r"|hypothyroid|immunocompromised)\b",
        _is_ill,
    ),
)
