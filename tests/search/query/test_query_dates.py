"""Dates that a query mentions."""

from __future__ import annotations

from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from notewell.search.query.date_mentions import find_date

SUNDAY = datetime(2026, 11, 22, 12).astimezone().timestamp()


def found(query: str, now: float = SUNDAY) -> tuple[str, str] | None:
    """First day of the period, and the day after it."""
    mention = find_date(query, now)
    if mention is None:
        return None
    first, end = (datetime.fromtimestamp(at).astimezone() for at in (mention.start, mention.end))
    assert (first.hour, first.minute, end.hour, end.minute) == (0, 0, 0, 0)
    return f"{first:%Y-%m-%d}", f"{end:%Y-%m-%d}"


@pytest.mark.parametrize(
    ("query", "start", "end"),
    [
        ("2023-01", "2023-01-01", "2023-02-01"),
        ("notes of 2023-01-15", "2023-01-15", "2023-01-16"),
        ("2024/03/05", "2024-03-05", "2024-03-06"),
        ("Protokoll 05.03.2024", "2024-03-05", "2024-03-06"),
        ("minutes march 2024", "2024-03-01", "2024-04-01"),
        ("Minutes Mar. 2024", "2024-03-01", "2024-04-01"),
        ("march 5th, 2024", "2024-03-05", "2024-03-06"),
        ("5 of march 2024", "2024-03-05", "2024-03-06"),
        ("MÄRZ 2024", "2024-03-01", "2024-04-01"),
        ("5. März 2024", "2024-03-05", "2024-03-06"),
        ("в марте 2024", "2024-03-01", "2024-04-01"),
        ("5 марта 2024 года", "2024-03-05", "2024-03-06"),
        ("2024年3月", "2024-03-01", "2024-04-01"),
        ("2024年3月5日の会議", "2024-03-05", "2024-03-06"),
        ("Q3 2024", "2024-07-01", "2024-10-01"),
        ("2024 Q1", "2024-01-01", "2024-04-01"),
        ("summer 2023", "2023-06-01", "2023-09-01"),
        ("winter 2023", "2023-12-01", "2024-03-01"),
        ("летом 2023", "2023-06-01", "2023-09-01"),
        ("meeting 2024", "2024-01-01", "2025-01-01"),
        ("2024年", "2024-01-01", "2025-01-01"),
    ],
)
def test_dates_with_a_year_are_recognised(query: str, start: str, end: str) -> None:
    assert found(query) == (start, end)


@pytest.mark.parametrize(
    ("query", "start", "end"),
    [
        ("today", "2026-11-22", "2026-11-23"),
        ("gestern", "2026-11-21", "2026-11-22"),
        ("позавчера", "2026-11-20", "2026-11-21"),
        ("昨日", "2026-11-21", "2026-11-22"),
        ("明天", "2026-11-23", "2026-11-24"),
        ("what did I write last week", "2026-11-09", "2026-11-16"),
        ("diese Woche", "2026-11-16", "2026-11-23"),
        ("nächste Woche", "2026-11-23", "2026-11-30"),
        ("на прошлой неделе", "2026-11-09", "2026-11-16"),
        ("先週の会議", "2026-11-09", "2026-11-16"),
        ("上个月", "2026-10-01", "2026-11-01"),
        ("this month", "2026-11-01", "2026-12-01"),
        ("в прошлом году", "2025-01-01", "2026-01-01"),
        ("去年", "2025-01-01", "2026-01-01"),
        ("last summer", "2026-06-01", "2026-09-01"),
        ("letzten Sommer", "2026-06-01", "2026-09-01"),
        ("letzten Winter", "2025-12-01", "2026-03-01"),
        ("прошлым летом", "2026-06-01", "2026-09-01"),
        ("去年夏天", "2025-06-01", "2025-09-01"),
        ("last monday", "2026-11-16", "2026-11-17"),
        ("last sunday", "2026-11-15", "2026-11-16"),
        ("last march", "2026-03-01", "2026-04-01"),
        ("last december", "2025-12-01", "2026-01-01"),
        ("next march", "2027-03-01", "2027-04-01"),
        ("in may", "2026-05-01", "2026-06-01"),
        ("im Dezember", "2025-12-01", "2026-01-01"),
        ("12月", "2025-12-01", "2026-01-01"),
        ("5 march", "2026-03-05", "2026-03-06"),
        ("december 24", "2025-12-24", "2025-12-25"),
        ("two weeks ago", "2026-11-02", "2026-11-09"),
        ("vor 3 Tagen", "2026-11-19", "2026-11-20"),
        ("3 дня назад", "2026-11-19", "2026-11-20"),
        ("3日前", "2026-11-19", "2026-11-20"),
        ("last 3 days", "2026-11-19", "2026-11-23"),
        ("letzten 2 Wochen", "2026-11-08", "2026-11-23"),
        ("最近7天", "2026-11-15", "2026-11-23"),
    ],
)
def test_relative_dates_are_recognised(query: str, start: str, end: str) -> None:
    assert found(query) == (start, end)


@pytest.mark.parametrize(
    "query",
    [
        "",
        "may the force be with you",
        "march of progress",
        "the last of us",
        "fall detection",
        "2023-13",
        "2023-02-30",
        "iso 9001",
        "room 1234",
        "release 2023.1",
        "http://localhost:2024/x",
        "e-2022",
        "price 2,024",
        "port:2024",
        "second brain",
        "лето",
        "一月一冊の本棚",
    ],
)
def test_other_words_are_not_taken_for_dates(query: str) -> None:
    assert found(query) is None


def test_the_words_of_a_date_are_returned() -> None:
    mention = find_date("Minutes of March 2024, tomato", SUNDAY)
    assert mention is not None
    assert mention.words == ("march", "2024")


def test_last_summer_is_one_that_has_ended() -> None:
    in_august = datetime(2026, 8, 3, 12).astimezone().timestamp()
    assert found("last summer", in_august) == ("2025-06-01", "2025-09-01")
    assert found("this summer", in_august) == ("2026-06-01", "2026-09-01")
    assert found("next summer", in_august) == ("2027-06-01", "2027-09-01")


@given(
    st.lists(
        st.sampled_from(
            [
                "last",
                "next",
                "5",
                "2024",
                "31.",
                "февраля",
                "März",
                "в",
                "q4",
                "年",
                "月",
                "9999",
                "ago",
                "vor",
                "summer",
                "-",
                ".",
                "ß",
                "İ",
                "0",
                "week",
            ]
        ),
        max_size=6,
    ).map(" ".join)
    | st.text(max_size=20)
)
def test_any_text_gives_a_period_or_none(query: str) -> None:
    mention = find_date(query, SUNDAY)
    assert mention is None or mention.start < mention.end
