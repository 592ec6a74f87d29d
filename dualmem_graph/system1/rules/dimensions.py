"""The dimensions along which a person's facts change, the same names in every language.

Two statements of one subject and one dimension are versions of each other: ``home`` is Beijing,
then Shanghai. Most things coexist instead, so they carry their object in the key:
``attitude:coffee`` and ``attitude:tea`` are two dimensions, and each of them has one value.
Events have no dimension.
"""

from __future__ import annotations

import re
import unicodedata

from dualmem_graph.types import Layer

NAME = "name"
AGE = "age"
BIRTHDAY = "birthday"
HOME = "home"
ORIGIN = "origin"
OCCUPATION = "occupation"
EMPLOYER = "employer"
SCHOOL = "school"
MAJOR = "major"
RELATIONSHIP = "relationship"
DIET = "diet"

#: One slot a person: a new value replaces the old one.
PLAIN = frozenset(
    {
        NAME,
        AGE,
        BIRTHDAY,
        HOME,
        ORIGIN,
        OCCUPATION,
        EMPLOYER,
        SCHOOL,
        MAJOR,
        RELATIONSHIP,
        DIET,
    }
)

ATTITUDE = "attitude"
FAVOURITE = "favourite"
HABIT = "habit"
PET = "pet"
POSSESSION = "possession"
ALLERGY = "allergy"
HEALTH = "health"
SKILL = "skill"
FAMILY = "family"
PLAN = "plan"
TRAIT = "trait"

#: One slot a person and key: ``favourite:colour``, ``pet:Miso``, ``allergy:peanut``.
KEYED = frozenset(
    {
        ATTITUDE,
        FAVOURITE,
        HABIT,
        PET,
        POSSESSION,
        ALLERGY,
        HEALTH,
        SKILL,
        FAMILY,
        PLAN,
        TRAIT,
    }
)

#: Dimensions that have a profile entry, and its key.
PROFILE_KEYS = {
    NAME: "name",
    AGE: "age",
    BIRTHDAY: "birthday",
    HOME: "location",
    ORIGIN: "origin",
    OCCUPATION: "occupation",
    EMPLOYER: "employer",
    SCHOOL: "school",
    MAJOR: "major",
    RELATIONSHIP: "relationship",
    DIET: "diet",
}

# Values of ``attitude:<object>``, of ``possession:<thing>`` and the other yes/no dimensions.
LIKE = "like"
DISLIKE = "dislike"
FEAR = "fear"
YES = "yes"

_TAGS = {
    NAME: ("identity",),
    AGE: ("identity",),
    BIRTHDAY: ("identity", "birthday"),
    HOME: ("home",),
    ORIGIN: ("origin",),
    OCCUPATION: ("work",),
    EMPLOYER: ("work",),
    SCHOOL: ("education",),
    MAJOR: ("education",),
    RELATIONSHIP: ("relationship",),
    DIET: ("food", "health"),
    ATTITUDE: ("preference",),
    FAVOURITE: ("preference",),
    HABIT: ("habit",),
    PET: ("pet",),
    POSSESSION: ("possession",),
    ALLERGY: ("health", "allergy"),
    HEALTH: ("health",),
    SKILL: ("skill",),
    FAMILY: ("family",),
    PLAN: ("plan",),
    TRAIT: ("trait",),
}

_IDENTITY = frozenset({ATTITUDE, FAVOURITE, HABIT, TRAIT, DIET})

_EDGES = re.compile(r"^[\W_]+|[^\w+#)]+$")
_DETERMINERS = re.compile(
    r"^(?:(?:the|a|an|my|our|his|her|their|your|its|some|any|all|this|that|these|those|of)\s+)+"
)
_PLURALS = (
    ("ies", "y"),
    ("ches", "ch"),
    ("shes", "sh"),
    ("sses", "ss"),
    ("xes", "x"),
    ("oes", "o"),
)
_NOT_PLURAL = (
    "ss",
    "us",
    "is",
    "ics",
    "ous",
    "news",
    "series",
    "species",
    "betes",
    "abies",
    "lens",
)
_IE = frozenset(
    [
        "movies",
        "cookies",
        "brownies",
        "smoothies",
        "zombies",
        "selfies",
        "hoodies",
        "ties",
        "pies",
        "calories",
        "cuties",
        "rookies",
        "newbies",
        "genies",
        "pixies",
    ]
)
_SHORTEST_PLURAL = 4


def normalise_key(text: str) -> str:
    """Fold the object of a keyed dimension, so that its wordings meet in one key.

    Case, width, surrounding punctuation, English determiners and the plural of the last word go.

    Example:
        >>> normalise_key("The Green Teas!")
        'green tea'
        >>> normalise_key("苹果")
        '苹果'
    """
    folded = unicodedata.normalize("NFKC", text).casefold().replace("’", "'")
    folded = _EDGES.sub("", " ".join(folded.split()))
    folded = _EDGES.sub("", _DETERMINERS.sub("", folded))
    return _singular(folded)


def keyed(dimension: str, key: str) -> str:
    """The dimension of one object: ``keyed("attitude", "Coffee") == "attitude:coffee"``.

    Raises:
        ValueError: the dimension takes no key, or nothing is left of the key.
    """
    if dimension not in KEYED:
        raise ValueError(f"{dimension!r} takes no key; keyed dimensions: {sorted(KEYED)}")
    normal = normalise_key(key)
    if not normal:
        raise ValueError(f"the key {key!r} of {dimension!r} is empty")
    return f"{dimension}:{normal}"


def base(dimension: str) -> str:
    """The dimension without its key: ``base("attitude:coffee") == "attitude"``."""
    return dimension.partition(":")[0]


def same_value(one: str | None, other: str | None) -> bool:
    """Whether two values along one dimension say the same, whatever their case or articles."""
    if one is None or other is None:
        return one is other
    return normalise_key(one) == normalise_key(other)


def layer_for(dimension: str | None) -> Layer:
    """The layer of the user's own statement along ``dimension``.

    Preferences, habits, traits and diet are identity, a plan is an intention, all else is fact.
    What is said of other people is always fact.
    """
    name = base(dimension or "")
    if name == PLAN:
        return Layer.INTENTION
    return Layer.IDENTITY if name in _IDENTITY else Layer.FACT


def tags_for(dimension: str | None) -> tuple[str, ...]:
    """The tags of a statement along ``dimension``; an event is tagged ``event``."""
    if dimension is None:
        return ("event",)
    return _TAGS.get(base(dimension), ())


def _singular(text: str) -> str:
    if not text.isascii():
        return text
    head, space, word = text.rpartition(" ")
    if len(word) < _SHORTEST_PLURAL or word.endswith(_NOT_PLURAL) or not word.endswith("s"):
        return text
    if word in _IE:
        return head + space + word[:-1]
    for plural, singular in _PLURALS:
        if word.endswith(plural):
            return head + space + word[: -len(plural)] + singular
    return head + space + word[:-1]
