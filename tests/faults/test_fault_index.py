"""Chroma is broken, its folder unusable or taken away: searches stay right, and it comes back."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from faulty_parts import Open, contents, wait_for

from dualmem_graph import SyncMemoryClient
from dualmem_graph.storage.chroma import ChromaIndex, IndexFailure

_STAMPS: list[dict[str, Any]] = [{"content": f"User keeps stamp {n}."} for n in range(40)]


def _finds_all(memory: SyncMemoryClient) -> bool:
    return all(
        memory.search(node["content"], user_id="u", top_k=1)[0].content == node["content"]
        for node in _STAMPS
    )


def _state(memory: SyncMemoryClient) -> str:
    state: str = memory.status()["index"]["state"]
    return state


def test_a_file_in_place_of_the_index_folder_costs_the_index_alone(
    open_memory: Open, tmp_path: Path
) -> None:
    (tmp_path / "store").mkdir()
    blocker = tmp_path / "store" / "index"
    blocker.write_text("not a folder")
    memory = open_memory(vector_poll_interval=0.05)

    assert memory.import_(_STAMPS, user_id="u").added == 40
    assert _finds_all(memory)
    assert memory.flush(timeout=2) is False
    assert str(blocker) in (memory.status()["index"]["error"] or "")
    memory.update(memory.list(user_id="u")[0].memory_id, "User sails.", user_id="u")
    assert memory.search("sails", user_id="u")[0].content == "User sails."
    blocker.unlink()

    wait_for(lambda: memory.flush(timeout=5), "the index is built")

    assert _state(memory) == "ready"
    assert memory.status()["index"]["error"] is None
    found = memory.search("User sails.", user_id="u", top_k=1)
    assert (found[0].content, found.degraded) == ("User sails.", ())


def test_an_index_folder_that_is_removed_under_it_is_built_again(
    open_memory: Open, tmp_path: Path
) -> None:
    memory = open_memory()
    memory.import_(_STAMPS, user_id="u")
    assert memory.flush() is True
    (folder,) = (tmp_path / "store" / "index").glob("gen-*")
    shutil.rmtree(folder)

    assert _finds_all(memory)
    memory.import_([{"content": "User sails."}], user_id="u")
    assert memory.search("sails", user_id="u")[0].content == "User sails."
    memory.close()

    again = open_memory()
    assert _finds_all(again)
    wait_for(lambda: _state(again) == "ready", "the index is open")
    found = again.search("User sails.", user_id="u", top_k=1)
    assert (found[0].content, found.degraded) == ("User sails.", ())
    assert len(contents(again)) == 41


@pytest.mark.parametrize("method", ["upsert", "delete", "query", "count", "close"])
def test_whatever_fails_in_chroma_no_operation_does(
    method: str, open_memory: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = open_memory(vector_poll_interval=0.05)
    memory.import_(_STAMPS, user_id="u")
    assert memory.flush() is True
    real = getattr(ChromaIndex, method)

    def fails(*_: Any, **__: Any) -> Any:
        raise IndexFailure("Chroma has no mind to")

    monkeypatch.setattr(ChromaIndex, method, fails)
    memory.add("I own a kayak.", user_id="u")
    item = memory.search("kayak", user_id="u")[0]
    memory.update(item.memory_id, "User owns a canoe.", user_id="u")
    assert memory.search("canoe", user_id="u")[0].content == "User owns a canoe."
    assert "User owns a kayak." not in contents(memory)
    hits = memory.search("User owns a kayak.", user_id="u", layers=["L2"])
    assert "User owns a kayak." not in [hit.content for hit in hits]
    assert _finds_all(memory)
    memory.flush(timeout=0.5)
    monkeypatch.setattr(ChromaIndex, method, real)

    wait_for(lambda: memory.flush(timeout=5), "the index follows again")

    wait_for(lambda: _state(memory) == "ready", "the index is open")
    found = memory.search("User owns a canoe.", user_id="u", top_k=1)
    assert (found[0].content, found.degraded) == ("User owns a canoe.", ())
