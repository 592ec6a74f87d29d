"""What a write needs, and the transaction that it happens in."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime

from dualmem_graph.storage.flush import flush
from dualmem_graph.storage.ledger import Ledger
from dualmem_graph.storage.unit import Unit, touch_scope
from dualmem_graph.types import Scope


@dataclass(frozen=True, slots=True)
class Writer:
    """What every write needs, and who is told when the vector index has something to follow."""

    ledger: Ledger
    clock: Callable[[], datetime]
    on_outbox: Callable[[], None]

    @contextmanager
    def unit(self, scope: Scope, actor: str, reason: str = "") -> Iterator[Unit]:
        """Open a unit of work; it is written and committed at the end of the block."""
        with self.ledger.write() as conn:
            now = self.clock()
            scope_id, revision = touch_scope(conn, scope, now)
            unit = Unit(conn, scope, scope_id, revision, now, actor, reason)
            yield unit
            if not unit.is_abandoned:
                flush(unit)
        if unit.outbox:
            self.on_outbox()
