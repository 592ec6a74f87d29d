"""Commands that write and read one person's memory."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from dualmem_graph.cli import output, tables
from dualmem_graph.cli.options import (
    AppId,
    AsJson,
    Layers,
    MemoryId,
    StorageDir,
    UserId,
    given,
    json_object,
    json_value,
    open_memory,
)
from dualmem_graph.errors import InputError

Query = Annotated[
    str, typer.Argument(help="A question or a few words, in any language.", metavar="QUERY")
]
TopK = Annotated[int | None, typer.Option("--top-k", "-k", help="How many results at most.")]
AsOf = Annotated[str | None, typer.Option("--as-of", help="What was known at this time.")]


def add(
    user_id: UserId,
    content: Annotated[
        str | None, typer.Option("--content", "-c", help="One thing that the person said.")
    ] = None,
    messages_file: Annotated[
        Path | None,
        typer.Option(
            "--messages-file", help="JSON or JSON Lines of {role, content}; - reads stdin."
        ),
    ] = None,
    messages_json: Annotated[
        str | None, typer.Option("--messages-json", help="The same as text: a JSON list.")
    ] = None,
    session_id: Annotated[str | None, typer.Option("--session-id", help="Conversation id.")] = None,
    agent_id: Annotated[
        str | None, typer.Option("--agent-id", help="Which agent heard it.")
    ] = None,
    memory_at: Annotated[
        str | None, typer.Option("--memory-at", help="When it was said (ISO 8601); default: now.")
    ] = None,
    metadata: Annotated[
        str | None, typer.Option("--metadata", help="A JSON object to keep with it.")
    ] = None,
    idempotency_key: Annotated[
        str | None, typer.Option("--idempotency-key", help="The same key is stored once.")
    ] = None,
    wait: Annotated[
        bool,
        typer.Option(
            "--wait/--no-wait", help="Reconcile with what is known before returning, or later."
        ),
    ] = True,
    app_id: AppId = None,
    storage_dir: StorageDir = None,
    as_json: AsJson = False,
) -> None:
    """Remember what was said.

    Give exactly one of --content, --messages-file and --messages-json.
    """
    said = _said(content, messages_file, messages_json)
    options = given(
        app_id=app_id,
        session_id=session_id,
        agent_id=agent_id,
        memory_at=memory_at,
        metadata=json_object(metadata, "--metadata"),
        idempotency_key=idempotency_key,
    )
    # Not the client's wait=True: that also waits for the vector index, which a process that ends
    # at once need not load. Reads are exact without it.
    with open_memory(storage_dir, reconcile_sync=wait) as memory:
        result = memory.add(**said, user_id=user_id, **options)
    if not result.turn_ids:
        reasons = "; ".join(skipped.reason for skipped in result.skipped)
        raise InputError(f"nothing was stored: {reasons or 'there is no message'}")
    output.emit(result.to_dict(), as_json, lambda: tables.added(result))
    if result.status == "failed":
        raise typer.Exit(1)


def search(
    query: Query,
    user_id: UserId,
    top_k: TopK = None,
    layer: Layers = None,
    filters: Annotated[
        str | None, typer.Option("--filters", help='A JSON object, e.g. {"session_id": "s1"}.')
    ] = None,
    threshold: Annotated[
        float | None, typer.Option("--threshold", help="Leave out scores below this (0 to 1).")
    ] = None,
    as_of: AsOf = None,
    since: Annotated[
        str | None, typer.Option("--since", help="Only what was said from this time on.")
    ] = None,
    until: Annotated[
        str | None, typer.Option("--until", help="Only what was said before this time.")
    ] = None,
    reference_time: Annotated[
        str | None, typer.Option("--reference-time", help="The 'now' of words like yesterday.")
    ] = None,
    include_superseded: Annotated[
        bool, typer.Option("--include-superseded", help="Old versions too.")
    ] = False,
    explain: Annotated[bool, typer.Option("--explain", help="Show how scores came about.")] = False,
    app_id: AppId = None,
    storage_dir: StorageDir = None,
    as_json: AsJson = False,
) -> None:
    """Find memories by meaning and by words, best first."""
    options = given(
        app_id=app_id,
        top_k=top_k,
        layers=layer or None,
        filters=json_object(filters, "--filters"),
        threshold=threshold,
        as_of=as_of,
        time_range=(since, until) if since or until else None,
        reference_time=reference_time,
    )
    with open_memory(storage_dir) as memory:
        found = memory.search(
            query,
            user_id=user_id,
            include_superseded=include_superseded,
            explain=explain,
            **options,
        )
    output.emit(found.to_dict(), as_json, lambda: tables.found(found, explain=explain))


def context(
    query: Query,
    user_id: UserId,
    top_k: TopK = None,
    layer: Layers = None,
    max_tokens: Annotated[
        int | None, typer.Option("--max-tokens", help="Longest block; a setting by default.")
    ] = None,
    app_id: AppId = None,
    storage_dir: StorageDir = None,
    as_json: AsJson = False,
) -> None:
    """Print what is known as a block of text for a prompt."""
    options = given(app_id=app_id, top_k=top_k, layers=layer or None, max_tokens=max_tokens)
    with open_memory(storage_dir) as memory:
        block = memory.context(query, user_id=user_id, **options)
    output.emit({"context": block}, as_json, lambda: output.plain(block))


def list_memories(
    user_id: UserId,
    layer: Layers = None,
    limit: Annotated[int | None, typer.Option("--limit", help="Memories on one page.")] = None,
    cursor: Annotated[
        str | None, typer.Option("--cursor", help="Where the last page ended.")
    ] = None,
    app_id: AppId = None,
    storage_dir: StorageDir = None,
    as_json: AsJson = False,
) -> None:
    """List current memories, newest first."""
    options = given(app_id=app_id, layers=layer or None, limit=limit, cursor=cursor)
    with open_memory(storage_dir) as memory:
        page = memory.list(user_id=user_id, **options)
    output.emit(page.to_dict(), as_json, lambda: tables.listed(page))


def get(
    memory_id: MemoryId,
    user_id: UserId,
    app_id: AppId = None,
    storage_dir: StorageDir = None,
    as_json: AsJson = False,
) -> None:
    """Show one memory with its versions and sources."""
    with open_memory(storage_dir) as memory:
        item = memory.get(memory_id, user_id=user_id, **given(app_id=app_id))
    output.emit(item.to_dict(), as_json, lambda: tables.one(item))


def update(
    memory_id: MemoryId,
    content: Annotated[str, typer.Argument(help="What it should say from now on.", metavar="TEXT")],
    user_id: UserId,
    app_id: AppId = None,
    storage_dir: StorageDir = None,
    as_json: AsJson = False,
) -> None:
    """Write a new version that takes the place of this one."""
    with open_memory(storage_dir) as memory:
        item = memory.update(memory_id, content, user_id=user_id, **given(app_id=app_id))
    output.emit(item.to_dict(), as_json, lambda: tables.one(item))


def delete(
    memory_id: MemoryId,
    user_id: UserId,
    chain: Annotated[bool, typer.Option("--chain", help="All versions, not only this.")] = False,
    app_id: AppId = None,
    storage_dir: StorageDir = None,
    as_json: AsJson = False,
) -> None:
    """Hide a memory; 'restore' brings it back."""
    with open_memory(storage_dir) as memory:
        gone = memory.delete(memory_id, user_id=user_id, delete_chain=chain, **given(app_id=app_id))
    output.emit(gone.to_dict(), as_json, lambda: tables.deleted(gone))


def restore(
    memory_id: MemoryId,
    user_id: UserId,
    app_id: AppId = None,
    storage_dir: StorageDir = None,
    as_json: AsJson = False,
) -> None:
    """Make a hidden or replaced memory current again."""
    with open_memory(storage_dir) as memory:
        item = memory.restore(memory_id, user_id=user_id, **given(app_id=app_id))
    output.emit(item.to_dict(), as_json, lambda: tables.one(item))


def history(
    user_id: UserId,
    memory_id: Annotated[
        str | None, typer.Argument(help="One memory; without it, all.", metavar="[ID]")
    ] = None,
    limit: Annotated[int | None, typer.Option("--limit", help="Entries at most.")] = None,
    app_id: AppId = None,
    storage_dir: StorageDir = None,
    as_json: AsJson = False,
) -> None:
    """Show what happened to memories, and who did it."""
    options = given(app_id=app_id, limit=limit)
    with open_memory(storage_dir) as memory:
        events = memory.history(memory_id, user_id=user_id, **options)
    payload = {"events": [event.to_dict() for event in events]}
    output.emit(payload, as_json, lambda: tables.events(events))


def profile(
    user_id: UserId,
    app_id: AppId = None,
    storage_dir: StorageDir = None,
    as_json: AsJson = False,
) -> None:
    """Show the profile: name, home, work and the like."""
    with open_memory(storage_dir) as memory:
        entries = memory.profile(user_id=user_id, **given(app_id=app_id))
    payload = {key: item.to_dict() for key, item in entries.items()}
    output.emit({"profile": payload}, as_json, lambda: tables.profile(entries))


def _said(content: str | None, file: Path | None, text: str | None) -> dict[str, Any]:
    """What to remember, from exactly one of the three options."""
    if sum(value is not None for value in (content, file, text)) != 1:
        raise InputError("give exactly one of --content, --messages-file and --messages-json")
    if content is not None:
        return {"content": content}
    if text is not None:
        return {"messages": _unwrapped(json_value(text, "--messages-json"))}
    from dualmem_graph.demo.chats import parse_json, read_text

    assert file is not None
    raw = sys.stdin.read() if str(file) == "-" else read_text(file)
    return {"messages": _unwrapped(parse_json(raw, name=str(file)))}


def _unwrapped(value: Any) -> Any:
    """The list in ``{"messages": […]}``, or of a lone message; all else the client judges."""
    if isinstance(value, dict):
        return value.get("messages", [value])
    return value
