"""Reads the weights of an encoder into the same records for each supported architecture.

BERT, XLM-RoBERTa/RoBERTa and MPNet are the same post-norm transformer with different names for
the tensors, different first positions and, in MPNet, a bias by relative position (Song et al.,
"MPNet: Masked and Permuted Pre-training", 2020; the buckets are those of T5).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from safetensors import SafetensorError, safe_open

from notewell.base.errors import ModelDamagedError, ModelError
from notewell.base.types import FloatArray, IdArray
from notewell.base.types.frozen import frozen
from notewell.models.catalogue import CONFIG_FILE, WEIGHTS_FILE
from notewell.models.tensor_file import read_tensor

BLOCK = 32


@dataclass(frozen=True, slots=True, eq=False)
class PackedRows:
    """A matrix in blocks; `rows[ids]` unpacks some of its rows, float32.

    `scales` is (rows, blocks) float16; `nibbles` is (rows, blocks, 16) uint8.
    """

    scales: npt.NDArray[np.float16]
    nibbles: npt.NDArray[np.uint8]

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.scales), self.scales.shape[1] * BLOCK

    def __len__(self) -> int:
        return len(self.scales)

    def __getitem__(self, ids: IdArray | slice) -> FloatArray:
        """The rows with these numbers, of shape (count, columns)."""
        packed = self.nibbles[ids]
        numbers = np.concatenate([packed & 15, packed >> 4], axis=-1).astype(np.float32) - 8
        unpacked = numbers * self.scales[ids].astype(np.float32)[..., np.newaxis]
        return np.asarray(unpacked.reshape(len(packed), self.shape[1]))


# The inputs and the output of the graph that is built from an encoder, and the version of its
# builder. The version is part of the cached graph's name: increase it whenever the same weights
# give another graph.
GRAPH_INPUT = "input_ids"
GRAPH_OUTPUT = "embedding"
GRAPH_SEGMENTS = "segments"  # of a cross-encoder: 0 for tokens of the first text, 1 of the second
GRAPH_VERSION = 3

_EXACT_GELU = "gelu"
_POSITIONS_AFTER_PADDING = frozenset({"mpnet", "roberta", "xlm-roberta"})
_SUPPORTED = frozenset({"bert"}) | _POSITIONS_AFTER_PADDING
UNSUPPORTED = "model_unsupported"  # the code of the error for an unsupported architecture


@frozen
class EncoderConfig:
    """The part of a model's config.json that its graph depends on."""

    model_type: str
    hidden_size: int
    heads: int
    layers: int
    norm_epsilon: float
    max_positions: int  # the most tokens of a text, special ones included
    first_position: int  # the row of the position table for the first token
    relative_buckets: int  # 0: no bias by relative position


@frozen
class Linear:
    """`x @ weight + bias`; `weight` has shape (inputs, outputs)."""

    weight: FloatArray
    bias: FloatArray


@frozen
class Norm:
    """Scale and shift of a layer normalisation, both of shape (hidden,)."""

    scale: FloatArray
    shift: FloatArray


@frozen
class Layer:
    """One transformer layer."""

    query: Linear
    key: Linear
    value: Linear
    attention_output: Linear
    attention_norm: Norm
    intermediate: Linear
    output: Linear
    output_norm: Norm


@frozen
class ScoreHead:
    """The layers of a cross-encoder that turn its first token into one score.

    `second_segment` (hidden,) is added to each token of the second text of a pair.
    """

    second_segment: FloatArray
    pooler: Linear
    classifier: Linear


@frozen
class Encoder:
    """All weights of an encoder, float32, except for a vocabulary that is packed.

    `words` is (vocabulary, hidden); `positions` is (max_positions, hidden) with the row of the
    first token type, which every token has, already added; `distance_bias` is
    (2 * max_positions - 1, heads), row d + max_positions - 1 being the bias for a key d places
    after its query, or None.
    """

    config: EncoderConfig
    words: FloatArray | PackedRows
    positions: FloatArray
    embedding_norm: Norm
    layers: Sequence[Layer]
    distance_bias: FloatArray | None
    score_head: ScoreHead | None = None


