"""The one thread that everything of Chroma happens in: opening, building, applying, closing.

Callers leave a note that something was written and go on. The thread waits a little, so that a
script that ends at once never pays for Chroma and a burst of writes is applied together; then it
tries to become the owner of the index, opens or builds it, and follows the outbox. Whatever goes
wrong there costs a generation of the index, never a memory: searches are exact meanwhile.
"""

from __future__ import annotations

import atexit
import logging
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from datetime import datetime
from enum import StrEnum
from typing import Any, TypeVar

from sqlalchemy.exc import SQLAlchemyError

from dualmem_graph.config import Settings
from dualmem_graph.errors import ClosedError, DependencyError, StoreError
from dualmem_graph.storage.chroma import (
    ChromaIndex,
    IndexFailure,
    IndexUnavailable,
    batches,
    require_chromadb,
)
from dualmem_graph.storage.comparison import compare
from dualmem_graph.storage.generation import GenerationLedger
from dualmem_graph.storage.homes import IndexHome
from dualmem_graph.storage.ledger import Ledger
from dualmem_graph.storage.owner import OwnerLock, SessionLock
from dualmem_graph.types import IndexCheck

logger = logging.getLogger(__name__)

T = TypeVar("T")

# Seconds before another try; doubles up to the maximum.
_FIRST_BACKOFF, _MAX_BACKOFF = 1.0, 300.0
# Records up to which an index is built again at once, after something was purged.
_SMALL = 5000


class IndexState(StrEnum):
    """What the vector index of this process is doing."""

    IDLE = "idle"  # nothing has asked for it yet
    OPENING = "opening"
    REBUILDING = "rebuilding"
    READY = "ready"
    NOT_OWNER = "not_owner"  # another process has it
    UNAVAILABLE = "unavailable"  # chromadb cannot be imported
    UNREACHABLE = "unreachable"  # the server does not answer, and is asked again later
    FAILED = "failed"  # and is tried again later
    CLOSED = "closed"


