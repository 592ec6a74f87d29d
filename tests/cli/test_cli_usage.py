"""How the command line starts, and what it says when it is used wrongly."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from dualmem_graph.cli import main

COMMANDS = [
    "demo",
    "add",
    "search",
    "context",
    "list",
    "get",
    "update",
    "delete",
    "restore",
    "purge",
    "compact",
    "history",
    "profile",
    "scopes",
    "delete-scope",
    "export",
    "import",
    "reembed",
    "migrate",
    "jobs",
    "retry",
    "stats",
    "status",
    "flush",
    "config",
    "index",
]


def test_help_names_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0

    out, err = capsys.readouterr()
    assert [line.split()[0] for line in out.partition("Commands:\n")[2].splitlines()] == COMMANDS
    assert "..." not in out.partition("Commands:\n")[2]
    assert err == ""


def test_no_command_shows_the_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0

    assert "Commands:" in capsys.readouterr().out


@pytest.mark.parametrize("command", [*COMMANDS, "config show", "config init"])
def test_every_command_has_help(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*command.split(), "--help"]) == 0

    assert "Usage: dual-mem" in capsys.readouterr().out


def test_help_imports_nothing_heavy_and_starts_quickly() -> None:
    heavy = ("chromadb", "langgraph", "langchain_core", "sqlalchemy", "pydantic", "numpy", "rich")
    code = (
        "import sys; from dualmem_graph.cli import main; main(['--help']);"
        f"print([name for name in {heavy!r} if name in sys.modules], file=sys.stderr)"
    )

    def run() -> tuple[float, str]:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        return used, done.stderr.strip()

    runs = [run() for _ in range(3)]

    assert {imported for _, imported in runs} == {"[]"}
    # Processor seconds, the least of three: other tests run beside this one.
    assert min(seconds for seconds, _ in runs) < 0.5


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["serch", "x"], "No such command 'serch'"),
        (["search", "x"], "Missing option '--user-id'"),
        (["search", "--user-id", "u"], "Missing argument 'QUERY'"),
        (["search", "x", "--user-id", "u", "--top-k", "many"], "--top-k"),
        (["search", "x", "--user-id", "u", "--filters", "{"], "--filters is not JSON"),
        (["search", "x", "--user-id", "u", "--filters", "[]"], "--filters must be a JSON object"),
        (["add", "--user-id", "u"], "exactly one of --content"),
        (["add", "-u", "u", "-c", "x", "--messages-json", "[]"], "exactly one of --content"),
        (["add", "-u", "u", "--messages-json", "[{"], "--messages-json is not JSON"),
        (["add", "-u", "u", "-c", "x", "--metadata", "7"], "--metadata must be a JSON object"),
        (["delete-scope", "--user-id", "u"], "repeat it with --confirm"),
        (["demo", "--fil", "x"], "No such option: --fil"),
    ],
)
def test_wrong_usage_is_one_line_on_stderr_and_exit_code_2(
    arguments: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2

    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("error: ")
    assert err.count("\n") == 1
    assert says in err


def test_wrong_usage_is_json_where_json_was_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["search", "x", "--json"]) == 2

    out, err = capsys.readouterr()
    assert out == ""
    error = json.loads(err)["error"]
    assert error["type"] == "UsageError"
    assert "Missing option '--user-id'" in error["message"]


def test_a_missing_file_is_a_failure_that_names_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    missing = tmp_path / "no.json"

    assert main(["demo", "--file", str(missing)]) == 1

    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("error: ")
    assert str(missing) in err


def test_the_version_is_the_packages(capsys: pytest.CaptureFixture[str]) -> None:
    from dualmem_graph._version import __version__

    assert main(["--version"]) == 0

    assert capsys.readouterr().out == f"{__version__}\n"
