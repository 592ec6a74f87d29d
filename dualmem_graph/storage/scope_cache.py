"""Exact search: the vectors of one scope in memory, kept current row by row.

Rows are only ever appended, into blocks that never move. A memory that changes is struck out where
it stood and, if it is still current, appended again; so a reader works on a snapshot that nobody
changes, and a write costs the next search the rows that changed, not the scope.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple

import numpy as np
import sqlalchemy as sa
from numpy.typing import NDArray

from dualmem_graph.storage.schema import meta, nodes, scopes
from dualmem_graph.storage.scoring import (
    LAYERS,
    Hits,
    Vector,
    best_first,
    check_width,
    dot,
    to_columns,
)
from dualmem_graph.types import Status

#: Key in ``meta`` of the embedder that wrote the store's vectors.
EMBEDDER_KEY = "embedder"
#: Key in ``meta`` of a number that every transaction which *removes* rows of ``nodes`` must change:
#: a removed row cannot say that it changed.
ERASURES_KEY = "erasures"

_SCAN_ROWS = 4096
# What an id and its place in the map cost beside the vector.
_ID_BYTES = 200
# Rows of a block for what is appended after loading.
_BLOCK_ROWS = 1024
# Below this share of wanted rows, gathering them is cheaper than a product with all.
_SPARSE = 8


class Epoch(NamedTuple):
    """Changes where rows may be gone, or vectors are of another embedder: nothing can be kept."""

    created_at: datetime
    fingerprint: str | None
    erasures: str | None


@dataclass(frozen=True, slots=True)
class ScopeState:
    """What the ledger says of a scope: the first thing that any search reads.

    Within an ``epoch``, what changed since a ``revision`` is known row by row. ``documents`` is
    the scope's size, counting superseded memories.
    """

    scope_id: int
    revision: int
    documents: int
    epoch: Epoch

    @property
    def fingerprint(self) -> str | None:
        """The embedder that the store's vectors are of; ``None`` before the first vector."""
        return self.epoch.fingerprint


def read_state(conn: sa.Connection, scope_id: int) -> ScopeState | None:
    """Read the state of a scope in one statement; ``None`` for a scope that does not exist."""
    row = conn.execute(_STATE, {"scope_id": scope_id}).one_or_none()
    if row is None:
        return None
    return ScopeState(
        scope_id=scope_id,
        revision=row.revision,
        documents=row.documents,
        epoch=Epoch(row.created_at, row.fingerprint, row.erasures),
    )


def _meta_value(key: str) -> sa.ScalarSelect[Any]:
    return sa.select(meta.c.value).where(meta.c.key == key).scalar_subquery()


_STATE = sa.select(
    scopes.c.revision,
    scopes.c.documents,
    scopes.c.created_at,
    _meta_value(EMBEDDER_KEY).label("fingerprint"),
    _meta_value(ERASURES_KEY).label("erasures"),
).where(scopes.c.id == sa.bindparam("scope_id"))

_ACTIVE = sa.select(nodes.c.seq, nodes.c.id, nodes.c.layer, nodes.c.embedding).where(
    nodes.c.scope_id == sa.bindparam("scope_id"),
    nodes.c.status == str(Status.ACTIVE),
    nodes.c.fingerprint == sa.bindparam("fingerprint"),
    nodes.c.embedding.is_not(None),
)

