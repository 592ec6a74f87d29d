from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dualmem_graph.text.times import find_times
from dualmem_graph.text.times.festivals import FESTIVALS, lunar_date
from dualmem_graph.text.wordlists import words
from dualmem_graph.types import Granularity, TimeSpan

WEDNESDAY = datetime(2023, 5, 17, 15, 0, tzinfo=UTC)


def days(text: str, said: datetime = WEDNESDAY) -> list[tuple[str, str]]:
    return [(span.text, span.start.date().isoformat()) for span in find_times(text, said)]


def test_today_is_the_day_in_the_messages_offset() -> None:
    said = datetime.fromisoformat("2025-03-02T00:30:00+08:00")
    assert find_times("today I started pottery", said) == [
        TimeSpan(
            datetime(2025, 3, 1, 16, tzinfo=UTC),
            datetime(2025, 3, 2, 16, tzinfo=UTC),
            Granularity.DAY,
            "today",
        )
    ]


def test_given_zone_beats_the_offset() -> None:
    said = datetime(2025, 3, 1, 16, 30, tzinfo=UTC)
    (span,) = find_times("今天开始学陶艺", said, zone=ZoneInfo("Asia/Shanghai"))
    assert span.start == datetime(2025, 3, 1, 16, tzinfo=UTC)


def test_naive_reference_is_utc() -> None:
    naive = datetime(2023, 5, 17, 15, 0)  # noqa: DTZ001
    assert find_times("yesterday", naive) == find_times("yesterday", WEDNESDAY)


def test_day_of_a_clock_change_is_as_long_as_it_is() -> None:
    said = datetime(2023, 3, 26, 12, tzinfo=ZoneInfo("Europe/Berlin"))
    (span,) = find_times("today", said)
    assert span.end - span.start == timedelta(hours=23)


def test_moment_with_an_offset_keeps_it() -> None:
    (span,) = find_times("call at 2023-05-20T09:30:00+08:00 please", WEDNESDAY)
    assert span.start == datetime(2023, 5, 20, 1, 30, tzinfo=UTC)


def test_history_is_read_against_its_own_time() -> None:
    said = datetime(2022, 9, 14, 10, tzinfo=UTC)
    assert days("I flew to Riga last week", said) == [("last week", "2022-09-05")]


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("I met her on Friday", "2023-05-12"),
        ("I will meet her on Friday", "2023-05-19"),
        ("I'm meeting her on Friday", "2023-05-19"),
        ("I moved there in June", "2022-06-01"),
        ("I'm going to move there in June", "2023-06-01"),
        ("我周五见了她", "2023-05-12"),
        ("我周五要见她", "2023-05-19"),
        ("六月搬过去的", "2023-06-01"),
        ("六月搬过去了", "2022-06-01"),
        ("六月要搬过去", "2023-06-01"),
    ],
)
def test_tense_tells_past_from_future(text: str, day: str) -> None:
    assert [found for _, found in days(text)] == [day]


def test_tense_of_another_clause_does_not_count() -> None:
    assert days("I quit on Monday, and on Friday I will start") == [
        ("Monday", "2023-05-15"),
        ("Friday", "2023-05-19"),
    ]


def test_weekday_beside_a_date_tells_the_year() -> None:
    assert days("the party on Saturday, March 7th") == [("Saturday, March 7th", "2026-03-07")]


def test_full_expression_wins_over_its_parts() -> None:
    assert [span.text for span in find_times("the weekend before last", WEDNESDAY)] == [
        "the weekend before last"
    ]
    assert [span.text for span in find_times("大前天下午三点半", WEDNESDAY)] == ["大前天下午三点半"]


def test_both_languages_in_one_text() -> None:
    assert days("昨天 I met him, 下周一 again") == [
        ("昨天", "2023-05-16"),
        ("下周一", "2023-05-22"),
    ]


@pytest.mark.parametrize(
    "moment", [datetime(1, 1, 1, tzinfo=UTC), datetime(9999, 12, 31, tzinfo=UTC)]
)
def test_ends_of_the_calendar_do_not_break(moment: datetime) -> None:
    for text in ("yesterday and tomorrow", "last year, next decade", "昨天 明年 大后天", "500年前"):
        for span in find_times(text, moment):
            assert span.start < span.end


WORDS = st.sampled_from(
    sorted(
        words(
            """
            today yesterday last next week Friday May 8 2023 ago in two the before of Monday at 10
            am 3 summer weekend Christmas every month : - / noon , February 29 30 31 years half past
            昨 今 前 后 天 年 月 周 五 上 下 个 三 十 点 半 号 初 底 去年 明年 春节 农历 八月 十五
            每 过 几 2月 。 约
            """
        )
    )
)
SENTENCES = st.lists(WORDS | st.text(max_size=3), max_size=12).flatmap(
    lambda parts: st.sampled_from(["", " "]).map(lambda gap: gap.join(parts))
)
MOMENTS = st.datetimes(
    min_value=datetime(1980, 1, 1),  # noqa: DTZ001
    max_value=datetime(2060, 1, 1),  # noqa: DTZ001
    timezones=st.sampled_from([UTC, timezone(timedelta(hours=-11)), ZoneInfo("Asia/Shanghai")]),
)


@given(SENTENCES, MOMENTS)
def test_spans_are_ordered_and_disjoint_in_the_text(text: str, said: datetime) -> None:
    position = 0
    for span in find_times(text, said):
        assert span.start < span.end
        assert span.start.tzinfo is UTC
        assert span.text.strip() == span.text != ""
        begin = text.index(span.text, position)
        position = begin + len(span.text)


@given(st.text(alphabet=st.characters(exclude_categories=())), MOMENTS)
def test_any_text_is_searched(text: str, said: datetime) -> None:
    assert find_times(text, said) == find_times(text, said)


@pytest.mark.parametrize(
    ("year", "month", "day", "expected"),
    [
        (2020, 4, 1, date(2020, 4, 23)),
        (2020, 5, 1, date(2020, 6, 21)),  # after the leap fourth month
        (2023, 1, 1, date(2023, 1, 22)),
        (2024, 8, 15, date(2024, 9, 17)),
        (2033, 12, 1, date(2034, 1, 20)),  # after the leap eleventh month
        (1978, 8, 15, date(1978, 9, 17)),
    ],
)
def test_lunar_days_fall_where_the_almanac_has_them(
    year: int, month: int, day: int, expected: date
) -> None:
    assert lunar_date(year, month, day) == expected


def test_lunar_years_join_without_a_gap() -> None:
    for year in range(1970, 2070):
        eve = FESTIVALS["lunar eve"](year + 1)
        last_month_days = (eve - lunar_date(year, 12, 1)).days + 1
        assert last_month_days in (29, 30)


def test_movable_feasts() -> None:
    year = {key: day(2024) for key, day in FESTIVALS.items()}
    assert year["easter"] == date(2024, 3, 31)
    assert year["thanksgiving"] == date(2024, 11, 28)
    assert year["mother"] == date(2024, 5, 12)
    assert year["father"] == date(2024, 6, 16)
    assert year["memorial"] == date(2024, 5, 27)
    assert year["us labor"] == date(2024, 9, 2)
    assert year["qingming"] == date(2024, 4, 4)
    assert year["dragon boat"] == date(2024, 6, 10)
