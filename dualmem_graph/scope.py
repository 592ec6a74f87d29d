"""Making a scope out of what a caller passed, once, at the border."""

from __future__ import annotations

import unicodedata
from hashlib import blake2b
from typing import Any

from dualmem_graph.errors import ScopeError
from dualmem_graph.types import Scope

MAX_ID_CHARS = 512


def make_scope(user_id: Any, app_id: Any = "default") -> Scope:
    """Validate and normalise the two ids of a scope.

    An integer becomes its decimal string; every other type but ``str`` is refused, and so are
    blank ids, control characters, lone surrogates and more than 512 characters. Text is put in
    NFC, so that one visible name is one scope.

    Raises:
        ScopeError: names the id and says what it must be.

    >>> make_scope(7)
    Scope(app_id='default', user_id='7')
    """
    return Scope(app_id=_clean_id(app_id, "app_id"), user_id=_clean_id(user_id, "user_id"))


def scope_hash(scope: Scope) -> str:
    """Name a scope by 32 hex digits, the only form that full text and Chroma see."""
    text = f"{scope.app_id}\x1f{scope.user_id}"
    return blake2b(text.encode(), digest_size=16).hexdigest()


def _clean_id(value: Any, name: str) -> str:
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str):
        raise ScopeError(
            f"{name} must be a non-empty string or an integer, got {value!r} "
            f"({type(value).__name__}); pass the id of the one {name.split('_')[0]} it is about"
        )
    text = unicodedata.normalize("NFC", value)
    if not text.strip():
        raise ScopeError(f"{name} is blank ({value!r}); pass a non-empty id")
    if len(text) > MAX_ID_CHARS:
        raise ScopeError(
            f"{name} has {len(text)} characters ({text[:40]!r}…); at most {MAX_ID_CHARS}"
            " are allowed"
        )
    for char in text:
        if unicodedata.category(char) in ("Cc", "Cs"):
            raise ScopeError(
                f"{name} {value!r} contains the control character or lone surrogate {char!r}; "
                "pass an id of printable characters"
            )
    return text
