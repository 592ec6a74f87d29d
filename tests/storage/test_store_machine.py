"""The store against the plain model, whatever is asked of it and in whatever order."""

from __future__ import annotations

import tempfile
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from chain_model import Model
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from ledger_world import ANNA, BEN, FINGERPRINT, World, vector
from postgres_schema import empty

from dualmem_graph.errors import InputError, MemoryNotFoundError, NotHeadError
from dualmem_graph.storage.ids import node_id
from dualmem_graph.types import Layer, Status

SCOPES = st.sampled_from([ANNA, ANNA, ANNA, BEN])
CONTENTS = st.sampled_from(["likes tea", "likes coffee", "喜欢喝茶", "lives in Rome"])
PICK = st.integers(0, 40)
DAYS = st.integers(-3, 1)


class StoreMachine(RuleBasedStateMachine):
    """Two scopes, a few texts, dates that collide: everything that chains can trip over."""

    ledger_url: str | None = None

    def __init__(self) -> None:
        super().__init__()
        self.directory = tempfile.TemporaryDirectory()
        self.world = World(Path(self.directory.name), ledger_url=self.ledger_url)
        self.store = self.world.store
        self.model = Model()

    def teardown(self) -> None:
        self.store.close()
        self.directory.cleanup()

    @property
    def now(self) -> Any:
        return self.world.clock.now

    def any_of(self, pick: int, *, turns: bool | None = None, scope: Any = None) -> str:
        nodes = [
            node.id
            for node in self.model.nodes.values()
            if (turns is None or node.is_turn == turns) and (scope is None or node.scope == scope)
        ]
        return nodes[pick % len(nodes)] if nodes else "absent"

    def has(self, *, turns: bool) -> bool:
        return any(node.is_turn == turns for node in self.model.nodes.values())

    @rule(seconds=st.sampled_from([0, 1, 400, 86_400, -86_400]))
    def let_time_pass(self, seconds: int) -> None:
        self.world.clock.forward(seconds=seconds)

    @rule(scope=SCOPES, session=st.sampled_from("ab"), text=CONTENTS)
    def say(self, scope: Any, session: str, text: str) -> None:
        window = timedelta(seconds=self.world.settings.dedup_window)
        is_retry = self.model.is_retry(scope, session, text, self.now, window)
        (id_,) = self.world.say(text, scope=scope, session=session)
        assert (id_ in self.model.nodes) == is_retry
        if not is_retry:
            self.model.say(id_, scope, session, text, self.now)

    @precondition(lambda self: self.has(turns=True))
    @rule(scope=SCOPES, content=CONTENTS, pick=PICK, days=DAYS, on_fact=st.booleans())
    def note(self, scope: Any, content: str, pick: int, days: int, on_fact: bool) -> None:
        turns = not (on_fact and self.has(turns=False))
        source = self.any_of(pick, turns=turns)
        said = self.now + timedelta(days=days)
        id_ = node_id(scope, source, Layer.FACT, content)
        if source == id_:
            return
        expected = self.model.note(id_, scope, content, said, source)
        note = self.world.note(
            content,
            at=said,
            scope=scope,
            id=id_,
            evidence=[source],
            embedding=vector(1, 0, 0, 0),
            fingerprint=FINGERPRINT,
        )
        (outcome,) = self.world.write(note, scope=scope).nodes
        assert (outcome.op, outcome.node and outcome.node.id) == expected

    @precondition(lambda self: self.model.nodes)
    @rule(scope=SCOPES, new=PICK, old=PICK, explicit=st.booleans(), turns=st.booleans())
    def supersede(self, scope: Any, new: int, old: int, explicit: bool, turns: bool) -> None:
        kind = None if turns or not self.has(turns=False) else False
        pair = self.any_of(new, turns=kind), self.any_of(old, turns=kind)
        expected = self.model.supersede(scope, *pair, self.now, explicit=explicit)
        assert self.world.supersede(*pair, scope=scope, explicit=explicit) == expected

    @precondition(lambda self: self.model.nodes)
    @rule(scope=SCOPES, pick=PICK, content=CONTENTS)
    def update(self, scope: Any, pick: int, content: str) -> None:
        id_ = self.any_of(pick)
        node, head = self.model.nodes[id_], self.model.head(id_)
        refusal: type[Exception] | None = None
        if node.scope != scope or (node.status is Status.SHADOW and head == id_):
            refusal = MemoryNotFoundError
        if node.scope == scope and node.is_turn:
            refusal = InputError
        elif node.scope == scope and head != id_:
            refusal = NotHeadError
        if refusal is not None:
            with pytest.raises(refusal):
                self.store.update(scope, id_, content)
            return
        new = self.store.update(scope, id_, content)
        if content == node.content:
            assert new.id == id_
        else:
            self.model.update(id_, new.id, content, self.now)

    @precondition(lambda self: self.model.nodes)
    @rule(pick=PICK, chain=st.booleans())
    def delete(self, pick: int, chain: bool) -> None:
        id_ = self.any_of(pick)
        scope = self.model.nodes[id_].scope
        ids = [id_]
        if chain:
            ids = [node.id for node in self.model.chain(self.model.head(id_))]
        expected = self.model.delete(ids)
        deleted = self.store.delete(scope, id_, chain=chain)
        assert (set(deleted.hidden), set(deleted.derived)) == expected

    @precondition(lambda self: self.model.nodes)
    @rule(pick=PICK)
    def restore(self, pick: int) -> None:
        id_ = self.any_of(pick)
        scope = self.model.nodes[id_].scope
        if self.model.restore(id_, self.now):
            assert self.store.restore(scope, id_).status is Status.ACTIVE
        else:
            with pytest.raises(InputError, match="rests on"):
                self.store.restore(scope, id_)

    @precondition(lambda self: self.has(turns=False))
    @rule(pick=PICK)
    def expire(self, pick: int) -> None:
        id_ = self.any_of(pick, turns=False)
        self.model.expire(id_)
        self.world.write(scope=self.model.nodes[id_].scope, expires=[id_])

    @invariant()
    def nothing_is_broken(self) -> None:
        assert self.store.check() == []

    @invariant()
    def both_hold_the_same(self) -> None:
        with self.store.ledger.read() as conn:
            nodes = conn.exec_driver_sql("SELECT id, status FROM nodes").all()
            edges = conn.exec_driver_sql("SELECT src, kind, dst FROM edges").all()
            stones = conn.exec_driver_sql("SELECT count(*) FROM tombstones").scalar_one()
        model = self.model
        assert {tuple(row) for row in nodes} == {
            (node.id, node.status) for node in model.nodes.values()
        }
        links = {(n.successor, "SUPERSEDES", n.id) for n in model.nodes.values() if n.successor}
        rests = {(n.id, "DERIVED_FROM", s) for n in model.nodes.values() for s in n.evidence}
        assert {tuple(row) for row in edges} == links | rests
        assert stones == len(model.stones)


_SETTINGS = settings(
    max_examples=15,
    stateful_step_count=30,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)


def test_whatever_is_asked_of_it_on_sqlite() -> None:
    run_state_machine_as_test(StoreMachine, settings=_SETTINGS)


def test_whatever_is_asked_of_it_on_postgresql(postgres_url: str) -> None:
    class OnPostgresql(StoreMachine):
        """The same, on one schema that is emptied before each run."""

        ledger_url = postgres_url

        def __init__(self) -> None:
            empty(postgres_url)
            super().__init__()

    run_state_machine_as_test(OnPostgresql, settings=settings(_SETTINGS, max_examples=8))
