"""Group K: loops, threads, and work that outlives the call, and the process."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from answers import EX, RE, Open, chain, is_reconcile, model, over, prompt, texts
from langchain_openai import ChatOpenAI
from langgraph.graph import END, START, MessagesState, StateGraph

from dualmem_graph import MemoryClient, SyncMemoryClient
from dualmem_graph.config import Settings
from dualmem_graph.storage.store import MemoryStore
from dualmem_graph.testing import HashEmbeddings, Reply, StubServer

BRAGA, PORTO = "User lives in Braga.", "User lives in Porto."


def test_one_client_serves_three_event_loops(tmp_path: Path) -> None:
    memory = MemoryClient(
        storage_dir=tmp_path / "store",
        embeddings=HashEmbeddings(),
        chat_model=model([EX(BRAGA), EX(PORTO)], [over(BRAGA, PORTO)]),
    )

    async def first() -> None:
        await memory.add("I live in Braga.", user_id="u", wait=True)

    async def second() -> None:
        await asyncio.gather(
            memory.add("I live in Porto.", user_id="u", wait=True),
            memory.search("where do I live", user_id="u"),
        )

    async def third() -> list[Any]:
        assert await memory.flush() is True
        found = await memory.search("where do I live", user_id="u", layers=["L2"])
        await memory.close()
        return list(found)

    asyncio.run(first())
    asyncio.run(second())
    assert [chain(item) for item in asyncio.run(third())] == [[PORTO, BRAGA]]


def _told(sent: Any) -> dict[str, Any]:
    """Draw the last "kayak N" that the dialogue names."""
    return EX(f"User owns kayak {prompt(sent).rsplit('kayak ', 1)[1].split('.')[0]}.")


def _host_or_memory(body: Any) -> Any:
    """One model for both the host's chat and memory's questions."""
    if body["messages"][0]["role"] != "system":
        return "How nice."
    return RE() if is_reconcile(body) else _told(body)


async def test_the_hosts_model_goes_on_streaming_while_memory_uses_it(open_memory: Open) -> None:
    with StubServer(chat=[_host_or_memory], repeat_last=True) as stub:
        chat = ChatOpenAI(base_url=stub.base_url, api_key="any", model="shared", max_retries=0)  # type: ignore[arg-type]
        memory = open_memory(chat, job_workers=2, reconcile_min_similarity=0.0)

        async def answer(state: MessagesState) -> dict[str, Any]:
            said = [chunk.text async for chunk in chat.astream(state["messages"])]
            return {"messages": [("ai", "".join(said))]}

        def remember(state: MessagesState) -> None:
            memory.add(messages=state["messages"], user_id="u", session_id="s")

        builder = StateGraph(MessagesState)
        builder.add_node(answer)
        builder.add_node(remember)
        builder.add_edge(START, "answer")
        builder.add_edge("answer", "remember")
        builder.add_edge("remember", END)
        graph = builder.compile()

        for turn in range(20):
            said: Any = {"messages": [("human", f"I own kayak {turn}.")]}
            parts = [part async for part in graph.astream(said, stream_mode="messages")]
            # what memory asks and gets is no part of the host's stream
            assert "".join(part[0].text for part in parts) == "How nice."

        assert await asyncio.to_thread(memory.flush) is True
        assert sorted(texts(memory)) == sorted(f"User owns kayak {turn}." for turn in range(20))
        assert memory.status()["jobs"] == {"done": memory.status()["jobs"]["done"]}


async def test_the_sync_client_works_inside_a_running_loop(memory: SyncMemoryClient) -> None:
    memory.add("I own a kayak.", user_id="u", wait=True)

    assert [item.content for item in memory.search("kayak", user_id="u")] == ["User owns a kayak."]
    assert memory.flush() is True


async def test_the_async_client_has_every_method_of_the_sync_one(tmp_path: Path) -> None:
    public = {name for name in dir(SyncMemoryClient) if not name.startswith("_")}
    assert public - set(dir(MemoryClient)) == {"settings"}

    async with MemoryClient(
        storage_dir=tmp_path / "store", embeddings=HashEmbeddings(), job_workers=0
    ) as memory:
        await memory.add("I live in Porto.", user_id="u", wait=True)
        (item,) = await memory.list(user_id="u", layers=["L2"])
        assert (await memory.get(item.memory_id, user_id="u")).content == PORTO
        new = await memory.update(item.memory_id, BRAGA, user_id="u")
        assert (await memory.delete(new.memory_id, user_id="u")).deleted == (new.memory_id,)
        assert (await memory.restore(new.memory_id, user_id="u")).content == BRAGA
        assert (await memory.profile(user_id="u"))["location"].metadata["value"] == "Braga"
        assert "Braga" in await memory.context("where do I live", user_id="u")
        assert len(await memory.history(new.memory_id, user_id="u")) >= 3
        assert (await memory.import_([{"content": "User owns a loom."}], user_id="u")).added == 1
        assert [scope.user_id for scope in await memory.list_scopes()] == ["u"]
        assert (await memory.stats(user_id="u"))["nodes"] > 2
        assert (await memory.status())["jobs"] == {"done": 2}
        assert await memory.flush() is True
        assert (await memory.delete_scope(user_id="u", confirm=True))["nodes"] > 2


def test_eight_threads_share_one_client(open_memory: Open) -> None:
    memory = open_memory(job_workers=2)

    def work(thread: int) -> None:
        for turn in range(10):
            memory.add(f"I own kayak {thread * 10 + turn}.", user_id="u", session_id=str(thread))
            assert memory.search(f"kayak {thread}", user_id="u")

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(8)))

    assert memory.flush() is True
    assert len([text for text in texts(memory) if "kayak" in text]) == 80
    assert memory.stats(user_id="u")["by_layer"]["L1_RAW"] == 80


_SAY_AND_GO = """
import sys
from dualmem_graph import SyncMemoryClient
from dualmem_graph.testing import HashEmbeddings

