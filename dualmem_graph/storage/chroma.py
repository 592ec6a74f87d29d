"""Chroma, as thin as it gets: the collections of one generation, wherever they are kept.

A record is a ``vid`` (written once, deleted once), a vector, the scope's hash and the layer; no
text. Collections are hash buckets of scopes. Nothing here is the truth: what goes wrong is an
:class:`IndexFailure`, and the generation is built again from the ledger; a server that cannot be
reached is :class:`IndexUnavailable`, and is asked again later.
"""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dualmem_graph.errors import DependencyError, StoreError

Vector = NDArray[np.float32]

#: Records in one call: well below Chroma's own limit of 5461.
BATCH = 2000
#: Answers of a server, or of what stands before it, that say nothing of its data.
_NOT_NOW = (401, 403, 407, 408, 429, 502, 503, 504)


class IndexFailure(StoreError):  # noqa: N818  (it is never shown as an error: searches go on)
    """Chroma could not do what was asked; the generation is not to be trusted any more."""


class IndexUnavailable(IndexFailure):
    """The Chroma server does not answer, or lets nobody in: its data may be as good as ever."""


@dataclass(frozen=True, slots=True)
class VectorRecord:
    """What the index holds of a memory; ``vector`` is ``(dim,)``."""

    vid: str
    scope_hash: str
    layer: str
    vector: Vector


def chroma_version() -> str:
    """The installed version of chromadb, without importing it; empty where there is none."""
    try:
        return version("chromadb")
    except PackageNotFoundError:
        return ""


def require_chromadb() -> Any:
    """Import chromadb, which takes more than a second: never on a caller's path.

    Raises:
        DependencyError: says why it cannot be imported and how to mend it.
    """
    try:
        import chromadb
        import chromadb.config
    except Exception as error:
        # Not only ImportError: an old SQLite is a RuntimeError there, a stray .env a ValueError.
        raise DependencyError(
            f"chromadb cannot be imported ({type(error).__name__}: {error}); memories are kept and "
            "found by exact scans without it. Repair it with: pip install 'chromadb>=1.5.9,<1.6'"
        ) from error
    return chromadb


def bucket_of(scope_hash: str, buckets: int) -> int:
    """The bucket that a scope's vectors are in."""
    return int(scope_hash[:12], 16) % buckets


