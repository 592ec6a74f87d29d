"""The recall graph: the same answers as ``recall_items``, step by step and with plain state."""

from __future__ import annotations

import json

import pytest
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.checkpoint.memory import InMemorySaver
from recall_memory import NOW

from dualmem_graph.errors import InputError, ScopeError
from dualmem_graph.recall.graph import recall, recall_builder
from dualmem_graph.resources import Resources, using
from dualmem_graph.text.safety import MEMORY_OPEN
from dualmem_graph.types import Layer

CONTEXT = {"user_id": "ilka"}


@pytest.fixture
def filled(memory):
    """A memory with a chain, a turn with its fact, a profile and a plan."""
    old = memory.node("User lives in Riga.", days_ago=9, dimension="home")
    memory.node("User lives in Porto.", replaces=[old], dimension="home")
    turn = memory.turn("I bought a red kayak.")
    memory.node("User bought a red kayak.", turn=turn)
    memory.node("location: Porto", Layer.BASIC_INFO, dimension="profile:location", value="Porto")
    deps = memory.deps
    with using(Resources(deps.settings, deps.store, deps.embedder, None, lambda: NOW)):
        yield memory


@pytest.mark.parametrize(
    "query",
    [
        "where do I live",
        "red kayak",
        "Riga",
        "what do you know about me",
        "我住在哪里",
        "good morning",
    ],
)
def test_the_graph_answers_as_the_function_does(filled, query):
    output = recall.invoke({"query": query, "explain": True}, context=CONTEXT)
    outcome = filled.recall(query, explain=True)
    assert output["items"] == [item.to_dict() for item in outcome.items]
    assert (output["route"], output["degraded"]) == (outcome.route, list(outcome.degraded))
    assert output["context"].startswith(MEMORY_OPEN) == bool(outcome.items)


def test_small_talk_ends_the_run_at_once(filled):
    steps = [next(iter(step)) for step in recall.stream({"query": "hello"}, context=CONTEXT)]
    assert steps == ["understand"]


def test_every_step_reports_itself(filled):
    parts = list(
        recall.stream({"query": "kayak"}, context=CONTEXT, stream_mode=["updates", "custom"])
    )
    steps = [next(iter(part)) for mode, part in parts if mode == "updates"]
    stages = [part["stage"] for mode, part in parts if mode == "custom"]
    assert steps == ["understand", "anchors", "expand", "fuse", "format"]
    assert stages == ["understand", "anchors", "expand", "format"]


def test_the_state_is_plain_at_every_step(filled):
    graph = recall_builder.compile(checkpointer=InMemorySaver())
    config = {"configurable": {"thread_id": "t1"}}
    graph.invoke({"query": "where do I live"}, config, context=CONTEXT)
    for snapshot in graph.get_state_history(config):
        json.dumps(snapshot.values)


def test_messages_ask_as_well(filled):
    said = [HumanMessage("I went out with my red kayak."), AIMessage("Nice.")]
    output = recall.invoke({"messages": said}, context=CONTEXT)
    assert output["items"][0]["content"] == "User bought a red kayak."


def test_layers_and_times_may_be_text(filled):
    output = recall.invoke(
        {"query": "kayak", "layers": ["L1_RAW"], "time_range": [None, "2025-06-02"], "top_k": 1},
        context=CONTEXT,
    )
    assert [item["layer"] for item in output["items"]] == ["L1_RAW"]


@pytest.mark.parametrize(
    ("given", "context", "error"),
    [
        ({"query": "kayak"}, None, ScopeError),
        ({"query": "kayak"}, {"user_id": " "}, ScopeError),
        ({"top_k": 3}, CONTEXT, InputError),
        ({"query": "kayak", "layers": ["L9"]}, CONTEXT, InputError),
        ({"query": "kayak", "top_k": 0}, CONTEXT, InputError),
    ],
)
def test_unusable_runs_say_what_is_wrong(filled, given, context, error):
    with pytest.raises(error):
        recall.invoke(given, context=context)


async def test_the_graph_runs_in_an_event_loop(filled):
    output = await recall.ainvoke({"query": "where do I live"}, context=CONTEXT)
    assert output["items"][0]["content"] == "User lives in Porto."


def test_the_graph_can_be_drawn_without_a_network():
    drawn = recall.get_graph().draw_mermaid()
    assert all(step in drawn for step in ("understand", "anchors", "expand", "fuse", "format"))
