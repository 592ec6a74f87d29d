from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dualmem_graph.config import Settings


@pytest.fixture(autouse=True)
def bare_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """No setting, key or proxy of the machine reaches a test."""
    for name in list(os.environ):
        if name.startswith(("DUAL_MEM_", "OPENAI_", "LANGSMITH_", "LANGCHAIN_")) or (
            name.upper().endswith(("_API_KEY", "_PROXY"))
        ):
            monkeypatch.delenv(name)


@pytest.fixture
def settings(tmp_path: Path) -> Callable[..., Settings]:
    """Make settings, with a storage directory of the test's own."""

    def make(**given: Any) -> Settings:
        return Settings(storage_dir=tmp_path, **given)

    return make


class Waits(list[float]):
    """Stands in for the waits between retries and records them."""

    def __call__(self, seconds: float) -> bool:
        self.append(seconds)
        return False


@pytest.fixture
def waits() -> Waits:
    return Waits()