class ChromaIndex:
    """An open generation. Methods may be called from several threads.

    Every method raises :class:`IndexFailure` for whatever goes wrong inside Chroma.

    Args:
        client: a chromadb client.
        prefix: what the names of its collections begin with.
        generation: which one.
        buckets: hash buckets of scopes.
    """

    def __init__(self, client: Any, *, prefix: str, generation: int, buckets: int) -> None:
        self.generation = generation
        self.buckets = buckets
        self._client = client
        self._prefix = prefix
        self._collections: dict[int, Any] = {}
        self._lock = threading.Lock()

    def upsert(self, records: Sequence[VectorRecord]) -> None:
        """Write records; one that is there already is written again."""
        by_bucket: defaultdict[int, dict[str, VectorRecord]] = defaultdict(dict)
        for record in records:
            by_bucket[bucket_of(record.scope_hash, self.buckets)][record.vid] = record
        with guarded("write vectors"):
            for bucket, unique in by_bucket.items():
                for batch in batches(list(unique.values())):
                    self._collection(bucket, create=True).upsert(
                        ids=[record.vid for record in batch],
                        embeddings=np.stack([record.vector for record in batch]),
                        metadatas=[{"u": one.scope_hash, "l": one.layer} for one in batch],
                    )

    def delete(self, vids: Iterable[tuple[str, str]]) -> None:
        """Delete ``(scope hash, vid)``; one that is not there is no error."""
        by_bucket: defaultdict[int, set[str]] = defaultdict(set)
        for scope_hash, vid in vids:
            by_bucket[bucket_of(scope_hash, self.buckets)].add(vid)
        with guarded("delete vectors"):
            for bucket, unique in by_bucket.items():
                collection = self._collection(bucket)
                if collection is not None:
                    for batch in batches(sorted(unique)):
                        collection.delete(ids=batch)

    def query(
        self,
        scope_hash: str,
        vector: Vector,
        n: int,
        *,
        filtered: bool = True,
        layers: Collection[str] | None = None,
    ) -> list[str]:
        """The vids of about the ``n`` records nearest to ``vector``.

        ``filtered=False`` asks the whole bucket: other scopes' vids may be among them, but it takes
        a tenth of the time, since Chroma first gathers all that a filter matches.
        """
        with guarded("search"):
            collection = self._collection(bucket_of(scope_hash, self.buckets))
            if collection is None:
                return []
            found = collection.query(
                query_embeddings=vector[np.newaxis],
                n_results=n,
                where=_where(scope_hash, layers) if filtered else None,
                include=[],
            )
            ids: list[str] = found["ids"][0]
            return ids

    def embeddings(self, scope_hash: str, vids: Sequence[str]) -> dict[str, Vector]:
        """The vectors it holds for these vids; what is missing there is missing here."""
        with guarded("read vectors back"):
            collection = self._collection(bucket_of(scope_hash, self.buckets))
            if collection is None:
                return {}
            found = collection.get(ids=list(vids), include=["embeddings"])
            return {
                vid: np.asarray(vector, np.float32)
                for vid, vector in zip(found["ids"], found["embeddings"], strict=True)
            }

    def ids(self) -> set[str]:
        """All vids it holds, read bucket by bucket."""
        found: set[str] = set()
        for bucket in range(self.buckets):
            with guarded("list vectors"):
                collection = self._collection(bucket)
                if collection is not None:
                    found.update(collection.get(include=[])["ids"])
        return found

    def count(self) -> int:
        """How many records it says it holds (from its tables, not from what a query reaches)."""
        with guarded("count vectors"):
            collections = map(self._collection, range(self.buckets))
            return sum(collection.count() for collection in collections if collection is not None)

    def ids_in(self, bucket: int, size: int) -> Iterator[list[str]]:
        """The vids of a bucket, up to ``size`` at a time."""
        start = 0
        while True:
            with guarded("list vectors"):
                collection = self._collection(bucket)
                page = [] if collection is None else self._page(collection, start, size)
            if page:
                yield page
            if len(page) < size:
                return
            start += len(page)

    def delete_in(self, bucket: int, vids: Sequence[str]) -> None:
        """Delete records of a bucket, whosever they are."""
        with guarded("delete vectors"):
            collection = self._collection(bucket)
            if collection is not None:
                for batch in batches(vids):
                    collection.delete(ids=batch)

    def drop_named(self, prefix: str, *, keep: Collection[str]) -> None:
        """Drop all collections of a prefix but some."""
        with guarded("drop what is out of date"):
            names = [collection.name for collection in self._client.list_collections()]
            for name in names:
                if name.startswith(prefix) and name not in keep:
                    self._client.delete_collection(name)

    def close(self) -> None:
        """Let go of it; the object cannot be used afterwards."""
        with guarded("close"):
            self._collections.clear()
            self._client.close()

    def name_of(self, bucket: int) -> str:
        """The name of a bucket's collection."""
        return f"{self._prefix}{self.generation}-{bucket:04d}"

    @staticmethod
    def _page(collection: Any, start: int, size: int) -> list[str]:
        found: list[str] = collection.get(include=[], limit=size, offset=start)["ids"]
        return found

    def _collection(self, bucket: int, *, create: bool = False) -> Any:
        """The bucket's collection, ``None`` where there is none yet."""
        with self._lock:
            collection = self._collections.get(bucket)
            if collection is None:
                collection = self._open_collection(self.name_of(bucket), create)
                if collection is not None:
                    self._collections[bucket] = collection
            return collection

    def _open_collection(self, name: str, create: bool) -> Any:
        from chromadb.errors import NotFoundError

        # never an embedding function: the default one downloads a model
        if create:
            return self._client.get_or_create_collection(
                name, embedding_function=None, configuration={"hnsw": {"space": "cosine"}}
            )
        try:
            return self._client.get_collection(name, embedding_function=None)
        except NotFoundError:
            return None


def batches(items: Sequence[Any], size: int = BATCH) -> Iterator[Any]:
    """Slices of at most ``size`` items."""
    return (items[start : start + size] for start in range(0, len(items), size))


def _where(scope_hash: str, layers: Collection[str] | None) -> dict[str, Any]:
    scope: dict[str, Any] = {"u": scope_hash}
    if layers is None:
        return scope
    return {"$and": [scope, {"l": {"$in": sorted(map(str, layers))}}]}


@contextmanager
def guarded(action: str) -> Iterator[None]:
    """Turn whatever Chroma raises into an :class:`IndexFailure`."""
    try:
        yield
    except (KeyboardInterrupt, SystemExit, IndexFailure, DependencyError):
        raise
    except BaseException as error:
        # A panic in Chroma's native code is no Exception.
        what = f"Chroma could not {action}: {_told(error)}"
        if _is_out_of_reach(error):
            raise IndexUnavailable(f"{what}; searches are exact until it can") from error
        raise IndexFailure(f"{what}; the index is rebuilt from the ledger") from error


def _told(error: BaseException) -> str:
    """What went wrong; chromadb drops the status of an answer without a text."""
    answer = getattr(error.__cause__ or error.__context__, "response", None)
    status = "" if answer is None else f" (status {answer.status_code})"
    return f"{type(error).__name__}: {error}{status}"


def _is_out_of_reach(error: BaseException) -> bool:
    """Whether it is the way to a server that failed, and not the server's data."""
    import httpx

    seen: BaseException | None = error
    while seen is not None:
        if isinstance(seen, httpx.TransportError):
            return True
        if isinstance(seen, httpx.HTTPStatusError):
            return seen.response.status_code in _NOT_NOW
        seen = seen.__cause__ or seen.__context__
    return "Could not connect to" in str(error)
