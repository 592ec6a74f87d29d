"""Group D: whose memory it is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from answers import EX, Open, fact, model, over, texts

from dualmem_graph import SyncMemoryClient
from dualmem_graph.errors import MemoryNotFoundError, ScopeError


def _everything(memory: SyncMemoryClient, user: str) -> str:
    """All that can be read on behalf of one user, as one text."""
    queries = ["where do I live", "moved", "zyzzyva", "quokka", "what do you know about me"]
    read: list[Any] = [memory.list(user_id=user).to_dict()]
    read.append(memory.list(user_id=user, layers=["L1_RAW"], include_superseded=True).to_dict())
    for query in queries:
        found = memory.search(query, user_id=user, include_superseded=True, explain=True, top_k=200)
        read += [found.to_dict(), memory.context(query, user_id=user)]
        read.append(memory.search(query, user_id=user, as_of="2100-01-01").to_dict())
    read.append([event.to_dict() for event in memory.history(user_id=user)])
    read.append({key: item.to_dict() for key, item in memory.profile(user_id=user).items()})
    read.append(memory.stats(user_id=user))
    return json.dumps(read, default=str, ensure_ascii=False)


@pytest.mark.parametrize("other_app", [False, True])
def test_nothing_of_one_user_is_ever_read_for_another(other_app: bool, open_memory: Open) -> None:
    def told(word: str) -> list[Any]:
        old, new = f"User lives in {word}ville.", f"User lives in New {word}ville."
        return [EX(old, basic_info=[{"key": "location", "value": f"{word}ville"}]), EX(new)]

    chat = model(
        [*told("Zyzzyva"), *told("Quokka")],
        [
            over("User lives in Zyzzyvaville.", "User lives in New Zyzzyvaville."),
            over("User lives in Quokkaville.", "User lives in New Quokkaville."),
        ],
    )
    memory = open_memory(chat, reconcile_min_similarity=0.0)
    scopes = [("u", "a"), ("u", "b")] if other_app else [("u1", "default"), ("u2", "default")]
    for (user, app), word in zip(scopes, ["Zyzzyva", "Quokka"], strict=True):
        for place in (f"{word}ville", f"New {word}ville"):
            memory.add(f"I moved to {place}.", user_id=user, app_id=app, session_id="s", wait=True)

    for call in chat.calls[3:]:
        assert "Zyzzyva" not in str(call)
    if other_app:
        return
    first, second = _everything(memory, "u1"), _everything(memory, "u2")
    assert "Zyzzyva" in first
    assert "Quokka" in second
    assert "quokka" not in first.casefold().replace('"quokka"', "")
    assert "zyzzyva" not in second.casefold().replace('"zyzzyva"', "")


def test_another_users_id_is_answered_like_one_that_does_not_exist(
    memory: SyncMemoryClient,
) -> None:
    memory.add("I own a kayak.", user_id="u1", wait=True)
    memory.add("I own a loom.", user_id="u2", wait=True)
    (mine,) = memory.list(user_id="u1")
    before = _everything(memory, "u1")

    for operation in (
        lambda: memory.get(mine.memory_id, user_id="u2"),
        lambda: memory.update(mine.memory_id, "User owns a raft.", user_id="u2"),
        lambda: memory.delete(mine.memory_id, user_id="u2"),
        lambda: memory.delete(mine.memory_id, user_id="u2", delete_chain=True),
        lambda: memory.restore(mine.memory_id, user_id="u2"),
        lambda: memory.history(mine.memory_id, user_id="u2"),
        lambda: memory.get(mine.memory_id, user_id="u1", app_id="other"),
    ):
        with pytest.raises(MemoryNotFoundError) as caught:
            operation()
        assert mine.memory_id in str(caught.value)
        assert "kayak" not in str(caught.value)
    assert _everything(memory, "u1") == before


IDS: list[Any] = [
    "ilka.b@example.org",
    7,
    "9f1c2d3e-0a1b-4c5d-8e9f-001122334455",
    "team:ilka",
    "用户一",
    "x" * 300,
    "a/b\\c d'e\"f%_*",
    "🦊",
    "Ünïcode",
]


@pytest.mark.parametrize("user", IDS, ids=lambda user: str(user)[:20])
def test_ordinary_ids_work_everywhere_and_come_back_as_given(
    user: Any, memory: SyncMemoryClient
) -> None:
    memory.add("I own a loom.", user_id="somebody else", wait=True)
    memory.add("I own a kayak.", user_id=user, wait=True)

    found = memory.search("kayak", user_id=user)
    page = memory.list(user_id=user)

    assert [item.content for item in found] == ["User owns a kayak."]
    assert (found.scope.user_id, found.known_user) == (str(user), True)
    assert texts(memory, user) == ["User owns a kayak."]
    assert str(user) in [summary.user_id for summary in memory.list_scopes()]
    deleted = memory.delete(page[0].memory_id, user_id=user)
    assert deleted.deleted == (page[0].memory_id,)
    assert texts(memory, user) == []
    assert memory.delete_scope(user_id=user, confirm=True)["nodes"] > 0
    assert [summary.user_id for summary in memory.list_scopes()] == ["somebody else"]


def test_an_integer_is_its_decimal_string(memory: SyncMemoryClient) -> None:
    memory.add("I own a kayak.", user_id=7)

    assert texts(memory, "7") == texts(memory, 7) == ["User owns a kayak."]
    assert [summary.user_id for summary in memory.list_scopes()] == ["7"]


BLANKS: list[Any] = [
    "",
    "  ",
    "\t\n",
    None,
    True,
    1.5,
    b"u",
    ["u"],
    {"id": "u"},
    "a\x00b",
    "\ud800",
]


@pytest.mark.parametrize("user", BLANKS, ids=repr)
def test_a_blank_or_foreign_id_is_refused_by_every_operation(
    user: Any, memory: SyncMemoryClient
) -> None:
    memory.add("I own a kayak.", user_id="u", wait=True)
    (item,) = memory.list(user_id="u")
    before = _everything(memory, "u")

    operations = {
        "add": lambda: memory.add("I own a loom.", user_id=user),
        "search": lambda: memory.search("kayak", user_id=user),
        "context": lambda: memory.context("kayak", user_id=user),
        "list": lambda: memory.list(user_id=user),
        "get": lambda: memory.get(item.memory_id, user_id=user),
        "update": lambda: memory.update(item.memory_id, "x", user_id=user),
        "delete": lambda: memory.delete(item.memory_id, user_id=user),
        "restore": lambda: memory.restore(item.memory_id, user_id=user),
        "delete_scope": lambda: memory.delete_scope(user_id=user, confirm=True),
        "history": lambda: memory.history(user_id=user),
        "profile": lambda: memory.profile(user_id=user),
        "import_": lambda: memory.import_([{"content": "x"}], user_id=user),
    }
    for name, operation in operations.items():
        with pytest.raises(ScopeError) as caught:
            operation()
        assert "user_id" in str(caught.value), name
        assert repr(user) in str(caught.value), name
    if user is not None:
        with pytest.raises(ScopeError):
            memory.add("I own a loom.", user_id="u", app_id=user)
    assert _everything(memory, "u") == before
    assert [summary.user_id for summary in memory.list_scopes()] == ["u"]


def test_a_mistyped_user_is_told_apart_from_one_with_nothing_to_say(
    memory: SyncMemoryClient,
) -> None:
    memory.add("I own a kayak.", user_id="ilka", wait=True)

    mistyped = memory.search("kayak", user_id="ilkka")
    missed = memory.search("zeppelin hangar", user_id="ilka")

    assert (list(mistyped), mistyped.known_user) == ([], False)
    assert (list(missed), missed.known_user) == ([], True)
    assert memory.list(user_id="ilkka").known_user is False
    assert [summary.user_id for summary in memory.list_scopes()] == ["ilka"]


def test_optional_labels_given_as_empty_text_count_as_not_given(memory: SyncMemoryClient) -> None:
    memory.add("I own a kayak.", user_id="u", session_id="", agent_id="", memory_type="", wait=True)

    (item,) = memory.list(user_id="u", layers="")
    found = memory.search(
        "kayak", user_id="u", filters={"tags": "", "session_id": ""}, as_of="", layers=""
    )

    assert (item.session_id, item.agent_id) == (None, None)
    assert [hit.memory_id for hit in found] == [item.memory_id]


def test_sessions_and_agents_are_filters_and_not_walls(memory: SyncMemoryClient) -> None:
    memory.add("I live in Braga.", user_id="u", session_id="s1", agent_id="a1", wait=True)
    memory.add("I live in Porto.", user_id="u", session_id="s2", agent_id="a2", wait=True)

    (home,) = memory.list(user_id="u", layers=["L2"])

    assert [version.content for version in home.evolution_chain or ()] == [
        "User lives in Porto.",
        "User lives in Braga.",
    ]
    in_session = memory.search("where do I live", user_id="u", filters={"session_id": "s1"})
    assert {item.session_id for item in in_session} <= {"s1"}


def test_the_default_app_is_a_setting(open_memory: Open, tmp_path: Path) -> None:
    memory = open_memory(default_app_id="shop")
    memory.add("I own a kayak.", user_id="u", wait=True)

    assert [(s.app_id, s.user_id) for s in memory.list_scopes()] == [("shop", "u")]
    assert memory.list_scopes(app_id="default") == []
    assert memory.search("kayak", user_id="u").scope.app_id == "shop"
    assert memory.search("kayak", user_id="u", app_id="default").known_user is False


def test_people_of_one_scope_are_subjects_and_the_profile_is_the_users(open_memory: Open) -> None:
    chat = model(
        [
            EX(
                fact("Tobin lives in Braga.", "Tobin"),
                "User lives in Porto.",
                basic_info=[{"key": "city", "value": "Porto"}],
            )
        ]
    )
    memory = open_memory(chat)
    memory.add("I live in Porto, my cousin Tobin in Braga.", user_id="u", wait=True)

    assert {key: item.metadata["value"] for key, item in memory.profile(user_id="u").items()} == {
        "location": "Porto"
    }
