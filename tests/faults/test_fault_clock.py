"""Clocks that are set back by hours or days, jump a year ahead, or differ between processes."""

from __future__ import annotations

import subprocess
import sys
import threading
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from faulty_parts import MovableClock, Open, contents, turns, wait_for

from dualmem_graph.errors import ConflictError
from dualmem_graph.testing import ScriptedChat

BACK = [timedelta(hours=-3), timedelta(days=-40)]
_GATE = {"novelty": 0.9, "biographical_relevance": 0.9, "emotional_arousal": 0.2, "reason": "test"}


def _extraction(*facts: str) -> dict[str, Any]:
    items = [{"content": f, "subject": "user", "source_turn": 1, "tags": []} for f in facts]
    empty: dict[str, Any] = {"identity": [], "intentions": [], "basic_info": []}
    return {"gate_decision": _GATE, "is_ephemeral": False, "facts": items, **empty}


@pytest.mark.parametrize("back", BACK)
def test_edits_made_after_the_clock_was_set_back_are_still_the_newest(
    back: timedelta, open_memory: Open
) -> None:
    clock = MovableClock()
    memory = open_memory(clock=clock)
    memory.add("I own a kayak.", user_id="u", wait=True)
    (kayak,) = memory.list(user_id="u")
    clock.shift = back

    canoe = memory.update(kayak.memory_id, "User owns a canoe.", user_id="u")
    raft = memory.update(canoe.memory_id, "User owns a raft.", user_id="u")
    newest, *older = [version.content for version in raft.evolution_chain or ()]
    assert (newest, sorted(older)) == (
        "User owns a raft.",
        ["User owns a canoe.", "User owns a kayak."],
    )
    memory.delete(raft.memory_id, user_id="u")
    assert contents(memory) == []
    memory.restore(kayak.memory_id, user_id="u")

    assert contents(memory) == ["User owns a kayak."]
    assert memory.flush() is True
    assert [item.content for item in memory.search("kayak", user_id="u")] == ["User owns a kayak."]
    events = [event.event for event in memory.history(kayak.memory_id, user_id="u")]
    assert events[:2] == ["ADD", "SUPERSEDE"]
    assert "RESTORE" in events[2:]


@pytest.mark.parametrize("back", BACK)
def test_what_is_said_after_the_clock_was_set_back_is_kept_and_findable(
    back: timedelta, open_memory: Open
) -> None:
    clock = MovableClock()
    memory = open_memory(clock=clock)
    memory.add("I live in Braga.", user_id="u", session_id="a", wait=True)
    clock.shift = back
    added = memory.add("I own a kayak.", user_id="u", session_id="a", wait=True)
    stated = memory.add("I live in Porto.", user_id="u", session_id="b", wait=True)

    assert (added.status, stated.status) == ("stored", "stored")
    assert turns(memory) == ["I live in Braga.", "I own a kayak.", "I live in Porto."]
    assert memory.search("kayak", user_id="u")[0].content == "User owns a kayak."
    # by its date Porto was said before Braga, which stays the head of the one chain
    (place,) = [item for item in memory.list(user_id="u", layers=["L2"]) if "lives" in item.content]
    chain = [version.content for version in place.evolution_chain or ()]
    assert chain == ["User lives in Braga.", "User lives in Porto."]
    assert memory.status()["jobs"] == {"done": memory.status()["jobs"]["done"]}


@pytest.mark.parametrize("back", [timedelta(seconds=-5), *BACK])
def test_the_same_words_are_a_retry_only_close_in_time(back: timedelta, open_memory: Open) -> None:
    clock = MovableClock()
    memory = open_memory(clock=clock)
    memory.add("I own a kayak.", user_id="u", session_id="s")
    clock.shift = back

    again = memory.add("I own a kayak.", user_id="u", session_id="s")

    is_retry = back == timedelta(seconds=-5)
    assert turns(memory) == ["I own a kayak."] * (1 if is_retry else 2)
    assert again.status == "duplicate"
    assert contents(memory) == ["User owns a kayak."]


@pytest.mark.parametrize("back", BACK)
def test_jobs_are_done_by_themselves_after_the_clock_was_set_back(
    back: timedelta, open_memory: Open
) -> None:
    clock = MovableClock()
    memory = open_memory(clock=clock)
    memory.add("I live in Braga.", user_id="u", wait=True)
    memory.add("I live in Porto.", user_id="u")
    assert {job.state for job in memory.jobs()} == {"done", "queued"}
    clock.shift = back

    worker = open_memory(clock=clock, job_workers=1)

    wait_for(lambda: {job.state for job in worker.jobs()} == {"done"}, "the job is done")
    (place,) = worker.list(user_id="u", layers=["L2"])
    assert place.content == "User lives in Porto."


