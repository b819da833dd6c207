from __future__ import annotations

import math

import numpy as np
import pytest

from notewell.index.analyze import tokens
from notewell.index.embedded.keywords import Keywords
from notewell.index.embedded.postings import Postings
from notewell.index.embedded.term_counts import bm25, hash_of, pack
from notewell.index.lexical import ChunkText, NoteText, QueryTerm


def note(number: int, title: str, *bodies: str) -> NoteText:
    chunks = tuple(ChunkText(10 * number + at, (), body) for at, body in enumerate(bodies))
    return NoteText(number, f"{title}.md", title, (), (), chunks)


@pytest.fixture
def keywords() -> Keywords:
    postings = Postings(None)
    notes = [
        note(1, "Bees", "honey in spring", "the hive", "winter feed"),
        note(2, "Honey", "honey honey honey", "prices of honey"),
        note(3, "Winter", "snow"),
    ]
    postings.update(notes, gone=(), database="test", generation=1)
    return Keywords(postings)


def scores_of(keywords: Keywords, query: str, notes: list[int]) -> dict[int, float]:
    terms = [QueryTerm(token) for token in tokens(query)]
    ids, scores = keywords.score_notes(terms, np.array(notes, np.int64))
    return dict(zip(ids.tolist(), scores.tolist(), strict=True))


def test_words_that_stand_in_different_passages_of_a_note_count_together(
    keywords: Keywords,
) -> None:
    scores = scores_of(keywords, "hive winter spring", [1, 2, 3])
    assert scores[1] > scores[3] > scores[2] == 0.0


def test_only_the_notes_asked_for_are_scored_and_unknown_ones_are_passed_over(
    keywords: Keywords,
) -> None:
    assert set(scores_of(keywords, "honey", [2, 99])) == {2}
    assert scores_of(keywords, "honey", []) == {}


def test_the_score_is_bm25_with_the_idf_among_notes(keywords: Keywords) -> None:
    idf = math.log1p((3 - 2 + 0.5) / (2 + 0.5))  # "honey" stands in two of three notes
    lengths = {1: 1 + 7, 2: 1 + 3 + 3}
    middle = (lengths[1] + lengths[2]) / 2
    often = {1: 1, 2: 1 + 3 + 1}
    for number, score in scores_of(keywords, "honey", [1, 2]).items():
        norm = 1.2 * (0.25 + 0.75 * lengths[number] / middle)
        expected = idf * often[number] * 2.2 / (often[number] + norm)
        assert score == pytest.approx(expected, rel=1e-5)


def test_a_note_that_is_indexed_again_has_one_packed(keywords: Keywords) -> None:
    keywords._postings.update([note(3, "Winter", "ice")], gone=(1,), database="test", generation=2)
    assert set(scores_of(keywords, "snow ice", [1, 3])) == {3}


def test_of_a_note_of_very_many_words_the_commonest_are_kept() -> None:
    stems = [f"word{n}" for n in range(6000)] + ["bee"] * 300
    packed = pack(stems)
    assert len(packed) == 8 + 5 * 4096
    assert bm25([packed], {hash_of("bee"): 1.0})[0] > 0
    assert bm25([packed, pack([])], {hash_of("bee"): 1.0})[1] == 0


def test_numbers_of_a_packed_are_not_taken_for_stems() -> None:
    """Its header and its counts are numbers too, and a stem's hash may be any."""
    one, other = pack(["bee"] * 7 + ["hive"] * 3), pack(["hive"])
    numbers = np.frombuffer(one + other, "<u4").tolist()
    stems = {hash_of("bee"), hash_of("hive")}
    others = {number: 1.0 for number in numbers if number not in stems}
    assert bm25([one, other, pack([])], others).tolist() == [0.0, 0.0, 0.0]
    found = bm25([one, other, pack([])], {hash_of("hive"): 1.0})
    assert found[0] > 0
    assert found[1] > 0
    assert found[2] == 0
