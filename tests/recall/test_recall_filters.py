"""What a request may return: filters, layers, status and time."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from dualmem_graph.errors import FilterError
from dualmem_graph.recall.filters import compile_filters, is_visible
from dualmem_graph.recall.request import RecallRequest
from dualmem_graph.types import Granularity, Layer, MemoryType, Node, Scope, Status, TimeSpan


def day(number: int) -> datetime:
    return datetime(2025, 1, number, tzinfo=UTC)


NODE = Node(
    "n1",
    Layer.FACT,
    "Ilka owns a kayak.",
    subject="Ilka",
    tags=("possession", "sport"),
    metadata={"topic": "boats", "rank": 3},
    session_id="s1",
    agent_id="a1",
    memory_type=MemoryType.SEMANTIC,
    memory_at=day(10),
    known_from=day(10),
)


@pytest.mark.parametrize(
    ("filters", "matches"),
    [
        (None, True),
        ({}, True),
        ({"session_id": "s1"}, True),
        ({"session_id": "s2"}, False),
        ({"session_id": ["s1", "s2"]}, True),
        ({"session_id": {"eq": "s1"}}, True),
        ({"session_id": {"in": ["s2"]}}, False),
        ({"session_id": []}, False),
        ({"session_id": ""}, True),
        ({"session_id": None}, True),
        ({"agent_id": "a1", "subject": "Ilka"}, True),
        ({"agent_id": "a1", "subject": "Tobin"}, False),
        ({"tags": "sport"}, True),
        ({"tags": ["work", "sport"]}, True),
        ({"tags": "work"}, False),
        ({"tags": ""}, True),
        ({"memory_type": "semantic"}, True),
        ({"memory_type": "episodic"}, False),
        ({"metadata": {"topic": "boats"}}, True),
        ({"metadata": {"topic": "boats", "rank": 4}}, False),
        ({"metadata": {"rank": [3, 4]}}, True),
        ({"metadata": {"absent": "x"}}, False),
    ],
)
def test_filters_match_as_documented(filters, matches):
    assert compile_filters(filters)(NODE) is matches


@pytest.mark.parametrize(
    "filters",
    [
        {"colour": "red"},
        {"session_id": {"regex": "s.*"}},
        {"session_id": {"eq": "s1", "in": ["s1"]}},
        {"tags": {"in": "sport"}},
        {"metadata": "boats"},
        {"metadata": {"topic": {"gt": 1}}},
        ["session_id"],
    ],
)
def test_what_a_filter_cannot_mean_is_refused(filters):
    with pytest.raises(FilterError):
        compile_filters(filters)


def sees(node: Node, **request: object) -> bool:
    return is_visible(RecallRequest(Scope("default", "u1"), "q", **request))(node)


def test_only_current_memories_are_visible_unless_asked_for():
    by_status = {status: Node("n", Layer.FACT, "…", status=status) for status in Status}
    assert [status for status, node in by_status.items() if sees(node)] == [Status.ACTIVE]
    asked = [status for status, node in by_status.items() if sees(node, include_superseded=True)]
    assert asked == [Status.ACTIVE, Status.SUPERSEDED, Status.EXPIRED]


def test_as_of_sees_what_was_current_then():
    old = Node("n", Layer.FACT, "…", Status.SUPERSEDED, known_from=day(1), known_until=day(5))
    new = Node("n", Layer.FACT, "…", known_from=day(5))
    deleted = Node("n", Layer.FACT, "…", Status.SHADOW, known_from=day(1))
    seen = [[sees(node, as_of=day(n)) for node in (old, new, deleted)] for n in (1, 4, 5)]
    assert seen == [[True, False, False], [True, False, False], [False, True, False]]


@pytest.mark.parametrize(
    ("start", "end", "matches"),
    [
        (day(10), day(11), True),
        (day(11), None, False),
        (None, day(10), False),
        (None, day(11), True),
        (day(1), None, True),
    ],
)
def test_time_range_looks_at_when_it_was_said_where_nothing_else_is_known(start, end, matches):
    assert sees(NODE, time_range=(start, end)) is matches


def test_time_range_looks_at_when_it_happened():
    event = TimeSpan(day(3), day(4), Granularity.DAY)
    node = Node("n", Layer.FACT, "…", memory_at=day(10), event=event)
    assert sees(node, time_range=(day(3), day(4)))
    assert not sees(node, time_range=(day(4), day(11)))


def test_layers_narrow():
    assert sees(NODE, layers=(Layer.FACT,))
    assert not sees(NODE, layers=(Layer.RAW,))
