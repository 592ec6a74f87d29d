"""Group A: whatever the model sends back, the turn is kept and nothing is made up of it."""

from __future__ import annotations

import json
import time
from collections.abc import Callable

import pytest
from answers import EX, fact, model, routed
from conftest import Open

from dualmem_graph import SyncMemoryClient
from dualmem_graph.testing import Reply, StubServer

BEES = "Ilka keeps bees"


def _fence(answer: str) -> str:
    return f"```json\n{answer}\n```"


SHAPES = {
    "fence": lambda answer: _fence(answer),
    "prose and fence": lambda answer: f"Sure, this is what I found:\n\n{_fence(answer)}\nDone.",
    "fence closing on the line": lambda answer: f"```json {answer}```",
    "prose on both sides": lambda answer: f"Here you are: {answer} I hope it helps.",
}


@pytest.mark.parametrize("shape", SHAPES)
def test_json_is_found_whatever_surrounds_it(
    shape: str, open_memory: Open, texts: Callable[..., list[str]]
) -> None:
    chat = model(extract=[SHAPES[shape](json.dumps(EX(fact(BEES, "Ilka"))))])
    memory = open_memory(chat)

    result = memory.add("My neighbour Ilka keeps bees.", user_id="u")

    assert (result.status, result.extractor, result.degraded) == ("stored", "llm", ())
    assert texts(memory) == [BEES]
    assert len(chat.calls) == 1
