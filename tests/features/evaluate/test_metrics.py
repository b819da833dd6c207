"""Worked examples were computed by hand from the definitions; the comments show the sums."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from notewell.features.evaluate.report import (
    ConfidenceInterval,
    ndcg,
    paired_bootstrap,
    recall,
    reciprocal_rank,
)

Metric = Callable[[Sequence[str], Mapping[str, int], int], float]

DOCS = [f"d{number}" for number in range(12)]
rankings = st.permutations(DOCS).flatmap(
    lambda docs: st.integers(0, len(docs)).map(lambda size: docs[:size])
)
judgement_sets = st.dictionaries(st.sampled_from([*DOCS, "unseen"]), st.integers(-1, 3), max_size=8)
cuts = st.integers(1, 15)


def test_ndcg_of_graded_judgements() -> None:
    judged = {"a": 3, "b": 2, "c": 3, "d": 0, "e": 1, "f": 2}
    ranking = ["a", "b", "c", "d", "e", "f"]
    # DCG@6 = 3 + 2/log2(3) + 3/2 + 0 + 1/log2(6) + 2/log2(7) = 6.8611; ideal 3,3,2,2,1 = 7.1410
    assert ndcg(ranking, judged, 6) == pytest.approx(0.96081, abs=1e-5)


def test_ndcg_gain_is_linear_in_the_grade() -> None:
    # 1 + 2/log2(3) over 2 + 1/log2(3); with exponential gain it would be 0.797
    assert ndcg(["x", "y"], {"x": 1, "y": 2}, 10) == pytest.approx(0.85972, abs=1e-5)


def test_ndcg_ideal_counts_relevant_documents_that_were_not_found() -> None:
    # 1/log2(3) over 1 + 1/log2(3)
    assert ndcg(["z", "x"], {"x": 1, "y": 1}, 10) == pytest.approx(0.38685, abs=1e-5)


def test_ndcg_ideal_is_cut_at_k() -> None:
    judged = dict.fromkeys(DOCS, 1)
    assert ndcg(DOCS, judged, 3) == pytest.approx(1.0)


def test_recall_and_reciprocal_rank_of_a_worked_example() -> None:
    judged = {"b": 1, "d": 2, "x": 1, "c": 0}
    ranking = ["a", "b", "c", "d"]
    assert recall(ranking, judged, 10) == pytest.approx(2 / 3)
    assert recall(ranking, judged, 2) == pytest.approx(1 / 3)
    assert reciprocal_rank(ranking, judged, 10) == pytest.approx(1 / 2)
    assert reciprocal_rank(ranking, judged, 1) == 0


def test_a_negative_grade_is_not_relevant() -> None:
    assert ndcg(["a"], {"a": -1, "b": 1}, 10) == 0
    assert recall(["a"], {"a": -1, "b": 1}, 10) == 0
    assert reciprocal_rank(["a"], {"a": -1, "b": 1}, 10) == 0


def test_a_repeated_document_counts_once() -> None:
    assert ndcg(["a", "a", "b"], {"a": 1, "b": 1}, 10) == pytest.approx(1.0)
    assert recall(["a", "a"], {"a": 1, "b": 1}, 10) == pytest.approx(0.5)


@pytest.mark.parametrize("metric", [ndcg, recall, reciprocal_rank])
def test_nothing_judged_or_nothing_found_is_zero(metric: Metric) -> None:
    assert metric(["a"], {}, 10) == 0
    assert metric([], {"a": 1}, 10) == 0


@given(rankings, judgement_sets, cuts)
def test_metrics_stay_between_zero_and_one(
    ranking: list[str], judged: dict[str, int], k: int
) -> None:
    for metric in (ndcg, recall, reciprocal_rank):
        assert 0 <= metric(ranking, judged, k) <= 1 + 1e-12


@given(rankings, judgement_sets, cuts)
def test_recall_does_not_depend_on_the_order_inside_the_cut(
    ranking: list[str], judged: dict[str, int], k: int
) -> None:
    reordered = [*reversed(ranking[:k]), *ranking[k:]]
    assert recall(reordered, judged, k) == recall(ranking, judged, k)


@given(rankings, judgement_sets, cuts)
def test_documents_below_the_cut_change_nothing(
    ranking: list[str], judged: dict[str, int], k: int
) -> None:
    for metric in (ndcg, recall, reciprocal_rank):
        assert metric(ranking[:k], judged, k) == metric(ranking, judged, k)


@given(rankings, judgement_sets, cuts)
def test_recall_never_falls_with_depth(ranking: list[str], judged: dict[str, int], k: int) -> None:
    assert recall(ranking, judged, k) <= recall(ranking, judged, k + 1)


@given(st.permutations(DOCS), judgement_sets, cuts)
def test_the_order_by_grade_is_ideal(docs: list[str], judged: dict[str, int], k: int) -> None:
    ideal = sorted({*docs, *judged}, key=lambda doc: -judged.get(doc, 0))
    best = ndcg(ideal, judged, k)
    assert best == pytest.approx(1.0 if any(grade > 0 for grade in judged.values()) else 0.0)
    assert ndcg(docs, judged, k) <= best + 1e-12


@given(rankings, judgement_sets, cuts)
def test_swapping_a_better_document_up_never_lowers_ndcg(
    ranking: list[str], judged: dict[str, int], k: int
) -> None:
    for at in range(len(ranking) - 1):
        if judged.get(ranking[at + 1], 0) > judged.get(ranking[at], 0):
            better = [*ranking[:at], ranking[at + 1], ranking[at], *ranking[at + 2 :]]
            assert ndcg(better, judged, k) >= ndcg(ranking, judged, k) - 1e-12


def test_bootstrap_of_a_constant_difference_has_no_width() -> None:
    interval = paired_bootstrap([0.5, 0.75, 1.0], [0.25, 0.5, 0.75])
    assert interval == ConfidenceInterval(
        pytest.approx(0.25), pytest.approx(0.25), pytest.approx(0.25)
    )


def test_bootstrap_agrees_with_the_normal_interval_on_many_queries() -> None:
    ours = [float(number % 2) for number in range(400)]
    theirs = [0.25] * 400
    interval = paired_bootstrap(ours, theirs)
    half_width = 1.96 * 0.5 / math.sqrt(400)
    assert interval.difference == pytest.approx(0.25)
    assert interval.low == pytest.approx(0.25 - half_width, abs=0.005)
    assert interval.high == pytest.approx(0.25 + half_width, abs=0.005)


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=30))
def test_bootstrap_is_repeatable_and_mirrors_when_systems_swap(
    pairs: list[tuple[float, float]],
) -> None:
    ours, theirs = [a for a, _ in pairs], [b for _, b in pairs]
    interval = paired_bootstrap(ours, theirs, resamples=200)
    mirrored = paired_bootstrap(theirs, ours, resamples=200)
    assert interval == paired_bootstrap(ours, theirs, resamples=200)
    assert interval.low <= interval.high
    assert mirrored.difference == pytest.approx(-interval.difference)
    assert mirrored.low == pytest.approx(-interval.high)
    assert mirrored.high == pytest.approx(-interval.low)


@pytest.mark.parametrize(("ours", "theirs"), [([], []), ([1.0], [1.0, 0.5])])
def test_bootstrap_refuses_unpaired_samples(ours: list[float], theirs: list[float]) -> None:
    with pytest.raises(ValueError, match=r"Cannot (pair|compare)"):
        paired_bootstrap(ours, theirs)
