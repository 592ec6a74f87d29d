"""What stores on one ledger share within a process: connections, index, the embedder's name."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from dualmem_graph.config import Settings
from dualmem_graph.storage.ledger import LEDGER_FILE, Ledger

if TYPE_CHECKING:
    from dualmem_graph.storage.vectors import VectorSide

Clock = Callable[[], datetime]


@dataclass(slots=True)
class Shared:
    """What the store objects on one ledger share: connections, index, the embedder's name."""

    key: str
    ledger: Ledger
    settings: Settings
    clock: Clock
    users: int = 0
    embedder: str | None = None
    _vectors: VectorSide | None = None
    _guard: threading.Lock = field(default_factory=threading.Lock)
    _pid: int = field(default_factory=os.getpid)

    @property
    def vectors(self) -> VectorSide:
        """The vector side, started on first use; a forked child starts one of its own."""
        if self._pid != os.getpid():
            self._guard, self._vectors, self._pid = threading.Lock(), None, os.getpid()
        with self._guard:
            if self._vectors is None:
                from dualmem_graph.storage.vectors import VectorSide

                self._vectors = VectorSide(
                    self.ledger, self.settings, self.settings.storage_dir, self.clock
                )
                self._vectors.start()
            return self._vectors

    def notify(self) -> None:
        """Tell the index that it has something to follow."""
        if self.settings.vector_index != "off":
            self.vectors.notify()

    def close(self, timeout: float) -> None:
        """Let go of index and connections."""
        vectors, self._vectors = self._vectors, None
        try:
            if vectors is not None and self._pid == os.getpid():
                vectors.close(timeout)
        finally:
            self.ledger.close()


_open: dict[str, Shared] = {}
_guard = threading.Lock()


def acquire(settings: Settings, clock: Clock) -> Shared:
    """Find what is open on the ledger that the settings name, or open it."""
    target: str | Path = settings.ledger_url or settings.storage_dir.expanduser() / LEDGER_FILE
    ledger = Ledger(target, settings)
    key = str(ledger.path.resolve() if ledger.path is not None else ledger.url)
    with _guard:
        shared = _open.get(key)
        if shared is None:
            ledger.open()
            shared = _open[key] = Shared(key, ledger, settings, clock)
        shared.users += 1
        return shared


def release(shared: Shared, timeout: float) -> None:
    """Give it back; the last user closes it, waiting at most ``timeout`` seconds for the index."""
    with _guard:
        shared.users -= 1
        if shared.users:
            return
        _open.pop(shared.key, None)
    shared.close(timeout)
