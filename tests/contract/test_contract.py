"""What every backend must do: SQLite or PostgreSQL, Chroma embedded or as a server."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from dualmem_graph import SyncMemoryClient
from dualmem_graph.errors import (
    EmbeddingMismatchError,
    InputError,
    MemoryNotFoundError,
    NotHeadError,
)
from dualmem_graph.testing import HashEmbeddings

Open = Callable[..., SyncMemoryClient]


def texts(memory: SyncMemoryClient, user: str = "u") -> list[str]:
    return [item.content for item in reversed(memory.list(user_id=user, limit=1000))]


def test_what_is_said_is_kept_and_found_through_the_index(memory: SyncMemoryClient) -> None:
    memory.add("I live in Porto and I keep bees.", user_id="u", session_id="s", wait=True)
    memory.add("我喜欢喝咖啡。", user_id="u", session_id="s", wait=True)
    memory.add("I own a loom.", user_id="v", wait=True)
    assert memory.flush() is True

    found = memory.search("who keeps bees", user_id="u")
    coffee = memory.search("咖啡", user_id="u")

    assert "bees" in found[0].content
    assert "咖啡" in coffee[0].content
    assert (found.degraded, coffee.degraded) == ((), ())
    assert memory.status()["index"]["searches"]["index"] > 0
    assert memory.search("loom", user_id="u", threshold=0.3) == []
    assert memory.index_check().ok


def test_a_new_statement_takes_the_place_of_the_old_one(memory: SyncMemoryClient) -> None:
    for city in ("Braga", "Porto", "Braga"):
        memory.add(f"I live in {city}.", user_id="u", wait=True)

    (head,) = memory.list(user_id="u", layers=["L2"])
    versions = [version.content for version in head.evolution_chain or ()]

    assert versions == [f"User lives in {city}." for city in ("Braga", "Porto", "Braga")]
    assert memory.profile(user_id="u")["location"].metadata["value"] == "Braga"
    found = memory.search("where do I live", user_id="u", include_superseded=True, layers=["L2"])
    assert len(found) == 3


def test_as_of_answers_with_what_was_known_then(open_client: Open) -> None:
    now = [datetime(2025, 3, 1, tzinfo=UTC)]
    memory = open_client(clock=lambda: now[0])
    memory.add("I live in Braga.", user_id="u", wait=True)
    now[0] += timedelta(days=30)
    memory.add("I live in Porto.", user_id="u", wait=True)

    then = memory.search("where do I live", user_id="u", as_of="2025-03-10", layers=["L2"])
    today = memory.search("where do I live", user_id="u", layers=["L2"])

    assert [item.content for item in then] == ["User lives in Braga."]
    assert [item.content for item in today] == ["User lives in Porto."]


def test_an_edit_is_a_version_and_names_the_head(memory: SyncMemoryClient) -> None:
    memory.add("I own a loom.", user_id="u", wait=True)
    (old,) = memory.list(user_id="u")
    new = memory.update(old.memory_id, "User owns a zither.", user_id="u")
    assert memory.flush() is True

    assert memory.search("zither", user_id="u")[0].memory_id == new.memory_id
    assert memory.get(old.memory_id, user_id="u").head_id == new.memory_id
    with pytest.raises(NotHeadError) as caught:
        memory.update(old.memory_id, "User owns a raft.", user_id="u")
    assert caught.value.head_id == new.memory_id


def test_deleting_hides_restoring_returns_and_purging_removes(memory: SyncMemoryClient) -> None:
    memory.add("I own a loom.", user_id="u", session_id="a", wait=True)
    memory.add("I keep bees.", user_id="u", session_id="b", wait=True)
    loom, bees = reversed(memory.list(user_id="u"))

    memory.delete(loom.memory_id, user_id="u")
    assert texts(memory) == [bees.content]
    memory.restore(loom.memory_id, user_id="u")
    assert texts(memory) == [loom.content, bees.content]
    memory.purge(loom.memory_id, user_id="u")
    memory.purge(session_id="b", user_id="u")

    assert memory.flush() is True
    assert memory.compact() is True
    assert memory.stats(user_id="u")["nodes"] == 0
    assert memory.search("bees", user_id="u") == []
    assert memory.index_check().records == 0
    with pytest.raises(MemoryNotFoundError):
        memory.get(loom.memory_id, user_id="u")


def test_a_scope_goes_alone(memory: SyncMemoryClient) -> None:
    for user in ("u", "v", "用户一"):
        memory.add("I own a loom.", user_id=user, wait=True)
    with pytest.raises(InputError, match="confirm"):
        memory.delete_scope(user_id="u")

    counts = memory.delete_scope(user_id="u", confirm=True)

    assert counts["nodes"] == 2
    assert (texts(memory), texts(memory, "v")) == ([], ["User owns a loom."])
    assert [scope.user_id for scope in memory.list_scopes()] == ["v", "用户一"]
    memory.add("I own a loom.", user_id="u", wait=True)
    assert texts(memory) == ["User owns a loom."]


def test_pages_follow_each_other(memory: SyncMemoryClient) -> None:
    memory.import_([{"content": f"User owns kayak {n}."} for n in range(25)], user_id="u")
    seen: list[str] = []
    cursor = None
    while True:
        page = memory.list(user_id="u", limit=10, cursor=cursor)
        assert page.total == 25
        seen += [item.content for item in page]
        cursor = page.cursor
        if cursor is None:
            break
    assert seen == [f"User owns kayak {n}." for n in reversed(range(25))]


def test_filters_narrow_before_limits(memory: SyncMemoryClient) -> None:
    nodes = [{"content": f"User owns kayak {n}.", "tags": [f"t{n % 5}"]} for n in range(40)]
    memory.import_(nodes, user_id="u")
    found = memory.search("kayak", user_id="u", filters={"tags": "t3"}, top_k=5)
    assert len(found) == 5
    assert {item.tags for item in found} == {("t3",)}


def test_the_same_call_twice_is_one_call(memory: SyncMemoryClient) -> None:
    message: dict[str, Any] = {"role": "user", "content": "I own a loom.", "id": "m1"}
    first = memory.add(messages=[message], user_id="u", session_id="s", wait=True)
    second = memory.add(messages=[message], user_id="u", session_id="s", wait=True)
    assert (first.status, second.status) == ("stored", "duplicate")
    assert memory.stats(user_id="u")["nodes"] == 2


def test_a_history_is_told_in_order(memory: SyncMemoryClient) -> None:
    memory.add("I own a loom.", user_id="u", wait=True)
    (item,) = memory.list(user_id="u")
    memory.delete(item.memory_id, user_id="u")
    memory.restore(item.memory_id, user_id="u")
    events = [event.event for event in memory.history(item.memory_id, user_id="u")]
    assert events == ["ADD", "DELETE", "RESTORE"]


def test_odd_text_is_kept_as_it_is(memory: SyncMemoryClient) -> None:
    odd = "Ünïcode 🦊 \"quotes\" 'and' \\ % _ \t{json: [1]} 你好 \u202e end"
    memory.import_([{"content": odd, "metadata": {"键": [1, 2.5, None, "值"]}}], user_id="u")
    (item,) = memory.list(user_id="u")
    assert (item.content, item.metadata) == (odd, {"键": [1, 2.5, None, "值"]})
    memory.import_([{"content": "NUL \x00 and \ud800", "metadata": {"k": "\x00"}}], user_id="v")
    (item,) = memory.list(user_id="v")
    assert (item.content, item.metadata) == ("NUL  and \ufffd", {"k": ""})


def test_two_clients_on_one_store_see_each_others_writes(open_client: Open) -> None:
    one, other = open_client(), open_client()
    one.add("I own a loom.", user_id="u", wait=True)
    assert other.search("loom", user_id="u")[0].content == "User owns a loom."
    other.add("I keep bees.", user_id="u", wait=True)
    assert one.search("bees", user_id="u")[0].content == "User keeps bees."


def test_many_threads_lose_and_double_nothing(memory: SyncMemoryClient) -> None:
    start = threading.Barrier(8)

    def work(number: int) -> None:
        start.wait()
        for place in range(5):
            user = f"u{number % 2}"
            memory.add(f"I own kayak {number}-{place}.", user_id=user, session_id=str(number))
            memory.search("kayak", user_id=user)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(8)))
    assert memory.flush() is True
    assert [memory.stats(user_id=f"u{n}")["by_layer"]["L1_RAW"] for n in range(2)] == [20, 20]
    assert memory.index_check().ok


def test_two_updates_at_once_leave_one_head(memory: SyncMemoryClient) -> None:
    memory.add("I live in Braga.", user_id="u", wait=True)
    start = threading.Barrier(4)

    def move(city: str) -> None:
        start.wait()
        memory.add(f"I live in {city}.", user_id="u", session_id=city, wait=True)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(move, ["Porto", "Faro", "Evora", "Tavira"]))
    assert memory.flush() is True
    (head,) = memory.list(user_id="u", layers=["L2"])
    assert len(head.evolution_chain or ()) == 5


def test_a_closed_store_is_found_as_it_was(open_client: Open) -> None:
    with open_client() as memory:
        memory.add("I own a loom.", user_id="u", wait=True)
        memory.flush()
        before = memory.list(user_id="u", layers=["L2", "L1"]).to_dict()
    again = open_client()
    assert again.list(user_id="u", layers=["L2", "L1"]).to_dict() == before
    assert again.search("loom", user_id="u")[0].content == "User owns a loom."


def test_another_embedder_is_refused_by_name(open_client: Open) -> None:
    with open_client() as memory:
        memory.add("I own a loom.", user_id="u", wait=True)
    other = open_client(embeddings=HashEmbeddings(32))
    with pytest.raises(EmbeddingMismatchError, match="32"):
        other.add("I keep bees.", user_id="u")
    assert texts(other) == ["User owns a loom."]
