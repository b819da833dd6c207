"""The table of token vectors: mapped from a weights file, looked up by the embedder."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file

from notewell.base.types import KnowsTokens, ModelRules
from notewell.models.loading import load_embedder
from notewell.models.tokens import WordTable
from tests.tiny_model import write_tiny_model


@pytest.mark.parametrize("number", [np.float32, np.float16])
@pytest.mark.parametrize("prefix", ["", "bert."])
def test_rows_are_those_of_the_file_normalised(
    tmp_path: Path, prefix: str, number: type[np.floating]
) -> None:
    table = np.array([[3, 4], [0, 2], [0, 0]], number)
    name = f"{prefix}embeddings.word_embeddings.weight"
    save_file({"other": np.ones(3, number), name: table}, str(tmp_path / "model.safetensors"))
    for _ in range(2):
        words = WordTable.open(tmp_path / "model.safetensors", tmp_path / "words.npy")
        assert words is not None
        found = words.of(np.array([1, 0, 2, 1]))
        assert found == pytest.approx(np.array([[0, 1], [0.6, 0.8], [0, 0], [0, 1]]), abs=5e-3)


@pytest.fixture
def weights(tmp_path: Path) -> Path:
    chance = np.random.default_rng(3)
    table = chance.standard_normal((5000, 48), np.float32) * chance.random((5000, 1), np.float32)
    save_file({"embeddings.word_embeddings.weight": table}, str(tmp_path / "model.safetensors"))
    return tmp_path / "model.safetensors"


def test_the_compact_copy_has_the_same_directions_as_the_weights(
    weights: Path, tmp_path: Path
) -> None:
    whole = WordTable.open(weights, weights / "not a folder" / "words.npy")
    small = WordTable.open(weights, tmp_path / "words.npy")
    assert whole is not None
    assert small is not None
    ids = np.arange(5000)
    assert np.vecdot(whole.of(ids), small.of(ids)).min() > np.cos(np.radians(1))
    assert (tmp_path / "words.npy").stat().st_size < weights.stat().st_size / 3.9


@pytest.mark.parametrize("content", [b"", b"\x93NUMPY", b"half a table"])
def test_an_incomplete_copy_is_made_again(weights: Path, tmp_path: Path, content: bytes) -> None:
    copy = tmp_path / "words.npy"
    first = WordTable.open(weights, copy)
    assert first is not None
    expected = first.of(np.arange(9))
    whole = copy.read_bytes()
    for damaged in (content, whole[:-1], whole.replace(b"48", b"47")):
        copy.unlink()  # what is mapped stays
        copy.write_bytes(damaged)
        again = WordTable.open(weights, copy)
        assert again is not None
        assert np.array_equal(again.of(np.arange(9)), expected)
        assert copy.read_bytes() == whole


@pytest.mark.parametrize("content", [b"", b"\x02\0\0\0\0\0\0\0{}", b"no weights at all"])
def test_a_file_without_an_embedding_table_has_no_token_vectors(
    tmp_path: Path, content: bytes
) -> None:
    (tmp_path / "model.safetensors").write_bytes(content)
    assert WordTable.open(tmp_path / "model.safetensors", tmp_path / "words.npy") is None


def test_a_loaded_model_has_token_vectors(tmp_path: Path) -> None:
    folder = write_tiny_model(tmp_path / "tiny")
    rules = ModelRules(name="tiny", folder=str(folder))
    model = load_embedder(
        rules, model_dir=tmp_path, offline=True, fetch_missing=False, say=lambda _: None
    )
    assert isinstance(model, KnowsTokens)
    read = model.token_vectors("bread, light  bread")
    assert read is not None
    assert read.starts.tolist() == [0, 5, 7, 14]
    assert read.vectors[0] == pytest.approx(read.vectors[3])
    assert np.linalg.norm(read.vectors, axis=1) == pytest.approx(np.ones(4), abs=1e-5)
    model.close()
