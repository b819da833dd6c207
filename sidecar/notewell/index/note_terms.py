"""The terms of whole notes with their fields, packed in bytes.

A note is searched as a whole by `notewell.index.note_postings`. A field is a bit of a mask. A stem
is a 32-bit hash: two stems with the same hash (one pair of 4,000 in five hundred notes) count as
one, which no ranking shows.

Packed terms of a note, little endian: its length in tokens and the number of its stems (uint32
each), the hashes, ascending (uint32), the masks of fields (uint16), and how often each stands in
the body (uint8).
"""

from __future__ import annotations

import math
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np
import numpy.typing as npt
import tantivy

from notewell.base.errors import ConfigError
from notewell.base.types import NoteField, NoteFieldWeights, SearchRules
from notewell.index.lexical import STOP, QueryTerm, SearchText, join_tokens

# The order is that of the bits, and stored: a new field comes last.
NOTE_FIELDS: tuple[NoteField, ...] = (
    "title",
    "file_name",
    "aliases",
    "headings",
    "tags",
    "path",  # the folders
    "body",
    "properties",  # those that are not fields of their own
    "description",
    "author",
    "topics",
)
FIELD_BITS: Mapping[str, int] = MappingProxyType(
    {name: 1 << place for place, name in enumerate(NOTE_FIELDS)}
)
BODY_BIT = FIELD_BITS["body"]
NAME_BITS = np.uint16(sum(FIELD_BITS[name] for name in ("title", "file_name", "aliases")))
# The fields whose texts are values of properties, which no passage has.
PROPERTY_BITS = sum(FIELD_BITS[name] for name in ("properties", "description", "author", "topics"))
# Words of template lines (notewell.index.lexical): no field that counts, the last bit.
TEMPLATE_BIT = 1 << 15
MOST_OFTEN = 255  # a higher frequency hardly changes BM25
# `copilot` has the weights of Obsidian Copilot 4, whose `path` includes the file's name
# (src/search/v3/engines/FullTextEngine.ts).
_PRESETS: Mapping[str, NoteFieldWeights] = MappingProxyType(
    {
        "default": NoteFieldWeights(),
        "copilot": NoteFieldWeights(title=3.0, file_name=1.5, headings=2.5, tags=4.0, path=1.5),
    }
)
_UNCOUNTED = frozenset({"file_name", "path"})  # they mostly repeat the title and say little
_HEADER_BYTES = 8

UIntArray = npt.NDArray[np.unsignedinteger]


@dataclass(frozen=True, slots=True, eq=False)
class PackedTerms:
    """The terms of many notes, each array joined note by note; `sizes` says how many of each.

    `lengths` and `sizes` have one entry a note; the others one for each stem of each note.
    """

    lengths: npt.NDArray[np.uint32]
    sizes: npt.NDArray[np.int64]
    hashes: npt.NDArray[np.uint32]
    masks: npt.NDArray[np.uint16]
    frequencies: npt.NDArray[np.uint8]


def field_weights(rules: SearchRules) -> NoteFieldWeights:
    """The weights of fields that the settings ask for.

    Raises:
        ConfigError: one is negative or no number.

    """
    for name, weight in rules.field_weights.items():
        if not 0 <= weight < math.inf:
            raise ConfigError(
                f"'search.field_weights' has {name} = {weight}; write a number from 0 on, or remove"
                " the line"
            )
    changes = {str(name): weight for name, weight in rules.field_weights.items()}
    return replace(_PRESETS[rules.field_preset], **changes)


def hash_of(stem: str) -> int:
    """The number that stands for a stem."""
    return zlib.crc32(stem.encode("utf-8"))


def hash_of_token(token: str, stemmer: tantivy.TextAnalyzer) -> int:
    """The number that stands for the stem of one token of the analyzer."""
    return hash_of(" ".join(stemmer.analyze(token)))


def hashed_terms(terms: Sequence[QueryTerm], stemmer: tantivy.TextAnalyzer) -> dict[int, float]:
    """The weight of each stem of a query, by hash; tokens of one stem are one term."""
    weights: dict[int, float] = {}
    for term in terms:
        number = hash_of_token(term.token, stemmer)
        weights[number] = weights.get(number, 0.0) + term.weight
    return weights


