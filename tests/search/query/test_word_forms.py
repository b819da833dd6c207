"""English forms of a word that its stem does not tell."""

from __future__ import annotations

import pytest

from notewell.search.query.word_forms import other_forms
from tests.search.library import MakeLibrary

PAIRS = [
    ("mouse", "mice"),
    ("knife", "knives"),
    ("cactus", "cacti"),
    ("colour", "color"),
    ("harbours", "harbors"),
    ("organise", "organize"),
    ("organisation", "organization"),
    ("centre", "center"),
    ("catalogue", "catalog"),
    ("defence", "defense"),
    ("travelling", "traveling"),
    ("tyre", "tire"),
    ("buy", "bought"),
    ("go", "went"),
    ("write", "written"),
    ("teach", "taught"),
    ("lose", "lost"),
    ("lens", "lenses"),
    ("alias", "aliases"),
]


@pytest.mark.parametrize(("one", "other"), [*PAIRS, *((b, a) for a, b in PAIRS)])
def test_each_form_leads_to_the_other(one: str, other: str) -> None:
    assert other in other_forms(one)


@pytest.mark.parametrize("word", ["", "a", "the", "2024", "haus", "Ärger", "x" * 200])
def test_other_words_have_none(word: str) -> None:
    assert word not in other_forms(word)
    assert all(form.isalpha() for form in other_forms(word))


@pytest.mark.parametrize("mode", ["hybrid", "keyword"])
@pytest.mark.parametrize(("one", "other"), PAIRS)
def test_a_note_is_found_by_the_other_form(
    make_library: MakeLibrary, one: str, other: str, mode: str
) -> None:
    notes = {"A.md": f"Something about {other} and more.", "B.md": "Nothing of it.", "C.md": "No."}
    assert make_library(notes).paths(one, mode=mode)[:1] == ["A.md"]


def test_a_verb_is_found_and_marked_in_any_of_its_forms(make_library: MakeLibrary) -> None:
    notes = {"A.md": "We bought figurines at the fair.", "B.md": "Figurines stand on a shelf."}
    first = make_library(notes).search("buy figurines", mode="keyword").results[0]
    assert first.path == "A.md"
    marked = {first.snippet[start:end] for start, end in first.highlights}
    assert marked == {"bought", "figurines"}


@pytest.mark.parametrize("word", ["left", "leave", "saw", "bit", "ground", "rose"])
def test_a_past_that_is_another_word_stands_for_itself(word: str) -> None:
    assert not {"leave", "left", "see", "bite", "grind", "rise"}.intersection(other_forms(word))
