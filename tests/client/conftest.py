"""Clients on a store of the test's own, and the invariants of every store after every test."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from answers import Open

from dualmem_graph import SyncMemoryClient
from dualmem_graph.config import Settings
from dualmem_graph.storage.ledger import LEDGER_FILE
from dualmem_graph.storage.store import MemoryStore
from dualmem_graph.testing import HashEmbeddings


@pytest.fixture(autouse=True)
def _sound(tmp_path: Path) -> Iterator[None]:
    """Whatever a test did to its stores, no invariant of theirs is broken afterwards."""
    yield
    for ledger in sorted(tmp_path.rglob(LEDGER_FILE)):
        store = MemoryStore.open(Settings(storage_dir=ledger.parent, vector_index="off"))
        try:
            assert store.check() == []
        finally:
            store.close()


@pytest.fixture
def open_memory(tmp_path: Path) -> Iterator[Open]:
    """Open clients on one store: hashed embeddings, jobs only on flush; closed at the end."""
    with ExitStack() as stack:

        def open_one(chat_model: Any = None, **settings: Any) -> SyncMemoryClient:
            given = {"storage_dir": tmp_path / "store", "job_workers": 0} | settings
            if "embed_base_url" not in given:
                given.setdefault("embeddings", HashEmbeddings())
            return stack.enter_context(SyncMemoryClient(chat_model=chat_model, **given))

        yield open_one


@pytest.fixture
def memory(open_memory: Open) -> SyncMemoryClient:
    """A client in the rules form."""
    return open_memory()
