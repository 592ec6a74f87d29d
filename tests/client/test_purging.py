"""What is purged is gone to the last byte, takes nobody else's memory with it, and stays out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from answers import EX, Open, chain, fact, model, over, texts

from dualmem_graph import SyncMemoryClient
from dualmem_graph.errors import ConflictError, InputError, MemoryNotFoundError

LOOM = "User owns a loom."


def _bytes_of(directory: Path) -> bytes:
    files = sorted(path for path in directory.rglob("*") if path.is_file())
    return b"".join(path.read_bytes() for path in files)


def _is_anywhere(word: str, directory: Path) -> bool:
    content = _bytes_of(directory).lower()
    forms = (word.encode(), word.encode("utf-16-le"), word.encode("unicode_escape"))
    return any(form.lower() in content for form in forms)


@pytest.mark.parametrize(
    ("said", "word", "kept", "kept_word"),
    [
        ("I own a zyxkayak.", "zyxkayak", "I own a loom.", "loom"),
        ("我喜欢吃薜荔豆腐。", "薜荔", "我喜欢喝咖啡。", "咖啡"),
    ],
)
def test_no_byte_of_a_purged_memory_is_left(
    said: str, word: str, kept: str, kept_word: str, tmp_path: Path
) -> None:
    store = tmp_path / "store"
    with SyncMemoryClient(storage_dir=store, job_workers=0) as memory:
        memory.add(said, user_id="u", session_id="s", metadata={"about": word}, wait=True)
        memory.add(kept, user_id="u", session_id="s", wait=True)
        memory.flush()
        assert _is_anywhere(word, store)
        item = next(item for item in memory.list(user_id="u") if word in item.content)

        result = memory.purge(item.memory_id, user_id="u")

        assert item.memory_id in result.purged
        assert item.sources[0].turn_id in result.purged
        assert result.compacted is True
        assert memory.flush() is True
        assert not _is_anywhere(word, store)
        assert _is_anywhere(kept_word, store)
        assert memory.search(word, user_id="u", threshold=0.5) == []
        assert [kept_word in text for text in texts(memory)] == [True]
        with pytest.raises(MemoryNotFoundError, match="no memory"):
            memory.get(item.memory_id, user_id="u")
        assert [event.event for event in memory.history(user_id="u")].count("PURGE") == len(
            result.purged
        )
    assert not _is_anywhere(word, store)


def test_no_byte_of_a_deleted_scope_is_left(tmp_path: Path) -> None:
    store = tmp_path / "store"
    with SyncMemoryClient(storage_dir=store, job_workers=0) as memory:
        memory.add("I own a zyxkayak.", user_id="wanda-zyx", wait=True)
        memory.add("I own a loom.", user_id="other", wait=True)
        memory.flush()

        memory.delete_scope(user_id="wanda-zyx", confirm=True)

        assert memory.flush() is True
        assert not _is_anywhere("zyx", store)
        assert texts(memory, "other") == [LOOM]


def test_a_profile_entry_takes_the_fact_that_it_restates_with_it(memory: SyncMemoryClient) -> None:
    memory.add("I live in Porto.", user_id="u", wait=True)
    memory.add("I own a loom.", user_id="u", wait=True)
    entry = memory.profile(user_id="u")["location"]

    result = memory.purge(entry.memory_id, user_id="u")

    assert len(result.purged) == 3
    assert memory.profile(user_id="u") == {}
    assert texts(memory) == [LOOM]


def test_a_fact_takes_its_profile_entry_with_it(memory: SyncMemoryClient) -> None:
    memory.add("I live in Porto.", user_id="u", wait=True)
    (home,) = memory.list(user_id="u", layers=["L2"])

    assert len(memory.purge(home.memory_id, user_id="u").purged) == 3

    assert memory.profile(user_id="u") == {}
    assert memory.stats(user_id="u")["nodes"] == 0


def test_a_turn_that_another_memory_rests_on_loses_its_words_alone(
    open_memory: Open, tmp_path: Path
) -> None:
    memory = open_memory(model([EX("User owns a zyxkayak.", LOOM)]))
    result = memory.add("I own a zyxkayak and a loom.", user_id="u", wait=True)
    kayak = result.events[0].memory_id

    purged = memory.purge(kayak, user_id="u")

    assert (purged.purged, purged.blanked) == ((kayak,), result.turn_ids)
    assert memory.flush() is True
    assert texts(memory) == [LOOM]
    (turn,) = memory.list(user_id="u", layers=["L1_RAW"])
    assert (turn.memory_id, turn.content) == (result.turn_ids[0], "[purged]")
    (loom,) = memory.list(user_id="u")
    assert [source.turn_id for source in loom.sources] == list(result.turn_ids)
    assert not _is_anywhere("zyxkayak", tmp_path / "store")
    assert memory.search("loom", user_id="u")[0].content == LOOM


def test_a_turn_takes_what_rests_on_it_alone_and_nothing_else(open_memory: Open) -> None:
    memory = open_memory(model([EX("User owns a kayak.", LOOM), EX(LOOM)]))
    first = memory.add("I own a kayak and a loom.", user_id="u", session_id="a", wait=True)
    memory.add("A loom is what I own.", user_id="u", session_id="b", wait=True)

    result = memory.purge(first.turn_ids[0], user_id="u")

    assert set(result.purged) == {first.turn_ids[0], first.events[0].memory_id}
    assert texts(memory) == [LOOM]
    (loom,) = memory.list(user_id="u")
    assert [source.session_id for source in loom.sources] == ["b"]


def test_a_session_goes_as_a_whole(memory: SyncMemoryClient, tmp_path: Path) -> None:
    for text in ("I own a zyxkayak.", "I live in Zyxburg.", "zyx, hm"):
        memory.add(text, user_id="u", session_id="gone", wait=True)
    memory.add("I own a loom.", user_id="u", session_id="kept", wait=True)
    memory.add("I own a zebra.", user_id="v", session_id="gone", wait=True)

    memory.purge(session_id="gone", user_id="u")

    assert memory.flush() is True
    assert texts(memory) == [LOOM]
    assert texts(memory, "v") == ["User owns a zebra."]
    assert not _is_anywhere("zyx", tmp_path / "store")
    with pytest.raises(MemoryNotFoundError, match="session 'gone'"):
        memory.purge(session_id="gone", user_id="u")


def test_a_version_within_a_chain_is_closed_over(memory: SyncMemoryClient) -> None:
    for city in ("Braga", "Porto", "Faro"):
        memory.add(f"I live in {city}.", user_id="u", wait=True)
    (head,) = memory.list(user_id="u", layers=["L2"])
    porto = (head.evolution_chain or ())[1]

    memory.purge(porto.node_id, user_id="u")

    (head,) = memory.list(user_id="u", layers=["L2"])
    assert chain(head) == ["User lives in Faro.", "User lives in Braga."]


def test_below_a_purged_head_nothing_becomes_current(memory: SyncMemoryClient) -> None:
    for city in ("Braga", "Porto"):
        memory.add(f"I live in {city}.", user_id="u", wait=True)
    (head,) = memory.list(user_id="u", layers=["L2"])
    braga = (head.evolution_chain or ())[1].node_id

    memory.purge(head.memory_id, user_id="u")

    assert memory.list(user_id="u", layers=["L2"]) == []
    assert memory.get(braga, user_id="u").status == "EXPIRED"
    assert memory.profile(user_id="u") == {}
    memory.add("I live in Faro.", user_id="u", wait=True)
    assert [item.content for item in memory.list(user_id="u", layers=["L2"])] == [
        "User lives in Faro."
    ]


def test_a_whole_chain_can_be_purged(memory: SyncMemoryClient, tmp_path: Path) -> None:
    for city in ("Zyxaga", "Zyxorto", "Zyxaro"):
        memory.add(f"I live in {city}.", user_id="u", wait=True)
    (head,) = memory.list(user_id="u", layers=["L2"])

    memory.purge(head.memory_id, user_id="u", delete_chain=True)

    assert memory.flush() is True
    assert memory.stats(user_id="u")["nodes"] == 0
    assert not _is_anywhere("zyx", tmp_path / "store")


def test_what_was_purged_stays_out_until_it_is_said_anew(open_memory: Open) -> None:
    kayak = "User owns a kayak."
    memory = open_memory(model([EX(kayak)]))
    message: dict[str, Any] = {"role": "user", "content": "I own a kayak.", "id": "m1"}
    first = memory.add(messages=[message], user_id="u", session_id="s", wait=True)
    memory.import_([{"content": "User owns a raft.", "id": "x1"}], user_id="u")
    (raft,) = [item for item in memory.list(user_id="u") if "raft" in item.content]
    memory.purge(first.events[0].memory_id, user_id="u")
    memory.purge(raft.memory_id, user_id="u")

    again = memory.add(messages=[message], user_id="u", session_id="s", wait=True)
    imported = memory.import_([{"content": "User owns a raft.", "id": "x1"}], user_id="u")

    assert (again.status, again.turn_ids) == ("duplicate", ())
    assert "purged" in again.skipped[0].reason
    assert (imported.added, imported.skipped) == (0, 1)
    assert memory.stats(user_id="u")["nodes"] == 0

    anew = memory.add("I own a kayak.", user_id="u", session_id="s", wait=True)
    assert anew.status == "stored"
    assert texts(memory) == [kayak]


def test_the_same_words_in_the_same_session_are_said_anew(memory: SyncMemoryClient) -> None:
    first = memory.add("I own a loom.", user_id="u", session_id="s", wait=True)
    memory.purge(first.turn_ids[0], user_id="u")

    second = memory.add("I own a loom.", user_id="u", session_id="s", wait=True)

    assert second.status == "stored"
    assert second.turn_ids != first.turn_ids
    assert texts(memory) == [LOOM]


def test_work_that_waits_forgets_what_was_purged(open_memory: Open, tmp_path: Path) -> None:
    memory = open_memory(model([EX("User owns a zyxkayak.", fact(LOOM))]), max_messages=10)
    result = memory.add("I own a zyxkayak and a loom.", user_id="u")
    assert memory.stats(user_id="u")["jobs"] == {"done": 1, "queued": 1}

    memory.purge(result.events[0].memory_id, user_id="u")

    assert not _is_anywhere("zyxkayak", tmp_path / "store")
    assert memory.flush() is True
    assert texts(memory) == [LOOM]


def test_a_superseded_version_can_be_purged_alone(open_memory: Open) -> None:
    braga, porto = "User lives in Braga.", "User lives in Porto."
    memory = open_memory(model([EX(braga), EX(porto)], [over(braga, porto)]))
    memory.add("I live in Braga.", user_id="u", wait=True)
    memory.add("I live in Porto.", user_id="u", wait=True)
    (head,) = memory.list(user_id="u", layers=["L2"])

    memory.purge((head.evolution_chain or ())[1].node_id, user_id="u")

    (head,) = memory.list(user_id="u", layers=["L2"])
    assert (head.content, head.evolution_chain) == (porto, None)


@pytest.mark.parametrize("given", [{}, {"memory_id": "x", "session_id": "s"}, {"session_id": " "}])
def test_a_purge_names_one_thing(given: dict[str, str], memory: SyncMemoryClient) -> None:
    memory.add("I own a loom.", user_id="u", wait=True)
    with pytest.raises(InputError, match=r"memory_id|session_id"):
        memory.purge(**given, user_id="u")
    assert texts(memory) == [LOOM]


def test_another_users_memory_is_not_there_to_purge(memory: SyncMemoryClient) -> None:
    result = memory.add("I own a loom.", user_id="u", session_id="s", wait=True)
    for given in (
        {"memory_id": result.events[0].memory_id},
        {"memory_id": result.turn_ids[0]},
        {"session_id": "s"},
    ):
        with pytest.raises(MemoryNotFoundError, match="in scope default/v"):
            memory.purge(**given, user_id="v")
    assert texts(memory) == [LOOM]
    assert memory.list(user_id="v").known_user is False


def test_an_edit_of_what_changed_meanwhile_is_refused(memory: SyncMemoryClient) -> None:
    memory.add("I own a loom.", user_id="u", wait=True)
    (read,) = memory.list(user_id="u")
    changed = memory.update(read.memory_id, read.content, tags=["craft"], user_id="u")
    assert changed.revision == read.revision + 1

    with pytest.raises(ConflictError, match=f"revision {changed.revision}, not {read.revision}"):
        memory.update(read.memory_id, "User owns a big loom.", revision=read.revision, user_id="u")

    assert texts(memory) == [LOOM]
    memory.update(read.memory_id, "User owns a big loom.", revision=changed.revision, user_id="u")
    assert texts(memory) == ["User owns a big loom."]


def test_on_postgresql_no_table_holds_what_was_purged(tmp_path: Path, postgres_url: str) -> None:
    with SyncMemoryClient(
        storage_dir=tmp_path / "store", ledger_url=postgres_url, job_workers=0
    ) as memory:
        memory.add("I own a zyxkayak.", user_id="u", session_id="s", wait=True)
        memory.add("我喜欢吃薜荔豆腐。", user_id="u", session_id="s", wait=True)
        memory.add("I own a loom.", user_id="u", session_id="kept", wait=True)
        assert {"zyxkayak", "薜荔"} <= _words_in_tables(memory)

        result = memory.purge(session_id="s", user_id="u")

        assert result.compacted is False  # VACUUM FULL locks tables: it waits for compact()
        assert memory.compact() is True
        assert memory.flush() is True
        assert _words_in_tables(memory) == {"loom"}
        assert texts(memory) == [LOOM]
    assert not _is_anywhere("zyxkayak", tmp_path / "store")


def _words_in_tables(memory: SyncMemoryClient) -> set[str]:
    """Of three words, those that any table of the ledger holds in any column."""
    found = set()
    with memory._resources.store.ledger.read() as conn:
        named = sa.text("SELECT tablename FROM pg_tables WHERE schemaname = current_schema()")
        for table in conn.execute(named).scalars().all():
            rows = conn.exec_driver_sql(f'SELECT t::text FROM "{table}" t').scalars().all()
            told = "\n".join(rows).lower()
            # JSON columns may keep a character as its escape
            told += told.encode().decode("unicode_escape", "ignore")
            found |= {word for word in ("zyxkayak", "薜荔", "loom") if word in told}
    return found
