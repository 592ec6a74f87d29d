"""The command that changes a store over to the configured embedder."""

from __future__ import annotations

import sys

from dualmem_graph.cli import output, tables
from dualmem_graph.cli.options import AsJson, StorageDir, open_memory


def reembed(storage_dir: StorageDir = None, as_json: AsJson = False) -> None:
    """Change the store over to the configured embedder.

    Every memory gets a new vector beside its old one; then the store changes over at once.
    """

    def tell(done: int, total: int) -> None:
        if sys.stderr.isatty():
            sys.stderr.write(f"\r{done} of {total}")
            sys.stderr.flush()

    with open_memory(storage_dir) as memory:
        result = memory.reembed(progress=tell)
    if sys.stderr.isatty():
        sys.stderr.write("\n")
    payload = result.to_dict()
    output.emit(payload, as_json, lambda: tables.counts(payload, "Re-embedded"))
