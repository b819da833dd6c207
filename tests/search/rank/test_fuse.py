"""Fusion: every method keeps its formula, and missing scores count as 0."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from notewell.base.types import FusionMethod
from notewell.search.rank.candidates import Candidates, by_note
from notewell.search.rank.fixed_fusion import plan
from notewell.search.rank.ranking import FusionPlan, Ranking, Scored, fuse, rank

NAN = float("nan")


def ordered(notes: Candidates, plan: FusionPlan, min_score: float = 0.0) -> tuple[Ranking, int]:
    """Rank notes of one chunk each."""
    return rank(notes, Scored.of(notes, plan), plan, min_score=min_score)


METHODS = ("rrf", "weighted", "blend", "convex")


def candidates(*scores: tuple[float, float]) -> Candidates:
    ids = np.arange(1, len(scores) + 1, dtype=np.int64)
    both = np.array(scores, np.float32).reshape(-1, 2)
    return Candidates(ids, ids, both[:, 0], both[:, 1])


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("alpha", [None, 0.3])
@given(
    scores=st.lists(
        st.tuples(
            st.one_of(st.just(NAN), st.floats(0.01, 60)),
            st.one_of(st.just(NAN), st.floats(-1, 1)),
        ),
        min_size=1,
        max_size=30,
    )
)
def test_the_score_follows_from_both_halves_and_the_weights(
    method: FusionMethod, alpha: float | None, scores: list[tuple[float, float]]
) -> None:
    chosen = plan(method, alpha)
    found = fuse(candidates(*scores), chosen)
    for keyword, semantic, fused in zip(found.keyword, found.semantic, found.fused, strict=True):
        expected = np.nansum(
            [chosen.keyword_weight * keyword, chosen.semantic_weight * semantic]
        ) / (chosen.keyword_weight + chosen.semantic_weight)
        assert fused == pytest.approx(expected, abs=1e-6)
        assert 0.0 <= fused <= 1.0


def test_a_weight_too_small_for_a_score_is_a_weight_all_the_same() -> None:
    only_semantic = FusionPlan("auto", 0.0, 1e-320, {})
    found = fuse(candidates((9.0, 0.2), (NAN, 0.5)), only_semantic)
    assert found.fused.tolist() == pytest.approx([0.2, 0.5])


def test_reciprocal_rank_fusion() -> None:
    found = fuse(candidates((9.0, 0.2), (7.0, 0.9), (NAN, 0.5)), plan("rrf", None))
    assert found.keyword.tolist() == pytest.approx([1.0, 61 / 62, NAN], nan_ok=True)
    assert found.semantic.tolist() == pytest.approx([61 / 63, 1.0, 61 / 62])


def test_the_defaults_are_the_documented_ones() -> None:
    assert (plan("weighted", None).keyword_weight, plan("weighted", None).semantic_weight) == (
        1.0,
        0.7,
    )
    assert plan("convex", None).params["alpha"] == 0.5
    assert plan("blend", None).params["w"] == 1.2
    assert plan("rrf", None).params["k"] == 60.0


def test_the_blend_score_saturates() -> None:
    found = fuse(candidates((1.2, 0.4), (12.0, -0.3)), plan("blend", None))
    assert found.keyword.tolist() == pytest.approx([0.5, 12 / 13.2])
    assert found.semantic.tolist() == pytest.approx([0.4, 0.0])


def test_nearly_equal_cosines_get_nearly_equal_scores() -> None:
    found = fuse(candidates((NAN, 0.50), (NAN, 0.49)), plan("convex", None))
    assert found.semantic[1] > 0.9


def test_equal_scores_put_the_keyword_hit_first() -> None:
    ranking, _ = ordered(candidates((NAN, 0.5), (5.0, NAN)), plan("convex", None))
    assert ranking.note_ids(2) == [2, 1]


def test_scores_are_relative_to_the_best_and_cut() -> None:
    ranking, below = ordered(candidates((8.0, NAN), (2.0, NAN)), plan("blend", 0.0), 0.75)
    assert ranking.scores.tolist() == [1.0]
    assert below == 1


def test_a_note_has_the_best_score_of_its_chunks_in_each_half() -> None:
    chunks = Candidates(
        ids=np.array([10, 11, 12]),
        note_ids=np.array([2, 1, 2]),
        bm25=np.array([3.0, NAN, 5.0], np.float32),
        cosine=np.array([0.4, NAN, NAN], np.float32),
    )
    notes = by_note(chunks)
    assert notes.ids.tolist() == [1, 2]
    assert notes.bm25.tolist() == pytest.approx([NAN, 5.0], nan_ok=True)
    assert notes.cosine.tolist() == pytest.approx([NAN, 0.4], nan_ok=True)


def test_no_hits_give_no_results() -> None:
    ranking, below = ordered(candidates(), plan("convex", None))
    assert (len(ranking), below, ranking.top(10, 3)) == (0, 0, ())


def test_equal_notes_are_ordered_by_path_and_not_by_when_they_were_indexed() -> None:
    notes = candidates((5.0, NAN), (5.0, NAN), (7.0, NAN), (5.0, NAN))
    method = plan("blend", 0.0)
    paths = {1: "c.md", 2: "a.md", 3: "z.md", 4: "b.md"}
    ranking, _ = rank(notes, Scored.of(by_note(notes), method), method, paths=lambda _: paths)
    assert ranking.note_ids(4) == [3, 2, 4, 1]
