"""What the rules of a language take and give: one sentence in, findings out.

A language module (:mod:`.english`, :mod:`.chinese`) offers ``read_sentence(sentence, ctx)``,
``read_statement(content)``, ``is_small_talk(text)``, ``asks_to_remember(text)`` and
``asks_to_forget(text)``; :func:`dualmem_graph.system1.rules.extract` does the rest, the same way
for every language.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, tzinfo

from dualmem_graph.types import BasicInfo, Candidate

#: The subject of statements about the person whose memory this is.
USER = "user"


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody a sentence spoke of, so that a later "he" or "她" can be understood.

    Attributes:
        name: the proper name, or how the person is called ("User's cousin") where none was given.
        pronoun: ``"he"``, ``"she"``, ``"they"`` or ``""`` where unknown.
    """

    name: str
    pronoun: str = ""


@dataclass(frozen=True, slots=True)
class SentenceContext:
    """What is known around a sentence when it is read.

    Attributes:
        reference: when it was said; relative dates count from here.
        zone: the speaker's time zone.
        subject: ``"user"``, or the speaker's name in a conversation of several named people.
        turn_index: the ``Turn.index`` that findings point back to.
        language: ``"en"`` or ``"zh"``.
        asked: the sentence that the other side said just before, ``""`` where there is none.
        people: who was spoken of before in this turn, the latest first.
        partner: who is spoken to, where the other side is a named person too.
        earlier: gives what was found in the turns before, the latest last; for corrections
            ("it's Ghent, not Antwerp") that only name the value.
    """

    reference: datetime
    zone: tzinfo
    subject: str = USER
    turn_index: int = 0
    language: str = "en"
    asked: str = ""
    people: tuple[Person, ...] = ()
    partner: str = ""
    earlier: Callable[[], tuple[Candidate, ...]] = tuple


@dataclass(frozen=True, slots=True)
class Finding:
    """One statement that a rule found, the profile entries it fills and whom it speaks of."""

    candidate: Candidate
    basic_info: tuple[BasicInfo, ...] = ()
    people: tuple[Person, ...] = ()


@dataclass(frozen=True, slots=True)
class Reading:
    """What a third-person statement is a version of.

    Attributes:
        subject: ``"user"`` or a name.
        dimension: see :mod:`.dimensions`.
        value: the value along the dimension, ``None`` where the statement gives none.
        negated: the statement ends something instead of asserting it.
    """

    subject: str
    dimension: str
    value: str | None = None
    negated: bool = False
