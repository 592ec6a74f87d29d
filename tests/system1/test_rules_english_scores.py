"""How well the English rules do on a labelled set of turns that was written before them."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from dualmem_graph.system1.rules import extract
from dualmem_graph.system1.rules.dimensions import same_value
from dualmem_graph.types import Candidate, Turn

DATA = Path(__file__).parent / "data" / "rules_en.jsonl"
#: A Wednesday; the labels count from here.
SAID = datetime(2024, 6, 12, 9, 0, tzinfo=UTC)


@dataclass
class Score:
    found: int = 0
    right: int = 0
    wanted: int = 0
    reached: int = 0
    faults: list[str] = field(default_factory=list)

    @property
    def precision(self) -> float:
        return self.right / self.found

    @property
    def recall(self) -> float:
        return self.reached / self.wanted


def turns_of(row: dict[str, Any]) -> list[Turn]:
    turns = []
    if row.get("partner"):
        turns.append(Turn("t0", 0, "user", "Hey!", SAID, name=row["partner"], is_context=True))
    if row.get("asked"):
        turns.append(Turn("t1", 1, "assistant", row["asked"], SAID, is_context=True))
    turns.append(Turn("t2", 2, "user", row["text"], SAID, name=row.get("name")))
    return turns


def fits(candidate: Candidate, wanted: dict[str, Any]) -> bool:
    event = candidate.event.start.date().isoformat() if candidate.event else None
    return (
        candidate.layer == wanted["layer"]
        and candidate.subject == wanted["subject"]
        and candidate.dimension == wanted["dimension"]
        and candidate.negated == wanted.get("negated", False)
        and (wanted["value"] is None or same_value(candidate.value, wanted["value"]))
        and all(word.lower() in candidate.content.lower() for word in wanted["words"])
        and ("event" not in wanted or event == wanted["event"])
    )


def score(rows: list[dict[str, Any]]) -> Score:
    total = Score()
    for row in rows:
        candidates = extract(turns_of(row), language="en").candidates
        open_labels = list(row["expect"])
        for candidate in candidates:
            label = next((each for each in open_labels if fits(candidate, each)), None)
            allowed = any(word in candidate.content for word in row.get("allow", ()))
            total.found += 1
            total.right += label is not None or allowed
            if label is not None:
                open_labels.remove(label)
            elif not allowed:
                total.faults.append(f"wrong: {row['text']!r} -> {candidate}")
        total.wanted += len(row["expect"])
        total.reached += len(row["expect"]) - len(open_labels)
        total.faults += [f"missed: {row['text']!r} -> {label}" for label in open_labels]
    return total


@pytest.fixture(scope="module")
def rows() -> list[dict[str, Any]]:
    return [json.loads(line) for line in DATA.read_text(encoding="utf-8").splitlines()]


def test_set_is_large_and_holds_turns_with_nothing(rows: list[dict[str, Any]]) -> None:
    assert len(rows) >= 120
    assert sum(not row["expect"] for row in rows) >= 40


def test_precision_and_recall_stay_above_their_floors(rows: list[dict[str, Any]]) -> None:
    total = score(rows)
    assert total.precision >= 0.9, "\n".join(total.faults)
    assert total.recall >= 0.75, "\n".join(total.faults)
