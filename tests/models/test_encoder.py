"""Weights are read from real file layouts; damaged and unsupported ones are told apart."""

import json
import math
import shutil
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from notewell.base.errors import ModelDamagedError, ModelError
from notewell.models.encoder import UNSUPPORTED, read_config, read_encoder, relative_bucket
from tests.tiny_model import write_tiny_model


@pytest.fixture
def folder(tiny_folder: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(tiny_folder, tmp_path / "model"))


def _edit_config(folder: Path, **changes: object) -> None:
    path = folder / "config.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))


def test_a_prefix_of_tensor_names_is_ignored(tmp_path: Path) -> None:
    bare = read_encoder(write_tiny_model(tmp_path / "bare"))
    prefixed = read_encoder(write_tiny_model(tmp_path / "prefixed", prefix="bert."))
    assert np.array_equal(bare.words, prefixed.words)
    assert np.array_equal(bare.layers[1].output.weight, prefixed.layers[1].output.weight)


def test_half_precision_weights_can_be_read(folder: Path) -> None:
    expected = read_encoder(folder)
    weights = folder / "model.safetensors"
    save_file({k: v.astype(np.float16) for k, v in load_file(weights).items()}, weights)
    assert np.allclose(read_encoder(folder).words, expected.words, atol=1e-2)
    assert read_encoder(folder).words.dtype == np.float32


def test_bfloat16_weights_can_be_read(folder: Path) -> None:
    expected = read_encoder(folder)
    weights = folder / "model.safetensors"
    write_bfloat16(weights, load_file(weights))
    found = read_encoder(folder)
    assert found.words.dtype == np.float32
    assert np.allclose(found.words, expected.words, rtol=2**-7, atol=0)
    assert np.allclose(found.layers[1].output.bias, expected.layers[1].output.bias, rtol=2**-7)


def write_bfloat16(path: Path, tensors: Mapping[str, np.ndarray]) -> None:
    """Write a file of numbers that numpy does not have: the upper halves of float32."""
    header: dict[str, object] = {}
    parts: list[bytes] = []
    for name, tensor in tensors.items():
        halves = (np.ascontiguousarray(tensor, np.float32).view(np.uint32) >> 16).astype("<u2")
        start = sum(map(len, parts))
        parts.append(halves.tobytes())
        header[name] = {
            "dtype": "BF16",
            "shape": list(tensor.shape),
            "data_offsets": [start, start + len(parts[-1])],
        }
    text = json.dumps(header).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text + b"".join(parts))


def test_the_token_type_of_every_token_is_in_the_positions(folder: Path) -> None:
    tensors = load_file(folder / "model.safetensors")
    expected = (
        tensors["embeddings.position_embeddings.weight"]
        + tensors["embeddings.token_type_embeddings.weight"][0]
    )
    assert np.array_equal(read_encoder(folder).positions, expected)


def test_roberta_counts_positions_after_its_padding(folder: Path) -> None:
    _edit_config(folder, model_type="xlm-roberta", pad_token_id=1)
    encoder = read_encoder(folder)
    assert encoder.config.max_positions == 254
    assert len(encoder.positions) == 254


def test_the_error_about_a_missing_tensor_names_it(folder: Path) -> None:
    weights = folder / "model.safetensors"
    tensors = load_file(weights)
    del tensors["encoder.layer.1.output.dense.bias"]
    save_file(tensors, weights)
    with pytest.raises(ModelDamagedError, match=r"encoder\.layer\.1\.output\.dense\.bias"):
        read_encoder(folder)


def test_weights_that_do_not_match_the_config_are_a_damaged_model(folder: Path) -> None:
    _edit_config(folder, hidden_size=48)
    with pytest.raises(ModelDamagedError, match="hidden_size 48"):
        read_encoder(folder)


@pytest.mark.parametrize("content", [b"", b"\x00" * 64, b"not a tensor file, but long enough"])
def test_unreadable_weights_are_a_damaged_model(folder: Path, content: bytes) -> None:
    (folder / "model.safetensors").write_bytes(content)
    with pytest.raises(ModelDamagedError, match=r"model\.safetensors"):
        read_encoder(folder)


@pytest.mark.parametrize("content", ["", "[]", "{", '{"model_type": "bert"}', "\x00"])
def test_an_invalid_config_is_a_damaged_model(folder: Path, content: str) -> None:
    (folder / "config.json").write_text(content)
    with pytest.raises(ModelDamagedError, match=r"config\.json"):
        read_config(folder)


@pytest.mark.parametrize(
    "change",
    [{"model_type": "t5"}, {"hidden_act": "relu"}, {"position_embedding_type": "relative_key"}],
)
def test_the_error_about_an_unsupported_architecture_names_the_extra(
    folder: Path, change: dict[str, str]
) -> None:
    _edit_config(folder, **change)
    with pytest.raises(ModelError, match=r"pip install") as caught:
        read_config(folder)
    assert caught.value.code == UNSUPPORTED


def test_relative_buckets_are_exact_near_and_logarithmic_far() -> None:
    def by_the_paper(distance: int) -> int:
        side = 16 if distance > 0 else 0
        far = abs(distance)
        if far < 8:
            return side + far
        return side + min(8 + int(math.log(far / 8) / math.log(128 / 8) * 8), 15)

    distances = np.arange(-511, 512)
    expected = [by_the_paper(int(distance)) for distance in distances]
    assert relative_bucket(distances, 32).tolist() == expected
