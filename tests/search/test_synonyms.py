"""The user's own synonyms: both ways, of one word or several, from settings or a note."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from notewell.search.query.synonyms import Synonyms
from tests.search.library import Library, MakeLibrary

NOTES = {
    "Cluster.md": "Upgrading kubernetes on the three nodes took the whole evening.",
    "Pods.md": "The k8s pods restart when memory runs out.",
    "Course.md": "Week one of machine learning: what a loss function says.",
    "Reading.md": "The best ML papers of the year.",
    "Machine.md": "The washing machine leaks.",
    "Words.md": "Names\n\n- tdd = test driven development\n- bicycle = bike, velo\n- lonely\n",
    "Ride.md": "Took the velo along the river.",
    "Garden.md": "Beds and paths.",
    "Roof.md": "Tiles and gutters.",
}
ENTRIES = ("k8s = kubernetes", "ml = machine learning", "[[Words]]")


@pytest.fixture(scope="module")
def library(make_library: MakeLibrary) -> Library:
    library = make_library(NOTES)
    library.rules = replace(library.rules, synonyms=ENTRIES)
    return library


@pytest.mark.parametrize("mode", ["hybrid", "keyword"])
@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("k8s", {"Cluster.md", "Pods.md"}),
        ("kubernetes", {"Cluster.md", "Pods.md"}),
        ("K8S", {"Cluster.md", "Pods.md"}),
        ("ml", {"Course.md", "Reading.md"}),
        ("machine learning", {"Course.md", "Reading.md"}),
    ],
)
def test_a_name_finds_the_notes_with_the_other_one(
    library: Library, query: str, found: set[str], mode: str
) -> None:
    assert set(library.paths(query, mode=mode)[:2]) == found


@pytest.mark.parametrize("query", ["bike", "bicycle", "velo"])
def test_a_note_may_list_the_names(library: Library, query: str) -> None:
    assert "Ride.md" in library.paths(query, mode="keyword")


def test_a_result_says_which_synonym_it_has(library: Library) -> None:
    reply = library.search("k8s", mode="keyword")
    reasons = {
        result.path: [(why.kind, why.text) for why in result.reasons] for result in reply.results
    }
    assert reasons["Cluster.md"] == [("synonym", "k8s = kubernetes")]
    assert reasons["Pods.md"] == []
    shown = next(result for result in reply.results if result.path == "Cluster.md")
    assert [shown.snippet[start:end] for start, end in shown.highlights] == ["kubernetes"]


def test_a_long_name_counts_where_its_words_stand_together(library: Library) -> None:
    assert "Machine.md" not in library.paths("ml", mode="keyword", weak=False)[:2]


def test_without_the_setting_a_word_stands_for_itself(make_library: MakeLibrary) -> None:
    plain = make_library(NOTES)
    assert plain.paths("k8s", mode="keyword") == ["Pods.md"]
    plain.rules = replace(plain.rules, synonyms=("Nowhere",))
    reply = plain.search("k8s", mode="keyword")
    assert [result.path for result in reply.results] == ["Pods.md"]
    assert "The note “Nowhere” of search.synonyms is not in the vault." in reply.warnings


@given(
    st.lists(st.text(alphabet="ab =,-1.\n", max_size=20), max_size=8), st.text("ab ", max_size=20)
)
@settings(max_examples=200, deadline=None)
def test_any_lines_give_synonyms_that_hold_both_ways(lines: list[str], query: str) -> None:
    synonyms = Synonyms.of(lines)
    for name, group in synonyms.groups.items():
        assert name in group
        assert all(name in synonyms.groups[other] for other in group)
    said = synonyms.applied(query)
    assert bool(said.used) == (said.text != query or bool(said.others))
