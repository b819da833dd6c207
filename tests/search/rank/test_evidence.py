"""The addends of a score: each has one scale for all queries, and absent evidence is no penalty."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from notewell.base.types import FloatArray
from notewell.search.rank.evidence import (
    Addends,
    Links,
    NoteEvidence,
    QueryEvidence,
    depends_on_names,
    first_coverage,
    meaning_weight,
    relative,
    settled,
    spread_activation,
    standing_out,
    weigh_coverage,
    weigh_links,
    weigh_meaning,
    weigh_words,
)
from notewell.search.weights import EvidenceWeights

WEIGHTS = EvidenceWeights()
QUERY = QueryEvidence(known_idf=10.0, words=2, passages=5000, cosine_deviation=0.1)
FOREIGN = replace(QUERY, vault_unreadable=1.0)  # asked of a vault that the model does not read
NAN = float("nan")


def notes(
    *,
    passage: object = 0.0,
    whole: object = 0.0,
    cosine: object = NAN,
    coverage: object = 0.0,
    described: object = 0.0,
) -> NoteEvidence:
    count = max(np.size(each) for each in (passage, whole, cosine, coverage, described))

    def column(values: object) -> FloatArray:
        return np.broadcast_to(np.asarray(values, np.float32), (count,)).copy()

    return NoteEvidence(
        ids=np.arange(count),
        passage_bm25=column(passage),
        cosine=column(cosine),
        mean_cosine=column(cosine),
        whole_bm25=column(whole),
        coverage=column(coverage),
        held=column(coverage),
        lengths=column(100.0),
        names=column(0.0),
        exact=np.zeros(count, np.bool_),
        described=column(described),
        begun=column(0.0),
        said=np.zeros(count, np.bool_),
    )


def test_keyword_evidence_is_relative_to_the_highest_possible_score() -> None:
    found = notes(passage=[20.0, NAN], whole=[20.0, 5.0])
    assert weigh_words(found, QUERY).tolist() == pytest.approx([2.0, 0.2])
    twice = replace(QUERY, known_idf=20.0)
    assert weigh_words(found, twice)[0] == pytest.approx(1.0)
    assert weigh_words(found, replace(QUERY, known_idf=0.0)).tolist() == [0.0, 0.0]
    assert np.isnan(notes().bm25).all()


@given(st.lists(st.floats(0, 1, width=32), min_size=1, max_size=20), st.integers(1, 40))
def test_more_coverage_never_counts_less(shares: list[float], words: int) -> None:
    weighed = weigh_coverage(notes(coverage=sorted(shares)), replace(QUERY, words=words), WEIGHTS)
    assert (np.diff(weighed) >= 0).all()
    assert weighed.min() >= 0.0
    assert weighed.max() <= WEIGHTS.coverage + 1e-6


def test_coverage_counts_less_in_long_queries_and_long_notes() -> None:
    full = notes(coverage=1.0)
    short = weigh_coverage(full, QUERY, WEIGHTS)[0]
    assert weigh_coverage(full, replace(QUERY, words=16), WEIGHTS)[0] == pytest.approx(short / 4)
    long = replace(full, lengths=np.full(1, 20_000.0, np.float32))
    assert weigh_coverage(long, QUERY, WEIGHTS)[0] < short


def test_coverage_counts_more_where_fields_describe_the_note() -> None:
    weighed = weigh_coverage(notes(coverage=0.5, described=[0.0, 0.5, 1.0]), QUERY, WEIGHTS)
    assert np.diff(weighed).tolist() == pytest.approx([WEIGHTS.described / 2] * 2)
    long = weigh_coverage(notes(described=1.0), replace(QUERY, words=8), WEIGHTS)
    assert long.tolist() == pytest.approx([WEIGHTS.described / 2])


def test_a_note_without_a_vector_gets_the_evidence_of_similar_notes() -> None:
    others = np.array([2.0, 1.9, 0.1], np.float32)
    weighed = weigh_meaning(notes(cosine=[0.6, NAN, 0.2]), others, 2.0)
    assert weighed.tolist() == pytest.approx([1.2, 0.8, 0.4])
    assert len(set(weigh_meaning(notes(cosine=[NAN, NAN]), others[:2], 2.0).tolist())) == 1
    assert weigh_meaning(notes(cosine=-0.5), others[:1], 2.0).tolist() == [0.0]


def test_meaning_counts_more_where_no_note_has_the_words_of_the_query() -> None:
    paraphrase = replace(QUERY, words=5, first_coverage=0.4, short_coverage=0.2)
    quoted = replace(paraphrase, short_coverage=1.0)  # a short note has all of them
    found = replace(paraphrase, first_coverage=1.0)  # the first notes have most
    rise = [meaning_weight(each, WEIGHTS, 0.0) / WEIGHTS.meaning for each in (paraphrase, found)]
    assert rise[0] == pytest.approx(math.exp(WEIGHTS.rise))
    assert 1.0 < rise[1] < rise[0] / 4
    assert meaning_weight(quoted, WEIGHTS, 0.0) < meaning_weight(found, WEIGHTS, 0.0)


def test_words_settle_nothing_that_the_vault_or_a_question_says_otherwise() -> None:
    quoted = replace(QUERY, first_coverage=1.0, short_coverage=1.0)
    assert settled(quoted) > 0.8
    assert settled(replace(quoted, known=0.5)) == 0.0  # the vault lacks half of it
    assert settled(replace(quoted, content=0.8)) == 0.0  # many of its words are function words


@pytest.mark.parametrize(
    "changed",
    [
        {"vault_unreadable": 0.15},
        {"unreadable": 1.0},
        {"words": 14},
        {"dated": True},
    ],
    ids=str,
)
def test_words_lead_where_meaning_cannot_be_trusted(changed: dict[str, float]) -> None:
    weight = meaning_weight(replace(QUERY, **changed), WEIGHTS, 0.0)
    assert weight <= WEIGHTS.meaning + 1e-9


@given(st.floats(0, 1), st.floats(0, 1), st.floats(0, 1), st.floats(0, 1))
def test_the_weight_of_meaning_falls_the_better_words_do(
    first: float, short: float, more: float, name: float
) -> None:
    query = replace(QUERY, first_coverage=first, short_coverage=short)
    better = replace(query, first_coverage=max(first, more), short_coverage=max(short, more))
    assert meaning_weight(better, WEIGHTS, name) <= meaning_weight(query, WEIGHTS, name) + 1e-9
    assert meaning_weight(query, WEIGHTS, max(name, more)) <= (
        meaning_weight(query, WEIGHTS, name) + 1e-9
    )


def test_semantic_evidence_rises_when_many_passages_stand_out() -> None:
    usual = replace(FOREIGN, nearest=0.33, cosine_mean=0.04)
    topical = replace(FOREIGN, nearest=0.55, cosine_mean=0.04)
    assert standing_out(usual) < 0.5
    assert standing_out(topical) > 2.0
    base = meaning_weight(usual, WEIGHTS, 0.0)
    assert base == pytest.approx(WEIGHTS.meaning)
    assert meaning_weight(topical, WEIGHTS, 0.0) > 3 * base
    named = meaning_weight(topical, WEIGHTS, 1.0)  # a note has this name
    assert named == pytest.approx(base * (1.0 - WEIGHTS.named))
    assert standing_out(replace(topical, passages=5)) == 0.0


def test_passages_that_share_one_word_of_the_query_are_no_topic() -> None:
    """Many plugins named Sync stand out for "how sync phone", and know nothing of phones."""
    topical = replace(FOREIGN, nearest=0.55, cosine_mean=0.04)
    one_word = replace(topical, nearest_coverage=0.25)
    assert meaning_weight(one_word, WEIGHTS, 0.0) == pytest.approx(WEIGHTS.meaning)
    whole = meaning_weight(topical, WEIGHTS, 0.0)
    assert meaning_weight(replace(topical, nearest_coverage=0.5), WEIGHTS, 0.0) == whole
    assert meaning_weight(replace(one_word, words=10), WEIGHTS, 0.0) == whole


def test_semantic_evidence_falls_where_the_model_does_not_know_the_words() -> None:
    assert meaning_weight(replace(QUERY, unreadable=1.0), WEIGHTS, 0.0) == pytest.approx(
        WEIGHTS.meaning * (1.0 - WEIGHTS.unreadable)
    )
    assert meaning_weight(replace(QUERY, digits=1.0), WEIGHTS, 0.0) == 0.0


def test_one_near_passage_of_a_long_note_counts_less_than_a_note_on_the_topic() -> None:
    found = replace(notes(cosine=[0.5, 0.5]), mean_cosine=np.array([0.1, 0.5], np.float32))
    weighed = weigh_meaning(found, np.zeros(2, np.float32), 1.0, WEIGHTS.mean)
    assert weighed.tolist() == pytest.approx([0.5 - 0.4 * WEIGHTS.mean, 0.5])


def test_links_from_the_best_note_raise_a_score() -> None:
    others = np.array([1.0, 0.5, 0.5], np.float32)

    def find(ids: object) -> tuple[Links, FloatArray]:
        return (np.array([0]), np.array([1])), np.ones(3, np.float32)

    assert weigh_links(np.arange(3), others, 0.2, find).tolist() == pytest.approx([0, 0.2, 0])
    assert not weigh_links(np.arange(3), others, 0.0, find).any()
    assert not weigh_links(np.arange(0), others[:0], 0.2, find).any()


SHARE = st.floats(0, 1)
DRAWN = st.builds(
    QueryEvidence,
    known_idf=st.just(10.0),
    words=st.integers(1, 20),
    digits=SHARE,
    unreadable=SHARE,
    known=SHARE,
    content=SHARE,
    first_coverage=SHARE,
    short_coverage=SHARE,
    vault_unreadable=SHARE,
    dated=st.booleans(),
)


@given(DRAWN)
def test_a_proper_name_is_looked_for_only_where_it_lowers_the_weight_of_meaning(
    query: QueryEvidence,
) -> None:
    without = meaning_weight(query, WEIGHTS, 0.0)
    with_name = meaning_weight(replace(query, has_name=True), WEIGHTS, 0.0)
    assert with_name <= without
    if not depends_on_names(query):
        assert with_name == pytest.approx(without)


def test_a_proper_name_settles_a_query_in_part() -> None:
    question = replace(QUERY, words=6, content=0.5)
    assert settled(question) == 0.0
    assert settled(replace(question, has_name=True)) == pytest.approx(0.6)
    assert depends_on_names(question)
    for settled_by in ({"dated": True}, {"words": 14}, {"unreadable": 1.0}, {"digits": 1.0},
                       {"vault_unreadable": 0.15}):  # fmt: skip
        assert not depends_on_names(replace(question, **settled_by))
    answered = replace(QUERY, first_coverage=1.0, short_coverage=1.0)
    assert not depends_on_names(answered)


def test_the_first_three_notes_by_words_tell_what_is_covered() -> None:
    found = notes(passage=[9.0, 1.0, 8.0, 7.0, NAN], coverage=[0.9, 0.1, 0.6, 0.3, 1.0])
    assert first_coverage(found) == pytest.approx(0.6)
    assert first_coverage(notes(passage=[2.0], coverage=[0.4])) == pytest.approx(0.4)
    empty = notes(passage=np.empty(0), coverage=np.empty(0), cosine=np.empty(0),
                  whole=np.empty(0), described=np.empty(0))  # fmt: skip
    assert first_coverage(empty) == 0.0


def test_addends_are_named_and_add_up() -> None:
    parts = [np.full(2, value, np.float32) for value in (1.0, 2.0, 4.0, 8.0, 16.0)]
    addends = Addends(*parts)
    assert {name: part[0] for name, part in addends.named().items()} == {
        "words": 1.0, "meaning": 2.0, "coverage": 4.0, "names": 8.0, "links": 16.0,
    }  # fmt: skip
    assert addends.similarity.tolist() == [15.0, 15.0]
    assert addends.total.tolist() == [31.0, 31.0]
    spread = replace(addends, centrality=parts[0], activation=parts[1]).named()
    assert {name: part[0] for name, part in spread.items() if name not in addends.named()} == {
        "centrality": 1.0, "activation": 2.0,
    }  # fmt: skip


def test_activation_is_divided_among_links_and_by_degrees() -> None:
    # 0 links to 2 and 3, 1 links to 3; 3 has nine links in all.
    links = (np.array([0, 0, 1]), np.array([2, 3, 3]))
    scores = np.array([1.0, 0.5, 0.0, 0.0], np.float32)
    found = spread_activation(scores, links, np.array([0.0, 0.0, 1.0, 9.0], np.float32))
    to_2 = 1.0 / math.sqrt(2)
    to_3 = (1.0 / math.sqrt(2) + 0.25) / 3
    assert found.tolist() == pytest.approx([0.0, 0.0, 1.0, to_3 / to_2])
    assert relative(np.zeros(2)).tolist() == [0.0, 0.0]
    assert relative(np.empty(0)).tolist() == []
    assert relative(np.array([0.5, 0.25])).tolist() == [1.0, 0.5]
