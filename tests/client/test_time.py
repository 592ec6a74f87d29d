"""Group F: when it was said, when it happened, and in whose day."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from answers import EX, Open, chain, extract_calls, fact, model, over, prompt

from dualmem_graph import SyncMemoryClient
from dualmem_graph.errors import InputError

SAID = datetime(2022, 9, 14, 10, 0, tzinfo=UTC)


@pytest.fixture
def shanghai(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", "Asia/Shanghai")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.parametrize("given", ["timestamp", "memory_at"])
def test_history_imported_today_is_dated_by_its_messages(given: str, open_memory: Open) -> None:
    chat = model([EX(fact("User flew to Riga.", event_time="last week"))])
    memory = open_memory(chat)
    message: dict[str, Any] = {"role": "user", "content": "I flew to Riga last week."}
    call: dict[str, Any] = {}
    if given == "timestamp":
        message["timestamp"] = SAID.isoformat()
    else:
        call["memory_at"] = SAID

    memory.add(messages=[message], user_id="u", wait=True, **call)

    shown = prompt(extract_calls(chat)[0])
    assert "Reference date: 2022-09-14" in shown
    assert str(datetime.now(UTC).year) not in shown
    (item,) = memory.list(user_id="u")
    assert item.memory_at == SAID
    assert item.event is not None
    assert (item.event.start, item.event.end, str(item.event.granularity)) == (
        datetime(2022, 9, 5, tzinfo=UTC),
        datetime(2022, 9, 12, tzinfo=UTC),
        "week",
    )
    assert item.gmt_created is not None
    assert item.gmt_created.year > 2022


def test_the_rules_form_reads_relative_dates_by_the_messages_day(memory: SyncMemoryClient) -> None:
    memory.add("I flew to Riga last week.", user_id="u", memory_at=SAID, wait=True)
    memory.add("上周我去了大理。", user_id="u", memory_at=SAID, wait=True)

    events = [item.event for item in memory.list(user_id="u")]
    assert [event and (event.start, event.end) for event in events] == [
        (datetime(2022, 9, 5, tzinfo=UTC), datetime(2022, 9, 12, tzinfo=UTC))
    ] * 2


def test_an_older_statement_that_comes_later_goes_below(open_memory: Open) -> None:
    riga, oslo = "User lives in Riga.", "User lives in Oslo."
    chat = model([EX(riga), EX(oslo)], [over(riga, oslo)])
    memory = open_memory(chat)
    memory.add("I live in Riga.", user_id="u", memory_at="2024-05-01", wait=True)

    memory.add("I live in Oslo.", user_id="u", memory_at="2022-05-01", wait=True)

    (home,) = memory.list(user_id="u", layers=["L2"])
    assert chain(home) == [riga, oslo]
    assert memory.profile(user_id="u")["location"].metadata["value"] == "Riga"
    assert memory.search("where do I live", user_id="u")[0].content == riga
    then = memory.search("where do I live", user_id="u", as_of="2023-01-01", layers=["L2"])
    assert [item.content for item in then] == [oslo]


@pytest.mark.parametrize("order", [(2024, 2022, 2023), (2022, 2023, 2024), (2023, 2024, 2022)])
def test_the_order_of_arrival_does_not_decide(
    order: tuple[int, ...], memory: SyncMemoryClient
) -> None:
    cities = {2022: "Oslo", 2023: "Turku", 2024: "Riga"}

    for year in order:
        memory.add(f"I live in {cities[year]}.", user_id="u", memory_at=f"{year}-05-01", wait=True)

    (home,) = memory.list(user_id="u", layers=["L2"])
    assert chain(home) == [f"User lives in {city}." for city in ("Riga", "Turku", "Oslo")]
    assert memory.profile(user_id="u")["location"].metadata["value"] == "Riga"
    for year, city in cities.items():
        then = memory.search("where do I live", user_id="u", as_of=f"{year}-12-01", layers=["L2"])
        assert [item.content for item in then] == [f"User lives in {city}."]


@pytest.mark.usefixtures("shanghai")
@pytest.mark.parametrize("zone", [None, "Asia/Shanghai"])
def test_today_is_the_speakers_day(zone: str | None, open_memory: Open) -> None:
    chat = model([EX(fact("User started pottery.", event_time="today"))])
    memory = open_memory(chat, timezone=zone)

    memory.add(
        messages=[
            {
                "role": "user",
                "content": "Today I started pottery.",
                "timestamp": "2025-03-02T00:30:00+08:00",
            }
        ],
        user_id="u",
        wait=True,
    )

    assert "Reference date: 2025-03-02 (Sunday)" in prompt(extract_calls(chat)[0])
    (item,) = memory.list(user_id="u")
    assert item.memory_at == datetime(2025, 3, 1, 16, 30, tzinfo=UTC)
    assert item.memory_at.utcoffset() == SAID.utcoffset()
    assert item.event is not None
    assert (item.event.start, item.event.end) == (
        datetime(2025, 3, 1, 16, tzinfo=UTC),
        datetime(2025, 3, 2, 16, tzinfo=UTC),
    )
    day = "2025-03-02" if zone else "2025-03-01"  # the setting, else UTC
    assert f"[{day}]" in memory.context("pottery", user_id="u")


@pytest.mark.usefixtures("shanghai")
def test_the_rules_form_knows_the_speakers_day_too(memory: SyncMemoryClient) -> None:
    at = "2025-03-02T00:30:00+08:00"
    memory.add("I moved to Porto yesterday.", user_id="u", memory_at=at, wait=True)

    (item,) = memory.list(user_id="u", layers=["L2"])
    assert item.event is not None
    assert item.event.start == datetime(2025, 2, 28, 16, tzinfo=UTC)


def test_a_time_without_a_zone_is_in_the_settings_zone(open_memory: Open) -> None:
    memory = open_memory(timezone="Asia/Shanghai")
    memory.add("I own a kayak.", user_id="u", memory_at="2025-03-02 00:30", wait=True)

    assert memory.list(user_id="u")[0].memory_at == datetime(2025, 3, 1, 16, 30, tzinfo=UTC)


TIMES: list[Any] = [
    "2025-03-01T16:30:00Z",
    "2025-03-02T00:30:00+08:00",
    datetime(2025, 3, 1, 16, 30, tzinfo=UTC),
    1740846600,
    1740846600000,
]


@pytest.mark.parametrize("value", TIMES, ids=str)
def test_instants_are_taken_in_every_common_form(value: Any, memory: SyncMemoryClient) -> None:
    memory.add("I own a kayak.", user_id="u1", memory_at=value)
    memory.add(
        messages=[{"role": "user", "content": "I own a kayak.", "timestamp": value}], user_id="u2"
    )

    at = datetime(2025, 3, 1, 16, 30, tzinfo=UTC)
    assert [memory.list(user_id=user)[0].memory_at for user in ("u1", "u2")] == [at, at]


@pytest.mark.parametrize("value", ["soon", "2025-13-45", [2025], True, float("nan"), {}], ids=str)
def test_a_time_that_is_none_is_refused_by_name(value: Any, memory: SyncMemoryClient) -> None:
    bad = {"role": "user", "content": "I own a kayak.", "timestamp": value}

    with pytest.raises(InputError, match="memory_at"):
        memory.add("I own a kayak.", user_id="u", memory_at=value)
    with pytest.raises(InputError, match="message 1"):
        memory.add(messages=[("user", "I own a loom."), bad], user_id="u")
    with pytest.raises(InputError, match="as_of"):
        memory.search("kayak", user_id="u", as_of=value)

    assert memory.list_scopes() == []


def test_a_question_about_a_time_finds_what_happened_then(memory: SyncMemoryClient) -> None:
    memory.add("I flew to Riga last week.", user_id="u", memory_at="2022-09-14", wait=True)
    memory.add("I flew to Oslo last week.", user_id="u", memory_at="2023-09-14", wait=True)

    found = memory.search(
        "flew", user_id="u", time_range=("2023-09-01", "2023-09-30"), layers=["L2"]
    )
    asked = memory.search("where did I fly in September 2022?", user_id="u", layers=["L2"], top_k=1)

    assert ["Oslo" in item.content for item in found] == [True]
    assert ["Riga" in item.content for item in asked] == [True]
