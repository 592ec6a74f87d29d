"""Where results go: JSON or text on stdout; progress and errors on stderr."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from dualmem_graph.types import to_plain

if TYPE_CHECKING:
    from rich.console import Console

Advance = Callable[[int, int, str], None]
"""Told how much is done, of how much, and of what."""


def prepare_streams() -> None:
    """Let no character that a terminal's encoding lacks end a command."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def console(*, stderr: bool = False) -> Console:
    """A console of the terminal's width; plain text where the output is piped."""
    from rich.console import Console

    return Console(stderr=stderr, highlight=False, soft_wrap=False)


def emit(payload: Mapping[str, Any], as_json: bool, draw: Callable[[], None]) -> None:
    """Print ``payload`` as JSON, or let ``draw`` show it to a person."""
    if as_json:
        # A terminal that is not UTF-8 still gets valid JSON.
        ascii_only = (sys.stdout.encoding or "ascii").lower().replace("-", "") != "utf8"
        sys.stdout.write(json.dumps(to_plain(payload), ensure_ascii=ascii_only, indent=2) + "\n")
    else:
        draw()


def fail(kind: str, message: str, *, as_json: bool) -> None:
    """Say on stderr what went wrong: one line, or one JSON object."""
    line = " ".join(message.split())
    text = json.dumps({"error": {"type": kind, "message": line}}) if as_json else f"error: {line}"
    sys.stderr.write(text + "\n")


def plain(text: str) -> None:
    """Print text as it is."""
    sys.stdout.write(text if text.endswith("\n") or not text else text + "\n")


@contextmanager
def progress() -> Iterator[Advance]:
    """A progress bar on stderr; silent where nobody watches it."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    shown = console(stderr=True)
    with Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=None),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=shown,
        disable=not shown.is_terminal,
        transient=True,
        expand=True,
    ) as bar:
        task = bar.add_task("Opening the store", total=None)

        def advance(done: int, total: int, what: str) -> None:
            bar.update(task, completed=done, total=total, description=what)

        yield advance
