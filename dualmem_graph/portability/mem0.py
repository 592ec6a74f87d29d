"""Memories of mem0: the JSON that its ``get_all`` returns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from dualmem_graph.errors import InputError


def looks_like(value: Any) -> bool:
    """Whether a value has the shape of ``get_all``: a list of memories, bare or as results."""
    items = _items(value) or []
    return bool(items) and all(isinstance(item, Mapping) and "memory" in item for item in items)


def nodes_in(value: Any) -> Iterator[dict[str, Any]]:
    """Turn memories into nodes for an import; their dates and ids stay.

    Raises:
        InputError: it has another shape, or holds memories of several users.
    """
    items = _items(value)
    if items is None:
        raise InputError(
            f"mem0's get_all gives {{'results': […]}} or a list, not {type(value).__name__}"
        )
    users = sorted({str(item["user_id"]) for item in items if item.get("user_id")})
    if len(users) > 1:
        raise InputError(
            f"it holds memories of {len(users)} users ({', '.join(map(repr, users[:3]))}, …); "
            "import each under a user_id of its own"
        )
    for item in items:
        metadata = dict(item.get("metadata") or {})
        categories = item.get("categories") or []
        node = {
            "id": item.get("id"),
            "content": item.get("memory"),
            "memory_at": item.get("updated_at") or item.get("created_at"),
            "agent_id": item.get("agent_id"),
            "session_id": item.get("run_id"),
            "metadata": metadata,
            "tags": [str(category) for category in categories],
        }
        yield {key: found for key, found in node.items() if found not in (None, {}, [])}


def _items(value: Any) -> list[Any] | None:
    found = value.get("results") if isinstance(value, Mapping) else value
    return found if isinstance(found, list) else None
