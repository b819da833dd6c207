"""A day finds the notes that write it in another way: in words, year first, or with dots."""

from __future__ import annotations

from datetime import date
from itertools import chain

import pytest

from notewell.index.analyze import words
from notewell.search.query.date_mentions import find_date, month_names
from notewell.search.query.date_writings import day_of, other_writings
from tests.search.library import Library, MakeLibrary

NOON = 1_795_000_000.0
WRITINGS = {
    "iso": "2024-03-05",
    "short iso": "2024-3-5",
    "dots": "5.3.2024",
    "wide dots": "05.03.2024",
    "day first": "5 March 2024",
    "month first": "March 5th, 2024",
    "short": "Mar 5, 2024",
    "German": "5. März 2024",
    "Russian": "5 марта 2024",
}
NOTES = {
    **{f"{name}.md": f"Done on {day} at last." for name, day in WRITINGS.items()},
    "Kitchen.md": "The kitchen was painted on 5 March 2024.",
    "Other day.md": "The boiler was replaced on 7 April 2023.",
    "Roof.md": "Tiles and gutters.",
    "Garden.md": "Beds and paths.",
    "Shed.md": "A dry place for tools.",
}


@pytest.fixture(scope="module")
def library(make_library: MakeLibrary) -> Library:
    return make_library(NOTES)


IN_NUMBERS = {"iso.md", "short iso.md", "dots.md", "wide dots.md"}


@pytest.mark.parametrize("typed", [*WRITINGS.values(), "2024/03/05", "2024/3/5"])
def test_every_writing_finds_the_notes_with_the_others(library: Library, typed: str) -> None:
    expected = {f"{name}.md" for name in WRITINGS}
    found = library.paths(typed, mode="keyword", weak=False, limit=20)
    assert expected <= set(found)
    assert "Other day.md" not in found
    in_hybrid = library.paths(typed, mode="hybrid", weak=True, limit=20)
    assert expected <= set(in_hybrid[: len(expected) + 1])  # and the kitchen, in some place


@pytest.mark.parametrize("mode", ["hybrid", "keyword"])
def test_digits_alone_stand_for_the_day_in_numbers(library: Library, mode: str) -> None:
    assert set(library.paths("20240305", mode=mode)[:4]) == IN_NUMBERS


@pytest.mark.parametrize("mode", ["hybrid", "keyword"])
def test_a_note_with_the_other_words_of_the_query_comes_first(library: Library, mode: str) -> None:
    for typed in ("kitchen 5.3.2024", "kitchen painted 2024-03-05", "kitchen March 5 2024"):
        assert library.paths(typed, mode=mode)[0] == "Kitchen.md"


def test_what_is_written_otherwise_is_highlighted(library: Library) -> None:
    reply = library.search("5 March 2024", mode="keyword")
    shown = next(result for result in reply.results if result.path == "wide dots.md")
    assert [shown.snippet[start:end] for start, end in shown.highlights] == ["05.03.2024"]


def others(query: str) -> dict[str, set[str]]:
    mention = find_date(query, NOON)
    assert mention is not None
    return {word: set(tokens) for word, tokens in other_writings(mention).items()}


@pytest.mark.parametrize("query", ["yesterday", "3 days ago", "last week", "march 2024", "2024"])
def test_other_times_stand_for_themselves(query: str) -> None:
    assert others(query) == {}


def test_one_number_may_be_the_day_and_the_month() -> None:
    assert others("5.5.2024")["5"] >= {"may", "5th", "20240505", "05.05.2024"}


def test_days_in_numbers_that_may_be_two_days_stand_for_none() -> None:
    assert find_date("03/05/2024", NOON) is None or not others("03/05/2024")


def test_names_of_months_are_words_of_an_index_and_are_read_as_that_month() -> None:
    for month in range(1, 13):
        for name in month_names(month):
            assert words(name) == [name]
            mention = find_date(f"5 {name} 2024", NOON)
            assert mention is not None
            assert day_of(mention) == date(2024, month, 5)
    assert len(set(chain.from_iterable(map(month_names, range(1, 13))))) == sum(
        len(month_names(month)) for month in range(1, 13)
    )
