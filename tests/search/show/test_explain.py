"""Explanations: the parts of each score, what moved, what was removed and why."""

from __future__ import annotations

import math

import pytest

from notewell.contract.search import Moved, StageTrace
from notewell.search.trace import Trace
from tests.search.library import Library, MakeLibrary

NOTES = {
    "Bees.md": "---\ntags: [garden]\n---\n# Bees\nBees bring honey into the hive. See [[Hive]].\n",
    "Hive.md": "# Hive\nA hive has frames; honey drips.\n",
    "Honey.md": "# Honey\nHoney, honey, honey on bread.\n",
    "Cars.md": "---\ntags: [garage]\n---\n# Cars\nAn automobile with wheels.\n",
    "Copy.md": "# Honey\nHoney, honey, honey on bread.\n",
}


@pytest.fixture(scope="module")
def library(make_library: MakeLibrary) -> Library:
    return make_library(NOTES)


@pytest.mark.parametrize("mode", ["hybrid", "keyword", "semantic"])
@pytest.mark.parametrize("fusion", ["auto", "rrf", "blend"])
def test_the_parts_add_up_to_the_score(library: Library, mode: str, fusion: str) -> None:
    reply = library.search("honey bees hive", mode=mode, fusion=fusion, explain=True)
    assert reply.explain is not None
    made = reply.explain.results
    assert [result.path for result in made] == [result.path for result in reply.results]
    for one, result in zip(made, reply.results, strict=True):
        score = sum(one.adds.values()) * math.prod(one.times.values())
        assert min(score, 1.0) == pytest.approx(result.score, abs=1e-4)


def test_the_words_of_a_passage_add_up_to_its_bm25(library: Library) -> None:
    reply = library.search("honey bees hive", mode="keyword", explain=True, ignore={"whole_notes"})
    assert reply.explain is not None
    for one, result in zip(reply.explain.results, reply.results, strict=True):
        assert sum(one.words.values()) == pytest.approx(result.raw.bm25, rel=1e-3)


@pytest.mark.parametrize("mode", ["hybrid", "keyword"])
def test_the_fields_that_say_the_query_and_the_score_after_each_stage(
    make_library: MakeLibrary, mode: str
) -> None:
    library = make_library(
        {
            "Quince.md": "---\naliases: [Cydonia]\ntags: [orchard]\n---\n# Pruning\nLate winter.",
            "Shed.md": "The quince crate.",
        }
    )
    reply = library.search("quince pruning orchard cydonia", mode=mode, explain=True)
    assert reply.explain is not None
    quince, shed = reply.explain.results
    assert set(quince.fields) == {"title", "file_name", "aliases", "headings", "tags"}
    assert set(shed.fields) == {"body"}
    assert sum(quince.fields.values()) - quince.fields["file_name"] == pytest.approx(1.0, abs=1e-4)
    assert "body" not in quince.fields
    for one, result in zip(reply.explain.results, reply.results, strict=True):
        last = list(one.stages.values())[-1]
        assert last / reply.fusion.params["best"] == pytest.approx(result.score, abs=1e-4)


def test_ranks_in_both_halves_are_given(library: Library) -> None:
    reply = library.search("honey", explain=True)
    assert reply.explain is not None
    for place, one in enumerate(reply.explain.results, start=1):
        assert one.ranks["shown"] == place
    assert {result.ranks["keyword"] for result in reply.explain.results} >= {1, 2, 3, 4}


def test_removed_results_are_listed_with_the_reason(library: Library) -> None:
    reply = library.search("honey tag:garden", explain=True)
    assert reply.explain is not None
    (removed,) = next(stage for stage in reply.explain.stages if stage.name == "filter").removed
    assert (removed.reason, removed.count) == ("tag", 4)
    assert set(removed.paths) == set(NOTES) - {"Bees.md"}
    reply = library.search("honey", mode="keyword", explain=True, collapse=True, min_score=0.2)
    assert reply.explain is not None
    taken = {each.reason: each.paths for stage in reply.explain.stages for each in stage.removed}
    assert taken["near_duplicate"] in {("Copy.md",), ("Honey.md",)}


def test_there_is_no_explanation_unless_requested(library: Library) -> None:
    assert library.search("honey").explain is None


def test_a_trace_shows_how_a_stage_changed_the_order() -> None:
    trace = Trace(enabled=True)
    trace.stage("one", count_in=3, count_out=3, top=lambda: ["a", "b", "c"])
    trace.stage("none", count_in=3, count_out=3)
    trace.stage("two", count_in=3, count_out=3, top=lambda: ["b", "a", "d"])
    explain = trace.explain({})
    assert explain is not None
    assert [stage.moved for stage in explain.stages] == [
        (),
        (),
        (Moved("b", 2, 1), Moved("a", 1, 2), Moved("d", None, 3), Moved("c", 3, None)),
    ]


def stages(library: Library, query: str, **request: object) -> dict[str, StageTrace]:
    reply = library.search(query, explain=True, **request)
    assert reply.explain is not None
    found = {stage.name: stage for stage in reply.explain.stages}
    assert len(found) == len(reply.explain.stages)
    return found


def test_every_part_of_a_score_is_a_stage_of_its_own(library: Library) -> None:
    found = stages(library, "honey bees", recency=0.5, collapse=True, limit=2, weak=False)
    names = list(found)
    assert names[names.index("best passage") :] == [
        "best passage",
        "fusion",
        "names",
        "links",
        "dates",
        "least score",
        "relevance",
        "collapse",
        "limit",
        "explain",
        "snippet",
    ]
    assert found["best passage"].count_in >= found["best passage"].count_out
    assert found["limit"].count_out == 2
    fixed = stages(library, "honey tag:garden", fusion="rrf")
    assert {"filter", "fusion", "names and tags", "links and folders"} <= set(fixed)
    assert "names" not in fixed


def test_the_effect_of_a_name_match_is_shown(library: Library) -> None:
    found = stages(library, "hive", graph=0.0)
    by_passage = found["fusion"].top
    by_name = found["names"].top
    moved = {each.path: (each.before, each.after) for each in found["names"].moved}
    assert by_name[0] == "Hive.md"
    assert moved == {
        path: (by_passage.index(path) + 1, by_name.index(path) + 1)
        for path in by_name
        if by_passage.index(path) != by_name.index(path)
    }
    assert found["links"].moved == ()


def test_low_scores_weak_matches_and_the_limit_are_counted_apart(library: Library) -> None:
    (low,) = stages(library, "honey", min_score=0.9)["least score"].removed
    assert (low.reason, low.count) == ("min_score", len(low.paths))
    relevance = stages(library, "zeppelin wheels", weak=False)["relevance"]
    (weak,) = relevance.removed
    assert (weak.reason, weak.count) == ("weak", relevance.count_in - relevance.count_out)
    assert weak.paths
    (cut,) = stages(library, "honey", limit=1)["limit"].removed
    assert cut.reason == "limit"
