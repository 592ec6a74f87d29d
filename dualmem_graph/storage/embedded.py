"""The embedded index: a Chroma folder for each generation, sealed when it is closed in order.

Chroma's files are not to be trusted after a crash, and a damaged folder can take the process that
opens it down with it. So a folder is opened only if it was closed in order by us and is unchanged
since, which its seal says: the size and checksum of every file.
"""

from __future__ import annotations

import ctypes
import json
import os
import shutil
import threading
import weakref
import zlib
from pathlib import Path
from typing import Any

from dualmem_graph.storage.chroma import ChromaIndex, guarded, require_chromadb

_SEAL = "SEAL"
_CHUNK = 1 << 20

# Folders that this process has open: Chroma would hand out the same client for them again.
_open_folders: set[Path] = set()
_open_indexes: weakref.WeakSet[EmbeddedIndex] = weakref.WeakSet()
# Held while a client comes into being, so that no fork sees half of one.
_opening = threading.Lock()


class EmbeddedIndex(ChromaIndex):
    """A generation in a folder of its own."""

    def __init__(self, folder: Path, *, generation: int, buckets: int) -> None:
        """Open the folder, or make it.

        Raises:
            DependencyError: chromadb cannot be imported.
            IndexFailure: it cannot open the folder.
        """
        self.folder = folder
        chromadb = require_chromadb()
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with guarded(f"open {folder}"):
            settings = explicit_settings(
                is_persistent=True,
                persist_directory=str(folder),
                chroma_api_impl="chromadb.api.rust.RustBindingsAPI",
            )
            _open_folders.add(folder)
            with _opening:
                client = chromadb.PersistentClient(path=str(folder), settings=settings)
                super().__init__(client, prefix="m", generation=generation, buckets=buckets)
                _open_indexes.add(self)

    def close(self) -> None:
        """Close the folder; the object cannot be used afterwards."""
        super().close()
        _open_indexes.discard(self)
        _open_folders.discard(self.folder)


def explicit_settings(**values: Any) -> Any:
    """Chroma's settings, with a value for all that it would else read from a ``.env`` file."""
    chromadb = require_chromadb()
    return chromadb.config.Settings(
        _env_file=None,
        anonymized_telemetry=False,
        allow_reset=False,
        chroma_otel_collection_endpoint="",
        **values,
    )


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
    files = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.name != _SEAL:
            path.chmod(0o600)
            files[str(path.relative_to(folder))] = _fingerprint(path)
            _sync(path)
    (folder / _SEAL).write_text(json.dumps({"mark": mark, "files": files}), encoding="utf-8")
    (folder / _SEAL).chmod(0o600)
    _sync(folder / _SEAL)
    for path in [*(path for path in folder.rglob("*") if path.is_dir()), folder, folder.parent]:
        _sync(path)


def is_sealed(folder: Path, mark: str) -> bool:
    """Whether the folder is the one that was sealed with this mark, its files all unchanged."""
    try:
        sealed = json.loads((folder / _SEAL).read_text(encoding="utf-8"))
        return bool(
            sealed["mark"] == mark
            and all(_fingerprint(folder / name) == was for name, was in sealed["files"].items())
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return False


def break_seal(folder: Path) -> None:
    """Take the seal away, before the folder is opened."""
    (folder / _SEAL).unlink(missing_ok=True)
    _sync(folder)


def _fingerprint(path: Path) -> list[int]:
    """Size and checksum of a file."""
    checksum = 0
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            checksum = zlib.crc32(chunk, checksum)
    return [path.stat().st_size, checksum]


def _sync(path: Path) -> None:
    if os.name == "nt" and path.is_dir():
        return  # Windows has no descriptor for a folder
    descriptor = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


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
