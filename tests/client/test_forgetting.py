"""Group E: what is forgotten stays forgotten, and nothing else goes with it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from answers import EX, Open, chain, fact, model, over, texts

from dualmem_graph import SyncMemoryClient
from dualmem_graph.errors import InputError, MemoryNotFoundError

KAYAK = "User owns a kayak."


def test_deleting_one_scope_leaves_the_others_whole(memory: SyncMemoryClient) -> None:
    for user in ("u1", "u2", "u3"):
        memory.add("I own a kayak.", user_id=user, session_id="s", wait=True)
    memory.add("I own a kayak.", user_id="u1", app_id="other", wait=True)
    memory.flush()
    before = [memory.list(user_id=user).to_dict() for user in ("u2", "u3")]

    counts = memory.delete_scope(user_id="u1", confirm=True)

    assert counts["nodes"] == 2
    assert memory.flush() is True
    assert texts(memory, "u1") == []
    assert memory.list(user_id="u1").known_user is False
    assert memory.history(user_id="u1") == []
    assert [memory.list(user_id=user).to_dict() for user in ("u2", "u3")] == before
    for scope in ({"user_id": "u2"}, {"user_id": "u3"}, {"user_id": "u1", "app_id": "other"}):
        assert [item.content for item in memory.search("kayak", **scope)] == [KAYAK]  # type: ignore[arg-type]
    assert memory.stats()["nodes"] == 6
    assert memory.delete_scope(user_id="u1", confirm=True)["nodes"] == 0


@pytest.mark.parametrize("confirm", [False, None, "yes", 1])
def test_deleting_a_scope_wants_to_be_confirmed(confirm: Any, memory: SyncMemoryClient) -> None:
    memory.add("I own a kayak.", user_id="u", wait=True)

    with pytest.raises(InputError, match="confirm=True"):
        memory.delete_scope(user_id="u", confirm=confirm)
    with pytest.raises(TypeError, match="user_id"):
        memory.delete_scope(confirm=True)  # type: ignore[call-arg]

    assert texts(memory) == [KAYAK]


def test_a_deleted_scope_can_be_used_again(memory: SyncMemoryClient) -> None:
    memory.add("I own a kayak.", user_id="u", session_id="s", wait=True)
    memory.delete_scope(user_id="u", confirm=True)

    result = memory.add("I own a kayak.", user_id="u", session_id="s", wait=True)

    assert result.status == "stored"
    assert texts(memory) == [KAYAK]
    assert [item.content for item in memory.search("kayak", user_id="u")] == [KAYAK]


def test_what_was_deleted_does_not_come_back_from_its_own_turn(open_memory: Open) -> None:
    now = [datetime(2025, 3, 1, tzinfo=UTC)]
    memory = open_memory(model([EX(KAYAK)]), clock=lambda: now[0])
    said: dict[str, Any] = {"messages": [{"role": "user", "content": "I own a kayak.", "id": "m1"}]}
    first = memory.add(**said, user_id="u", session_id="s", wait=True)
    memory.delete(first.events[0].memory_id, user_id="u")
    memory.add(**said, user_id="u", session_id="s", wait=True)
    assert texts(memory) == []

    # the turn is read again by a job, as after a crash
    from dualmem_graph.storage.records import NewJob, Plan

    store, scope = memory._resources.store, first.scope
    assert scope is not None
    again = NewJob("extract", "again", {"turn_ids": list(first.turn_ids)})
    store.apply(scope, Plan(jobs=[again]), actor="test")
    assert memory.flush() is True

    assert texts(memory) == []
    assert memory.search("kayak", user_id="u") == []
    assert memory.context("kayak", user_id="u") == ""

    now[0] += timedelta(days=30)
    anew = memory.add("I own a kayak.", user_id="u", session_id="later", wait=True)
    assert anew.status == "stored"
    assert texts(memory) == [KAYAK]


def test_deleting_hides_one_version_and_makes_nothing_below_it_current(
    memory: SyncMemoryClient,
) -> None:
    memory.add("I live in Braga.", user_id="u", wait=True)
    memory.add("I live in Porto.", user_id="u", wait=True)
    (head,) = memory.list(user_id="u", layers=["L2"])

    result = memory.delete(head.memory_id, user_id="u")

    assert result.deleted == (head.memory_id,)
    assert memory.list(user_id="u") == []
    assert memory.profile(user_id="u") == {}
    assert memory.search("where do I live", user_id="u", layers=["L2", "L0"]) == []
    assert memory.get(head.memory_id, user_id="u").status == "SHADOW"


def test_the_profile_entry_of_a_deleted_fact_goes_with_it_and_comes_back_with_it(
    memory: SyncMemoryClient,
) -> None:
    memory.add("I live in Porto.", user_id="u", wait=True)
    (home,) = memory.list(user_id="u", layers=["L2"])
    entry = memory.profile(user_id="u")["location"]

    gone = memory.delete(home.memory_id, user_id="u")
    after_deletion = memory.profile(user_id="u")
    memory.restore(home.memory_id, user_id="u")

    assert (gone.deleted, gone.derived, gone.count) == ((home.memory_id,), (entry.memory_id,), 2)
    assert after_deletion == {}
    assert memory.profile(user_id="u")["location"].memory_id == entry.memory_id
    assert memory.search("where do I live", user_id="u")[0].memory_id == home.memory_id


def test_a_whole_chain_can_be_deleted(memory: SyncMemoryClient) -> None:
    for city in ("Braga", "Porto", "Faro"):
        memory.add(f"I live in {city}.", user_id="u", wait=True)
    (head,) = memory.list(user_id="u", layers=["L2"])
    versions = [version.node_id for version in head.evolution_chain or ()]

    result = memory.delete(versions[1], user_id="u", delete_chain=True)

    assert sorted(result.deleted) == sorted(versions)
    assert memory.list(user_id="u", include_superseded=True) == []
    assert memory.search("Braga Porto Faro", user_id="u", include_superseded=True) == []


def test_an_earlier_version_can_be_made_current_again(memory: SyncMemoryClient) -> None:
    memory.add("I live in Braga.", user_id="u", wait=True)
    memory.add("I live in Porto.", user_id="u", wait=True)
    (head,) = memory.list(user_id="u", layers=["L2"])
    old = (head.evolution_chain or ())[1]

    restored = memory.restore(old.node_id, user_id="u")

    assert (restored.memory_id, str(restored.status)) == (old.node_id, "ACTIVE")
    assert chain(restored) == ["User lives in Braga.", "User lives in Porto."]
    assert [item.memory_id for item in memory.list(user_id="u", layers=["L2"])] == [old.node_id]


def test_a_turn_that_two_memories_rest_on_keeps_the_other_one(open_memory: Open) -> None:
    memory = open_memory(model([EX(KAYAK, "User owns a loom.")]))
    result = memory.add("I own a kayak and a loom.", user_id="u", wait=True)

    memory.delete(result.events[0].memory_id, user_id="u")

    assert texts(memory) == ["User owns a loom."]
    (turn,) = memory.list(user_id="u", layers=["L1_RAW"])
    assert turn.memory_id == result.turn_ids[0]


def test_a_memory_goes_with_the_last_turn_that_it_rests_on(open_memory: Open) -> None:
    memory = open_memory(model([EX(KAYAK)]))
    turns = [
        memory.add(text, user_id="u", session_id=text, wait=True).turn_ids[0]
        for text in ("I own a kayak.", "My own kayak!")
    ]
    (item,) = memory.list(user_id="u")
    assert [source.turn_id for source in item.sources] == turns

    first = memory.delete(turns[0], user_id="u")
    kept = texts(memory)
    second = memory.delete(turns[1], user_id="u")

    assert (first.deleted, first.derived) == ((turns[0],), ())
    assert kept == [KAYAK]
    assert (second.deleted, second.derived) == ((turns[1],), (item.memory_id,))
    assert texts(memory) == []


@pytest.mark.parametrize("memory_id", ["", "absent", "00000000-0000-0000-0000-000000000000", 7])
def test_an_absent_id_is_not_found(memory_id: Any, memory: SyncMemoryClient) -> None:
    memory.add("I own a kayak.", user_id="u", wait=True)

    for operation in (memory.get, memory.delete, memory.restore):
        with pytest.raises(MemoryNotFoundError, match="no memory"):
            operation(memory_id, user_id="u")
    with pytest.raises(MemoryNotFoundError, match="no memory"):
        memory.update(memory_id, "User owns a raft.", user_id="u")

    assert texts(memory) == [KAYAK]


def test_what_is_deleted_already_cannot_be_deleted_again(memory: SyncMemoryClient) -> None:
    memory.add("I own a kayak.", user_id="u", wait=True)
    (item,) = memory.list(user_id="u")
    assert memory.delete(item.memory_id, user_id="u").count == 1

    with pytest.raises(MemoryNotFoundError, match=r"deleted already; restore\(\)"):
        memory.delete(item.memory_id, user_id="u")


def test_eight_hundred_memories_go_in_one_call(memory: SyncMemoryClient) -> None:
    memory.import_([{"content": f"User owns kayak {n}."} for n in range(800)], user_id="u")
    memory.add("I own a loom.", user_id="other", wait=True)

    counts = memory.delete_scope(user_id="u", confirm=True)

    assert counts["nodes"] == 800
    assert memory.list(user_id="u") == []
    assert memory.search("kayak 7", user_id="u") == []
    assert texts(memory, "other") == ["User owns a loom."]


def test_the_history_tells_all_of_it(memory: SyncMemoryClient) -> None:
    memory.add("I own a kayak.", user_id="u", wait=True)
    (item,) = memory.list(user_id="u")
    new = memory.update(item.memory_id, "User owns a raft.", user_id="u")
    memory.delete(new.memory_id, user_id="u")
    memory.restore(new.memory_id, user_id="u")

    told = [event.event for event in memory.history(item.memory_id, user_id="u")]
    assert (told[0], told[-1]) == ("ADD", "SUPERSEDE")
    assert [event.event for event in memory.history(new.memory_id, user_id="u")] == [
        "ADD",
        "DELETE",
        "RESTORE",
    ]


def test_a_new_statement_takes_up_the_slot_of_a_deleted_one(open_memory: Open) -> None:
    braga, porto = "User lives in Braga.", "User lives in Porto."
    memory = open_memory(model([EX(braga), EX(fact(porto))], [over(braga, porto)]))
    memory.add("I live in Braga.", user_id="u", wait=True)
    (old,) = memory.list(user_id="u", layers=["L2"])
    memory.delete(old.memory_id, user_id="u")

    memory.add("I live in Porto.", user_id="u", wait=True)

    (head,) = memory.list(user_id="u", layers=["L2"])
    assert head.content == porto
    assert braga not in str(memory.search("where do I live", user_id="u", layers=["L2"]).to_dict())
