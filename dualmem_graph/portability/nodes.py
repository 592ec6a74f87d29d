"""Ready-made memories, with or without vectors, stored without a model call."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dualmem_graph import validation
from dualmem_graph.config import Settings
from dualmem_graph.errors import EmbeddingError, EmbeddingMismatchError, InputError
from dualmem_graph.resources import Resources
from dualmem_graph.storage.ids import node_id
from dualmem_graph.storage.records import NewNode, WriteOp
from dualmem_graph.system1 import rules
from dualmem_graph.types import CHAINED_LAYERS, Layer, MemoryType, Scope

if TYPE_CHECKING:
    from dualmem_graph.providers.embeddings import Embedder

logger = logging.getLogger(__name__)

Matrix = NDArray[np.float32]

_BATCH = 1000
_NODE_KEYS = {
    "id",
    "content",
    "layer",
    "memory_type",
    "subject",
    "tags",
    "metadata",
    "session_id",
    "agent_id",
    "role",
    "name",
    "message_id",
    "memory_at",
}


@dataclass(slots=True)
class Counted:
    """How many nodes were added, were there already, and wait for a vector."""

    added: int = 0
    skipped: int = 0
    pending: int = 0


def read_vectors(vectors: ArrayLike | None, count: int) -> Matrix | None:
    """Check the vectors of an import: shape ``(count, width)``, finite; returned normalised."""
    if vectors is None:
        return None
    try:
        matrix: Matrix = np.asarray(vectors, dtype=np.float32)
    except (TypeError, ValueError) as error:
        raise InputError(
            f"vectors are no matrix of numbers ({error}); pass {count} rows of equal width"
        ) from None
    if matrix.size == 0 and count == 0:
        return None
    if matrix.ndim != 2 or len(matrix) != count:
        raise InputError(
            f"vectors have shape {matrix.shape}, expected ({count}, width): one per node"
        )
    if not np.isfinite(matrix).all():
        raise InputError("vectors hold NaN or infinity; replace or leave out those rows")
    norms = np.linalg.norm(matrix, axis=1, keepdims=True)
    unit: Matrix = np.divide(matrix, norms, out=np.zeros_like(matrix), where=norms > 0)
    return unit


def read_nodes(
    scope: Scope, nodes: Sequence[Mapping[str, Any]], settings: Settings, now: datetime
) -> list[NewNode]:
    """Read the nodes of a bulk import."""
    if isinstance(nodes, str | bytes | Mapping) or not isinstance(nodes, Sequence):
        raise InputError(
            f"nodes must be a list of mappings, got {nodes!r:.80} ({type(nodes).__name__})"
        )
    return [_import_node(scope, raw, place, settings, now) for place, raw in enumerate(nodes)]


def _import_node(scope: Scope, raw: Any, place: int, settings: Settings, now: datetime) -> NewNode:
    if not isinstance(raw, Mapping):
        raise InputError(f"node {place} is {type(raw).__name__}; pass a mapping with content")
    unknown = sorted(set(raw) - _NODE_KEYS)
    if unknown:
        known = ", ".join(sorted(_NODE_KEYS))
        raise InputError(f"node {place} has the unknown key {unknown[0]!r}; known are {known}")
    try:
        content = validation.memory_text(raw.get("content"), settings)
        layer = (validation.layers(raw.get("layer")) or (Layer.FACT,))[0]
        kind = validation.memory_type(raw.get("memory_type")) or MemoryType.SEMANTIC
        at = validation.moment(raw.get("memory_at"), "memory_at", settings) or now
        given = validation.label(raw.get("id"), "id")
        # one text imported twice from two places is two memories; the same list twice is one
        key = node_id(scope, given or f"import:{at.isoformat()}", layer, content)
        # what it is a version of, so that what is said later can supersede it
        reading = rules.read_statement(content) if layer in CHAINED_LAYERS else None
        named = validation.label(raw.get("subject"), "subject")
        return NewNode(
            id=key,
            layer=layer,
            content=content,
            memory_type=MemoryType(kind),
            subject=named or (reading.subject if reading else "user"),
            dimension=reading.dimension if reading else None,
            value=reading.value if reading else None,
            negated=reading.negated if reading else False,
            tags=validation.tags(raw.get("tags"), settings) or (),
            metadata=validation.metadata(raw.get("metadata"), settings),
            agent_id=validation.label(raw.get("agent_id"), "agent_id"),
            session_id=validation.label(raw.get("session_id"), "session_id"),
            role=validation.label(raw.get("role"), "role")
            or ("user" if layer is Layer.RAW else None),
            name=validation.label(raw.get("name"), "name"),
            message_id=validation.label(raw.get("message_id"), "message_id") or given,
            source="import",
            extractor="import",
            memory_at=at,
            turn_index=place,
        )
    except InputError as error:
        raise type(error)(f"node {place}: {error}") from None


def read_stream(
    scope: Scope, nodes: Iterable[Any], settings: Settings, now: datetime
) -> Iterator[NewNode]:
    """Read the nodes of an import as they come, so that they need not fit into memory.

    Raises:
        InputError: one is unusable; names its place. What came before it is written by then.
    """
    for place, raw in enumerate(nodes):
        yield _import_node(scope, raw, place, settings, now)


def write_nodes(
    resources: Resources, scope: Scope, nodes: Iterable[NewNode], matrix: Matrix | None
) -> Counted:
    """Write the nodes of an import in batches, embedding those that came without a vector.

    While the embedder is down they are stored without one, and wait for it.
    """
    embedder = resources.embedder
    counts = Counted()
    is_down = False
    try:
        resources.store.check_embedder(embedder.fingerprint)
    except EmbeddingMismatchError:
        raise
    except EmbeddingError:
        if matrix is not None:  # whose they are cannot be said without it
            raise
        is_down = True
    if matrix is not None and matrix.shape[1] != embedder.dim:
        raise InputError(
            f"vectors are {matrix.shape[1]} wide, the embedder {embedder.name!r} is "
            f"{embedder.dim}; embed the texts with the configured embedder"
        )
    waiting = iter(nodes)
    start = 0
    while batch := list(islice(waiting, _BATCH)):
        rows = None if is_down else _rows(embedder, batch, matrix, start)
        is_down = rows is None
        start += len(batch)
        ready = batch
        if rows is not None:
            ready = [
                replace(node, embedding=row, fingerprint=embedder.fingerprint)
                for node, row in zip(batch, rows, strict=True)
            ]
        done = resources.store.import_nodes(scope, ready, actor="import", batch=_BATCH)
        added = done.get(WriteOp.ADDED, 0)
        counts.added += added
        counts.skipped += len(batch) - added
        counts.pending += added if rows is None else 0
    return counts


def rehearse(resources: Resources, scope: Scope, nodes: Iterable[NewNode]) -> Counted:
    """Count what an import would do, and do none of it."""
    counts = Counted()
    waiting = iter(nodes)
    while batch := list(islice(waiting, _BATCH)):
        applied = resources.store.rehearse_import(scope, batch)
        added = sum(outcome.op is WriteOp.ADDED for outcome in applied.nodes)
        counts.added += added
        counts.skipped += len(batch) - added
    return counts


def _rows(
    embedder: Embedder, batch: Sequence[NewNode], matrix: Matrix | None, start: int
) -> Matrix | None:
    """The vectors of a batch; ``None`` where the embedder is down."""
    if matrix is not None:
        return matrix[start : start + len(batch)]
    try:
        return embedder.embed([node.content for node in batch])
    except EmbeddingError as error:
        logger.warning("embedder unavailable, imported memories wait for their vectors: %s", error)
        return None
