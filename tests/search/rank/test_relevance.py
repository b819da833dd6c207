"""Relevance: by the evidence as it is, never by the share of the best result."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from notewell.base.types import SearchMode
from notewell.search.rank.evidence import NoteEvidence, QueryEvidence
from notewell.search.rank.relevance import QueryRequirements, Relevance, judge
from tests.search.library import MakeLibrary

QUERY = QueryEvidence(
    known_idf=10.0, words=2, passages=5000, cosine_mean=0.05, cosine_deviation=0.1
)


def note(
    words: float = 0.0, coverage: float = 0.0, cosine: float = 0.05, name: float = 0.0
) -> NoteEvidence:
    def one(value: float) -> np.ndarray:
        return np.array([value], np.float32)

    return NoteEvidence(
        ids=np.array([1]),
        passage_bm25=one(words * QUERY.known_idf),
        cosine=one(cosine),
        mean_cosine=one(cosine),
        whole_bm25=one(words * QUERY.known_idf),
        coverage=one(coverage),
        held=one(coverage),
        lengths=one(100.0),
        names=one(name),
        exact=np.array([name == 1.0]),
        described=one(0.0),
        begun=one(0.0),
        said=np.array([name == 1.0]),
    )


def several(good: int, count: int = 12) -> NoteEvidence:
    """Notes, the first of which have every word of the query and a near meaning."""

    def values(high: float, low: float) -> np.ndarray:
        return np.array([high] * good + [low] * (count - good), np.float32)

    return NoteEvidence(
        ids=np.arange(count),
        passage_bm25=values(2.0, 0.1) * QUERY.known_idf,
        cosine=values(0.6, 0.05),
        mean_cosine=values(0.6, 0.05),
        whole_bm25=values(2.0, 0.1) * QUERY.known_idf,
        coverage=values(1.0, 0.1),
        held=values(1.0, 0.1),
        lengths=values(100.0, 100.0),
        names=values(0.3, 0.0),
        exact=np.zeros(count, np.bool_),
        described=values(0.0, 0.0),
        begun=values(0.0, 0.0),
        said=np.zeros(count, np.bool_),
    )


def judged(notes: NoteEvidence, mode: SearchMode = "hybrid", known: float = 1.0) -> Relevance:
    return judge(notes, QUERY, mode, QueryRequirements(known=known, content=1.0, required=False))


@pytest.mark.parametrize("mode", ["hybrid", "keyword"])
def test_a_note_with_the_query_as_its_name_is_a_strong_match(mode: SearchMode) -> None:
    assert judged(note(2.0, 1.0, 0.6, name=1.0), mode).match(0) == "strong"


def test_a_note_that_shares_only_a_common_word_is_weak() -> None:
    assert judged(note(0.2, 0.2)).match(0) == "weak"
    assert judged(note(0.2, 0.2), "keyword").match(0) == "weak"
    assert judged(note(), "semantic").match(0) == "weak"


def test_a_high_cosine_alone_makes_a_note_related() -> None:
    assert judged(note(cosine=0.65)).match(0) != "weak"
    assert judged(note(cosine=0.65), "semantic").match(0) != "weak"


def test_a_note_without_a_vector_is_judged_by_its_words() -> None:
    found = note(1.5, 0.9, float("nan"))
    assert judged(found).related == judged(found, "keyword").related
    assert judged(found).match(0) != "weak"


def test_query_words_unknown_to_the_vault_lower_the_relevance() -> None:
    found = note(1.0, 1.0)
    assert judged(found, known=0.2).related < judged(found).related


@pytest.mark.parametrize("mode", ["hybrid", "keyword"])
def test_confidence_is_high_where_one_note_stands_out_only(mode: SearchMode) -> None:
    alone = judged(several(1), mode).confidence
    among_equals = judged(several(12), mode).confidence
    nothing = judged(several(0), mode).confidence
    assert alone > 0.9
    assert nothing < 0.4
    assert nothing < among_equals < alone


def test_half_of_the_query_being_unknown_lowers_confidence() -> None:
    assert judged(several(1), known=0.5).confidence < judged(several(1)).confidence


def test_without_notes_there_is_no_confidence() -> None:
    none = np.empty(0, np.float32)
    found = NoteEvidence(
        np.empty(0, np.int64), *[none] * 8, np.empty(0, np.bool_), none, none, np.empty(0, np.bool_)
    )
    assert judged(found).confidence == 0.0


def test_a_note_with_every_word_is_never_weak() -> None:
    far = replace(QUERY, words=1, known_idf=0.5)
    every_word = QueryRequirements(known=1.0, content=1.0, required=False)
    assert judge(note(0.1, 1.0), far, "hybrid", every_word).match(0) != "weak"
    phrase = QueryRequirements(known=0.0, content=1.0, required=True)
    found = judge(note(), QUERY, "hybrid", phrase)
    assert found.match(0) != "weak"  # it holds the phrase of the query


@pytest.mark.parametrize("together", [(), (1,)])
def test_where_nothing_answers_every_word_has_to_be_in_one_passage(
    together: tuple[int, ...],
) -> None:
    asked = QueryRequirements(1.0, 1.0, required=False, words=2, beyond_words=lambda: -0.05)
    asked = replace(asked, together=lambda _: np.array(together, np.int64))
    found = judge(note(0.1, 1.0, 0.1), QUERY, "hybrid", asked, np.ones(1, np.float32))
    assert not found.answered
    assert (found.match(0) != "weak") is bool(together)


def test_a_note_with_every_known_word_may_be_weak_where_the_vault_lacks_nearly_half() -> None:
    far = replace(QUERY, words=1, known_idf=0.5)
    for known, is_kept in ((0.65, True), (0.55, False)):
        asked = QueryRequirements(known=known, content=1.0, required=False, known_words=known)
        assert (judge(note(0.1, 1.0), far, "hybrid", asked).match(0) != "weak") is is_kept


def test_a_note_with_every_word_that_the_vault_has_is_kept(make_library: MakeLibrary) -> None:
    library = make_library(
        {f"{n}.md": f"Row {n} of the beds.\n" for n in range(8)}
        | {"Plan.md": "What the garden needs.\n"}
    )
    for mode in ("keyword", "hybrid"):
        found = library.search("garden 17", mode=mode, weak=False)
        assert [result.path for result in found.results] == ["Plan.md"]


@given(st.floats(0, 3), st.floats(0, 1), st.floats(-1, 1), st.floats(0, 1))
def test_likelihoods_stay_in_their_range(
    words: float, coverage: float, cosine: float, name: float
) -> None:
    found = judged(note(words, coverage, cosine, name))
    for value in (found.related[0], found.strong[0], found.confidence):
        assert 0.0 <= value <= 1.0


def test_without_related_notes_only_weak_true_gives_results(
    make_library: MakeLibrary,
) -> None:
    library = make_library(
        {f"{word}.md": f"About {word}, cooking and films.\n" for word in ("soup", "noir", "bread")}
    )
    reply = library.search("quantum chromodynamics", mode="keyword", weak=False)
    assert reply.results == ()
    shared = library.search("cooking quantum chromodynamics", mode="keyword", weak=False)
    assert shared.results == ()
    assert shared.filtered["weak"] == shared.total == 3
    assert "Nothing matches well" in shared.warnings[-1]
    kept = library.search("cooking quantum chromodynamics", mode="keyword", weak=True)
    assert {result.match for result in kept.results} == {"weak"}
    found = library.search("bread cooking", mode="keyword", weak=False)
    assert found.results[0].path == "bread.md"
    assert found.confidence > reply.confidence


def test_a_query_that_is_near_by_one_of_its_words_is_not_answered() -> None:
    shares = np.ones(1, np.float32)

    def found(words: int, beyond_words: Callable[[], float] | None) -> Relevance:
        asked = QueryRequirements(0.6, 1.0, required=False, words=words, beyond_words=beyond_words)
        return judge(note(0.7, 0.35, 0.46), QUERY, "hybrid", asked, shares)

    near, far, one_word = found(4, lambda: 0.25), found(4, lambda: -0.05), found(1, None)
    assert [each.match(0) == "weak" for each in (near, far, one_word)] == [False, True, False]
    assert far.confidence < near.confidence / 2


@pytest.mark.parametrize(
    ("found", "known", "expected"), [(several(1), 1.0, "strong"), (note(), 0.2, "weak")]
)
def test_words_are_embedded_only_where_they_decide(
    found: NoteEvidence, known: float, expected: str
) -> None:
    asked = QueryRequirements(known, 1.0, required=False, words=3, beyond_words=_unexpected)
    shares = np.ones(len(found), np.float32)
    assert judge(found, QUERY, "hybrid", asked, shares).match(0) == expected


def _unexpected() -> float:
    raise AssertionError("It is decided already.")
