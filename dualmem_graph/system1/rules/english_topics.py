"""English rules for statements about what somebody has: "User's birthday is …"."""

from __future__ import annotations

import re
from dataclasses import replace

from dualmem_graph.system1.rules import dimensions as dim
from dualmem_graph.system1.rules.english_drafts import (
    Draft,
    View,
    cut,
    is_value,
    items,
    key_of,
    proper,
    without_article,
)
from dualmem_graph.system1.rules.english_person import age_in_digits
from dualmem_graph.system1.rules.english_ties import singular
from dualmem_graph.system1.rules.english_words import KIN, LANGUAGES, PARTNERS, PETS, SINGLE_KIN
from dualmem_graph.system1.rules.findings import USER


def topic(noun: str, owner: str, predicate: str, view: View) -> list[Draft] | None:
    """Rules for statements about what somebody has: "User's birthday is …", "User's tent is …".

    Args:
        noun: the thing in lower case: "favourite colour", "name", "tent".
        owner: the relation of the owner ("wife", "cat"), ``""`` for the speaker, "name" for a
            person that was called by name.
    """
    match = re.match(r"is (?P<v>.+)$", predicate)
    value = cut(match["v"]) if match else ""
    if noun == "name" and value:
        return _topic_name(owner, proper(value), negated=view.negated)
    if noun in {"birthday", "date of birth"} and match:
        return [Draft(dim.BIRTHDAY, re.sub(r"^on (?:the )?", "", match["v"]).strip(" .!"))]
    if noun in {"hobby", "hobbies", "passion", "passions", "interests", "favorite hobby", "favourite hobby"} and match:
        return _hobbies(match["v"])
    favourite = re.match(r"(?:all-?time )?(?:favou?rite|fave) (?:kind of |type of )?(.+)$", noun)
    if favourite and value and is_value(value) and match:
        value = re.sub(r"^(?:probably|definitely|currently|by far|still|now|always|gotta be|has to be)\s+", "", value)
        return [Draft(f"{dim.FAVOURITE}:{dim.normalise_key(favourite[1].replace('color', 'colour'))}", without_article(value), view.negated)]
    if noun == "age" and value:
        age = age_in_digits(value.removesuffix(" years old"))
        return [Draft(dim.AGE, age)] if age else None
    if noun in {"home", "house", "residence", "location", "current home", "current location"} and value:
        where = re.sub(r"^(?:in|at|near) ", "", value)
        return [Draft(dim.HOME, where)] if where[:1].isupper() else None
    if noun in {"job", "occupation", "profession", "job title"} and value:
        role = without_article(value)
        return [Draft(dim.OCCUPATION, role)] if is_value(role) and role.lower() == role and len(role.split()) < 5 and not re.match(r"(?:\w+ing|so|very|really|great|hard|good|stress\w*|bor\w+)\b", role) else None  # noqa: PLR2004
    if noun in {"native language", "mother tongue", "first language"} and value.lower() in LANGUAGES:
        return [Draft(f"{dim.SKILL}:{value.lower()}", dim.YES)]
    if noun in {"hometown", "home town"} and value:
        return [Draft(dim.ORIGIN, value)]
    if noun in {"employer", "company"} and value[:1].isupper():
        return [Draft(dim.EMPLOYER, value)]
    where = re.match(r"is (?P<v>(?:in|on|under|at|behind|inside|above|below|next to|beside|with|parked|stored|kept)\s.+)$", predicate)
    if where and not owner and not view.negated and _is_thing_place(noun, where["v"]):
        dimension = key_of(dim.POSSESSION, noun)
        return [Draft(dimension, cut(where["v"], company=False))] if dimension else None
    return None


def _hobbies(spoken: str) -> list[Draft] | None:
    parts = items(cut(spoken, listed=True))
    drafts = []
    for part in parts:
        dimension = key_of(dim.ATTITUDE, part)
        if dimension is None:
            return None
        several = len(parts) > 1
        drafts.append(
            Draft(
                dimension,
                dim.LIKE,
                predicate=f"enjoys {part}" if several else "",
                display="User" if several else "",
            )
        )
    return drafts


_STATES = re.compile(
    r"(?:on (?:fire|sale|time|hold|track|point|the way|my mind|their mind)|in (?:good|bad|great|need|progress|trouble|love|danger|charge|a (?:good|bad|mess|rush))|at (?:stake|risk|peace|ease)|with (?:me|them|you)\b|under (?:pressure|control|attack))",
    re.IGNORECASE,
)


def _is_thing_place(noun: str, where: str) -> bool:
    times = r"(?:on|in|at) (?:the )?(?:\d|mon|tues|wednes|thurs|fri|satur|sun|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|a (?:week|month|few)|two|three|noon|next)"
    short = len(noun.split()) <= 3  # noqa: PLR2004
    return short and not _STATES.match(where) and not re.match(times, where, re.IGNORECASE)


def _topic_name(owner: str, name: str, *, negated: bool = False) -> list[Draft] | None:
    if not re.match(r"[A-Z][\w'-]*(?: [A-Z][\w'-]*)*$", name):
        return None
    if not owner:
        return [Draft(dim.NAME, name, negated)]
    head = singular(owner)
    if head in PETS:
        return [Draft(f"{dim.PET}:{name.casefold()}", head)]
    if owner == "name":
        return None
    if head not in KIN:
        return None
    key = head if head in SINGLE_KIN | PARTNERS else f"{head} {name}"
    return [Draft(f"{dim.FAMILY}:{dim.normalise_key(key)}", name)]


def called(owner: str, name: str) -> Draft | None:
    """"User's wife is called Ilka": the relative or pet of the speaker by name."""
    drafts = _topic_name(owner, name)
    return replace(drafts[0], subject=USER) if drafts else None
