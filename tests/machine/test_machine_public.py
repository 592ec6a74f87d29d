"""Any order of public operations leaves what a plain model says, on both databases."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from machine_generators import USERS, Thing, cities, stamps, things, users
from machine_invariants import (
    ACTIVE,
    DELETED,
    PURGED,
    REPLACED,
    Person,
    is_found,
    listed,
    violations,
)
from postgres_schema import empty

from dualmem_graph import SyncMemoryClient
from dualmem_graph.errors import InputError, MemoryNotFoundError, NotHeadError
from dualmem_graph.testing import HashEmbeddings

EXAMPLES = int(os.environ.get("DUAL_MEM_TEST_EXAMPLES", "10"))


class Machine(RuleBasedStateMachine):
    """Two users, a few statements, everything that a client can do with them."""

    ledger_url: str | None = None

    def __init__(self) -> None:
        super().__init__()
        self.directory = tempfile.TemporaryDirectory()
        self.width = 64
        self.clients = [self.open()]
        self.people = {user: Person() for user in USERS}
        self.sessions = 0

    def open(self) -> SyncMemoryClient:
        given: dict[str, Any] = {"ledger_url": self.ledger_url} if self.ledger_url else {}
        return SyncMemoryClient(
            storage_dir=Path(self.directory.name) / "store",
            embeddings=HashEmbeddings(self.width),
            job_workers=0,
            vector_index="off",
            sqlite_synchronous="NORMAL",
            **given,
        )

    @property
    def memory(self) -> SyncMemoryClient:
        return self.clients[-1]

    def teardown(self) -> None:
        for client in self.clients:
            client.close()
        self.directory.cleanup()

    def session(self) -> str:
        self.sessions += 1
        return f"s{self.sessions}"

    def id_of(self, user: str, text: str) -> str:
        page = self.memory.list(user_id=user, limit=1000)
        (found,) = [item for item in page if item.content == text]
        return found.memory_id

    # --- what is said

    @rule(it=things)
    def say(self, it: Thing) -> None:
        self.memory.add(it.said, user_id=it.user, session_id=self.session(), wait=True)
        self.people[it.user].things[it.known] = ACTIVE
        assert is_found(self.memory, it)

    @rule(user=users, city=cities)
    def move(self, user: str, city: str) -> None:
        self.memory.add(f"I live in {city}.", user_id=user, session_id=self.session(), wait=True)
        person = self.people[user]
        if not (person.has_home and person.cities[-1] == city):
            person.cities.append(city)
        person.has_home = True

    @rule(it=stamps)
    def import_one(self, it: Thing) -> None:
        person = self.people[it.user]
        is_new = it.known not in person.things
        result = self.memory.import_([{"content": it.known, "id": it.word}], user_id=it.user)
        assert (result.added, result.pending) == (int(is_new), 0)
        if is_new:
            person.things[it.known] = ACTIVE

    # --- what is changed

    @rule(it=things, other=things)
    def edit(self, it: Thing, other: Thing) -> None:
        person = self.people[it.user]
        new = f"{it.known[:-1]} and a {other.word}."
        if person.things.get(it.known) != ACTIVE or new in person.things:
            return
        old = self.id_of(it.user, it.known)
        item = self.memory.update(old, new, user_id=it.user)
        person.things |= {it.known: REPLACED, new: ACTIVE}
        assert item.content == new
        with pytest.raises(NotHeadError) as caught:
            self.memory.update(old, "User owns nothing.", user_id=it.user)
        assert caught.value.head_id == item.memory_id

    @rule(it=things | stamps)
    def delete(self, it: Thing) -> None:
        person = self.people[it.user]
        if person.things.get(it.known) != ACTIVE:
            return
        id_ = self.id_of(it.user, it.known)
        assert self.memory.delete(id_, user_id=it.user).deleted == (id_,)
        person.things[it.known] = DELETED
        person.ids[it.known] = id_
        with pytest.raises(MemoryNotFoundError):
            self.memory.delete(id_, user_id=it.user)

    @rule(it=things | stamps)
    def restore(self, it: Thing) -> None:
        person = self.people[it.user]
        if person.things.get(it.known) != DELETED:
            return
        assert self.memory.restore(person.ids[it.known], user_id=it.user).content == it.known
        person.things[it.known] = ACTIVE

    @rule(it=things | stamps)
    def purge(self, it: Thing) -> None:
        person = self.people[it.user]
        if person.things.get(it.known) != ACTIVE:
            return
        id_ = self.id_of(it.user, it.known)
        assert id_ in self.memory.purge(id_, user_id=it.user).purged
        person.things[it.known] = PURGED
        with pytest.raises(MemoryNotFoundError):
            self.memory.get(id_, user_id=it.user)

    @precondition(lambda self: any(person.has_home for person in self.people.values()))
    @rule(user=users, is_for_good=st.booleans())
    def leave_home(self, user: str, is_for_good: bool) -> None:
        person = self.people[user]
        if not person.has_home:
            return
        id_ = self.id_of(user, f"User lives in {person.cities[-1]}.")
        (self.memory.purge if is_for_good else self.memory.delete)(id_, user_id=user)
        person.has_home = False

    @rule(user=users)
    def delete_scope(self, user: str) -> None:
        with pytest.raises(InputError):
            self.memory.delete_scope(user_id=user)
        self.memory.delete_scope(user_id=user, confirm=True)
        self.people[user] = Person()
        assert self.memory.stats(user_id=user)["nodes"] == 0

    # --- what changes nothing

    @rule(user=users)
    def export_and_import(self, user: str) -> None:
        path = Path(self.directory.name) / "archive.jsonl"
        self.memory.export(path, user_id=user, include_vectors=True)
        assert self.memory.import_(path, user_id=user).added == 0
        rehearsed = self.memory.import_(path, user_id="three", dry_run=True)
        assert rehearsed.skipped == 0
        assert listed(self.memory, "three") == []

    @rule()
    def reembed(self) -> None:
        self.width = 96 - self.width
        if len(self.clients) == 1:
            result = self.memory.reembed(HashEmbeddings(self.width))
            assert result.status in ("switched", "unchanged")
        else:
            self.width = 96 - self.width

    @rule()
    def reopen(self) -> None:
        for client in self.clients:
            client.close()
        self.clients = [self.open()]

    @precondition(lambda self: len(self.clients) == 1)
    @rule()
    def open_another(self) -> None:
        self.clients.append(self.open())

    @rule(user=users)
    def ask_for_what_is_anothers(self, user: str) -> None:
        (other,) = [name for name in USERS if name != user]
        for item in self.memory.list(user_id=other, limit=5):
            for ask in (self.memory.get, self.memory.delete, self.memory.purge):
                with pytest.raises(MemoryNotFoundError):
                    ask(item.memory_id, user_id=user)

    @invariant()
    def nothing_differs(self) -> None:
        probe = "kayak loom drum 咖啡 绿茶 stamp"
        assert list(violations(self.clients[0], self.people, probe)) == []


_SETTINGS = settings(
    max_examples=EXAMPLES,
    stateful_step_count=20,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)


def test_whatever_a_client_does_on_sqlite() -> None:
    run_state_machine_as_test(Machine, settings=_SETTINGS)


def test_whatever_a_client_does_on_postgresql(postgres_url: str) -> None:
    class OnPostgresql(Machine):
        """The same, on one schema that is emptied before each run."""

        ledger_url = postgres_url

        def __init__(self) -> None:
            empty(postgres_url)
            super().__init__()

    run_state_machine_as_test(
        OnPostgresql, settings=settings(_SETTINGS, max_examples=max(1, EXAMPLES // 2))
    )
