"""``config show`` and ``config init``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dualmem_graph.cli import output, tables
from dualmem_graph.cli.options import AsJson, StorageDir, given
from dualmem_graph.errors import StoreError

if TYPE_CHECKING:
    from dualmem_graph.config import Settings

MASK = "********"
_SECRET_NAME = re.compile(r"key|token|secret|passw|authori[sz]ation|cookie|credential", re.I)
_URL_USER = re.compile(r"(?<=://)[^/@\s]+(?=@)")
_URL_QUERY_VALUE = re.compile(r"([?&][^=&#]*=)[^&#]*")


def show(storage_dir: StorageDir = None, as_json: AsJson = False) -> None:
    """Show every setting, its value, and where the value comes from. Secrets are masked."""
    from dualmem_graph.config import load_settings, setting_sources

    options = given(storage_dir=storage_dir)
    values = masked_values(load_settings(**options))
    sources = setting_sources(**options)
    rows = {key: {"value": value, "source": sources[key]} for key, value in values.items()}
    output.emit({"settings": rows}, as_json, lambda: tables.settings(rows))


def init(
    force: Annotated[bool, typer.Option("--force", help="Write over a changed file.")] = False,
    storage_dir: StorageDir = None,
    as_json: AsJson = False,
) -> None:
    """Write config.yaml with every setting explained, to change what you like."""
    from dualmem_graph.config import CONFIG_FILE, default_yaml, load_settings

    directory = load_settings(**given(storage_dir=storage_dir)).storage_dir
    path = directory / CONFIG_FILE
    text = default_yaml()
    if path.exists() and path.read_text(encoding="utf-8") != text and not force:
        raise StoreError(f"{path} exists and was changed; --force writes over it")
    directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    path.chmod(0o600)
    output.emit({"path": str(path)}, as_json, lambda: output.plain(f"wrote {path}"))


def masked_values(settings: Settings) -> dict[str, Any]:
    """Plain values of all settings, with keys and the credentials inside URLs masked."""
    return {
        key: _masked(getattr(settings, key), secret=_is_secret(key))
        for key in type(settings).model_fields
    }


def _is_secret(key: str) -> bool:
    # Budgets are named after tokens too ("llm_max_output_tokens"); those are numbers, see below.
    return _SECRET_NAME.search(key) is not None


def _masked(value: Any, *, secret: bool = False) -> Any:
    if isinstance(value, Mapping):
        return {key: _masked(item, secret=secret or _is_secret(key)) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_masked(item, secret=secret) for item in value]
    if value is None or isinstance(value, bool | int | float):
        return value
    if secret or hasattr(value, "get_secret_value"):
        return MASK
    text = str(value)
    if "://" in text:
        text = _URL_QUERY_VALUE.sub(rf"\1{MASK}", _URL_USER.sub(MASK, text))
    return text
