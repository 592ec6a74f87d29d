"""What the tests of the vector side share: stores, memories with vectors, and a plain oracle."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
import sqlalchemy as sa
from numpy.typing import NDArray

from dualmem_graph.config import Settings
from dualmem_graph.scope import scope_hash
from dualmem_graph.storage.embedded import EmbeddedIndex, generation_folder, generations_on_disk
from dualmem_graph.storage.homes import INDEX_FOLDER
from dualmem_graph.storage.records import NewNode, Plan
from dualmem_graph.storage.schema import nodes
from dualmem_graph.storage.store import MemoryStore, utc_now
from dualmem_graph.storage.vectors import VectorSide
from dualmem_graph.types import Layer, Scope

DIM = 16
FINGERPRINT = f"test:{DIM}"
ALICE, BOB = Scope("default", "alice"), Scope("default", "bob")
PATIENCE = 60.0

Vector = NDArray[np.float32]


def unit_vectors(count: int, seed: int = 0) -> Vector:
    rows = np.random.default_rng(seed).standard_normal((count, DIM)).astype(np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def settings_for(path: Path, **changes: object) -> Settings:
    values: dict[str, object] = {"vector_index": "off", "vector_apply_delay": 0.0}
    return Settings(storage_dir=path, **{**values, **changes})  # type: ignore[arg-type]


def open_store(path: Path, **changes: object) -> MemoryStore:
    """A store without index threads: the tests start a side of their own."""
    return MemoryStore.open(settings_for(path, **changes))


def open_side(store: MemoryStore, path: Path, **changes: object) -> VectorSide:
    """A side that asks the index for every scope, however small."""
    values = {"vector_index": "auto", "exact_scan_limit": 0, "vector_timeout": 30.0, **changes}
    return VectorSide(store.ledger, settings_for(path, **values), path, utc_now)


def memory(id_: str, vector: Vector, layer: Layer = Layer.FACT) -> NewNode:
    return NewNode(
        id=id_, layer=layer, content=f"about {id_}", embedding=vector, fingerprint=FINGERPRINT
    )


def remember(store: MemoryStore, scope: Scope, memories: Iterable[NewNode]) -> None:
    store.apply(scope, Plan(nodes=list(memories)), actor="test")


def fill(
    store: MemoryStore, scope: Scope, count: int, *, prefix: str = "m", seed: int = 0
) -> dict[str, Vector]:
    """Write ``count`` memories, every other one a turn; answers their vectors by id."""
    vectors = {f"{prefix}{i}": vector for i, vector in enumerate(unit_vectors(count, seed))}
    remember(
        store,
        scope,
        [
            memory(id_, vector, Layer.RAW if i % 2 else Layer.FACT)
            for i, (id_, vector) in enumerate(vectors.items())
        ],
    )
    return vectors


def nearest(vectors: dict[str, Vector], query: Vector, k: int) -> list[str]:
    """The oracle: all cosines, sorted."""
    return sorted(vectors, key=lambda id_: -float(vectors[id_] @ query))[:k]


def ask(
    side: VectorSide, store: MemoryStore, scope: Scope, query: Vector, k: int, **filters: object
) -> tuple[list[str], tuple[str, ...], bool]:
    """Ids, fallbacks, and whether the index answered."""
    info = store.scope_info(scope)
    assert info is not None
    found = side.search(info.id, scope_hash(scope), query, k, **filters)  # type: ignore[arg-type]
    return [id_ for id_, _ in found.hits], found.degraded, found.from_index


def settle(side: VectorSide) -> None:
    side.notify()
    assert side.drain(PATIENCE), side.status()


def ids_on_disk(path: Path) -> set[str]:
    """All records of the newest generation, which must be closed."""
    folder = path / INDEX_FOLDER
    index = EmbeddedIndex(
        generation_folder(folder, generations_on_disk(folder)[-1]),
        generation=generations_on_disk(folder)[-1],
        buckets=64,
    )
    try:
        return index.ids()
    finally:
        index.close()


def active_vids(store: MemoryStore) -> set[str]:
    """The records that the index must hold: the vids of all ACTIVE nodes with a vector."""
    statement = sa.select(nodes.c.vid).where(
        nodes.c.status == "ACTIVE", nodes.c.embedding.is_not(None)
    )
    with store.ledger.read() as conn:
        return set(conn.execute(statement).scalars())


def script(body: str, *arguments: str | Path) -> Sequence[str]:
    """A command that runs ``body`` in a process of its own, these helpers imported."""
    here = Path(__file__).parent
    prelude = (
        f"import sys; sys.path[:0] = [{str(here)!r}, {str(here.parent.parent)!r}]\n"
        "import warnings; warnings.simplefilter('error')\n"
        "from pathlib import Path\n"
        "from vector_world import *\n"
    )
    return [sys.executable, "-c", prelude + body, *map(str, arguments)]
