"""The HTTP side of the stub server: threads, sockets, JSON and server-sent events."""

from __future__ import annotations

import contextlib
import json
import logging
import socket
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Recorded:
    """One request as it came; ``body`` is parsed JSON, or the bytes where it is none."""

    method: str
    path: str
    query: str
    headers: Mapping[str, str]
    body: Any


@dataclass(frozen=True, slots=True)
class Answer:
    """One response: ``content`` as JSON or bytes, or ``events`` as a stream."""

    status: int
    content: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)
    delay: float = 0.0
    events: Sequence[Any] | None = None

    def encoded(self) -> tuple[str, bytes]:
        """Media type and body."""
        if self.events is not None:
            lines = (
                event if isinstance(event, str) else json.dumps(event) for event in self.events
            )
            return "text/event-stream", "".join(f"data: {line}\n\n" for line in lines).encode()
        if isinstance(self.content, bytes):
            return "application/json", self.content
        return "application/json", json.dumps(self.content).encode()


class StubHTTPServer(ThreadingHTTPServer):
    """Listens on a free loopback port in a thread; ``stop`` leaves nothing open behind it."""

    daemon_threads = True
    block_on_close = False

    def __init__(self, answer: Callable[[Recorded], Answer]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.answer = answer
        self.stopping = threading.Event()
        self._open: set[socket.socket] = set()
        self._open_lock = threading.Lock()
        self._thread = threading.Thread(
            target=self.serve_forever, args=(0.02,), name="stub-server", daemon=True
        )

    def start(self) -> None:
        """Begin to serve."""
        self._thread.start()

    def stop(self) -> None:
        """End delays and connections, then stop serving."""
        self.stopping.set()
        self.shutdown()
        self._thread.join()
        self.server_close()
        with self._open_lock:
            connections = list(self._open)
        for connection in connections:
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def process_request(self, request: Any, client_address: Any) -> None:
        """Remember the connection, so that ``stop`` can end it while the client keeps it alive."""
        with self._open_lock:
            self._open.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        """Forget the connection."""
        with self._open_lock:
            self._open.discard(request)
        super().shutdown_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away is no reason for a traceback on stderr; a faulty script is."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    server: StubHTTPServer
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_GET(self) -> None:
        self._respond()

    def do_POST(self) -> None:
        self._respond()

    def log_message(self, format: str, *args: Any) -> None:
        logger.debug(format, *args)

    def _respond(self) -> None:
        raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        try:
            body = json.loads(raw) if raw else None
        except ValueError:
            body = raw
        headers = {name.lower(): value for name, value in self.headers.items()}
        path, _, query = self.path.partition("?")
        answer = self.server.answer(Recorded(self.command, path, query, headers, body))
        if answer.delay and self.server.stopping.wait(answer.delay):
            self.close_connection = True
            return
        media_type, content = answer.encoded()
        self.send_response(answer.status)
        self.send_header("Content-Type", media_type)
        self.send_header("Content-Length", str(len(content)))
        for name, value in answer.headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)
