"""What a child says of its work: one line before each call, one (synced) as soon as it returned.

The file is the memory of what was acknowledged; it outlives the child and is read by the checker.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

#: What becomes of texts: ACTIVE, SUPERSEDED, SHADOW, or :data:`ABSENT`.
Effect = dict[str, str]
ABSENT = "ABSENT"


@dataclass
class Call:
    """One call of a child: in which scope, and the status that each text has after it."""

    number: int
    kind: str
    user: str
    effect: Effect
    #: What is needed to call it once more, if that must change nothing.
    again: dict[str, Any] = field(default_factory=dict)
    is_acknowledged: bool = False
    #: Set by a checker for a call that was never acknowledged: whether it had taken place.
    was_found: bool | None = None


class Log:
    """The file of one child."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)

    def begin(self, call: Call) -> None:
        """Say what is about to be called."""
        self._write(
            {
                "begin": call.number,
                "kind": call.kind,
                "user": call.user,
                "effect": call.effect,
                "again": call.again,
            }
        )

    def acknowledge(self, number: int) -> None:
        """Say that the call returned; on disk when this returns."""
        self._write({"ack": number})
        os.fsync(self._descriptor)

    def found(self, number: int, took_place: bool) -> None:
        """Say what a checker found of a call that was not acknowledged."""
        self._write({"found": number, "took_place": took_place})

    def wrong(self, what: str) -> None:
        """Say that something was not as promised."""
        self._write({"wrong": what})

    def _write(self, line: Mapping[str, Any]) -> None:
        # one write call: a kill leaves a whole line or none
        os.write(self._descriptor, json.dumps(line).encode() + b"\n")


def read_log(path: Path) -> tuple[list[Call], list[str]]:
    """The calls of a child in order, and what it found wrong."""
    calls: dict[int, Call] = {}
    wrong: list[str] = []
    for text in path.read_text(encoding="utf-8").splitlines():
        line = json.loads(text)
        if "begin" in line:
            calls[line["begin"]] = Call(
                line["begin"], line["kind"], line["user"], line["effect"], line["again"]
            )
        elif "ack" in line:
            calls[line["ack"]].is_acknowledged = True
        elif "found" in line:
            calls[line["found"]].was_found = line["took_place"]
        else:
            wrong.append(line["wrong"])
    return list(calls.values()), wrong
