"""English rules for partner, relatives and pets."""

from __future__ import annotations

import re

from dualmem_graph.system1.rules import dimensions as dim
from dualmem_graph.system1.rules.english.drafts import (
    WORD,
    Draft,
    Rule,
    View,
    cut,
    key_of,
    proper,
    rule,
    without_article,
)
from dualmem_graph.system1.rules.english.health import is_condition
from dualmem_graph.system1.rules.english.types import Kind
from dualmem_graph.system1.rules.english.words import KIN, PETS, SINGLE_KIN, THINGS, VEHICLES

_COUNT = (
    r"(?P<n>an?|one|two|three|four|five|six|seven|eight|nine|ten|\d{1,2}|several|no|any"
    r"|a couple of|my|their|another|some)"
)
_NAMES = re.compile(
    r"(?:(?:named|called|who is (?:named|called))\s+|,\s*(?:a [a-z ]+ )?|:\s*"
    r"|\s+\()([A-Z][\w'-]+(?:(?:,? and |, )[A-Z][\w'-]+)*)"
)
_LOWER_NAME = re.compile(r"(?:named|called)\s+([a-z][\w'-]+)")


def _names(text: str) -> str | None:
    found = _NAMES.search(text)
    if found:
        return found[1]
    lower = _LOWER_NAME.search(text)
    return proper(lower[1]) if lower else None


def _relationship(match: re.Match[str], view: View) -> list[Draft]:
    """The words tell the state; "is not married" ends nothing but that value."""
    if view.subject.kind in (Kind.THING, Kind.PET, Kind.WORLD):
        return []
    state = match["v"].lower()
    values = {
        "widow": "widowed",
        "widower": "widowed",
        "a widow": "widowed",
        "a widower": "widowed",
        "seeing": "dating",
    }
    return [Draft(dim.RELATIONSHIP, values.get(state, state), view.negated)]


def _separated(match: re.Match[str], view: View) -> list[Draft]:
    return [] if view.negated else [Draft(dim.RELATIONSHIP, "single")]


def _has(match: re.Match[str], view: View) -> list[Draft]:
    """What "has …" holds: each part of the list is kin, a pet, a condition or a thing."""
    drafts: list[Draft] = []
    rest = match["rest"]
    if rest.startswith("to "):
        return []
    for part in _has_parts(rest):
        draft = _had(part, view)
        if draft is None:
            return []
        drafts.append(draft)
    if len(drafts) == 1:
        return [Draft(drafts[0].dimension, drafts[0].value, drafts[0].negated)]
    return drafts


_AND_NEW = re.compile(
    r"\s*,?\s+and\s+(?=(?:an?|one|two|three|four|five|six|\d+|my|their|another|some)\s)"
    r"|,\s+(?=(?:an?|two|three|four|\d+)\s)"
)


def _has_parts(rest: str) -> list[str]:
    return [part for part in _AND_NEW.split(rest) if part.strip()]


def _had(part: str, view: View) -> Draft | None:
    match = re.match(rf"{_COUNT}\s+(?P<rest>.+)$", part, re.IGNORECASE)
    count = match["n"].lower() if match else ""
    rest = (match["rest"] if match else part).strip()
    negated = view.negated or count == "no"
    phrase = cut(
        re.split(
            r"\s+(?:named|called|who|that|whose|at|for|of|in|with|on|from|to|about)\b|,", rest
        )[0]
    )
    words = [word.lower() for word in WORD.findall(phrase)]
    if not words or len(words) > 5:
        return None
    head = singular(words[-1])
    predicate = f"has {part.strip(' ,.')}" if not view.negated else ""
    name = _names(part)
    if head in KIN or words[-1] in KIN:
        return _kin(head, count, name, negated, predicate)
    if head in PETS and "farm" not in words:
        key = name if name and count in {"a", "an", "one", ""} and " and " not in name else phrase
        value = head if name and key == name else (None if negated else (name or _count(count)))
        dimension = pet_dimension(key, name)
        return Draft(dimension, value, negated, predicate) if dimension else None
    if is_condition(words):
        dimension = key_of(dim.HEALTH, without_article(phrase))
        return (
            Draft(dimension, None if negated else dim.YES, negated, predicate)
            if dimension
            else None
        )
    if head in THINGS and count != "some":
        key = "car" if head in VEHICLES else phrase
        dimension = key_of(dim.POSSESSION, key)
        return (
            Draft(dimension, None if negated else dim.YES, negated, predicate)
            if dimension
            else None
        )
    return None


def pet_dimension(key: str, name: str | None) -> str | None:
    """The dimension of a pet: by its name as it is, else by its kind."""
    if key == name:
        return f"{dim.PET}:{key.casefold()}"
    words = key.split()
    plural_kind = len(words) > 1 and words[-1].lower() in {"dogs", "cats", "pets", "fish"}
    return key_of(dim.PET, words[-1] if plural_kind else key)


