"""The query table: vectors of tokens whose sum stands for a model's vector of a query.

Passages keep the vectors of the model; a query's vector is a sum of rows of the table, which were
fitted so that such sums point where the model's vectors point. docs/phone.md describes the bytes,
which are the same in the data folder of a vault and in its phone index; the plugin reads them too.
"""

from __future__ import annotations

import json
import logging
import struct
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

from notewell.base.types import FloatArray

log = logging.getLogger(__name__)

WORDPIECE, UNIGRAM = 1, 2
_CLEAN, _CHINESE, _ACCENTS, _LOWER, _NFKC = 1, 2, 4, 8, 16
_MAGIC = b"NOTETABL"
_VERSION = 1
# Magic, version, checksum and bytes; tokenizer, its flags, tokens, rows, dimensions, pairs (none),
# bytes of texts and of the model's key, most characters of a word, most tokens, passages; time,
# agreement, bound, four coefficients, score of an unknown character.
_HEAD = struct.Struct(f"<{len(_MAGIC)}sIII11Id2f4ff28x")
_CHECKED_FROM = 16
_UNKNOWN = "[UNK]"
_UNKNOWN_PENALTY = 10.0  # below the least score of a token, as in SentencePiece
_MOST_TOKENS = 64
_BELOW = np.float32(8)  # what four bits are shifted by
_CLIPPED = (1.0, 0.9, 0.8, 0.7)  # shares of the largest number that may become the last step
_TINY = np.float32(1e-12)
_WEAKEST = 255.0
_BLOCK = 4096

Packed = npt.NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class TableHead:
    """The facts of a table. `made` is in POSIX seconds, `passages` those that the vault had then.

    `agreement` is the mean cosine with the model's vectors of texts that were not fitted to. The
    agreement of one query is predicted with `weights`: a constant, and factors of the length of
    its sum, its share of unknown tokens, and the weakness of the others. Below `bound` nothing is
    said.
    """

    model: str
    made: float
    passages: int
    agreement: float
    bound: float
    weights: tuple[float, float, float, float]


@dataclass(frozen=True, slots=True, eq=False)
class TokenVocabulary:
    """The tokens that a table's tokenizer knows; `scores` (n,) of Unigram, else empty."""

    kind: int
    flags: int
    tokens: tuple[str, ...]
    scores: FloatArray
    most_characters: int = 100

    @classmethod
    def of(cls, document: str) -> TokenVocabulary | None:
        """All tokens of a tokenizer.json but special ones, by id; None: it is of no known kind."""
        whole: Mapping[str, Any] = json.loads(document)
        special = {added["content"] for added in whole.get("added_tokens") or ()}
        model, normal = whole["model"], whole.get("normalizer") or {}
        if model.get("type") == "WordPiece" and normal.get("type") == "BertNormalizer":
            named = sorted(model["vocab"].items(), key=lambda item: item[1])
            tokens = tuple(text for text, _ in named if text not in special)
            most = int(model.get("max_input_chars_per_word", 100))
            return cls(WORDPIECE, _flags(normal), tokens, np.empty(0, np.float32), most)
        if model.get("type") == "Unigram":
            pieces = {text: score for text, score in model["vocab"] if text not in special}
            scores = np.array(list(pieces.values()), np.float32)
            return cls(UNIGRAM, _NFKC, tuple(pieces), scores)
        return None

    def only(self, tokens: Sequence[str]) -> TokenVocabulary:
        if self.kind == WORDPIECE:
            return replace(self, tokens=tuple(tokens))
        place = {token: at for at, token in enumerate(self.tokens)}
        return replace(self, tokens=tuple(tokens), scores=self.scores[[place[t] for t in tokens]])

    @property
    def unknown_score(self) -> float:
        """The score of a character that is in no token."""
        return float(self.scores.min()) - _UNKNOWN_PENALTY if len(self.scores) else 0.0

    def tokenizer(self) -> Tokenizer:
        """The tokenizer of these tokens alone; ids are their places, and above them unknown."""
        if self.kind == WORDPIECE:
            vocab = {**{text: at for at, text in enumerate(self.tokens)}, _UNKNOWN: self.size}
            built = Tokenizer(
                models.WordPiece(
                    vocab, unk_token=_UNKNOWN, max_input_chars_per_word=self.most_characters
                )
            )
            built.normalizer = normalizers.BertNormalizer(
                clean_text=bool(self.flags & _CLEAN),
                handle_chinese_chars=bool(self.flags & _CHINESE),
                strip_accents=bool(self.flags & _ACCENTS),
                lowercase=bool(self.flags & _LOWER),
            )
            built.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
            return built
        pieces = list(zip(self.tokens, self.scores.tolist(), strict=True))
        pieces.append((_UNKNOWN, float(self.scores.min())))
        built = Tokenizer(models.Unigram(pieces, unk_id=self.size, byte_fallback=False))
        built.normalizer = normalizers.Sequence([normalizers.Nmt(), normalizers.NFKC()])
        built.pre_tokenizer = pre_tokenizers.Sequence(
            [pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace(prepend_scheme="always")]
        )
        return built

    @property
    def size(self) -> int:
        return len(self.tokens)


