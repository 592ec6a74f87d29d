"""Calls into native code that may hang, with a time-out that holds."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, TypeVar

T = TypeVar("T")


class TimedCalls:
    """Calls that may hang, each in a thread that nobody waits for longer than a time-out.

    The threads are daemons: a call that never returns must not keep the process from ending. While
    a call is overdue no other is made, so that a hanging index costs one search, not every one.
    """

    def __init__(self, threads: int) -> None:
        self._free = threading.BoundedSemaphore(threads)
        self._overdue: set[Future[Any]] = set()

    def run(self, call: Callable[[], T], timeout: float) -> T:
        """The call's result.

        Raises:
            TimeoutError: it did not come in time, or an earlier call has still not returned.
        """
        deadline = time.monotonic() + timeout
        if self._overdue or not self._free.acquire(timeout=timeout):
            raise TimeoutError
        future: Future[T] = Future()
        threading.Thread(
            target=self._work, args=(future, call), name="dualmem-query", daemon=True
        ).start()
        try:
            return future.result(deadline - time.monotonic())
        except TimeoutError:
            self._overdue.add(future)
            if future.done():
                self._overdue.discard(future)
            raise

    def _work(self, future: Future[T], call: Callable[[], T]) -> None:
        try:
            future.set_result(call())
        except BaseException as error:  # noqa: BLE001  (the caller gets it, if it still waits)
            future.set_exception(error)
        finally:
            self._overdue.discard(future)
            self._free.release()