class IndexApplier:
    """Keeps the vector index in step with the ledger.

    All methods but :meth:`drain`, :meth:`check`, :meth:`rebuild` and :meth:`close` return at once;
    those wait at most as long as they are told.

    Args:
        ledger: where the outbox and the vectors are.
        settings: ``vector_*`` and ``index_check_interval`` are read here.
        home: where the index is kept.
        lock: held by the one process that writes to it.
        clock: tells the time that the ledger notes; waiting does not depend on it.
    """

    def __init__(
        self,
        ledger: Ledger,
        settings: Settings,
        home: IndexHome,
        lock: OwnerLock | SessionLock,
        clock: Callable[[], datetime],
    ) -> None:
        self._settings = settings
        self._home = home
        self._source = GenerationLedger(ledger, home, settings.vector_buckets, clock)
        self._owner = lock
        self._state = IndexState.IDLE
        self._index: ChromaIndex | None = None
        self._reset()

    def _reset(self) -> None:
        self._condition = threading.Condition()
        self._thread: threading.Thread | None = None
        self._due = float("inf")
        self._asked = self._served = 0
        self._is_caught_up = False
        self._stop_by: float | None = None
        self._fingerprint: str | None = None
        self._distrust: str | None = None
        self._error: str | None = None
        self._failures = 0
        self._retry_at = 0.0
        self._progress: tuple[int, int] | None = None
        self._requests: list[tuple[Callable[[], Any], Future[Any]]] = []
        self._is_writer = False
        self._purge_seen: float | None = None
        self._checked_at = time.monotonic()

    # --- what callers use

    def notify(self) -> None:
        """Say that outbox rows were committed, or that a search would have used the index."""
        self._wake(time.monotonic() + self._settings.vector_apply_delay)

    def drain(self, timeout: float) -> bool:
        """Wait until the index holds all that was committed before the call.

        Returns:
            ``False`` where the time ran out, or the index fails. ``True`` also where this process
            has nothing to do for it: another one owns it, or there is no Chroma.
        """
        if self._index is None and self._source.top() is None:
            return True
        deadline = time.monotonic() + timeout
        with self._condition:
            self._asked += 1
            ticket = self._asked
        self._wake(0.0)
        with self._condition:
            self._condition.wait_for(
                lambda: self._served >= ticket or self._state is IndexState.CLOSED,
                max(0.0, deadline - time.monotonic()),
            )
            return self._served >= ticket and self._is_caught_up

    def ready(self, fingerprint: str | None) -> ChromaIndex | None:
        """The open index, if it can answer for vectors of this embedder."""
        index = self._index
        is_usable = (
            self._state is IndexState.READY
            and self._distrust is None
            and self._fingerprint == fingerprint
        )
        return index if is_usable else None

    def check(self, timeout: float | None) -> IndexCheck:
        """Compare the index with the ledger, record by record, and mend what differs.

        Raises:
            StoreError: this process cannot, and why; or not within ``timeout`` seconds.
        """
        return self._ask(lambda: self._compare(reads_all=True), timeout)

    def rebuild(self, timeout: float | None) -> int:
        """Build the index anew from the ledger; answers its new generation.

        Raises:
            StoreError: this process cannot, and why; or not within ``timeout`` seconds.
        """
        return self._ask(self._renew, timeout)

    @property
    def state(self) -> IndexState:
        """What it is doing."""
        return self._state

    def distrust(self, reason: str) -> None:
        """Say that the index answers wrongly or not at all: it is built again."""
        self._distrust = reason
        self._wake(0.0)

    def status(self) -> dict[str, Any]:
        """Plain values for people: state, ownership, generation, lag, progress, last error."""
        index, progress = self._index, self._progress
        return {
            "state": str(self._state),
            "home": str(self._home),
            "owner": self._owner.is_held,
            "owner_pid": self._owner.holder(),
            "generation": None if index is None else index.generation,
            "lag": self._source.lag(),
            "rebuild": None if progress is None else {"done": progress[0], "total": progress[1]},
            "error": self._error,
        }

    def close(self, timeout: float) -> None:
        """Apply what is queued, close the index in order and give it free, within ``timeout`` s.

        What is not done by then is left to the next owner.
        """
        with self._condition:
            thread = self._thread
            self._stop_by = time.monotonic() + timeout
            if thread is None:
                self._state = IndexState.CLOSED
            self._condition.notify_all()
        if thread is not None:
            thread.join(timeout)
            atexit.unregister(self._close_at_exit)

    def reset_after_fork(self) -> None:
        """In a forked child: neither owner nor thread, and the parent's index left alone."""
        self._index = None
        if self._state is not IndexState.CLOSED:
            self._state = IndexState.IDLE
        self._reset()

    # --- the thread

    def _wake(self, due: float) -> None:
        with self._condition:
            if self._stop_by is not None or self._state is IndexState.CLOSED:
                return
            if self._thread is None:
                self._start()
            if due < self._due:
                self._due = due
                self._condition.notify_all()

    def _start(self) -> None:
        # A daemon, so that a call that hangs in native code cannot keep the process from ending;
        # the exit handler ends it in order in every other case.
        thread = threading.Thread(target=self._run, name="dualmem-index", daemon=True)
        try:
            thread.start()
        except RuntimeError:  # the interpreter is shutting down: left to the next process
            return
        self._thread = thread
        atexit.register(self._close_at_exit)

    def _close_at_exit(self) -> None:
        self.close(self._settings.close_timeout)

    def _run(self) -> None:
        while self._wait():
            self._step()
        self._shut()

    def _wait(self) -> bool:
        with self._condition:
            while self._stop_by is None:
                now = time.monotonic()
                if now >= self._due:
                    self._due = now + self._settings.vector_poll_interval
                    return True
                self._condition.wait(min(self._due - now, threading.TIMEOUT_MAX))
            return False

    def _step(self) -> None:
        ticket, is_caught_up = self._asked, False
        try:
            is_caught_up = self._advance()
        except DependencyError as error:
            self._state, self._error = IndexState.UNAVAILABLE, str(error)
            self._owner.release()
            is_caught_up = True
            logger.warning("no vector index: %s", error)
        except IndexUnavailable as error:
            self._wait_for_server(str(error))
        except IndexFailure as error:
            self._give_up(str(error))
        except ClosedError:
            self._stop_by = 0.0  # the ledger is closed: there is nothing left to do
        except (StoreError, SQLAlchemyError, OSError) as error:
            # The ledger or the disk, not the index; the queue keeps what is to be done.
            self._error = str(error)
            logger.warning("the vector index waits: %s", error)
            if self._state is not IndexState.READY:
                # half opened or half built: begun anew, or never finished
                self._state = IndexState.IDLE
                self._back_off()
                self._let_go()
        except Exception as error:
            logger.exception("the vector index failed unexpectedly")
            self._give_up(repr(error))
        self._answer_requests()
        with self._condition:
            self._served, self._is_caught_up = ticket, is_caught_up
            self._condition.notify_all()

    def _ask(self, action: Callable[[], T], timeout: float | None) -> T:
        """Have something done to the open index, in its thread."""
        answer: Future[T] = Future()
        with self._condition:
            self._requests.append((action, answer))
            self._retry_at = 0.0
        self._wake(0.0)
        if self._thread is None:
            raise StoreError("the vector index is closed; open the store again")
        try:
            return answer.result(timeout)
        except TimeoutError:
            raise StoreError(
                f"the vector index was not done within {timeout:g} s; it goes on, and status() "
                "tells how far it is"
            ) from None

    def _answer_requests(self) -> None:
        with self._condition:
            requests, self._requests = self._requests, []
        for action, answer in requests:
            try:
                if self._state is not IndexState.READY or not self._is_writer:
                    raise StoreError(self._why_not())
                answer.set_result(action())
            except IndexFailure as error:
                self._give_up(str(error))
                answer.set_exception(StoreError(str(error)))
            except Exception as error:  # noqa: BLE001  (it is raised again where it was asked for)
                answer.set_exception(error)

    def _why_not(self) -> str:
        if self._is_writer or self._error:
            return f"the vector index is {self._state} ({self._error}); status() tells more"
        holder = self._owner.holder()
        who = "another process" if holder is None else f"process {holder}"
        return f"{who} owns the vector index; do it there, or end that process first"

    def _wait_for_server(self, reason: str) -> None:
        """Leave a server alone for a while; what it holds is as good as it was."""
        self._state, self._error = IndexState.UNREACHABLE, f"{self._home}: {reason}"
        self._back_off()
        logger.warning("the vector index waits: %s", reason)
        self._let_go()

    def _back_off(self) -> None:
        self._retry_at = time.monotonic() + min(_MAX_BACKOFF, _FIRST_BACKOFF * 2.0**self._failures)
        self._failures += 1
        self._wake(self._retry_at)

    def _advance(self) -> bool:
        """Get one step further; answers whether there is nothing left to do."""
        if self._state is IndexState.UNAVAILABLE:
            return True
        if time.monotonic() < self._retry_at:
            return False
        if not self._owner.try_acquire():
            return self._follow()
        if self._index is None or not self._is_writer:
            self._let_go()
            self._open()
        elif self._is_of_another_embedder():
            self._renew()
        else:
            if self._distrust is not None:
                raise IndexFailure(self._distrust)
            if self._apply(self._may_go_on):
                self._failures, self._error = 0, None
                self._look_after()
        return self._state is IndexState.READY

    def _follow(self) -> bool:
        """Ask what another process looks after, where its home allows that."""
        row = self._shared_generation()
        index = self._index
        if row is None or self._is_writer or (index and index.generation != row.generation):
            self._let_go()
        self._distrust = None
        if row is None:
            self._state = IndexState.NOT_OWNER
            return True
        if self._index is None:
            self._index = self._home.open(row.generation, row.buckets)
            self._fingerprint = row.fingerprint
        self._failures, self._error, self._state = 0, None, IndexState.READY
        return True

    def _shared_generation(self) -> Any:
        """The complete generation that every process may ask, if there is one for this one."""
        row = self._source.current() if self._home.is_shared else None
        is_usable = (
            row is not None
            and row.clean
            and row.buckets == self._settings.vector_buckets
            and row.fingerprint == self._source.embedder()
            and self._distrust is None
        )
        return row if is_usable else None

    def _look_after(self) -> None:
        """With nothing else to do: vectors of what was purged go, and now and then all is compared.

        Chroma keeps the vectors of deleted records in its files, so only a new generation is rid
        of them.
        """
        now = time.monotonic()
        if not self._source.holds_purged():
            self._purge_seen = None
        else:
            self._purge_seen = self._purge_seen or now
            is_time = now - self._purge_seen >= self._settings.vector_renew_delay
            if is_time or self._opened.count() <= _SMALL:
                self._renew()
        interval = self._settings.index_check_interval * 3600
        if interval and now - self._checked_at >= interval:
            self._compare(reads_all=False)

    def _renew(self) -> int:
        """Leave the open generation for a new one; searches are exact meanwhile."""
        self._source.discard(self._opened.generation)
        self._let_go()
        self._failures, self._retry_at = 0, 0.0
        self._open()
        return self._opened.generation

    def _compare(self, *, reads_all: bool) -> IndexCheck:
        self._checked_at = time.monotonic()
        self._apply(self._is_running)
        found = compare(self._source, self._opened, self._fingerprint, reads_all=reads_all)
        if found.wrong:
            logger.warning("the vector index is built again: %s", found.problems[-1])
            self._renew()
        elif not found.ok:
            logger.warning(
                "the vector index differed from the ledger: %s", "; ".join(found.problems)
            )
            self._apply(self._is_running)
        return found

    def _open(self) -> None:
        self._state, self._distrust = IndexState.OPENING, None
        require_chromadb()
        try:
            self._open_generation()
        except IndexUnavailable:
            raise
        except IndexFailure as error:
            if self._progress is not None:
                raise  # it was being built afresh: a second try at once would fare no better
            self._give_up(str(error))
            self._state = IndexState.OPENING
            self._open_generation()
        if self._stop_by is None:
            self._progress, self._error, self._retry_at = None, None, 0.0
            self._purge_seen = None
            self._state = IndexState.READY
            self._home.remove_others(self._opened)

    def _open_generation(self) -> None:
        claim = self._source.claim()
        self._fingerprint = claim.fingerprint
        self._index = self._home.open(claim.generation, self._settings.vector_buckets)
        self._is_writer = True
        if claim.rebuild is not None:
            logger.info("building generation %d: %s", claim.generation, claim.rebuild)
            self._rebuild()
            if self._home.is_shared and self._is_running():
                self._source.mark_complete(claim.generation)
        if self._apply(self._is_running) and claim.rebuild is None:
            self._source.verify(self._opened, self._fingerprint)

    def _rebuild(self) -> None:
        """Fill an empty generation from the ledger's vectors."""
        self._state = IndexState.REBUILDING
        # First what is queued, then the nodes: what those rows speak of is in the nodes by then.
        queued = self._source.queued_seqs()
        seqs = self._source.active_seqs(self._fingerprint)
        self._progress = (0, len(seqs))
        for batch in batches(seqs):
            if not self._is_running():
                return
            self._opened.upsert(self._source.records_at(batch, self._fingerprint))
            self._progress = (self._progress[0] + len(batch), len(seqs))
        self._source.forget(queued, self._opened.generation)

    def _apply(self, may_go_on: Callable[[], bool]) -> bool:
        """Follow the outbox as far as it reached when the pass began; whether it got there."""
        top = self._source.top()
        while top is not None and (rows := self._source.queued(top)):
            if not may_go_on():
                return False
            live = self._source.live({row.vid for row in rows}, self._fingerprint)
            self._opened.upsert(list(live.values()))
            self._opened.delete((row.scope_hash, row.vid) for row in rows if row.vid not in live)
            self._source.forget((row.seq for row in rows), self._opened.generation)
        return True

    def _is_of_another_embedder(self) -> bool:
        """Whether the store changed over; the first embedder of a store is no change."""
        fingerprint = self._source.embedder()
        if fingerprint == self._fingerprint:
            return False
        if self._fingerprint is not None or fingerprint is None:
            logger.info("the embedder is now %r, not %r", fingerprint, self._fingerprint)
            return True
        self._source.adopt(self._opened.generation, fingerprint)
        self._fingerprint = fingerprint
        return False

    @property
    def _opened(self) -> ChromaIndex:
        assert self._index is not None
        return self._index

    def _give_up(self, reason: str) -> None:
        """Leave the open generation for good; the next one is tried after a pause."""
        self._state, self._error = IndexState.FAILED, reason
        self._back_off()
        logger.warning("the vector index is built again: %s", reason)
        self._progress = None
        if self._index is not None and self._is_writer:
            self._source.discard(self._index.generation)
        self._let_go()

    def _let_go(self) -> None:
        index, self._index = self._index, None
        self._is_writer = False
        if index is not None:
            try:
                index.close()
            except IndexFailure as error:
                logger.warning("%s", error)

    def _is_running(self) -> bool:
        return self._stop_by is None

    def _may_go_on(self) -> bool:
        return self._stop_by is None or time.monotonic() < self._stop_by

    def _shut(self) -> None:
        """Close in order what is open: only then may the next owner open this generation."""
        try:
            index = self._index
            is_ready = self._state is IndexState.READY and self._distrust is None
            if index is not None and self._is_writer and is_ready:
                self._state = IndexState.OPENING  # no search takes it up any more
                self._apply(self._may_go_on)
                self._index = None
                index.close()
                self._source.mark_clean(index.generation)
        except Exception:
            logger.warning("the vector index was not closed in order", exc_info=True)
        finally:
            self._let_go()
            self._owner.release()
            with self._condition:
                self._state = IndexState.CLOSED
                self._condition.notify_all()
