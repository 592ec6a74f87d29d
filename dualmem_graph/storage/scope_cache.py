"""Exact search: the vectors of one scope in one array, kept current row by row.

Rows are only ever appended. A memory that changes is struck out where it stood and, if it is still
current, appended again; so a reader works on a snapshot that nobody changes, and a write costs the
next search the rows that changed, not the scope.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import numpy as np
import sqlalchemy as sa
from numpy.typing import NDArray

from dualmem_graph.errors import EmbeddingMismatchError, StoreError
from dualmem_graph.storage.schema import meta, nodes, scopes
from dualmem_graph.types import Layer, Status

Vector = NDArray[np.float32]
Hits = list[tuple[str, float]]
#: ``(seq, id, layer, vector)`` of memories, as columns.
Columns = tuple[NDArray[np.int64], list[str], NDArray[np.int8], Vector]

#: Key in ``meta`` of the embedder that wrote the store's vectors.
EMBEDDER_KEY = "embedder"
#: Key in ``meta`` of a number that every transaction which *removes* rows of ``nodes`` must change:
#: a removed row cannot say that it changed.
ERASURES_KEY = "erasures"

_LAYERS = tuple(Layer)
_LAYER_CODE = {str(layer): code for code, layer in enumerate(_LAYERS)}
_SCAN_ROWS = 4096
# What an id and its place in the map cost beside the vector.
_ID_BYTES = 200
# Below this share of wanted rows, gathering them is cheaper than a product with all.
_SPARSE = 8


@dataclass(frozen=True, slots=True)
class ScopeState:
    """What the ledger says of a scope: the first thing that any search reads.

    ``epoch`` changes where rows may be gone or vectors are of another embedder, so that nothing
    cached can be kept; otherwise what changed since a ``revision`` is known row by row.
    ``documents`` is the scope's size, counting superseded memories.
    """

    scope_id: int
    revision: int
    documents: int
    fingerprint: str | None
    epoch: tuple[datetime, str | None, str | None]


def read_state(conn: sa.Connection, scope_id: int) -> ScopeState | None:
    """Read the state of a scope in one statement; ``None`` for a scope that does not exist."""
    row = conn.execute(_STATE, {"scope_id": scope_id}).one_or_none()
    if row is None:
        return None
    return ScopeState(
        scope_id=scope_id,
        revision=row.revision,
        documents=row.documents,
        fingerprint=row.fingerprint,
        epoch=(row.created_at, row.fingerprint, row.erasures),
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

    ``matrix`` is ``(n, dim)``; ``seqs``, ``layers`` and ``is_current`` are ``(n,)``; the first
    ``n`` entries of ``ids`` belong to it.
    """

    epoch: tuple[datetime, str | None, str | None]
    revision: int
    matrix: Vector
    ids: list[str]
    seqs: NDArray[np.int64]
    layers: NDArray[np.int8]
    is_current: NDArray[np.bool_]

    def answers(self, state: ScopeState) -> bool:
        """Whether it holds all that the ledger held when ``state`` was read."""
        return self.epoch == state.epoch and self.revision >= state.revision

    def top(self, query: Vector, k: int, layers: Collection[str] | None = None) -> Hits:
        """The ``k`` current memories nearest to ``query``: ids and cosines, best first."""
        check_width(query, self.matrix.shape[1], self.epoch[1], len(self.seqs))
        rows = np.flatnonzero(self._wanted(layers))
        if not len(rows):
            return []
        if len(rows) * _SPARSE < len(self.seqs):
            scores = dot(self.matrix[rows], query)
        else:
            scores = dot(self.matrix, query)[rows]
        best = best_first(scores, self.seqs[rows], k)
        return [(self.ids[rows[i]], float(scores[i])) for i in best]

    def _wanted(self, layers: Collection[str] | None) -> NDArray[np.bool_]:
        if layers is None:
            return self.is_current
        wanted: NDArray[np.bool_] = np.array([layer in layers for layer in _LAYERS])[self.layers]
        return self.is_current & wanted


