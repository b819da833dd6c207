"""The dates of notes, in filters and for boosts."""

from __future__ import annotations

import time
from datetime import date, datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from notewell.search.facts.note_facts import (
    AUTO_RECENCY,
    FILE_TIMES,
    OUTSIDE,
    FactsCache,
    by_date,
    local_offset,
    recency_strength,
    stated_day,
    stated_time,
)
from notewell.search.query import conditions, parser
from notewell.vault.daily import DailyNotes
from tests.search.library import Library, MakeLibrary

DAY = 86_400.0
UNKNOWN = float("nan")


def stamp(*date: int) -> float:
    return datetime(*date).astimezone().timestamp()


NOTES = {
    "2022-05-01 Talk.md": "Bees.\n",
    "20220601 Walk.md": "Bees.\n",
    "Log/03.07.2022.md": "Bees.\n",
    "Made.md": "---\ncreated: 2022-01-01\n---\nBees.\n",
    "Evening.md": "---\ndate: 2022-12-31T23:30\n---\nBees.\n",
    "Met.md": "---\nday: 2022-08-01\n---\nBees.\n",
    "Later 2022-01-01.md": "---\ncreated: 2024-01-01\n---\nBees.\n",
    "Undated.md": "Bees of 2022.\n",
}


@pytest.fixture(scope="module")
def library(make_library: MakeLibrary) -> Library:
    return make_library(NOTES)


@pytest.mark.parametrize("with_facts", [True, False])
def test_the_created_filter_uses_the_dates_in_notes(library: Library, with_facts: bool) -> None:
    facts = FactsCache(library.record.path, ()).current(library.index) if with_facts else None

    def created(condition: str) -> set[str]:
        parsed = parser.parse(condition)
        ids = conditions.allowed(parsed.condition, library.index, facts=facts).notes
        return {note.path for note in library.index.notes(ids.tolist()).values()}

    assert created("created:2022") == set(NOTES) - {"Later 2022-01-01.md", "Undated.md"}
    assert created("created:2022-05") == {"2022-05-01 Talk.md"}
    assert created("created:2024") == {"Later 2022-01-01.md"}
    assert created("created:<2022-02") == {"Made.md"}
    assert created("created:2023-11") == {"Undated.md"}  # the time of its file
    assert created("-created:>1990") == set()


SOURCES = {
    "2021-01-01.md": "---\ncreated: 2020-01-01\n---\nBees.\n",  # a daily note
    "Called 2021-01-02.md": "---\ntype: daily\ncreated: 2020-01-01\n---\nBees.\n",
    "Both.md": "---\ndate: 2020-01-01\nDate Created: 2021-01-03\n---\nBees.\n",
    "Field 2020-01-01.md": "Bees.\n\ncreated:: 2021-01-04\n",
    "Unreadable 2021-01-05.md": "---\ncreated: some day\n---\nBees.\n",
    "Updated.md": "---\nupdated: 2021-02-01\n---\nBees.\n",
    "Modified.md": "---\nlast-modified: 2021-02-02T23:30\nlastmod: 2020-01-01\n---\nBees.\n",
    "Zone.md": "---\nmodified: 2021-02-03T12:00Z\n---\nBees.\n",
    "File.md": "---\nmodified: lately\n---\nBees.\n",
}
BY_FILE = ["2021-01-01.md", "Called 2021-01-02.md", "Both.md", "Field 2020-01-01.md"]
BY_FILE += ["Unreadable 2021-01-05.md", "File.md"]


@pytest.fixture(scope="module")
def sources(make_library: MakeLibrary) -> Library:
    return make_library(SOURCES)


@pytest.mark.skipif(not hasattr(time, "tzset"), reason="the system cannot set a time zone")
@pytest.mark.parametrize("zone", ["UTC", "Asia/Tokyo", "America/Los_Angeles"])
@pytest.mark.parametrize(
    ("condition", "paths"),
    [
        ("created:2021-01-01", ["2021-01-01.md"]),
        ("created:2021-01-02", ["Called 2021-01-02.md"]),
        ("created:2021-01-03", ["Both.md"]),
        ("created:2021-01-04", ["Field 2020-01-01.md"]),
        ("created:2021-01-05", ["Unreadable 2021-01-05.md"]),
        ("created:2020", []),
        ("created:2021-02", ["Updated.md", "Modified.md", "Zone.md"]),
        ("created:2023-11", ["File.md"]),
        ("modified:2021-02-01", ["Updated.md"]),
        ("modified:2021-02-02", ["Modified.md"]),
        ("modified:2021-02-03", ["Zone.md"]),
        ("modified:2023-11", BY_FILE),
        ("modified:2020", []),
    ],
)
def test_the_sources_of_dates_count_in_order(
    sources: Library, monkeypatch: pytest.MonkeyPatch, zone: str, condition: str, paths: list[str]
) -> None:
    monkeypatch.setenv("TZ", zone)
    time.tzset()
    try:
        assert sorted(sources.paths(condition, limit=100)) == sorted(paths)
    finally:
        monkeypatch.undo()
        time.tzset()


