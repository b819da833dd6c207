"""The parts of a note that keywords find: postings, lengths of passages, terms.

A posting says where a token stands in one note: for each of its documents (a chunk, or the note's
placeholder) that has it, the chunk's id (uint64, little endian), how often each of `FIELDS` has it
(uint8 each, 255 at most), and a byte that is zero. Tokens and stems are postings alike: a stem
counts in the last field alone.
"""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import tantivy

from notewell.index.field_lengths import stored_length
from notewell.index.lexical import PHRASE_FIELDS, STEMS, STOP, NoteText, note_documents
from notewell.index.note_fields import pack_terms
from notewell.index.term_forms import FIELDS

ANALYSIS = "1"  # counted up when tokens, fields, or how they are stored change
PLACES = np.dtype([("chunk", "<u8"), ("counts", "u1", (len(FIELDS),)), ("zero", "u1")])
LENGTHS = np.dtype("<u4")
SEPARATOR = "\n"  # between the fields in a document's words: no phrase goes across
_PLACE = struct.Struct(f"<Q{len(FIELDS)}Bx")
_MOST = 255

Counts = npt.NDArray[np.int32]  # (tokens, fields): in how many documents each token is


@dataclass(frozen=True, slots=True)
class Document:
    """A passage: `lengths` in tokens by field, as `stored_length` rounds them, packed.

    `words` are those of its fields, but stems.
    """

    chunk_id: int
    lengths: bytes
    words: str


@dataclass(frozen=True, slots=True)
class NoteDocuments:
    """A note as it is searched; `terms` are the packed terms of the whole, `lines` its lines."""

    note_id: int
    documents: tuple[Document, ...]
    postings: Mapping[str, bytes]
    terms: bytes
    lines: bytes


def documents_of(
    note: NoteText, template: frozenset[int], stemmer: tantivy.TextAnalyzer
) -> NoteDocuments:
    """The documents of a note, where the vault has these template lines."""
    lines = note.lines()
    marked = note.marked(template)
    postings: dict[str, bytearray] = {}
    documents = []
    for chunk_id, texts in note_documents(marked):
        streams = [texts[name].split() for name in PHRASE_FIELDS]
        streams.append(stemmer.analyze(texts[STEMS]))
        _post(postings, chunk_id, streams)
        lengths = np.array([stored_length(len(each)) for each in streams], LENGTHS)
        words = SEPARATOR.join(f" {texts[name]} " for name in PHRASE_FIELDS if texts[name])
        documents.append(Document(chunk_id, lengths.tobytes(), words))
    return NoteDocuments(
        note_id=note.note_id,
        documents=tuple(documents),
        postings={token: bytes(places) for token, places in postings.items()},
        terms=pack_terms(marked, stemmer),
        lines=lines.astype("<u4").tobytes(),
    )


def _post(postings: dict[str, bytearray], chunk_id: int, streams: Sequence[Sequence[str]]) -> None:
    counts: dict[str, list[int]] = {}
    for field, tokens in enumerate(streams):
        for token, count in Counter(tokens).items():
            counts.setdefault(token, [0] * len(FIELDS))[field] = min(count, _MOST)
    counts.pop(STOP, None)
    for token, by_field in counts.items():
        postings.setdefault(token, bytearray()).extend(_PLACE.pack(chunk_id, *by_field))


def frequencies(rows: Sequence[tuple[str, bytes]]) -> tuple[list[str], Counts]:
    """The different tokens of (token, places) rows, and in how many documents each is, by field."""
    tokens = sorted({token for token, _ in rows})
    at = {token: place for place, token in enumerate(tokens)}
    sums = np.zeros((len(tokens), len(FIELDS)), np.int32)
    sizes = [len(places) // PLACES.itemsize for _, places in rows]
    owners = np.repeat([at[token] for token, _ in rows], sizes).astype(np.intp)
    every = np.frombuffer(b"".join(places for _, places in rows), PLACES)
    np.add.at(sums, owners, (every["counts"] > 0).astype(np.int32))
    return tokens, sums
