"""Who owns the embedded vector index: a file lock that names its holder and survives ``fork``.

A lock of our own rather than a library's, because two things must hold that they do not promise
together: the file says which process holds it, and a forked child neither keeps the lock alive
after its parent has died nor takes itself for the owner.
"""

from __future__ import annotations

import os
import sys
import weakref
from collections.abc import Callable
from pathlib import Path

import sqlalchemy as sa
from sqlalchemy.engine import Connection
from sqlalchemy.exc import SQLAlchemyError

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

# Windows locks bytes, not files: one far behind the pid, so that others can still read the pid.
_LOCKED_BYTE = 1 << 20


class OwnerLock:
    """An exclusive lock on ``path``, held by at most one process (and one object in it).

    It is advisory, never waited for, and goes with the process that holds it, however that ends.

    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> lock = OwnerLock(Path(folder.name) / "OWNER")
    >>> lock.try_acquire(), OwnerLock(lock.path).try_acquire(), lock.holder() == os.getpid()
    (True, False, True)
    >>> lock.release()
    >>> folder.cleanup()
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._descriptor: int | None = None
        self._pid = 0
        _locks.add(self)

    @property
    def is_held(self) -> bool:
        """Whether this object, in this process, holds the lock."""
        return self._descriptor is not None and self._pid == os.getpid()

    def try_acquire(self) -> bool:
        """Take the lock if nobody has it; never waits.

        Raises:
            OSError: the lock file cannot be opened or written.
        """
        if self.is_held:
            return True
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600)
        is_ours = False
        try:
            is_ours = _lock(descriptor)
            if is_ours:
                os.ftruncate(descriptor, 0)
                os.lseek(descriptor, 0, os.SEEK_SET)
                os.write(descriptor, f"{os.getpid()}\n".encode())
                self._descriptor, self._pid = descriptor, os.getpid()
        finally:
            if not self.is_held:
                os.close(descriptor)
        return is_ours

    def holder(self) -> int | None:
        """The pid of the process that took the lock last, ``None`` where it was given back."""
        try:
            text = self.path.read_text(encoding="ascii").strip()
        except (OSError, UnicodeDecodeError):
            return None
        return int(text) if text.isdigit() else None

    def release(self) -> None:
        """Give the lock back; does nothing where it is not held."""
        if not self.is_held or self._descriptor is None:
            return
        descriptor, self._descriptor = self._descriptor, None
        os.ftruncate(descriptor, 0)
        # closing the only descriptor of the open file is what unlocks it
        os.close(descriptor)

    def _after_fork_in_child(self) -> None:
        """Drop the inherited descriptor: without an unlock, so that the parent keeps the lock."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


class SessionLock:
    """The same for a ledger that several machines share: an advisory lock of PostgreSQL.

    It is held by a connection of its own and goes with it, however that ends.

    Args:
        connect: opens a connection that nobody else uses.
        number: what is locked, the same for everybody.
    """

    def __init__(self, connect: Callable[[], Connection], number: int) -> None:
        self._connect = connect
        self._number = number
        self._held: Connection | None = None
        self._inherited: list[Connection] = []
        self._pid = 0

    @property
    def is_held(self) -> bool:
        """Whether this object, in this process, holds the lock, as far as is known."""
        return self._held is not None and self._pid == os.getpid()

    def try_acquire(self) -> bool:
        """Take the lock if nobody has it; never waits. Asks the database even where it is held.

        Raises:
            SQLAlchemyError: the database cannot be asked; the lock is gone then.
        """
        if self._held is not None and self._pid != os.getpid():
            self._inherited.append(self._held)  # the parent's: neither used nor closed here
            self._held = None
        conn = self._held
        try:
            if conn is not None:
                conn.execute(sa.select(1))
                return True
            conn = self._connect()
            if conn.execute(sa.select(sa.func.pg_try_advisory_lock(self._number))).scalar_one():
                self._held, self._pid = conn, os.getpid()
                return True
        except SQLAlchemyError:
            self._held = None
            if conn is not None:
                conn.invalidate()
                conn.close()
            raise
        conn.close()
        return False

    def holder(self) -> int | None:
        """The pid of the process that holds it, if it is this one; of others nothing is known."""
        return self._pid if self.is_held else None

    def release(self) -> None:
        """Give the lock back; does nothing where it is not held."""
        if self.is_held and self._held is not None:
            held, self._held = self._held, None
            held.close()


_locks: weakref.WeakSet[OwnerLock] = weakref.WeakSet()


def _drop_inherited_locks() -> None:
    for lock in list(_locks):
        lock._after_fork_in_child()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_drop_inherited_locks)


def _lock(descriptor: int) -> bool:
    try:
        if sys.platform == "win32":
            os.lseek(descriptor, _LOCKED_BYTE, os.SEEK_SET)
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        else:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    return True
