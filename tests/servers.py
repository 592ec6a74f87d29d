"""Real servers for tests: started on a free port of this machine, and ended with the test."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@contextmanager
def running_chroma(path: Path, port: int) -> Iterator[subprocess.Popen[bytes]]:
    """``chroma run`` on a path, until the block ends; answers once it does."""
    command = [str(Path(sys.executable).with_name("chroma")), "run", "--path", str(path)]
    with (path.parent / "chroma.log").open("ab") as log:
        server = subprocess.Popen(
            [*command, "--host", "127.0.0.1", "--port", str(port)],
            stdout=log,
            stderr=log,
            cwd=path.parent,
        )
    try:
        deadline = time.monotonic() + 60
        while True:
            try:
                httpx.get(f"http://127.0.0.1:{port}/api/v2/heartbeat").raise_for_status()
                break
            except httpx.HTTPError:
                assert server.poll() is None, (path.parent / "chroma.log").read_text()
                assert time.monotonic() < deadline, "chroma run did not answer within 60 s"
                time.sleep(0.05)
        yield server
    finally:
        server.kill()
        server.wait()
