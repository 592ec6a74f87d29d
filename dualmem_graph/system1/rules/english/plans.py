"""English rules for intentions: an action that is meant, or a date that is set."""

from __future__ import annotations

import re

from dualmem_graph.system1.rules import dimensions as dim
from dualmem_graph.system1.rules.english import verbs
from dualmem_graph.system1.rules.english.content import FEW_WORDS, HOLLOW, POINTING
from dualmem_graph.system1.rules.english.drafts import Draft, View, cut, is_pronoun, key_of
from dualmem_graph.system1.rules.english.habits import habit_key
from dualmem_graph.system1.rules.english.types import Kind
from dualmem_graph.system1.rules.english.words import APPOINTMENTS, LIGHT_ADVERBS
from dualmem_graph.system1.rules.wordlist import word_set

_INTENT = re.compile(
    r"^(?:is (?:\w+ )?(?:going|planning|hoping|aiming|about|looking|preparing"
    r"|getting ready|determined|set|due|supposed|trying) to"
    r"|plans? (?:to|on)|is planning on|intends? to|hopes? to|wants? to|would (?:love"
    r"|like) to|aims? to|has decided to|decided to"
    r"|is thinking (?:of|about)|is considering|dreams? (?:of|about)"
    r"|has (?:always )?(?:wanted|dreamed|dreamt) (?:to|of)"
    r"|is looking forward to|can wait (?:to|for)|is excited (?:to|for)|is (?:saving up"
    r"|saving) (?:to|for))\s+(?P<v>.+)$",
    re.IGNORECASE,
)
#: Intentions that only count with a time: without one they are moods.
_NEEDS_TIME = re.compile(
    r"^(?:is looking forward|can wait|is excited|is trying|is supposed|is about"
    r"|is determined)",
    re.IGNORECASE,
)
_PLAN_NOUN = re.compile(
    r"^(?:is planning|plans|has planned|is organi[sz]ing|is hosting|is throwing"
    r"|is attending|is getting)\s+(?P<v>(?:an?|my|our|their|the|two|some)\s.+)$",
    re.IGNORECASE,
)
_DUTY = re.compile(r"^(?:has to|needs? to|must)\s+(?P<v>.+)$", re.IGNORECASE)
_WILL = re.compile(r"^will\s+(?P<v>(?:be )?.+)$", re.IGNORECASE)
_COMING = re.compile(r"^is\s+(?P<v>[a-z]+ing\b.*)$", re.IGNORECASE)
_BEGINS = re.compile(
    r"^(?P<v>(?:starts|leaves|flies|moves|arrives|returns|graduates|begins|travels"
    r"|goes)\s.+)$",
    re.IGNORECASE,
)
_HAS_DATE = re.compile(r"^has\s+(?P<v>(?:an?|my|our|their|the|two|another)\s.+)$", re.IGNORECASE)
_WEAK_ACTIONS = word_set(
    "see know say be make ask share thank tell use show let keep do hear add give wait "
    "mention check talk understand think believe "
    "keep make remind focus feel look put stay rock spread help support find figure "
    "put push mean miss"
)


def plan(view: View, *, future: bool, timed: bool) -> list[Draft]:
    """An intention with an action: "is going to run a marathon", "has a dentist appointment".

    Args:
        future: the clause names a time after it was said.
        timed: the clause names some time.
    """
    core = view.predicate.core
    kind = view.subject.kind
    if kind is Kind.WORLD:
        return []
    if kind is Kind.THING:
        return _dated_topic(view, future=future)
    intent = _INTENT.match(core)
    if intent:
        if re.match(r"can wait", core) and not view.negated:
            return []
        denied = view.negated and not core.startswith("can wait")
        needs = bool(_NEEDS_TIME.match(core))
        return _plan(intent["v"], view, denied=denied) if timed or not needs else []
    if view.negated:
        return []
    for pattern in (_WILL, _COMING, _DUTY, _BEGINS, _HAS_DATE, _PLAN_NOUN):
        match = pattern.match(core)
        if pattern is _BEGINS and view.predicate.habitual:
            continue
        if match and (
            future or (pattern is _PLAN_NOUN and core.startswith(("is planning", "plans")))
        ):
            if pattern is _HAS_DATE and not _is_appointment(match["v"]):
                continue
            return _plan(re.sub(r"^be (?=\w+ing\b)", "", match["v"]), view, denied=False)
    return []


def _plan(action: str, view: View, *, denied: bool) -> list[Draft]:
    phrase = cut(action, company=False)
    words = phrase.lower().split()
    while words and words[0] in LIGHT_ADVERBS:
        words.pop(0)
    if not words:
        return []
    verb = verbs.base_form(words[0])
    content = [word for word in words[1:] if word not in HOLLOW]
    if re.match(r"be an? \w", phrase):
        content.append("be")
        verb = "become"
    weak = verb in _WEAK_ACTIONS and len(content) < FEW_WORDS
    if verb == "keep" and words[1:2] and words[1].endswith("ing"):
        return []
    if re.search(r"\b(?:it|that|this)$|\bthat happen\b|\ba difference\b", phrase):
        return []
    object_ = re.sub(r"^how (?=to )", "", " ".join(words[1:]))
    if weak or is_pronoun(object_ or words[0]) or POINTING.match(phrase):
        return []
    if not content and verb not in {
        "retire",
        "propose",
        "marry",
        "move",
        "graduate",
        "quit",
        "visit",
        "come",
        "swim",
        "drive",
    }:
        return []
    dimension = key_of(dim.PLAN, _plan_key(words))
    return [Draft(dimension, None if denied else dim.YES, denied)] if dimension else []


def _plan_key(words: list[str]) -> str:
    return habit_key(" ".join(words))


def _is_appointment(phrase: str) -> bool:
    words = re.findall(r"[\w-]+", cut(phrase).lower())
    return any(word in APPOINTMENTS for word in words[:5])


def _dated_topic(view: View, *, future: bool) -> list[Draft]:
    words = view.subject.noun.lower().split()
    head = re.split(r" (?:to|with|at|for|in|on|of)\b", view.subject.noun.lower())[0].split()
    if not future or view.subject.owner or not words or head[-1] not in APPOINTMENTS:
        return []
    if (
        not re.match(r"(?:is|will be|starts|begins|takes place)\b", view.predicate.core)
        or view.negated
    ):
        return []
    return [Draft(f"{dim.PLAN}:{dim.normalise_key(view.subject.noun)}", dim.YES)]
