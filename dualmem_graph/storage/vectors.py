"""Search by meaning: exact over the ledger's vectors, or Chroma's candidates scored exactly.

Whatever the way, ids and scores come from the ledger, read within the scope. Chroma only says
where to look in a scope that is too large to look everywhere, and is believed in nothing: what it
does not hold yet is taken from the outbox, what it still holds wrongly is not found in the ledger.
"""

from __future__ import annotations

import logging
import os
import threading
import weakref
import zlib
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Any

import numpy as np
import sqlalchemy as sa

from dualmem_graph.config import Settings
from dualmem_graph.errors import ConfigError, EmbeddingError
from dualmem_graph.storage.applier import IndexApplier, IndexState
from dualmem_graph.storage.chroma import ChromaIndex, IndexFailure, IndexUnavailable, batches
from dualmem_graph.storage.homes import INDEX_FOLDER, EmbeddedHome, IndexHome
from dualmem_graph.storage.ledger import Ledger
from dualmem_graph.storage.owner import OwnerLock, SessionLock
from dualmem_graph.storage.records import SemanticHits
from dualmem_graph.storage.reembedding import mismatch
from dualmem_graph.storage.schema import nodes, outbox, vector_indexes
from dualmem_graph.storage.scope_cache import ScopeCache, ScopeState, read_state, scan
from dualmem_graph.storage.scoring import (
    Hits,
    Vector,
    best_first,
    check_width,
    dot,
    to_columns,
)
from dualmem_graph.storage.timed_calls import TimedCalls
from dualmem_graph.types import IndexCheck, Status

logger = logging.getLogger(__name__)

# Candidates asked of Chroma per wanted memory.
_OVERFETCH = 2
# Waiting outbox rows of one scope from which scoring them all is no better than a scan.
_MAX_PENDING = 2000
_QUERY_THREADS = 2
# Failed queries in a row after which the index is built again.
_MAX_QUERY_FAILURES = 3


class Fallback(StrEnum):
    """Why a search of a large scope was an exact scan after all."""

    NOT_OWNER = "not_owner"
    NOT_READY = "not_ready"
    UNAVAILABLE = "unavailable"
    UNREACHABLE = "unreachable"
    FAILED = "failed"
    ERROR = "error"
    TIMEOUT = "timeout"
    LAG = "lag"
    TOO_FEW = "too_few"


_STATE_FALLBACKS = {
    IndexState.NOT_OWNER: Fallback.NOT_OWNER,
    IndexState.UNAVAILABLE: Fallback.UNAVAILABLE,
    IndexState.UNREACHABLE: Fallback.UNREACHABLE,
    IndexState.FAILED: Fallback.FAILED,
}