def _flags(normal: Mapping[str, Any]) -> int:
    lower = bool(normal.get("lowercase", True))
    accents = normal.get("strip_accents")
    told = (
        (_CLEAN, normal.get("clean_text", True)),
        (_CHINESE, normal.get("handle_chinese_chars", True)),
        (_ACCENTS, lower if accents is None else accents),
        (_LOWER, lower),
    )
    return sum(flag for flag, on in told if on)


@dataclass(frozen=True, slots=True, eq=False)
class Guess:
    """The vector of a query (dimensions,), and how well it is expected to agree with the model."""

    vector: FloatArray
    agreement: float


@dataclass(frozen=True, slots=True, eq=False)
class Features:
    """Signs of the agreement of one query: numbers that the head's weights multiply."""

    length: float
    unknown: float
    weak: float

    def agreement(self, weights: tuple[float, float, float, float]) -> float:
        """The predicted cosine with the model's vector."""
        constant, length, unknown, weak = weights
        return constant + length * self.length + unknown * self.unknown + weak * self.weak


@dataclass(frozen=True, eq=False)
class QueryTable:
    """A fitted table. The first tokens of the vocabulary have a row each, in the same order.

    `rows` (n, ceil(dimensions / 2)) have four bits a number, `scales` (n,) are their factors,
    `weakness` (n,) is 0 for tokens that were well fitted and 255 for those that hardly were.
    `bias` (dimensions,) is a part of every query.
    """

    head: TableHead
    vocabulary: TokenVocabulary
    rows: Packed
    scales: FloatArray
    weakness: Packed
    bias: FloatArray = field(repr=False)

    @cached_property
    def _tokenizer(self) -> Tokenizer:
        return self.vocabulary.tokenizer()

    @property
    def dimensions(self) -> int:
        return len(self.bias)

    def tokens(self, text: str) -> list[int]:
        """The places of a text's tokens in the table; -1: unknown."""
        readable = text.encode("utf-8", "replace").decode("utf-8")
        ids = self._tokenizer.encode(readable, add_special_tokens=False).ids[:_MOST_TOKENS]
        return [id_ if id_ < len(self.rows) else -1 for id_ in ids]

    def measured(self, text: str) -> tuple[FloatArray, Features] | None:
        """The sum of a text's rows, and what predicts its agreement; None: no token is known."""
        return self.summed(self.tokens(text))

    def summed(self, places: Sequence[int]) -> tuple[FloatArray, Features] | None:
        """The same of tokens."""
        known = np.array([row for row in places if row >= 0], np.int64)
        if not len(known):
            return None
        root = np.float32(len(places) ** 0.5)
        rows = _unpack(self.rows[known], self.dimensions)
        total: FloatArray = (self.scales[known] @ rows + self.bias * root).astype(np.float32)
        features = Features(
            length=float(np.linalg.norm(total) / root),
            unknown=1 - len(known) / len(places),
            weak=float(self.weakness[known].mean()) / _WEAKEST,
        )
        return total, features

    def guess(self, text: str) -> Guess | None:
        """The vector of a query; None: too little is known of it to say anything."""
        measured = self.measured(text)
        if measured is None:
            return None
        total, features = measured
        agreement = features.agreement(self.head.weights)
        length = np.linalg.norm(total)
        if agreement < self.head.bound or length < _TINY:
            return None
        return Guess((total / length).astype(np.float32), agreement)

    def dense(self) -> FloatArray:
        """All rows as numbers (n, dimensions)."""
        return _unpack(self.rows, self.dimensions) * self.scales[:, np.newaxis]

    def on_axes(self, axes: FloatArray) -> QueryTable:
        """The table on other axes (dimensions, fewer), orthogonal ones."""
        rows, scales = pack(self.dense() @ axes)
        return replace(self, rows=rows, scales=scales, bias=(self.bias @ axes).astype(np.float32))

    def with_rows(self, places: npt.NDArray[np.int64]) -> QueryTable:
        """The table with these rows alone, ascending; WordPiece still knows every token.

        Without its token, a word would be cut into pieces that mean something else.
        """
        kept = set(places.tolist())
        tokens = self.vocabulary.tokens
        others: list[str] = []
        if self.vocabulary.kind == WORDPIECE:
            others = [token for at, token in enumerate(tokens) if at not in kept]
        vocabulary = self.vocabulary.only([tokens[at] for at in places.tolist()] + sorted(others))
        return replace(
            self,
            vocabulary=vocabulary,
            rows=self.rows[places],
            scales=self.scales[places],
            weakness=self.weakness[places],
        )

    def encode(self) -> bytes:
        head, vocabulary = self.head, self.vocabulary
        texts = [token.encode() for token in vocabulary.tokens]
        model = head.model.encode()
        body = b"".join(
            (
                self.scales.astype("<f4").tobytes(),
                vocabulary.scores.astype("<f4").tobytes(),
                self.bias.astype("<f4").tobytes(),
                self.weakness.tobytes(),
                self.rows.tobytes(),
                bytes(map(len, texts)),
                *texts,
                model,
            )
        )
        counts = (
            *(_HEAD.size + len(body), vocabulary.kind, vocabulary.flags),
            *(vocabulary.size, len(self.rows), self.dimensions, 0, sum(map(len, texts))),
            *(len(model), vocabulary.most_characters, _MOST_TOKENS, head.passages),
        )
        numbers = (
            *(head.made, head.agreement, head.bound, *head.weights),
            vocabulary.unknown_score,
        )
        checked = _HEAD.pack(_MAGIC, _VERSION, 0, *counts, *numbers)[_CHECKED_FROM:]
        checksum = zlib.crc32(body, zlib.crc32(checked))
        return _HEAD.pack(_MAGIC, _VERSION, checksum, *counts, *numbers) + body

    @classmethod
    def decode(cls, raw: bytes) -> QueryTable:
        """The table of these bytes; ValueError if they are not whole, or of another version."""
        if len(raw) < _HEAD.size or not raw.startswith(_MAGIC):
            raise ValueError("it is no query table")
        _, version, checksum, length, kind, flags, *counts = _HEAD.unpack_from(raw)[:15]
        if version != _VERSION or length != len(raw) or checksum != zlib.crc32(raw[16:]):
            raise ValueError("it is damaged or of another version")
        when, agreement, bound, *weights = _HEAD.unpack_from(raw)[15:22]
        size, n, dimensions, _, text_bytes, model_bytes, most, _, passages = counts
        parts = _Parts(raw, _HEAD.size)
        scales = parts.array("<f4", n)
        scores = parts.array("<f4", size if kind == UNIGRAM else 0)
        bias, weakness = parts.array("<f4", dimensions), parts.array("u1", n)
        rows = parts.array("u1", n * -(-dimensions // 2)).reshape(n, -1)
        ends = np.cumsum(parts.array("u1", size), dtype=np.int64).tolist()
        texts, model = parts.bytes(text_bytes), parts.bytes(model_bytes).decode()
        tokens = tuple(
            texts[begin:end].decode() for begin, end in zip([0, *ends[:-1]], ends, strict=True)
        )
        constant, per_length, per_unknown, per_weak = weights
        factors = (constant, per_length, per_unknown, per_weak)
        head = TableHead(model, when, passages, agreement, bound, factors)
        vocabulary = TokenVocabulary(kind, flags, tokens, scores, most)
        return cls(head, vocabulary, rows, scales, weakness, bias)


class _Parts:
    """Reads one part of some bytes after the other."""

    def __init__(self, raw: bytes, at: int) -> None:
        self._raw, self._at = raw, at

    def array(self, kind: str, count: int) -> npt.NDArray[Any]:
        values = np.frombuffer(self._raw, np.dtype(kind), count, self._at)
        self._at += values.nbytes
        return values

    def bytes(self, count: int) -> bytes:
        self._at += count
        return self._raw[self._at - count : self._at]


def pack(numbers: FloatArray) -> tuple[Packed, FloatArray]:
    """Rows (n, dimensions) in four bits a number, and the scale (n,) of each.

    The largest numbers of a row may be clipped, where that brings all others nearer.
    """
    packed = [_pack(numbers[at : at + _BLOCK]) for at in range(0, len(numbers), _BLOCK)]
    if not packed:
        return np.empty((0, -(-numbers.shape[1] // 2)), np.uint8), np.empty(0, np.float32)
    rows, scales = zip(*packed, strict=True)
    return np.concatenate(rows), np.concatenate(scales)


def _pack(numbers: FloatArray) -> tuple[Packed, FloatArray]:
    largest = np.maximum(np.abs(numbers).max(axis=1, initial=0.0), _TINY)
    tried = [(largest * share / 7).astype(np.float32) for share in _CLIPPED]
    steps = [_steps(numbers, scales) for scales in tried]
    lost = [
        ((numbers - step * scale[:, np.newaxis]) ** 2).sum(axis=1)
        for step, scale in zip(steps, tried, strict=True)
    ]
    best, every = np.argmin(lost, axis=0), np.arange(len(numbers))
    bits = (np.stack(steps)[best, every] + _BELOW).astype(np.uint8)
    if bits.shape[1] % 2:
        bits = np.pad(bits, ((0, 0), (0, 1)), constant_values=int(_BELOW))
    rows: Packed = (bits[:, 0::2] | (bits[:, 1::2] << 4)).astype(np.uint8)
    return rows, np.stack(tried)[best, every]


def _steps(numbers: FloatArray, scales: FloatArray) -> FloatArray:
    steps: FloatArray = np.clip(np.rint(numbers / scales[:, np.newaxis]), -8, 7)
    return steps


def _unpack(rows: Packed, dimensions: int) -> FloatArray:
    numbers = np.empty((len(rows), 2 * rows.shape[1]), np.float32)
    numbers[:, 0::2], numbers[:, 1::2] = rows & 15, rows >> 4
    return numbers[:, :dimensions] - _BELOW
