from __future__ import annotations

import contextlib
from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dualmem_graph.errors import InputError
from dualmem_graph.text.times import local_day, parse_instant, zone_of

EIGHT = timezone(timedelta(hours=8))


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("2025-03-02T00:30:00+08:00", datetime(2025, 3, 1, 16, 30, tzinfo=UTC)),
        ("2025-03-02T00:30:00Z", datetime(2025, 3, 2, 0, 30, tzinfo=UTC)),
        ("2025-03-02 00:30", datetime(2025, 3, 2, 0, 30, tzinfo=UTC)),
        ("2025-03-02", datetime(2025, 3, 2, tzinfo=UTC)),
        (" 2025/3/2 08:15 ", datetime(2025, 3, 2, 8, 15, tzinfo=UTC)),
        ("20250302", datetime(2025, 3, 2, tzinfo=UTC)),
        (datetime(2025, 3, 2, 0, 30, tzinfo=EIGHT), datetime(2025, 3, 1, 16, 30, tzinfo=UTC)),
        (datetime(2025, 3, 2, 0, 30), datetime(2025, 3, 2, 0, 30, tzinfo=UTC)),  # noqa: DTZ001
        (date(2025, 3, 2), datetime(2025, 3, 2, tzinfo=UTC)),
        (1_740_875_400, datetime(2025, 3, 2, 0, 30, tzinfo=UTC)),
        (1_740_875_400.5, datetime(2025, 3, 2, 0, 30, 0, 500_000, tzinfo=UTC)),
        (1_740_875_400_000, datetime(2025, 3, 2, 0, 30, tzinfo=UTC)),
        ("1740875400", datetime(2025, 3, 2, 0, 30, tzinfo=UTC)),
        (0, datetime(1970, 1, 1, tzinfo=UTC)),
        (-86400, datetime(1969, 12, 31, tzinfo=UTC)),
    ],
)
def test_what_callers_write_becomes_utc(value: Any, expected: datetime) -> None:
    parsed = parse_instant(value)
    assert parsed == expected
    assert parsed.tzinfo is UTC


def test_naive_value_is_taken_in_the_given_zone() -> None:
    assert parse_instant("2025-03-02T00:30:00", zone="Asia/Shanghai") == datetime(
        2025, 3, 1, 16, 30, tzinfo=UTC
    )
    assert parse_instant(date(2025, 3, 2), zone="Asia/Shanghai") == datetime(
        2025, 3, 1, 16, 0, tzinfo=UTC
    )


@pytest.mark.parametrize(
    "value",
    [
        *("yesterday", "", "2025-13-01", "9999-12-31T23:59:59-14:00"),
        *(None, True, [2025], b"2025-03-02", float("nan"), float("inf"), 1e300, 10**30),
    ],
)
def test_nonsense_is_refused_with_the_way_out(value: Any) -> None:
    with pytest.raises(InputError, match="ISO 8601"):
        parse_instant(value)


def test_unknown_zone_is_refused() -> None:
    with pytest.raises(InputError, match="'Mars/Base'"):
        parse_instant("2025-03-02", zone="Mars/Base")


@given(st.datetimes(timezones=st.timezones()))
def test_aware_instants_survive_iso(moment: datetime) -> None:
    try:
        expected = moment.astimezone(UTC)
    except OverflowError:
        with pytest.raises(InputError):
            parse_instant(moment)
    else:
        assert parse_instant(moment) == expected


@given(st.text())
def test_text_is_an_instant_or_an_input_error(text: str) -> None:
    with contextlib.suppress(InputError):
        assert parse_instant(text).tzinfo is UTC


def test_zone_is_the_setting_then_the_offset_then_utc() -> None:
    moment = datetime(2025, 3, 2, 0, 30, tzinfo=EIGHT)
    assert zone_of("Europe/Lisbon", moment) == ZoneInfo("Europe/Lisbon")
    assert zone_of(None, moment) == EIGHT
    assert zone_of(None, datetime(2025, 3, 2)) is UTC  # noqa: DTZ001


def test_local_day_is_the_day_on_the_speakers_wall() -> None:
    moment = datetime(2025, 3, 1, 16, 30, tzinfo=UTC)
    assert local_day(moment, ZoneInfo("Asia/Shanghai")) == date(2025, 3, 2)
    assert local_day(moment, UTC) == date(2025, 3, 1)
    assert local_day(datetime(2025, 3, 1, 16, 30), EIGHT) == date(2025, 3, 2)  # noqa: DTZ001