class VectorSide:
    """The vectors of one store: exact search, the index, and the way between them.

    Args:
        ledger: the truth.
        settings: ``vector_*`` and ``exact_scan_limit`` are read here.
        directory: the store's folder; the index gets a folder in it.
        clock: tells the time that the ledger notes.
    """

    def __init__(
        self,
        ledger: Ledger,
        settings: Settings,
        directory: Path,
        clock: Callable[[], datetime],
    ) -> None:
        self._ledger = ledger
        self._settings = settings
        store_id = ledger.meta("store_id") or ""
        home = _home_of(settings, Path(directory), store_id)
        self._home_name = home.name
        self._lock = _lock_of(ledger, Path(directory), store_id)
        self._applier = (
            None
            if settings.vector_index == "off"
            else IndexApplier(ledger, settings, home, self._lock, clock)
        )
        self._reset()
        _sides.add(self)

    def _reset(self) -> None:
        self._cache = ScopeCache(self._settings.vector_cache_mb * 1_000_000)
        self._calls = TimedCalls(_QUERY_THREADS)
        self._counts: Counter[str] = Counter()
        self._count_lock = threading.Lock()
        self._query_failures = 0

    def start(self) -> None:
        """Let the index be looked after if the ledger has work for it; returns at once."""
        if not self._ledger_has_work():
            return
        if self._applier is not None:
            self._applier.notify()
        else:
            self._drop_backlog()

    def notify(self) -> None:
        """Say that a commit wrote outbox rows; returns at once."""
        if self._applier is not None:
            self._applier.notify()

    def search(
        self,
        scope_id: int,
        scope_hash: str,
        vector: Vector,
        k: int,
        layers: Collection[str] | None = None,
        statuses: Sequence[str] = (Status.ACTIVE,),
        exclude: Collection[str] = (),
        fingerprint: str | None = None,
    ) -> SemanticHits:
        """The ``k`` memories of a scope nearest in meaning, with their cosines, best first.

        Args:
            scope_id: the scope's row in the ledger.
            scope_hash: its name in the index.
            vector: ``(dim,)``, of the embedder that the store was written with.
            k: how many at most.
            layers: only these; all, turns included, where ``None``.
            statuses: only these; others than ACTIVE are always read from the ledger.
            exclude: ids to leave out.
            fingerprint: the embedder that the query is of, where that is known.

        Raises:
            EmbeddingError: the vector is not one row of finite numbers.
            EmbeddingMismatchError: it is of another embedder, or another width, than the stored
                ones.
        """
        query = _checked(vector)
        if k < 1 or (layers is not None and not layers):
            return SemanticHits()
        wanted = _Wanted(
            scope_id, scope_hash, query, k, layers, statuses, frozenset(exclude), fingerprint
        )
        with self._ledger.read() as conn:
            state = read_state(conn, scope_id)
            if state is None or state.fingerprint is None:
                return SemanticHits()
            wanted.check_embedder(state)
            if not self._is_for_index(state, wanted):
                self._count("exact")
                return SemanticHits(wanted.trim(self._exact(conn, state, wanted)))
        return self._search_large(state, wanted)

    def drain(self, timeout: float) -> bool:
        """Wait until the index holds all that was committed before; see :class:`IndexApplier`."""
        return self._applier is None or self._applier.drain(timeout)

    def status(self) -> dict[str, Any]:
        """Plain values: the index's state, how searches were answered, what is cached."""
        with self._count_lock:
            counts = dict(self._counts)
        exact, from_index = counts.pop("exact", 0), counts.pop("index", 0)
        return {
            **({"state": "off"} if self._applier is None else self._applier.status()),
            "searches": {
                "exact": exact,
                "index": from_index,
                "index_share": from_index / max(1, exact + from_index),
            },
            "fallbacks": counts,
            "cache": self._cache.stats(),
        }

    def check(self, timeout: float | None) -> IndexCheck:
        """Compare the index with the ledger and mend it; see :class:`IndexApplier`."""
        return self._switched_on().check(timeout)

    def rebuild(self, timeout: float | None) -> int:
        """Build the index anew from the ledger; see :class:`IndexApplier`."""
        return self._switched_on().rebuild(timeout)

    def close(self, timeout: float) -> None:
        """End the work on the index within ``timeout`` seconds; what is left stays queued."""
        if self._applier is not None:
            self._applier.close(timeout)

    def reset_after_fork(self) -> None:
        """In a forked child: start afresh, without the parent's index, threads and locks."""
        if self._applier is not None:
            self._applier.reset_after_fork()
        self._reset()

    def _switched_on(self) -> IndexApplier:
        if self._applier is None:
            raise ConfigError(
                "there is no vector index: vector_index is 'off'; searches are exact without it"
            )
        return self._applier

    def _drop_backlog(self) -> None:
        """Without an index, forget what it should have followed; the next one is built anew.

        Where another process has an index, the backlog is that one's.
        """
        if not self._lock.try_acquire():
            return
        try:
            with self._ledger.write() as conn:
                conn.execute(sa.update(vector_indexes).values(clean=False))
                conn.execute(sa.delete(outbox))
        finally:
            self._lock.release()

    def _ledger_has_work(self) -> bool:
        with self._ledger.read() as conn:
            return conn.execute(sa.select(outbox.c.seq).limit(1)).first() is not None

    def _count(self, what: str) -> None:
        with self._count_lock:
            self._counts[str(what)] += 1

    # --- exact

    def _exact(self, conn: sa.Connection, state: ScopeState, wanted: _Wanted) -> Hits:
        others = [status for status in wanted.statuses if status != Status.ACTIVE]
        hits: Hits = []
        if len(others) < len(wanted.statuses):
            hits = self._cache.search(conn, state, wanted.query, wanted.fetch, wanted.layers)
        if others:
            hits += scan(conn, state, wanted.query, wanted.fetch, others, wanted.layers)
            hits.sort(key=lambda hit: -hit[1])
        return hits

    # --- through the index

    def _is_for_index(self, state: ScopeState, wanted: _Wanted) -> bool:
        return (
            self._applier is not None
            and state.documents > self._settings.exact_scan_limit
            and all(status == Status.ACTIVE for status in wanted.statuses)
        )

    def _search_large(self, state: ScopeState, wanted: _Wanted) -> SemanticHits:
        reason: Fallback
        few: Hits = []
        try:
            hits = self._candidates(state, wanted)
            if len(hits) >= wanted.fetch:
                self._count("index")
                return SemanticHits(wanted.trim(hits), from_index=True)
            few, reason = hits, Fallback.TOO_FEW
        except _FallBackError as fallback:
            reason = fallback.reason
        self._count("exact")
        with self._ledger.read() as conn:
            state = read_state(conn, wanted.scope_id) or state
            wanted.check_embedder(state)
            exact = self._exact(conn, state, wanted)
        if reason is Fallback.TOO_FEW and len(exact) <= len(few):
            # The scope has no more of this kind: the index was complete, nothing went wrong.
            return SemanticHits(wanted.trim(exact))
        self._count(reason)
        return SemanticHits(wanted.trim(exact), degraded=(f"vector_index_{reason}",))

    def _candidates(self, state: ScopeState, wanted: _Wanted) -> Hits:
        """What Chroma and the outbox name, scored from the ledger."""
        index = self._usable_index(state)
        # The outbox first: what leaves it after this has reached Chroma before we ask.
        waiting = self._waiting(wanted.scope_id, index)
        hits: Hits = []
        for filtered in (False, True):
            found = self._ask(index, wanted, filtered)
            hits = self._score(state, wanted, {*found, *waiting})
            if len(hits) >= wanted.fetch:
                break
        return hits

    def _usable_index(self, state: ScopeState) -> ChromaIndex:
        assert self._applier is not None
        index = self._applier.ready(state.fingerprint)
        if index is None:
            self._applier.notify()
            raise _FallBackError(_STATE_FALLBACKS.get(self._applier.state, Fallback.NOT_READY))
        return index

    def _waiting(self, scope_id: int, index: ChromaIndex) -> list[str]:
        statement = (
            sa.select(outbox.c.vid).where(outbox.c.scope_id == scope_id).limit(_MAX_PENDING + 1)
        )
        current = sa.select(vector_indexes.c.generation).where(
            vector_indexes.c.name == self._home_name
        )
        with self._ledger.read() as conn:
            waiting = list(conn.execute(statement).scalars())
            # what is not in the outbox was applied to the generation that is current with it
            if conn.execute(current).scalar_one_or_none() != index.generation:
                raise _FallBackError(Fallback.NOT_READY)
        if len(waiting) > _MAX_PENDING:
            raise _FallBackError(Fallback.LAG)
        return waiting

    def _ask(self, index: ChromaIndex, wanted: _Wanted, filtered: bool) -> list[str]:
        def call() -> list[str]:
            return index.query(
                wanted.scope_hash,
                wanted.query,
                _OVERFETCH * wanted.fetch,
                filtered=filtered,
                layers=wanted.layers,
            )

        try:
            found = self._calls.run(call, self._settings.vector_timeout)
        except TimeoutError:
            logger.warning("a vector query took more than %g s", self._settings.vector_timeout)
            raise _FallBackError(Fallback.TIMEOUT) from None
        except IndexUnavailable as error:
            logger.warning("a vector query failed: %s", error)
            raise _FallBackError(Fallback.UNREACHABLE) from error
        except IndexFailure as error:
            self._count_failure(error)
            raise _FallBackError(Fallback.ERROR) from error
        self._query_failures = 0
        return found

    def _count_failure(self, error: IndexFailure) -> None:
        assert self._applier is not None
        logger.warning("a vector query failed: %s", error)
        self._query_failures += 1
        if self._query_failures >= _MAX_QUERY_FAILURES:
            self._query_failures = 0
            self._applier.distrust(str(error))

    def _score(self, state: ScopeState, wanted: _Wanted, vids: Iterable[str]) -> Hits:
        """Of these records, the scope's current memories, scored from the ledger's vectors."""
        statement = sa.select(nodes.c.seq, nodes.c.id, nodes.c.layer, nodes.c.embedding).where(
            # "+ 0" keeps SQLite from walking the whole scope instead of looking up the vids
            nodes.c.scope_id + 0 == wanted.scope_id,
            nodes.c.status == str(Status.ACTIVE),
            nodes.c.fingerprint == state.fingerprint,
        )
        if wanted.layers is not None:
            statement = statement.where(nodes.c.layer.in_(sorted(map(str, wanted.layers))))
        rows: list[Any] = []
        with self._ledger.read() as conn:
            for batch in batches(sorted(vids)):
                rows += conn.execute(statement.where(nodes.c.vid.in_(batch)))
        if not rows:
            return []
        seqs, ids, _, matrix = to_columns(rows)
        check_width(wanted.query, matrix.shape[1], state.fingerprint)
        scores = dot(matrix, wanted.query)
        return [(ids[i], float(scores[i])) for i in best_first(scores, seqs, wanted.fetch)]


