"""A store for each test, whose invariants are checked when the test is over."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from ledger_world import World

from dualmem_graph.storage.store import MemoryStore


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    world = World(tmp_path)
    yield world
    assert world.store.check() == []
    world.store.close()


@pytest.fixture
def store(world: World) -> MemoryStore:
    return world.store
