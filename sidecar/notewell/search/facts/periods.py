"""A period of time, and the days that it spans."""

from __future__ import annotations

from datetime import date, datetime, timedelta

from notewell.base.types.frozen import frozen


@frozen
class Period:
    """A period [start, end) in POSIX seconds; for a point in time, start == end."""

    start: float
    end: float


def days(first: date, end: date) -> Period:
    """From the midnight that begins `first` to the one that begins `end`, local time.

    Raises ValueError, OverflowError or OSError if it is out of the range of the system.
    """
    return Period(
        local_time(first.year, first.month, first.day).timestamp(),
        local_time(end.year, end.month, end.day).timestamp(),
    )


def local_time(year: int, month: int, day: int, *, days: int = 0) -> datetime:
    """A day in the time zone of this computer."""
    naive = datetime(year, month, day)  # noqa: DTZ001 (users mean local days)
    return (naive + timedelta(days=days)).astimezone()
