"""Archaeology: dated results of a topic on a timeline."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import pytest

from notewell.contract.search import SearchRequest
from notewell.features.archaeology.requests import ArchaeologyReply, ArchaeologyRequest, DatedBy
from notewell.features.archaeology.service import archaeology
from notewell.vault.daily import DailyNotes
from tests.search.library import Library, MakeLibrary
from tests.vaults import indexed

NOTES = {
    "Days/2026-01-05.md": "Bees came back to the hive.",
    "Days/2026-01-06.md": "More bees on the roof.",
    "Made.md": "---\ncreated: 2026-01-06\nmodified: 2026-02-03\n---\nBees and their sun.",
    "2025-06-01 Talk.md": "---\nupdated: 2026-02-03\n---\nA talk about bees.",
    "Changed.md": "---\nmodified: 2024-02-03T23:30:00\n---\nBees, once.",
    "File.md": "Bees without any date.",
    "Other.md": "---\ncreated: 2020-01-01\n---\nA city with trams.",
}
FILES_DAY = datetime.fromtimestamp(1_700_000_000.0).astimezone().date().isoformat()


@pytest.fixture(scope="module")
def library(make_library: MakeLibrary) -> Library:
    return make_library(NOTES)


def asked(library: Library, topic: str = "bees", **question: object) -> ArchaeologyReply:
    def search(request: SearchRequest) -> object:
        return library.search(
            request.q, mode="keyword", limit=request.limit, min_score=request.min_score
        )

    return archaeology(ArchaeologyRequest(topic, **question), search, DailyNotes("Days"))  # type: ignore[arg-type]


def dates(reply: ArchaeologyReply) -> dict[str, tuple[str, str]]:
    return {note.path: (note.date, note.dated_by) for note in reply.notes}


def test_each_note_has_its_most_reliable_date(library: Library) -> None:
    assert dates(asked(library)) == {
        "Days/2026-01-05.md": ("2026-01-05", "daily"),
        "Days/2026-01-06.md": ("2026-01-06", "daily"),
        "Made.md": ("2026-01-06", "created"),
        "2025-06-01 Talk.md": ("2025-06-01", "name"),
        "Changed.md": ("2024-02-03", "modified"),
        "File.md": (FILES_DAY, "file"),
    }


@pytest.mark.parametrize(
    ("by", "made", "talk"),
    [("created", "2026-01-06", "2025-06-01"), ("modified", "2026-02-03", "2026-02-03")],
)
def test_the_kind_of_date_can_be_chosen(
    library: Library, by: DatedBy, made: str, talk: str
) -> None:
    found = dates(asked(library, by=by))

    assert found["Made.md"][0] == made
    assert found["2025-06-01 Talk.md"][0] == talk


def test_activity_is_listed_in_order_with_its_peak(library: Library) -> None:
    reply = asked(library, granularity="month")

    assert [note.date for note in reply.notes] == sorted(note.date for note in reply.notes)
    assert (reply.first, reply.last) == (FILES_DAY, "2026-01-06")
    (peak,) = reply.peaks
    assert (peak.start, peak.end, peak.count) == ("2026-01-01", "2026-01-31", 3)
    assert {note.path for note in peak.notes} == {
        "Days/2026-01-05.md",
        "Days/2026-01-06.md",
        "Made.md",
    }
    assert len(reply.gaps) == len(reply.intervals) - 1 == 2


def test_unrelated_notes_are_not_in_the_timeline(library: Library) -> None:
    assert "Other.md" not in dates(asked(library))
    assert asked(library, min_score=1.0).total < 6


def test_a_warning_says_that_the_limit_was_reached(library: Library) -> None:
    assert "2 most relevant of 6" in asked(library, limit=2).warnings[-1]


def test_nothing_found_is_an_empty_timeline(library: Library) -> None:
    reply = asked(library, "zeppelin")

    assert (reply.total, reply.first, reply.peaks, reply.buckets) == (0, None, (), ())


def test_an_engine_knows_the_daily_notes_of_its_vault(tmp_path: Path) -> None:
    notes = {
        ".obsidian/daily-notes.json": '{"folder": "Days"}',
        "Days/2026-01-01.md": "[[Bees]] and [[Roof]].",
        "Roof.md": "A garden on the roof: bees and a hive.",
    }
    with indexed(tmp_path, notes) as engine:
        reply = engine.answer(ArchaeologyRequest("bees roof"))
    assert {note.path: note.dated_by for note in reply.notes}["Days/2026-01-01.md"] == "daily"
