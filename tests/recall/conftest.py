"""A real store in a temporary directory, with an embedder whose cosines a test can choose."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pytest
from langchain_core.embeddings import Embeddings
from recall_memory import NOW, Memory, TableEmbeddings

from dualmem_graph.config import Settings
from dualmem_graph.providers.embeddings import make_embedder
from dualmem_graph.storage.store import MemoryStore
from dualmem_graph.testing import HashEmbeddings


@pytest.fixture
def open_memory(tmp_path) -> Iterator[Any]:
    """Open a memory: ``open_memory(table={text: vector}, other=vector, **settings)``."""
    stores: list[MemoryStore] = []

    def open_one(
        table: Mapping[str, Sequence[float]] | None = None,
        other: Sequence[float] = (0.0, 0.0, 0.0, 1.0),
        embeddings: Embeddings | None = None,
        **settings: Any,
    ) -> Memory:
        chosen = Settings(storage_dir=tmp_path, vector_index="off", **settings)
        stores.append(MemoryStore.open(chosen, clock=lambda: NOW))
        if embeddings is None and table is None:
            embeddings = HashEmbeddings(dim=256)
        embedder = make_embedder(chosen, embeddings or TableEmbeddings(table or {}, other))
        return Memory(stores[-1], embedder, chosen)

    yield open_one
    for store in stores:
        store.close(5)


@pytest.fixture
def memory(open_memory) -> Memory:
    """A memory with hashed words as vectors."""
    return open_memory()


@pytest.fixture
def words_decide(open_memory) -> Memory:
    """A memory in which every text has the same vector."""
    return open_memory(table={}, other=(1.0, 0.0, 0.0, 0.0))
