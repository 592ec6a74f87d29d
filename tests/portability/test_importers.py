"""Memories of other systems, told apart by their shape, dated as they were."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.store.memory import InMemoryStore

from dualmem_graph import SyncMemoryClient
from dualmem_graph.errors import EmbeddingError, InputError
from dualmem_graph.testing import HashEmbeddings

MEM0: dict[str, Any] = {
    "results": [
        {
            "id": "m-1",
            "memory": "Likes zither music",
            "hash": "x",
            "metadata": {"source": "app"},
            "created_at": "2024-01-02T10:00:00-08:00",
            "updated_at": None,
            "user_id": "ana",
            "categories": ["music"],
        },
        {"id": "m-2", "memory": "喜欢喝咖啡", "created_at": "2024-02-02T10:00:00Z"},
    ]
}
CHAT = [
    {"role": "system", "content": "Be kind."},
    {"role": "user", "content": "I live in Porto."},
    {"role": "assistant", "content": "A fine town."},
]


def texts(memory: SyncMemoryClient, user: str = "u") -> list[str]:
    return [item.content for item in reversed(memory.list(user_id=user, limit=1000))]


@pytest.mark.parametrize("given", [MEM0, MEM0["results"]])
def test_memories_of_mem0_keep_their_dates_and_come_once(
    given: Any, quick: SyncMemoryClient
) -> None:
    assert quick.import_(given, user_id="u", dry_run=True).added == 2
    assert quick.list_scopes() == []

    assert quick.import_(given, user_id="u").added == 2
    assert quick.import_(given, user_id="u").added == 0

    assert texts(quick) == ["Likes zither music", "喜欢喝咖啡"]
    zither = quick.search("zither", user_id="u")[0]
    assert zither.memory_at == datetime(2024, 1, 2, 18, tzinfo=UTC)
    assert (zither.tags, zither.metadata) == (("music",), {"source": "app"})


def test_memories_of_several_people_are_refused(quick: SyncMemoryClient) -> None:
    mixed = [{"memory": "a", "user_id": "ana"}, {"memory": "b", "user_id": "ben"}]
    with pytest.raises(InputError, match="'ana', 'ben'"):
        quick.import_(mixed, user_id="u")
    assert quick.list_scopes() == []


def test_memories_of_a_langgraph_store(quick: SyncMemoryClient) -> None:
    store = InMemoryStore()
    store.put(("memories", "ana"), "a", {"kind": "Memory", "content": {"content": "Owns a kayak"}})
    store.put(("memories", "ana"), "b", {"text": "喜欢喝茶"})
    store.put(("memories", "ana", "deep"), "c", {"data": {"content": "Keeps bees"}})
    store.put(("memories", "ben"), "a", {"content": "Owns a loom"})

    result = quick.import_(store, user_id="u", namespace=("memories", "ana"))

    assert result.added == 3
    assert sorted(texts(quick)) == ["Keeps bees", "Owns a kayak", "喜欢喝茶"]
    assert quick.import_(store, user_id="u", namespace=("memories", "ana")).added == 0
    with pytest.raises(InputError, match="namespace"):
        quick.import_(store, user_id="v")


def _thread_state() -> Any:
    graph = StateGraph(MessagesState)
    graph.add_node("answer", lambda _: {"messages": [AIMessage("A fine town.")]})
    graph.add_edge(START, "answer")
    compiled = graph.compile(checkpointer=InMemorySaver())
    config: Any = {"configurable": {"thread_id": "t1"}}
    compiled.invoke({"messages": [HumanMessage("I live in Porto.", id="h1")]}, config)
    return compiled.get_state(config)


@pytest.mark.parametrize(
    "given",
    [
        CHAT,
        {"messages": CHAT},
        [CHAT],
        [{"id": "c1", "messages": CHAT}],
        {"values": {"messages": CHAT}},
        [HumanMessage("I live in Porto."), AIMessage("A fine town.")],
        {"channel_values": {"messages": [HumanMessage("I live in Porto.")]}},
    ],
)
def test_conversations_become_turns_and_memories(given: Any, quick: SyncMemoryClient) -> None:
    result = quick.import_(given, user_id="u")
    again = quick.import_(given, user_id="u")
    assert quick.flush() is True

    assert result.added >= 1
    assert again.added == 0
    assert "User lives in Porto." in texts(quick)
    (home,) = quick.list(user_id="u", layers=["L2"])
    assert home.session_id


def test_the_state_of_a_thread_is_a_conversation(quick: SyncMemoryClient) -> None:
    state = _thread_state()
    quick.import_({"values": state.values, "config": state.config}, user_id="u")
    quick.flush()
    (home,) = quick.list(user_id="u", layers=["L2"])
    assert (home.content, home.session_id) == ("User lives in Porto.", "t1")


def test_a_long_conversation_goes_in_parts_and_can_grow(quick: SyncMemoryClient) -> None:
    said = [{"role": "user", "content": f"I bought lamp number {n}."} for n in range(130)]
    assert quick.import_(said[:120], user_id="u").added == 120
    assert quick.import_(said, user_id="u").added == 10
    assert quick.stats(user_id="u")["by_layer"]["L1_RAW"] == 130


@pytest.mark.parametrize("form", ["json", "jsonl"])
def test_files_of_json_are_read(form: str, quick: SyncMemoryClient, tmp_path: Path) -> None:
    nodes = [{"content": f"User owns kayak {n}."} for n in range(3)]
    path = tmp_path / f"nodes.{form}"
    lines = "\n".join(json.dumps(node) for node in nodes)
    path.write_text(json.dumps(nodes) if form == "json" else lines)
    assert quick.import_(path, user_id="u").added == 3
    assert quick.import_(str(path), user_id="u").added == 0


def test_a_stream_need_not_fit_into_memory(quick: SyncMemoryClient) -> None:
    result = quick.import_(({"content": f"User owns kayak {n}."} for n in range(2500)), user_id="u")
    assert result.added == 2500


@pytest.mark.parametrize(
    ("given", "options", "told"),
    [
        ({"what": 1}, {}, "form of no import"),
        ("no/such/file.json", {}, "no/such/file.json"),
        ([{"content": "x"}], {"format": "zep"}, "'zep'"),
        ([{"content": "x"}], {"format": "mem0", "dry_run": "yes"}, "dry_run"),
        ([{"content": "x"}], {"format": "chat"}, "no conversation"),
        ([{"content": "x"}], {"format": "archive"}, "path"),
        ([{"content": "ok"}, {"content": " "}], {}, "node 1"),
        (42, {}, "42"),
    ],
)
def test_what_cannot_be_imported_is_said_and_changes_nothing(
    given: Any, options: dict[str, Any], told: str, quick: SyncMemoryClient
) -> None:
    with pytest.raises(InputError, match=told):
        quick.import_(given, user_id="u", **options)
    assert quick.list_scopes() == []


@pytest.mark.parametrize("text", ["", "{", '{"a": 1}\n{"b"'])
def test_files_of_nothing_are_named(text: str, quick: SyncMemoryClient, tmp_path: Path) -> None:
    path = tmp_path / "file.json"
    path.write_text(text)
    with pytest.raises(InputError, match=r"file\.json"):
        quick.import_(path, user_id="u")


class _Down(HashEmbeddings):
    is_down = True

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        if self.is_down:
            raise EmbeddingError("down")
        return super().embed_documents(texts)


def test_while_the_embedder_is_down_an_import_waits_for_its_vectors(tmp_path: Path) -> None:
    embeddings = _Down()
    with SyncMemoryClient(
        storage_dir=tmp_path / "store", embeddings=embeddings, job_workers=0
    ) as memory:
        nodes = [{"content": f"User owns kayak {n}."} for n in range(5)]
        result = memory.import_(nodes, user_id="u")
        assert (result.added, result.pending) == (5, 5)
        assert memory.stats(user_id="u")["pending_embeddings"] == 5
        assert memory.search("kayak 3", user_id="u")[0].content == "User owns kayak 3."

        embeddings.is_down = False
        assert memory.flush() is True
        assert memory.stats(user_id="u")["pending_embeddings"] == 0
        found = memory.search("kayak 3", user_id="u", explain=True)
        assert "semantic" in (found[0].score_details or {})["anchors"]
