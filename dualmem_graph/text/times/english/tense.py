"""Which way an English clause points: to what was, or to what will be.

A guess by words, good enough to choose between last and next Friday; nothing depends on it where
the expression itself says which one is meant.
"""

from __future__ import annotations

import re
from itertools import pairwise

from dualmem_graph.text.times.spans import Lean
from dualmem_graph.text.wordlists import words

_FUTURE = words(
    "will won't shall gonna upcoming planned expected desired soon scheduled deadline due remind"
    " until by let's lets"
)
_FUTURE_PAIRS = frozenset(
    tuple(pair.split())
    for pair in (
        *("going to", "about to", "need to", "have to", "has to", "want to", "wants to", "hope to"),
        *("hopes to", "hoping to", "plan to", "plans to", "planning to", "plan on", "plans on"),
        *("planning on", "plan for", "plans for", "planning a", "planning for", "would like"),
        *("would love", "looking forward", "can't wait"),
    )
)
_PRESENT_BE = words("am is are i'm you're he's she's it's we're they're that's there's who's")
_PAST = words(
    "was were did didn't had went got took made met saw came left bought began started gave found"
    " told said ran wrote read felt lost won ate drank flew drove moved broke sold taught thought"
    " heard kept held spent built became caught chose fell grew knew paid put quit cut hit hurt"
    " rode sang sat sent slept spoke stood swam threw wore since ago been"
)
# After these a word in -ed is no past tense: "the desired time", "is planned".
_BEFORE_ADJECTIVE = words("a an the my your his her our their is are be")
_WORD = re.compile(r"[a-z]+(?:'[a-z]+)?")
_CLAUSE_EDGE = re.compile(r"[.,;:!?\n]|\b(?:and|but|then|so)\b", re.IGNORECASE)
_REACH = 120


def leaning(text: str, begin: int, end: int) -> Lean:
    """Say which way the tense around ``text[begin:end]`` points, if it does.

    The clause of the expression counts before what stands around it.
    """
    before, after = text[max(0, begin - _REACH) : begin], text[end : end + _REACH]
    clause = _CLAUSE_EDGE.split(before)[-1] + " " + _CLAUSE_EDGE.split(after, maxsplit=1)[0]
    return _lean_of(clause) or _lean_of(f"{before} {after}")


def _lean_of(clause: str) -> Lean:
    said = _WORD.findall(clause.lower().replace("’", "'"))
    if _is_future(said):
        return "future"
    return "past" if _is_past(said) else None


def _is_future(said: list[str]) -> bool:
    if not _FUTURE.isdisjoint(said) or any(word.endswith("'ll") for word in said):
        return True
    if any(pair in _FUTURE_PAIRS for pair in pairwise(said)):
        return True
    without_not = [word for word in said if word != "not"]
    return any(
        first in _PRESENT_BE and second.endswith("ing") and len(second) > 4
        for first, second in pairwise(without_not)
    )


def _is_past(said: list[str]) -> bool:
    if not _PAST.isdisjoint(said):
        return True
    return any(
        second.endswith("ed") and len(second) > 3 and first not in _BEFORE_ADJECTIVE
        for first, second in pairwise(["", *said])
    )
