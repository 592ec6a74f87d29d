"""Commands that carry memories into a store and out of it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dualmem_graph.cli import output, tables
from dualmem_graph.cli.options import AppId, AsJson, StorageDir, UserId, given, open_memory


def export(
    file: Annotated[Path, typer.Argument(help="Where the archive goes.", metavar="FILE")],
    user_id: UserId,
    vectors: Annotated[
        bool, typer.Option("--vectors", help="With the vectors, so that nothing is embedded anew.")
    ] = False,
    app_id: AppId = None,
    storage_dir: StorageDir = None,
    as_json: AsJson = False,
) -> None:
    """Write everything about one person to an archive."""
    with open_memory(storage_dir) as memory:
        done = memory.export(file, user_id=user_id, include_vectors=vectors, **given(app_id=app_id))
    payload = done.to_dict()
    output.emit(payload, as_json, lambda: tables.counts(payload, "Exported"))


def import_(
    file: Annotated[
        Path, typer.Argument(help="An archive, or JSON of memories or chats.", metavar="FILE")
    ],
    user_id: UserId,
    format: Annotated[
        str | None,
        typer.Option("--format", help="archive, nodes, mem0 or chat; told by its shape if not."),
    ] = None,
    session: Annotated[
        str | None, typer.Option("--session-id", help="Session of a chat that names none.")
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Check and count, and write nothing.")
    ] = False,
    app_id: AppId = None,
    storage_dir: StorageDir = None,
    as_json: AsJson = False,
) -> None:
    """Load an archive, other packages' memories, or chats."""
    options = given(format=format, session_id=session, app_id=app_id)
    with open_memory(storage_dir) as memory:
        done = memory.import_(file, user_id=user_id, dry_run=dry_run, **options)
        if not dry_run:
            memory.flush(user_id=user_id, **given(app_id=app_id))
    payload = done.to_dict()
    output.emit(payload, as_json, lambda: tables.counts(payload, "Imported"))
