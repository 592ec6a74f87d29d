"""A third-person predicate taken apart: its positive core, whether it is denied or over, its tense.

Rules are written once, for the positive third person singular of the present: "lives in", "is",
"likes". ``analyse`` brings what was said into that form.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum

from dualmem_graph.system1.rules.english import verbs
from dualmem_graph.system1.rules.english.words import FREQUENCY, LIGHT_ADVERBS
from dualmem_graph.system1.rules.wordlist import word_set


class Tense(Enum):
    """When the predicate holds, as its verb says."""

    PRESENT = "present"
    PAST = "past"
    PERFECT = "perfect"
    PROGRESSIVE = "progressive"
    FUTURE = "future"


@dataclass(frozen=True, slots=True)
class Predicate:
    """What a rule looks at.

    Attributes:
        core: positive, singular, without light adverbs: "lives in Porto with their wife".
        negated: the speaker denies it.
        ended: it held before and does so no more ("no longer", "any more", "used to").
        habitual: an adverb or phrase says that it happens again and again.
    """

    core: str
    tense: Tense
    negated: bool = False
    ended: bool = False
    habitual: bool = False

    @property
    def verb(self) -> str:
        """The first word of the core, in lower case."""
        return self.core.split(" ", 1)[0].lower()


_NO_MORE = re.compile(r",?\s*\b(?:any ?more|any longer|no longer)\b", re.IGNORECASE)
_DENIED = re.compile(
    r"^(does|do|did|is|are|was|were|has|have|had|will|would|can|cannot) (not |never "
    r"|no longer )?",
    re.IGNORECASE,
)
_USED_TO = re.compile(r"^used to (?:be )?", re.IGNORECASE)
_HABIT = re.compile(
    r"\b(?:every|each) (?!one|thing|body|other|time)(?:single |other |second )?\w+"
    r"|\b(?:once|twice|(?:two|three|four|five|six|\d+) times|a few times"
    r"|several times) (?:a|per|every|each) \w+"
    r"|\bon (?:(?:mon|tues|wednes|thurs|fri|satur|sun)days|weekends|weekdays|weeknights)\b"
    r"|\b(?:in the (?:mornings|evenings|afternoons)|at weekends|most (?:days|mornings"
    r"|evenings|nights|weekends))\b"
    r"|\b(?:before (?:bed|work|breakfast)|after work|a (?:day|week|month)$|daily|nightly"
    r"|all the time|whenever)\b",
    re.IGNORECASE,
)
_LOOKED_AT = 5
_KEPT = frozenset({"never", "rather", "so", "very", "then", "together", "once"})


def analyse(predicate: str, *, plural: bool = False) -> Predicate:
    """Take a third-person predicate apart.

    Example:
        >>> said = analyse("does not really live in Porto any more")
        >>> said.core, said.negated, said.ended
        ('lives in Porto', True, True)
    """
    frequency = any(word.lower() in FREQUENCY for word in predicate.split()[:_LOOKED_AT])
    habitual = frequency or bool(_HABIT.search(predicate))
    ended = bool(_NO_MORE.search(predicate))
    text = _without_light(_NO_MORE.sub("", predicate).strip() if ended else predicate)
    negated = ended
    never = re.match(r"never ", text, re.IGNORECASE)
    if never:
        negated, text = True, text[never.end() :]
    used = _USED_TO.match(text)
    if used:
        return Predicate(_was(text, used), Tense.PAST, True, True, habitual)
    denied = _DENIED.match(text)
    if denied:
        auxiliary, no = denied[1].lower(), denied[2] or auxiliary_no(denied[1])
        if no or ended:
            negated = True
            text = _positive(auxiliary, text[denied.end() :])
    if text[:4] == "not ":
        negated, text = True, text[4:]
    text = _without_light(text)
    if plural:
        text = _singular(text)
    tense = Tense.PAST if denied and denied[1].lower() == "did" and negated else _tense(text)
    return Predicate(text, tense, negated, ended, habitual and tense is not Tense.FUTURE)


def auxiliary_no(auxiliary: str) -> str:
    """The negation that an auxiliary carries in itself ("cannot")."""
    return "not " if auxiliary.lower() == "cannot" else ""


def _was(text: str, used: re.Match[str]) -> str:
    rest = text[used.end() :]
    if used[0].lower().endswith("be "):
        return f"is {rest}"
    return _third(rest)


def _positive(auxiliary: str, rest: str) -> str:
    rest = _without_light(rest)
    if auxiliary in {"does", "do", "did"}:
        return _third(rest)
    return f"{'can' if auxiliary == 'cannot' else auxiliary} {rest}"


def _third(rest: str) -> str:
    head, space, tail = rest.partition(" ")
    return verbs.third_singular(head.lower()) + space + tail


def _singular(text: str) -> str:
    head, space, tail = text.partition(" ")
    verb = head.lower()
    if verb in verbs.SAME_PAST:
        return text
    if verb in verbs.AUXILIARIES or verb in verbs.BASES:
        plain = verb in verbs.MODALS or verb in {"had", "did", "was", "is", "has", "does"}
        return (
            head
            if plain and not space
            else (head if plain else verbs.third_singular(verb)) + space + tail
        )
    return text


def _without_light(text: str) -> str:
    """Drop light adverbs around the first verbs; what is deeper in the sentence stays."""
    words = text.split()
    kept: list[str] = []
    for at, word in enumerate(words):
        lowered = word.lower()
        light = (lowered in LIGHT_ADVERBS and lowered not in _KEPT) or (
            lowered.endswith("ly") and lowered not in verbs.BASES and lowered != "only" and at < 2
        )
        if at < _LOOKED_AT - 1 and light and not (kept and kept[-1].lower() not in _CARRIERS):
            continue
        kept.append(word)
    return " ".join(kept)


_CARRIERS = word_set(
    "is are was were has have had does do did will would can cannot not been being "
    "never gets got feels to "
    "am be"
)


def _tense(core: str) -> Tense:
    words = core.lower().split()
    first = words[0] if words else ""
    second = words[1] if len(words) > 1 else ""
    if first == "will" or (first == "is" and second == "going" and words[2:3] == ["to"]):
        return Tense.FUTURE
    if first == "is" and second.endswith("ing") and second not in {"boring", "amazing", "charming"}:
        return Tense.PROGRESSIVE
    if first == "has" and second and verbs.is_participle(second):
        return Tense.PERFECT
    if first in {"was", "were", "had", "did"}:
        return Tense.PAST
    if first in {"is", "has", "does", "can"} or verbs.is_third(first):
        return Tense.PRESENT
    return Tense.PAST if verbs.is_past(first) else Tense.PRESENT
