"""The command that moves a store to another ledger."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from dualmem_graph.cli import output, tables
from dualmem_graph.cli.options import AsJson, StorageDir, given


def migrate(
    to: Annotated[
        str,
        typer.Option(
            "--to", help="URL of an empty database: postgresql+psycopg://… or sqlite:///…"
        ),
    ],
    storage_dir: StorageDir = None,
    as_json: AsJson = False,
) -> None:
    """Copy the whole store to another database.

    The two are compared at the end. One that was interrupted goes on where it stopped.
    """
    from dualmem_graph.config import load_settings
    from dualmem_graph.migration import migrate as run

    def tell(table: str, done: int, total: int) -> None:
        if sys.stderr.isatty():
            sys.stderr.write(f"\r{table}: {done} of {total}      ")
            sys.stderr.flush()

    result = run(load_settings(**given(storage_dir=storage_dir)), to, progress=tell)
    if sys.stderr.isatty():
        sys.stderr.write("\n")
    payload = result.to_dict()
    output.emit(payload, as_json, lambda: tables.counts(payload, "Moved; now set ledger_url"))
