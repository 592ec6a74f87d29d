"""The write path as a LangGraph graph: its shape, its streams, its plain state."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver

from dualmem_graph.config import Settings
from dualmem_graph.errors import ScopeError
from dualmem_graph.resources import Resources, open_resources, using
from dualmem_graph.system1.graph import reconcile_builder, system1, system1_builder
from dualmem_graph.system1.state import MemoryContext
from dualmem_graph.testing import HashEmbeddings, ScriptedChat

CONTEXT = MemoryContext(user_id="u1", session_id="s1")


@pytest.fixture
def resources(tmp_path: Path) -> Iterator[Resources]:
    opened = open_resources(
        Settings(storage_dir=tmp_path, vector_index="off"), embeddings=HashEmbeddings()
    )
    with using(opened):
        yield opened
    opened.close()


def said(*texts: str) -> dict[str, Any]:
    return {"messages": [("user", text) for text in texts]}


def test_the_graph_reads_like_its_description() -> None:
    drawn = system1.get_graph()
    assert {"ingest", "extract", "fast_write", "reconcile", "profile"} <= set(drawn.nodes)
    edges = {(edge.source, edge.target) for edge in drawn.edges}
    assert {
        ("__start__", "ingest"),
        ("ingest", "extract"),
        ("ingest", "__end__"),
        ("extract", "fast_write"),
        ("extract", "__end__"),
        ("fast_write", "reconcile"),
        ("fast_write", "__end__"),
        ("reconcile", "profile"),
        ("profile", "__end__"),
    } <= edges


def test_input_output_and_context_have_schemas_that_a_form_can_be_made_of() -> None:
    assert "messages" in system1.get_input_jsonschema()["properties"]
    assert {"status", "events", "gate", "skipped", "degraded"} <= set(
        system1.get_output_jsonschema()["properties"]
    )
    context = system1.get_context_jsonschema()
    assert context is not None
    assert {"user_id", "app_id", "session_id", "agent_id", "reconcile"} == set(
        context["properties"]
    )


def test_progress_is_streamed_stage_by_stage(resources: Resources) -> None:
    state = said("I live in Porto.")
    context = MemoryContext(user_id="u1", reconcile="sync")
    events = list(system1.stream(state, context=context, stream_mode="custom"))
    assert [event["stage"] for event in events] == ["ingest", "extract", "fast_write", "profile"]
    assert events[2]["events"][0]["content"] == "User lives in Porto."


def test_a_run_answers_the_fields_of_an_add_result(resources: Resources) -> None:
    output = system1.invoke(said("I live in Porto."), context=CONTEXT)
    assert output["status"] == "stored"
    assert [event["content"] for event in output["events"]] == ["User lives in Porto."]
    assert output["extractor"] == "rules"
    assert output["job_id"]


def test_small_talk_ends_after_extract_and_still_answers(resources: Resources) -> None:
    output = system1.invoke(said("thanks!"), context=CONTEXT)
    assert output["status"] == "ephemeral"
    assert output["events"] == []
    assert len(output["turn_ids"]) == 1
    assert resources.store.jobs.pending_count() == 0


def test_a_node_that_runs_again_after_a_crash_writes_nothing_twice(resources: Resources) -> None:
    graph = system1_builder.compile(checkpointer=InMemorySaver(), interrupt_after=["fast_write"])
    config = {"configurable": {"thread_id": "t"}}
    graph.invoke(said("I live in Porto."), config, context=CONTEXT)
    before = resources.store.stats()
    # go back to the state before fast_write and run it again, as a resume after a crash does
    earlier = next(s for s in graph.get_state_history(config) if s.next == ("fast_write",))
    output = graph.invoke(None, earlier.config, context=CONTEXT)
    assert [event["op"] for event in output["events"]] == ["EXISTS"]
    assert resources.store.stats()["nodes"] == before["nodes"]
    assert resources.store.check() == []


def test_state_is_plain_enough_for_a_strict_checkpointer(
    resources: Resources, monkeypatch: pytest.MonkeyPatch
) -> None:
    graph = system1_builder.compile(checkpointer=InMemorySaver())
    config = {"configurable": {"thread_id": "t"}}
    graph.invoke(said("I live in Porto."), config, context=CONTEXT)

    def plain(value: Any) -> bool:
        if isinstance(value, dict):
            return all(isinstance(key, str) and plain(item) for key, item in value.items())
        if isinstance(value, list | tuple):
            return all(map(plain, value))
        return value is None or type(value) in (str, int, float, bool)

    values = dict(graph.get_state(config).values)
    assert {key: value for key, value in values.items() if not plain(value)} == {}


def test_a_run_without_context_is_refused_before_anything_is_written(resources: Resources) -> None:
    with pytest.raises(ScopeError, match="no context"):
        system1.invoke(said("I live in Porto."))
    assert resources.store.list_scopes() == []


@pytest.mark.parametrize("user_id", ["", "  ", "a\x00b"])
def test_a_blank_or_broken_user_id_is_refused_with_its_value(
    resources: Resources, user_id: str
) -> None:
    with pytest.raises(ScopeError, match="user_id"):
        system1.invoke(said("I live in Porto."), context=MemoryContext(user_id=user_id))


def test_the_reconcile_job_is_a_graph_of_the_same_nodes() -> None:
    drawn = reconcile_builder.compile().get_graph()
    assert {"reconcile", "profile"} <= set(drawn.nodes)


def test_an_error_of_our_own_is_never_hidden_behind_the_rules_form(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def breaks(*_: Any, **__: Any) -> None:
        raise ZeroDivisionError("a fault in the program")

    module = importlib.import_module("dualmem_graph.system1.extract")
    monkeypatch.setattr(module, "extract_with_model", breaks)
    opened = open_resources(
        Settings(storage_dir=tmp_path, vector_index="off"),
        chat_model=ScriptedChat(script=["never asked"]),
        embeddings=HashEmbeddings(),
    )
    with using(opened), pytest.raises(ZeroDivisionError):
        system1.invoke(said("I live in Porto."), context=CONTEXT)
    opened.close()


async def test_the_graph_runs_under_ainvoke_off_the_event_loop(resources: Resources) -> None:
    output = await system1.ainvoke(said("I live in Porto."), context=CONTEXT)
    assert output["status"] == "stored"
