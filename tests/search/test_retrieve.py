"""Retrieval: which terms are searched, their weights, and the hits of both halves."""

from __future__ import annotations

import numpy as np
import pytest

from notewell.search.candidates import Candidates, with_whole_note_scores
from notewell.search.retrieve import depth, retrieve, search_keywords
from notewell.search.scope import NO_NOTES
from notewell.search.terms import MAX_TERMS, function_words, query_terms
from tests.search.library import Library, MakeLibrary


@pytest.fixture(scope="module")
def library(make_library: MakeLibrary) -> Library:
    return make_library(
        {
            "A.md": "# Apples\nHow to store apples in the cellar over winter.\n",
            "B.md": "# Pears\nThe pear tree wants sun.\n",
            "C.md": "# Plums\nPlums are dried in the sun.\n",
        }
    )


def test_function_words_count_half(library: Library) -> None:
    terms = query_terms(library.index, "how to store the apples apples")
    assert dict(terms.weights) == {"how": 0.5, "to": 0.5, "store": 1.0, "the": 0.5, "apples": 2.0}


def test_the_language_is_that_of_most_function_words() -> None:
    assert function_words(["wie", "die", "hard", "ist"]) == {"wie", "die", "ist"}
    assert function_words(["how", "to", "die", "hard"]) == {"how", "to"}
    assert function_words(["Zettel"]) == frozenset()


def test_an_unknown_word_has_the_highest_idf_and_is_not_searched(
    library: Library,
) -> None:
    terms = query_terms(library.index, "pear zebra sun")
    assert terms.unknown == {"zebra"}
    assert [term.token for term in terms.query] == ["pear", "sun"]
    assert terms.idf["zebra"] > terms.idf["pear"] > terms.idf["sun"]
    assert terms.total_idf(known=False) > terms.total_idf(known=True)


def test_of_a_pasted_page_the_rarest_words_are_searched(library: Library) -> None:
    page = "sun " * 3 + " ".join(f"word{n}" for n in range(300)) + " plums"
    terms = query_terms(library.index, page)
    assert len(terms.weights) == MAX_TERMS
    assert "plums" in terms.weights


def test_both_halves_are_merged_by_chunk(library: Library) -> None:
    terms = query_terms(library.index, "pear")
    vector = library.embedder.embed_query("pear tree")
    found = retrieve(library.index, terms.query, vector, limit=10, notes=None)
    assert len(set(found.ids.tolist())) == len(found) == 3
    assert np.isnan(found.bm25).sum() == 2
    assert not np.isnan(found.cosine).any()


def test_only_notes_that_are_allowed_come_back(library: Library) -> None:
    note = library.index.note_at("C.md")
    assert note is not None
    terms = query_terms(library.index, "sun")
    vector = library.embedder.embed_query("sun")
    allowed = np.array([note.id])
    found = retrieve(library.index, terms.query, vector, limit=10, notes=allowed)
    assert set(found.note_ids.tolist()) == {note.id}


def test_a_longer_list_looks_deeper() -> None:
    assert depth(1000) > depth(10) >= 400


def test_a_note_counts_by_its_best_chunk_and_as_a_whole() -> None:
    nan = np.nan
    ids = np.array([1, 2, 3, 4])
    found = Candidates(
        ids, ids, np.array([4.0, 2.0, 3.5, nan], np.float32), np.zeros(4, np.float32)
    )
    mixed = with_whole_note_scores(found, np.array([2, 1]), np.array([6.0, 1.0], np.float32))
    assert mixed.bm25[:2].tolist() == [2.5, 4.0]
    assert mixed.bm25[2] == 2.5  # its best chunk was not among the best: it does not overtake
    assert np.isnan(mixed.bm25[3])
    assert with_whole_note_scores(found, np.array([], np.int64), np.array([], np.float32)) is found


def test_words_spread_over_a_note_beat_a_passage_with_one_of_them(
    make_library: MakeLibrary,
) -> None:
    filler = " ".join(f"filler{n}" for n in range(70))
    library = make_library(
        {
            "Hive.md": f"# Hive\n## One\nqueens {filler}\n## Two\nvarroa {filler}\n## Three\nwax {filler}\n",
            "Queens.md": f"# Chess\n## One\nqueens and kings\n## Two\n{filler}\n",
        }
    )
    found = search_keywords(
        library.index, "queens varroa wax", limit=20, notes=None, excluded=NO_NOTES, scored=True
    )
    owners = {note.id: note.path for note in library.index.all_notes()}
    best = int(found.note_ids[int(np.argmax(found.note_bm25))])
    assert owners[best] == "Hive.md"
    assert not len(
        search_keywords(
            library.index, "wax", limit=20, notes=None, excluded=NO_NOTES, scored=False
        ).note_ids
    )