# A memory that is no longer current, or has no vector of this embedder, comes with none.
_CHANGED = sa.select(
    nodes.c.seq,
    nodes.c.id,
    nodes.c.layer,
    sa.case(
        (
            sa.and_(
                nodes.c.status == str(Status.ACTIVE),
                nodes.c.fingerprint == sa.bindparam("fingerprint"),
            ),
            nodes.c.embedding,
        )
    ).label("embedding"),
).where(
    nodes.c.scope_id == sa.bindparam("scope_id"),
    nodes.c.changed > sa.bindparam("revision"),
)


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The current vectors of a scope at one revision; never changed once made.

    ``blocks`` are ``(rows, dim)`` each, ``n`` rows together; ``seqs``, ``layers`` and
    ``is_current`` are ``(n,)``; the first ``n`` entries of ``ids`` belong to it.
    """

    epoch: Epoch
    revision: int
    blocks: tuple[Vector, ...]
    ids: list[str]
    seqs: NDArray[np.int64]
    layers: NDArray[np.int8]
    is_current: NDArray[np.bool_]

    def answers(self, state: ScopeState) -> bool:
        """Whether it holds all that the ledger held when ``state`` was read."""
        return self.epoch == state.epoch and self.revision >= state.revision

    def top(self, query: Vector, k: int, layers: Collection[str] | None = None) -> Hits:
        """The ``k`` current memories nearest to ``query``: ids and cosines, best first."""
        rows = np.flatnonzero(self._wanted(layers))
        if not len(rows):
            return []
        check_width(query, self.blocks[0].shape[1], self.epoch.fingerprint)
        if len(rows) * _SPARSE < len(self.seqs):
            scores = dot(self.gather(rows), query)
        else:
            scores = np.concatenate([dot(block, query) for block in self.blocks])[rows]
        best = best_first(scores, self.seqs[rows], k)
        return [(self.ids[rows[i]], float(scores[i])) for i in best]

    def gather(self, rows: NDArray[np.intp]) -> Vector:
        """The vectors of some rows, given in rising order: ``(len(rows), dim)``."""
        parts, start = [], 0
        for block in self.blocks:
            inside = rows[(rows >= start) & (rows < start + len(block))] - start
            parts.append(block[inside])
            start += len(block)
        return np.concatenate(parts)

    def _wanted(self, layers: Collection[str] | None) -> NDArray[np.bool_]:
        if layers is None:
            return self.is_current
        wanted: NDArray[np.bool_] = np.array([layer in layers for layer in LAYERS])[self.layers]
        return self.is_current & wanted


class ScopeVectors:
    """What a scope's snapshots are made from; one refresh at a time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._snapshot: Snapshot | None = None
        self._row_of: dict[str, int] = {}
        # The last block, of which snapshots see the front part.
        self._open_block: Vector = np.empty((0, 0), np.float32)

    @property
    def nbytes(self) -> int:
        """Bytes held."""
        snapshot = self._snapshot
        if snapshot is None:
            return 0
        return sum(block.nbytes for block in snapshot.blocks) + len(snapshot.seqs) * _ID_BYTES

    def __len__(self) -> int:
        snapshot = self._snapshot
        return 0 if snapshot is None else int(snapshot.is_current.sum())

    def snapshot(self, conn: sa.Connection, state: ScopeState) -> Snapshot:
        """A snapshot at least as new as ``state``, which was read through ``conn``."""
        held = self._snapshot
        if held is not None and held.answers(state):
            return held
        with self._lock:
            held = self._snapshot
            if held is not None and held.answers(state):
                return held
            self._snapshot = None  # should the refresh fail half way, the next one starts afresh
            if held is not None and held.epoch == state.epoch:
                fresh = self._catch_up(conn, state, held)
            else:
                fresh = self._load(conn, state)
            self._snapshot = fresh
            return fresh

    def _load(self, conn: sa.Connection, state: ScopeState) -> Snapshot:
        parameters = {"scope_id": state.scope_id, "fingerprint": state.fingerprint}
        seqs, ids, layers, matrix = to_columns(_fetch(conn.execute(_ACTIVE, parameters)))
        return self._start(state, (matrix,) if ids else (), ids, seqs, layers)

    def _start(
        self,
        state: ScopeState,
        blocks: tuple[Vector, ...],
        ids: list[str],
        seqs: NDArray[np.int64],
        layers: NDArray[np.int8],
    ) -> Snapshot:
        """A snapshot of current rows alone; the next row goes into a block of its own."""
        self._row_of = dict(zip(ids, range(len(ids)), strict=True))
        self._open_block = np.empty((0, 0), np.float32)
        is_current = np.ones(len(ids), np.bool_)
        return Snapshot(state.epoch, state.revision, blocks, ids, seqs, layers, is_current)

    def _catch_up(self, conn: sa.Connection, state: ScopeState, held: Snapshot) -> Snapshot:
        parameters = {
            "scope_id": state.scope_id,
            "fingerprint": state.fingerprint,
            "revision": held.revision,
        }
        changed = _fetch(conn.execute(_CHANGED, parameters))
        struck = [self._row_of.pop(row[1]) for row in changed if row[1] in self._row_of]
        seqs, ids, layers, matrix = to_columns([row for row in changed if row[3] is not None])
        start = len(held.seqs)
        is_current = np.concatenate([held.is_current, np.ones(len(ids), np.bool_)])
        is_current[struck] = False
        blocks = self._append(held, matrix) if ids else held.blocks
        held.ids.extend(ids)  # behind what older snapshots look at
        self._row_of.update(zip(ids, range(start, start + len(ids)), strict=True))
        fresh = Snapshot(
            state.epoch,
            state.revision,
            blocks,
            held.ids,
            np.concatenate([held.seqs, seqs]),
            np.concatenate([held.layers, layers]),
            is_current,
        )
        return fresh if 2 * len(self._row_of) >= len(is_current) else self._compact(state, fresh)

    def _append(self, held: Snapshot, matrix: Vector) -> tuple[Vector, ...]:
        """The blocks with these rows behind them; blocks that are seen do not change."""
        if held.blocks:
            check_width(matrix[0], held.blocks[0].shape[1], held.epoch.fingerprint)
        filled = len(held.blocks[-1]) if len(self._open_block) else 0
        if filled + len(matrix) > len(self._open_block):
            rows = max(_BLOCK_ROWS, len(matrix))
            self._open_block = np.empty((rows, matrix.shape[1]), np.float32)
            kept, filled = held.blocks, 0
        else:
            kept = held.blocks[:-1]
        self._open_block[filled : filled + len(matrix)] = matrix
        return (*kept, self._open_block[: filled + len(matrix)])

    def _compact(self, state: ScopeState, held: Snapshot) -> Snapshot:
        """Leave the struck rows behind, once they are more than the others."""
        rows = np.flatnonzero(held.is_current)
        blocks = (held.gather(rows),) if len(rows) else ()
        ids = [held.ids[row] for row in rows]
        return self._start(state, blocks, ids, held.seqs[rows], held.layers[rows])


