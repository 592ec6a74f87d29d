"""What the demo found, as plain values: for the screen, for JSON, for tests."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from dualmem_graph.types import Layer, to_plain


@dataclass(frozen=True, slots=True)
class LayerCount:
    """How many memories a layer keeps, and one of them."""

    layer: Layer
    kept: int
    example: str


@dataclass(frozen=True, slots=True)
class Version:
    """One version in a chain: the day it was said (ISO) and why the next one took its place."""

    said: str
    content: str
    update_type: str | None = None


@dataclass(frozen=True, slots=True)
class Chain:
    """Versions of one thing, newest first."""

    name: str
    versions: tuple[Version, ...]


@dataclass(frozen=True, slots=True)
class Answer:
    """What memory answers to a question, and the turn that it rests on.

    ``answer`` is ``None`` where memory has nothing relevant; ``expect`` is what a good answer
    mentions, where the conversation's author said so.
    """

    question: str
    expect: str
    answer: str | None = None
    score: float = 0.0
    said: str = ""
    speaker: str = ""
    quote: str = ""


@dataclass(frozen=True, slots=True)
class PersonReport:
    """One person's part of the report."""

    user_id: str
    name: str
    sessions: int
    messages: int
    layers: tuple[LayerCount, ...]
    chains: tuple[Chain, ...]
    answers: tuple[Answer, ...]


@dataclass(frozen=True, slots=True)
class DemoReport:
    """What one run of the demo shows. ``storage_dir`` is ``None`` for a temporary store."""

    people: tuple[PersonReport, ...]
    seconds: float
    model: str | None
    storage_dir: str | None

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON."""
        plain: dict[str, Any] = to_plain(self)
        return plain