def read_config(folder: Path) -> EncoderConfig:
    """Read config.json.

    Raises ModelDamagedError if the file is not valid, ModelError if the architecture is not
    supported.
    """
    raw = read_json(folder / CONFIG_FILE)
    model_type = str(raw.get("model_type", "bert"))
    activation = raw.get("hidden_act", _EXACT_GELU)
    positions = raw.get("position_embedding_type") or "absolute"
    if model_type not in _SUPPORTED or activation != _EXACT_GELU or positions != "absolute":
        raise ModelError(
            f"The model in {folder} is a {model_type!r} with activation {activation!r}, which the"
            " built-in runtime does not support. Use it by PyTorch:"
            " run pip install 'notewell-eval[torch]'.",
            code=UNSUPPORTED,
        )
    try:
        return _config(raw, model_type)
    except (KeyError, TypeError, ValueError) as error:
        raise ModelDamagedError(
            f"{folder / CONFIG_FILE} has no valid value for {error}. Fetch the model again."
        ) from error


def _config(raw: Mapping[str, Any], model_type: str) -> EncoderConfig:
    first = int(raw.get("pad_token_id", 1)) + 1 if model_type in _POSITIONS_AFTER_PADDING else 0
    buckets = int(raw.get("relative_attention_num_buckets", 32)) if model_type == "mpnet" else 0
    return EncoderConfig(
        model_type=model_type,
        hidden_size=int(raw["hidden_size"]),
        heads=int(raw["num_attention_heads"]),
        layers=int(raw["num_hidden_layers"]),
        norm_epsilon=float(raw.get("layer_norm_eps", 1e-12)),
        max_positions=int(raw["max_position_embeddings"]) - first,
        first_position=first,
        relative_buckets=buckets,
    )


def read_json(path: Path) -> Mapping[str, Any]:
    """Read a JSON object from a model's folder. Raises ModelDamagedError if it is not one."""
    try:
        raw = json.loads(path.read_bytes())
    except (OSError, ValueError) as error:
        raise ModelDamagedError(
            f"{path} cannot be read ({error}). Fetch the model again."
        ) from error
    if not isinstance(raw, dict):
        raise ModelDamagedError(f"{path} is not a JSON object. Fetch the model again.")
    return raw


def read_encoder(folder: Path) -> Encoder:
    """Read all weights of a folder with config.json and a safetensors file.

    Raises ModelDamagedError if a tensor is missing or its shape does not fit config.json.
    """
    config = read_config(folder)
    with _open_tensors(folder / WEIGHTS_FILE) as tensors:
        positions = tensors.get("embeddings.position_embeddings.weight")[config.first_position :]
        if config.model_type != "mpnet":  # MPNet has no token types
            positions = positions + tensors.get("embeddings.token_type_embeddings.weight")[0]
        return Encoder(
            config=config,
            words=tensors.get("embeddings.word_embeddings.weight"),
            positions=positions,
            embedding_norm=tensors.norm("embeddings.LayerNorm"),
            layers=tuple(_layer(tensors, config, number) for number in range(config.layers)),
            distance_bias=_distance_bias(tensors, config),
        )


def read_cross_encoder(folder: Path) -> Encoder:
    """Read all weights of a cross-encoder: a BERT with a pooler and a classifier of one output.

    Raises ModelDamagedError if a tensor is missing, ModelError for another architecture.
    """
    encoder = read_encoder(folder)
    if encoder.config.model_type != "bert":
        raise ModelError(
            f"The cross-encoder in {folder} is a {encoder.config.model_type!r}; only BERT is"
            " supported. Choose another one.",
            code=UNSUPPORTED,
        )
    with _open_tensors(folder / WEIGHTS_FILE) as tensors:
        kinds = tensors.get("embeddings.token_type_embeddings.weight")
        score_head = ScoreHead(
            second_segment=kinds[1] - kinds[0],
            pooler=tensors.linear("pooler.dense", encoder.config),
            classifier=tensors.head("classifier"),
        )
    return replace(encoder, score_head=score_head)


