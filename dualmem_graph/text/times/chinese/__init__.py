"""The Chinese grammar of time expressions."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from dualmem_graph.text.times.chinese.rules import RULES
from dualmem_graph.text.times.chinese.words import leaning, may_hold_time
from dualmem_graph.text.times.grammar import run
from dualmem_graph.text.times.spans import Found

__all__ = ["find", "may_hold_time"]


def find(text: str, now: datetime) -> Iterator[Found]:
    """Yield everything that the grammar reads in a text; ``now`` is naive local time."""
    return run(RULES, text, now, leaning)
