"""Checks of arguments at the border: each names the value and the way out, and changes nothing."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from dualmem_graph.config import Settings
from dualmem_graph.errors import InputError, LimitError
from dualmem_graph.system1.messages import keep_offset, read_messages
from dualmem_graph.text.safety import clean_text, redact_secrets
from dualmem_graph.types import Layer, MemoryType, Turn


def text(value: Any, name: str) -> str:
    """Take a text as it is, or refuse another type."""
    if not isinstance(value, str):
        raise InputError(f"{name} must be text, got {value!r:.80} ({type(value).__name__})")
    return value


def said(value: Any) -> str:
    """Take the words of one message; blank ones are refused, since nothing would be kept."""
    if isinstance(value, list | tuple):
        raise InputError(f"content must be text, got {value!r:.80}; pass messages=… for a list")
    words = text(value, "content")
    if not clean_text(words).strip():
        raise InputError(f"content is blank ({value!r:.80}); pass what was said")
    return words


def memory_text(value: Any, settings: Settings) -> str:
    """Clean one memory's text; secrets are replaced as in ``add``."""
    cleaned = clean_text(text(value, "content")).strip()
    if not cleaned:
        raise InputError(f"content is blank ({value!r:.80}); pass the text of the memory")
    if len(cleaned) > settings.max_content_chars:
        raise LimitError(
            f"content has {len(cleaned)} characters; at most {settings.max_content_chars} are "
            "allowed (setting max_content_chars)"
        )
    return redact_secrets(cleaned)[0] if settings.redact_secrets else cleaned


def query(value: Any, settings: Settings) -> str:
    """Clean a query, secrets replaced as in what is stored; a blank one finds nothing."""
    cleaned = clean_text(text(value, "query")).strip()
    if len(cleaned) > settings.max_query_chars:
        raise LimitError(
            f"the query has {len(cleaned)} characters; at most {settings.max_query_chars} are "
            "allowed (setting max_query_chars)"
        )
    return redact_secrets(cleaned)[0] if settings.redact_secrets else cleaned


def query_messages(value: Any, settings: Settings, now: datetime) -> tuple[Turn, ...]:
    """Read a conversation that is the query."""
    if value is None:
        return ()
    read = read_messages(value, settings=settings, default_at=now, explicit_at=False)
    return tuple(
        Turn(f"query-{index}", index, item.role, item.text, item.at, item.name)
        for index, item in enumerate(read.kept)
    )


def id_to_find(value: Any) -> str:
    """Take the id of something stored; what no id can hold, and no database takes, is replaced.

    >>> id_to_find("a\\x00b")
    'a�b'
    """
    return str(value).replace("\x00", "\ufffd").encode("utf-8", "replace").decode()


def label(value: Any, name: str) -> str | None:
    """Take an optional id; ``""`` counts as not given."""
    if value is None:
        return None
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str):
        raise InputError(f"{name} must be a string, got {value!r:.80} ({type(value).__name__})")
    cleaned = clean_text(value).strip()
    if len(cleaned) > 512:
        raise LimitError(f"{name} has {len(cleaned)} characters; at most 512 are allowed")
    return cleaned or None


def instant(value: Any, name: str, settings: Settings) -> str | None:
    """Check a time and return it as ISO 8601 with its own offset."""
    parsed = moment(value, name, settings)
    return None if parsed is None else parsed.isoformat()


def moment(value: Any, name: str, settings: Settings) -> datetime | None:
    """Read an optional time."""
    if value is None or value == "":
        return None
    try:
        return keep_offset(value, zone=settings.timezone)
    except InputError as error:
        raise InputError(f"{name}: {error}") from None


def time_range(value: Any, settings: Settings) -> tuple[datetime | None, datetime | None] | None:
    """Read ``(start, end)``, either end open."""
    if value is None:
        return None
    if isinstance(value, str) or not isinstance(value, Sequence) or len(value) != 2:
        raise InputError(f"time_range must be (start, end), got {value!r:.80}; use None for open")
    start = moment(value[0], "time_range start", settings)
    end = moment(value[1], "time_range end", settings)
    if start is not None and end is not None and start > end:
        raise InputError(f"time_range starts {value[0]!r} after it ends {value[1]!r}; swap them")
    return start, end


