"""English rules for what somebody does again and again, began or gave up."""

from __future__ import annotations

import re

from dualmem_graph.system1.rules import dimensions as dim
from dualmem_graph.system1.rules.english import verbs
from dualmem_graph.system1.rules.english.drafts import (
    Draft,
    Rule,
    View,
    cut,
    is_pronoun,
    is_value,
    key_of,
    rule,
    without_article,
)
from dualmem_graph.system1.rules.english.predicates import Tense
from dualmem_graph.system1.rules.english.types import Kind
from dualmem_graph.system1.rules.wordlist import word_set

_MOST_WORDS = 7
#: "quit Siemens": one leaves a firm, not a habit.
_A_NAME = re.compile(r"[A-Z][\w&.-]*(?: [A-Z][\w&.-]*){0,3}")
#: What is done for years when it is done at all: "keeps bees", "collects stamps".
_PASTIMES = word_set(
    "keeps collects breeds brews grows raises restores knits sews weaves carves paints sculpts "
    "teaches coaches fosters builds repairs"
)


def _stopped(match: re.Match[str], view: View) -> list[Draft]:
    """ "stopped smoking", "gave up meat", "quit drinking coffee": the habit is over."""
    phrase = cut(match["v"])
    if view.negated or is_pronoun(phrase) or not is_value(phrase):
        return []
    if match["verb"].endswith("quit") and _A_NAME.fullmatch(phrase):
        return [Draft(dim.EMPLOYER, phrase, True)]
    dimension = key_of(dim.HABIT, habit_key(phrase))
    return [Draft(dimension, None, True)] if dimension else []


def _started(match: re.Match[str], view: View) -> list[Draft]:
    phrase = cut(match["v"])
    first = phrase.split(" ", 1)[0].lower()
    if (
        view.negated
        or not is_value(phrase)
        or first
        in {
            "feeling",
            "getting",
            "thinking",
            "being",
            "working",
            "having",
            "seeing",
            "looking",
            "realizing",
            "noticing",
        }
    ):
        return []
    if first in {"learning"}:
        return []
    dimension = key_of(dim.HABIT, habit_key(phrase))
    return [Draft(dimension, dim.YES)] if dimension else []


def _switched(match: re.Match[str], view: View) -> list[Draft]:
    """ "switched from coffee to matcha": what is done now; the old thing is in the text."""
    new = cut(match["new"])
    if view.negated or not is_value(new):
        return []
    dimension = key_of(dim.HABIT, habit_key(without_article(new)))
    return [Draft(dimension, dim.YES)] if dimension else []


_SMALL_VERBS = word_set(
    "is has does can was feels gets seems thinks knows wants needs says means hopes "
    "guesses wishes goes has thanks appreciates sounds looks tells asks "
    "agrees believes understands hears loves likes hates enjoys prefers dislikes "
    "misses would will"
)
#: Verbs that name a habit without an object.
_WHOLE_HABITS = word_set(
    "smokes drinks drives gambles vapes snores meditates swims runs cooks bakes "
    "travels reads exercises jogs cycles fasts journals prays sleepwalks"
)
_ABSTAINS = word_set(
    "eats drinks smokes drives wears uses watches flies consumes celebrates works own "
    "owns trusts reads cooks vapes gambles sleeps"
    " follows takes keeps"
)


def habit(view: View) -> list[Draft]:
    """A present action that is said to be regular, or that somebody never does.

    Example: "usually goes swimming before work", "drinks three espressos a day",
    "does not eat pork".
    """
    predicate = view.predicate
    if predicate.tense is not Tense.PRESENT or view.subject.kind in (Kind.THING, Kind.WORLD):
        return []
    verb = predicate.verb
    going = (verb == "goes" or predicate.core.startswith("looks forward to")) and not re.match(
        r"goes (?:back|through|well|on)\b", predicate.core
    )
    if (verb in _SMALL_VERBS and not going) or not verbs.is_third(verb):
        return []
    abstains = predicate.negated and verb in _ABSTAINS
    regular = predicate.habitual or re.match(r"still\b", view.text)
    mostly = re.search(r"\b(?:mostly|mainly|mostly)\b", view.text)
    pastime = verb in _PASTIMES and bool(re.match(r"\w+ \w{3,}$", cut(predicate.core)))
    if not (abstains or regular or mostly or pastime or predicate.ended):
        return []
    phrase = cut(predicate.core)
    words = phrase.split()
    object_ = " ".join(words[1:])
    if re.match(r"(?:it|them|that|this|him|her|those|these)\b", object_):
        return []
    if not words or (is_pronoun(object_) and words[1] != "and") or len(words) > _MOST_WORDS + 2:
        return []
    key = habit_key(phrase)
    scheduled = bool(re.search(r"\b(?:every|on \w+days|on weekends|each)\b", predicate.core))
    if " " not in key and not scheduled and not (abstains or verb in _WHOLE_HABITS):
        return []
    dimension = key_of(dim.HABIT, key)
    return (
        [Draft(dimension, None if predicate.negated else dim.YES, predicate.negated)]
        if dimension
        else []
    )


_PER = re.compile(
    r"\s+(?:(?:(?:a few|several|a couple of|many|\w+) times|once|twice) )?(?:an?|per|every"
    r"|each|once|twice) (?:day|week|month|year|morning|evening|night|weekend|single|other"
    r"|\w+day).*$",
    re.IGNORECASE,
)
_INNER = re.compile(r"\b(?:my|their|his|her|our|the|an?|some|any) ", re.IGNORECASE)


def habit_key(phrase: str) -> str:
    """``calls their grandmother`` → ``call grandmother``: base form, no times, no articles."""
    phrase = _PER.sub("", phrase)
    head, space, rest = phrase.partition(" ")
    first = head.lower()
    base = (
        verbs.base_form(first)
        if first.endswith(("s", "ing")) and verbs.base_form(first) in verbs.BASES
        else first
    )
    return " ".join((base + space + _INNER.sub("", rest)).split()[:_MOST_WORDS])


RULES: tuple[Rule, ...] = (
    rule(
        r"(?P<verb>stopped|quit|gave up|has stopped|has quit|has given up|cut out|has cut out"
        r"|swore off)\s+(?P<v>(?!(?:my|their|the|his|her|that|a) (?:job|position|team|whole)"
        r"|on\b|work\b|at\b|by\b|for\b|in\b|trying\b).+)$",
        _stopped,
    ),
    rule(
        r"(?:started|has started|took up|has taken up|began|has begun|picked up"
        r"|has picked up)\s+(?P<v>(?:\w+ing)\b.*)$",
        _started,
    ),
    rule(
        r"(?:switched|has switched|changed|went"
        r"|has gone)\s+from\s+(?P<old>.+?)\s+to\s+(?P<new>.+)$",
        _switched,
    ),
)
