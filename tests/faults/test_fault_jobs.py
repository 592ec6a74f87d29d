"""What waits to be done when the ground is taken away from under it."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from faulty_parts import Open, contents, turns

from dualmem_graph.testing import ScriptedChat


def _answers(*facts: str) -> dict[str, Any]:
    gate = {"novelty": 0.9, "biographical_relevance": 0.9, "emotional_arousal": 0.2, "reason": "r"}
    items = [{"content": f, "subject": "user", "source_turn": 1, "tags": []} for f in facts]
    empty: dict[str, Any] = {"identity": [], "intentions": [], "basic_info": []}
    return {"gate_decision": gate, "is_ephemeral": False, "facts": items, **empty}


@pytest.mark.parametrize("operation", ["purge", "delete"])
@pytest.mark.parametrize("what", ["fact", "turn"])
def test_work_on_what_is_gone_is_done_at_once(what: str, operation: str, open_memory: Open) -> None:
    """An extraction and a reconciliation that wait, of the same turn."""
    chat = ScriptedChat(script=["no JSON"], repeat_last=True)
    memory = open_memory(chat_model=chat)
    added = memory.add("I own a kayak.", user_id="u")
    assert {job.kind for job in memory.jobs(state="queued")} == {"extract", "reconcile"}
    chat.script[:] = [_answers("User owns a kayak.")]
    id_ = added.events[0].memory_id if what == "fact" else added.turn_ids[0]

    getattr(memory, operation)(id_, user_id="u")

    assert memory.flush(timeout=20) is True
    assert {job.state for job in memory.jobs()} == {"done"}
    assert contents(memory) == []
    is_said_still = (what, operation) == ("fact", "delete")
    assert turns(memory) == (["I own a kayak."] if is_said_still else [])


_CLAIMS_AND_WAITS = """
import sys
from dualmem_graph.config import Settings
from dualmem_graph.storage.store import MemoryStore

store = MemoryStore.open(Settings(storage_dir=sys.argv[1], vector_index="off"))
print(store.jobs.claim().kind, flush=True)
sys.stdin.read()
"""


def test_a_flush_does_not_wait_for_a_process_that_was_killed_meanwhile(
    open_memory: Open, tmp_path: Path
) -> None:
    memory = open_memory()
    memory.add("I live in Porto.", user_id="u")
    answers: list[bool] = []
    with subprocess.Popen(
        [sys.executable, "-c", _CLAIMS_AND_WAITS, str(tmp_path / "store")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "reconcile\n"
        # less than the lease of a runner that nothing is known of
        flush = threading.Thread(target=lambda: answers.append(memory.flush(timeout=60)))
        flush.start()
        assert memory.flush(timeout=0.2) is False
        other.send_signal(signal.SIGKILL)
        flush.join(90)

    assert answers == [True]
    assert memory.profile(user_id="u")["location"].metadata["value"] == "Porto"
