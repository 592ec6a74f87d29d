"""Operations on the store itself: finishing work, counting, saying how it is."""

from __future__ import annotations

from typing import Any

from dualmem_graph import validation
from dualmem_graph.operations.core import OperationsCore
from dualmem_graph.pending import queue_embedding, scopes_waiting
from dualmem_graph.storage.records import Job
from dualmem_graph.types import IndexCheck, JobSummary


class UpkeepOperations(OperationsCore):
    """Finishing work, looking after the index, counting, saying how the store is."""

    def flush(
        self,
        *,
        user_id: str | int | None = None,
        app_id: str | None = None,
        timeout: float | None = None,
    ) -> bool:
        """Do all pending work now: jobs (also in a retry pause), vectors, index, compaction.

        Returns:
            True when nothing is left to do within ``timeout`` seconds.
        """
        self._open()
        scope = None if user_id is None else self._scope(user_id, app_id)
        for waiting in scopes_waiting(self._resources):
            queue_embedding(self._resources, waiting)
        done = self._runner.flush(scope, timeout)
        store = self._resources.store
        if store.ledger.dialect == "sqlite" and store.is_compaction_due():
            done = store.compact() and done
        return self._resources.store.flush_index(timeout) and done

    def jobs(
        self,
        *,
        user_id: str | int | None = None,
        app_id: str | None = None,
        state: str | None = None,
        limit: int = 100,
    ) -> list[JobSummary]:
        """List background work, oldest first: what waits, runs, is done, or was given up.

        Args:
            user_id: only this one's; default: everybody's.
            state: only ``queued``, ``running``, ``done`` or ``parked``.

        Raises:
            InputError: there is no such state.
        """
        self._open()
        scope = None if user_id is None else self._scope(user_id, app_id)
        most = validation.count(limit, "limit", 1, 10_000)
        return [_summary(job) for job in self._resources.store.jobs.list(scope, state, most)]

    def retry_jobs(
        self,
        job_id: str | None = None,
        *,
        user_id: str | int | None = None,
        app_id: str | None = None,
    ) -> int:
        """Take up work again that was given up (parked); returns how many jobs.

        Args:
            job_id: only this one; default: all that are parked.
            user_id: only this one's; default: everybody's.

        Raises:
            InputError: no parked job has this id.
        """
        self._open()
        scope = None if user_id is None else self._scope(user_id, app_id)
        count = self._resources.store.jobs.retry(job_id, scope)
        if count:
            self._runner.notify()
        return count

    def index_check(self, *, timeout: float | None = None) -> IndexCheck:
        """Compare the vector index with the ledger, record by record, and mend what differs.

        Args:
            timeout: seconds to wait for it; default: as long as it takes.

        Raises:
            StoreError: another process owns the index, or it does not answer.
            ConfigError: there is no index (``vector_index`` is ``off``).
        """
        self._open()
        return self._resources.store.index.check(validation.seconds(timeout, "timeout"))

    def index_rebuild(self, *, timeout: float | None = None) -> dict[str, Any]:
        """Build the vector index anew from the ledger's vectors; no text is embedded again.

        Searches are exact meanwhile.

        Args:
            timeout: seconds to wait for it; default: as long as it takes.

        Raises:
            StoreError: another process owns the index, or it does not answer.
            ConfigError: there is no index (``vector_index`` is ``off``).
        """
        self._open()
        self._resources.store.index.rebuild(validation.seconds(timeout, "timeout"))
        return self._resources.store.index.status()

    def stats(
        self, *, user_id: str | int | None = None, app_id: str | None = None
    ) -> dict[str, Any]:
        """Count memories by layer and status, jobs, usage, and where candidates came from."""
        self._open()
        scope = None if user_id is None else self._scope(user_id, app_id)
        return self._resources.store.stats(scope)

    def status(self) -> dict[str, Any]:
        """Say how the store is: ledger, index, embedder, model, jobs that wait or were parked."""
        self._open()
        resources = self._resources
        chat = resources.chat
        return resources.store.status() | {
            "mode": resources.settings.mode,
            "embedder": resources.embedder.name,
            "model": chat.name if chat is not None else None,
            "extractor": "rules" if chat is None else "llm",
        }


def _summary(job: Job) -> JobSummary:
    return JobSummary(
        job_id=job.id,
        kind=job.kind,
        state=job.state,
        attempts=job.attempts,
        created_at=job.created_at,
        run_after=job.run_after,
        error=job.error,
        scope=job.scope,
    )
