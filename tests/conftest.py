"""What all tests share: a store of their own, no model, no key, no way out."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
import sqlalchemy as sa
from hypothesis import settings
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


POSTGRES = os.environ.get(
    "DUAL_MEM_TEST_POSTGRES", "postgresql+psycopg://postgres@127.0.0.1:5432/test"
)


@pytest.fixture
def postgres_url() -> Iterator[str]:
    """The URL of an empty schema in the PostgreSQL that DUAL_MEM_TEST_POSTGRES names.

    Without one the test is skipped on a machine of one's own, and fails on CI.
    """
    name = f"dualmem_{uuid4().hex[:12]}"
    engine = sa.create_engine(POSTGRES, isolation_level="AUTOCOMMIT", poolclass=sa.pool.NullPool)
    try:
        conn = engine.connect()
    except sa.exc.OperationalError as error:
        if os.environ.get("CI"):
            raise
        pytest.skip(f"no PostgreSQL at {engine.url} (DUAL_MEM_TEST_POSTGRES): {error.orig}")
    with conn:
        conn.exec_driver_sql(f"CREATE SCHEMA {name}")
    try:
        url = sa.make_url(POSTGRES).update_query_dict({"options": f"-csearch_path={name}"})
        yield url.render_as_string(hide_password=False)
    finally:
        with engine.connect() as conn:
            conn.exec_driver_sql(f"DROP SCHEMA {name} CASCADE")
