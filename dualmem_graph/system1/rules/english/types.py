"""The values of the English grammar: subjects and clauses."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from dualmem_graph.system1.rules.findings import USER, Person


class Kind(Enum):
    """What sort of subject a clause has."""

    SELF = "self"
    PERSON = "person"
    PET = "pet"
    THING = "thing"
    NAME = "name"
    WORLD = "world"


@dataclass(frozen=True, slots=True)
class Subject:
    """Who a clause is about.

    Attributes:
        id: the subject of the statement: ``"user"``, the speaker's or another's name.
        display: how the sentence calls them: ``"User"``, ``"User's cousin Tobin"``.
        kind: ``THING`` stands for a thing, topic or event that somebody has ("my tent").
        plural: the verb is plural as spoken.
        noun: of a THING, its noun ("tent"); of a person, the relation ("cousin").
        owner: of a THING, whether it is the speaker's own.
    """

    id: str
    display: str
    kind: Kind
    plural: bool = False
    noun: str = ""
    owner: str = ""
    people: tuple[Person, ...] = ()

    @property
    def has_name(self) -> bool:
        """Whether a person or pet was called by a name of their own."""
        return self.id != self.display

    @property
    def is_self(self) -> bool:
        """Whether the speaker themselves is the subject."""
        return self.kind is Kind.SELF


@dataclass(frozen=True, slots=True)
class Clause:
    """A clause in the third person."""

    subject: Subject
    predicate: str
    spoken: str
    people: tuple[Person, ...] = field(default=())

    @property
    def text(self) -> str:
        """Subject and predicate, without a final mark."""
        return f"{self.subject.display} {self.predicate}"


def display_of(subject: str) -> str:
    """How a statement calls its subject: ``"user"`` → ``"User"``, a name as it is."""
    return "User" if subject == USER else subject
