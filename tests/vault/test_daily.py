"""Daily notes: by the vault's own settings, by their type, in Moment's formats."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from notewell.vault.daily import PERIODIC, SETTINGS, DailyNotes, day_in_name

DAY = date(2026, 3, 2)


def settings(root: Path, text: str) -> DailyNotes:
    (root / SETTINGS).parent.mkdir()
    (root / SETTINGS).write_text(text, encoding="utf-8")
    return DailyNotes.read(root)


@pytest.mark.parametrize(
    ("form", "name"),
    [
        ("YYYY-MM-DD", "2026-03-02"),
        ("YYYYMMDD", "20260302"),
        ("YY.M.D", "26.3.2"),
        ("YYYY/MM-MMMM/YYYY-MM-DD-dddd", "2026/03-März/2026-03-02-Montag"),
        ("dddd, MMMM Do YYYY", "Monday, March 2nd 2026"),
        ("[Log of] D MMM YYYY", "Log of 2 Mar 2026"),
        ("gggg-[W]ww-E YYYY-MM-DD", "2026-W10-1 2026-03-02"),
        ("YYYY-DDDD", "2026-061"),
        ("YYYY-MM-DD (dd)", "2026-03-02 (Mo)"),
    ],
)
def test_the_day_is_read_from_the_name(form: str, name: str) -> None:
    daily = DailyNotes("Journal/Daily", form)

    assert daily.day(f"Journal/Daily/{name}.md", {}) == DAY
    assert daily.day(f"{name}.md", {}) is None
    assert daily.day(f"Journal/Daily/{name} extra.md", {}) is None


@pytest.mark.parametrize(
    ("name", "day"),
    [
        ("2025-11-11-Tu", date(2025, 11, 11)),
        ("2025-11-11 Tuesday", date(2025, 11, 11)),
        ("Log/2025.11.11, Dienstag", date(2025, 11, 11)),
        ("11.11.2025 (Di.)", date(2025, 11, 11)),
        ("20251111_вторник", date(2025, 11, 11)),
        ("2025-11-11 (火)", date(2025, 11, 11)),
        ("2025-11-11-Mo", None),  # another day's name
        ("2025-11-11 Tuesday talk", None),
        ("2025-11-11 Turing", None),
        ("2025-11-11 T", None),
        ("2025-02-30-Su", None),
        ("2025-11-11 meeting", None),
    ],
)
def test_a_date_with_its_weekday_is_daily_without_settings(name: str, day: date | None) -> None:
    assert DailyNotes().day(f"{name}.md", {}) == day
    # Where the vault says which notes are daily, others are not.
    assert DailyNotes("Daily").day(f"{name}.md", {}) is None


@pytest.mark.parametrize("name", ["2026-02-30", "2026-13-01", "2026-00-00"])
def test_an_impossible_date_is_none(name: str) -> None:
    assert DailyNotes().day(f"{name}.md", {}) is None


def test_a_note_of_type_daily_is_daily() -> None:
    daily = DailyNotes("Daily")

    assert daily.day("Log/2026-03-02 Monday.md", {"type": "Daily"}) == DAY
    assert daily.day("Log/2026-03-02.md", {"Type": ("note", "daily")}) == DAY
    assert daily.day("Log/2026-03-02.md", {"type": "weekly"}) is None
    assert daily.holds("Log/Today.md", {"type": "daily"})
    assert daily.day("Log/Today.md", {"type": "daily"}) is None


def test_a_date_in_a_name() -> None:
    assert day_in_name("2020-01-01/Talk of 2026-03-02.md") == DAY
    assert day_in_name("Talk 12026-03-02.md") is None


@pytest.mark.parametrize(
    "name",
    ["2026.03.02", "2026_03_02 Talk", "20260302", "202603021530 Talk", "Talk 02.03.2026"],
)
def test_other_spellings_of_a_day_in_a_name(name: str) -> None:
    assert day_in_name(f"{name}.md") == DAY


@pytest.mark.parametrize("name", ["20263302", "2026030", "202603021", "12345678", "2026-0302"])
def test_numbers_that_are_no_day_in_a_name(name: str) -> None:
    assert day_in_name(f"{name}.md") is None


def test_the_settings_of_the_vault_are_read(tmp_path: Path) -> None:
    daily = settings(tmp_path, json.dumps({"folder": "/Days/", "format": "DD.MM.YYYY"}))

    assert daily.day("Days/02.03.2026.md", {}) == DAY


@pytest.mark.parametrize(
    "text", ["", "[]", "{", '{"folder": 3, "format": ""}', '{"format": null}', "[" * 60_000]
)
def test_unreadable_settings_mean_the_defaults(tmp_path: Path, text: str) -> None:
    assert settings(tmp_path, text).day("2026-03-02.md", {}) == DAY


def test_no_settings_mean_the_defaults(tmp_path: Path) -> None:
    assert DailyNotes.read(tmp_path).day("2026-03-02.md", {}) == DAY


def test_periodic_notes_name_daily_notes_beside_the_core_plugin(tmp_path: Path) -> None:
    file = tmp_path / PERIODIC
    file.parent.mkdir(parents=True)
    file.write_text('{"daily": {"enabled": true, "folder": "Days", "format": "DD.MM.YYYY"}}')
    (tmp_path / SETTINGS).write_text('{"folder": "Log"}')
    daily = DailyNotes.read(tmp_path)

    assert daily.day("Days/02.03.2026.md", {}) == DAY
    assert daily.day("Log/2026-03-02.md", {}) == DAY
    file.write_text('{"daily": {"enabled": false, "folder": "Days", "format": "DD.MM.YYYY"}}')
    assert DailyNotes.read(tmp_path).day("Days/02.03.2026.md", {}) is None


@pytest.mark.parametrize(
    ("path", "is_daily"),
    [
        ("Daily/2026-03-02.md", True),
        ("Life/journal/2026/20260302.md", True),
        ("Tagebuch/02.03.2026.md", True),
        ("Daily/2026-03-02 Talk.md", False),
        ("Daily/Ideas.md", False),
        ("Meetings/2026-03-02.md", False),
        ("Journalism/2026-03-02.md", False),
    ],
)
def test_dates_in_folders_of_daily_notes(path: str, *, is_daily: bool) -> None:
    daily = DailyNotes("Log")
    assert daily.holds(path, {}) is is_daily
    assert daily.day(path, {}) == (DAY if is_daily else None)


@given(st.text(max_size=40), st.text(max_size=40))
def test_any_format_can_be_applied_to_any_path(form: str, path: str) -> None:
    found = DailyNotes("", form or "YYYY").day(f"{path}.md", {})

    assert found is None or isinstance(found, date)


def test_a_format_with_many_names_takes_linear_time() -> None:
    # Tried every way to cut it, this name would never come to an end.
    assert DailyNotes("", "MMMM" * 50).day(f"{'a' * 400}1.md", {}) is None
