"""Boosts applied to the candidates of a search."""

from __future__ import annotations

from dataclasses import replace

import pytest

from notewell.base.types import FusionMethod, SearchMode, SearchRules
from notewell.search.rank import boosts
from notewell.search.weights import EvidenceWeights
from tests.search.library import Library, MakeLibrary

HONEY = "Honey is made in the hive.\n"
NOTES = {
    "Guide.md": "How honey is made in the hive, honey honey. See [[Extractor]].\n",
    "Extractor.md": "A machine for honey.\n",
    "Centrifuge.md": "A machine for honey.\n",
    "Tagged.md": "---\ntags: [bees/honey]\n---\nA machine for wax and more.\n",
    "Named.md": "---\naliases: [Queen Rearing]\n---\nCells, and how to graft them.\n",
    "Work/Rearing a queen.md": "Rearing one needs patience, and a strong colony in May.\n",
    "Work/Copy.md": "Pollen is carried home by workers in little baskets on their legs.\n",
    "Copy too.md": "Pollen is carried home by workers in little baskets on their legs.\n",
}


@pytest.fixture
def library(make_library: MakeLibrary) -> Library:
    return make_library(NOTES)


def test_a_note_linked_by_a_good_result_comes_before_an_equal_one(library: Library) -> None:
    plain = {
        result.path: result for result in library.search("honey", mode="keyword", graph=0.0).results
    }
    assert plain["Extractor.md"].score == plain["Centrifuge.md"].score
    assert plain["Extractor.md"].scores.links == 0.0
    linked = {result.path: result for result in library.search("honey", mode="keyword").results}
    assert linked["Extractor.md"].score > linked["Centrifuge.md"].score
    assert linked["Extractor.md"].scores.links == pytest.approx(library.rules.graph_boost)
    assert linked["Centrifuge.md"].scores.links == 0.0


def test_a_note_linked_by_a_good_result_is_raised_in_every_method(library: Library) -> None:
    linked = {result.path: result for result in library.search("honey", fusion="rrf").results}
    assert linked["Extractor.md"].scores.graph == pytest.approx(1 + library.rules.graph_boost)
    assert linked["Centrifuge.md"].scores.graph == 1.0
    assert linked["Extractor.md"].scores.links is None


def test_an_alias_typed_in_full_comes_first(library: Library) -> None:
    first = library.search("queen  REARING", mode="keyword").results[0]
    assert first.path == "Named.md"
    weights = EvidenceWeights()
    assert first.scores.names == pytest.approx(weights.names + weights.exact_name)
    by_method = library.search("queen  REARING", fusion="convex").results
    assert {result.path: result.scores.tag for result in by_method}["Named.md"] == 1.5
    ignoring = library.search("queen rearing", mode="keyword", ignore=frozenset({"names"}))
    assert {result.scores.names for result in ignoring.results} == {0.0}


@pytest.mark.parametrize("fusion", ["auto", "convex", "rrf"])
@pytest.mark.parametrize("mode", ["hybrid", "keyword"])
def test_a_score_follows_from_what_the_reply_says(
    library: Library, mode: SearchMode, fusion: FusionMethod
) -> None:
    reply = library.search("honey machine", mode=mode, fusion=fusion, recency=0.3)
    assert reply.results[0].score == 1.0
    for result in reply.results:
        scores = result.scores
        base = scores.fused or 0
        if reply.fusion.method in {"auto", "keyword"}:
            parts = (scores.words, scores.meaning, scores.coverage, scores.names, scores.links)
            base = sum(part or 0 for part in parts)
        score = base * (scores.tag or 1) * (scores.graph or 1) * (scores.recency or 1)
        assert result.score == pytest.approx(score / reply.fusion.params["best"], abs=1e-4)


def test_recency_is_applied_on_request_and_not_when_the_query_has_dates(library: Library) -> None:
    assert library.search("honey").results[0].scores.recency is None
    assert library.search("honey", recency=0.5).results[0].scores.recency > 1.0
    dated = library.search("honey modified:>2001", recency=0.5)
    assert dated.results[0].scores.recency is None
    ignored = library.search("honey", recency=0.5, ignore=frozenset({"recency"}))
    assert ignored.results[0].scores.recency is None


def test_folder_weights_multiply_the_score(library: Library) -> None:
    before = {
        result.path: result for result in library.search("queen rearing", mode="keyword").results
    }
    library.rules = SearchRules(folder_weights={"Work": 0.5})
    after = {
        result.path: result for result in library.search("queen rearing", mode="keyword").results
    }
    place = "Work/Rearing a queen.md"
    assert after[place].score == pytest.approx(before[place].score / 2, rel=1e-4)
    assert after["Named.md"].score == before["Named.md"].score == 1.0
    ignoring = library.search("queen rearing", mode="keyword", ignore=frozenset({"folders"}))
    assert {result.path: result.score for result in ignoring.results} == {
        path: one.score for path, one in before.items()
    }


def test_near_duplicates_are_left_out_where_asked(library: Library) -> None:
    assert len(library.paths("pollen baskets", mode="keyword")) == 2
    reply = library.search("pollen baskets", mode="keyword", collapse=True, explain=True)
    assert len(reply.results) == reply.total == 1
    assert reply.filtered == {"near_duplicate": 1}
    assert "collapse" in [stage.name for stage in reply.explain.stages]


def test_boosts_do_not_apply_in_semantic_mode(library: Library) -> None:
    result = library.search("honey", mode="semantic", recency=0.5).results[0]
    assert result.score == pytest.approx(result.raw.cosine, abs=1e-5)
    assert result.scores.graph is None


def test_the_minimum_score_of_the_settings_is_applied(library: Library) -> None:
    library.rules = replace(library.rules, min_score=0.99)
    reply = library.search("honey machine", mode="keyword")
    assert len(reply.results) == 1
    assert reply.filtered["min_score"] > 0


def test_a_boost_that_fails_is_skipped_and_named(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(boosts, "by_links", fail)
    reply = library.search("honey", fusion="convex")
    assert reply.results[0].scores.graph is None
    assert reply.results[0].scores.tag is not None
    assert [warning for warning in reply.warnings if "without links" in warning]
