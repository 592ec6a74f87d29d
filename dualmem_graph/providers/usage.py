"""What a request to a model cost: the event that the cost ledger is made of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Literal


@dataclass(frozen=True, slots=True)
class UsageEvent:
    """One request to a chat model or an embedding endpoint, answered or not.

    Attributes:
        operation: what it was for, e.g. ``"extract"``, ``"reconcile"`` or ``"embed"``.
        tokens_in: as the endpoint counted them, else an estimate.
        tokens_out: likewise; 0 for embeddings.
        latency_ms: wall milliseconds of this one request, waits between retries not included.
        ok: whether an answer came (it may still have been unusable).
        scope_id: the ledger's id of the scope it was made for, where there is one.
        at: when the request began, in UTC.
    """

    operation: str
    kind: Literal["chat", "embedding"]
    model: str
    tokens_in: int
    tokens_out: int
    latency_ms: float
    ok: bool
    scope_id: int | None
    at: datetime


UsageSink = Callable[[UsageEvent], None]
"""Takes each event as it happens, from whichever thread made the request; must not raise."""
