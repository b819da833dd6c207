"""Searches of a real vault: results, their order, and the reply."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from notewell.base.errors import ModelError, QueryTooLongError
from notewell.base.types import (
    Embedder,
    FloatArray,
    FusionMethod,
    ModelRules,
    SearchMode,
    TokenVectors,
)
from notewell.models.pool import EmbedderPool
from notewell.search import run
from tests.search.library import HashedWords, Library, MakeLibrary

NOTES = {
    "Cars/Engine oil.md": """---
tags: [garage/care]
type: guide
rating: 4
created: 2026-01-10
---
# Changing the oil
The car wants fresh oil every year. Drain the old oil first.

## Disposal
Old oil goes to the recycling yard, never into the drain.
""",
    "Cars/Tyres.md": """---
tags: [garage]
type: [guide, list]
rating: 2
status: done
created: 2025-06-01
---
# Winter tyres
Swap the tyres of the car before the first snow. The **torque wrench** hangs in the shed.
""",
    "Health/Doctor visits.md": """---
type: log
created: 2026-02-03
---
# Visits
The doctor recommends a yearly blood test. Bring the insurance card.
""",
    "Cats.md": "# Cats\nA cat sleeps sixteen hours. The cat food is in the pantry, oil free.\n",
    "Chinese.md": "# 笔记\n向量检索与关键词检索可以融合。\n",
    "Empty.md": "---\ntype: stub\n---\n",
    "Clippings/Dune.md": (
        "---\naliases: [Arrakis]\nauthor: ['[[People/Frank Herbert|Frank Herbert]]']\nyear: 1965\n"
        "series: true\n---\n"
    ),
}


@pytest.fixture(scope="module")
def library(make_library: MakeLibrary) -> Library:
    return make_library(NOTES)


def test_hybrid_search_finds_by_keywords_and_by_embeddings(library: Library) -> None:
    reply = library.search("car oil")
    assert reply.results[0].path == "Cars/Engine oil.md"
    assert reply.results[0].score == 1.0
    assert reply.mode == "hybrid"
    assert reply.fusion.method == "auto"
    assert reply.total == len(reply.results)
    assert reply.took_ms > 0


def test_semantic_search_finds_notes_without_a_word_of_the_query(library: Library) -> None:
    assert library.paths("physician", mode="keyword") == []
    assert library.paths("physician", mode="semantic")[0] == "Health/Doctor visits.md"
    assert library.paths("physician")[0] == "Health/Doctor visits.md"


def test_semantic_scores_are_cosines(library: Library) -> None:
    for result in library.search("feline food", mode="semantic").results:
        assert result.score == pytest.approx(max(0.0, result.raw.cosine), abs=1e-5)
        assert result.raw.bm25 is None
        assert result.scores.keyword is None


@pytest.mark.parametrize("fusion", ["rrf", "weighted", "blend", "convex"])
@pytest.mark.parametrize("alpha", [None, 0.2])
def test_a_client_can_make_a_fused_score_again(
    library: Library, fusion: FusionMethod, alpha: float | None
) -> None:
    reply = library.search("the car needs oil", fusion=fusion, alpha=alpha)
    params = reply.fusion.params
    assert reply.fusion.method == fusion
    for result in reply.results:
        fused = (
            params["keyword_weight"] * (result.scores.keyword or 0)
            + params["semantic_weight"] * (result.scores.semantic or 0)
        ) / (params["keyword_weight"] + params["semantic_weight"])
        assert result.scores.fused == pytest.approx(fused, abs=1e-5)
        assert result.score == pytest.approx(fused / params["best"], abs=1e-5)
    scores = [result.score for result in reply.results]
    assert scores == sorted(scores, reverse=True)


@pytest.mark.parametrize("alpha", [None, 0.0, 0.2, 1.0])
@pytest.mark.parametrize("mode", ["hybrid", "keyword"])
def test_a_client_can_make_a_sum_again(
    library: Library, mode: SearchMode, alpha: float | None
) -> None:
    reply = library.search("the car needs oil", mode=mode, alpha=alpha)
    params = reply.fusion.params
    assert reply.fusion.method == {"hybrid": "auto", "keyword": "keyword"}[mode]
    for result in reply.results:
        scores = result.scores
        parts = [scores.words, scores.meaning, scores.coverage, scores.names, scores.links]
        assert None not in parts
        assert result.score == pytest.approx(sum(parts) / params["best"], abs=1e-4)
        if result.raw.bm25 is not None:
            words = result.raw.bm25 * params["keyword_weight"]
            assert scores.words == pytest.approx(words, rel=1e-3)
        if result.raw.cosine is not None:
            assert result.raw.mean_cosine is not None
            mixed = (1 - params["mean_share"]) * result.raw.cosine
            mixed += params["mean_share"] * result.raw.mean_cosine
            meaning = max(0.0, mixed) * params["semantic_weight"]
            assert scores.meaning == pytest.approx(meaning, rel=1e-3, abs=1e-5)


def test_a_result_has_title_text_tags_and_dates(library: Library) -> None:
    result = library.search("drain the old oil").results[0]
    assert result.title == "Engine oil"
    assert result.heading == "Changing the oil"
    assert NOTES[result.path].splitlines()[result.line - 1].startswith("The car wants fresh oil")
    assert [result.snippet[start:end] for start, end in result.highlights][-1] == "oil"
    assert result.tags == ("garage/care",)
    assert result.properties["rating"] == 4
    assert datetime.fromisoformat(result.created).date().isoformat() in {
        "2026-01-09",
        "2026-01-10",
    }
    assert datetime.fromisoformat(result.modified).tzinfo is not None


def test_the_link_opens_the_note_in_the_folder_that_obsidian_knows(library: Library) -> None:
    uri = urlsplit(library.search("winter tyres").results[0].uri)
    assert (uri.scheme, uri.netloc) == ("obsidian", "open")
    assert parse_qs(uri.query) == {"vault": ["My Notes"], "file": ["Cars/Tyres"]}
    assert " " not in uri.query


def test_further_passages_of_a_note_follow_its_best_one(library: Library) -> None:
    result = library.search("old oil recycling drain").results[0]
    assert {result.heading, *(part.heading for part in result.passages)} >= {
        "Changing the oil > Disposal"
    }
    assert all(part.score <= result.score for part in result.passages)


@pytest.mark.parametrize("mode", ["hybrid", "keyword", "semantic"])
@pytest.mark.parametrize(
    ("query", "paths"),
    [
        ('car "fresh oil"', {"Cars/Engine oil.md"}),
        ('"torque wrench"', {"Cars/Tyres.md"}),
        ('"wrench torque"', set()),
        ('"old oil first"', {"Cars/Engine oil.md"}),
        ('"关键词检索"', {"Chinese.md"}),
        ("oil -sleeps path:cats", set()),
        ("oil -cat path:ca", {"Cars/Engine oil.md", "Cars/Tyres.md"}),
        ('oil -"old oil" -sleeps path:car', {"Cars/Tyres.md"}),
        ("car oil tag:garage", {"Cars/Engine oil.md", "Cars/Tyres.md"}),
        ("car oil tag:garage/care", {"Cars/Engine oil.md"}),
        ("car oil -tag:garage path:car", set()),
        ("car path:cars/t", {"Cars/Tyres.md"}),
        ("car file:oil", {"Cars/Engine oil.md"}),
        ("car path:cars type:list", {"Cars/Tyres.md"}),
        ("car type:GUIDE", {"Cars/Engine oil.md", "Cars/Tyres.md"}),
        ("car status:done", {"Cars/Tyres.md"}),
        ("car [rating:>3]", {"Cars/Engine oil.md"}),
        ("car [rating] -[rating:4]", {"Cars/Tyres.md"}),
        ("oil created:2026-01..2026-02 tag:garage", {"Cars/Engine oil.md"}),
        ("car created:2024..2025", {"Cars/Tyres.md"}),
        ('car (status:done OR "fresh oil")', {"Cars/Tyres.md", "Cars/Engine oil.md"}),
    ],
)
def test_filters_exclude_notes_in_every_mode(
    library: Library, mode: SearchMode, query: str, paths: set[str]
) -> None:
    found = set(library.paths(query, mode=mode))
    assert found <= paths
    if mode != "keyword":
        assert found == paths


def test_the_reply_counts_what_was_left_out(library: Library) -> None:
    reply = library.search('car tag:garage -"winter tyres"')
    assert reply.filtered == {"tag": len(NOTES) - 2, "excluded": 1}
    assert reply.total == 1


def test_filters_alone_list_matching_notes_newest_first(library: Library) -> None:
    reply = library.search("tag:garage OR type:stub")
    assert [result.path for result in reply.results] == [
        "Empty.md",
        "Cars/Tyres.md",
        "Cars/Engine oil.md",
    ]
    assert reply.total == 3
    assert {result.score for result in reply.results} == {1.0}
    assert reply.results[1].scores.fused is None


def test_a_filter_still_fills_the_list_up_to_the_limit(make_library: MakeLibrary) -> None:
    notes = {f"many/{n}.md": f"# Note {n}\nbanana bread recipe number {n}\n" for n in range(60)}
    notes["rare/one.md"] = "# One\nbanana and nothing else, far down any list\n"
    library = make_library(notes)
    for mode in ("hybrid", "keyword", "semantic"):
        assert library.paths("banana bread recipe path:rare", mode=mode, limit=1) == ["rare/one.md"]


def test_min_score_cuts_on_the_score(library: Library) -> None:
    everything = library.search("car oil")
    cut = library.search("car oil", min_score=0.6)
    assert [result.path for result in cut.results] == [
        result.path for result in everything.results if result.score >= 0.6
    ]
    assert cut.filtered["min_score"] == everything.total - cut.total > 0


@pytest.mark.parametrize("query", ["", "   ", "-", "()"])
def test_an_empty_query_has_an_empty_reply(library: Library, query: str) -> None:
    reply = library.search(query)
    assert (reply.results, reply.total) == ((), 0)


def test_a_query_that_is_too_long_is_refused(library: Library) -> None:
    with pytest.raises(QueryTooLongError) as raised:
        library.search("x" * 5000)
    assert raised.value.code == "query_too_long"


def test_without_a_model_keyword_search_answers_with_a_warning(library: Library) -> None:
    reply = library.search("car oil", model=False)
    assert reply.results[0].path == "Cars/Engine oil.md"
    assert reply.mode == "hybrid"
    assert any("models get" in warning for warning in reply.warnings)
    alone = library.search("car oil", model=False, mode="semantic")
    assert alone.results == ()
    assert any("unavailable" in warning for warning in alone.warnings)
    assert library.search("car oil", model=False, mode="keyword").warnings == ()


class Broken(HashedWords):
    """An embedder whose runtime fails."""

    def embed_query(self, text: str) -> FloatArray:
        raise ModelError("the model ran out of memory")


def test_a_failing_model_leaves_keyword_results(library: Library) -> None:
    context = library.context("car oil", weak=False)
    reply = run.search(replace(context, embedder=Broken()))
    assert reply.results[0].path == "Cars/Engine oil.md"
    assert any("out of memory" in warning for warning in reply.warnings)


def test_unknown_syntax_is_searched_as_text(library: Library) -> None:
    reply = library.search('colour:car "oil')
    assert reply.results
    assert len(reply.warnings) == 2


def test_explain_names_every_stage_once(library: Library) -> None:
    explain = library.search("oil tag:garage", explain=True).explain
    names = [stage.name for stage in explain.stages]
    assert len(names) == len(set(names))
    assert names[:2] == ["parse", "filter"]
    filtered = explain.stages[1]
    assert (filtered.count_in, filtered.count_out) == (len(NOTES), 2)
    assert [(part.reason, part.count) for part in filtered.removed] == [("tag", len(NOTES) - 2)]
    fused = next(stage for stage in explain.stages if stage.name == "fusion")
    assert set(fused.top) == {"Cars/Engine oil.md", "Cars/Tyres.md"}
    assert json.loads(json.dumps(dict(explain.query)))["condition"] == "tag:garage"
    assert library.search("oil").explain is None


@pytest.mark.parametrize(
    "query",
    ["dune", "arrakis", "clippings", "herbert", "1965", '"Frank Herbert"', "[author] dune"],
)
def test_a_note_of_properties_alone_is_found(library: Library, query: str) -> None:
    assert "Clippings/Dune.md" in library.paths(query)
    best = library.search(query, mode="keyword").results[0]
    assert (best.path, best.line, best.heading) == ("Clippings/Dune.md", 1, None)
    assert best.snippet == "author: Frank Herbert · year: 1965"


def test_a_note_of_properties_alone_shows_what_was_found_in_it(library: Library) -> None:
    best = library.search("herbert").results[0]
    assert [best.snippet[start:end] for start, end in best.highlights] == ["Herbert"]
    listed = library.search("[series]").results
    assert [result.snippet for result in listed] == [best.snippet]
    assert not any("wait" in warning for warning in library.search("herbert").warnings)


def test_a_note_of_properties_alone_is_found_by_meaning(make_library: MakeLibrary) -> None:
    notes = {
        "Beetle.md": "---\nkind: vehicle\nmaker: Volkswagen\n---\n",
        "Golf.md": "---\nkind: sport\n---\n",
        "Empty.md": "",
    }
    library = make_library(notes)
    assert library.paths("automobile", mode="semantic")[0] == "Beetle.md"
    assert library.index.chunk_count == library.index.vectors.count == 2
    assert library.paths("maker", mode="keyword") == []  # the name of a property


def test_chinese_text_is_found_by_keywords(library: Library) -> None:
    result = library.search("关键词检索", mode="keyword").results[0]
    assert result.path == "Chinese.md"
    assert "检索" in "".join(result.snippet[start:end] for start, end in result.highlights)


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    st.lists(
        st.sampled_from(
            [*'"()[]-:#\\', " ", "OR", "oil", "tag:", "created:", "[rating:>", "3]", "汉"]
        )
        | st.text(max_size=5),
        max_size=25,
    ).map("".join),
    st.sampled_from(["hybrid", "keyword", "semantic"]),
)
@example('"c++ c#" -"🎉🎉" OR -(汉 "\u0301")', "hybrid")
def test_no_query_raises_an_unexpected_error(
    library: Library, query: str, mode: SearchMode
) -> None:
    reply = library.search(query, mode=mode, explain=True)
    assert reply.total >= len(reply.results)
    assert all(0.0 <= result.score <= 1.0 for result in reply.results)


class Watched(HashedWords):
    """Counts the texts that are embedded as queries."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def embed_query(self, text: str) -> FloatArray:
        self.asked.append(text)
        return super().embed_query(text)


class OnThisComputer(Watched):
    """A model that embeds a word at no cost but time."""

    def token_vectors(self, _text: str) -> TokenVectors:
        return TokenVectors(np.array([0]), np.ones((1, 1), np.float32))


def shared(model: Embedder, folder: Path) -> Embedder:
    """A model as an engine holds it."""
    pool = EmbedderPool(lambda *_, **__: model)
    return pool.load(
        ModelRules(), model_dir=folder, offline=True, fetch_missing=False, say=lambda _: None
    )


def test_words_are_embedded_alone_by_a_model_of_this_computer(
    make_library: MakeLibrary, tmp_path: Path
) -> None:
    notes = {
        f"{n}.md": f"The notes of this {'desk' if n % 40 else 'vault'} are kept in the folder {n}.\n"
        for n in range(400)
    }
    query = "vault robbery"
    model, service = OnThisComputer(), Watched()
    reply = make_library(notes, shared(model, tmp_path)).search(query, weak=False)
    assert reply.results == ()  # near, but by "vault" alone
    assert model.asked[-2:] == ["vault", "robbery"]
    make_library(notes, shared(service, tmp_path)).search(query, weak=False)
    assert service.asked[-1] == query
