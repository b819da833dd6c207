"""Timelines: buckets, intervals, gaps and peaks."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from notewell.features.archaeology.service import Unit, bucket, timeline

DAYS = st.lists(st.dates(), min_size=1, max_size=40)
NEAR = st.lists(st.dates(date(2025, 1, 1), date(2026, 6, 1)), min_size=1, max_size=60)
UNITS = st.sampled_from(["day", "week", "month"])


@given(st.dates(), UNITS)
def test_the_bucket_of_a_day_is_that_of_its_first_and_last_day(day: date, unit: Unit) -> None:
    start, end = bucket(day, unit)

    assert start <= day <= end
    assert bucket(start, unit) == bucket(end, unit) == (start, end)


@given(st.one_of(DAYS, NEAR), st.one_of(st.none(), UNITS))
def test_every_day_is_counted_and_gaps_are_empty_buckets(
    days: list[date], unit: Unit | None
) -> None:
    made = timeline(days, unit)

    assert sum(bucket.count for bucket in made.buckets) == len(days)
    assert sum(interval.count for interval in made.intervals) == len(days)
    assert (made.intervals[0].start, made.intervals[-1].end) == (min(days), max(days))
    assert len(made.gaps) == len(made.intervals) - 1
    assert not any(gap.start <= day <= gap.end for gap in made.gaps for day in days)
    assert set(made.peaks) <= set(made.buckets)


@pytest.mark.parametrize(("span", "unit"), [(0, "day"), (60, "day"), (63, "week"), (900, "month")])
def test_the_bucket_size_depends_on_the_time_span(span: int, unit: str) -> None:
    first = date(2024, 1, 1)

    assert timeline([first, first + timedelta(span)]).unit == unit


def test_a_busy_week_is_a_peak_and_a_long_pause_a_gap() -> None:
    busy = [date(2026, 3, 2) + timedelta(n) for n in range(5)]
    made = timeline([date(2025, 9, 1), date(2025, 9, 15), *busy], "week")

    assert [(peak.start, peak.count) for peak in made.peaks] == [(date(2026, 3, 2), 5)]
    (gap,) = made.gaps
    assert (gap.start, gap.end) == (date(2025, 9, 16), date(2026, 3, 1))


def test_where_all_days_are_alike_none_is_a_peak() -> None:
    days = [date(2026, 3, 1) + timedelta(n) for n in range(10)]

    assert timeline([*days, *days]).peaks == ()
    assert [peak.count for peak in timeline([days[0]] * 3).peaks] == [3]


def test_no_days_have_no_timeline() -> None:
    made = timeline([])

    assert (made.buckets, made.intervals, made.gaps, made.peaks) == ((), (), (), ())