@pytest.mark.parametrize("back", BACK)
def test_a_retry_pause_does_not_grow_by_what_the_clock_was_set_back(
    back: timedelta, open_memory: Open
) -> None:
    clock = MovableClock()
    broken = ScriptedChat(script=[_extraction("User owns a kayak."), "no JSON"], repeat_last=True)
    memory = open_memory(clock=clock, chat_model=broken, job_backoff=3600.0)
    memory.add("I own a kayak.", user_id="u", wait=True)
    memory.add("I own a loom.", user_id="u")
    assert "queued" in {job.state for job in memory.jobs()}
    memory.close()
    clock.shift = back
    healthy = ScriptedChat(script=[_extraction("User owns a loom.")], repeat_last=True)

    worker = open_memory(clock=clock, chat_model=healthy, job_workers=1)

    wait_for(lambda: {job.state for job in worker.jobs()} == {"done"}, "the job is done")
    assert "User owns a loom." in contents(worker)


def test_a_job_that_may_fail_ever_so_often_never_waits_longer_than_a_day(
    open_memory: Open,
) -> None:
    clock = MovableClock()
    memory = open_memory(clock=clock, job_max_attempts=5000)
    memory.add("I own a kayak.", user_id="u")
    jobs = memory._resources.store.jobs
    for _ in range(60):
        job = jobs.claim()
        assert job is not None
        assert job.lease is not None
        jobs.fail(job.lease, "not yet")
        clock.shift += timedelta(days=1, seconds=1)

    assert [(job.state, job.attempts) for job in memory.jobs()][-1] == ("queued", 60)


def test_a_job_during_which_the_clock_jumps_a_year_ahead_takes_effect_once(
    open_memory: Open,
) -> None:
    clock = MovableClock()
    asked, released = threading.Event(), threading.Event()

    def slow(_: Any) -> Any:
        asked.set()
        assert released.wait(60)
        return {"updates": []}

    slow_chat = ScriptedChat(
        script=[_extraction("User owns a kayak."), _extraction("User owns a raft."), slow],
        repeat_last=True,
    )
    common: dict[str, Any] = {"clock": clock, "reconcile_min_similarity": 0.0}
    memory = open_memory(chat_model=slow_chat, **common)
    memory.add("I own a kayak.", user_id="u")
    memory.flush()
    memory.add("I own a raft.", user_id="u")
    quick = ScriptedChat(script=[{"updates": []}], repeat_last=True)
    other = open_memory(chat_model=quick, **common)
    running = threading.Thread(target=memory.flush)
    running.start()
    try:
        assert asked.wait(60)
        clock.shift = timedelta(days=365)

        assert other.flush(timeout=60) is True  # the lease has lapsed: it takes the job over
    finally:
        released.set()
        running.join(60)

    assert not running.is_alive()
    assert len(quick.calls) == 1
    assert {job.state for job in other.jobs()} == {"done"}
    assert sorted(contents(other)) == ["User owns a kayak.", "User owns a raft."]
    added = [event.memory_id for event in other.history(user_id="u") if event.event == "ADD"]
    assert len(added) == len(set(added)) == 4


def test_a_write_with_a_lapsed_lease_is_refused_whole(open_memory: Open) -> None:
    clock = MovableClock()
    memory = open_memory(clock=clock)
    memory.add("I own a kayak.", user_id="u")
    jobs = memory._resources.store.jobs
    first = jobs.claim()
    assert first is not None
    assert first.lease is not None
    clock.shift = timedelta(days=365)
    second = jobs.claim()
    assert second is not None
    assert second.id == first.id

    with pytest.raises(ConflictError, match="another took it"):
        jobs.complete(first.lease)

    assert second.lease is not None
    jobs.complete(second.lease)
    assert {job.state for job in memory.jobs()} == {"done"}


_WITH_ITS_OWN_CLOCK = """
import sys
from datetime import UTC, datetime, timedelta
from dualmem_graph import SyncMemoryClient
from dualmem_graph.testing import HashEmbeddings

shift = timedelta(hours=float(sys.argv[2]))
with SyncMemoryClient(
    storage_dir=sys.argv[1],
    embeddings=HashEmbeddings(),
    clock=lambda: datetime.now(UTC) + shift,
    vector_index="off",
    job_workers=1,
    gate_threshold=0.0,
) as memory:
    print("open", flush=True)
    sys.stdin.readline()
    for number in range(20):
        said = f"I own kayak {sys.argv[3]}{number:02}."
        memory.add(said, user_id="u", session_id=sys.argv[3])
        memory.add(said, user_id="u", session_id=sys.argv[3])  # a retry
    assert memory.flush(timeout=60)
"""


def test_two_processes_with_clocks_a_day_apart_lose_and_double_nothing(
    open_memory: Open, tmp_path: Path
) -> None:
    open_memory().close()
    children = [
        subprocess.Popen(
            [sys.executable, "-c", _WITH_ITS_OWN_CLOCK, str(tmp_path / "store"), hours, name],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for hours, name in (("-24", "7"), ("0", "8"))
    ]
    for child in children:
        assert child.stdout is not None
        assert child.stdout.readline() == "open\n"
    ended = []
    threads = [
        threading.Thread(target=lambda one=child: ended.append(one.communicate("go\n", 120)))
        for child in children
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(150)
    assert [child.returncode for child in children] == [0, 0], ended

    memory = open_memory()
    assert memory.flush() is True
    names = [f"{lane}{number:02}" for lane in "78" for number in range(20)]
    assert sorted(turns(memory)) == [f"I own kayak {name}." for name in names]
    assert sorted(contents(memory)) == [f"User owns kayak {name}." for name in names]
