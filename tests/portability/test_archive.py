"""An archive holds all of a scope, and brings all of it back."""

from __future__ import annotations

import io
import json
import stat
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from dualmem_graph import SyncMemoryClient
from dualmem_graph.errors import InputError
from dualmem_graph.testing import HashEmbeddings

Open = Callable[..., SyncMemoryClient]


@pytest.fixture(params=["sqlite", "postgresql"])
def ledger(request: pytest.FixtureRequest) -> dict[str, Any]:
    if request.param == "sqlite":
        return {}
    return {"ledger_url": request.getfixturevalue("postgres_url")}


@pytest.fixture
def open_store(tmp_path: Path) -> Iterator[Open]:
    with ExitStack() as stack:

        def open_one(name: str, **settings: Any) -> SyncMemoryClient:
            given: dict[str, Any] = {"job_workers": 0, "vector_index": "off"} | settings
            given.setdefault("embeddings", HashEmbeddings())
            return stack.enter_context(SyncMemoryClient(storage_dir=tmp_path / name, **given))

        yield open_one


def fill(memory: SyncMemoryClient, now: list[datetime], user: str = "u") -> None:
    """Chains, deletions, an edit, a purge, a turn with two sources; in both languages."""
    said = ["I live in Braga.", "I live in Porto.", "我喜欢喝咖啡。", "I own a loom and a kayak."]
    for place, text in enumerate(said):
        now[0] += timedelta(days=1)
        memory.add(
            text, user_id=user, session_id="s", agent_id="a", metadata={"n": place}, wait=True
        )
    now[0] += timedelta(days=1)
    loom = next(item for item in memory.list(user_id=user) if "loom" in item.content)
    edited = memory.update(loom.memory_id, "User owns a big loom.", tags=["craft"], user_id=user)
    memory.add("I keep bees.", user_id=user, session_id="t", wait=True)
    bees = next(item for item in memory.list(user_id=user) if "bees" in item.content)
    memory.delete(bees.memory_id, user_id=user)
    memory.add("I own a raft.", user_id=user, session_id="x", wait=True)
    memory.purge(session_id="x", user_id=user)
    memory.add("I own a big loom indeed.", user_id=user, session_id="t")
    assert edited.memory_id
    memory.flush()


def archive_of(memory: SyncMemoryClient, user: str = "u", **options: Any) -> list[dict[str, Any]]:
    """The records of an archive without its header and footer."""
    file = io.StringIO()
    memory.export(file, user_id=user, **options)
    return [json.loads(line) for line in file.getvalue().splitlines()][1:-1]


@pytest.mark.parametrize("vectors", [True, False])
def test_what_comes_back_is_equal(
    vectors: bool, ledger: dict[str, Any], open_store: Open, tmp_path: Path
) -> None:
    now = [datetime(2025, 3, 1, tzinfo=UTC)]
    first = open_store("first", clock=lambda: now[0])
    fill(first, now)
    path = tmp_path / "u.jsonl"
    exported = first.export(path, user_id="u", include_vectors=vectors)
    second = open_store("second", clock=lambda: now[0], **ledger)

    rehearsed = second.import_(path, user_id="u", dry_run=True)
    assert second.list_scopes() == []
    imported = second.import_(path, user_id="u")

    nodes = exported.counts["node"]
    assert (imported.added, imported.skipped) == (nodes, 0)
    assert (rehearsed.added, rehearsed.pending) == (imported.added, imported.pending)
    assert (imported.pending == 0) is vectors
    assert archive_of(second) == archive_of(first)
    assert second._resources.store.check() == []
    assert second.list(user_id="u").to_dict() == first.list(user_id="u").to_dict()
    assert second.flush() is True
    assert second.stats(user_id="u")["pending_embeddings"] == 0
    for query in ("where do I live", "咖啡", "loom"):
        found = [item.memory_id for item in second.search(query, user_id="u")]
        assert found == [item.memory_id for item in first.search(query, user_id="u")]
    second.add("I live in Faro.", user_id="u", wait=True)
    (home,) = second.list(user_id="u", layers=["L2"], limit=1)
    assert len(home.evolution_chain or ()) == 3


def test_an_archive_twice_changes_nothing(open_store: Open, tmp_path: Path) -> None:
    now = [datetime(2025, 3, 1, tzinfo=UTC)]
    memory = open_store("first", clock=lambda: now[0])
    fill(memory, now)
    path = tmp_path / "u.jsonl"
    memory.export(path, user_id="u", include_vectors=True)
    before = archive_of(memory, include_vectors=True)

    result = memory.import_(path, user_id="u")

    assert result.added == 0
    assert archive_of(memory, include_vectors=True) == before


def test_another_user_gets_ids_of_their_own(open_store: Open, tmp_path: Path) -> None:
    now = [datetime(2025, 3, 1, tzinfo=UTC)]
    memory = open_store("first", clock=lambda: now[0])
    fill(memory, now)
    path = tmp_path / "u.jsonl"
    memory.export(path, user_id="u")
    before = archive_of(memory)

    result = memory.import_(path, user_id="v")

    assert result.added == len([record for record in before if record["kind"] == "node"])
    assert archive_of(memory) == before
    mine = {record["id"] for record in before if record["kind"] == "node"}
    theirs = {record["id"] for record in archive_of(memory, "v") if record["kind"] == "node"}
    assert not mine & theirs
    assert memory._resources.store.check() == []
    told = [(item.content, item.status) for item in memory.list(user_id="v")]
    assert told == [(item.content, item.status) for item in memory.list(user_id="u")]
    (home,) = [item for item in memory.list(user_id="v", layers=["L2"]) if "Porto" in item.content]
    assert len(home.evolution_chain or ()) == 2
    assert memory.import_(path, user_id="v").added == 0


