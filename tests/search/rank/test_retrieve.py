"""Retrieval: which terms are searched, their weights, and the hits of both halves."""

from __future__ import annotations

import numpy as np
import pytest

from notewell.base.types import NoteFieldWeights, VectorHits
from notewell.search.facts.names_cache import NamesCache
from notewell.search.query.note_scope import EVERYWHERE
from notewell.search.query.terms import (
    FUNCTION_WORD_WEIGHT,
    MAX_TERMS,
    function_words,
    query_terms,
)
from notewell.search.rank.retrieve import (
    KeywordResult,
    collect,
    depth,
    only_terms,
    retrieve,
    search_keywords,
    semantic_hits,
)
from tests.search.library import Library, MakeLibrary

NO_HITS = VectorHits(np.empty(0, np.int64), np.empty(0, np.float32))


@pytest.fixture(scope="module")
def library(make_library: MakeLibrary) -> Library:
    return make_library(
        {
            "A.md": "# Apples\nHow to store apples in the cellar over winter.\n",
            "B.md": "# Pears\nThe pear tree wants sun.\n",
            "C.md": "# Plums\nPlums are dried in the sun.\n",
        }
    )


def test_function_words_count_less(library: Library) -> None:
    terms = query_terms(library.index, "how to store the apples apples")
    light = FUNCTION_WORD_WEIGHT
    assert dict(terms.weights) == {
        "how": light,
        "to": light,
        "store": 1.0,
        "the": light,
        "apples": 2.0,
    }
    assert set(terms.highlight_weights()) == {"store", "apples"}


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


def test_only_notes_that_pass_the_filter_are_returned(library: Library) -> None:
    note = library.index.note_at("C.md")
    assert note is not None
    terms = query_terms(library.index, "sun")
    vector = library.embedder.embed_query("sun")
    allowed = np.array([note.id])
    found = retrieve(library.index, terms.query, vector, limit=10, notes=allowed)
    assert set(found.note_ids.tolist()) == {note.id}


def test_a_higher_limit_retrieves_more_candidates() -> None:
    assert depth(1000) > depth(10) >= 400


def by_words(library: Library, text: str) -> KeywordResult:
    return search_keywords(
        library.index,
        text,
        query_terms(library.index, text),
        EVERYWHERE,
        limit=20,
        weights=NoteFieldWeights(),
        names=NamesCache().current(library.index),
    )


def test_a_note_with_all_words_in_several_passages_beats_a_passage_with_one(
    make_library: MakeLibrary,
) -> None:
    filler = " ".join(f"filler{n}" for n in range(70))
    library = make_library(
        {
            "Hive.md": f"# Hive\n## One\nqueens {filler}\n## Two\nvarroa {filler}\n## Three\nwax {filler}\n",
            "Queens.md": f"# Chess\n## One\nqueens and kings\n## Two\n{filler}\n",
        }
    )
    found = by_words(library, "queens varroa wax")
    owners = {note.id: note.path for note in library.index.all_notes()}
    best = int(found.matches.note_ids[int(np.argmax(found.matches.bm25))])
    assert owners[best] == "Hive.md"
    _, notes = collect(library.index, found, NO_HITS)
    coverage = dict(zip((owners[note] for note in notes.ids), notes.coverage, strict=True))
    assert coverage["Hive.md"] == pytest.approx(1.0)
    assert coverage["Queens.md"] < 0.5
    terms = query_terms(library.index, "wax")
    assert not len(only_terms(library.index, terms, NoteFieldWeights()).matches.note_ids)


def test_a_note_is_a_candidate_by_its_properties_and_its_name_alone(
    make_library: MakeLibrary,
) -> None:
    library = make_library(
        {
            "Letter.md": "---\nauthor: Jane Doe\n---\nA long letter about the garden.\n",
            "QueenRearing.md": "Cells, and how to graft them.\n",
            "Other.md": "Something else entirely.\n",
        }
    )
    assert library.paths("jane doe", mode="keyword") == ["Letter.md"]
    assert library.paths("queen rearing", mode="keyword") == ["QueenRearing.md"]
    shown = library.search("jane doe", mode="keyword").results[0]
    assert shown.snippet


def test_every_candidate_has_its_cosine(make_library: MakeLibrary) -> None:
    library = make_library({f"{n}.md": f"honey jar number{n}\n" for n in range(30)})
    vector = library.embedder.embed_query("honey")
    found = by_words(library, "number7 honey")
    ids = found.candidates(library.index.note_ids_of(found.chunks.chunk_ids))
    hits = semantic_hits(library.index, vector, limit=1, notes=None, also=ids)
    _, notes = collect(library.index, found, hits)
    assert not np.isnan(notes.cosine).any()
    assert len(notes) == 30


def test_notes_are_found_that_say_one_of_each_group_in_one_passage(
    make_library: MakeLibrary,
) -> None:
    far = "The coat hangs here.\n" + "Other words fill the page.\n" * 60 + "A line of hooks.\n"
    library = make_library(
        {"Apart.md": far, "Both.md": "Line your coats.\n", "One.md": "A line.\n"}
    )
    note_ids = library.index.keywords.notes_with_each([("line",), ("cloak", "coat")], np.arange(9))
    assert [note.path for note in library.index.notes(note_ids.tolist()).values()] == ["Both.md"]
    assert not len(library.index.keywords.notes_with_each([], np.arange(9)))