class ScopeVectors:
    """The growing arrays behind a scope's snapshots; one refresh at a time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._snapshot: Snapshot | None = None
        self._row_of: dict[str, int] = {}
        # Arrays with room to grow, of which snapshots see the front part.
        self._matrix: Vector = np.empty((0, 0), np.float32)
        self._seqs = np.empty(0, np.int64)
        self._layers = np.empty(0, np.int8)

    @property
    def nbytes(self) -> int:
        """Bytes held; the room to grow is not, as long as nobody has written to it."""
        snapshot = self._snapshot
        return 0 if snapshot is None else snapshot.matrix.nbytes + len(snapshot.seqs) * _ID_BYTES

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
        self._seqs, self._layers, self._matrix = seqs, layers, matrix
        self._row_of = dict(zip(ids, range(len(ids)), strict=True))
        return self._make(state, ids, np.ones(len(ids), np.bool_))

    def _catch_up(self, conn: sa.Connection, state: ScopeState, held: Snapshot) -> Snapshot:
        parameters = {
            "scope_id": state.scope_id,
            "fingerprint": state.fingerprint,
            "revision": held.revision,
        }
        changed = _fetch(conn.execute(_CHANGED, parameters))
        struck = [self._row_of.pop(row[1]) for row in changed if row[1] in self._row_of]
        added = [row for row in changed if row[3] is not None]
        is_current = np.ones(len(held.seqs) + len(added), np.bool_)
        is_current[: len(held.seqs)] = held.is_current
        is_current[struck] = False
        if added:
            self._append(held, to_columns(added))
        fresh = self._make(state, held.ids, is_current)
        return fresh if 2 * len(self._row_of) >= len(is_current) else self._compact(state, fresh)

    def _append(self, held: Snapshot, columns: Columns) -> None:
        seqs, ids, layers, matrix = columns
        start, end = len(held.seqs), len(held.seqs) + len(ids)
        if start == 0:
            self._matrix = np.empty((0, matrix.shape[1]), np.float32)
        check_width(matrix[0], self._matrix.shape[1], held.epoch[1], end)
        if end > len(self._seqs):
            self._grow(start, max(2 * start, end))
        self._matrix[start:end], self._seqs[start:end] = matrix, seqs
        self._layers[start:end] = layers
        held.ids.extend(ids)
        self._row_of.update(zip(ids, range(start, end), strict=True))

    def _grow(self, rows: int, capacity: int) -> None:
        """Move to larger arrays; snapshots keep the ones they were made of."""
        matrix = np.empty((capacity, self._matrix.shape[1]), np.float32)
        seqs, layers = np.empty(capacity, np.int64), np.empty(capacity, np.int8)
        matrix[:rows], seqs[:rows] = self._matrix[:rows], self._seqs[:rows]
        layers[:rows] = self._layers[:rows]
        self._matrix, self._seqs, self._layers = matrix, seqs, layers

    def _compact(self, state: ScopeState, held: Snapshot) -> Snapshot:
        """Leave the struck rows behind, once they are more than the others."""
        rows = np.flatnonzero(held.is_current)
        ids = [held.ids[row] for row in rows]
        self._matrix, self._seqs = held.matrix[rows], held.seqs[rows]
        self._layers = held.layers[rows]
        self._row_of = dict(zip(ids, range(len(ids)), strict=True))
        return self._make(state, ids, np.ones(len(ids), np.bool_))

    def _make(self, state: ScopeState, ids: list[str], is_current: NDArray[np.bool_]) -> Snapshot:
        rows = len(is_current)
        return Snapshot(
            epoch=state.epoch,
            revision=state.revision,
            matrix=self._matrix[:rows],
            ids=ids,
            seqs=self._seqs[:rows],
            layers=self._layers[:rows],
            is_current=is_current,
        )


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
        check_width(query, matrix.shape[1], state.fingerprint, len(rows))
        ids, seqs = ids + part_ids, np.concatenate([seqs, part_seqs])
        scores = np.concatenate([scores, dot(matrix, query)])
        best = best_first(scores, seqs, k)
        ids, seqs, scores = [ids[i] for i in best], seqs[best], scores[best]
    return list(zip(ids, scores.tolist(), strict=True))


def dot(matrix: Vector, query: Vector) -> Vector:
    """``(n, dim) · (dim,) → (n,)``, clipped to [-1, 1].

    Not ``@``: the threads of the BLAS library spin for about 100 ms after each product, which on a
    small machine costs the rest of the program more than the product takes on one thread.
    """
    scores: Vector = np.einsum("ij,j->i", matrix, query)
    return np.clip(scores, -1.0, 1.0, out=scores)


def best_first(scores: Vector, seqs: NDArray[np.int64], k: int) -> NDArray[np.intp]:
    """Places of the ``k`` best scores, best first; of equal ones the oldest memory leads."""
    if k < len(scores):
        bound = np.partition(scores, len(scores) - k)[len(scores) - k]
        places = np.flatnonzero(scores >= bound)
    else:
        places = np.arange(len(scores))
    return places[np.lexsort((seqs[places], -scores[places]))][:k]


def check_width(query: Vector, width: int, fingerprint: str | None, rows: int) -> None:
    """Refuse a vector of another width than the stored ones.

    Raises:
        EmbeddingMismatchError: names both widths and the embedder that wrote the store.
    """
    if rows and len(query) != width:
        raise EmbeddingMismatchError(
            f"a vector of {len(query)} dimensions meets a store of {width}, written with embedder "
            f"{fingerprint!r}; configure that embedder again, or re-embed the store"
        )


def to_columns(rows: Sequence[Any]) -> Columns:
    """Rows ``(seq, id, layer, embedding)`` as columns; the vectors in one writable array."""
    if not rows:
        return np.empty(0, np.int64), [], np.empty(0, np.int8), np.empty((0, 0), np.float32)
    seqs, ids, layers, blobs = zip(*rows, strict=True)
    if len({len(blob) for blob in blobs}) > 1:
        raise StoreError(
            f"vectors of one embedder have {sorted({len(blob) for blob in blobs})!r} bytes; "
            "the store is damaged: re-embed it"
        )
    matrix = np.frombuffer(bytearray().join(blobs), dtype="<f4").reshape(len(rows), -1)
    codes = np.fromiter((_LAYER_CODE[layer] for layer in layers), np.int8, len(rows))
    return np.array(seqs, np.int64), list(ids), codes, matrix


def _fetch(result: sa.CursorResult[Any]) -> list[tuple[int, str, str, bytes]]:
    """All rows as the driver gives them: no row objects, no type processing."""
    assert result.cursor is not None
    rows: list[tuple[int, str, str, bytes]] = result.cursor.fetchall()
    return rows