memory = SyncMemoryClient(
    storage_dir=sys.argv[1],
    embeddings=HashEmbeddings(),
    llm_base_url=sys.argv[2],
    llm_model="slow",
    close_timeout=float(sys.argv[3]),
    reconcile_min_similarity=0.0,
)
memory.add("I live in Porto.", user_id="u")
print("said", flush=True)
if sys.argv[4] == "stay":
    sys.stdin.read()
"""


def _start(store: Path, stub: StubServer, close_timeout: float, how: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", _SAY_AND_GO, str(store), stub.base_url, str(close_timeout), how],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.parametrize("how", ["go", "stay"])
def test_what_a_process_leaves_undone_is_resumed_by_the_next(
    how: str, open_memory: Open, tmp_path: Path
) -> None:
    """A script that ends at once, and one that is killed while it reconciles."""
    is_asked = threading.Event()

    def slow(body: Any) -> Any:
        if not is_reconcile(body):
            return EX(PORTO)
        is_asked.set()
        return Reply("too late", delay=600)

    memory = open_memory(model([EX(BRAGA)]))
    memory.add("I live in Braga.", user_id="u", wait=True)
    memory.close()
    with StubServer(chat=[slow], repeat_last=True) as stub:
        child = _start(tmp_path / "store", stub, 0.2, how)
        assert child.stdout is not None
        assert child.stdout.readline() == "said\n"
        if how == "stay":
            assert is_asked.wait(60)
            child.send_signal(signal.SIGKILL)
        _, errors = child.communicate(timeout=120)
    assert child.returncode == (0 if how == "go" else -signal.SIGKILL)
    assert "Traceback" not in errors

    after = open_memory(model([], [over(BRAGA, PORTO)]))
    assert {item.content for item in after.list(user_id="u", layers=["L2"])} == {BRAGA, PORTO}
    assert after.flush() is True
    (item,) = after.list(user_id="u", layers=["L2"])
    assert chain(item) == [PORTO, BRAGA]


def test_a_crash_before_the_extraction_loses_nothing(open_memory: Open) -> None:
    class Killed(BaseException):
        """What no handler catches, like the end of the process."""

    def dies(_: Any) -> Any:
        raise Killed

    memory = open_memory(model([dies]))
    with pytest.raises(Killed):
        memory.add("I live in Porto.", user_id="u", session_id="s")
    kept = [item.content for item in memory.list(user_id="u", layers=["L1"])]
    (job,) = memory._resources.store.jobs.list()
    memory.close()

    # this process lives on, so the lease has to lapse; of a dead one it is taken at once
    again = open_memory(
        model([EX(PORTO)]), clock=lambda: datetime.now(UTC) + timedelta(seconds=121)
    )
    assert kept == ["I live in Porto."]
    assert (job.kind, job.state) == ("extract", "running")
    assert again.flush() is True
    assert [item.content for item in again.list(user_id="u", layers=["L2"])] == [PORTO]


def test_one_bad_job_is_parked_and_shown_and_the_others_are_done(open_memory: Open) -> None:
    healthy = threading.Event()

    def fussy(body: Any) -> Any:
        if is_reconcile(body):
            return RE()
        if "windmill" in prompt(body) and not healthy.is_set():
            return Reply("I will not read this", status=400)
        word = next(word for word in ("kayak", "windmill", "loom") if word in prompt(body))
        return EX(f"User's {word} is old.")

    with StubServer(chat=[fussy], repeat_last=True) as stub:
        memory = open_memory(
            llm_base_url=stub.base_url, llm_model="fussy", job_max_attempts=2, job_backoff=0
        )
        said = ["The old kayak, oh dear.", "The old windmill, oh dear.", "The old loom, oh dear."]
        results = [
            memory.add(text, user_id="u", session_id=str(place)) for place, text in enumerate(said)
        ]
        for _ in range(4):
            memory.flush()

        assert [result.status for result in results] == ["stored", "partial", "stored"]
        assert texts(memory) == ["User's kayak is old.", "User's loom is old."]
        assert memory.status()["jobs"]["parked"] == 1
        (parked,) = memory.jobs(state="parked", user_id="u")
        assert (parked.job_id, parked.kind, parked.attempts) == (results[1].job_id, "extract", 2)
        assert "400" in (parked.error or "")
        asked = len(stub.chat_requests)
        assert memory.flush() is True  # nothing is left that could be done now
        assert len(stub.chat_requests) == asked

        healthy.set()
        assert memory.retry_jobs(user_id="nobody") == 0
        assert memory.retry_jobs(parked.job_id) == 1

        assert memory.flush() is True
        assert "User's windmill is old." in texts(memory)
        assert "parked" not in memory.status()["jobs"]


def test_a_fault_of_our_own_is_parked_too_and_stops_nobody(
    open_memory: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    from dualmem_graph.system1 import reconcile

    real = reconcile.current_statements

    def faulty(scope: Any, ids: Any) -> Any:
        if scope.user_id == "u2":
            raise RuntimeError("a fault")
        return real(scope, ids)

    monkeypatch.setattr(reconcile, "current_statements", faulty)
    memory = open_memory(job_workers=2, job_max_attempts=2, job_backoff=0)
    for user in ("u1", "u2", "u3"):
        memory.add("I live in Porto.", user_id=user)
    for _ in range(4):
        memory.flush()

    assert memory.status()["jobs"] == {"done": 5, "parked": 1}
    assert [set(memory.profile(user_id=user)) for user in ("u1", "u2", "u3")] == [
        {"location"},
        set(),
        {"location"},
    ]
    (parked,) = memory._resources.store.jobs.list(state="parked")
    assert parked.error == "RuntimeError: a fault"


def test_background_threads_do_the_work_without_a_flush(open_memory: Open) -> None:
    done = threading.Event()

    def tied(sent: Any) -> Any:
        if PORTO not in prompt(sent).split("<New")[1]:
            return RE()
        done.set()
        return over(BRAGA, PORTO)(sent)

    memory = open_memory(model([EX(BRAGA), EX(PORTO)], [tied]), job_workers=1)
    memory.add("I live in Braga.", user_id="u")
    memory.add("I live in Porto.", user_id="u")

    assert done.wait(30)
    assert memory.flush() is True
    (item,) = memory.list(user_id="u", layers=["L2"])
    assert chain(item) == [PORTO, BRAGA]


def test_a_flush_keeps_its_timeout(open_memory: Open) -> None:
    release = threading.Event()

    def blocked(_: Any) -> Any:
        assert release.wait(60)
        return RE()

    memory = open_memory(
        model([EX(BRAGA), EX(PORTO)], [blocked]), job_workers=1, reconcile_min_similarity=0.0
    )
    memory.add("I live in Braga.", user_id="u")
    memory.add("I live in Porto.", user_id="u")

    assert memory.flush(timeout=0.1) is False
    release.set()
    assert memory.flush() is True


def test_closing_keeps_its_timeout_and_the_job(open_memory: Open, tmp_path: Path) -> None:
    is_asked, release = threading.Event(), threading.Event()

    def blocked(_: Any) -> Any:
        is_asked.set()
        assert release.wait(60)
        return RE()

    memory = open_memory(
        model([EX(BRAGA), EX(PORTO)], [blocked]), job_workers=1, reconcile_min_similarity=0.0
    )
    memory.add("I live in Braga.", user_id="u")
    memory.flush()
    memory.add("I live in Porto.", user_id="u")
    assert is_asked.wait(30)

    memory.close(timeout=0.05)

    store = MemoryStore.open(Settings(storage_dir=tmp_path / "store", vector_index="off"))
    try:
        assert [job.state for job in store.jobs.list() if job.state != "done"] == ["queued"]
    finally:
        store.close()
        release.set()


def test_an_extraction_done_again_keeps_what_the_caller_said_of_it(open_memory: Open) -> None:
    chat = model(["no JSON", "no JSON", "no JSON", EX("User now lives in Porto.")], [RE()])
    memory = open_memory(chat)

    first = memory.add(
        "I live in Porto.", user_id="u", metadata={"ticket": 7}, memory_type="episodic"
    )
    memory.flush()
    memory.flush()

    assert first.status == "partial"
    (item,) = memory.list(user_id="u", layers=["fact"])
    assert item.content == "User now lives in Porto."
    assert (dict(item.metadata), item.memory_type) == ({"ticket": 7}, "episodic")


def test_an_edit_that_was_killed_half_way_reaches_the_profile(
    open_memory: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    from dualmem_graph.operations import writing

    def killed(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    now = [datetime(2025, 3, 1, tzinfo=UTC)]
    memory = open_memory(clock=lambda: now[0])
    memory.add("I live in Braga.", user_id="u", wait=True)
    (home,) = memory.list(user_id="u", layers=["L2"])
    monkeypatch.setattr(writing, "update_profile", killed)
    with pytest.raises(KeyboardInterrupt):
        memory.update(home.memory_id, "User lives in Porto.", user_id="u")
    monkeypatch.undo()
    now[0] += timedelta(minutes=10)  # the lease of the one that fell silent lapses

    assert memory.flush() is True

    assert memory.profile(user_id="u")["location"].metadata["value"] == "Porto"
    assert memory.status()["jobs"] == {"done": 2}
