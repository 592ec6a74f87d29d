"""A whole store moves to another database and is the same there."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from dualmem_graph import SyncMemoryClient
from dualmem_graph.cli import main
from dualmem_graph.config import Settings
from dualmem_graph.errors import ConfigError, StoreError
from dualmem_graph.migration import migrate
from dualmem_graph.storage import copying, schema
from dualmem_graph.storage.ledger import Ledger
from dualmem_graph.testing import HashEmbeddings

Open = Callable[..., SyncMemoryClient]


def open_one(directory: Path, **settings: Any) -> SyncMemoryClient:
    given: dict[str, Any] = {"job_workers": 0, "vector_index": "off", **settings}
    return SyncMemoryClient(storage_dir=directory, embeddings=HashEmbeddings(), **given)


def fill(memory: SyncMemoryClient) -> None:
    for user in ("u", "用户一"):
        memory.add("I live in Braga.", user_id=user, session_id="s", wait=True)
        memory.add("I live in Porto.", user_id=user, session_id="s", wait=True)
        memory.add("我喜欢喝咖啡 👍。", user_id=user, metadata={"键": [1, 2.5, None]}, wait=True)
        (home,) = memory.list(user_id=user, layers=["L2"], limit=1)
        memory.delete(home.memory_id, user_id=user)
    memory.import_([{"content": f"User owns kayak {n}."} for n in range(250)], user_id="u")
    memory.add("I keep bees.", user_id="u", session_id="waits")


def everything(memory: SyncMemoryClient) -> str:
    told: list[Any] = [[scope.to_dict() for scope in memory.list_scopes()]]
    for user in ("u", "用户一"):
        told.append(memory.list(user_id=user, include_superseded=True, limit=1000).to_dict())
        told.append([event.to_dict() for event in memory.history(user_id=user, limit=10_000)])
        told.append(memory.stats(user_id=user) | {"pending_index": "of the place"})
        for query in ("where do I live", "咖啡", "kayak 42"):
            told.append(memory.search(query, user_id=user, include_superseded=True).to_dict())
    return json.dumps(told, sort_keys=True, default=str, ensure_ascii=False)


def test_a_store_moves_to_postgresql_and_back(tmp_path: Path, postgres_url: str) -> None:
    with open_one(tmp_path / "first") as memory:
        fill(memory)
        before = everything(memory)

    there = migrate(Settings(storage_dir=tmp_path / "first"), postgres_url)
    with open_one(tmp_path / "second", ledger_url=postgres_url) as memory:
        assert everything(memory) == before
        assert memory._resources.store.check() == []
    back_url = f"sqlite:///{tmp_path / 'third' / 'ledger.db'}"
    back = migrate(Settings(storage_dir=tmp_path / "second", ledger_url=postgres_url), back_url)

    # searching is usage, too
    assert {**there.rows, "usage": 0} == {**back.rows, "usage": 0}
    assert there.rows["nodes"] > 250
    with open_one(tmp_path / "third") as memory:
        assert everything(memory) == before
        assert memory.flush() is True
        memory.add("I live in Faro.", user_id="u", session_id="s", wait=True)
        assert memory._resources.store.check() == []
        assert memory.search("bees", user_id="u")[0].content == "User keeps bees."


def test_the_index_is_built_where_the_store_went(tmp_path: Path, postgres_url: str) -> None:
    with open_one(tmp_path / "first", vector_index="auto") as memory:
        fill(memory)
        assert memory.flush() is True
    migrate(Settings(storage_dir=tmp_path / "first"), postgres_url)
    with open_one(
        tmp_path / "second", ledger_url=postgres_url, vector_index="auto", exact_scan_limit=0
    ) as memory:
        assert memory.index_check().ok
        assert memory.search("kayak 42", user_id="u").degraded == ()
        memory.add("I own a loom.", user_id="u", wait=True)
        assert memory.index_check().ok


@pytest.fixture(autouse=True)
def _small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(copying, "_BATCH", 100)


KILLED = """
import os, sys
from dualmem_graph.config import Settings
from dualmem_graph.migration import migrate
from dualmem_graph.storage import copying
copying._BATCH = 100
passed = 0
def tell(table, done, total):
    global passed
    passed += 1
    if passed == int(sys.argv[3]):
        os.kill(os.getpid(), 9)
