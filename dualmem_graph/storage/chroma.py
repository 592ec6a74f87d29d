"""Chroma, as thin as it gets: one generation of the embedded index in one folder.

A record is a ``vid`` (written once, deleted once), a vector, the scope's hash and the layer; no
text. Collections are hash buckets of scopes. Nothing here is the truth: whatever goes wrong is an
:class:`IndexFailure`, and the generation is thrown away and built again from the ledger.
"""

from __future__ import annotations

import ctypes
import json
import os
import shutil
import threading
import weakref
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dualmem_graph.errors import DependencyError, StoreError

Vector = NDArray[np.float32]

#: Records in one call: well below Chroma's own limit of 5461.
BATCH = 500
_SEAL = "SEAL"

# Folders that this process has open: Chroma would hand out the same client for them again.
_open_folders: set[Path] = set()
_open_indexes: weakref.WeakSet[ChromaIndex] = weakref.WeakSet()
# Held while a client comes into being, so that no fork sees half of one.
_opening = threading.Lock()


class IndexFailure(StoreError):  # noqa: N818  (it is never shown as an error: searches go on)
    """Chroma could not do what was asked; the generation is not to be trusted any more."""


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
    """

    def __init__(self, folder: Path, *, generation: int, buckets: int) -> None:
        """Open the folder, or make it.

        Raises:
            DependencyError: chromadb cannot be imported.
            IndexFailure: it cannot open the folder.
        """
        self.folder = folder
        self.generation = generation
        self.buckets = buckets
        self._collections: dict[int, Any] = {}
        self._lock = threading.Lock()
        chromadb = require_chromadb()
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with _guarded(f"open {folder}"):
            # Explicit values for all that Chroma would else read from a .env file in the
            # working directory.
            settings = chromadb.config.Settings(
                _env_file=None,
                anonymized_telemetry=False,
                allow_reset=False,
                is_persistent=True,
                persist_directory=str(folder),
                chroma_api_impl="chromadb.api.rust.RustBindingsAPI",
                chroma_otel_collection_endpoint="",
            )
            _open_folders.add(folder)
            with _opening:
                self._client = chromadb.PersistentClient(path=str(folder), settings=settings)
                _open_indexes.add(self)

    def upsert(self, records: Sequence[VectorRecord]) -> None:
        """Write records; one that is there already is written again."""
        by_bucket: defaultdict[int, dict[str, VectorRecord]] = defaultdict(dict)
        for record in records:
            by_bucket[bucket_of(record.scope_hash, self.buckets)][record.vid] = record
        with _guarded("write vectors"):
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
        with _guarded("delete vectors"):
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
        with _guarded("search"):
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
        with _guarded("read vectors back"):
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
            with _guarded("list vectors"):
                collection = self._collection(bucket)
                if collection is not None:
                    found.update(collection.get(include=[])["ids"])
        return found

    def count(self) -> int:
        """How many records it says it holds (from its tables, not from what a query reaches)."""
        with _guarded("count vectors"):
            collections = map(self._collection, range(self.buckets))
            return sum(collection.count() for collection in collections if collection is not None)

    def close(self) -> None:
        """Close the folder; the object cannot be used afterwards."""
        with _guarded("close"):
            self._collections.clear()
            self._client.close()
            _open_indexes.discard(self)
            _open_folders.discard(self.folder)

    def _collection(self, bucket: int, *, create: bool = False) -> Any:
        """The bucket's collection, ``None`` where there is none yet."""
        with self._lock:
            collection = self._collections.get(bucket)
            if collection is None:
                collection = self._open_collection(f"m{self.generation}-{bucket:04d}", create)
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


def generation_folder(directory: Path, generation: int) -> Path:
    """Where a generation lives. Each has its own path, since Chroma keeps one client per path."""
    return directory / f"gen-{generation}"


def is_open_here(folder: Path) -> bool:
    """Whether this process has opened the folder and not closed it."""
    return folder in _open_folders


def generations_on_disk(directory: Path) -> list[int]:
    """The generations that have a folder, lowest first."""
    names = (path.name.removeprefix("gen-") for path in directory.glob("gen-*") if path.is_dir())
    return sorted(int(name) for name in names if name.isdigit())


def remove_generations(directory: Path, *, keep: int) -> None:
    """Remove the folders of all generations but one.

    Raises:
        OSError: one cannot be removed.
    """
    for generation in generations_on_disk(directory):
        if generation != keep:
            shutil.rmtree(generation_folder(directory, generation))


def seal(folder: Path, mark: str) -> None:
    """Put a closed generation on disk for good, and name its files in a seal.

    Chroma never syncs its index files: without this, a power cut after an orderly close leaves
    files that answer with a part of the vectors and no error.
    """
    sizes = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.name != _SEAL:
            path.chmod(0o600)
            sizes[str(path.relative_to(folder))] = path.stat().st_size
            _sync(path)
    (folder / _SEAL).write_text(json.dumps({"mark": mark, "sizes": sizes}), encoding="utf-8")
    (folder / _SEAL).chmod(0o600)
    _sync(folder / _SEAL)
    for path in [*(path for path in folder.rglob("*") if path.is_dir()), folder, folder.parent]:
        _sync(path)


def is_sealed(folder: Path, mark: str) -> bool:
    """Whether the folder is the one that was sealed with this mark, its files all there."""
    try:
        sealed = json.loads((folder / _SEAL).read_text(encoding="utf-8"))
        return bool(
            sealed["mark"] == mark
            and all(
                (folder / name).stat().st_size == size for name, size in sealed["sizes"].items()
            )
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return False


def break_seal(folder: Path) -> None:
    """Take the seal away, before the folder is opened."""
    (folder / _SEAL).unlink(missing_ok=True)
    _sync(folder)


def batches(items: Sequence[Any], size: int = BATCH) -> Iterator[Any]:
    """Slices of at most ``size`` items."""
    return (items[start : start + size] for start in range(0, len(items), size))


def _where(scope_hash: str, layers: Collection[str] | None) -> dict[str, Any]:
    scope: dict[str, Any] = {"u": scope_hash}
    if layers is None:
        return scope
    return {"$and": [scope, {"l": {"$in": sorted(map(str, layers))}}]}


def _sync(path: Path) -> None:
    if os.name == "nt" and path.is_dir():
        return  # Windows has no descriptor for a folder
    descriptor = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def _guarded(action: str) -> Iterator[None]:
    try:
        yield
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:
        # A panic in Chroma's native code is no Exception.
        raise IndexFailure(
            f"Chroma could not {action}: {type(error).__name__}: {error}; "
            "the index is rebuilt from the ledger"
        ) from error


def _keep_inherited_clients() -> None:
    """Keep a forked child from ever freeing the clients that it inherited.

    Their native threads exist in the parent alone, and freeing a client waits for them: without
    this, a child that ends in the ordinary way hangs.
    """
    _opening.release()
    for index in list(_open_indexes):
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(index._client))


if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_opening.acquire,
        after_in_parent=_opening.release,
        after_in_child=_keep_inherited_clients,
    )
