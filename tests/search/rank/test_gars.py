"""The method `gars`: similarity, centrality and activation along links."""

from __future__ import annotations

from dataclasses import replace

import pytest

from notewell.base.types import GarsRules, SearchRules
from notewell.contract.search import Reason
from tests.search.library import Library, MakeLibrary

FILLER = {f"Filler/{n}.md": f"Nothing of use here, {n} times over.\n" for n in range(4)}
NOTES = {
    "Swarms.md": "How to catch a swarm of bees. See [[Skep]] and [[Spring]].\n",
    "Skep.md": "A basket of woven straw.\n",
    "Spring.md": "Lambs, rain and mud.\n",
    "Diary.md": "Caught one at last, as [[Swarms]] has it.\n",
    "Cellar.md": "Mud after the rain, see [[Spring]].\n",
    "Straw.md": "A stack of rye.\n",
    **FILLER,
}


@pytest.fixture(scope="module")
def library(make_library: MakeLibrary) -> Library:
    return make_library(NOTES)


def by(library: Library, **rules: object) -> Library:
    """The library with other rules of `gars`."""
    found = Library(library.record.path, library.index, library.embedder)
    found.rules = SearchRules(gars=replace(GarsRules(), **rules))
    return found


@pytest.mark.parametrize("model", [True, False])
@pytest.mark.parametrize("alpha", [None, 0.3])
def test_a_client_can_compute_the_score(
    library: Library, alpha: float | None, *, model: bool
) -> None:
    reply = library.search("catch swarm", fusion="gars", alpha=alpha, model=model, recency=0.2)
    params = reply.fusion.params
    assert reply.fusion.method == "gars"
    assert reply.results[0].score == 1.0
    similarities = []
    for result in reply.results:
        scores = result.scores
        similar = sum((scores.words, scores.meaning, scores.coverage, scores.names))
        links = (
            params["centrality_weight"] * scores.centrality
            + params["activation_weight"] * scores.activation
        )
        assert scores.links == pytest.approx(links, abs=1e-5)
        times = (scores.tag or 1) * (scores.recency or 1) * (scores.graph or 1)
        assert result.score == pytest.approx((similar + links) * times / params["best"], abs=1e-4)
        similarities.append(similar)
    assert max(similarities) == pytest.approx(params["similarity_weight"], abs=1e-5)


def test_a_note_linked_by_the_first_result_is_found(library: Library) -> None:
    plain = library.paths("catch swarm", mode="hybrid", model=False)
    assert "Skep.md" not in plain
    both = by(library, direction="both")
    reply = both.search("catch swarm", fusion="gars", model=False, weak=False)
    found = {result.path: result for result in reply.results}
    assert found["Skep.md"].reasons == (Reason("links", "linked from 'Swarms'"),)
    assert found["Skep.md"].scores.activation == pytest.approx(0.5)
    assert found["Skep.md"].match == "related"
    assert found["Diary.md"].reasons[0] == Reason("links", "links to 'Swarms'")
    assert "Straw.md" not in found
    assert found["Swarms.md"].reasons == ()


def test_direction_decay_and_weights_are_settings(library: Library) -> None:
    out = by(library, decay=0.25)
    found = {result.path: result for result in out.search("catch swarm", fusion="gars").results}
    assert found["Skep.md"].scores.activation == pytest.approx(0.25)
    assert found["Diary.md"].scores.activation == 0.0
    central = by(library, centrality=5.0, similarity=0.1, activation=0.0)
    assert central.paths("catch swarm", fusion="gars")[0] == "Spring.md"


def test_notes_that_link_to_the_same_note_are_reached(library: Library) -> None:
    assert "Cellar.md" not in library.paths("catch swarm", fusion="gars", model=False)
    siblings = by(library, mode="ontology")
    reply = siblings.search("catch swarm", fusion="gars", model=False)
    found = {result.path: result for result in reply.results}
    assert found["Cellar.md"].scores.activation == pytest.approx(0.25)
    assert found["Cellar.md"].reasons == (Reason("links", "links to 'Spring' like 'Swarms'"),)


def test_topics_are_followed_though_they_are_named_without_a_link(
    make_library: MakeLibrary,
) -> None:
    library = make_library(
        {
            "Swarms.md": "---\ntopics: apiculture\n---\nHow to catch a swarm of bees.\n",
            "Wax.md": '---\ntopics: ["[Bees](/Ontology/Bees.md)"]\n---\nCandles and polish.\n',
            "Ontology/Bees.md": "---\naliases: [Apiculture]\n---\nWhat hums.\n",
            **FILLER,
        }
    )
    walk = by(library, mode="ontology", decay=0.8)
    reply = walk.search("catch swarm", fusion="gars", model=False, weak=True)
    found = {result.path: result for result in reply.results}
    assert found["Ontology/Bees.md"].reasons == (Reason("links", "a topic of 'Swarms'"),)
    assert found["Wax.md"].reasons == (Reason("links", "has the topic 'Bees' like 'Swarms'"),)
    reply = walk.search("hums", fusion="gars", model=False, weak=True)
    found = {result.path: result for result in reply.results}
    assert found["Swarms.md"].reasons == (Reason("links", "has the topic 'Bees'"),)
    assert "Wax.md" not in by(library).paths("catch swarm", fusion="gars", model=False)


def test_filters_hold_for_linked_notes_too(library: Library) -> None:
    assert "Skep.md" not in library.paths("catch swarm -path:Skep", fusion="gars")
    assert "Skep.md" not in library.paths("catch swarm -straw", fusion="gars", model=False)


def test_the_method_is_a_setting(library: Library) -> None:
    library = Library(library.record.path, library.index, library.embedder)
    library.rules = SearchRules(fusion="gars")
    assert library.search("catch swarm").fusion.method == "gars"
    assert library.search("catch swarm", fusion="auto").fusion.method == "auto"
    assert library.search("catch swarm", mode="keyword").fusion.method == "keyword"
    assert library.search("catch swarm", mode="semantic").fusion.method == "semantic"


def test_the_weight_of_words_in_blend_is_a_setting(library: Library) -> None:
    library = Library(library.record.path, library.index, library.embedder)
    library.rules = SearchRules(fusion="blend", keyword_weight=3.0)
    reply = library.search("catch swarm")
    assert reply.fusion.params["w"] == 3.0
    first = reply.results[0]
    assert first.scores.keyword == pytest.approx(first.raw.bm25 / (first.raw.bm25 + 3.0), abs=1e-4)