migrate(Settings(storage_dir=sys.argv[1]), sys.argv[2], progress=tell)
"""


@pytest.mark.parametrize("after", [1, 3, 6])
def test_a_killed_migration_goes_on(after: int, tmp_path: Path, postgres_url: str) -> None:
    with open_one(tmp_path / "first") as memory:
        fill(memory)
        before = everything(memory)
    command = [sys.executable, "-c", KILLED, str(tmp_path / "first"), postgres_url, str(after)]
    assert subprocess.run(command, timeout=60).returncode == -9
    told: list[tuple[str, int]] = []

    migrate(
        Settings(storage_dir=tmp_path / "first"),
        postgres_url,
        progress=lambda table, done, _: told.append((table, done)),
    )

    assert (("history", 100) in told) is (after < 3)
    assert (("nodes", 100) in told) is (after < 6)
    with open_one(tmp_path / "second", ledger_url=postgres_url) as memory:
        assert everything(memory) == before
        assert memory._resources.store.check() == []


def test_what_was_written_between_two_runs_arrives(
    tmp_path: Path, postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_one(tmp_path / "first") as memory:
        fill(memory)

        def late(*_: object) -> None:
            monkeypatch.undo()
            memory.add("I own a loom.", user_id="u", session_id="late", wait=True)

        monkeypatch.setattr(copying.Copying, "_make_searchable", late)
        with pytest.raises(StoreError, match="written to while it was copied"):
            migrate(Settings(storage_dir=tmp_path / "first"), postgres_url)
        before = everything(memory)

    migrate(Settings(storage_dir=tmp_path / "first"), postgres_url)

    with open_one(tmp_path / "second", ledger_url=postgres_url) as memory:
        assert everything(memory) == before


def test_a_row_that_was_lost_or_changed_is_noticed(
    tmp_path: Path, postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_one(tmp_path / "first") as memory:
        fill(memory)

    def spoil(self: copying.Copying) -> None:
        with self._target.write() as conn:
            one = sa.select(sa.func.max(schema.nodes.c.seq)).scalar_subquery()
            conn.execute(
                sa.update(schema.nodes).where(schema.nodes.c.seq == one).values(content="other")
            )

    monkeypatch.setattr(copying.Copying, "_make_searchable", spoil)
    with pytest.raises(StoreError, match=r"'nodes' differs.*rows with checksum"):
        migrate(Settings(storage_dir=tmp_path / "first"), postgres_url)


def test_only_an_empty_database_is_a_target(tmp_path: Path, postgres_url: str) -> None:
    for name in ("first", "other"):
        with open_one(tmp_path / name) as memory:
            memory.add("I own a loom.", user_id=name, wait=True)
    other = f"sqlite:///{tmp_path / 'other' / 'ledger.db'}"
    first = Settings(storage_dir=tmp_path / "first")
    with pytest.raises(StoreError, match="holds another store"):
        migrate(first, other)
    with pytest.raises(ConfigError, match="already"):
        migrate(first, f"sqlite:///{tmp_path / 'first' / 'ledger.db'}")
    with pytest.raises(ConfigError, match="no store"):
        migrate(Settings(storage_dir=tmp_path / "nothing"), postgres_url)
    migrate(first, postgres_url)
    with pytest.raises(StoreError, match="this very store already"):
        migrate(first, postgres_url)
    with open_one(tmp_path / "other") as memory:
        assert [scope.user_id for scope in memory.list_scopes()] == ["other"]


def test_the_command_moves_a_store(
    tmp_path: Path, postgres_url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with open_one(tmp_path / "first") as memory:
        memory.add("I own a loom.", user_id="u", wait=True)
    command = ["migrate", "--to", postgres_url, "--storage-dir", str(tmp_path / "first"), "--json"]
    assert main(command) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["rows"]["nodes"] == 2
    ledger = Ledger(postgres_url, Settings(storage_dir=tmp_path))
    with ledger.read() as conn:
        assert conn.execute(sa.select(sa.func.count()).select_from(schema.nodes)).scalar_one() == 2
    ledger.close()
