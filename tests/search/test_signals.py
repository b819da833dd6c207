"""What changes the semantic weight and the confidence."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from notewell.search.candidates import Candidates
from notewell.search.signals import (
    Signals,
    confidence,
    query_signals,
    semantic_weight,
    unreadable_share,
)
from notewell.types import FloatArray, SearchMode

TYPICAL = Signals(strength=1.5, covered=1.4, keyword_lead=0.6, semantic_lead=0.5, length=0.9)
NONE = np.full(200, np.nan, np.float32)


def notes(bm25: FloatArray, cosine: FloatArray) -> Candidates:
    ids = np.arange(len(bm25), dtype=np.int64)
    return Candidates(ids, ids, bm25.astype(np.float32), cosine.astype(np.float32))


def spread(best: float, rest: float) -> FloatArray:
    """One note that stands out from two hundred."""
    return np.concatenate(([best], np.linspace(rest, rest / 2, 199)))


def test_words_that_single_out_a_note_take_weight_from_meaning() -> None:
    assert semantic_weight(replace(TYPICAL, keyword_lead=0.9), 0.0) < semantic_weight(TYPICAL, 0.0)
    assert semantic_weight(replace(TYPICAL, strength=2.5), 0.0) < semantic_weight(TYPICAL, 0.0)


def test_meaning_that_singles_out_a_note_gains_weight() -> None:
    assert semantic_weight(replace(TYPICAL, semantic_lead=0.9), 0.0) > semantic_weight(TYPICAL, 0.0)


def test_cosines_that_hardly_differ_have_little_say() -> None:
    known, unreadable = spread(0.7, 0.3), np.linspace(0.80, 0.60, 200)
    words = spread(12.0, 8.0)
    read = query_signals(notes(words, known), "some words", known_idf=10.0, total_idf=10.0)
    unread = query_signals(notes(words, unreadable), "some words", known_idf=10.0, total_idf=10.0)
    assert semantic_weight(unread, 0.0) < semantic_weight(read, 0.0) / 2


def test_a_query_without_a_known_word_leaves_it_to_meaning() -> None:
    found = query_signals(notes(NONE, spread(0.7, 0.3)), "some words", known_idf=0.0, total_idf=9.0)
    assert (found.strength, found.covered, found.keyword_lead) == (0.0, 0.0, 0.0)
    assert semantic_weight(found, 0.0) > 0.9


@given(
    st.lists(st.floats(0, 50, width=32), min_size=1, max_size=150),
    st.lists(st.floats(-1, 1, width=32), min_size=1, max_size=150),
    st.floats(0, 100),
)
def test_signals_stay_in_their_ranges(bm25: list[float], cosine: list[float], known: float) -> None:
    size = min(len(bm25), len(cosine))
    found = query_signals(
        notes(np.array(bm25[:size]), np.array(cosine[:size])),
        "some words",
        known_idf=known,
        total_idf=2 * known,
    )
    assert 0.0 <= found.keyword_lead <= 1.0
    assert 0.0 <= found.semantic_lead <= 1.0
    assert 0.0 <= found.strength <= 4.0
    assert 0.0 < semantic_weight(found, 0.0) < 1.0


@pytest.mark.parametrize("mode", ["hybrid", "keyword", "semantic"])
def test_a_full_match_is_sure_and_a_foreign_query_is_not(mode: SearchMode) -> None:
    full = query_signals(
        notes(spread(20.0, 6.0), spread(0.75, 0.3)), "some words", known_idf=10.0, total_idf=10.0
    )
    foreign = query_signals(
        notes(spread(2.0, 1.8), spread(0.25, 0.22)), "some words", known_idf=4.0, total_idf=20.0
    )
    assert confidence(notes(spread(20.0, 6.0), spread(0.75, 0.3)), full, mode) > 0.8
    assert confidence(notes(spread(2.0, 1.8), spread(0.25, 0.22)), foreign, mode) < 0.1


def test_meaning_alone_is_worth_something() -> None:
    paraphrase = notes(NONE, spread(0.7, 0.25))
    found = query_signals(paraphrase, "some words", known_idf=0.0, total_idf=12.0)
    assert 0.4 < confidence(paraphrase, found, "hybrid") <= 0.7


def test_nothing_found_is_no_confidence() -> None:
    nothing = notes(np.empty(0), np.empty(0))
    assert (
        confidence(
            nothing, query_signals(nothing, "some words", known_idf=0, total_idf=0), "hybrid"
        )
        == 0.0
    )


def test_a_lead_of_words_says_more_the_longer_the_query_is() -> None:
    nearly_verbatim = replace(TYPICAL, length=1.5)
    assert semantic_weight(nearly_verbatim, 0.0) < semantic_weight(
        replace(TYPICAL, length=0.3), 0.0
    )


def test_two_characters_without_spaces_count_as_a_word() -> None:
    nothing = notes(np.empty(0), np.empty(0))
    chinese = query_signals(nothing, "关键词检索融合", known_idf=1.0, total_idf=1.0)
    assert chinese.length == pytest.approx(np.log(3.5) / 2)


@pytest.mark.parametrize(
    ("text", "tokens", "expected"),
    [
        ("sync my notes", 3, 0.0),
        ("Graphansicht anpassen", 4, 0.05),
        ("синхронизация заметок", 12, 1.0),
        ("关键词检索", 5, 1.0),
        ("关键词检索", 3, 0.0),
        ("ค้นหาบันทึก", 1, 1.0),
        ("", 0, 0.0),
    ],
)
def test_a_model_that_only_spells_a_language_cannot_read_it(
    text: str, tokens: int, expected: float
) -> None:
    assert unreadable_share(text, lambda _: tokens) == pytest.approx(expected, abs=0.05)


def test_what_the_model_cannot_read_takes_half_of_its_say() -> None:
    assert semantic_weight(TYPICAL, 1.0) == pytest.approx(semantic_weight(TYPICAL, 0.0) / 2)
