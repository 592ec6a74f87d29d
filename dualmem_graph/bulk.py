"""Bulk import: ready-made memories, with or without vectors, and no model call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dualmem_graph import validation
from dualmem_graph.config import Settings
from dualmem_graph.errors import InputError
from dualmem_graph.resources import Resources
from dualmem_graph.storage.ids import node_id
from dualmem_graph.storage.records import NewNode, WriteOp
from dualmem_graph.system1 import rules
from dualmem_graph.types import CHAINED_LAYERS, Layer, MemoryType, Scope

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


def write_nodes(
    resources: Resources, scope: Scope, nodes: Sequence[NewNode], matrix: Matrix | None
) -> dict[str, int]:
    """Write the nodes of an import in batches, embedding those that came without a vector."""
    fingerprint = resources.embedder.fingerprint
    resources.store.check_embedder(fingerprint)
    if matrix is not None and matrix.shape[1] != resources.embedder.dim:
        raise InputError(
            f"vectors are {matrix.shape[1]} wide, the embedder {resources.embedder.name!r} is "
            f"{resources.embedder.dim}; embed the texts with the configured embedder"
        )
    counts = {"added": 0, "skipped": 0}
    for start in range(0, len(nodes), _BATCH):
        batch = nodes[start : start + _BATCH]
        if matrix is not None:
            rows = matrix[start : start + _BATCH]
        else:
            rows = resources.embedder.embed([node.content for node in batch])
        ready = [
            replace(node, embedding=row, fingerprint=fingerprint)
            for node, row in zip(batch, rows, strict=True)
        ]
        done = resources.store.import_nodes(scope, ready, actor="import")
        added = done.get(WriteOp.ADDED, 0)
        counts["added"] += added
        counts["skipped"] += len(batch) - added
    return counts
