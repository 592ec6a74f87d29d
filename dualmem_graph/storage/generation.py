"""The ledger's side of the vector index: which generation is current, and what is yet to apply.

A generation is opened only if it was closed in order, by this version of Chroma, for this embedder
and these buckets; every other one is left alone and built again, under the next number, from the
vectors that the ledger holds. What is queued for it lies in the ``outbox`` and is deleted only once
it has been applied, so that a crash at any moment repeats work and loses none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import sqlalchemy as sa

from dualmem_graph.storage.chroma import (
    ChromaIndex,
    IndexFailure,
    VectorRecord,
    batches,
    break_seal,
    bucket_of,
    chroma_version,
    generation_folder,
    generations_on_disk,
    is_open_here,
    is_sealed,
    seal,
)
from dualmem_graph.storage.ledger import Ledger
from dualmem_graph.storage.schema import meta, nodes, outbox, scopes, vector_indexes
from dualmem_graph.storage.scope_cache import EMBEDDER_KEY
from dualmem_graph.types import Status

#: The name of the embedded index among ``vector_indexes``.
EMBEDDED = "embedded"
#: Outbox rows read at a time.
OUTBOX_ROWS = 2000
_FORGET_ROWS = 1000
_SPOT_CHECKS = 20
_SAME_DIRECTION = 0.999


class OwnershipLostError(IndexFailure):
    """Another owner has begun another generation meanwhile."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A generation that this process may now open; ``rebuild`` says why it starts empty."""

    generation: int
    fingerprint: str | None
    rebuild: str | None


@dataclass(frozen=True, slots=True)
class Queued:
    """An outbox row: the vid became live or dead."""

    seq: int
    vid: str
    scope_hash: str