def test_a_search_finds_by_the_date_in_a_file_name(library: Library) -> None:
    assert library.paths("bees created:2022-05") == ["2022-05-01 Talk.md"]


def test_the_day_of_a_daily_note_comes_first() -> None:
    daily = DailyNotes("Log", "DD-MM-YYYY")
    assert stated_day("Log/05-03-2024.md", {"created": "2020-01-01"}, daily) == (
        date(2024, 3, 5),
        "daily",
    )
    assert stated_day("Log/x.md", {"created": "2020-01-01"}, daily) == (
        date(2020, 1, 1),
        "created",
    )
    assert stated_day("x.md", {}, daily) is None


def test_a_stated_day_begins_at_the_local_midnight() -> None:
    daily = DailyNotes()
    assert stated_time("2024-03-05.md", {}, daily) == stamp(2024, 3, 5)
    assert stated_time("x.md", {"created": "2024-03-05"}, daily) == stamp(2024, 3, 5)
    assert stated_time("x.md", {"created": "2024-03-05T10:00Z"}, daily) == 1_709_632_800.0


def test_how_much_a_matching_date_raises_a_score() -> None:
    start, end = stamp(2024, 3, 1), stamp(2024, 4, 1)
    later, long_ago = end + (end - start), stamp(2020, 1, 1)
    stated = np.array([start, end - 1, end, later, long_ago, UNKNOWN, UNKNOWN])
    files = np.full((7, 2), start)
    files[6] = UNKNOWN
    lifts = by_date(stated, files, start, end).tolist()
    expected = [1.0, 1.0, OUTSIDE, OUTSIDE / 2, 0.0, FILE_TIMES, 0.0]
    assert lifts == pytest.approx(expected, abs=1e-3)


TIMES = st.floats(0, 4e9) | st.just(UNKNOWN)


@given(st.lists(st.tuples(TIMES, TIMES), max_size=8), st.floats(0, 3e9), st.floats(1, 1e8))
def test_the_date_boost_is_between_0_and_1(
    times: list[tuple[float, float]], start: float, length: float
) -> None:
    stated = np.array([one for one, _ in times], np.float64)
    files = np.array([[other] for _, other in times], np.float64).reshape(-1, 1)
    lifts = by_date(stated, files, start, start + length)
    assert lifts.shape == stated.shape
    assert ((lifts >= 0) & (lifts <= 1)).all()
    within = (stated >= start) & (stated < start + length)
    assert (lifts[within] == 1).all()


def test_recency_is_off_where_most_notes_share_a_day() -> None:
    noon = stamp(2026, 11, 22, 12)
    spread = np.array([noon - DAY * at for at in range(10)])
    assert recency_strength(spread, local_offset()) == AUTO_RECENCY
    checkout = np.array([noon] * 6 + [noon - DAY * at for at in range(4)])
    assert recency_strength(checkout, local_offset()) == 0.0
    assert recency_strength(np.full(5, UNKNOWN), local_offset()) == 0.0
    assert recency_strength(np.empty(0), local_offset()) == 0.0
    assert recency_strength(np.array([noon]), local_offset()) == AUTO_RECENCY


def test_the_cache_has_the_dates_of_notes(library: Library) -> None:
    facts = FactsCache(library.record.path, ()).current(library.index)
    talk = library.index.note_at("2022-05-01 Talk.md")
    assert talk is not None
    ids = np.array([talk.id, 999], np.int64)
    lifts = facts.by_date(ids, stamp(2022, 5, 1), stamp(2022, 6, 1))
    assert lifts.tolist() == [1.0, 0.0]
    assert facts.times(ids, created=True)[0] == stamp(2022, 5, 1)
    assert facts.recency_strength() == 0.0  # the library was written within a minute
