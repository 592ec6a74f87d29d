"""A store with a clock that stands still, and short words for what the tests do with it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np

from dualmem_graph.config import Settings
from dualmem_graph.storage.ids import node_id
from dualmem_graph.storage.records import (
    Applied,
    Evidence,
    NewNode,
    NewTurn,
    Plan,
    Supersede,
    SupersedeOutcome,
)
from dualmem_graph.storage.store import MemoryStore
from dualmem_graph.types import Layer, Node, Scope, Status

NOON = datetime(2025, 3, 1, 12, tzinfo=UTC)
DAY = timedelta(days=1)
ANNA = Scope("default", "anna")
BEN = Scope("default", "ben")
FINGERPRINT = "test:4"


class Clock:
    """Says what it is told."""

    def __init__(self) -> None:
        self.now = NOON

    def __call__(self) -> datetime:
        return self.now

    def forward(self, **span: float) -> None:
        self.now += timedelta(**span)


def settings_in(directory: Path, **settings: Any) -> Settings:
    """Settings of a store without Chroma, whose writers do not wait for the disk."""
    return Settings(
        storage_dir=directory,
        **{"vector_index": "off", "sqlite_synchronous": "NORMAL"} | settings,
    )


def vector(*numbers: float) -> np.ndarray[Any, np.dtype[np.float32]]:
    array = np.array(numbers, np.float32)
    return array / np.linalg.norm(array)


class World:
    """One store and its clock; ``check`` is called after each test."""

    def __init__(self, directory: Path, **settings: Any) -> None:
        self.clock = Clock()
        self.settings = settings_in(directory, **settings)
        self.store = MemoryStore.open(self.settings, clock=self.clock)

    def say(self, *texts: str, scope: Scope = ANNA, session: str | None = "s1") -> list[str]:
        """Keep user turns, said now; answers their ids."""
        turns = [NewTurn("user", text, self.clock.now) for text in texts]
        written = self.store.add_turns(scope, turns, session_id=session)
        return [turn.turn_id for turn in written.turns]

    def note(
        self,
        content: str,
        *,
        at: datetime | None = None,
        scope: Scope = ANNA,
        evidence: Sequence[str] = (),
        **fields: Any,
    ) -> NewNode:
        """A statement said at ``at``, resting on ``evidence``; not written yet."""
        at = self.clock.now if at is None else at
        layer = fields.pop("layer", Layer.FACT)
        root = evidence[0] if evidence else at.isoformat()
        return NewNode(
            id=fields.pop("id", None) or node_id(scope, root, layer, content),
            layer=layer,
            content=content,
            memory_at=at,
            evidence=tuple(Evidence(id_) for id_ in evidence),
            **fields,
        )

    def write(self, *nodes: NewNode, scope: Scope = ANNA, **plan: Any) -> Applied:
        return self.store.apply(scope, Plan(nodes=list(nodes), **plan), actor="test")

    def keep(self, content: str, **fields: Any) -> str:
        """Write one statement; answers the id that stands for it."""
        scope = fields.get("scope", ANNA)
        (outcome,) = self.write(self.note(content, **fields), scope=scope).nodes
        assert outcome.node is not None
        return outcome.node.id

    def supersede(
        self, new: str, *old: str, scope: Scope = ANNA, explicit: bool = False
    ) -> SupersedeOutcome:
        plan = Plan(supersedes=[Supersede(new, old, explicit=explicit)])
        (outcome,) = self.store.apply(scope, plan, actor="test").supersedes
        return outcome

    def node(self, id_: str, scope: Scope = ANNA) -> Node:
        node = self.store.get(scope, id_)
        assert node is not None
        return node

    def status(self, *ids: str) -> list[Status]:
        return [self.node(id_).status for id_ in ids]

    def chain(self, id_: str, scope: Scope = ANNA) -> list[str]:
        """Contents of the whole chain of a node: its head, then the rest by when it was said."""
        head = self.store.head_of(scope, id_)
        assert head is not None
        links = self.store.chains(scope, [head])[head]
        return [self.node(head, scope).content, *(link.node.content for link in links)]

    def current(self, scope: Scope = ANNA, **filters: Any) -> list[str]:
        """Contents of what is current and not a turn, oldest first."""
        page = self.store.list_nodes(scope, newest_first=False, limit=1000, **filters)
        return [node.content for node in page.nodes if node.layer is not Layer.RAW]
