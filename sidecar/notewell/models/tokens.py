"""Token ids of texts, fast exact token counts, and the model's vectors of single tokens.

The `tokenizers` library is used one text at a time: only its batch calls start a thread pool of
their own, which would compete with ours and cause warnings in forked processes.

The table of token vectors in a weights file is copied once in int8 at unit length, a quarter of its
size. The copy is memory-mapped, so a look-up reads only the rows it needs; a few hundred searches
would load every page of the default model's 47 MB. Rounding turns one vector by two degrees and
most by less than half a degree, which is small against the angles that are compared.
"""

from __future__ import annotations

import io
import json
import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Generic, TypeVar

import numpy as np
import numpy.typing as npt
from tokenizers import Encoding, Tokenizer

from notewell.base.errors import ModelDamagedError
from notewell.base.support import disk
from notewell.base.types import (
    ChunkSizes,
    CountTokens,
    FloatArray,
    IdArray,
    ModelKey,
    TokenVectors,
)
from notewell.models.catalogue import Q4_FILE, TOKENIZER_FILE, ModelSpec
from notewell.models.encoder import PackedRows
from notewell.models.fetch import ModelFiles
from notewell.models.q4 import read_vocabulary

# Longer texts are cut before they are tokenized, which limits the work for texts of many megabytes.
# Models read at most `max_tokens`, and prose has 4 to 5 characters per token.
_CHARACTERS_PER_TOKEN = 64

# Python splits at these, but the BERT normaliser deletes them, so there they do not separate words.
_DELETED_SPACES = "\x0b\x0c\x1c\x1d\x1e\x1f\x85"
_DELETE = dict.fromkeys(map(ord, _DELETED_SPACES))

_MEMO_CHARACTERS = 1_000_000  # of words in the cache; about 25 MB of memory
_PLACES_CHARACTERS = 12_500  # of words whose tokens are remembered; half a megabyte
_WORD = re.compile(r"\S+")
T = TypeVar("T")
Places = tuple[Sequence[int], Sequence[int]]  # token ids, and where in the text each begins
# The layout of safetensors: the length of a JSON header, the header, the tensors.
_TABLE = "embeddings.word_embeddings.weight"
_TYPES = {"F32": np.float32, "F16": np.float16}
_LENGTH_BYTES = 8
_MOST_HEADER = 100_000_000  # the limit of the format
_TINY = np.float32(1e-9)
_INT8_MAX = np.float32(127)
_BLOCK = 4096

Rows = PackedRows | npt.NDArray[np.int8] | npt.NDArray[np.float16] | npt.NDArray[np.float32]