@dataclass(frozen=True, slots=True)
class _Wanted:
    """One search, its vector checked."""

    scope_id: int
    scope_hash: str
    query: Vector
    k: int
    layers: Collection[str] | None
    statuses: Sequence[str]
    exclude: frozenset[str]
    fingerprint: str | None

    def check_embedder(self, state: ScopeState) -> None:
        """In the snapshot that is searched: the store may just have been changed over.

        Raises:
            EmbeddingMismatchError: the query is of another embedder than the vectors.
        """
        if self.fingerprint is not None and self.fingerprint != state.fingerprint:
            raise mismatch(str(state.fingerprint), self.fingerprint)

    @property
    def fetch(self) -> int:
        """How many to find, so that ``k`` are left without the excluded ones."""
        return self.k + len(self.exclude)

    def trim(self, hits: Hits) -> tuple[tuple[str, float], ...]:
        return tuple(hit for hit in hits if hit[0] not in self.exclude)[: self.k]


class _FallBackError(Exception):
    def __init__(self, reason: Fallback) -> None:
        super().__init__(reason)
        self.reason = reason


def _home_of(settings: Settings, directory: Path, store_id: str) -> IndexHome:
    """Where the settings want the index; ``directory`` is the store's."""
    if settings.chroma_url is not None:
        from dualmem_graph.storage.chroma_server import ServerHome

        return ServerHome(settings, store_id)
    # absolute: the process may change its working directory
    return EmbeddedHome(directory.expanduser().absolute() / INDEX_FOLDER)


def _lock_of(ledger: Ledger, directory: Path, store_id: str) -> OwnerLock | SessionLock:
    """What the owner of the index holds: one for all that share the ledger's outbox."""
    if ledger.dialect == "postgresql":
        return SessionLock(ledger.session, zlib.crc32(store_id.encode()))
    return OwnerLock(directory.expanduser().absolute() / INDEX_FOLDER / "OWNER")


def _checked(vector: Vector) -> Vector:
    """A query as one row of finite float32 numbers of length one (or zero)."""
    query = np.asarray(vector, np.float32)
    if query.ndim != 1 or not query.size or not np.isfinite(query).all():
        raise EmbeddingError(
            f"a query vector must be one row of finite numbers, got shape {query.shape!r}; "
            "check what the embedder returned"
        )
    length = float(np.linalg.norm(query))
    return query / np.float32(length) if length > 0 else query


_sides: weakref.WeakSet[VectorSide] = weakref.WeakSet()


def _start_afresh_in_child() -> None:
    for side in list(_sides):
        side.reset_after_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_start_afresh_in_child)
