"""The default model itself, where its weights are available."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from notewell.base.types import Embedder, ModelRules, Quantisation
from notewell.models.fetch import ModelFiles
from notewell.models.loading import load_embedder

pytestmark = pytest.mark.model

PASSAGES = [
    "Sourdough rises best near 26 degrees; feed the starter the evening before.",
    "To undo the last commit but keep its changes, use git reset --soft HEAD~1.",
    "The sun's light needs a little over eight minutes to reach the earth.",
    "My grandmother grew up in a village near Salamanca and moved north in 1951.",
]
QUESTIONS = [
    "how do I bake bread",
    "revert a commit",
    "how long does sunlight take to get here",
    "family history in Spain",
]


@pytest.fixture(scope="module")
def embedders(minilm: ModelFiles, model_dir: Path) -> Iterator[dict[Quantisation, Embedder]]:
    loaded: dict[Quantisation, Embedder] = {}
    for quantisation in ("int8", "fp32"):
        rules = ModelRules(quantisation=quantisation, folder=str(minilm.folder))
        loaded[quantisation] = load_embedder(
            rules, model_dir=model_dir, offline=True, fetch_missing=False, say=print
        )
    yield loaded
    for embedder in loaded.values():
        embedder.close()


@pytest.mark.parametrize("quantisation", ["int8", "fp32"])
def test_questions_find_their_answers(
    embedders: dict[Quantisation, Embedder], quantisation: Quantisation
) -> None:
    embedder = embedders[quantisation]
    passages = embedder.embed_passages(PASSAGES)
    questions = np.stack([embedder.embed_query(question) for question in QUESTIONS])
    assert (questions @ passages.T).argmax(axis=1).tolist() == [0, 1, 2, 3]


def test_int8_agrees_with_fp32(embedders: dict[Quantisation, Embedder]) -> None:
    texts = [*PASSAGES, *QUESTIONS, " ".join(PASSAGES * 8)]
    int8, fp32 = (embedders[quantisation].embed_passages(texts) for quantisation in embedders)
    assert (int8 * fp32).sum(axis=1).mean() >= 0.98


def test_known_cosine_of_a_known_pair(embedders: dict[Quantisation, Embedder]) -> None:
    vectors = embedders["fp32"].embed_passages(["A man is eating food.", "A man is eating bread."])
    assert vectors[0] @ vectors[1] == pytest.approx(0.7442, abs=1e-3)


def test_text_beyond_256_tokens_is_ignored(
    embedders: dict[Quantisation, Embedder],
) -> None:
    text = "water " * 254
    vectors = embedders["int8"].embed_passages([text, text + "fire " * 50])
    assert np.array_equal(vectors[0], vectors[1])


def test_token_counts_are_those_of_the_model(embedders: dict[Quantisation, Embedder]) -> None:
    assert embedders["int8"].count_tokens("Zettelkasten isn't 笔记 v1.2") == 13