def count(value: Any, name: str, low: int, high: int) -> int:
    """Take a whole number from ``low`` to ``high``."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise InputError(f"{name} must be a whole number, got {value!r:.80}")
    if not low <= value <= high:
        raise InputError(f"{name} is {value}; it must be from {low} to {high}")
    return value


def revision(value: Any) -> int | None:
    """Take the revision of an item that was read; ``None`` for whichever it is at."""
    return None if value is None else count(value, "revision", 1, 1 << 31)


def seconds(value: Any, name: str) -> float | None:
    """Take a time to wait; ``None``: as long as it takes."""
    if value is None:
        return None
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not value >= 0:
        raise InputError(f"{name} must be a number of seconds, got {value!r:.80}")
    return float(value)


def flag(value: Any, name: str) -> bool:
    """Take true or false."""
    if not isinstance(value, bool):
        raise InputError(f"{name} must be True or False, got {value!r:.80}")
    return value


def language(value: Any) -> str | None:
    """Take the language of a text that is written for a reader; ``None``: as it fits."""
    if value not in (None, "en", "zh"):
        raise InputError(f"unknown language {value!r:.80}; use 'en', 'zh', or None for the query's")
    chosen: str | None = value
    return chosen


def share(value: Any, name: str) -> float | None:
    """Take an optional number in [0, 1]."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise InputError(f"{name} must be a number from 0 to 1, got {value!r:.80}")
    return float(value)


def layers(value: Any) -> tuple[Layer, ...] | None:
    """Read layer names; ``L2_FACT``, ``L2``, ``fact`` and ``facts`` all name the same one."""
    if value is None or value == "":
        return None
    if isinstance(value, str):
        value = [value]
    if not isinstance(value, Iterable):
        raise InputError(f"layers must be a list of layer names, got {value!r:.80}")
    found = []
    for item in value:
        layer = _LAYER_NAMES.get(str(item).strip().casefold())
        if layer is None:
            names = ", ".join(Layer)
            raise InputError(f"unknown layer {item!r:.80}; the layers are {names}")
        found.append(layer)
    return tuple(dict.fromkeys(found))


_LAYER_NAMES = {
    name.casefold(): layer
    for layer in Layer
    for name in (layer.value, layer.value[:2], layer.value[3:], f"{layer.value[3:]}S")
}


def memory_type(value: Any) -> str | None:
    """Read a memory type."""
    if value is None or value == "":
        return None
    try:
        return MemoryType(str(value)).value
    except ValueError:
        names = ", ".join(MemoryType)
        raise InputError(f"unknown memory_type {value!r:.80}; it is one of {names}") from None


def tags(value: Any, settings: Settings) -> tuple[str, ...] | None:
    """Read tags: short texts, each once."""
    if value is None:
        return None
    if isinstance(value, str) or not isinstance(value, Sequence):
        raise InputError(f"tags must be a list of words, got {value!r:.80}")
    found: dict[str, None] = {}
    for item in value:
        cleaned = clean_text(text(item, "a tag")).strip()
        if not cleaned or len(cleaned) > settings.max_tag_chars:
            raise LimitError(
                f"tag {item!r:.80} has {len(cleaned)} characters; 1 to {settings.max_tag_chars} "
                "are allowed (setting max_tag_chars)"
            )
        found.setdefault(cleaned, None)
    if len(found) > settings.max_tags:
        raise LimitError(
            f"{len(found)} tags; at most {settings.max_tags} are allowed (setting max_tags)"
        )
    return tuple(found)


def metadata(value: Any, settings: Settings) -> dict[str, Any]:
    """Check metadata: a mapping of plain JSON, within the limits; returned as a copy."""
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise InputError(f"metadata must be a mapping, got {value!r:.80} ({type(value).__name__})")
    plain = {
        _key(key): _json(item, f"metadata[{key!r}]", 1, settings) for key, item in value.items()
    }
    size = len(json.dumps(plain, ensure_ascii=False).encode("utf-8", "replace"))
    if size > settings.max_metadata_bytes:
        raise LimitError(
            f"metadata takes {size} bytes as JSON; at most {settings.max_metadata_bytes} are "
            "allowed (setting max_metadata_bytes)"
        )
    return plain


def _key(key: Any) -> str:
    if not isinstance(key, str) or not key.strip():
        raise InputError(f"metadata key {key!r:.80} must be a non-empty string")
    return clean_text(key)


def _json(value: Any, where: str, depth: int, settings: Settings) -> Any:
    if depth > settings.max_metadata_depth:
        raise LimitError(
            f"{where} is nested deeper than {settings.max_metadata_depth} "
            "(setting max_metadata_depth); flatten it"
        )
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, str):
        return clean_text(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise InputError(f"{where} is {value!r}; JSON has no such number: leave it out")
        return value
    if isinstance(value, Mapping):
        return {
            _key(key): _json(item, f"{where}[{key!r}]", depth + 1, settings)
            for key, item in value.items()
        }
    if isinstance(value, list | tuple):
        return [_json(item, f"{where}[{i}]", depth + 1, settings) for i, item in enumerate(value)]
    raise InputError(
        f"{where} is {value!r:.80} ({type(value).__name__}), which is not plain JSON; "
        "use strings, numbers, booleans, null, lists and mappings"
    )
