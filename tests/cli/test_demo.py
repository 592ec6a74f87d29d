"""The demo, end to end on a real store."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dualmem_graph.cli import main
from dualmem_graph.demo import render, run_demo
from dualmem_graph.demo.chats import people_in
from dualmem_graph.demo.report import DemoReport
from dualmem_graph.demo.run import exchanges


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> DemoReport:
    return run_demo(keep=tmp_path_factory.mktemp("demo"))


def drawn(report: DemoReport, width: int) -> str:
    from io import StringIO

    from rich.console import Console

    out = StringIO()
    render.draw(report, Console(file=out, width=width, highlight=False))
    return out.getvalue()


def test_six_questions_are_answered_as_their_author_expects(report: DemoReport) -> None:
    answers = [answer for person in report.people for answer in person.answers]

    assert len(answers) == 6
    missed = [(a.question, a.answer) for a in answers if a.expect not in (a.answer or "")]
    assert missed == []
    assert all(answer.quote and answer.said.startswith("2025-") for answer in answers)


def test_the_homes_are_two_chains_newest_first(report: DemoReport) -> None:
    for person in report.people:
        (chain,) = person.chains
        days = [version.said for version in chain.versions]
        assert len(days) >= 2
        assert days == sorted(days, reverse=True)


def test_every_turn_is_kept_and_each_person_has_facts_likes_and_a_profile(
    report: DemoReport,
) -> None:
    for person in report.people:
        kept = {row.layer.value: row.kept for row in person.layers}
        assert kept["L1_RAW"] == person.messages == 70
        assert kept["L0_BASIC_INFO"] >= 3
        assert kept["L2_FACT"] >= 10
        assert kept["L4_IDENTITY"] >= 3


def test_it_takes_less_than_twenty_seconds(report: DemoReport) -> None:
    assert report.seconds < 20


@pytest.mark.parametrize("width", [80, 120])
def test_no_line_is_wider_than_the_screen_but_commands(report: DemoReport, width: int) -> None:
    from rich.cells import cell_len

    shown = drawn(report, width)

    assert "\x1b" not in shown
    lines = [line for line in shown.splitlines() if not line.startswith("  dual-mem ")]
    assert max(cell_len(line) for line in lines) <= width
    assert [line for line in lines if "dual-mem" in line] == []
    for person in report.people:
        for answer in person.answers:
            assert answer.question in shown


def test_the_same_chat_twice_in_one_store_is_kept_once(tmp_path: Path) -> None:
    chat = tmp_path / "chat.json"
    chat.write_text(
        json.dumps(
            [
                {"role": "user", "content": "I live in Porto and I like tea."},
                {"role": "assistant", "content": "Nice!"},
                {"role": "user", "content": "My sister Rita is a nurse."},
            ]
        ),
        encoding="utf-8",
    )

    first = run_demo(file=chat, keep=tmp_path / "store")
    again = run_demo(file=chat, keep=tmp_path / "store")

    assert again.people[0].layers == first.people[0].layers
    assert {row.layer.value: row.kept for row in first.people[0].layers}["L1_RAW"] == 3


@pytest.mark.parametrize(
    ("said", "question", "answer"),
    [
        ("I live in Porto. I work as a baker.", "Where do I live?", "Porto"),
        ("我住在苏州，是一名护士。", "我住在哪里？", "苏州"),
    ],
)
def test_ones_own_chat_is_asked_from_what_memory_knows(
    tmp_path: Path,
    said: str,
    question: str,
    answer: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    chat = tmp_path / "chat.jsonl"
    chat.write_text(json.dumps({"role": "user", "content": said}), encoding="utf-8")

    assert main(["demo", "--file", str(chat), "--json"]) == 0

    out, err = capsys.readouterr()
    (person,) = json.loads(out)["people"]
    assert person["answers"][0]["question"] == question
    assert answer in person["answers"][0]["answer"]
    assert person["answers"][0]["quote"] in said
    assert err == ""


def test_given_questions_are_asked_and_nothing_relevant_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    chat = tmp_path / "chat.json"
    chat.write_text('[{"role": "user", "content": "ok thanks"}]', encoding="utf-8")

    assert main(["demo", "--file", str(chat), "--ask", "Which volcano erupted?"]) == 0

    out = capsys.readouterr().out
    assert "Which volcano erupted?" in out
    assert "nothing relevant is remembered" in out
    assert "nothing took another's place" in out


def test_a_temporary_store_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    chat = tmp_path / "chat.json"
    chat.write_text('[{"role": "user", "content": "I live in Porto."}]', encoding="utf-8")

    report = run_demo(file=chat)

    assert report.storage_dir is None
    assert list(tmp_path.iterdir()) == [chat]


def test_exchanges_end_where_another_starts_to_speak() -> None:
    def cut(*turns: tuple[str, str]) -> list[list[str]]:
        messages = [{"role": role, "content": text} for role, text in turns]
        (person,) = people_in(messages, name="chat")
        return [[m["content"] for m in part] for part in exchanges(person.sessions[0])]

    assert cut(("user", "a"), ("user", "b"), ("assistant", "c"), ("user", "d")) == [
        ["a", "b", "c"],
        ["d"],
    ]
    assert cut(("Nils", "a"), ("Jo", "b"), ("Jo", "c")) == [["a"], ["b", "c"]]
    assert cut(("assistant", "a"), ("user", "b")) == [["a"], ["b"]]
