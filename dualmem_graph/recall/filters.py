"""Which nodes a request may return: status, layer, time, and the caller's filters."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from datetime import datetime
from typing import Any

from dualmem_graph.errors import FilterError
from dualmem_graph.recall.request import RecallRequest
from dualmem_graph.types import Node, Status

Test = Callable[[Node], bool]

_KEYS = ("session_id", "agent_id", "subject", "memory_type", "tags", "metadata")
_OPERATORS = ("eq", "in")


def is_visible(request: RecallRequest) -> Test:
    """Build the test that every node of an answer must pass.

    Raises:
        FilterError: the request's filters name an unknown key or operator.
    """
    tests = [_status_test(request), compile_filters(request.filters)]
    if request.layers is not None:
        layers = frozenset(request.layers)
        tests.append(lambda node: node.layer in layers)
    if request.time_range is not None:
        start, end = request.time_range
        tests.append(lambda node: _happened_within(node, start, end))
    return lambda node: all(test(node) for test in tests)


def statuses_read(request: RecallRequest) -> tuple[Status, ...]:
    """Name the statuses among which a request's answers are."""
    if request.as_of is not None or request.include_superseded:
        return (Status.ACTIVE, Status.SUPERSEDED, Status.EXPIRED)
    return (Status.ACTIVE,)


def narrows(request: RecallRequest) -> bool:
    """Say whether candidates may fall away that the store cannot leave out itself."""
    return bool(request.filters) or request.time_range is not None or request.as_of is not None


def compile_filters(filters: Mapping[str, Any] | None) -> Test:
    """Turn filters into a test; all of them must hold.

    Keys are ``session_id``, ``agent_id``, ``subject``, ``memory_type``, ``tags`` (the node carries
    the tag) and ``metadata`` (a mapping of keys to values). A value is what must be equal, a list
    of which one must be, or ``{"eq": …}`` or ``{"in": […]}``. An empty list matches nothing; a
    value of ``""`` or ``None`` counts as not given.

    Raises:
        FilterError: for an unknown key or operator, or a value of the wrong form.

    Example:
        >>> from dualmem_graph.types import Layer
        >>> test = compile_filters({"tags": "work", "metadata": {"topic": ["tea", "coffee"]}})
        >>> test(Node("n", Layer.FACT, "…", tags=("work",), metadata={"topic": "tea"}))
        True
    """
    if filters is None:
        return _any_node
    if not isinstance(filters, Mapping):
        raise FilterError(f"filters must be a mapping of keys to values, got {filters!r}")
    tests: list[Test] = []
    for key, value in filters.items():
        if key not in _KEYS:
            raise FilterError(f"unknown filter key {key!r}; the keys are {', '.join(_KEYS)}")
        if _is_absent(value):
            continue
        tests += _metadata_tests(value) if key == "metadata" else [_attribute_test(key, value)]
    return lambda node: all(test(node) for test in tests)


def _attribute_test(key: str, value: Any) -> Test:
    allowed = _allowed(key, value)
    if key == "tags":
        return lambda node: any(tag in allowed for tag in node.tags)
    return lambda node: getattr(node, key) in allowed


def _metadata_tests(value: Any) -> list[Test]:
    if not isinstance(value, Mapping):
        raise FilterError(
            f"the filter 'metadata' takes a mapping of metadata keys to values, got {value!r}"
        )
    return [
        _metadata_test(key, _allowed(f"metadata.{key}", wanted))
        for key, wanted in value.items()
        if not _is_absent(wanted)
    ]


def _metadata_test(key: str, allowed: Collection[Any]) -> Test:
    return lambda node: key in node.metadata and node.metadata[key] in allowed


def _allowed(key: str, value: Any) -> Collection[Any]:
    """List the values that a filter lets through."""
    if isinstance(value, Mapping):
        if len(value) != 1 or next(iter(value)) not in _OPERATORS:
            raise FilterError(
                f"the filter {key!r} has the operators {list(value)!r}; "
                f"use one of {', '.join(_OPERATORS)}"
            )
        [(operator, value)] = value.items()
        if operator == "in" and not isinstance(value, list | tuple | set | frozenset):
            raise FilterError(f"'in' of the filter {key!r} takes a list, got {value!r}")
        if operator == "eq":
            return [value]
    if isinstance(value, list | tuple | set | frozenset):
        return list(value)
    return [value]


def _is_absent(value: Any) -> bool:
    return value is None or (isinstance(value, str) and not value.strip())


def _any_node(_node: Node) -> bool:
    return True


def _status_test(request: RecallRequest) -> Test:
    if request.as_of is not None:
        as_of = request.as_of
        return lambda node: _was_current(node, as_of)
    statuses = statuses_read(request)
    return lambda node: node.status in statuses


def _was_current(node: Node, at: datetime) -> bool:
    """Say whether a node was current then; what was deleted since is not told any more."""
    if node.status is Status.SHADOW or node.known_from is None or node.known_from > at:
        return False
    return node.known_until is None or node.known_until > at


def _happened_within(node: Node, start: datetime | None, end: datetime | None) -> bool:
    """Compare ``[start, end)`` with when it happened, or was said where that is not known."""
    first = node.event.start if node.event else node.memory_at
    last = node.event.end if node.event else node.memory_at
    if first is None or last is None:
        return False
    if end is not None and first >= end:
        return False
    # An instant (first == last) at the very start is within; an event that ended there is not.
    return start is None or last > start or first == last == start
