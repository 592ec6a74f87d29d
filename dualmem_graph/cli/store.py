"""Commands that concern a whole scope, or the store as a whole."""

from __future__ import annotations

from typing import Annotated

import typer

from dualmem_graph.cli import output, tables
from dualmem_graph.cli.options import (
    AnyUserId,
    AppId,
    AsJson,
    StorageDir,
    UserId,
    given,
    open_memory,
)
from dualmem_graph.errors import InputError


def scopes(
    app_id: AppId = None,
    storage_dir: StorageDir = None,
    as_json: AsJson = False,
) -> None:
    """List whose memories the store holds."""
    with open_memory(storage_dir) as memory:
        known = memory.list_scopes(**given(app_id=app_id))
    payload = {"scopes": [summary.to_dict() for summary in known]}
    output.emit(payload, as_json, lambda: tables.scopes(known))


def delete_scope(
    user_id: UserId,
    confirm: Annotated[bool, typer.Option("--confirm", help="Yes, delete all of it.")] = False,
    app_id: AppId = None,
    storage_dir: StorageDir = None,
    as_json: AsJson = False,
) -> None:
    """Delete everything about one person, for good."""
    if not confirm:
        raise InputError(
            f"this deletes every memory of {user_id!r} for good; repeat it with --confirm"
        )
    with open_memory(storage_dir) as memory:
        gone = memory.delete_scope(user_id=user_id, confirm=True, **given(app_id=app_id))
    output.emit({"deleted": gone}, as_json, lambda: tables.counts(gone, f"Deleted of {user_id}"))


def jobs(
    user_id: AnyUserId = None,
    state: Annotated[
        str | None, typer.Option("--state", help="queued, running, done or parked.")
    ] = None,
    limit: Annotated[int | None, typer.Option("--limit", help="Jobs at most.")] = None,
    app_id: AppId = None,
    storage_dir: StorageDir = None,
    as_json: AsJson = False,
) -> None:
    """List background work, and what was given up."""
    options = given(user_id=user_id, app_id=app_id, state=state, limit=limit)
    with open_memory(storage_dir, job_workers=0) as memory:
        found = memory.jobs(**options)
    output.emit({"jobs": [job.to_dict() for job in found]}, as_json, lambda: tables.jobs(found))


def retry(
    job_id: Annotated[
        str | None, typer.Argument(help="One job; without it, all that are parked.")
    ] = None,
    user_id: AnyUserId = None,
    app_id: AppId = None,
    storage_dir: StorageDir = None,
    as_json: AsJson = False,
) -> None:
    """Do work again that was given up."""
    with open_memory(storage_dir) as memory:
        count = memory.retry_jobs(job_id, **given(user_id=user_id, app_id=app_id))
        done = memory.flush()
        parked = len(memory.jobs(state="parked"))
    payload = {"retried": count, "parked": parked}
    output.emit(payload, as_json, lambda: tables.counts(payload, "Jobs"))
    if not done or parked:
        raise typer.Exit(1)


def stats(
    user_id: AnyUserId = None,
    app_id: AppId = None,
    storage_dir: StorageDir = None,
    as_json: AsJson = False,
) -> None:
    """Count what is stored, of one person or of everybody."""
    with open_memory(storage_dir) as memory:
        counted = memory.stats(**given(user_id=user_id, app_id=app_id))
    output.emit(counted, as_json, lambda: tables.counts(counted, "Stored"))


def status(storage_dir: StorageDir = None, as_json: AsJson = False) -> None:
    """Say where the store is, how it is, and what waits."""
    with open_memory(storage_dir) as memory:
        report = memory.status()
    output.emit(report, as_json, lambda: tables.counts(report, "Status"))


def flush(
    user_id: AnyUserId = None,
    app_id: AppId = None,
    timeout: Annotated[
        float | None, typer.Option("--timeout", help="Seconds after which it gives up.")
    ] = None,
    storage_dir: StorageDir = None,
    as_json: AsJson = False,
) -> None:
    """Finish waiting work.

    Reconciling, profiles and the vector index: all that an add with --no-wait left for later.
    """
    options = given(user_id=user_id, app_id=app_id, timeout=timeout)
    with open_memory(storage_dir) as memory:
        done = memory.flush(**options)
    said = "nothing waits any more" if done else "some work is left; 'dual-mem status' shows it"
    output.emit({"done": done}, as_json, lambda: tables.say(said))
    if not done:
        raise typer.Exit(1)
