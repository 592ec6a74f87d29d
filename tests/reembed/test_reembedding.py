"""A store changes over to another embedder while it is used, all at once or not at all."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from dualmem_graph import SyncMemoryClient
from dualmem_graph.errors import EmbeddingError, EmbeddingMismatchError
from dualmem_graph.testing import HashEmbeddings

Open = Callable[..., SyncMemoryClient]


class Named(HashEmbeddings):
    """Hashed embeddings under another name: as wide as the others, and of another meaning."""

    def __init__(self, model: str, width: int = 64) -> None:
        super().__init__(width)
        self.model = model

    def embed_query(self, text: str) -> list[float]:
        return super().embed_query(text)[::-1]


@pytest.fixture(params=["sqlite", "postgresql"])
def ledger(request: pytest.FixtureRequest) -> dict[str, Any]:
    if request.param == "sqlite":
        return {}
    return {"ledger_url": request.getfixturevalue("postgres_url")}


@pytest.fixture
def open_one(tmp_path: Path, ledger: dict[str, Any]) -> Iterator[Open]:
    with ExitStack() as stack:

        def open_it(**settings: Any) -> SyncMemoryClient:
            given = {"storage_dir": tmp_path / "store", "job_workers": 0, **ledger, **settings}
            given.setdefault("embeddings", HashEmbeddings(64))
            return stack.enter_context(SyncMemoryClient(**given))

        yield open_it
        with open_it(vector_index="off") as last:
            assert last._resources.store.check() == []


def fill(memory: SyncMemoryClient, user: str = "u") -> None:
    memory.add("I live in Braga.", user_id=user, wait=True)
    memory.add("I live in Porto.", user_id=user, wait=True)
    memory.add("我喜欢喝咖啡。", user_id=user, wait=True)
    memory.import_([{"content": f"User owns kayak {n}."} for n in range(600)], user_id=user)
    gone = memory.search("kayak 7", user_id=user)[0]
    memory.delete(gone.memory_id, user_id=user)


def cosine(memory: SyncMemoryClient, query: str, user: str = "u") -> float:
    """The cosine of the best match: about 1 for its own words, of one embedder or the other."""
    found = memory.search(query, user_id=user, explain=True)
    assert [reason for reason in found.degraded if not reason.startswith("vector_index")] == []
    return float((found[0].score_details or {})["cosine"])


@pytest.mark.parametrize(
    "new", [HashEmbeddings(32), Named("other", 64)], ids=["other width", "other name"]
)
def test_everything_gets_a_new_vector_at_once(new: Any, open_one: Open) -> None:
    memory = open_one(exact_scan_limit=0, vector_apply_delay=0.0, vector_timeout=30.0)
    fill(memory)
    before = memory.list(user_id="u", include_superseded=True, limit=1000)
    told: list[tuple[int, int]] = []

    result = memory.reembed(new, progress=lambda done, total: told.append((done, total)))

    assert result.status == "switched"
    assert result.embedded == result.total == told[-1][0] == told[-1][1]
    assert result.before != result.after
    assert memory._resources.store.status()["embedder"] == result.after
    after = memory.list(user_id="u", include_superseded=True, limit=1000)
    assert [item.memory_id for item in after] == [item.memory_id for item in before]
    assert cosine(memory, "User owns kayak 42.") > 0.99
    assert cosine(memory, "用户喜欢喝咖啡。") > 0.5
    assert memory.stats()["pending_embeddings"] == 0
    past = memory.search("Braga", user_id="u", include_superseded=True, layers=["L2"])
    assert "User lives in Braga." in [item.content for item in past]
    hidden = memory.history(user_id="u", limit=10_000)
    deleted = next(event.memory_id for event in hidden if event.event == "DELETE")
    assert memory.restore(deleted, user_id="u").content.startswith("User owns kayak")
    memory.add("I keep bees.", user_id="u", wait=True)
    assert cosine(memory, "User keeps bees.") > 0.99
    assert memory.flush() is True
    assert memory.index_check().ok
    assert memory.reembed(new).status == "unchanged"


def test_a_changed_configuration_can_list_and_then_reembed(open_one: Open) -> None:
    with open_one() as memory:
        fill(memory)
    changed = open_one(embeddings=HashEmbeddings(32))
    assert len(changed.list(user_id="u", limit=1000)) == 602
    with pytest.raises(EmbeddingMismatchError, match=r"64.*32.*reembed"):
        changed.search("kayak", user_id="u")
    with pytest.raises(EmbeddingMismatchError, match=r"64.*32"):
        changed.add("I keep bees.", user_id="u")

    assert changed.reembed().status == "switched"

    assert cosine(changed, "User owns kayak 42.") > 0.99


class Failing(HashEmbeddings):
    """Fails after some calls."""

    def __init__(self, width: int, calls: int) -> None:
        super().__init__(width)
        self.left = calls
        self.embedded: list[str] = []

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        self.left -= 1
        if self.left < 0:
            raise ConnectionError("the endpoint went away")
        self.embedded += texts
        return super().embed_documents(texts)


def test_a_run_that_failed_changes_nothing_and_goes_on_later(open_one: Open) -> None:
    memory = open_one()
    fill(memory)
    failing = Failing(32, calls=2)

    with pytest.raises(EmbeddingError, match=r"stopped at \d+ of \d+ memories"):
        memory.reembed(failing)

    assert cosine(memory, "User owns kayak 42.") > 0.99
    done = len(failing.embedded)
    assert done > 0
    failing.left = 1000
    result = memory.reembed(failing)
    assert result.status == "switched"
    assert result.embedded == result.total - len(failing.embedded[:done]) + _asked_before(failing)
    assert cosine(memory, "User owns kayak 42.") > 0.99


def _asked_before(failing: Failing) -> int:
    """Texts that were embedded and not kept (the width was asked for)."""
    return len(failing.embedded) - len(set(failing.embedded))


def test_vectors_gathered_for_a_third_embedder_are_dropped(open_one: Open) -> None:
    memory = open_one()
    fill(memory)
    with pytest.raises(EmbeddingError):
        memory.reembed(Failing(16, calls=2))
    result = memory.reembed(HashEmbeddings(32))
    assert (result.status, result.embedded) == ("switched", result.total)
    assert cosine(memory, "User owns kayak 42.") > 0.99


def test_what_is_written_and_searched_meanwhile_is_included(open_one: Open) -> None:
    memory = open_one()
    fill(memory)
    errors: list[Exception] = []
    started, stop = threading.Event(), threading.Event()
    added: list[str] = []

    def work(number: int) -> None:
        try:
            place = 0
            while not stop.is_set():
                memory.add(f"I bought lamp {number}-{place}.", user_id="u", session_id=str(number))
                added.append(f"{number}-{place}")
                assert memory.search(f"lamp {number}-{place}", user_id="u", threshold=0.2)
                place += 1
                started.set()
        except Exception as error:  # noqa: BLE001  (it is looked at below)
            errors.append(error)
            started.set()

    threads = [threading.Thread(target=work, args=(number,)) for number in range(2)]
    for thread in threads:
        thread.start()
    assert started.wait(30)
    try:
        assert memory.reembed(HashEmbeddings(32)).status == "switched"
        assert memory.reembed(Named("third", 32)).status == "switched"
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    assert errors == []
    assert memory.flush() is True
    assert memory.stats()["pending_embeddings"] == 0
    said = [item.content for item in memory.list(user_id="u", layers=["L1"], limit=1000)]
    assert all(f"I bought lamp {name}." in said for name in added)
    assert len(added) >= 2


def test_another_process_with_the_old_embedder_compares_nothing(open_one: Open) -> None:
    """Here two clients with stores of their own stand for two processes."""
    memory = open_one()
    fill(memory)
    other = open_one()
    shared = other._resources.store._shared
    assert other.search("kayak 42", user_id="u")

    memory.reembed(Named("other", 64))
    shared.embedder = "dualmem_graph.testing.HashEmbeddings:64"  # what the other remembers

    with pytest.raises(EmbeddingMismatchError, match="other"):
        other.search("kayak 42", user_id="u")
    before = memory.stats()["nodes"]
    with pytest.raises(EmbeddingMismatchError, match="other"):
        other.add("I keep bees.", user_id="u")
    with pytest.raises(EmbeddingMismatchError, match="other"):
        other.import_([{"content": "User keeps bees."}], user_id="u")
    assert memory.stats()["nodes"] == before
    assert cosine(memory, "User owns kayak 42.") > 0.99


def test_a_memory_without_a_vector_gets_one_too(open_one: Open) -> None:
    memory = open_one(embeddings=Failing(64, calls=2))
    memory.import_([{"content": "User owns a loom."}], user_id="u")
    with pytest.raises(EmbeddingError):
        memory._resources.embedder.embed(["what the embedder says now"])
    memory.import_([{"content": "User keeps bees."}], user_id="u")
    assert memory.stats()["pending_embeddings"] == 1
    assert memory.reembed(HashEmbeddings(32)).total == 2
    assert memory.stats()["pending_embeddings"] == 0
    assert cosine(memory, "User keeps bees.") > 0.99


def test_an_empty_store_has_nothing_to_change(open_one: Open) -> None:
    memory = open_one()
    result = memory.reembed(HashEmbeddings(32))
    assert (result.status, result.total, result.before) == ("unchanged", 0, None)
    memory.add("I keep bees.", user_id="u", wait=True)
    assert cosine(memory, "User keeps bees.") > 0.99


KILLED = """
import os, sys
from dualmem_graph import SyncMemoryClient
from dualmem_graph.testing import HashEmbeddings
memory = SyncMemoryClient(storage_dir=sys.argv[1], embeddings=HashEmbeddings(64), job_workers=0)
def tell(done, total):
    if done >= int(sys.argv[2]):
        os.kill(os.getpid(), 9)
