"""What a recall is asked, what it works with, and what it answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from dualmem_graph.errors import InputError, LimitError
from dualmem_graph.types import Layer, MemoryItem, Scope, Turn

if TYPE_CHECKING:
    from dualmem_graph.config import Settings
    from dualmem_graph.providers.embeddings import Embedder
    from dualmem_graph.resources import Clock, Resources
    from dualmem_graph.storage.store import MemoryStore


@dataclass(frozen=True, slots=True)
class RecallRequest:
    """One question to the memory of one scope.

    Attributes:
        query: the question; ``""`` where ``messages`` asks.
        messages: a conversation that should bring back what belongs to it, oldest turn first.
        top_k: the most items to return.
        layers: only these layers; ``None`` for all.
        filters: attribute filters, see :func:`dualmem_graph.recall.filters.compile_filters`.
        threshold: the lowest ``MemoryItem.score`` to return.
        as_of: answer with what was current at that instant.
        time_range: ``(start, end)`` of when it happened, either may be ``None``.
        reference_time: what "yesterday" in the query is relative to; ``None`` for now.
        include_superseded: also return earlier versions, each as an item of its own.
        explain: fill ``MemoryItem.score_details``.
    """

    scope: Scope
    query: str = ""
    messages: tuple[Turn, ...] = ()
    top_k: int = 10
    layers: tuple[Layer, ...] | None = None
    filters: Mapping[str, Any] | None = None
    threshold: float | None = None
    as_of: datetime | None = None
    time_range: tuple[datetime | None, datetime | None] | None = None
    reference_time: datetime | None = None
    include_superseded: bool = False
    explain: bool = False


@dataclass(frozen=True, slots=True)
class RecallDeps:
    """What a recall works with."""

    store: MemoryStore
    embedder: Embedder
    settings: Settings
    clock: Clock

    @classmethod
    def of(cls, resources: Resources) -> RecallDeps:
        """Take the parts that reading needs out of the resources of an operation."""
        return cls(resources.store, resources.embedder, resources.settings, resources.clock)


@dataclass(frozen=True, slots=True)
class RecallOutcome:
    """What a recall found.

    Attributes:
        items: best first, at most ``top_k``.
        route: ``profile``, ``proactive`` or ``normal``.
        degraded: the fallbacks that were taken.
    """

    items: list[MemoryItem]
    route: str = "normal"
    degraded: tuple[str, ...] = ()


def check_request(request: RecallRequest, settings: Settings) -> None:
    """Refuse a request that cannot be answered as it was meant.

    Raises:
        InputError: ``top_k`` or ``threshold`` is out of range, or ``time_range`` ends before it
            starts.
        LimitError: ``query`` or ``top_k`` is larger than the settings allow.
    """
    if request.top_k < 1:
        raise InputError(f"top_k is {request.top_k!r}; ask for at least one item")
    if request.top_k > settings.max_top_k:
        raise LimitError(
            f"top_k is {request.top_k!r}; at most {settings.max_top_k} are allowed "
            "(setting max_top_k)"
        )
    if len(request.query) > settings.max_query_chars:
        raise LimitError(
            f"the query has {len(request.query)} characters ({request.query[:40]!r}…); at most "
            f"{settings.max_query_chars} are allowed (setting max_query_chars): pass a "
            "conversation as messages"
        )
    if request.threshold is not None and not 0 <= request.threshold <= 1:
        raise InputError(f"threshold is {request.threshold!r}; scores lie between 0 and 1")
    if request.time_range is not None:
        start, end = request.time_range
        if start is not None and end is not None and end < start:
            raise InputError(f"time_range ends ({end!r}) before it starts ({start!r}); swap them")
