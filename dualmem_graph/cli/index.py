"""Commands for the vector index, which can always be made anew from the ledger."""

from __future__ import annotations

from typing import Annotated

import typer

from dualmem_graph.cli import output, tables
from dualmem_graph.cli.options import AsJson, StorageDir, open_memory

Timeout = Annotated[
    float | None, typer.Option("--timeout", help="Seconds after which it gives up.")
]


def check(
    timeout: Timeout = None,
    storage_dir: StorageDir = None,
    as_json: AsJson = False,
) -> None:
    """Compare the index with the ledger, and mend it; exit code 1 if it differed."""
    with open_memory(storage_dir) as memory:
        found = memory.index_check(timeout=timeout)
    payload = found.to_dict()
    output.emit(payload, as_json, lambda: tables.counts(payload, "Index"))
    if not found.ok:
        raise typer.Exit(1)


def rebuild(
    timeout: Timeout = None,
    storage_dir: StorageDir = None,
    as_json: AsJson = False,
) -> None:
    """Make the index anew from the ledger's vectors; nothing is embedded again."""
    with open_memory(storage_dir) as memory:
        status = memory.index_rebuild(timeout=timeout)
    output.emit(status, as_json, lambda: tables.counts(status, "Index"))
