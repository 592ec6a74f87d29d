"""English rules for languages, instruments and other skills."""

from __future__ import annotations

import re

from dualmem_graph.system1.rules import dimensions as dim
from dualmem_graph.system1.rules.english.drafts import (
    Draft,
    Rule,
    View,
    cut,
    is_value,
    items,
    key_of,
    language,
    rule,
    without_article,
)
from dualmem_graph.system1.rules.english.words import INSTRUMENTS, LANGUAGES


def _speaks(match: re.Match[str], view: View) -> list[Draft]:
    """One skill a language: "speaks Portuguese and a bit of Hungarian" is two."""
    spoken = cut(re.sub(r"\b(a (?:bit|little))(?= of\b)", "some", match["v"]), listed=True)
    spoken = spoken.replace("some of ", "a bit of ")
    parts = items(spoken)
    drafts = []
    for part in parts:
        word = re.sub(
            r"^(?:a (?:bit|little)(?: bit)?(?: of)?|some|fluent|basic|native"
            r"|conversational|decent|broken|only|both|very little)\s+",
            "",
            part,
            flags=re.IGNORECASE,
        )
        word = re.sub(
            r"\s+(?:fluently|well|natively|a bit|a little|at home|at work)$",
            "",
            word,
            flags=re.IGNORECASE,
        )
        if word.lower() not in LANGUAGES:
            return []
        shown = part.replace(word, language(word))
        predicate = f"speaks {shown}" if len(parts) > 1 and not view.negated else ""
        negated = view.negated
        drafts.append(
            Draft(f"{dim.SKILL}:{word.lower()}", None if negated else dim.YES, negated, predicate)
        )
    return drafts


def _learns(match: re.Match[str], view: View) -> list[Draft]:
    value = cut(match["v"])
    value = re.sub(r"^(?:how )?to\s+", "", value)
    if (
        view.negated
        or not is_value(value)
        or re.match(r"(?:about|from|that|how|more|a lot|so much|new)\b", value)
    ):
        return []
    dimension = key_of(dim.SKILL, value)
    return [Draft(dimension, "learning")] if dimension else []


def _plays(match: re.Match[str], view: View) -> list[Draft]:
    phrase = cut(re.split(r"\s+(?:in|at|for|on|every|as|when|since|with|until)\b", match["v"])[0])
    parts = [without_article(part) for part in items(phrase)]
    if not parts or any(part.lower().split()[-1:] == [] for part in parts):
        return []
    if all(part.lower().split()[-1] in INSTRUMENTS for part in parts):
        return [
            Draft(
                f"{dim.SKILL}:{dim.normalise_key(part)}",
                None if view.negated else dim.YES,
                view.negated,
                predicate=f"plays {part}" if len(parts) > 1 and not view.negated else "",
            )
            for part in parts
        ]
    return []


def _can(match: re.Match[str], view: View) -> list[Draft]:
    """ "cannot swim", "can play the piano": only for what is learnt."""
    verb = match["verb"].lower()
    rest = cut(match["rest"] or "")
    if rest and not is_value(rest):
        return []
    if verb in {"eat", "drink"}:
        key = key_of(dim.HABIT, f"{verb} {rest}") if view.negated and rest else None
        return [Draft(key, None, True)] if key else []
    if verb == "speak":
        spoken = re.match(r"(?P<v>.+)", rest)
        return _speaks(spoken, view) if spoken else []
    dimension = key_of(dim.SKILL, f"{verb} {rest}".strip())
    return [Draft(dimension, None if view.negated else dim.YES, view.negated)] if dimension else []


def _knows_how(match: re.Match[str], view: View) -> list[Draft]:
    dimension = key_of(dim.SKILL, cut(match["v"]))
    return [Draft(dimension, None if view.negated else dim.YES, view.negated)] if dimension else []


def _good_at(match: re.Match[str], view: View) -> list[Draft]:
    parts = items(cut(match["v"]))
    bad = match["how"].lower() in {"bad", "terrible", "awful", "hopeless"}
    negated = view.negated or bad
    drafts = []
    for part in parts:
        dimension = key_of(dim.SKILL, part)
        if dimension is None or re.match(r"(?:what|this|that)\b", part):
            return []
        predicate = f"is {match['how']} at {part}" if len(parts) > 1 and not view.negated else ""
        drafts.append(Draft(dimension, None if negated else dim.YES, negated, predicate))
    return drafts


_SKILL_VERBS = (
    r"swim|drive|cook|bake|ski|skate|surf|dance|sing|sew|knit|crochet|draw|paint|code"
    r"|program|juggle|whistle|ride|play|speak|read"
    r"|type|fly|sail|row|dive|climb|eat|drink"
)
RULES: tuple[Rule, ...] = (
    rule(
        r"(?:speaks?|knows|is fluent in|is learning to speak|is bilingual in"
        r"|understands)\s+(?P<v>.+)$",
        _speaks,
    ),
    rule(
        r"(?:is learning|learns|is taking (?:lessons|classes) in|is teaching (?:myself"
        r"|themselves)|has been learning|is studying|started learning|has started learning"
        r"|began learning|took up|has taken up)\s+(?P<v>.+)$",
        _learns,
    ),
    rule(r"(?:plays?|has played|has been playing|is playing|played)\s+(?P<v>.+)$", _plays),
    rule(rf"can\s+(?P<verb>{_SKILL_VERBS})(?:\s+(?P<rest>.+))?$", _can),
    rule(r"(?:knows|learned|learnt|has learned|has learnt) how to\s+(?P<v>.+)$", _knows_how),
    rule(
        r"(?:is|has been)\s+(?:\w+ly |so |very |pretty )?(?P<how>good|great|bad|terrible"
        r"|awful|hopeless|skilled|decent|brilliant) (?:at|with)\s+(?P<v>.+)$",
        _good_at,
    ),
)
