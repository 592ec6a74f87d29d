"""A store for each test, whose invariants are checked when the test is over.

What the store promises, it promises on both databases: the modules named here run on each.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from ledger_world import World

from dualmem_graph.storage.store import MemoryStore

ON_BOTH = {
    "test_chains",
    "test_fulltext",
    "test_jobs",
    "test_store_reads",
    "test_store_turns",
}


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "ledger_url" in metafunc.fixturenames and metafunc.module.__name__ in ON_BOTH:
        metafunc.parametrize("ledger_url", ["sqlite", "postgresql"], indirect=True)


@pytest.fixture
def ledger_url(request: pytest.FixtureRequest) -> str | None:
    """The setting: SQLite in the store's directory, unless the module runs on both databases."""
    if getattr(request, "param", "sqlite") == "sqlite":
        return None
    url: str = request.getfixturevalue("emptied_postgres_url")
    return url


@pytest.fixture
def world(tmp_path: Path, ledger_url: str | None) -> Iterator[World]:
    world = World(tmp_path, ledger_url=ledger_url)
    yield world
    assert world.store.check() == []
    world.store.close()


@pytest.fixture
def store(world: World) -> MemoryStore:
    return world.store
