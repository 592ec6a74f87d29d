"""``dual-mem demo``: the main job on a conversation, shipped or the reader's own."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dualmem_graph.cli import output
from dualmem_graph.cli.options import AsJson


def demo(
    file: Annotated[
        Path | None,
        typer.Option("--file", "-f", help="Your own chat, JSON or JSON Lines, instead of ours."),
    ] = None,
    ask: Annotated[
        list[str] | None, typer.Option("--ask", "-a", help="A question to ask; may be repeated.")
    ] = None,
    keep: Annotated[
        Path | None, typer.Option("--keep", help="Keep the store in this directory.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show the main job on a year of two people's talk.

    Remembers the conversation turn by turn, then shows what each layer keeps, what took the place
    of what, and what memory answers, with the turn each answer rests on.
    """
    from dualmem_graph.demo import render, run_demo

    with output.progress() as progress:
        report = run_demo(file=file, asks=tuple(ask or ()), keep=keep, progress=progress)
    output.emit(report.to_dict(), as_json, lambda: render.draw(report, output.console()))
