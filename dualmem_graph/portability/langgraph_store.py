"""Memories of a LangGraph store, as LangMem and others keep them: any ``BaseStore``."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from dualmem_graph.errors import InputError

_PAGE = 100
_TEXT_KEYS = ("content", "text", "memory", "data", "value")


def looks_like(value: Any) -> bool:
    """Whether a value is a LangGraph store; LangGraph is not imported to find out."""
    return any(
        (base.__module__, base.__name__) == ("langgraph.store.base", "BaseStore")
        for base in type(value).__mro__
    )


def nodes_in(store: Any, namespace: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    """Turn the items below a namespace into nodes for an import; their dates stay.

    Args:
        store: a ``BaseStore`` whose synchronous methods can be called.
        namespace: where the memories of the one user are.

    Raises:
        InputError: no namespace was named, though a store holds everybody's.
    """
    if not namespace:
        raise InputError(
            "a store holds everybody's items; name this user's with namespace=('memories', …)"
        )
    start = 0
    while True:
        items = store.search(namespace, limit=_PAGE, offset=start)
        for item in items:
            yield {
                "id": "/".join((*item.namespace, item.key)),
                "content": _text(item.value),
                "memory_at": item.updated_at,
                "metadata": {"namespace": list(item.namespace), "key": item.key},
            }
        if len(items) < _PAGE:
            return
        start += len(items)


def _text(value: Any) -> str:
    """The text of an item: LangMem's ``{"kind", "content": {"content"}}``, or a plain one."""
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        for key in _TEXT_KEYS:
            found = value.get(key)
            if isinstance(found, str | Mapping):
                return _text(found)
    return json.dumps(value, ensure_ascii=False, default=str)
