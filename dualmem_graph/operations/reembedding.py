"""The operation that changes a store over to another embedder."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar

from dualmem_graph.errors import EmbeddingError, EmbeddingMismatchError
from dualmem_graph.operations.core import OperationsCore
from dualmem_graph.providers.embeddings import Embedder, make_embedder
from dualmem_graph.storage.reembedding import Reembedding
from dualmem_graph.types import ReembedResult

logger = logging.getLogger(__name__)

T = TypeVar("T")
_BATCH = 256


class ReembeddingOperations(OperationsCore):
    """``reembed``."""

    def reembed(
        self, embeddings: Any = None, *, progress: Callable[[int, int], None] | None = None
    ) -> ReembedResult:
        """Give every memory a vector of another embedder, then change over to it at once.

        Until the change everything is searched by the old vectors, in this and every other
        process; what is written meanwhile is included. A run that was interrupted goes on where it
        stopped. Afterwards this client uses the new embedder; other processes have to be
        configured for it, and are told so.

        Args:
            embeddings: a LangChain ``Embeddings``; default: the configured embedder, which differs
                from the store's after a change of the settings.
            progress: called with how many are done, and of how many, after each batch.

        Raises:
            EmbeddingError: the new embedder failed; nothing changed, and what was done is kept.
            EmbeddingMismatchError: the store was changed over to a third one meanwhile.
        """
        self._open()
        resources = self._resources
        new = resources.embedder
        if embeddings is not None:
            # embed_dim is of the configured embedder
            any_width = resources.settings.model_copy(update={"embed_dim": None})
            usage = resources.store.record_usage_event
            new = make_embedder(any_width, embeddings, usage=usage)
        work = resources.store.reembedding(new.fingerprint)
        before, done, total = work.prepare()
        if before in (None, new.fingerprint):
            self._use(new)
            return ReembedResult("unchanged", 0, total, before, new.fingerprint)
        start = done
        while True:
            done = self._embed_all(work, new, progress)
            with self._switching:
                if work.switch(before):
                    resources.store.forget_embedder()
                    self._use(new)
                    break
        logger.info("%d memories changed over from %s to %s", done, before, new.fingerprint)
        return ReembedResult("switched", done - start, done, before, new.fingerprint)

    def _embed_all(
        self, work: Reembedding, new: Embedder, progress: Callable[[int, int], None] | None
    ) -> int:
        after = 0
        done, total = work.progress()
        while waiting := work.waiting(after, _BATCH):
            try:
                vectors = new.embed([item.content for item in waiting])
            except EmbeddingError as error:
                raise EmbeddingError(
                    f"re-embedding stopped at {done} of {total} memories: {error}; the store is as "
                    "it was, and the next reembed() goes on from there"
                ) from error
            work.keep(waiting, list(vectors))
            after = waiting[-1].seq
            done += len(waiting)
            if progress is not None:
                progress(done, max(total, done))
        return done

    def _use(self, embedder: Embedder) -> None:
        self._resources = replace(self._resources, embedder=embedder)

    def _with_current_embedder(self, call: Callable[[], T]) -> T:
        """Do something again where the embedder was changed over while it was under way."""
        used = self._resources
        try:
            return call()
        except EmbeddingMismatchError:
            with self._switching:  # a change under way is over in a moment
                if self._resources is used:
                    raise
            return call()
