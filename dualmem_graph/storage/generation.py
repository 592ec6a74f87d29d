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
from typing import Any

import numpy as np
import sqlalchemy as sa

from dualmem_graph.storage.chroma import (
    ChromaIndex,
    IndexFailure,
    VectorRecord,
    batches,
    bucket_of,
    chroma_version,
)
from dualmem_graph.storage.homes import IndexHome
from dualmem_graph.storage.ledger import Ledger, read_meta, write_meta
from dualmem_graph.storage.schema import nodes, outbox, scopes, vector_indexes
from dualmem_graph.storage.scope_cache import EMBEDDER_KEY, ERASURES_KEY
from dualmem_graph.types import Status

#: Key in ``meta``: how many purges there had been when the current generation was begun. Vectors of
#: what was purged since may still be in its files.
_BUILT_AT_KEY = "index_erasures"
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
        self, ledger: Ledger, home: IndexHome, buckets: int, clock: Callable[[], datetime]
    ) -> None:
        self._ledger = ledger
        self._home = home
        self._buckets = buckets
        self._clock = clock
        self._index = sa.select(vector_indexes).where(vector_indexes.c.name == home.name)
        self._update = sa.update(vector_indexes).where(vector_indexes.c.name == home.name)

    def claim(self) -> Claim:
        """Decide which generation to open, and mark it as open (not clean), in one transaction.

        A shared home's complete generation stays marked as clean: others go on asking it.
        """
        # reading all of a folder for its seal must not make writers wait
        known = self.current()
        distrust = None
        if known is not None and known.clean:
            distrust = self._home.distrusts(known.generation, known.updated_at)
        with self._ledger.write() as conn:
            row = conn.execute(self._index).one_or_none()
            fingerprint = read_meta(conn, EMBEDDER_KEY)
            erasures = read_meta(conn, ERASURES_KEY) or "0"
            rebuild = self._why_rebuild(row, fingerprint)
            if rebuild is None and row != known:
                rebuild = "another owner had it meanwhile"
            rebuild = rebuild or self._why_purge(conn, erasures) or distrust
            last = 0 if row is None else row.generation
            generation = self._home.next_generation(last) if row is None or rebuild else last
            values = {
                "generation": generation,
                "buckets": self._buckets,
                "clean": self._home.is_shared and not rebuild,
                "fingerprint": fingerprint,
                "chroma_version": chroma_version(),
                "updated_at": self._clock(),
            }
            if row is None:
                conn.execute(sa.insert(vector_indexes).values(name=self._home.name, **values))
            else:
                conn.execute(self._update.values(**values))
            # what waits in the outbox goes to one index alone: any other falls behind from now on
            conn.execute(
                sa.update(vector_indexes)
                .where(vector_indexes.c.name != self._home.name)
                .values(clean=False)
            )
            if rebuild:
                write_meta(conn, _BUILT_AT_KEY, erasures)
        if not rebuild:
            self._home.unseal(generation)
        return Claim(generation, fingerprint, rebuild)

    def current(self) -> Any:
        """The row of this home's index; ``None`` before there is one."""
        with self._ledger.read() as conn:
            return conn.execute(self._index).one_or_none()

    def mark_complete(self, generation: int) -> None:
        """Say that a shared generation holds all that it must: every process may ask it now.

        Raises:
            OwnershipLostError: it is not the current generation any more.
        """
        with self._ledger.write() as conn:
            self._check_ours(conn, generation)
            conn.execute(self._update.values(clean=True, updated_at=self._clock()))

    def discard(self, generation: int) -> None:
        """Say that a generation is not to be opened again; another owner's is left alone."""
        with self._ledger.write() as conn:
            ours = self._update.where(vector_indexes.c.generation == generation)
            conn.execute(ours.values(clean=False))

    def mark_clean(self, generation: int) -> None:
        """Seal a generation that has been closed in order; from now on it may be opened again.

        Raises:
            OwnershipLostError: it is not the current generation any more.
        """
        now = self._clock()
        self._home.seal(generation, now)
        with self._ledger.write() as conn:
            self._check_ours(conn, generation)
            conn.execute(self._update.values(clean=True, updated_at=now))

    def holds_purged(self) -> bool:
        """Whether memories were purged since the current generation was begun."""
        with self._ledger.read() as conn:
            return self._why_purge(conn, read_meta(conn, ERASURES_KEY) or "0") is not None

    def adopt(self, generation: int, fingerprint: str) -> None:
        """Name the embedder of a generation that was opened before there was any vector."""
        with self._ledger.write() as conn:
            self._check_ours(conn, generation)
            conn.execute(self._update.values(fingerprint=fingerprint))

    def embedder(self) -> str | None:
        """The fingerprint of the embedder that the store is written with."""
        with self._ledger.read() as conn:
            return read_meta(conn, EMBEDDER_KEY)

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

    def expected(self, fingerprint: str | None) -> dict[int, set[str]]:
        """The vids of all that belongs in the index, by bucket."""
        statement = (
            sa.select(scopes.c.hash, nodes.c.vid)
            .join(scopes, scopes.c.id == nodes.c.scope_id)
            .where(*_belongs(fingerprint))
        )
        found: dict[int, set[str]] = {}
        with self._ledger.read() as conn:
            for scope_hash, vid in conn.execute(statement):
                found.setdefault(bucket_of(scope_hash, self._buckets), set()).add(vid)
        return found

    def waiting(self) -> set[str]:
        """The vids that wait in the outbox."""
        with self._ledger.read() as conn:
            return set(conn.execute(sa.select(outbox.c.vid)).scalars())

    def requeue(self, vids: Iterable[str]) -> None:
        """Queue records again that the index has lost."""
        for batch in batches(sorted(vids), _FORGET_ROWS):
            with self._ledger.write() as conn:
                rows = conn.execute(
                    sa.select(nodes.c.scope_id, nodes.c.vid).where(nodes.c.vid.in_(batch))
                ).mappings()
                again = [dict(row) for row in rows]
                if again:
                    conn.execute(sa.insert(outbox), again)

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
            if held is None or not is_same(held, record.vector):
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
        return None

    @staticmethod
    def _why_purge(conn: sa.Connection, erasures: str) -> str | None:
        if (read_meta(conn, _BUILT_AT_KEY) or "0") != erasures:
            return "memories were purged since it was begun"
        return None

    def _check_ours(self, conn: sa.Connection, generation: int) -> None:
        row = conn.execute(self._index).one_or_none()
        if row is None or row.generation != generation:
            raise OwnershipLostError(
                f"generation {generation} of the vector index is no longer the current one"
            )


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


def is_same(held: Any, kept: Any) -> bool:
    """Tell whether two vectors are one but for the length, which Chroma may normalise."""
    if held.shape != kept.shape:
        return False
    lengths = float(np.linalg.norm(held) * np.linalg.norm(kept))
    return lengths == 0 or float(held @ kept) >= _SAME_DIRECTION * lengths
