"""The lock of the index's owner: one holder, gone with its process, not inherited by a fork."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from dualmem_graph.storage.owner import OwnerLock

HOLD = """
import sys, pathlib
from dualmem_graph.storage.owner import OwnerLock
print(OwnerLock(pathlib.Path(sys.argv[1])).try_acquire(), flush=True)
sys.stdin.read()
"""

# A parent that takes the lock, forks, and dies at once; the child lives until its input closes.
FORK_AND_DIE = """
import os, sys, pathlib
from dualmem_graph.storage.owner import OwnerLock
lock = OwnerLock(pathlib.Path(sys.argv[1]))
assert lock.try_acquire()
if os.fork() == 0:
    print(lock.is_held, lock.try_acquire(), flush=True)
    sys.stdin.read()
else:
    sys.stdin.close()
    os.close(1)
    os.read(int(sys.argv[2]), 1)
    os._exit(0)
"""


def _start(body: str, *arguments: str, keep: tuple[int, ...] = ()) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", body, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        pass_fds=keep,
        cwd=Path(__file__).parent.parent.parent,
    )


def _line(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def test_one_holder_at_a_time(tmp_path: Path) -> None:
    first, second = OwnerLock(tmp_path / "index" / "OWNER"), OwnerLock(tmp_path / "index" / "OWNER")
    assert first.try_acquire()
    assert first.try_acquire()
    assert not second.try_acquire()
    assert (first.is_held, second.is_held) == (True, False)
    assert second.holder() == os.getpid()
    first.release()
    first.release()
    assert second.holder() is None
    assert second.try_acquire()
    second.release()


def test_file_is_private(tmp_path: Path) -> None:
    lock = OwnerLock(tmp_path / "index" / "OWNER")
    assert lock.holder() is None
    lock.try_acquire()
    assert stat.S_IMODE(lock.path.stat().st_mode) == 0o600
    assert stat.S_IMODE(lock.path.parent.stat().st_mode) == 0o700
    lock.release()


@pytest.mark.parametrize("text", ["", "not a pid", "\xff"])
def test_holder_of_a_damaged_file_is_nobody(tmp_path: Path, text: str) -> None:
    path = tmp_path / "OWNER"
    path.write_text(text, encoding="latin-1")
    assert OwnerLock(path).holder() is None


def test_a_killed_process_loses_the_lock(tmp_path: Path) -> None:
    lock = OwnerLock(tmp_path / "OWNER")
    with _start(HOLD, str(lock.path)) as other:
        assert _line(other) == "True"
        assert not lock.try_acquire()
        assert lock.holder() == other.pid
        other.send_signal(signal.SIGKILL)
        other.wait()
    assert lock.try_acquire()
    assert lock.holder() == os.getpid()
    lock.release()


def test_a_forked_child_neither_holds_nor_keeps_the_lock(tmp_path: Path) -> None:
    lock = OwnerLock(tmp_path / "OWNER")
    go, go_on = os.pipe()
    with _start(FORK_AND_DIE, str(lock.path), str(go), keep=(go,)) as parent:
        assert _line(parent) == "False False"  # said by the child, while its parent holds it
        assert not lock.try_acquire()
        os.write(go_on, b"x")
        parent.wait()
        assert lock.try_acquire()  # the child still lives
        lock.release()
    os.close(go)
    os.close(go_on)