def pack_terms(note: SearchText, stemmer: tantivy.TextAnalyzer) -> bytes:
    """The packed terms of a note."""
    masks: defaultdict[str, int] = defaultdict(int)
    often: Counter[str] = Counter()
    length = 0
    for name, texts in _texts(note):
        stems = [stem for stem in stemmer.analyze(join_tokens(*texts)) if stem != STOP]
        if name not in _UNCOUNTED:
            length += len(stems)
        if name == "body":
            often.update(stems)
        bit = FIELD_BITS[name]
        for stem in dict.fromkeys(stems):
            masks[stem] |= bit
    # They are lines of the text, whose words are counted there.
    inner = dict.fromkeys(text for chunk in note.chunks for text in chunk.own_inner)
    for stem in stemmer.analyze(join_tokens(*inner)):
        if stem in masks:
            masks[stem] |= FIELD_BITS["headings"]
    template = dict.fromkeys(line for chunk in note.chunks for line in chunk.template)
    for stem in stemmer.analyze(join_tokens(*template)):
        if stem != STOP:
            masks[stem] |= TEMPLATE_BIT
    return _pack(length, masks, often)


def _texts(note: SearchText) -> Iterator[tuple[str, Sequence[str]]]:
    """The texts of each field. A heading over several chunks, and a repeated chunk, counts once."""
    folders, _, name = note.path.rpartition("/")
    yield "title", (note.title,)
    yield "file_name", (name.removesuffix(".md"),)
    yield "aliases", note.aliases
    headings = (text for chunk in note.chunks for text in chunk.own_headings)
    yield "headings", tuple(dict.fromkeys(headings))
    yield "tags", note.tags
    yield "path", (folders,)
    real = (chunk.own_parts for chunk in note.chunks if not chunk.of_properties)
    yield "body", tuple(part for parts in dict.fromkeys(real) for part in parts)
    yield from note.properties.items()


def _pack(length: int, masks: Mapping[str, int], often: Mapping[str, int]) -> bytes:
    by_hash: dict[int, tuple[int, int]] = {}
    for stem, mask in masks.items():
        number = hash_of(stem)
        other_mask, other_often = by_hash.get(number, (0, 0))
        by_hash[number] = mask | other_mask, often.get(stem, 0) + other_often
    hashes = sorted(by_hash)
    return b"".join(
        (
            np.array([length, len(hashes)], "<u4").tobytes(),
            np.array(hashes, "<u4").tobytes(),
            np.array([by_hash[number][0] for number in hashes], "<u2").tobytes(),
            bytes([min(by_hash[number][1], MOST_OFTEN) for number in hashes]),
        )
    )


def unpack_terms(packed: Sequence[bytes]) -> PackedTerms:
    """The terms of notes.

    Raises:
        ValueError: one is damaged.

    """
    headers = np.frombuffer(b"".join([raw[:_HEADER_BYTES] for raw in packed]), "<u4")
    lengths, sizes = headers.reshape(-1, 2).T
    hashes, masks, often = [], [], []
    for raw, size in zip(packed, sizes.tolist(), strict=True):
        if len(raw) != _HEADER_BYTES + 7 * size:
            raise ValueError("the terms of a note are damaged")
        hashes.append(np.frombuffer(raw, "<u4", size, _HEADER_BYTES))
        masks.append(np.frombuffer(raw, "<u2", size, _HEADER_BYTES + 4 * size))
        often.append(np.frombuffer(raw, np.uint8, size, _HEADER_BYTES + 6 * size))
    return PackedTerms(
        lengths=lengths.astype(np.uint32),
        sizes=sizes.astype(np.int64),
        hashes=np.concatenate([np.empty(0, np.uint32), *hashes]),
        masks=np.concatenate([np.empty(0, np.uint16), *masks]),
        frequencies=np.concatenate([np.empty(0, np.uint8), *often]),
    )
