"""Words that the vault lacks are told as such; headings, dates and other spellings are found."""

from __future__ import annotations

import pytest

from tests.search.library import Library, MakeLibrary

NOTES = {
    "Car.md": "# Car\n\n## Tyre pressure\n\n2.3 bar in front.\n\n## Oil\n\nChange yearly.",
    "Tyres.md": "Winter tyres are in the cellar; tyres, tyres, the pressure of time.",
    "Log.md": "Checked the tyre; the pressure was low. " * 6,
    "Weather.md": "High pressure over the sea.",
    "Müller.md": "The neighbour with the ladder.",
    "Budget.md": "Plans for ٢٠٢٤ are ready.",
}


@pytest.fixture(scope="module")
def library(make_library: MakeLibrary) -> Library:
    return make_library(NOTES)


@pytest.mark.parametrize("mode", ["hybrid", "keyword"])
@pytest.mark.parametrize("query", ["kangaroo", "Kangaroo?"])
def test_a_lone_word_that_the_vault_lacks_is_told(library: Library, query: str, mode: str) -> None:
    reply = library.search(query, mode=mode, weak=False)
    assert reply.results == ()
    assert "Nothing has the word “kangaroo”." in reply.warnings
    assert reply.confidence is not None
    assert reply.confidence < 0.2


@pytest.mark.parametrize("mode", ["hybrid", "keyword"])
@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("kangaroo quokka", "Nothing has the words “kangaroo” or “quokka”."),
        (
            "kangaroo, quokka, zebra",
            "Nothing has the words “kangaroo”, “quokka” or “zebra”.",
        ),
    ],
)
def test_a_few_words_that_it_lacks_are_told(
    library: Library, query: str, told: str, mode: str
) -> None:
    reply = library.search(query, mode=mode, weak=False)
    assert reply.results == ()
    assert told in reply.warnings


@pytest.mark.parametrize("query", ["ladder", "ladders", "laddr", "ladder kangaroo", "ladde"])
def test_a_word_that_it_has_in_some_form_is_not(library: Library, query: str) -> None:
    reply = library.search(query, weak=False)
    assert not any("Nothing has the word" in warning for warning in reply.warnings)


def test_an_unfinished_word_is_not_told(library: Library) -> None:
    reply = library.search("kangar", weak=False, typing=True)
    assert not any("Nothing has the word" in warning for warning in reply.warnings)


@pytest.mark.parametrize("mode", ["hybrid", "keyword"])
@pytest.mark.parametrize("query", ["tyre pressure", "Tyre pressure", "the tyre pressure"])
def test_a_note_with_the_query_as_a_heading_is_first(
    library: Library, query: str, mode: str
) -> None:
    assert library.paths(query, mode=mode)[0] == "Car.md"


@pytest.mark.parametrize("mode", ["hybrid", "keyword"])
def test_a_name_without_its_points_is_found(library: Library, mode: str) -> None:
    assert library.paths("mueller", mode=mode, weak=False)[0] == "Müller.md"


@pytest.mark.parametrize("mode", ["hybrid", "keyword"])
def test_a_note_that_holds_the_words_of_a_date_is_found(library: Library, mode: str) -> None:
    assert library.paths("2024", mode=mode, weak=False)[0] == "Budget.md"


@pytest.mark.parametrize(
    ("query", "path", "match"),
    [
        ("Car", "Car.md", "strong"),
        ("tyre pressure", "Car.md", "strong"),
        ("ladder neighbour", "Müller.md", "related"),
    ],
)
def test_a_strong_match_says_it_in_its_labels(
    library: Library, query: str, path: str, match: str
) -> None:
    first = library.search(query, mode="keyword", weak=False).results[0]
    assert (first.path, first.match) == (path, match)


def test_the_second_part_of_a_compound_may_be_typed_without_points(
    make_library: MakeLibrary,
) -> None:
    library = make_library({"Haus.md": "Der Haustürschlüssel hängt.", "Rad.md": "Der Reifen."})
    assert library.paths("Schluessel", mode="keyword") == ["Haus.md"]
