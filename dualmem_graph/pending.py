"""Vectors for what was stored while the embedder was down: a ledger job like any other.

Until it is done such memories are found by their words; ``stats()`` counts them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from dualmem_graph.errors import EmbeddingError
from dualmem_graph.resources import Resources
from dualmem_graph.storage.records import NewJob, Plan
from dualmem_graph.types import Scope

if TYPE_CHECKING:
    from dualmem_graph.providers.embeddings import Embedder, Vectors

#: Name of the job's kind.
EMBED = "embed"

_BATCH = 128
#: Texts refused one after the other from which on the embedder counts as down.
_REFUSED_IN_A_ROW = 3


def queue_embedding(resources: Resources, scope: Scope) -> None:
    """Queue the job, unless one waits already."""
    plan = Plan(jobs=[NewJob(EMBED, "pending")])
    resources.store.apply(scope, plan, actor="system1", reason="the embedder was down")


def scopes_waiting(resources: Resources) -> list[Scope]:
    """Name the scopes of the memories that have waited longest for a vector."""
    waiting = resources.store.pending_embeddings(_BATCH)
    return list(dict.fromkeys(scope for scope, _, _ in waiting))


def embed_pending(resources: Resources) -> None:
    """Give every memory its vector; one that the embedder refuses holds up no other.

    Raises:
        EmbeddingError: some could not be embedded; they stay as they are.
        EmbeddingMismatchError: the store was written with another embedder.
    """
    refused: set[str] = set()
    while True:
        waiting = [
            item
            for item in resources.store.pending_embeddings(_BATCH + len(refused))
            if item[1] not in refused
        ]
        if not waiting:
            break
        rows = _embedded(resources.embedder, [content for _, _, content in waiting])
        found: dict[Scope, dict[str, Vectors]] = {}
        for (scope, node_id, _), row in zip(waiting, rows, strict=True):
            if row is None:
                refused.add(node_id)
            else:
                found.setdefault(scope, {})[node_id] = row
        for scope, vectors in found.items():
            resources.store.set_embeddings(scope, vectors, resources.embedder.fingerprint)
    if refused:
        raise EmbeddingError(
            f"{resources.embedder.name!r} refused {len(refused)} texts, which are found by their "
            "words only; embed_max_chars may be more than it takes"
        )


def _embedded(embedder: Embedder, texts: Sequence[str]) -> list[Vectors | None]:
    """Embed texts together, else one by one; ``None`` for each that is refused."""
    try:
        return list(embedder.embed(texts))
    except EmbeddingError as error:
        down = error
    rows: list[Vectors | None] = []
    in_a_row = 0
    for text in texts:
        try:
            rows.append(embedder.embed([text])[0])
            in_a_row = 0
        except EmbeddingError:
            rows.append(None)
            in_a_row += 1
        if in_a_row == _REFUSED_IN_A_ROW:
            raise down
    return rows