class _Tensors:
    """Tensors by name, float32. Their names in the file may have the model's name as a prefix."""

    def __init__(self, path: Path, file: Any) -> None:
        self._path = path
        self._file = file
        names = set(file.keys())
        known = "embeddings.word_embeddings.weight"
        owners = [name.removesuffix(known) for name in names if name.endswith(known)]
        self._prefix = owners[0] if owners else ""
        self._names = names

    def get(self, name: str) -> FloatArray:
        full = self._prefix + name
        if full not in self._names:
            raise ModelDamagedError(f"{self._path} has no tensor {full!r}. Fetch it again.")
        return read_tensor(self._path, self._file, full)

    def linear(self, name: str, config: EncoderConfig) -> Linear:
        weight, bias = self.get(f"{name}.weight"), self.get(f"{name}.bias")
        if config.hidden_size not in weight.shape or bias.shape != weight.shape[:1]:
            raise ModelDamagedError(
                f"{self._path}: {name} has shape {weight.shape}, which does not fit"
                f" hidden_size {config.hidden_size} of config.json. Fetch the model again."
            )
        return Linear(np.ascontiguousarray(weight.T), bias)

    def head(self, name: str) -> Linear:
        """A layer with one output, whose name never has the prefix."""
        if f"{name}.weight" not in self._names or f"{name}.bias" not in self._names:
            raise ModelDamagedError(f"{self._path} has no layer {name!r}. Fetch it again.")
        weight = read_tensor(self._path, self._file, f"{name}.weight")
        bias = read_tensor(self._path, self._file, f"{name}.bias")
        if weight.shape[0] != 1 or bias.shape != (1,):
            raise ModelDamagedError(
                f"{self._path}: {name} has {weight.shape[0]} outputs; a cross-encoder has one."
            )
        return Linear(np.ascontiguousarray(weight.T), bias)

    def norm(self, name: str) -> Norm:
        return Norm(self.get(f"{name}.weight"), self.get(f"{name}.bias"))


@contextmanager
def _open_tensors(path: Path) -> Iterator[_Tensors]:
    try:
        with safe_open(str(path), framework="np") as file:
            yield _Tensors(path, file)
    except (OSError, SafetensorError, TypeError, ValueError) as error:  # numbers of another kind
        raise ModelDamagedError(
            f"{path} cannot be read ({error}). Fetch the model again."
        ) from error


def _layer(tensors: _Tensors, config: EncoderConfig, number: int) -> Layer:
    layer = f"encoder.layer.{number}"
    if config.model_type == "mpnet":
        self_attention = {part: f"attention.attn.{part[0]}" for part in ("query", "key", "value")}
        attention, attention_norm = "attention.attn.o", "attention.LayerNorm"
    else:
        self_attention = {part: f"attention.self.{part}" for part in ("query", "key", "value")}
        attention, attention_norm = "attention.output.dense", "attention.output.LayerNorm"
    return Layer(
        query=tensors.linear(f"{layer}.{self_attention['query']}", config),
        key=tensors.linear(f"{layer}.{self_attention['key']}", config),
        value=tensors.linear(f"{layer}.{self_attention['value']}", config),
        attention_output=tensors.linear(f"{layer}.{attention}", config),
        attention_norm=tensors.norm(f"{layer}.{attention_norm}"),
        intermediate=tensors.linear(f"{layer}.intermediate.dense", config),
        output=tensors.linear(f"{layer}.output.dense", config),
        output_norm=tensors.norm(f"{layer}.output.LayerNorm"),
    )


def _distance_bias(tensors: _Tensors, config: EncoderConfig) -> FloatArray | None:
    if not config.relative_buckets:
        return None
    table = tensors.get("encoder.relative_attention_bias.weight")
    reach = config.max_positions - 1
    distances = np.arange(-reach, reach + 1)
    return np.ascontiguousarray(table[relative_bucket(distances, config.relative_buckets)])


def relative_bucket(
    distances: npt.NDArray[np.int64], buckets: int, max_distance: int = 128
) -> npt.NDArray[np.int64]:
    """The bucket of each distance from query to key, in both directions (Raffel et al., T5, 2020).

    Half of the buckets are for keys after the query; of each half, half are exact distances and
    the rest grow logarithmically up to `max_distance`.
    """
    half = buckets // 2
    exact = half // 2
    far = np.abs(distances)
    spread = np.log(np.maximum(far, 1).astype(np.float32) / exact) / np.log(max_distance / exact)
    logarithmic = np.minimum(exact + (spread * (half - exact)).astype(np.int64), half - 1)
    side = np.where(distances > 0, half, 0)
    return np.asarray(side + np.where(far < exact, far, logarithmic), dtype=np.int64)