memory.reembed(HashEmbeddings(32), progress=tell)
"""


def test_a_killed_run_goes_on_where_it_stopped(tmp_path: Path) -> None:
    store = tmp_path / "store"
    with SyncMemoryClient(storage_dir=store, embeddings=HashEmbeddings(64), job_workers=0) as first:
        fill(first)
    done = subprocess.run([sys.executable, "-c", KILLED, str(store), "400"], timeout=60)
    assert done.returncode == -9
    with SyncMemoryClient(storage_dir=store, embeddings=HashEmbeddings(64), job_workers=0) as again:
        assert cosine(again, "User owns kayak 42.") > 0.99
        assert again._resources.store.check() == []
        result = again.reembed(HashEmbeddings(32))
        assert result.status == "switched"
        assert result.embedded <= result.total - 400
        assert cosine(again, "User owns kayak 42.") > 0.99


def test_what_is_purged_meanwhile_leaves_no_vector_behind(open_one: Open) -> None:
    memory = open_one()
    memory.add("I own a kayak.", user_id="u", session_id="s", wait=True)
    memory.add("I own a loom.", user_id="u", session_id="t", wait=True)
    work = memory._resources.store.reembedding("other:64")
    before, _, _ = work.prepare()
    waiting = work.waiting(0, 100)
    vectors = list(memory._resources.embedder.embed([item.content for item in waiting]))
    memory.purge(session_id="s", user_id="u")

    work.keep(waiting, vectors)

    assert work.progress() == (2, 2)
    assert work.switch(before) is True
    memory._resources.store.forget_embedder()
    assert memory.stats()["nodes"] == 2
