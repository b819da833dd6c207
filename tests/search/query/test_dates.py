"""Dates and periods in a query."""

from __future__ import annotations

from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from notewell.search.query.dates import bounds, calendar, period

NOW = datetime(2026, 3, 1, 12).astimezone().timestamp()


def stamp(*date: int) -> float:
    return datetime(*date).astimezone().timestamp()


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("2026", (2026, 1, 1), (2027, 1, 1)),
        ("2025-12", (2025, 12, 1), (2026, 1, 1)),
        ("2024-02-29", (2024, 2, 29), (2024, 3, 1)),
        ("2026-01-05T10:30", (2026, 1, 5, 10, 30), (2026, 1, 5, 10, 31)),
    ],
)
def test_a_month_or_year_covers_all_its_days(
    text: str, start: tuple[int, ...], end: tuple[int, ...]
) -> None:
    found = calendar(text)
    assert found is not None
    assert (found.start, found.end) == (stamp(*start), stamp(*end))


@pytest.mark.parametrize("text", ["", "soon", "2026-13", "2026-02-30", "0000", "9999", "26-01-01"])
def test_text_that_is_no_date_gives_none(text: str) -> None:
    assert calendar(text) is None
    assert bounds(f">{text}", NOW) is None


@pytest.mark.parametrize(("text", "hours"), [("24h", 24), ("7d", 168), ("2w", 336), ("1y", 8760)])
def test_durations_are_counted_back_from_today(text: str, hours: int) -> None:
    assert bounds(text, NOW) == (NOW - hours * 3600, None)
    assert bounds(f"<{text}", NOW) == (None, NOW - hours * 3600)


def test_yesterday_ends_where_today_begins() -> None:
    today, yesterday = period("today", NOW), period("yesterday", NOW)
    assert today is not None
    assert yesterday is not None
    assert yesterday.end == today.start <= NOW < today.end


def test_both_ends_of_a_range_are_included() -> None:
    assert bounds("2026-01..2026-03", NOW) == (stamp(2026, 1, 1), stamp(2026, 4, 1))
    assert bounds("..", NOW) is None
    assert bounds("2026..later", NOW) is None


@given(st.text(alphabet="0123456789-:.T<>=dwmyh ", max_size=30))
def test_no_text_makes_the_date_parser_raise(text: str) -> None:
    bounds(text, NOW)
