"""Comparing the vector index with the ledger, and mending what differs.

Chroma's own count says nothing: it is read from tables, while a query is answered from files. So
the ids are compared one by one, and vectors are read back.
"""

from __future__ import annotations

from collections.abc import Iterable

from dualmem_graph.storage.chroma import ChromaIndex, batches
from dualmem_graph.storage.generation import GenerationLedger, is_same
from dualmem_graph.types import IndexCheck

_PAGE = 5000
# Vectors read back where not all are.
_SAMPLE = 200


def compare(
    source: GenerationLedger, index: ChromaIndex, fingerprint: str | None, *, reads_all: bool
) -> IndexCheck:
    """Compare an index that has followed the outbox; what is missing or too much is mended.

    Args:
        source: the ledger's side.
        index: the open generation.
        fingerprint: the embedder whose vectors belong in it.
        reads_all: read every vector back, and not only some.

    Raises:
        IndexFailure: it cannot be read.
    """
    expected = source.expected(fingerprint)
    missing: set[str] = set()
    superfluous: dict[int, set[str]] = {}
    present: list[str] = []
    records = 0
    for bucket in range(index.buckets):
        wanted = expected.get(bucket, set())
        held: set[str] = set()
        for page in index.ids_in(bucket, _PAGE):
            held.update(page)
        records += len(held)
        missing |= wanted - held
        if held - wanted:
            superfluous[bucket] = held - wanted
        present += sorted(wanted & held)
    # what changed while the index was read is queued, and no difference
    missing = set(source.live(missing, fingerprint)) - source.waiting()
    too_many = 0
    for bucket, vids in superfluous.items():
        gone = vids - set(source.live(vids, fingerprint)) - source.waiting()
        index.delete_in(bucket, sorted(gone))
        too_many += len(gone)
    source.requeue(missing)
    step = 1 if reads_all else max(1, len(present) // _SAMPLE)
    wrong = _wrong(source, index, fingerprint, present[::step])
    return _report(len(present) + len(missing), records, len(missing), too_many, wrong)


def _wrong(
    source: GenerationLedger, index: ChromaIndex, fingerprint: str | None, vids: Iterable[str]
) -> int:
    """How many of these records have another vector in the index than in the ledger, or none."""
    wrong = 0
    for batch in batches(list(vids)):
        by_scope: dict[str, list[str]] = {}
        live = source.live(batch, fingerprint)
        for record in live.values():
            by_scope.setdefault(record.scope_hash, []).append(record.vid)
        for scope_hash, of_scope in by_scope.items():
            held = index.embeddings(scope_hash, of_scope)
            wrong += sum(
                1 for vid in of_scope if vid not in held or not is_same(held[vid], live[vid].vector)
            )
    return wrong


def _report(expected: int, records: int, missing: int, superfluous: int, wrong: int) -> IndexCheck:
    problems = []
    if missing:
        problems.append(f"{missing} records were missing; they are written again")
    if superfluous:
        problems.append(f"{superfluous} records were of no current memory; they are deleted")
    if wrong:
        problems.append(f"{wrong} records have another vector, or none; the index is built again")
    return IndexCheck(
        expected=expected,
        records=records,
        missing=missing,
        superfluous=superfluous,
        wrong=wrong,
        problems=tuple(problems),
    )
