"""The table of commands, and the border at which an exception becomes one line and an exit code."""

from __future__ import annotations

import logging
import sys
from collections.abc import Sequence
from typing import Annotated

import typer

from dualmem_graph import errors
from dualmem_graph.cli import (
    configuration,
    forgetting,
    index,
    memory,
    migration,
    output,
    portability,
    reembed,
    showcase,
    store,
)

OK, FAILED, BAD_USAGE = 0, 1, 2

#: What the caller can mend by typing something else.
_USAGE_ERRORS = (
    errors.ScopeError,
    errors.InputError,
    errors.FilterError,
    errors.ConfigError,
)

logger = logging.getLogger(__name__)

# Plain help: typer's rich help alone costs 0.4 s of imports, more than the rest together.
app = typer.Typer(
    name="dual-mem",
    help="Long-term memory for agents: say it, keep it, find it again.",
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
index_commands = typer.Typer(name="index", help="Check the vector index, or make it anew.")
config = typer.Typer(name="config", help="Show the settings, or write a file to change them in.")

app.command("demo")(showcase.demo)
app.command("add")(memory.add)
app.command("search")(memory.search)
app.command("context")(memory.context)
app.command("list")(memory.list_memories)
app.command("get")(memory.get)
app.command("update")(memory.update)
app.command("delete")(memory.delete)
app.command("restore")(memory.restore)
app.command("purge")(forgetting.purge)
app.command("compact")(forgetting.compact)
app.command("history")(memory.history)
app.command("profile")(memory.profile)
app.command("scopes")(store.scopes)
app.command("delete-scope")(store.delete_scope)
app.command("export")(portability.export)
app.command("import")(portability.import_)
app.command("reembed")(reembed.reembed)
app.command("migrate")(migration.migrate)
app.command("jobs")(store.jobs)
app.command("retry")(store.retry)
app.command("stats")(store.stats)
app.command("status")(store.status)
app.command("flush")(store.flush)
config.command("show")(configuration.show)
config.command("init")(configuration.init)
index_commands.command("check")(index.check)
index_commands.command("rebuild")(index.rebuild)
app.add_typer(config)
app.add_typer(index_commands)


@app.callback(invoke_without_command=True)
def root(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
    debug: Annotated[
        bool, typer.Option("--debug", help="Log to stderr, and show tracebacks.")
    ] = False,
) -> None:
    """Long-term memory for agents: say it, keep it, find it again."""
    if debug:
        logging.basicConfig(level=logging.DEBUG)
    if version:
        from dualmem_graph._version import __version__

        typer.echo(__version__)
    elif context.invoked_subcommand is None:
        typer.echo(context.get_help())


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code.

    Args:
        arguments: what follows the program's name; ``sys.argv[1:]`` when not given.

    >>> main(["--version"])  # doctest: +ELLIPSIS
    0...
    0
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    as_json = "--json" in given
    output.prepare_streams()
    try:
        return int(app(args=given, prog_name="dual-mem", standalone_mode=False) or OK)
    except typer.Abort:
        output.fail("Aborted", "stopped before it was done", as_json=as_json)
        return FAILED
    except typer.TyperException as error:
        problem = error.format_message().rstrip(".")
        output.fail("UsageError", f"{problem}. See 'dual-mem --help'.", as_json=as_json)
        return BAD_USAGE
    except errors.DualMemError as error:
        output.fail(type(error).__name__, str(error), as_json=as_json)
        return BAD_USAGE if isinstance(error, _USAGE_ERRORS) else FAILED
    except OSError as error:
        output.fail(type(error).__name__, str(error), as_json=as_json)
        return FAILED
    except Exception as error:
        # The process's border: one line for a person, JSON for a program; the rest with --debug.
        logger.debug("unexpected error", exc_info=True)
        if "--debug" in given:
            raise
        output.fail(
            type(error).__name__,
            f"{error} (unexpected {type(error).__name__}; 'dual-mem --debug …' shows where)",
            as_json=as_json,
        )
        return FAILED
