"""The cosines of any model are mapped to those that the ranking was fitted with."""

from __future__ import annotations

import numpy as np
import pytest

from notewell.base.types import CosineScale, FloatArray, ModelKey, SearchMode, VectorHits
from notewell.models.catalogue import find
from notewell.search.rank.candidates import REFERENCE, SAME, Candidates, CosineMap
from tests.search.library import HashedWords, Library, MakeLibrary

NOTES = {
    "Oil.md": "The car wants fresh oil every year. Drain the old oil first, then fill up.",
    "Tyres.md": "Swap the tyres before the first snow. The torque wrench hangs in the shed.",
    "Insurance.md": "The insurance of the car ends in March; the doctor has a better one.",
    "Visits.md": "The doctor looked at the knee and said to rest it for two weeks.",
    "Whiskers.md": "The cat sleeps on the oven and hates the snow.",
    "Feeding.md": "Half a tin in the morning and half in the evening, never any milk.",
    "Bread.md": "Flour, water and salt rest for a night before they go into the oven.",
    "Garden.md": "Tomatoes want water in the morning. Remove the leaves below the first fruit.",
    "Trip.md": "Two nights in Lisbon, then the train along the coast to Porto.",
    "Budget.md": "The insurance and the trip take half of the money until March.",
}
# Some are answered by their words, some by a word of the same meaning (library.SYNONYMS).
JUDGED = {
    "automobile oil": "Oil.md",
    "physician knee": "Visits.md",
    "vehicle insurance": "Insurance.md",
    "feline": "Whiskers.md",
    "torque wrench": "Tyres.md",
    "tomatoes leaves": "Garden.md",
    "train to porto": "Trip.md",
    "bread flour": "Bread.md",
    "half a tin": "Feeding.md",
    "money until march": "Budget.md",
}


class Measured(HashedWords):
    """HashedWords with a known scale of cosines."""

    cosines = CosineScale(0.05, 0.4, passages=0.0476, passages_deviation=0.0834)


class Crowded(HashedWords):
    """The same model with a large part that all texts share: cosines from 0.7 on, as e5 has."""

    shared = 0.75
    key = ModelKey("crowded", "1" * 64, "fp32")
    dimensions = HashedWords.dimensions + 1
    cosines = CosineScale(
        unrelated=shared + (1.0 - shared) * Measured.cosines.unrelated,
        related=shared + (1.0 - shared) * Measured.cosines.related,
        passages=shared + (1.0 - shared) * 0.0476,
        passages_deviation=(1.0 - shared) * 0.0834,
    )

    def embed_query(self, text: str) -> FloatArray:
        own = np.sqrt(1.0 - self.shared) * HashedWords().embed_query(text)
        return np.append(own, np.sqrt(self.shared)).astype(np.float32)


@pytest.fixture(scope="module")
def libraries(make_library: MakeLibrary) -> dict[str, Library]:
    return {
        "usual": make_library(NOTES, Measured()),
        "crowded": make_library(NOTES, Crowded()),
    }


def rank_of(library: Library, query: str, mode: SearchMode = "hybrid") -> int:
    paths = library.paths(query, mode=mode, limit=len(NOTES))
    return paths.index(JUDGED[query]) + 1 if JUDGED[query] in paths else len(NOTES) + 1


def test_cosines_of_the_reference_model_stay_as_they_are() -> None:
    assert find("all-MiniLM-L6-v2").cosines == REFERENCE
    assert CosineMap.of(None) == CosineMap.of(HashedWords()) == SAME
    values = np.array([0.1, np.nan], np.float32)
    assert SAME.mapped(values) is values


def test_cosines_are_shifted_and_stretched_to_the_reference() -> None:
    measured = Crowded.cosines
    found = CosineMap.of(Crowded())
    values = np.array([measured.unrelated, measured.related, np.nan], np.float32)
    low, high, none = found.mapped(values).tolist()
    assert low == pytest.approx(REFERENCE.unrelated, abs=1e-5)
    assert high == pytest.approx(REFERENCE.related, abs=1e-5)
    assert np.isnan(none)
    hits = found.mapped_hits(VectorHits(np.arange(3), values, measured.unrelated, 0.1, 100))
    assert hits.mean == pytest.approx(REFERENCE.unrelated)
    assert hits.deviation == pytest.approx(0.1 * found.scale)
    assert hits.searched == 100
    chunks = Candidates(np.arange(3), np.arange(3), values, values)
    assert found.mapped_chunks(chunks).cosine.tolist()[:2] == pytest.approx([low, high])


@pytest.mark.parametrize("query", JUDGED)
def test_shifted_cosines_rank_the_same_notes(libraries: dict[str, Library], query: str) -> None:
    usual, crowded = (library.search(query) for library in libraries.values())
    assert [result.path for result in crowded.results] == [result.path for result in usual.results]
    assert [result.score for result in crowded.results] == pytest.approx(
        [result.score for result in usual.results], abs=1e-2
    )
    assert [result.match for result in crowded.results] == [
        result.match for result in usual.results
    ]
    assert crowded.confidence == pytest.approx(usual.confidence, abs=2e-2)


def test_the_reply_has_the_models_own_cosine_and_how_it_was_mapped(
    libraries: dict[str, Library],
) -> None:
    reply = libraries["crowded"].search("automobile oil")
    params = reply.fusion.params
    for result in reply.results:
        assert result.raw.cosine is not None
        assert result.raw.cosine > 0.7
        mapped = params["cosine_scale"] * result.raw.cosine + params["cosine_shift"]
        meaning = max(0.0, mapped) * params["semantic_weight"]
        assert result.scores.meaning == pytest.approx(meaning, abs=1e-3)
    alone = libraries["crowded"].search("automobile oil", mode="semantic").results[0]
    assert alone.score == pytest.approx(alone.raw.cosine)


def test_hybrid_search_is_no_worse_than_either_half(
    libraries: dict[str, Library],
) -> None:
    for library in libraries.values():
        words, meaning, both = (
            sum(1.0 / rank_of(library, query, mode) for query in JUDGED)
            for mode in ("keyword", "semantic", "hybrid")
        )
        assert both >= max(words, meaning)


@pytest.mark.parametrize("path", NOTES)
def test_shifted_cosines_make_the_same_notes_similar(
    libraries: dict[str, Library], path: str
) -> None:
    usual, crowded = (library.similar(path=path) for library in libraries.values())
    assert crowded.mode == "semantic"
    scores = {result.path: result.score for result in usual.results}
    assert {result.path: result.score for result in crowded.results} == pytest.approx(
        scores, abs=2e-2
    )
    matches = {result.path: result.match for result in usual.results}
    others = {result.path for result in crowded.results if result.match != matches[result.path]}
    assert len(others) <= 1  # a score may lie on a border between two words
