"""Reranking and near-duplicates in a search: only if enabled, skipped if unavailable."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from notewell.base.errors import ModelUnavailableError
from notewell.base.types import FloatArray, Reranker
from notewell.contract.search import SearchReply
from notewell.search import run
from tests.search.library import Library, MakeLibrary

NOTES = {f"{n}.md": f"Bees and passage {'bees ' * (6 - n)} number {n}.\n" for n in range(6)}


class LikesTheLast:
    """A reranker that scores passages by the number they end in."""

    name = "likes-the-last"

    def judge(self, query: str, passages: Sequence[str], *, budget_s: float) -> FloatArray:
        assert query == "bees"
        assert budget_s > 0
        return np.array([int(text.rstrip(". \n")[-1]) / 10 for text in passages], np.float32)

    def close(self) -> None:
        return


@pytest.fixture(scope="module")
def library(make_library: MakeLibrary) -> Library:
    return make_library(NOTES)


def search(library: Library, *, rerank: bool | None = None, here: bool = True) -> SearchReply:
    def find() -> Reranker:
        if not here:
            raise ModelUnavailableError("long", brief="run models get")
        return LikesTheLast()

    context = library.context(
        "bees", mode="keyword", weak=False, rerank=rerank, limit=4, explain=True
    )
    return run.search(replace(context, find_reranker=find))


def test_the_reranker_runs_only_when_requested(library: Library) -> None:
    reply = search(library)
    assert all(result.scores.rerank is None for result in reply.results)
    assert "reranker" not in reply.fusion.params


def test_the_reranker_can_raise_a_result_from_below_the_limit(library: Library) -> None:
    before = [result.path for result in search(library).results]
    reply = search(library, rerank=True)
    after = [result.path for result in reply.results]
    assert after != before
    assert after.index("5.md") < 4
    assert "5.md" not in before
    scores = [result.score for result in reply.results]
    assert scores == sorted(scores, reverse=True)
    assert all(result.scores.rerank is not None for result in reply.results)
    assert reply.fusion.params["reranker"] == "likes-the-last"
    assert reply.explain is not None
    assert "rerank" in [stage.name for stage in reply.explain.stages]


def test_a_missing_reranker_gives_a_warning(library: Library) -> None:
    reply = search(library, rerank=True, here=False)
    assert [result.path for result in reply.results] == [
        result.path for result in search(library).results
    ]
    assert reply.warnings == ("Results are not reranked: run models get",)
