"""Results as people read them. Rich is imported where it draws."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from dualmem_graph.cli.output import console
from dualmem_graph.types import (
    AddEvent,
    AddResult,
    DeleteResult,
    EvolutionItem,
    HistoryEvent,
    JobSummary,
    MemoryItem,
    Page,
    PurgeResult,
    ScopeSummary,
    SearchResult,
)

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text

#: Older versions shown under a memory in a list; ``get`` shows all.
_VERSIONS_SHOWN = 3

_VERDICTS = {
    "stored": "stored",
    "ephemeral": "kept word for word; nothing in it to remember for long",
    "duplicate": "already known",
    "pending": "kept word for word; the rest waits as a job",
    "partial": "stored by the rules form; a job will ask the model again",
    "failed": "failed",
}


def added(result: AddResult) -> None:
    """What became of an ``add``: the verdict, then one row per node written."""
    say(_VERDICTS.get(result.status, result.status))
    if result.events:
        table = _table("", "memory", "layer")
        for same in _by_memory(result.events).values():
            ops = " ".join(dict.fromkeys(event.op.lower() for event in same))
            replaced = [f"in place of {old}" for event in same for old in event.supersedes]
            text = _lines(same[0].content, same[0].memory_id, *replaced)
            table.add_row(ops.replace("add supersede", "change"), text, str(same[0].layer))
        console().print(table)
    for skipped in result.skipped:
        _aside(f"not kept: {skipped.reason} {skipped.content}".rstrip())


def found(result: SearchResult, *, explain: bool = False) -> None:
    """The answers of a search, best first."""
    if not result:
        reason = "nothing relevant" if result.known_user else "nothing was ever stored"
        say(f"{reason} for {result.scope.user_id!r} in app {result.scope.app_id!r}")
    else:
        table = _table(">score", "memory", "layer", "said")
        for item in result:
            details = item.score_details if explain else None
            table.add_row(
                f"{item.score:.2f}", _memory(item, details), str(item.layer), _day(item.memory_at)
            )
        console().print(table)
    if result.degraded:
        _aside("fallbacks taken: " + ", ".join(result.degraded))


def listed(page: Page) -> None:
    """One page of a listing."""
    if not page.known_user:
        say(f"nothing was ever stored for {page.scope.user_id!r} in app {page.scope.app_id!r}")
        return
    table = _table("memory", "layer", "said", title=f"{len(page)} of {page.total}")
    for item in page:
        table.add_row(_memory(item), str(item.layer), _day(item.memory_at))
    console().print(table)
    if page.cursor:
        _aside(f"next page: --cursor {page.cursor}")


def one(item: MemoryItem) -> None:
    """Everything about one memory."""
    table = _table("", "", header=False)
    table.add_row("memory", _text(item.content))
    table.add_row("id", item.memory_id)
    state = str(item.status)
    if item.head_id and item.head_id != item.memory_id:
        state += f", current version is {item.head_id}"
    table.add_row("status", state)
    table.add_row("layer", f"{item.layer} ({item.memory_type})")
    table.add_row("said", _moment(item.memory_at))
    if item.event:
        table.add_row("happened", f"{_moment(item.event.start)} ({item.event.granularity})")
    if item.tags:
        table.add_row("tags", _text(", ".join(item.tags)))
    for older in _older_versions(item):
        table.add_row("before", _lines(older.content, f"{_day(older.memory_at)}  {older.node_id}"))
    for source in item.sources:
        who = source.name or source.role
        table.add_row("from", _lines(source.quote, f"{who}, {_moment(source.at)}"))
    console().print(table)


def deleted(result: DeleteResult) -> None:
    """What a ``delete`` hid."""
    derived = f", and {len(result.derived)} that rested on it alone" if result.derived else ""
    say(f"hidden: {', '.join(result.deleted)}{derived}; 'restore' brings it back")


def purged(result: PurgeResult) -> None:
    """What a ``purge`` removed."""
    blanked = f"; {len(result.blanked)} turns keep nothing but their place"
    say(f"removed for good: {result.count} memories and turns{blanked if result.blanked else ''}")
    if not result.compacted:
        say("its bytes are still in the ledger's files: 'dual-mem compact' removes them")


def jobs(found: Sequence[JobSummary]) -> None:
    """Background work, one line each."""
    if not found:
        say("no jobs")
        return
    table = _table("job", "kind", "state", "attempts", "user_id", "error")
    for job in found:
        cells = (job.job_id, job.kind, job.state, str(job.attempts), job.scope.user_id)
        table.add_row(*map(_text, cells), _text(job.error or ""))
    console().print(table)


def scopes(known: Sequence[ScopeSummary]) -> None:
    """Every scope and how many memories each layer has."""
    if not known:
        say("no memories yet")
        return
    table = _table("user_id", "app_id", "memories")
    for summary in known:
        counted = ", ".join(f"{name} {count}" for name, count in summary.counts.items())
        table.add_row(_text(summary.user_id), _text(summary.app_id), counted)
    console().print(table)


def events(history: Sequence[HistoryEvent]) -> None:
    """The history, as the store keeps it."""
    table = _table("when", "event", "memory", "by")
    for event in history:
        content = str((event.new or event.old or {}).get("content") or event.reason)
        table.add_row(_moment(event.at), event.event, _lines(content, event.memory_id), event.actor)
    console().print(table)


def profile(entries: Mapping[str, MemoryItem]) -> None:
    """The profile: key, value, since when."""
    if not entries:
        say("no profile yet")
        return
    table = _table("", "", "said")
    for key, item in entries.items():
        value = str(item.metadata.get("value", item.content))
        table.add_row(_text(key), _text(value), _day(item.memory_at))
    console().print(table)


def settings(rows: Mapping[str, Mapping[str, Any]]) -> None:
    """Settings with where each value comes from; what was changed stands out."""
    table = _table("setting", "value", "from")
    for key, row in rows.items():
        style = None if row["source"] == "default" else "bold"
        table.add_row(key, _text(_readable(row["value"])), row["source"], style=style)
    console().print(table)


def counts(values: Mapping[str, Any], title: str) -> None:
    """Names and values, nested ones under their path."""
    table = _table("", "", title=title, header=False)
    for name, value in _flat(values):
        table.add_row(_text(name), _text(value))
    console().print(table)


def say(line: str) -> None:
    """One line of plain text."""
    console().print(_text(line))


def _aside(line: str) -> None:
    console().print(_text(line, "dim"))


def _by_memory(events: Iterable[AddEvent]) -> dict[str, list[AddEvent]]:
    """A memory that is added and then supersedes another is one line for a reader."""
    grouped: dict[str, list[AddEvent]] = {}
    for event in events:
        grouped.setdefault(event.memory_id, []).append(event)
    return grouped


def _memory(item: MemoryItem, details: Mapping[str, Any] | None = None) -> Text:
    older = _older_versions(item)
    notes = [f"before ({_day(link.memory_at)}): {link.content}" for link in older[:_VERSIONS_SHOWN]]
    if len(older) > _VERSIONS_SHOWN:
        notes.append(f"and {len(older) - _VERSIONS_SHOWN} older versions")
    if details:
        notes.append(", ".join(f"{name} {value}" for name, value in _flat(details)))
    return _lines(item.content, *notes, item.memory_id)


def _older_versions(item: MemoryItem) -> list[EvolutionItem]:
    return [link for link in item.evolution_chain or () if link.node_id != item.memory_id]


def _flat(values: Mapping[str, Any], prefix: str = "") -> list[tuple[str, str]]:
    rows: list[tuple[str, str]] = []
    for name, value in values.items():
        if isinstance(value, Mapping) and value:
            rows += _flat(value, f"{prefix}{name}.")
        else:
            rows.append((f"{prefix}{name}", _readable(value)))
    return rows


def _readable(value: Any) -> str:
    if value is None or value == {} or value == []:
        return "-"
    if isinstance(value, list | tuple):
        return ", ".join(str(item) for item in value)
    return f"{value:.3g}" if isinstance(value, float) else str(value)


def _day(at: datetime | None) -> str:
    return f"{at.astimezone():%Y-%m-%d}" if at else ""


def _moment(at: datetime | None) -> str:
    return f"{at.astimezone():%Y-%m-%d %H:%M}" if at else ""


def _table(*columns: str, title: str | None = None, header: bool = True) -> Table:
    """A light table; a column whose name starts with ``>`` holds numbers."""
    from rich import box
    from rich.table import Table

    table = Table(
        box=box.SIMPLE_HEAD, title=title, title_justify="left", show_header=header, pad_edge=False
    )
    for column in columns:
        name = column.removeprefix(">")
        table.add_column(
            name,
            justify="left" if name == column else "right",
            no_wrap=name in ("score", "layer", "said", "when", "event", "setting", "from"),
            overflow="fold",
        )
    return table


def _text(content: str, style: str = "") -> Text:
    """Content as it is: never read as markup."""
    from rich.text import Text

    return Text(content, style=style)


def _lines(content: str, *notes: str) -> Text:
    """Content, with smaller print under it."""
    text = _text(content)
    for note in notes:
        text.append(f"\n{note}", style="dim")
    return text
