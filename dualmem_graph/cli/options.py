"""The options that commands share, and how their texts become values."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dualmem_graph.errors import InputError

if TYPE_CHECKING:
    from dualmem_graph.client import SyncMemoryClient

UserId = Annotated[str, typer.Option("--user-id", "-u", help="Whose memory.")]
AnyUserId = Annotated[
    str | None, typer.Option("--user-id", "-u", help="Whose memory; without it, everybody's.")
]
AppId = Annotated[
    str | None, typer.Option("--app-id", help="Which application's users; a setting by default.")
]
StorageDir = Annotated[
    Path | None, typer.Option("--storage-dir", help="Directory of the store; a setting by default.")
]
AsJson = Annotated[
    bool, typer.Option("--json", help="Print JSON on stdout, and errors as JSON on stderr.")
]
Layers = Annotated[
    list[str] | None,
    typer.Option("--layer", "-l", help="Only this layer (L2, L2_FACT or fact); may be repeated."),
]
MemoryId = Annotated[str, typer.Argument(help="Id of one version of a memory.", metavar="ID")]


def open_memory(storage_dir: Path | None, **settings: Any) -> SyncMemoryClient:
    """Open the store; imported here because the client is what costs time, not the help."""
    from dualmem_graph.client import SyncMemoryClient

    return SyncMemoryClient(**given(storage_dir=storage_dir), **settings)


def given(**options: Any) -> dict[str, Any]:
    """Keep the options that were given, so that defaults stay the client's."""
    return {name: value for name, value in options.items() if value is not None}


def json_value(text: str | None, option: str) -> Any:
    """Parse the JSON text of an option.

    Raises:
        InputError: names the option and the place of the mistake.
    """
    if text is None:
        return None
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise InputError(
            f"{option} is not JSON: {error.msg} at line {error.lineno}, column {error.colno}"
        ) from None


def json_object(text: str | None, option: str) -> dict[str, Any] | None:
    """Parse an option that must be a JSON object, such as ``{"topic": "food"}``.

    Raises:
        InputError: for text that is not JSON, or JSON that is not an object.
    """
    value = json_value(text, option)
    if value is not None and not isinstance(value, dict):
        raise InputError(f"{option} must be a JSON object, got {text!r}")
    return value