def test_what_was_deleted_or_purged_here_stays_out(open_store: Open, tmp_path: Path) -> None:
    now = [datetime(2025, 3, 1, tzinfo=UTC)]
    memory = open_store("first", clock=lambda: now[0])
    fill(memory, now)
    path = tmp_path / "u.jsonl"
    memory.export(path, user_id="u")
    home = next(item for item in memory.list(user_id="u", layers=["L2"]) if "Porto" in item.content)
    coffee = next(item for item in memory.list(user_id="u") if "咖啡" in item.content)
    memory.purge(home.memory_id, user_id="u")
    memory.delete(coffee.memory_id, user_id="u")
    before = [item.content for item in memory.list(user_id="u")]

    memory.import_(path, user_id="u")

    assert [item.content for item in memory.list(user_id="u")] == before
    assert memory._resources.store.check() == []
    assert memory.profile(user_id="u") == {}


def test_an_archive_meets_what_was_said_since(open_store: Open, tmp_path: Path) -> None:
    """Braga was replaced by Porto there, and by Faro here: one head, the one said last."""
    now = [datetime(2025, 3, 1, tzinfo=UTC)]
    first = open_store("first", clock=lambda: now[0])
    first.add("I live in Braga.", user_id="u", session_id="s", wait=True)
    first.export(tmp_path / "early.jsonl", user_id="u")
    now[0] += timedelta(days=1)
    first.add("I live in Porto.", user_id="u", session_id="s", wait=True)
    first.export(tmp_path / "late.jsonl", user_id="u")
    second = open_store("second", clock=lambda: now[0])
    second.import_(tmp_path / "early.jsonl", user_id="u")
    now[0] += timedelta(days=1)
    second.add("I live in Faro.", user_id="u", session_id="s", wait=True)

    second.import_(tmp_path / "late.jsonl", user_id="u")

    assert second._resources.store.check() == []
    (head,) = second.list(user_id="u", layers=["L2"])
    chain = [version.content for version in head.evolution_chain or ()]
    assert chain == [f"User lives in {city}." for city in ("Faro", "Porto", "Braga")]


def test_vectors_of_another_embedder_are_made_anew(open_store: Open, tmp_path: Path) -> None:
    first = open_store("first")
    first.add("I own a loom.", user_id="u", wait=True)
    first.export(tmp_path / "u.jsonl", user_id="u", include_vectors=True)
    second = open_store("second", embeddings=HashEmbeddings(32))

    result = second.import_(tmp_path / "u.jsonl", user_id="u")

    assert (result.added, result.pending) == (2, 2)
    assert second.search("loom", user_id="u")[0].content == "User owns a loom."
    assert second.flush() is True
    assert second.stats(user_id="u")["pending_embeddings"] == 0


def test_a_file_appears_whole_and_private(open_store: Open, tmp_path: Path) -> None:
    memory = open_store("first")
    memory.add("I own a loom.", user_id="u", wait=True)
    path = tmp_path / "u.jsonl"
    result = memory.export(path, user_id="u")
    assert (result.path, result.counts["node"]) == (str(path), 2)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [file.name for file in tmp_path.glob("*jsonl*")] == ["u.jsonl"]
    with pytest.raises(InputError, match="no-such"):
        memory.export(tmp_path / "no-such" / "u.jsonl", user_id="u")
    assert memory.export(io.StringIO(), user_id="nobody").counts == {}


@pytest.mark.parametrize(
    ("damage", "told"),
    [
        (lambda lines: lines[:-1], "no footer"),
        (lambda lines: [*lines[:3], *lines[4:]], "does not match its footer"),
        (lambda lines: [lines[0], lines[1].replace("loom", "boom"), *lines[2:]], "footer"),
        (lambda lines: [lines[0].replace('"version":1', '"version":99'), *lines[1:]], "99"),
        (lambda lines: [lines[0], lines[1][:40] + "\n", *lines[2:]], "line 2 is not JSON"),
        (lambda lines: [lines[0], lines[1].replace("L1_RAW", "L9"), *lines[2:]], "line 2.*L9"),
        (lambda lines: [*lines, lines[1]], "after its footer"),
        (lambda lines: lines[:1], "no footer"),
    ],
)
def test_a_damaged_archive_is_refused_as_a_whole(
    damage: Callable[[list[str]], list[str]], told: str, open_store: Open, tmp_path: Path
) -> None:
    memory = open_store("first")
    memory.add("I own a loom.", user_id="u", wait=True)
    path = tmp_path / "u.jsonl"
    memory.export(path, user_id="u")
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(damage(lines)))

    with pytest.raises(InputError, match=told):
        memory.import_(path, user_id="v")

    assert [scope.user_id for scope in memory.list_scopes()] == ["u"]
