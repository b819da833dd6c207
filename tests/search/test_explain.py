"""Explanations: the parts of each score, what moved, what was removed and why."""

from __future__ import annotations

import math

import pytest

from notewell.contract.search import Moved
from notewell.search.explain import Trace
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
def test_the_parts_make_the_score(library: Library, mode: str, fusion: str) -> None:
    reply = library.search("honey bees hive", mode=mode, fusion=fusion, explain=True)
    assert reply.explain is not None
    made = reply.explain.results
    assert [one.path for one in made] == [result.path for result in reply.results]
    for one, result in zip(made, reply.results, strict=True):
        score = sum(one.adds.values()) * math.prod(one.times.values())
        assert min(score, 1.0) == pytest.approx(result.score, abs=1e-4)


def test_the_words_of_a_passage_add_up_to_its_bm25(library: Library) -> None:
    reply = library.search("honey bees hive", mode="keyword", explain=True, ignore={"whole_notes"})
    assert reply.explain is not None
    for one, result in zip(reply.explain.results, reply.results, strict=True):
        assert sum(one.words.values()) == pytest.approx(result.raw.bm25, rel=1e-3)


def test_ranks_by_each_side(library: Library) -> None:
    reply = library.search("honey", explain=True)
    assert reply.explain is not None
    for place, one in enumerate(reply.explain.results, start=1):
        assert one.ranks["shown"] == place
    assert {one.ranks["keyword"] for one in reply.explain.results} >= {1, 2, 3, 4}


def test_what_was_taken_out_is_named(library: Library) -> None:
    reply = library.search("honey tag:garden", explain=True)
    assert reply.explain is not None
    (removed,) = next(stage for stage in reply.explain.stages if stage.name == "filter").removed
    assert (removed.reason, removed.count) == ("tag", 4)
    assert set(removed.paths) == set(NOTES) - {"Bees.md"}
    reply = library.search("honey", mode="keyword", explain=True, collapse=True, min_score=0.2)
    assert reply.explain is not None
    taken = {one.reason: one.paths for stage in reply.explain.stages for one in stage.removed}
    assert taken["near_duplicate"] in {("Copy.md",), ("Honey.md",)}


def test_nothing_is_explained_unasked(library: Library) -> None:
    assert library.search("honey").explain is None


def test_a_trace_tells_what_moved() -> None:
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
