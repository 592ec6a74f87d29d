"""Nothing that a user can paste makes the regular expressions explode."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from dualmem_graph.text.chunks import sentences, split_to_chars, split_to_tokens
from dualmem_graph.text.language import detect_language, estimate_tokens
from dualmem_graph.text.safety import (
    clean_text,
    content_hash,
    neutralise,
    redact_secrets,
    strip_memory_blocks,
)
from dualmem_graph.text.times import find_times
from dualmem_graph.text.tokens import index_terms, query_terms

SIZE = 60_000
UNITS = [
    *(
        "a",
        "A",
        "1",
        " ",
        "\n",
        "\r\n",
        "\t",
        "!",
        ".",
        "-",
        "_",
        "<",
        ">",
        "`",
        "'",
        "上",
        "。",
        "…",
        "👍",
    ),
    *(
        "a.",
        "1.",
        "1,",
        "1-",
        "a@",
        "a:",
        "a/",
        "下个",
        "每1",
        "每",
        "十",
        "初",
        "\u200d",
        "\u0301",
        "#",
        "* ",
    ),
    *("token=", "password is ", "sk-", "eyJabcdefgh.", "bearer ", "http://a:", "<dualmem-memory>"),
    *(
        "<dualmem-memory",
        "</dualmem-memory>",
        "system:",
        "\n>",
        "last ",
        "in a ",
        "May 8 ",
        "2023-",
        "the ",
    ),
    *("两三天", "昨", "三点", "Mr. ", "e.g. ", "-----BEGIN PRIVATE KEY-----", "1 or 2 ", "every "),
]
FUNCTIONS: list[Callable[[str], object]] = [
    sentences,
    lambda text: split_to_chars(text, 2000),
    lambda text: split_to_tokens(text, 500),
    detect_language,
    estimate_tokens,
    clean_text,
    content_hash,
    neutralise,
    redact_secrets,
    strip_memory_blocks,
    index_terms,
    query_terms,
]


@pytest.mark.parametrize("unit", UNITS)
def test_repetition_is_handled_in_linear_time(unit: str) -> None:
    text = "中" + unit * (SIZE // len(unit))
    start = time.process_time()
    for function in FUNCTIONS:
        function(text)
    assert time.process_time() - start < 5


@pytest.mark.parametrize("unit", UNITS)
def test_repetition_is_searched_for_times(unit: str) -> None:
    text = "昨天 " + unit * (6000 // len(unit))
    start = time.process_time()
    find_times(text, datetime(2023, 5, 17, tzinfo=UTC))
    assert time.process_time() - start < 5
