"""What the README shows is run, and what it names exists."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from dualmem_graph.cli import main
from dualmem_graph.config import Settings

README = Path(__file__).parent.parent / "README.md"


def blocks(language: str) -> list[str]:
    text = README.read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL)


def commands() -> list[list[str]]:
    lines = [line for block in blocks("bash") for line in block.splitlines()]
    found = [shlex.split(line, comments=True) for line in lines]
    return [words[1:] for words in found if words[:1] == ["dual-mem"]]


@pytest.mark.parametrize("block", range(len(blocks("python"))))
def test_python_blocks_run(
    block: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)

    exec(compile(blocks("python")[block], f"README block {block}", "exec"), {"__name__": "readme"})

    assert capsys.readouterr().out


def test_the_two_minute_start_finds_what_was_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    start = commands()[:4]
    assert [words[0] for words in start] == ["add", "search", "add", "search"]

    shown = []
    for words in start:
        assert main(words) == 0
        shown.append(capsys.readouterr().out)

    assert "Berlin" in shown[1]
    assert "苏州" in shown[3]


def test_every_command_shown_is_one_that_exists(capsys: pytest.CaptureFixture[str]) -> None:
    for words in commands():
        depth = 2 if words[0] in ("config", "index") else 1
        assert main([*words[:depth], "--help"]) == 0
        described = capsys.readouterr().out
        assert [word for word in words if word.startswith("--") and word not in described] == []


def test_every_setting_shown_is_one_that_exists() -> None:
    text = README.read_text(encoding="utf-8")

    named = set(re.findall(r"DUAL_MEM_(?!TEST_)([A-Z_]+)\b", text))

    assert {name.lower() for name in named} - set(Settings.model_fields) == set()
