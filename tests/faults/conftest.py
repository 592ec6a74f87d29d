"""Clients on a store of the test's own; whatever a fault did, no rule is broken afterwards."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from faulty_parts import Open

from dualmem_graph import SyncMemoryClient
from dualmem_graph.config import Settings
from dualmem_graph.storage.ledger import LEDGER_FILE
from dualmem_graph.storage.store import MemoryStore
from dualmem_graph.testing import HashEmbeddings


@pytest.fixture(autouse=True)
def _sound(tmp_path: Path) -> Iterator[None]:
    yield
    for ledger in sorted(tmp_path.rglob(LEDGER_FILE)):
        store = MemoryStore.open(Settings(storage_dir=ledger.parent, vector_index="off"))
        try:
            assert store.check() == []
        finally:
            store.close()


@pytest.fixture
def open_memory(tmp_path: Path) -> Iterator[Open]:
    """Open clients on one store: the index follows at once, jobs are done on flush alone."""
    with ExitStack() as stack:

        def open_one(**given: Any) -> SyncMemoryClient:
            settings = {
                "storage_dir": tmp_path / "store",
                "embeddings": HashEmbeddings(),
                "job_workers": 0,
                "exact_scan_limit": 0,
                "vector_apply_delay": 0.0,
            }
            return stack.enter_context(SyncMemoryClient(**{**settings, **given}))

        yield open_one