@dataclass(slots=True)
class ScopeCache:
    """The vectors of recently searched scopes, within a budget of bytes."""

    max_bytes: int
    _scopes: OrderedDict[int, ScopeVectors] = field(default_factory=OrderedDict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def search(
        self,
        conn: sa.Connection,
        state: ScopeState,
        query: Vector,
        k: int,
        layers: Collection[str] | None = None,
    ) -> Hits:
        """Score all current memories of the scope: the ``k`` best ids and cosines.

        A scope too large for the budget is read in parts and not kept.
        """
        if state.documents * query.nbytes > self.max_bytes:
            return scan(conn, state, query, k, (Status.ACTIVE,), layers)
        snapshot = self._vectors_of(state.scope_id).snapshot(conn, state)
        self._evict()
        return snapshot.top(query, k, layers)

    def stats(self) -> dict[str, int]:
        """How many scopes, vectors and bytes are held."""
        with self._lock:
            held = list(self._scopes.values())
        return {
            "scopes": len(held),
            "vectors": sum(map(len, held)),
            "bytes": sum(vectors.nbytes for vectors in held),
        }

    def _vectors_of(self, scope_id: int) -> ScopeVectors:
        with self._lock:
            vectors = self._scopes.setdefault(scope_id, ScopeVectors())
            self._scopes.move_to_end(scope_id)
            return vectors

    def _evict(self) -> None:
        with self._lock:
            held = sum(vectors.nbytes for vectors in self._scopes.values())
            while held > self.max_bytes:
                _, oldest = self._scopes.popitem(last=False)
                held -= oldest.nbytes


def scan(
    conn: sa.Connection,
    state: ScopeState,
    query: Vector,
    k: int,
    statuses: Sequence[str],
    layers: Collection[str] | None = None,
) -> Hits:
    """Score the scope's memories of these statuses straight from the ledger, part by part."""
    statement = sa.select(nodes.c.seq, nodes.c.id, nodes.c.layer, nodes.c.embedding).where(
        nodes.c.scope_id == state.scope_id,
        nodes.c.status.in_([str(status) for status in statuses]),
        nodes.c.fingerprint == state.fingerprint,
        nodes.c.embedding.is_not(None),
    )
    if layers is not None:
        statement = statement.where(nodes.c.layer.in_(sorted(map(str, layers))))
    ids: list[str] = []
    seqs = np.empty(0, np.int64)
    scores = np.empty(0, np.float32)
    for rows in conn.execution_options(yield_per=_SCAN_ROWS).execute(statement).partitions():
        part_seqs, part_ids, _, matrix = to_columns(rows)
        check_width(query, matrix.shape[1], state.fingerprint)
        ids, seqs = ids + part_ids, np.concatenate([seqs, part_seqs])
        scores = np.concatenate([scores, dot(matrix, query)])
        best = best_first(scores, seqs, k)
        ids, seqs, scores = [ids[i] for i in best], seqs[best], scores[best]
    return list(zip(ids, scores.tolist(), strict=True))


def _fetch(result: sa.CursorResult[Any]) -> list[tuple[int, str, str, bytes]]:
    """All rows as the driver gives them: no row objects, no type processing."""
    assert result.cursor is not None
    return list(result.cursor.fetchall())
