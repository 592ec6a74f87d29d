"""Drawing the demo's report for a terminal of any width, with or without colour."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from rich import box
from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from dualmem_graph.demo.report import Answer, Chain, DemoReport, PersonReport
from dualmem_graph.types import Layer

_HOLDS = {
    Layer.BASIC_INFO: "profile, key by key",
    Layer.RAW: "every turn, word for word",
    Layer.FACT: "facts and events",
    Layer.SUMMARY: "summaries",
    Layer.IDENTITY: "likes, habits, traits",
    Layer.KNOWLEDGE: "entities and relations",
    Layer.SCHEMA: "patterns of behaviour",
    Layer.INTENTION: "plans",
}


def draw(report: DemoReport, console: Console) -> None:
    """Print the report: what was kept, what changed, what memory answers, what to type next."""
    console.print(_opening(report))
    console.print(_heading("What was kept"))
    for person in report.people:
        console.print(_kept(person))
    console.print(_heading("What changed"))
    for person in report.people:
        console.print(_changed(person))
    console.print(_heading("What memory answers"))
    for person in report.people:
        console.print(_answered(person))
    console.print(_heading("What to type next"))
    for line in _next_lines(report):
        # A command must stay one line, or it cannot be copied.
        console.print(line, soft_wrap=True)


def _opening(report: DemoReport) -> RenderableType:
    people = " and ".join(person.name for person in report.people)
    sessions = sum(person.sessions for person in report.people)
    messages = sum(person.messages for person in report.people)
    how = f"with {report.model}" if report.model else "no model, no server"
    return Group(
        Text(),
        Text(f"Memory of {people}", style="bold"),
        Text(
            f"{messages} messages in {sessions} conversations, "
            f"remembered in {report.seconds:.1f} s ({how})"
        ),
    )


def _heading(title: str) -> RenderableType:
    return Group(Text(), Rule(Text(f" {title} ", style="bold cyan"), align="left", style="cyan"))


def _kept(person: PersonReport) -> RenderableType:
    table = Table(
        box=box.SIMPLE_HEAD,
        title=Text(f"{person.name} (user_id {person.user_id})", style="bold"),
        title_justify="left",
        pad_edge=False,
        expand=True,
    )
    table.add_column("layer", no_wrap=True, style="cyan")
    table.add_column("holds", no_wrap=True)
    table.add_column("kept", justify="right", no_wrap=True)
    table.add_column("for example", no_wrap=True, overflow="ellipsis", ratio=1, style="dim")
    for row in person.layers:
        example = " ".join(row.example.split())
        table.add_row(str(row.layer), _HOLDS[row.layer], str(row.kept), Text(example))
    return table


def _changed(person: PersonReport) -> RenderableType:
    if not person.chains:
        return Padding(
            Text(f"{person.name}: nothing took another's place", style="dim"), (1, 0, 0, 0)
        )
    return Group(*(_chain(person.name, chain) for chain in person.chains))


def _chain(name: str, chain: Chain) -> RenderableType:
    """Newest on top, older versions below it on one line."""
    grid = Table.grid(padding=(0, 1))
    grid.add_column(no_wrap=True)
    grid.add_column(no_wrap=True, style="dim")
    grid.add_column(ratio=1, overflow="fold")
    for place, version in enumerate(chain.versions):
        current = place == 0
        if not current:
            why = f"took its place ({version.update_type})" if version.update_type else "before"
            grid.add_row(Text("│", style="dim"), "", Text(why, style="dim"))
        grid.add_row(
            Text("●" if current else "○", style="green" if current else "dim"),
            version.said,
            Text(version.content, style="bold" if current else ""),
        )
    return Group(Text(), Text(f"{name}, {chain.name}", style="bold"), Padding(grid, (0, 0, 0, 2)))


def _answered(person: PersonReport) -> RenderableType:
    if not person.answers:
        return Padding(Text(f"{person.name}: nothing to ask about", style="dim"), (1, 0, 0, 0))
    return Group(*(_answer(person.name, answer) for answer in person.answers))


def _answer(name: str, answer: Answer) -> RenderableType:
    grid = Table.grid(padding=(0, 1))
    grid.add_column(no_wrap=True, style="dim", width=7)
    grid.add_column(ratio=1, overflow="fold")
    grid.add_row("asked", Text(f"{name}: {answer.question}"))
    if answer.answer is None:
        grid.add_row("answer", Text("nothing relevant is remembered", style="dim"))
    else:
        grid.add_row(
            "answer",
            Text.assemble(
                (answer.answer, "bold green"),
                (f"  score\N{NO-BREAK SPACE}{answer.score:.2f}", "dim"),
            ),
        )
        grid.add_row("said", Text(f"{answer.said}, {answer.speaker}", style="dim"))
        # A row of its own: Chinese has no spaces, so a quote after other words breaks badly.
        grid.add_row("", Text(f"“{answer.quote}”", style="italic"))
    return Group(Text(), grid)


def _next_lines(report: DemoReport) -> Iterator[Text]:
    yield Text()
    if report.storage_dir:
        where = f"--storage-dir {shlex.quote(report.storage_dir)}"
        yield Text("Ask this memory more, or look at all of it:")
        for person in report.people[:2]:
            user = f"--user-id {shlex.quote(person.user_id)}"
            ask = person.answers[0].question if person.answers else person.name
            yield Text(f"  dual-mem search {shlex.quote(ask)} {user} {where}", style="green")
            yield Text(f"  dual-mem list {user} {where}", style="green")
        return
    yield Text("Tell it something, in either language, and ask:")
    for line in (
        "dual-mem add --user-id ana --content 'I moved from Porto to Berlin in May.'",
        "dual-mem search 'Where does Ana live?' --user-id ana",
        "dual-mem add --user-id wei --content '我上个月从南京搬到了苏州。'",
        "dual-mem search '我住在哪里？' --user-id wei",
    ):
        yield Text(f"  {line}", style="green")
    yield Text("Your own chat, and a store that stays:")
    yield Text("  dual-mem demo --file chat.json --keep my_memory", style="green")
