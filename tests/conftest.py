"""What all tests share: a store of their own, no model, no key, no way out."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from postgres_schema import empty, fresh_schema
from servers import free_port, running_chroma

from dualmem_graph import SyncMemoryClient
from dualmem_graph.testing import HashEmbeddings

# on CI the same examples every time; elsewhere hypothesis goes on looking for new ones
settings.register_profile("ci", derandomize=True)
if os.environ.get("CI"):
    settings.load_profile("ci")

_REAL_CONNECT = socket.socket.connect


def _loopback_only(self: socket.socket, address: Any) -> Any:
    host = address[0] if isinstance(address, tuple) else "local"
    if isinstance(address, tuple) and host not in ("127.0.0.1", "::1", "localhost"):
        raise AssertionError(f"a test tried to reach {address!r}")
    return _REAL_CONNECT(self, address)


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """No provider's key, no setting of the machine, no socket beyond this machine."""
    theirs = ("DUAL_MEM_", "OPENAI_", "ANTHROPIC_", "LANGSMITH_", "LANGCHAIN_")
    for name in list(os.environ):
        if name.startswith(theirs) and not name.startswith("DUAL_MEM_TEST_"):
            monkeypatch.delenv(name)
    monkeypatch.setattr(socket.socket, "connect", _loopback_only)


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[SyncMemoryClient]:
    """A client in the rules form, with the real embedder, on a fresh store."""
    with SyncMemoryClient(storage_dir=tmp_path / "store") as client:
        yield client


@pytest.fixture
def quick(tmp_path: Path) -> Iterator[SyncMemoryClient]:
    """The same with deterministic hashed embeddings and no background threads."""
    with SyncMemoryClient(
        storage_dir=tmp_path / "store", embeddings=HashEmbeddings(), job_workers=0
    ) as client:
        yield client


@pytest.fixture(scope="session")
def chroma_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a Chroma server that the tests of one process share."""
    port = free_port()
    with running_chroma(tmp_path_factory.mktemp("chroma") / "data", port):
        yield f"http://127.0.0.1:{port}"


@pytest.fixture
def postgres_url() -> Iterator[str]:
    """The URL of an empty PostgreSQL schema of the test's own."""
    with fresh_schema() as url:
        yield url


@pytest.fixture(scope="session")
def _kept_schema() -> Iterator[str]:
    with fresh_schema() as url:
        yield url


@pytest.fixture
def emptied_postgres_url(_kept_schema: str) -> str:
    """The same for many small tests: one schema for all of a worker, emptied before each."""
    empty(_kept_schema)
    return _kept_schema
