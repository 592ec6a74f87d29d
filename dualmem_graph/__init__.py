"""Long-term memory for LangGraph agents, written as LangGraph state machines.

The public names, imported on first use: importing the package costs next to nothing.
"""

from __future__ import annotations

import importlib
import logging
import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

from dualmem_graph._version import __version__

if TYPE_CHECKING:
    from dualmem_graph.client import MemoryClient, SyncMemoryClient
    from dualmem_graph.config import Settings
    from dualmem_graph.errors import (
        ConfigError,
        DualMemError,
        EmbeddingMismatchError,
        FilterError,
        InputError,
        MemoryNotFoundError,
        NotHeadError,
        ScopeError,
        StoreLockedError,
    )
    from dualmem_graph.recall.graph import recall, recall_builder
    from dualmem_graph.system1.graph import system1, system1_builder
    from dualmem_graph.system1.state import MemoryContext
    from dualmem_graph.types import (
        AddResult,
        Layer,
        MemoryItem,
        MemoryType,
        Page,
        SearchResult,
        Status,
        UpdateType,
    )

# a library is silent until its host configures logging
logging.getLogger(__name__).addHandler(logging.NullHandler())

_HOMES = {
    "MemoryClient": "client",
    "SyncMemoryClient": "client",
    "Settings": "config",
    "ConfigError": "errors",
    "DualMemError": "errors",
    "EmbeddingMismatchError": "errors",
    "FilterError": "errors",
    "InputError": "errors",
    "MemoryNotFoundError": "errors",
    "NotHeadError": "errors",
    "ScopeError": "errors",
    "StoreLockedError": "errors",
    "recall": "recall.graph",
    "recall_builder": "recall.graph",
    "system1": "system1.graph",
    "system1_builder": "system1.graph",
    "MemoryContext": "system1.state",
    "AddResult": "types",
    "Layer": "types",
    "MemoryItem": "types",
    "MemoryType": "types",
    "Page": "types",
    "SearchResult": "types",
    "Status": "types",
    "UpdateType": "types",
}

__all__ = [
    "AddResult",
    "ConfigError",
    "DualMemError",
    "EmbeddingMismatchError",
    "FilterError",
    "InputError",
    "Layer",
    "MemoryClient",
    "MemoryContext",
    "MemoryItem",
    "MemoryNotFoundError",
    "MemoryType",
    "NotHeadError",
    "Page",
    "ScopeError",
    "SearchResult",
    "Settings",
    "Status",
    "StoreLockedError",
    "SyncMemoryClient",
    "UpdateType",
    "__version__",
    "recall",
    "recall_builder",
    "system1",
    "system1_builder",
]


def _load(name: str) -> Any:
    return getattr(importlib.import_module(f"dualmem_graph.{_HOMES[name]}"), name)


class _Package(ModuleType):
    """This package, whose ``system1`` and ``recall`` are the graphs and not the folders.

    Importing anything from a folder makes the import system set the folder's module under its
    name here; these properties keep the graph under it, whatever was imported first.
    """

    @property
    def system1(self) -> Any:
        """The write path, compiled."""
        return _load("system1")

    @system1.setter
    def system1(self, folder: ModuleType) -> None:
        """Leave the name to the graph."""

    @property
    def recall(self) -> Any:
        """The read path, compiled."""
        return _load("recall")

    @recall.setter
    def recall(self, folder: ModuleType) -> None:
        """Leave the name to the graph."""


sys.modules[__name__].__class__ = _Package


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'dualmem_graph' has no attribute {name!r}")
    value = globals()[name] = _load(name)
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