class TextTokenizer:
    """A model's own tokenizer, cut at the model's limit. Safe to call from several threads."""

    def __init__(self, tokenizer: Tokenizer, max_tokens: int) -> None:
        """Take over `tokenizer`; its own padding and truncation are switched off."""
        tokenizer.no_padding()
        tokenizer.no_truncation()
        self._tokenizer = tokenizer
        self._max_tokens = max_tokens
        self._max_characters = max_tokens * _CHARACTERS_PER_TOKEN
        by_word = _is_wordpiece(tokenizer)
        self.count: CountTokens = WordCounter(self._count_whole) if by_word else self._count_whole
        self._places = WordPlaces(self._places_whole) if by_word else self._places_whole

    @classmethod
    def from_file(cls, path: Path, max_tokens: int) -> TextTokenizer:
        """Load a tokenizer.json. Raises ModelDamagedError if it is not valid."""
        try:
            tokenizer = Tokenizer.from_file(str(path))
        except Exception as error:  # the library raises bare Exception
            raise ModelDamagedError(
                f"{path} is not a tokenizer ({error}). Fetch the model again."
            ) from error
        return cls(tokenizer, max_tokens)

    @property
    def document(self) -> str:
        """The tokenizer as the library writes it to a tokenizer.json."""
        return str(self._tokenizer.to_str())

    def ids(self, text: str) -> list[int]:
        """Token ids including special tokens, at most `max_tokens`."""
        ids = self._encode(text[: self._max_characters], special=True)
        if len(ids) > self._max_tokens:
            ids = [*ids[: self._max_tokens - 1], ids[-1]]  # with the closing special token
        return ids

    def pair(self, first: str, second: str) -> tuple[list[int], list[int]]:
        """Token ids of two texts joined, and the text (0 or 1) of each id; at most `max_tokens`.

        The first text is cut to half of that, and the second to what is left.
        """
        first = first[: self._max_characters // 4]
        encoding = self._tokenizer.encode(first, second[: self._max_characters])
        ids, segments = list(encoding.ids), list(encoding.type_ids)
        if len(ids) <= self._max_tokens:
            return ids, segments
        head = segments.index(1) if 1 in segments else len(segments)
        if head > self._max_tokens // 2:
            cut = self._max_tokens // 2
            ids = [*ids[: cut - 1], ids[head - 1], *ids[head:]]
            segments = [*segments[: cut - 1], segments[head - 1], *segments[head:]]
        last = self._max_tokens - 1
        return [*ids[:last], encoding.ids[-1]], [*segments[:last], encoding.type_ids[-1]]

    def places(self, text: str) -> Places:
        """Token ids without special tokens and their offsets in `text`; at most `max_tokens`."""
        ids, starts = self._places(text[: self._max_characters])
        return ids[: self._max_tokens], starts[: self._max_tokens]

    def ranges(self, text: str) -> tuple[list[int], list[int], list[bool]]:
        """Token ids with special tokens, their offsets in `text`, and which ones are special.

        At most `max_tokens`, as with `ids`.
        """
        encoding = self._encoded(text[: self._max_characters], special=True)
        ids, most = list(encoding.ids), self._max_tokens
        kept = list(range(len(ids)))
        if len(ids) > most:
            kept = [*kept[: most - 1], kept[-1]]
        return (
            [ids[n] for n in kept],
            [encoding.offsets[n][0] for n in kept],
            [bool(encoding.special_tokens_mask[n]) for n in kept],
        )

    def _places_whole(self, text: str) -> Places:
        encoding = self._encoded(text, special=False)
        return encoding.ids, [start for start, _ in encoding.offsets]

    def _count_whole(self, text: str) -> int:
        return len(self._encode(text, special=False))

    def _encode(self, text: str, *, special: bool) -> list[int]:
        return list(self._encoded(text, special=special).ids)

    def _encoded(self, text: str, *, special: bool) -> Encoding:
        try:
            return self._tokenizer.encode(text, add_special_tokens=special)
        except TypeError:  # the library is written in Rust and refuses lone surrogates
            readable = text.encode("utf-8", "replace").decode("utf-8")
            return self._tokenizer.encode(readable, add_special_tokens=special)


def _is_wordpiece(tokenizer: Tokenizer) -> bool:
    parts = (tokenizer.normalizer, tokenizer.pre_tokenizer, tokenizer.model)
    return [type(part).__name__ for part in parts] == [
        "BertNormalizer",
        "BertPreTokenizer",
        "WordPiece",
    ]


class _ByWord(Generic[T]):
    """Remembers what was found of single words, until they have too many characters.

    Adding up the words of a text is exact for WordPiece, because no step of that tokenizer crosses
    white space: the normaliser works on single characters, the pre-tokenizer first splits at white
    space, and the model splits each word by itself. Special tokens that a text contains have no
    white space either.
    """

    def __init__(self, find: Callable[[Sequence[str]], Iterable[T]], most_characters: int) -> None:
        """`find` gives what is remembered of each word, slowly."""
        self._find = find
        self._most_characters = most_characters
        self._memo: dict[str, T] = {}
        self._characters = 0

    def _learn(self, memo: dict[str, T], words: Iterable[str]) -> None:
        if self._characters > self._most_characters:
            self._memo = {}
            self._characters = 0
        new = list(set(words).difference(memo))
        memo.update(zip(new, self._find(new), strict=True))
        self._characters += sum(map(len, new))


class WordCounter(_ByWord[int]):
    """Counts WordPiece tokens by adding cached counts of words."""

    def __init__(self, count_whole: CountTokens) -> None:
        """`count_whole` counts the tokens of any text, slowly."""
        super().__init__(lambda words: map(count_whole, words), _MEMO_CHARACTERS)

    def __call__(self, text: str) -> int:
        if any(space in text for space in _DELETED_SPACES):
            text = text.translate(_DELETE)
        words = text.split()
        memo = self._memo  # another thread may replace `self._memo` meanwhile
        try:
            return sum(map(memo.__getitem__, words))
        except KeyError:
            self._learn(memo, words)
            return sum(map(memo.__getitem__, words))


class WordPlaces(_ByWord[Places]):
    """Finds WordPiece tokens and their places by those of words, which are cached.

    A passage takes half of the time of its whole text in a vault of many subjects, elsewhere less.
    """

    def __init__(self, places_whole: Callable[[str], Places]) -> None:
        """`places_whole` finds the tokens of any text, slowly."""
        super().__init__(self._of_words, _PLACES_CHARACTERS)
        self._places_whole = places_whole

    def __call__(self, text: str) -> Places:
        """Token ids without special tokens and their offsets in `text`."""
        if any(space in text for space in _DELETED_SPACES):
            return self._places_whole(text)
        memo = self._memo  # another thread may replace `self._memo` meanwhile
        words = [(match.group(), match.start()) for match in _WORD.finditer(text)]
        if any(word not in memo for word, _ in words):
            self._learn(memo, (word for word, _ in words))
        ids: list[int] = []
        starts: list[int] = []
        for word, at in words:
            own, places = memo[word]
            ids += own
            starts += [at + place for place in places]
        return ids, starts

    def _of_words(self, words: Sequence[str]) -> Iterator[Places]:
        """The tokens of each word, from one text of all: a call for each takes far longer."""
        ids, starts = self._places_whole(" ".join(words))
        begin = first = 0
        for word in words:
            end = begin + len(word)
            last = bisect_left(starts, end, first)
            yield tuple(ids[first:last]), tuple(start - begin for start in starts[first:last])
            begin, first = end + 1, last


class WordTable:
    """The table of token vectors: looks up unit vectors by token id."""

    def __init__(self, rows: Rows) -> None:
        """`rows` has shape (vocabulary, dimensions), vectors of any length. Use `open` instead."""
        self._rows = rows

    @classmethod
    def open(cls, weights: Path, small: Path) -> WordTable | None:
        """Map the int8 copy `small` of the table in a weights file; None if there is no table.

        Makes the copy if it is missing. If it cannot be written, the weights file is mapped.
        """
        if weights.name == Q4_FILE:  # small as it is
            return cls(read_vocabulary(weights))
        rows = _table_of(weights)
        if rows is None:
            return None
        copy = _small_copy(small, rows.shape)
        if copy is None:
            try:
                disk.replace(small, _int8_file(rows), mode=disk.SHARED)
            except OSError:
                return cls(rows)
            copy = _small_copy(small, rows.shape)
        return cls(rows if copy is None else copy)

    def of(self, ids: IdArray) -> FloatArray:
        """Vectors of shape (len(ids), dimensions)."""
        return _at_unit_length(self._rows[ids])


def _at_unit_length(rows: Rows) -> FloatArray:
    vectors = np.asarray(rows, dtype=np.float32)
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit: FloatArray = vectors / np.maximum(lengths, _TINY)
    return unit


def _table_of(weights: Path) -> Rows | None:
    try:
        with weights.open("rb") as file:
            length = int.from_bytes(file.read(_LENGTH_BYTES), "little")
            header = json.loads(file.read(min(length, _MOST_HEADER)))
        (name,) = (key for key in header if key.endswith(_TABLE))
        entry = header[name]
        rows = np.memmap(
            weights,
            dtype=_TYPES[entry["dtype"]],
            mode="r",
            offset=_LENGTH_BYTES + length + entry["data_offsets"][0],
            shape=tuple(entry["shape"]),
        )
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return rows.view(np.ndarray)


def _small_copy(path: Path, shape: tuple[int, ...]) -> npt.NDArray[np.int8] | None:
    try:
        rows = np.load(path, mmap_mode="r", allow_pickle=False)
    except (OSError, ValueError, EOFError):
        return None
    fits = rows.shape == shape and rows.dtype == np.int8
    return rows.view(np.ndarray) if fits else None


def _int8_file(rows: Rows) -> bytes:
    """The table as a .npy file, each row in int8 with a largest component of 127."""
    small = np.empty(rows.shape, np.int8)
    for start in range(0, len(rows), _BLOCK):
        block = np.asarray(rows[start : start + _BLOCK], np.float32)
        largest = np.abs(block).max(axis=1, keepdims=True)
        small[start : start + _BLOCK] = np.rint(block * (_INT8_MAX / np.maximum(largest, _TINY)))
    file = io.BytesIO()
    np.save(file, small)
    return file.getvalue()


class KnownText:
    """All that is known of texts without a model's runtime: their tokens, and vectors of these.

    `words` are the token vectors, None if the weights have no readable table of them.
    """

    def __init__(
        self, spec: ModelSpec, key: ModelKey, tokenizer: TextTokenizer, words: WordTable | None
    ) -> None:
        self._spec = spec
        self._key = key
        self._tokenizer = tokenizer
        self._words = words

    @property
    def key(self) -> ModelKey:
        return self._key

    @property
    def dimensions(self) -> int:
        return self._spec.dimensions

    @property
    def sizes(self) -> ChunkSizes:
        return self._spec.sizes

    def count_tokens(self, text: str) -> int:
        """Tokens of `text` alone, special tokens not counted."""
        return self._tokenizer.count(text)

    def tokenizer_document(self) -> str | None:
        """Its tokenizer; see `types.TeachesQueries`."""
        return self._tokenizer.document

    def token_vectors(self, text: str) -> TokenVectors | None:
        """The vectors of its tokens without context; see `types.KnowsTokens`."""
        if self._words is None:
            return None
        ids, starts = self._tokenizer.places(text)
        vectors = self._words.of(np.array(ids, np.int64))
        return TokenVectors(np.array(starts, np.int64), vectors)


def read_tokenizer(spec: ModelSpec, files: ModelFiles) -> TextTokenizer:
    """The tokenizer among a model's files. Raises ModelDamagedError."""
    return TextTokenizer.from_file(files.folder / TOKENIZER_FILE, spec.max_tokens)


def read_words(files: ModelFiles, model_dir: Path) -> WordTable | None:
    """The token vectors among a model's files, with their copy in the cache."""
    small = model_dir / "graphs" / f"{files.weights_hash[:16]}-words-v1.npy"
    return WordTable.open(files.folder / files.weights, small)