class GenerationLedger:
    """What the applier reads and writes in the ledger."""

    def __init__(
        self, ledger: Ledger, directory: Path, buckets: int, clock: Callable[[], datetime]
    ) -> None:
        self._ledger = ledger
        self._directory = directory
        self._buckets = buckets
        self._clock = clock

    def claim(self) -> Claim:
        """Decide which generation to open, and mark it as open (not clean), in one transaction."""
        with self._ledger.write() as conn:
            row = conn.execute(_INDEX).one_or_none()
            fingerprint = conn.execute(_EMBEDDER).scalar_one_or_none()
            rebuild = self._why_rebuild(row, fingerprint)
            generation = self._next_generation(row) if row is None or rebuild else row.generation
            values = {
                "generation": generation,
                "buckets": self._buckets,
                "clean": False,
                "fingerprint": fingerprint,
                "chroma_version": chroma_version(),
                "updated_at": self._clock(),
            }
            if row is None:
                conn.execute(sa.insert(vector_indexes).values(name=EMBEDDED, **values))
            else:
                conn.execute(_UPDATE_INDEX.values(**values))
        if not rebuild:
            break_seal(generation_folder(self._directory, generation))
        return Claim(generation, fingerprint, rebuild)

    def mark_clean(self, generation: int) -> None:
        """Seal a generation that has been closed in order; from now on it may be opened again.

        Raises:
            OwnershipLostError: it is not the current generation any more.
        """
        now = self._clock()
        seal(generation_folder(self._directory, generation), _mark(generation, now))
        with self._ledger.write() as conn:
            self._check_ours(conn, generation)
            conn.execute(_UPDATE_INDEX.values(clean=True, updated_at=now))

    def adopt(self, generation: int, fingerprint: str) -> None:
        """Name the embedder of a generation that was opened before there was any vector."""
        with self._ledger.write() as conn:
            self._check_ours(conn, generation)
            conn.execute(_UPDATE_INDEX.values(fingerprint=fingerprint))

    def embedder(self) -> str | None:
        """The fingerprint of the embedder that the store is written with."""
        with self._ledger.read() as conn:
            return conn.execute(_EMBEDDER).scalar_one_or_none()

    def lag(self) -> int:
        """How many outbox rows wait to be applied."""
        with self._ledger.read() as conn:
            return int(conn.execute(sa.select(sa.func.count()).select_from(outbox)).scalar_one())

    def top(self) -> int | None:
        """The newest outbox row; ``None`` where all has been applied."""
        with self._ledger.read() as conn:
            top: int | None = conn.execute(sa.select(sa.func.max(outbox.c.seq))).scalar_one()
            return top

    def queued(self, top: int) -> list[Queued]:
        """The first outbox rows, up to ``top``: a pass must end even while others write."""
        statement = (
            sa.select(outbox.c.seq, outbox.c.vid, scopes.c.hash)
            .join(scopes, scopes.c.id == outbox.c.scope_id)
            .where(outbox.c.seq <= top)
            .order_by(outbox.c.seq)
            .limit(OUTBOX_ROWS)
        )
        with self._ledger.read() as conn:
            return [Queued(*row) for row in conn.execute(statement)]

    def queued_seqs(self) -> list[int]:
        """All outbox rows there are."""
        with self._ledger.read() as conn:
            return list(conn.execute(sa.select(outbox.c.seq)).scalars())

    def forget(self, seqs: Iterable[int], generation: int) -> None:
        """Delete outbox rows that have been applied to this generation.

        Raises:
            OwnershipLostError: the generation is not the current one, so they have not.
        """
        for batch in batches(list(seqs), _FORGET_ROWS):
            with self._ledger.write() as conn:
                self._check_ours(conn, generation)
                conn.execute(sa.delete(outbox).where(outbox.c.seq.in_(batch)))

    def live(self, vids: Iterable[str], fingerprint: str | None) -> dict[str, VectorRecord]:
        """Of these vids, the records of those that are ACTIVE under that very vid."""
        found: dict[str, VectorRecord] = {}
        with self._ledger.read() as conn:
            for batch in batches(list(vids)):
                rows = conn.execute(_records(fingerprint).where(nodes.c.vid.in_(batch)))
                found.update((row.vid, _record(row)) for row in rows)
        return found

    def active_seqs(self, fingerprint: str | None) -> list[int]:
        """All nodes that belong in the index, bucket by bucket, so that batches are full."""
        statement = (
            sa.select(scopes.c.hash, nodes.c.seq)
            .join(scopes, scopes.c.id == nodes.c.scope_id)
            .where(*_belongs(fingerprint))
        )
        with self._ledger.read() as conn:
            placed = [(bucket_of(h, self._buckets), seq) for h, seq in conn.execute(statement)]
        return [seq for _, seq in sorted(placed)]

    def records_at(self, seqs: Sequence[int], fingerprint: str | None) -> list[VectorRecord]:
        """The records of those of the nodes that (still) belong in the index."""
        with self._ledger.read() as conn:
            rows = conn.execute(_records(fingerprint).where(nodes.c.seq.in_(seqs)))
            return [_record(row) for row in rows]

    def verify(self, index: ChromaIndex, fingerprint: str | None) -> None:
        """Compare a generation that was just opened and brought up to date with the ledger.

        The number of records is compared, and some vectors are read back from the index files,
        since Chroma counts what its tables say even where the files cannot be read.

        Raises:
            IndexFailure: it does not hold what it must.
        """
        with self._ledger.read() as conn:
            waiting = conn.execute(sa.select(sa.func.count()).select_from(outbox)).scalar_one()
            sample = self._sample(conn, fingerprint)
            expected = conn.execute(
                sa.select(sa.func.count()).select_from(nodes).where(*_belongs(fingerprint))
            ).scalar_one()
        count = index.count()
        # What was queued since may be there or not; the rest is exact.
        if abs(count - expected) > waiting:
            raise IndexFailure(f"generation {index.generation} has {count} records, not {expected}")
        for record in sample:
            held = index.embeddings(record.scope_hash, [record.vid]).get(record.vid)
            if held is None or not _is_same(held, record.vector):
                raise IndexFailure(f"generation {index.generation} has lost {record.vid!r}")

    def _sample(self, conn: sa.Connection, fingerprint: str | None) -> list[VectorRecord]:
        """Records spread evenly over the ledger, none of which waits in the outbox."""
        first, last = conn.execute(
            sa.select(sa.func.min(nodes.c.seq), sa.func.max(nodes.c.seq))
        ).one()
        if first is None:
            return []
        statement = (
            _records(fingerprint)
            .where(nodes.c.vid.not_in(sa.select(outbox.c.vid)))
            .where(nodes.c.seq >= sa.bindparam("start"))
            .order_by(nodes.c.seq)
            .limit(1)
        )
        found: dict[str, VectorRecord] = {}
        for start in np.linspace(first, last, _SPOT_CHECKS).astype(int).tolist():
            row = conn.execute(statement, {"start": start}).one_or_none()
            if row is not None:
                found[row.vid] = _record(row)
        return list(found.values())

    def _why_rebuild(self, row: Any, fingerprint: str | None) -> str | None:
        if row is None:
            return "there was none yet"
        if not row.clean:
            return "it was not closed in order"
        if row.chroma_version != chroma_version():
            return f"it was written by chromadb {row.chroma_version!r}"
        if row.buckets != self._buckets:
            return f"it has {row.buckets} buckets"
        if row.fingerprint != fingerprint:
            return f"it holds vectors of {row.fingerprint!r}"
        folder = generation_folder(self._directory, row.generation)
        if not is_sealed(folder, _mark(row.generation, row.updated_at)) or is_open_here(folder):
            return "its folder is not the one that was closed"
        return None

    def _next_generation(self, row: Any) -> int:
        used = generations_on_disk(self._directory)
        generation = max([0 if row is None else row.generation, *used]) + 1
        while is_open_here(generation_folder(self._directory, generation)):
            generation += 1
        return generation

    def _check_ours(self, conn: sa.Connection, generation: int) -> None:
        row = conn.execute(_INDEX).one_or_none()
        if row is None or row.generation != generation:
            raise OwnershipLostError(
                f"generation {generation} of the vector index is no longer the current one"
            )


_INDEX = sa.select(vector_indexes).where(vector_indexes.c.name == EMBEDDED)
_UPDATE_INDEX = sa.update(vector_indexes).where(vector_indexes.c.name == EMBEDDED)
_EMBEDDER = sa.select(meta.c.value).where(meta.c.key == EMBEDDER_KEY)


def _belongs(fingerprint: str | None) -> tuple[sa.ColumnElement[bool], ...]:
    return (
        nodes.c.status == str(Status.ACTIVE),
        nodes.c.fingerprint == fingerprint,
        nodes.c.embedding.is_not(None),
        nodes.c.vid.is_not(None),
    )


def _records(fingerprint: str | None) -> sa.Select[Any]:
    return (
        sa.select(nodes.c.vid, scopes.c.hash, nodes.c.layer, nodes.c.embedding)
        .join(scopes, scopes.c.id == nodes.c.scope_id)
        .where(*_belongs(fingerprint))
    )


def _record(row: Any) -> VectorRecord:
    return VectorRecord(row.vid, row.hash, row.layer, np.frombuffer(row.embedding, "<f4"))


def _mark(generation: int, closed_at: datetime) -> str:
    return f"{generation} {closed_at.isoformat()}"


def _is_same(held: Any, kept: Any) -> bool:
    """Whether two vectors are one but for the length, which Chroma may normalise."""
    if held.shape != kept.shape:
        return False
    lengths = float(np.linalg.norm(held) * np.linalg.norm(kept))
    return lengths == 0 or float(held @ kept) >= _SAME_DIRECTION * lengths
