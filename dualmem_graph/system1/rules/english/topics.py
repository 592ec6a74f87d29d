"""English rules for statements about what somebody has: "User's birthday is …"."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from dualmem_graph.system1.rules import dimensions as dim
from dualmem_graph.system1.rules.english.drafts import (
    Draft,
    View,
    cut,
    is_value,
    items,
    key_of,
    proper,
    without_article,
)
from dualmem_graph.system1.rules.english.family import singular
from dualmem_graph.system1.rules.english.person import age_in_digits
from dualmem_graph.system1.rules.english.words import (
    APPOINTMENTS,
    KIN,
    LANGUAGES,
    PARTNERS,
    PETS,
    SINGLE_KIN,
)
from dualmem_graph.system1.rules.findings import USER
from dualmem_graph.system1.rules.wordlist import word_set

_FAVOURITE = re.compile(r"(?:all-?time )?(?:favou?rite|fave) (?:kind of |type of )?(.+)$")
_HOBBY = re.compile(r"(?:favou?rite )?(?:hobby|hobbies|passions?|interests)$")
_SURELY = re.compile(
    r"^(?:probably|definitely|currently|by far|still|now|always|gotta be|has to be)\s+"
)
_HOME = word_set("home house residence location")
_JOBS = frozenset({"job", "occupation", "profession", "job title"})
_NO_TRADE = re.compile(r"(?:\w+ing|so|very|really|great|hard|good|stress\w*|bor\w+)\b")
_LONGEST_TRADE = 4
_PLACED = re.compile(
    r"is (?P<v>(?:in|on|under|at|behind|inside|above|below|next to|beside|with|parked"
    r"|stored|kept)"
    r"\s.+)$"
)
#: "is on sale", "is in trouble": states, no places.
_STATES = re.compile(
    r"(?:on (?:fire|sale|time|hold|track|point|the way|my mind|their mind)"
    r"|in (?:good|bad|great|need|progress|trouble|love|danger|charge|a (?:good|bad|mess|rush))"
    r"|at (?:stake|risk|peace|ease)|with (?:me|them|you)\b|under (?:pressure|control|attack))",
    re.IGNORECASE,
)
_DATED = re.compile(
    r"(?:on|in|at) (?:the )?(?:\d|mon|tues|wednes|thurs|fri|satur|sun|jan|feb|mar|apr|may|jun|jul"
    r"|aug|sep|oct|nov|dec|a (?:week|month|few)|two|three|noon|next)",
    re.IGNORECASE,
)
_LONGEST_THING = 3
_PROPER_NAME = re.compile(r"[A-Z][\w'-]*(?: [A-Z][\w'-]*)*$")


@dataclass(frozen=True, slots=True)
class _Topic:
    """ "User's <noun> is <said>"; ``value`` is ``said`` without times and further clauses."""

    noun: str
    owner: str
    said: str
    value: str
    negated: bool


def topic(noun: str, owner: str, predicate: str, view: View) -> list[Draft]:
    """Read a statement about what somebody has: "User's birthday is …", "User's tent is …".

    Args:
        noun: the thing in lower case: "favourite colour", "name", "tent".
        owner: the relation of the owner ("wife", "cat"), ``""`` for the speaker, "name" for a
            person that was called by name.
        predicate: the positive core of the predicate.
    """
    match = re.match(r"is (?P<v>.+)$", predicate)
    if match is None:
        return []
    about = _Topic(noun, owner, match["v"], cut(match["v"]), view.negated)
    for read in _READERS:
        drafts = read(about)
        if drafts:
            return drafts
    return []


def called(owner: str, name: str) -> Draft | None:
    """ "User's wife is called Ilka": the relative or pet of the speaker by name."""
    drafts = _by_name(owner, name)
    return replace(drafts[0], subject=USER) if drafts else None


def _name(about: _Topic) -> list[Draft]:
    if about.noun != "name":
        return []
    return _by_name(about.owner, proper(about.value), negated=about.negated)


def _by_name(owner: str, name: str, *, negated: bool = False) -> list[Draft]:
    if not _PROPER_NAME.match(name):
        return []
    if not owner:
        return [Draft(dim.NAME, name, negated)]
    head = singular(owner)
    if head in PETS:
        return [Draft(f"{dim.PET}:{name.casefold()}", head)]
    if head not in KIN:
        return []
    key = head if head in SINGLE_KIN | PARTNERS else f"{head} {name}"
    return [Draft(f"{dim.FAMILY}:{dim.normalise_key(key)}", name)]


def _birthday(about: _Topic) -> list[Draft]:
    if about.noun not in {"birthday", "date of birth"}:
        return []
    return [Draft(dim.BIRTHDAY, re.sub(r"^on (?:the )?", "", about.said).strip(" .!"))]


def _hobbies(about: _Topic) -> list[Draft]:
    if not _HOBBY.match(about.noun) or about.negated:
        return []
    parts = items(cut(about.said, listed=True))
    keys = [key_of(dim.ATTITUDE, part) for part in parts]
    if len(parts) == 1:
        return [Draft(key, dim.LIKE) for key in keys if key]
    return [
        Draft(key, dim.LIKE, predicate=f"enjoys {part}", display="User")
        for key, part in zip(keys, parts, strict=True)
        if key
    ]


def _favourite(about: _Topic) -> list[Draft]:
    match = _FAVOURITE.match(about.noun)
    value = without_article(_SURELY.sub("", about.value))
    if match is None or not is_value(value):
        return []
    thing = dim.normalise_key(match[1].replace("color", "colour"))
    return [Draft(f"{dim.FAVOURITE}:{thing}", value, about.negated)]


def _person(about: _Topic) -> list[Draft]:
    """What has a slot of its own: age, home, origin, trade, employer, language."""
    noun, value = about.noun, about.value
    if noun == "age":
        age = age_in_digits(value.removesuffix(" years old"))
        return [Draft(dim.AGE, age)] if age else []
    if noun.removeprefix("current ") in _HOME:
        where = re.sub(r"^(?:in|at|near) ", "", value)
        return [Draft(dim.HOME, where)] if where[:1].isupper() else []
    if noun in _JOBS:
        role = without_article(value)
        plain = role.islower() and len(role.split()) <= _LONGEST_TRADE
        return [Draft(dim.OCCUPATION, role)] if plain and not _NO_TRADE.match(role) else []
    if noun in {"native language", "mother tongue", "first language"}:
        spoken = value.lower()
        return [Draft(f"{dim.SKILL}:{spoken}", dim.YES)] if spoken in LANGUAGES else []
    if noun in {"hometown", "home town"} and value:
        return [Draft(dim.ORIGIN, value)]
    if noun in {"employer", "company"} and value[:1].isupper():
        return [Draft(dim.EMPLOYER, value)]
    return []


def _thing(about: _Topic) -> list[Draft]:
    """Where a thing is kept: "User's tent is in the attic"."""
    where = _PLACED.match(f"is {about.said}")
    if where is None or about.owner or about.negated:
        return []
    short = len(about.noun.split()) <= _LONGEST_THING
    passing = APPOINTMENTS & set(about.noun.split())
    if passing or not short or _STATES.match(where["v"]) or _DATED.match(where["v"]):
        return []
    dimension = key_of(dim.POSSESSION, about.noun)
    return [Draft(dimension, cut(where["v"], company=False))] if dimension else []


_READERS: tuple[Callable[[_Topic], list[Draft]], ...] = (
    _name,
    _birthday,
    _hobbies,
    _favourite,
    _person,
    _thing,
)
