"""Who holds a lease: enough of a process's identity to see that it is gone.

A lease lapses by itself; but a process that was killed on this machine need not be waited for.
"""

from __future__ import annotations

import os
import socket
from functools import cache
from pathlib import Path
from uuid import uuid4

_SEPARATOR = "|"
# states of a process that is dead: zombie, dead
_ENDED = "ZX"


def new_token() -> str:
    """Make a token no other runner has: host, process, its start, and something random."""
    pid = os.getpid()
    return _SEPARATOR.join((_host(), str(pid), _started(pid), uuid4().hex))


def is_gone(token: str) -> bool:
    """Tell whether the process that made a token is known to have ended.

    Of another machine's nothing is known, so its leases are waited for.
    """
    parts = token.split(_SEPARATOR)
    if len(parts) != 4 or parts[0] != _host() or not parts[1].isdecimal():
        return False
    pid = int(parts[1])
    if pid == os.getpid():
        return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    except OSError:
        return False
    # the number may have been given to another process since
    return parts[2] != _started(pid)


@cache
def _host() -> str:
    return socket.gethostname().replace(_SEPARATOR, "-")


def _started(pid: int) -> str:
    """Start time of a process in clock ticks, where the system tells it; else ``""``.

    One that was killed and that its parent has not looked after yet has none any more.
    """
    try:
        # fields 3 and 22; the command in field 2 may hold spaces, so count from its closing bracket
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return "" if fields[0] in _ENDED else fields[19]
    except (OSError, IndexError):
        return ""
