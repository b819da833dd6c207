"""Templates behind the notes that fill them, daily notes where they alone answer or are named."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.search.library import Library, MakeLibrary

MEETING = "# Meeting\n\nDate:\nAttendees:\nDecisions:\nNext steps:\n"
NOTES = {
    "Templates/Meeting.md": MEETING,
    "Work/Meeting with the architect.md": "Attendees: two\nDecisions: bigger windows\n",
    "Daily/2026-03-02.md": "Ordered firewood from the mill.",
    "Daily/2026-03-03.md": "The roofer came.",
    "Roof.md": "Tiles and the price of the roofer.",
    "Garden.md": "Beds and paths.",
    "Shed.md": "A dry place for tools.",
    "Cellar.md": "Apples in boxes.",
}


@pytest.fixture(scope="module")
def library(make_library: MakeLibrary) -> Library:
    return make_library(NOTES)


@pytest.mark.parametrize("mode", ["hybrid", "keyword"])
def test_a_template_is_behind_a_note_that_fills_it(library: Library, mode: str) -> None:
    paths = library.paths("meeting decisions", mode=mode)
    assert paths.index("Work/Meeting with the architect.md") < paths.index("Templates/Meeting.md")


def test_a_query_for_templates_finds_them_first(library: Library) -> None:
    assert library.paths("meeting template")[0] == "Templates/Meeting.md"


@pytest.mark.parametrize("mode", ["hybrid", "keyword"])
def test_what_stands_in_daily_notes_alone_is_shown(library: Library, mode: str) -> None:
    reply = library.search("firewood mill", mode=mode, weak=False)
    assert reply.results[0].path == "Daily/2026-03-02.md"
    assert reply.filtered.get("daily", 0) == 1  # the other one


def test_daily_notes_stay_out_where_another_note_has_the_words(library: Library) -> None:
    assert "Daily/2026-03-03.md" not in library.paths("roofer")


@pytest.mark.parametrize("query", ["2026-3-2", "20260302", "March 2 2026", "2. März 2026"])
@pytest.mark.parametrize("mode", ["hybrid", "keyword"])
def test_the_note_of_a_day_that_is_named_is_first(library: Library, query: str, mode: str) -> None:
    assert library.paths(query, mode=mode, weak=False)[0] == "Daily/2026-03-02.md"


@pytest.mark.parametrize("mode", ["hybrid", "keyword"])
def test_a_search_stays_within_the_paths_of_its_request(library: Library, mode: str) -> None:
    def found(*paths: str) -> set[str]:
        return set(library.paths("roofer tools meeting", mode=mode, paths=paths, everything=True))

    assert found("Work") == {"Work/Meeting with the architect.md"}
    assert found("Roof", "Shed.md") == {"Roof.md", "Shed.md"}
    assert found("Daily/") <= {"Daily/2026-03-02.md", "Daily/2026-03-03.md"}
    assert found("Nowhere") == set()
    assert found("Wor") == set()


def test_notes_of_a_type_are_left_out_where_the_settings_say_so(make_library: MakeLibrary) -> None:
    notes = {
        "A.md": "---\ntype: reference\n---\nQuinces ripen.",
        "B.md": "---\ntype: '[[Reference]]'\n---\nQuinces fall.",
        "C.md": "Quinces are sour.",
    }
    library = make_library(notes)
    assert set(library.paths("quinces")) == {"A.md", "B.md", "C.md"}
    library.rules = replace(library.rules, exclude_types=("Reference",))
    assert library.paths("quinces") == ["C.md"]
    assert library.search("quinces").filtered["type"] == 2
    assert set(library.paths("quinces", everything=True)) == {"A.md", "B.md", "C.md"}
    assert set(library.paths("quinces type:reference")) == {"A.md", "B.md"}
