"""Every line of the two date corpora, which were written before the grammars were tuned."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from dualmem_graph.text.times import find_times
from dualmem_graph.text.times.spans import add_months
from dualmem_graph.types import Granularity, TimeSpan

SHANGHAI = ZoneInfo("Asia/Shanghai")
SAID = datetime(2023, 5, 17, 15, 0, tzinfo=SHANGHAI)
HERE = Path(__file__).parent


def read_corpus(name: str) -> list[tuple[str, str]]:
    lines = (HERE / name).read_text(encoding="utf-8").splitlines()
    rows = [line.partition("|") for line in lines if line and not line.startswith("#")]
    return [(sentence.strip(), expected.strip()) for sentence, _, expected in rows]


def local(text: str) -> datetime:
    """Read a date or a local time; a year or a month is its first day."""
    padded = text + "0000-01-01"[len(text) :] if len(text) < 10 else text
    if len(padded) == 13:
        padded += ":00"
    return datetime.fromisoformat(padded).replace(tzinfo=SHANGHAI)


def read_span(words: str, notation: str) -> TimeSpan:
    bounds, _, granularity = notation.partition(" ")
    start_text, is_range, end_text = bounds.partition("/")
    if is_range:
        start, end = local(start_text), local(end_text)
        exact = Granularity(granularity)
    elif week := re.fullmatch(r"(\d{4})-W(\d\d)", bounds):
        monday = date.fromisocalendar(int(week[1]), int(week[2]), 1)
        start = local(monday.isoformat())
        end, exact = start + timedelta(days=7), Granularity.WEEK
    else:
        start = local(bounds)
        end, exact = {
            4: (start.replace(year=start.year + 1), Granularity.YEAR),
            7: (local(add_months(start.date(), 1).isoformat()), Granularity.MONTH),
            10: (start + timedelta(days=1), Granularity.DAY),
            13: (start + timedelta(hours=1), Granularity.TIME),
            16: (start + timedelta(minutes=1), Granularity.TIME),
        }[len(bounds)]
    return TimeSpan(start.astimezone(UTC), end.astimezone(UTC), exact, words)


def read_expected(expected: str) -> list[TimeSpan]:
    spans = []
    for part in filter(None, (part.strip() for part in expected.split(" ; "))):
        words, _, notation = part.rpartition(" = ")
        spans.append(read_span(words, notation))
    return spans


@pytest.mark.parametrize(
    ("sentence", "expected"), read_corpus("date_corpus_en.txt") + read_corpus("date_corpus_zh.txt")
)
def test_time_expression_is_found_and_resolved(sentence: str, expected: str) -> None:
    assert find_times(sentence, SAID) == read_expected(expected)


@pytest.mark.parametrize("name", ["date_corpus_en.txt", "date_corpus_zh.txt"])
def test_corpus_covers_the_language(name: str) -> None:
    assert sum(bool(expected) for _, expected in read_corpus(name)) >= 120
