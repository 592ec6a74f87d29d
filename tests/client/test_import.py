"""Loading ready-made memories in bulk."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import numpy as np
import pytest
from answers import Open, model, texts

from dualmem_graph import SyncMemoryClient
from dualmem_graph.errors import InputError
from dualmem_graph.testing import HashEmbeddings

AT = datetime(2024, 5, 1, 12, 0, tzinfo=UTC)


def test_every_field_of_a_node_is_kept(memory: SyncMemoryClient) -> None:
    node = {
        "id": "n1",
        "content": "Ilka owns a kayak.",
        "layer": "identity",
        "memory_type": "procedural",
        "subject": "Ilka",
        "tags": ["boats", "water"],
        "metadata": {"from": "elsewhere"},
        "session_id": "s",
        "agent_id": "a",
        "memory_at": AT,
    }

    result = memory.import_([node], user_id="u")

    assert (result.added, result.skipped, str(result.scope)) == (1, 0, "default/u")
    (item,) = memory.list(user_id="u")
    kept = {
        "content": item.content,
        "layer": str(item.layer),
        "memory_type": str(item.memory_type),
        "subject": item.subject,
        "tags": list(item.tags),
        "metadata": item.metadata,
        "session_id": item.session_id,
        "agent_id": item.agent_id,
        "memory_at": item.memory_at,
    }
    assert kept == {key: node[key] for key in kept} | {"layer": "L4_IDENTITY"}
    assert memory.search("kayak", user_id="u")[0].memory_id == item.memory_id


def test_turns_can_be_imported_and_are_their_own_sources(memory: SyncMemoryClient) -> None:
    turn = {"layer": "L1", "role": "assistant", "name": "Bo", "message_id": "m1", "session_id": "s"}
    memory.import_([turn | {"content": "Kayaks are boats."}], user_id="u")

    (item,) = memory.list(user_id="u", layers=["L1"])
    (source,) = item.sources
    assert (source.role, source.name, source.message_id, source.quote) == (
        "assistant",
        "Bo",
        "m1",
        "Kayaks are boats.",
    )


def test_an_import_calls_no_model_and_is_no_job(open_memory: Open) -> None:
    chat = model()
    memory = open_memory(chat)

    memory.import_([{"content": "User owns a kayak."}], user_id="u")

    assert chat.calls == []
    assert memory.status()["jobs"] == {}


def test_the_same_list_twice_adds_nothing(memory: SyncMemoryClient) -> None:
    nodes = [{"content": f"User owns kayak {n}.", "memory_at": AT, "id": f"k{n}"} for n in range(5)]

    first = memory.import_(nodes, user_id="u")
    second = memory.import_(nodes, user_id="u")
    other = memory.import_(nodes, user_id="v")

    assert [(each.added, each.skipped) for each in (first, second, other)] == [
        (5, 0),
        (0, 5),
        (5, 0),
    ]
    assert texts(memory, "u") == texts(memory, "v") == [node["content"] for node in nodes]


def test_a_list_that_repeats_itself_is_stored_once(memory: SyncMemoryClient) -> None:
    result = memory.import_([{"content": "User owns a kayak."}] * 3, user_id="u")

    assert (result.added, result.skipped) == (1, 2)
    assert texts(memory) == ["User owns a kayak."]


@pytest.mark.parametrize("form", ["array", "lists", "float64"])
def test_given_vectors_are_used_as_they_are(form: str, open_memory: Open) -> None:
    embeddings = HashEmbeddings()
    memory = open_memory(embeddings=embeddings, reader_mode="semantic")
    rows = np.array(embeddings.embed_documents(["zither", "heron"]), dtype=np.float32) * 7
    vectors: dict[str, Any] = {
        "array": rows,
        "lists": rows.tolist(),
        "float64": rows.astype(np.float64),
    }

    memory.import_([{"content": "one"}, {"content": "other"}], vectors[form], user_id="u")

    (found,) = memory.search("zither", user_id="u", threshold=0.9)
    assert (found.content, round(found.score, 3)) == ("one", 1.0)


def test_a_zero_vector_is_no_match_and_no_error(memory: SyncMemoryClient) -> None:
    memory.import_([{"content": "kayak"}], np.zeros((1, 64)), user_id="u")

    found = memory.search("kayak", user_id="u", explain=True)
    assert [item.content for item in found] == ["kayak"]
    assert memory.flush() is True


def test_nothing_to_import_is_fine(memory: SyncMemoryClient) -> None:
    assert memory.import_([], user_id="u").added == 0
    assert memory.import_([], [], user_id="u").added == 0
    assert memory.import_([], np.empty((0, 64)), user_id="u").added == 0


def test_one_bad_node_refuses_the_whole_list_by_its_index(memory: SyncMemoryClient) -> None:
    nodes = [{"content": f"User owns kayak {n}."} for n in range(5)]

    with pytest.raises(InputError, match="node 5: content is blank"):
        memory.import_([*nodes, {"content": " "}], user_id="u")

    assert memory.list_scopes() == []


def test_imported_memories_meet_what_is_said_later(memory: SyncMemoryClient) -> None:
    memory.import_([{"content": "User lives in Braga.", "memory_at": AT}], user_id="u")

    memory.add("I live in Porto.", user_id="u", wait=True)

    (item,) = memory.list(user_id="u", layers=["L2"])
    assert [version.content for version in item.evolution_chain or ()] == [
        "User lives in Porto.",
        "User lives in Braga.",
    ]


def test_thousands_come_in_in_one_call(open_memory: Open) -> None:
    memory = open_memory(vector_index="off")
    vectors = np.random.default_rng(0).standard_normal((2500, 64))

    result = memory.import_(
        [{"content": f"User owns kayak {n}."} for n in range(2500)], vectors, user_id="u"
    )

    assert (result.added, result.skipped) == (2500, 0)
    assert memory.list(user_id="u", limit=10).total == 2500
    assert memory.search("kayak 2499", user_id="u", top_k=1)[0].content == "User owns kayak 2499."


def test_pages_hold_every_memory_once(memory: SyncMemoryClient) -> None:
    memory.import_([{"content": f"User owns kayak {n}."} for n in range(25)], user_id="u")

    seen: list[str] = []
    cursor: str | None = None
    sizes = []
    while True:
        page = memory.list(user_id="u", limit=10, cursor=cursor)
        sizes.append(len(page))
        seen += [item.content for item in page]
        assert page.total == 25
        cursor = page.cursor
        if cursor is None:
            break

    assert sizes == [10, 10, 5]
    assert seen == [f"User owns kayak {n}." for n in reversed(range(25))]
