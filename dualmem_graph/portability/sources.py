"""Telling the formats of an import apart, and reading files of them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from dualmem_graph.errors import InputError
from dualmem_graph.portability import chats, langgraph_store, mem0
from dualmem_graph.portability.archive_file import FORMAT

NODES, ARCHIVE, MEM0, LANGGRAPH, CHAT = FORMATS = ("nodes", "archive", "mem0", "langgraph", "chat")


def format_of(value: Any, given: str) -> str:
    """Say which format a value has, unless the caller did.

    Raises:
        InputError: the caller named none that exists, or the value has the shape of none.
    """
    if given != "auto":
        if given not in FORMATS:
            raise InputError(f"unknown format {given!r}; use auto, {', '.join(FORMATS)}")
        return given
    if isinstance(value, Path):
        return ARCHIVE if _first_line_is_header(value) else format_of(read_json(value), given)
    if langgraph_store.looks_like(value):
        return LANGGRAPH
    if mem0.looks_like(value):
        return MEM0
    if chats.looks_like(value):
        return CHAT
    if isinstance(value, Mapping | str | bytes):
        raise InputError(
            f"{str(value)[:80]!r} ({type(value).__name__}) has the form of no import; pass a list "
            f"of mappings with content, a path, or say which format it is: {', '.join(FORMATS)}"
        )
    return NODES


def as_path(value: Any) -> Any:
    """Take a string for the path of a file; everything else stays what it is.

    Raises:
        InputError: there is no such file.
    """
    if not isinstance(value, str | Path):
        return value
    path = Path(value).expanduser()
    try:
        is_there = path.is_file()
    except (OSError, ValueError):  # too long for a name, or a NUL in it
        is_there = False
    if not is_there:
        raise InputError(
            f"nodes is the {type(value).__name__} {str(value)[:200]!r}, which is the path of no "
            "file; pass a list of mappings, the path of a file, or a LangGraph store"
        )
    return path


def lines_of(path: Path) -> Iterator[str]:
    """Read the lines of a UTF-8 file as they are."""
    try:
        with path.open(encoding="utf-8", newline="") as file:
            yield from file
    except UnicodeDecodeError as error:
        raise InputError(
            f"{str(path)!r} is not UTF-8 text ({error.reason} at byte {error.start})"
        ) from None


def read_json(path: Path) -> Any:
    """Read a file of JSON, or of JSON Lines, which become a list.

    Raises:
        InputError: it is neither; names the line.
    """
    text = "".join(lines_of(path)).removeprefix("\ufeff")
    if not text.strip():
        raise InputError(f"{str(path)!r} is empty; there is nothing to import")
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        mistake, where = error.msg, error.lineno
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        try:
            found += [json.loads(line)] if line.strip() else []
        except json.JSONDecodeError as error:
            if found:  # lines were meant, and not one document
                mistake, where = error.msg, number
            raise InputError(
                f"{str(path)!r} is neither JSON nor JSON Lines: {mistake} in line {where}"
            ) from None
    return found


def nodes_of(value: Any, format: str, namespace: Sequence[str]) -> Any:
    """Turn memories of another system into nodes; nodes stay what they are."""
    if format == MEM0:
        return list(mem0.nodes_in(value))
    if format == LANGGRAPH:
        if not langgraph_store.looks_like(value):
            raise InputError(f"format 'langgraph' wants a BaseStore, not {type(value).__name__}")
        return langgraph_store.nodes_in(value, tuple(namespace))
    return value


def _first_line_is_header(path: Path) -> bool:
    first = next(lines_of(path), "")
    return FORMAT in first[:200]
