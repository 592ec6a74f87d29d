"""A plain model of what two people's memory holds, and what must be true of the real one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from machine_generators import USERS, Thing

from dualmem_graph import SyncMemoryClient

ACTIVE, REPLACED, DELETED, PURGED = "active", "replaced", "deleted", "purged"


@dataclass
class Person:
    """What is known of one user: statements by text, and where they live, latest last."""

    things: dict[str, str] = field(default_factory=dict)
    #: Texts that are current, with the id that stands for them.
    ids: dict[str, str] = field(default_factory=dict)
    #: Texts of imports that may not come back.
    kept_out: set[str] = field(default_factory=set)
    cities: list[str] = field(default_factory=list)
    has_home: bool = False

    def of(self, status: str) -> list[str]:
        """The texts of a status, in order."""
        return [text for text, found in self.things.items() if found == status]

    def current(self) -> list[str]:
        """All that a listing must show."""
        home = []
        if self.has_home:
            home = [f"User lives in {self.cities[-1]}.", f"location: {self.cities[-1]}"]
        return sorted(self.of(ACTIVE) + home)


def listed(memory: SyncMemoryClient, user: str) -> list[str]:
    """All current memories of a user, sorted."""
    return sorted(item.content for item in memory.list(user_id=user, limit=1000))


def violations(memory: SyncMemoryClient, people: dict[str, Person], probe: str) -> Iterator[str]:
    """Say what of the real memory differs from the model."""
    yield from memory._resources.store.check()
    for user in USERS:
        person = people[user]
        others = [other for other in USERS if other != user]
        found = listed(memory, user)
        if found != person.current():
            yield f"{user} has {found}, not {person.current()}"
        texts = [item.content for item in memory.search(probe, user_id=user, top_k=50)]
        if any(text.rstrip(".。").endswith(other) for text in texts for other in others):
            yield f"{user} is told another's memory: {texts}"
        gone = {*person.of(DELETED), *person.of(PURGED), *person.of(REPLACED)}
        gone -= set(person.of(ACTIVE))
        if gone & set(texts):
            yield f"{user} is told what is gone: {gone & set(texts)}"


def is_found(memory: SyncMemoryClient, known: Thing) -> bool:
    """Whether a current statement is found by its own words."""
    texts = [item.content for item in memory.search(known.word, user_id=known.user, top_k=50)]
    return known.known in texts
