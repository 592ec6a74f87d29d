"""Cosines of one vector with many, and the rows of the ledger as arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dualmem_graph.errors import EmbeddingMismatchError, StoreError
from dualmem_graph.types import Layer

Vector = NDArray[np.float32]
#: Ids and cosines, best first.
Hits = list[tuple[str, float]]
#: ``(seq, id, layer, vector)`` of memories, as columns; a layer is its place in :data:`LAYERS`.
Columns = tuple[NDArray[np.int64], list[str], NDArray[np.int8], Vector]

LAYERS = tuple(Layer)
_LAYER_CODE = {str(layer): code for code, layer in enumerate(LAYERS)}


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


def check_width(query: Vector, width: int, fingerprint: str | None) -> None:
    """Refuse a vector of another width than the stored ones.

    Raises:
        EmbeddingMismatchError: names both widths and the embedder that wrote the store.
    """
    if len(query) != width:
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
