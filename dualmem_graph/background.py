"""Running ledger jobs: threads that claim them, and a flush that does it in the caller's thread.

A job is a row of the ledger, so nothing is lost with the process; this module only gives jobs
hands. One bad job never stops the others: it is retried with pauses, then parked and shown.
"""

from __future__ import annotations

import atexit
import logging
import threading
import time
import weakref
from collections.abc import Callable, Mapping
from typing import Any

from dualmem_graph.errors import ConflictError, DualMemError
from dualmem_graph.storage.jobs import OPEN, JobQueue
from dualmem_graph.storage.records import Job
from dualmem_graph.types import Scope

logger = logging.getLogger(__name__)

Handler = Callable[[Job], None]
_IDLE_SECONDS = 1.0
_running: weakref.WeakSet[JobRunner] = weakref.WeakSet()


class JobRunner:
    """Works a :class:`JobQueue` off, with ``workers`` threads started on first need.

    Args:
        queue: where jobs are claimed.
        handlers: per kind of job, what does it. A handler that returns has done it (and marked it
            done in its own transaction); one that raises has it retried.
        workers: threads; 0 leaves everything to :meth:`flush`.
        exit_timeout: seconds that the end of the process waits for jobs under way.
    """

    def __init__(
        self,
        queue: JobQueue,
        handlers: Mapping[str, Handler],
        *,
        workers: int,
        exit_timeout: float,
    ) -> None:
        self.exit_timeout = exit_timeout
        self._queue = queue
        self._handlers = dict(handlers)
        self._workers = workers
        self._threads: list[threading.Thread] = []
        self._wake = threading.Condition()
        self._pending = 0
        self._busy: dict[int, Job] = {}
        self._closing = False
        _running.add(self)

    def notify(self) -> None:
        """Say that there is a new job; returns at once."""
        with self._wake:
            self._pending += 1
            if not self._threads and self._workers and not self._closing:
                self._start()
            self._wake.notify()

    def flush(self, scope: Scope | None = None, timeout: float | None = None) -> bool:
        """Do every open job once, those in their retry pause included.

        Args:
            scope: only this one's jobs; default: all.
            timeout: seconds after which it gives up; default: never.

        Returns:
            True when no job is left that could be done now.
        """
        deadline = None if timeout is None else time.monotonic() + timeout
        tried: set[str] = set()
        self._queue.reap()
        while deadline is None or time.monotonic() < deadline:
            job = self._queue.claim(
                tuple(self._handlers), scope=scope, ignore_pause=True, exclude=tried
            )
            if job is not None:
                tried.add(job.id)
                self._do(job)
                continue
            if not self._queue.is_running(scope):
                # one look decides and answers: others queue jobs all the time
                left = [job for state in OPEN for job in self._queue.list(scope, state)]
                if all(job.id in tried or job.kind not in self._handlers for job in left):
                    return not left
            # a worker has one, or had the last but one when we looked, or was killed with it
            with self._wake:
                self._wake.wait(0.02)
            self._queue.reap()
        return False

    def close(self, timeout: float) -> None:
        """Stop claiming and wait for work under way; what is not done by then is handed back."""
        with self._wake:
            self._closing = True
            self._wake.notify_all()
        deadline = time.monotonic() + timeout
        for thread in self._threads:
            if thread is not threading.current_thread():
                thread.join(max(0.0, deadline - time.monotonic()))
        for job in list(self._busy.values()):
            if job.lease is not None:
                self._queue.release(job.lease)
        self._threads.clear()
        _running.discard(self)

    def _start(self) -> None:
        for number in range(self._workers):
            thread = threading.Thread(target=self._work, name=f"dualmem-job-{number}", daemon=True)
            self._threads.append(thread)
            thread.start()

    def _work(self) -> None:
        while True:
            with self._wake:
                if not self._pending and not self._closing:
                    self._wake.wait(_IDLE_SECONDS)
                if self._closing:
                    return
                self._pending = max(0, self._pending - 1)
            self._drain()

    def _drain(self) -> None:
        while not self._closing:
            try:
                self._queue.reap()
                job = self._queue.claim(tuple(self._handlers))
            except DualMemError as error:
                logger.warning("no job could be claimed: %s", error)
                return
            if job is None:
                return
            self._do(job)

    def _do(self, job: Job) -> None:
        thread = threading.get_ident()
        self._busy[thread] = job
        try:
            self._handlers[job.kind](job)
        except ConflictError as error:
            # the lease lapsed and another process does it, or did it
            logger.info("job %s (%s) is another's now: %s", job.id, job.kind, error)
            self._hand_back(job, error)
        except Exception as error:  # a bad job must not stop the worker
            logger.warning("job %s (%s) failed: %s", job.id, job.kind, type(error).__name__)
            logger.debug("job %s", job.id, exc_info=error)
            self._hand_back(job, error)
        finally:
            self._busy.pop(thread, None)
            with self._wake:
                self._wake.notify_all()

    def _hand_back(self, job: Job, error: BaseException) -> None:
        if job.lease is None:
            return
        try:
            self._queue.fail(job.lease, f"{type(error).__name__}: {error}")
        except DualMemError as again:
            logger.warning("job %s could not be handed back: %s", job.id, again)


def _close_all() -> None:
    """At exit: wait, within a bound, for jobs under way in every runner still open."""
    for runner in list(_running):
        runner.close(runner.exit_timeout)


atexit.register(_close_all)

__all__: list[Any] = ["Handler", "JobRunner"]
