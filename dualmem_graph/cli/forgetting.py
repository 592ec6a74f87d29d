"""Commands that remove for good."""

from __future__ import annotations

from typing import Annotated

import typer

from dualmem_graph.cli import output, tables
from dualmem_graph.cli.options import AppId, AsJson, StorageDir, UserId, given, open_memory
from dualmem_graph.errors import InputError


def purge(
    user_id: UserId,
    memory_id: Annotated[
        str | None, typer.Argument(help="Id of a memory or a turn.", metavar="[ID]")
    ] = None,
    session: Annotated[
        str | None, typer.Option("--session-id", help="A whole session instead.")
    ] = None,
    chain: Annotated[bool, typer.Option("--chain", help="All versions, not only this.")] = False,
    confirm: Annotated[bool, typer.Option("--confirm", help="Yes, for good.")] = False,
    app_id: AppId = None,
    storage_dir: StorageDir = None,
    as_json: AsJson = False,
) -> None:
    """Remove a memory, a turn or a session for good.

    'delete' hides a memory and 'restore' brings it back; from here nothing comes back.
    """
    if not confirm:
        raise InputError("a purge cannot be undone; repeat it with --confirm")
    with open_memory(storage_dir) as memory:
        gone = memory.purge(
            memory_id,
            session_id=session,
            user_id=user_id,
            delete_chain=chain,
            **given(app_id=app_id),
        )
    output.emit(gone.to_dict(), as_json, lambda: tables.purged(gone))


def compact(storage_dir: StorageDir = None, as_json: AsJson = False) -> None:
    """Remove from the ledger's files the bytes of what was purged."""
    with open_memory(storage_dir) as memory:
        done = memory.compact()
    said = "compacted" if done else "another process is reading; try again later"
    output.emit({"compacted": done}, as_json, lambda: tables.say(said))
    if not done:
        raise typer.Exit(1)
