"""One user's memory over a real store: writes through the store, reads through recall."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
from langchain_core.embeddings import Embeddings

from dualmem_graph.config import Settings
from dualmem_graph.providers.embeddings import Embedder
from dualmem_graph.recall.request import RecallDeps, RecallOutcome, RecallRequest
from dualmem_graph.recall.run import recall_items
from dualmem_graph.scope import make_scope
from dualmem_graph.storage.records import Evidence, NewNode, NewTurn, Plan, Supersede
from dualmem_graph.storage.store import MemoryStore
from dualmem_graph.types import Layer

NOW = datetime(2025, 6, 1, 12, tzinfo=UTC)


class TableEmbeddings(Embeddings):
    """Vectors from a table; any other text is at right angles to all of them."""

    def __init__(self, table: Mapping[str, Sequence[float]], other: Sequence[float]) -> None:
        self.table = table
        self.other = list(other)
        self.asked: list[str] = []

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        self.asked += texts
        return [list(self.table.get(text, self.other)) for text in texts]

    def embed_query(self, text: str) -> list[float]:
        return self.embed_documents([text])[0]


class Memory:
    """One user's memory: writes through the store, reads through recall."""

    def __init__(self, store: MemoryStore, embedder: Embedder, settings: Settings) -> None:
        self.deps = RecallDeps(store, embedder, settings, lambda: NOW)
        self.store = store
        self.scope = make_scope("ilka")
        self._numbers = itertools.count(1)

    def as_user(self, user_id: str) -> Memory:
        other = Memory(self.store, self.deps.embedder, self.deps.settings)
        other.scope = make_scope(user_id)
        other._numbers = itertools.count(1000)
        return other

    def turn(self, text: str, *, days_ago: float = 0, role: str = "user", name: str | None = None):
        at = NOW - timedelta(days=days_ago)
        written = self.store.add_turns(
            self.scope,
            [NewTurn(role, text, at, name=name, message_id=f"message-{next(self._numbers)}")],
            session_id="s1",
            agent_id=None,
            metadata={},
            idempotency_key=None,
            embeddings=self.deps.embedder.embed([text]),
            fingerprint=self.deps.embedder.fingerprint,
            job=None,
            lease=None,
        )
        return written.turns[0].turn_id

    def node(
        self,
        content: str,
        layer: Layer = Layer.FACT,
        *,
        days_ago: float = 0,
        turn: str | None = None,
        replaces: Sequence[str] = (),
        embedded: bool = True,
        **more: Any,
    ) -> str:
        node = NewNode(
            id=f"{self.scope.user_id}-{next(self._numbers)}",
            layer=layer,
            content=content,
            memory_at=NOW - timedelta(days=days_ago),
            evidence=(Evidence(turn),) if turn else (),
            embedding=self.deps.embedder.embed([content])[0] if embedded else None,
            fingerprint=self.deps.embedder.fingerprint,
            **more,
        )
        supersedes = [Supersede(node.id, tuple(replaces))] if replaces else []
        self.store.apply(self.scope, Plan(nodes=[node], supersedes=supersedes), actor="test")
        return node.id

    def recall(self, query: str = "", **request: Any) -> RecallOutcome:
        return recall_items(self.deps, RecallRequest(self.scope, query, **request))

    def contents(self, query: str = "", **request: Any) -> list[str]:
        return [item.content for item in self.recall(query, **request).items]


def unit(*numbers: float) -> list[float]:
    vector = np.array(numbers, dtype=np.float64)
    return [float(number) for number in vector / np.linalg.norm(vector)]
