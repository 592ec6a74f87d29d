"""Instants and zones at the border: whatever a caller passed becomes an aware UTC datetime."""

from __future__ import annotations

import math
import re
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from dualmem_graph.errors import InputError

# Larger epoch numbers are milliseconds: as seconds this is the year 5138.
_MAX_EPOCH_SECONDS = 100_000_000_000
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_NUMBER = re.compile(r"[+-]?\d+(?:\.\d+)?\Z", re.ASCII)
_SLASHED_DATE = re.compile(r"(\d{4})[/.](\d{1,2})[/.](\d{1,2})(?=\D|\Z)", re.ASCII)
_WHAT_WORKS = (
    "pass a datetime, an ISO 8601 string like '2025-03-02T00:30:00+08:00', or epoch seconds"
)


def parse_instant(value: Any, *, zone: str | None = None) -> datetime:
    """Turn a datetime, date, ISO 8601 string or epoch number into an aware datetime in UTC.

    A value without an offset is taken in ``zone`` (an IANA name), else in UTC; a date is its first
    moment. Epoch numbers are seconds, or milliseconds from 100,000,000,000 on.

    Raises:
        InputError: if the value is none of these, or outside the years 1 to 9999.

    >>> parse_instant("2025-03-02T00:30:00+08:00")
    datetime.datetime(2025, 3, 1, 16, 30, tzinfo=datetime.timezone.utc)
    """
    try:
        return _to_datetime(value, zone).astimezone(UTC)
    except OverflowError as error:
        raise InputError(
            f"instant {value!r} is outside the years 1 to 9999; {_WHAT_WORKS}"
        ) from error


def _to_datetime(value: Any, zone: str | None) -> datetime:
    if isinstance(value, datetime):
        moment = value
    elif isinstance(value, date):
        moment = datetime.combine(value, time.min)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        return _from_epoch(value)
    elif isinstance(value, str):
        if _NUMBER.match(value.strip()) and len(value.strip()) > 8:
            return _from_epoch(float(value))
        moment = _from_iso(value)
    else:
        raise InputError(f"{value!r} ({type(value).__name__}) is no instant; {_WHAT_WORKS}")
    if moment.tzinfo is None or moment.utcoffset() is None:
        moment = moment.replace(tzinfo=_zone(zone))
    return moment


def _from_epoch(value: float) -> datetime:
    if not math.isfinite(value):
        raise InputError(f"{value!r} is no instant; {_WHAT_WORKS}")
    seconds = value / 1000 if abs(value) >= _MAX_EPOCH_SECONDS else value
    return _EPOCH + timedelta(seconds=seconds)


def _from_iso(value: str) -> datetime:
    text = _SLASHED_DATE.sub(
        lambda found: f"{found[1]}-{int(found[2]):02}-{int(found[3]):02}", value.strip(), count=1
    )
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        raise InputError(f"{value!r} is no instant; {_WHAT_WORKS}") from None


def _zone(name: str | None) -> tzinfo:
    if name is None:
        return UTC
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise InputError(f"unknown time zone {name!r}; use a name like 'Asia/Shanghai'") from error


def zone_of(settings_timezone: str | None, instant: datetime) -> tzinfo:
    """Choose the zone in which words like "today" are meant.

    The setting if there is one, else the offset that came with the instant, else UTC.

    >>> zone_of("Asia/Shanghai", datetime(2025, 3, 2, tzinfo=UTC)).key
    'Asia/Shanghai'
    """
    if settings_timezone is not None:
        return _zone(settings_timezone)
    return instant.tzinfo or UTC


def local_day(instant: datetime, zone: tzinfo) -> date:
    """Give the calendar day of an instant in a zone (a naive instant is UTC).

    >>> local_day(datetime(2025, 3, 1, 16, 30, tzinfo=UTC), ZoneInfo("Asia/Shanghai"))
    datetime.date(2025, 3, 2)
    """
    aware = instant if instant.tzinfo else instant.replace(tzinfo=UTC)
    return aware.astimezone(zone).date()
