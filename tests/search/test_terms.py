"""Mistyped words, and words that are still being typed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from notewell.search.terms import completions, corrections, distance, query_terms
from tests.search.library import Library, MakeLibrary

NOTES = {
    "Garden.md": "The gardener waters the beautiful garden before breakfast.\n",
    "Bees.md": "Beekeeping needs patience, a veil, and a calm morning.\n",
    "More.md": "Beekeeping in the city: gardens on roofs, and neighbours.\n",
}


@pytest.fixture(scope="module")
def library(make_library: MakeLibrary) -> Library:
    return make_library(NOTES)


@pytest.mark.parametrize(
    ("typed", "wanted"),
    [
        ("beekeping", "beekeeping"),  # left out
        ("beekeepping", "beekeeping"),  # added
        ("breakfest", "breakfast"),  # changed
        ("agrden", "garden"),  # swapped at the start
        ("beautifull", "beautiful"),
        ("neigbohurs", "neighbours"),  # two
        ("gerden", "garden"),
    ],
)
def test_a_mistyped_word_finds_its_correction(library: Library, typed: str, wanted: str) -> None:
    assert wanted in corrections(library.index.keywords, typed)
    assert library.paths(typed, mode="keyword") == library.paths(wanted, mode="keyword")


@pytest.mark.parametrize("typed", ["cat", "xyzzy", "x1234", "学习机器", "veilchenblau"])
def test_short_foreign_and_strange_words_stay_as_they_are(library: Library, typed: str) -> None:
    assert corrections(library.index.keywords, typed) == {}


def test_two_edits_count_half_of_one(library: Library) -> None:
    assert corrections(library.index.keywords, "beekeping")["beekeeping"] == 0.5
    assert corrections(library.index.keywords, "bekeping")["beekeeping"] == 0.25


def test_a_word_that_the_vault_has_is_not_corrected(library: Library) -> None:
    assert set(query_terms(library.index, "garden veil").weights) == {"garden", "veil"}


def test_a_word_that_has_just_come_is_not_corrected(library: Library) -> None:
    assert corrections(library.index.keywords, "patience") == {}


def test_a_correction_is_marked_in_the_snippet(library: Library) -> None:
    result = library.search("pateince", mode="keyword").results[0]
    assert [result.snippet[start:end] for start, end in result.highlights] == ["patience"]


def test_the_last_word_while_typing_stands_for_what_begins_so(library: Library) -> None:
    assert set(completions(library.index.keywords, "gard")) == {"garden", "gardener", "gardens"}
    assert library.paths("roofs beekee", mode="keyword", typing=True)[0] == "More.md"
    assert library.paths("beekee", mode="keyword") == []
    assert set(library.paths("beekee", mode="keyword", typing=True)) == {"Bees.md", "More.md"}
    assert library.paths("beekee ", mode="keyword", typing=True) == []  # a space ends the word


def test_a_whole_word_comes_before_what_it_begins(library: Library) -> None:
    assert library.paths("garden", mode="keyword", typing=True)[0] == "Garden.md"


@given(st.text("abc", max_size=6), st.text("abc", max_size=6))
def test_the_distance_is_symmetric_and_bounded(one: str, other: str) -> None:
    edits = distance(one, other, 9)
    assert edits == distance(other, one, 9)
    assert abs(len(one) - len(other)) <= edits <= max(len(one), len(other))
    assert (edits == 0) == (one == other)
    assert distance(one, other, 1) == min(edits, 2)
