"""What a model's cosines mean: known, or measured once."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import resources
from pathlib import Path

import numpy as np
import pytest

import notewell.models
from notewell.base.types import (
    ChunkSizes,
    CosineScale,
    Embedder,
    FloatArray,
    KnowsCosines,
    ModelKey,
    ModelRules,
    Quantisation,
)
from notewell.models.catalogue import find
from notewell.models.fetch import ModelFiles
from notewell.models.loading import load_embedder, measure, scale_of
from notewell.models.pool import EmbedderPool


class Judge:
    """Gives a text of the calibration the direction of its line, as far as `sharp` says.

    All texts have the rest of their vectors in common. `queries` counts the embedded ones.
    """

    key = ModelKey("judge", "0" * 64, "fp32")
    sizes = ChunkSizes()

    def __init__(self, sharp: float) -> None:
        self.sharp = sharp
        self.queries = 0
        texts = resources.files(notewell.models).joinpath("calibration.tsv").read_text("utf-8")
        self.lines = texts.splitlines()
        self.dimensions = len(self.lines) + 1

    def count_tokens(self, text: str) -> int:
        return len(text)

    def embed_passages(self, texts: Sequence[str]) -> FloatArray:
        vectors = np.zeros((len(texts), self.dimensions), np.float32)
        for vector, text in zip(vectors, texts, strict=True):
            (line,) = (at for at, line in enumerate(self.lines) if text in line.split("\t"))
            vector[line] = np.sqrt(self.sharp)
            vector[-1] = np.sqrt(1.0 - self.sharp)
        return vectors

    def embed_query(self, text: str) -> FloatArray:
        self.queries += 1
        return self.embed_passages([text])[0]

    def close(self) -> None:
        return


def cosines_of(embedder: Embedder) -> CosineScale | None:
    model: object = embedder
    assert isinstance(model, KnowsCosines)
    return model.cosines


def test_an_unknown_model_is_measured_once(tmp_path: Path) -> None:
    model = Judge(0.25)
    first = scale_of(model, None, tmp_path)
    assert first == CosineScale(0.75, 1.0, passages=0.75, passages_deviation=0.0)
    asked = model.queries
    assert asked == len(model.lines)
    assert scale_of(model, None, tmp_path) == first
    assert model.queries == asked
    (file,) = (tmp_path / "cosines").iterdir()
    file.write_text("damaged")
    assert scale_of(model, None, tmp_path) == first
    assert model.queries == 2 * asked


@pytest.mark.filterwarnings("ignore:invalid value")
@pytest.mark.parametrize("sharp", [0.0, float("nan")])
def test_a_model_that_distinguishes_nothing_works_without(sharp: float, tmp_path: Path) -> None:
    assert scale_of(Judge(sharp), None, tmp_path) is None
    assert list(tmp_path.iterdir()) == []


def test_the_catalogue_is_only_believed_of_its_own_weights(tmp_path: Path) -> None:
    spec = find("all-MiniLM-L6-v2")
    assert scale_of(Judge(0.25), spec, tmp_path) != spec.cosines


def test_a_model_of_random_weights_is_not_believed(tiny_folder: Path, tmp_path: Path) -> None:
    embedder = EmbedderPool().load(
        ModelRules(name="tiny", folder=str(tiny_folder)),
        model_dir=tmp_path,
        offline=True,
        fetch_missing=False,
        say=print,
    )
    assert cosines_of(embedder) is None
    embedder.close()


@pytest.mark.model
@pytest.mark.parametrize("quantisation", ["int8", "fp32"])
def test_the_catalogue_has_what_is_measured(
    minilm: ModelFiles, model_dir: Path, quantisation: Quantisation
) -> None:
    embedder = load_embedder(
        ModelRules(quantisation=quantisation, folder=str(minilm.folder)),
        model_dir=model_dir,
        offline=True,
        fetch_missing=False,
        say=print,
    )
    measured, known = measure(embedder), cosines_of(embedder)
    embedder.close()
    assert measured is not None
    assert known == find("all-MiniLM-L6-v2").cosines
    assert known is not None
    assert measured.unrelated == pytest.approx(known.unrelated, abs=0.003)
    assert measured.related == pytest.approx(known.related, abs=0.004)
