"""Recognising a model from the files in its folder."""

import json
import shutil
from pathlib import Path

import pytest

from notewell.base.errors import ModelDamagedError, ModelUnavailableError
from notewell.models.loading import chunk_sizes, describe_folder


@pytest.fixture
def folder(tiny_folder: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(tiny_folder, tmp_path / "model"))


def _write(path: Path, content: object) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(content))


def test_a_folder_with_only_a_config_is_supported(folder: Path) -> None:
    spec = describe_folder(folder, "mine")
    assert spec is not None
    assert (spec.name, spec.dimensions, spec.max_tokens, spec.pooling) == ("mine", 64, 256, "mean")
    assert spec.sizes.max_tokens == 256


def test_sentence_transformers_files_are_respected(folder: Path) -> None:
    _write(folder / "sentence_bert_config.json", {"max_seq_length": 128})
    _write(folder / "1_Pooling" / "config.json", {"pooling_mode_cls_token": True})
    _write(
        folder / "config_sentence_transformers.json",
        {"prompts": {"query": "ask: ", "document": "say: "}},
    )
    spec = describe_folder(folder, "mine")
    assert spec is not None
    assert (spec.max_tokens, spec.pooling) == (128, "cls")
    assert (spec.query_prefix, spec.passage_prefix) == ("ask: ", "say: ")
    assert spec.sizes == chunk_sizes(128)


@pytest.mark.parametrize(
    ("file", "content"),
    [
        ("config.json", {"model_type": "t5"}),
        ("1_Pooling/config.json", {"pooling_mode_max_tokens": True}),
        ("modules.json", [{"type": "sentence_transformers.models.Dense"}]),
    ],
)
def test_unsupported_architectures_are_left_to_sentence_transformers(
    folder: Path, file: str, content: object
) -> None:
    _write(folder / file, content)
    assert describe_folder(folder, "mine") is None


def test_unsupported_weight_formats_are_left_to_sentence_transformers(folder: Path) -> None:
    (folder / "model.safetensors").rename(folder / "pytorch_model.bin")
    assert describe_folder(folder, "mine") is None


def test_a_folder_without_a_model_is_an_error_that_lists_the_needed_files(tmp_path: Path) -> None:
    with pytest.raises(ModelUnavailableError, match=r"config\.json, tokenizer\.json, model"):
        describe_folder(tmp_path, "mine")


@pytest.mark.parametrize("file", ["modules.json", "sentence_bert_config.json"])
def test_an_unreadable_config_is_a_damaged_model(folder: Path, file: str) -> None:
    (folder / file).write_text("[1")
    with pytest.raises(ModelDamagedError, match=file):
        describe_folder(folder, "mine")


def test_chunks_stay_small_even_for_models_with_long_inputs() -> None:
    assert chunk_sizes(512).max_tokens == 256
    assert chunk_sizes(128).max_tokens == 128