def _count(count: str) -> str:
    return dim.YES if count in {"a", "an", "one", "", "my", "their", "another"} else count


def _kin(head: str, count: str, name: str | None, negated: bool, predicate: str) -> Draft | None:
    key = "kid" if head in {"child", "children"} else head
    plural_name = bool(name and (" and " in name or "," in name))
    named_key = f"{key} {name}" if name and not plural_name and head not in SINGLE_KIN else key
    dimension = key_of(dim.FAMILY, named_key)
    if dimension is None:
        return None
    value = None if negated else (name or _count(count))
    return Draft(dimension, value, negated, predicate)


def singular(word: str) -> str:
    """The singular of a noun of our lists: ``kids`` → ``kid``."""
    if word == "children":
        return "child"
    if word in KIN or word in PETS or word in THINGS:
        return word
    if word.endswith("ies"):
        return word[:-3] + "y"
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def _parent_of(match: re.Match[str], view: View) -> list[Draft]:
    return [] if view.negated else [Draft("family:kid", match["n"].lower())]


def _only_child(match: re.Match[str], view: View) -> list[Draft]:
    return [] if view.negated else [Draft("family:sibling", "only child")]


def _got_pet(match: re.Match[str], view: View) -> list[Draft]:
    if view.negated:
        return []
    phrase = cut(re.split(r"\s+(?:named|called|from|who|that)\b|,", match["rest"])[0])
    words = [singular(word.lower()) for word in WORD.findall(phrase)]
    if not words or words[-1] not in PETS:
        return []
    name = _names(match["rest"])
    dimension = pet_dimension(name or phrase, name)
    return [Draft(dimension, words[-1] if name else dim.YES)] if dimension else []


_WITH_PET = re.compile(
    r"\bwith (?:my|their|our) (?:\w+ )?(?P<kind>[a-z]+),? (?P<name>[A-Z][\w'-]+)"
)
_COMPANION = re.compile(
    r"\bwith (?P<part>(?:an?|one|two|three|my|their|our|his"
    r"|her) (?:[\w-]+ ){1,4}(?:called|named) [A-Z][\w'-]+(?:(?:,? and "
    r"|, )[A-Z][\w'-]+)*)"
)


def companion(view: View) -> list[Draft]:
    """ "lives in Leeds with a whippet called Biscuit" says that there is a whippet, too."""
    if not view.subject.is_self or view.negated:
        return []
    pet = _WITH_PET.search(view.text)
    if pet and pet["kind"] in PETS:
        name = pet["name"]
        return [
            Draft(
                pet_dimension(name, name),
                pet["kind"],
                predicate=f"has a {pet['kind']} named {name}",
            )
        ]
    match = _COMPANION.search(view.text)
    if match is None:
        return []
    draft = _had(match["part"], view)
    return [draft] if draft is not None and draft.predicate else []


RULES: tuple[Rule, ...] = (
    rule(
        r"(?:is|was|got|has been|has gotten|gets)\s+(?:happily |recently "
        r"|newly )?(?P<v>married|engaged|divorced|separated|widowed)\b(?! in\b)(?! with (?:the"
        r"|a|an|my|their) (?:community|project|work|process|conversation))",
        _relationship,
    ),
    rule(
        r"is\s+(?P<v>single|an? (?:widow|widower)|seeing(?= (?:someone|somebody"
        r"|an? (?:new )?(?:guy|girl|man|woman)))|dating)\b(?! (?:mom|dad|parent|mother"
        r"|father|mum|malt|origin|most|point|day))",
        _relationship,
    ),
    rule(
        r"(?P<x>started|has started|has been|began) (?P<v>dating|seeing) (?:someone|somebody"
        r"|an? |(?-i:[A-Z]))",
        _relationship,
    ),
    rule(
        r"(?:broke up|split up|has broken up|has split up|separated"
        r"|parted ways)\b(?: with (?:my|their|his|her|(?-i:[A-Z])))?",
        _separated,
    ),
    rule(r"(?:has|owns|keeps|has got|cares for)\s+(?P<rest>.+)$", _has),
    rule(
        r"is\s+(?:an?|the) (?:proud |single |married |happy )*(?:mom|mum|mother|dad|father"
        r"|parent|mama)(?:-| )of(?:-| )(?P<n>\w+)",
        _parent_of,
    ),
    rule(r"is\s+an? only child\b", _only_child),
    rule(
        r"(?:adopted|got|rescued|has adopted|has got|bought|brought home|is fostering"
        r"|fostered|has rescued|gets|picked up)\s+(?P<rest>(?:an?|two|three|my|our|their"
        r"|another|a new) .+)$",
        _got_pet,
    ),
)
