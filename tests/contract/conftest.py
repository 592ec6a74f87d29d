"""One store per test, on each of the backends that a user may choose."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from dualmem_graph import SyncMemoryClient
from dualmem_graph.testing import HashEmbeddings

Open = Callable[..., SyncMemoryClient]


@pytest.fixture(params=["sqlite", "postgresql"])
def ledger(request: pytest.FixtureRequest) -> dict[str, Any]:
    """Settings of the ledger."""
    if request.param == "sqlite":
        return {}
    return {"ledger_url": request.getfixturevalue("postgres_url")}


@pytest.fixture(params=["embedded", "server"])
def index(request: pytest.FixtureRequest) -> dict[str, Any]:
    """Settings of the vector index, which is asked for every scope, however small."""
    asked = {"exact_scan_limit": 0, "vector_apply_delay": 0.0, "vector_timeout": 30.0}
    if request.param == "embedded":
        return asked
    url = request.getfixturevalue("chroma_server")
    return asked | {"chroma_url": url, "chroma_database": f"db-{uuid4().hex[:8]}"}


@pytest.fixture
def open_client(ledger: dict[str, Any], index: dict[str, Any], tmp_path: Path) -> Iterator[Open]:
    """Open clients on one store: hashed embeddings, jobs on flush; sound when the test is over."""
    with ExitStack() as stack:

        def open_one(**settings: Any) -> SyncMemoryClient:
            given = {"storage_dir": tmp_path / "store", "job_workers": 0, **ledger, **index}
            if "embed_base_url" not in settings:
                settings.setdefault("embeddings", HashEmbeddings())
            return stack.enter_context(SyncMemoryClient(**(given | settings)))

        yield open_one
        with open_one() as last:
            assert last._resources.store.check() == []


@pytest.fixture
def memory(open_client: Open) -> SyncMemoryClient:
    """A client in the rules form."""
    return open_client()
