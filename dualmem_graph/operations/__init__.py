"""Every operation, implemented once; all surfaces call it.

A method validates at the border, runs a graph or a store call, and returns the values of
:mod:`dualmem_graph.types`. Scope comes first in every one of them.
"""

from __future__ import annotations

from dualmem_graph.operations.forgetting import ForgettingOperations
from dualmem_graph.operations.portability import PortabilityOperations
from dualmem_graph.operations.reading import ReadingOperations
from dualmem_graph.operations.upkeep import UpkeepOperations

__all__ = ["MemoryOperations"]


class MemoryOperations(
    PortabilityOperations,
    ForgettingOperations,
    ReadingOperations,
    UpkeepOperations,
):
    """The memory of one store; thread-safe.

    Every method takes ``user_id`` (required, a string or an integer) and ``app_id`` (default:
    the setting). A blank or foreign-typed id raises :class:`~dualmem_graph.errors.ScopeError`.
    """
