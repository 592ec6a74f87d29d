"""Where the vector index is kept: a folder of the store, or a Chroma server.

The two differ in what may be believed after a crash. A folder is opened by one process alone, and
only if it was closed in order; a server looks after its files itself, so a generation that was once
complete there is asked by every process until it answers wrongly.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from datetime import datetime
from pathlib import Path

from typing_extensions import override

from dualmem_graph.storage.chroma import ChromaIndex
from dualmem_graph.storage.embedded import (
    EmbeddedIndex,
    break_seal,
    generation_folder,
    generations_on_disk,
    is_open_here,
    is_sealed,
    remove_generations,
    seal,
)

INDEX_FOLDER = "index"


class IndexHome(ABC):
    """One place where generations of the index live.

    Attributes:
        name: the index's name among ``vector_indexes``.
        is_shared: whether every process may ask it, and not its owner alone.
    """

    name: str
    is_shared: bool

    @abstractmethod
    def open(self, generation: int, buckets: int) -> ChromaIndex:
        """Open a generation, or make it.

        Raises:
            IndexFailure: that cannot be done.
            DependencyError: chromadb cannot be imported.
        """

    @abstractmethod
    def distrusts(self, generation: int, closed_at: datetime) -> str | None:
        """Say why a generation that was closed in order must not be opened, if so."""

    @abstractmethod
    def next_generation(self, last: int) -> int:
        """Number a new generation, after the last one."""

    @abstractmethod
    def unseal(self, generation: int) -> None:
        """Prepare for opening a generation that was closed in order."""

    @abstractmethod
    def seal(self, generation: int, closed_at: datetime) -> None:
        """Vouch for a generation that was closed in order."""

    @abstractmethod
    def remove_others(self, index: ChromaIndex) -> None:
        """Remove every generation but this one."""


class EmbeddedHome(IndexHome):
    """Folders ``gen-N`` within the store's directory."""

    name = "embedded"
    is_shared = False

    def __init__(self, directory: Path) -> None:
        self.directory = directory

    def __str__(self) -> str:
        return str(self.directory)

    @override
    def open(self, generation: int, buckets: int) -> ChromaIndex:
        folder = generation_folder(self.directory, generation)
        return EmbeddedIndex(folder, generation=generation, buckets=buckets)

    @override
    def distrusts(self, generation: int, closed_at: datetime) -> str | None:
        folder = generation_folder(self.directory, generation)
        if is_open_here(folder) or not is_sealed(folder, _mark(generation, closed_at)):
            return "its folder is not the one that was closed"
        return None

    @override
    def next_generation(self, last: int) -> int:
        generation = max([last, *generations_on_disk(self.directory)]) + 1
        while is_open_here(generation_folder(self.directory, generation)):
            generation += 1
        return generation

    @override
    def unseal(self, generation: int) -> None:
        break_seal(generation_folder(self.directory, generation))

    @override
    def seal(self, generation: int, closed_at: datetime) -> None:
        seal(generation_folder(self.directory, generation), _mark(generation, closed_at))

    @override
    def remove_others(self, index: ChromaIndex) -> None:
        remove_generations(self.directory, keep=index.generation)


def _mark(generation: int, closed_at: datetime) -> str:
    return f"{generation} {closed_at.isoformat()}"
