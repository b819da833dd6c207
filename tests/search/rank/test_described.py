"""How much of a query the fields that describe a note say, besides its names."""

from __future__ import annotations

import pytest

from notewell.base.types import NoteFieldWeights
from notewell.search.query.terms import query_terms
from notewell.search.rank.retrieve import measure_described
from tests.search.library import Library, MakeLibrary

NOTES = {
    "Rhubarb.md": "---\ntags: [recipe]\ncuisine: Nordic\n---\nStew it with sugar.\n",
    "Rhubarb recipe.md": "Bake it in an oven that is warm.\n",
    "Garden.md": "Rhubarb grows here; a recipe for it is Nordic.\n",
    "Oven.md": "## Nordic recipe\n\nHow to clean it afterwards, with lemons and with salt.\n",
    "Shed.md": "Spades, rakes, and a ladder.\n",
}


@pytest.fixture(scope="module")
def library(make_library: MakeLibrary) -> Library:
    return make_library(NOTES)


def shares(library: Library, query: str) -> dict[str, float]:
    terms = query_terms(library.index, query)
    matches = library.index.keywords.match_notes(terms.query, weights=NoteFieldWeights())
    found = measure_described(library.index, terms, matches).tolist()
    shares = dict(zip(matches.note_ids.tolist(), found, strict=True))
    return {note.path: shares.get(note.id, 0.0) for note in library.index.all_notes()}


def test_tags_properties_and_headings_describe_a_note_and_its_text_does_not(
    library: Library,
) -> None:
    found = shares(library, "rhubarb recipe")
    assert found["Rhubarb.md"] > 0.3  # its name has one word, its tag the other
    assert found["Rhubarb recipe.md"] == 0.0  # its name says all
    assert found["Garden.md"] == found["Shed.md"] == 0.0
    found = shares(library, "nordic recipe")
    assert found["Oven.md"] == found["Rhubarb.md"] == pytest.approx(1.0)


@pytest.mark.parametrize("query", ["recipe", "", "xylophone", "a b c d e f g h recipe"])
def test_single_words_and_long_queries_are_not_looked_at(library: Library, query: str) -> None:
    assert not any(shares(library, query).values())


def test_a_word_that_no_note_has_lowers_the_share(library: Library) -> None:
    whole = shares(library, "nordic recipe")["Oven.md"]
    assert shares(library, "nordic recipe xylophone")["Oven.md"] < whole / 2


def test_of_notes_alike_the_described_one_comes_first(make_library: MakeLibrary) -> None:
    text = "Stew rhubarb with sugar; a recipe of my aunt.\n"
    library = make_library({"A.md": text, "B.md": f"---\ncourse: rhubarb recipe\n---\n{text}"})
    found = library.search("rhubarb recipe", mode="keyword").results
    assert [result.path for result in found] == ["B.md", "A.md"]
    assert found[0].scores.coverage > found[1].scores.coverage
