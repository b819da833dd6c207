"""The parts of a note that keywords find: postings, lengths, terms.

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
from functools import cached_property

import numpy as np
import numpy.typing as npt
import tantivy

from notewell.base.types import IdArray
from notewell.index.arrays import ascending
from notewell.index.clauses import FIELDS
from notewell.index.lexical import (
    FIRST_PLACEHOLDER,
    PHRASE_FIELDS,
    STEMS,
    STOP,
    SearchText,
    note_documents,
    stored_length,
)
from notewell.index.note_terms import pack_terms
from notewell_postgres.connection import Row

ANALYSIS = "4"  # counted up when tokens, fields, or how they are stored change
PLACES = np.dtype([("chunk", "<u8"), ("counts", "u1", (len(FIELDS),)), ("zero", "u1")])
LENGTHS = np.dtype("<u4")
SEPARATOR = "\n"  # between the fields in a document's words: no phrase goes across
_PLACE = struct.Struct(f"<Q{len(FIELDS)}Bx")
_MOST = 255

Counts = npt.NDArray[np.int32]  # (tokens, fields): in how many documents each token is


@dataclass(frozen=True, slots=True)
class PassageWords:
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
    documents: tuple[PassageWords, ...]
    postings: Mapping[str, bytes]
    terms: bytes
    lines: bytes


def documents_of(
    note: SearchText, template: frozenset[int], stemmer: tantivy.TextAnalyzer
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
        lengths = np.array([stored_length(len(stream)) for stream in streams], LENGTHS)
        words = SEPARATOR.join(f" {texts[name]} " for name in PHRASE_FIELDS if texts[name])
        documents.append(PassageWords(chunk_id, lengths.tobytes(), words))
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


def postings_of(documents: Sequence[NoteDocuments]) -> list[tuple[str, int, bytes]]:
    """The postings of some notes: the token, the id of the note, and where it stands there."""
    return [
        (token, note.note_id, places)
        for note in documents
        for token, places in note.postings.items()
    ]


class TermCounts:
    """In how many documents each token of a vault is, by field, added up."""

    def __init__(self) -> None:
        self._at: dict[str, int] = {}
        self._sums: Counts = np.zeros((0, len(FIELDS)), np.int32)

    def add(self, postings: Sequence[tuple[str, int, bytes]]) -> None:
        owners = [self._at.setdefault(token, len(self._at)) for token, _, _ in postings]
        sizes = [len(places) // PLACES.itemsize for _, _, places in postings]
        every = np.frombuffer(b"".join(places for _, _, places in postings), PLACES)
        of_place = np.repeat(np.array(owners, np.intp), sizes)
        more = np.zeros((len(self._at), len(FIELDS)), np.int32)
        for field in range(len(FIELDS)):
            inside = of_place[every["counts"][:, field] > 0]
            more[:, field] = np.bincount(inside, minlength=len(self._at))
        more[: len(self._sums)] += self._sums
        self._sums = more

    def rows(self) -> list[tuple[object, ...]]:
        return [
            (token, *counts) for token, counts in zip(self._at, self._sums.tolist(), strict=True)
        ]


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


@dataclass(frozen=True, eq=False)
class DocumentTable:
    """Never changed: `ids` (n,) ascending, `notes` (n,), `lengths` (n, fields) in tokens."""

    ids: IdArray
    notes: IdArray
    lengths: npt.NDArray[np.uint32]

    @classmethod
    def of(cls, rows: Sequence[Row]) -> DocumentTable:
        """Of rows (chunk id, note id, packed lengths) in any order."""
        ids = np.array([row[0] for row in rows], np.int64)
        packed = b"".join(row[2] for row in rows)
        order = np.argsort(ids)
        return cls(
            ids[order],
            np.array([row[1] for row in rows], np.int64)[order],
            np.frombuffer(packed, LENGTHS).reshape(len(rows), len(FIELDS))[order],
        )

    def changed(self, rows: Sequence[Row], notes: Sequence[int]) -> DocumentTable:
        """The table after the documents of some notes were replaced by these rows."""
        kept = ~np.isin(self.notes, np.array(notes, np.int64))
        new = DocumentTable.of(rows)
        ids = np.concatenate([self.ids[kept], new.ids])
        order = np.argsort(ids, kind="stable")
        return DocumentTable(
            ids[order],
            np.concatenate([self.notes[kept], new.notes])[order],
            np.concatenate([self.lengths[kept], new.lengths])[order],
        )

    @property
    def count(self) -> int:
        return len(self.ids)

    @cached_property
    def chunk_count(self) -> int:
        """The number of chunks: documents that are no placeholder."""
        return int(np.searchsorted(self.ids, FIRST_PLACEHOLDER))

    @property
    def counted(self) -> int:
        """The number of documents for BM25: one more than there are, of one token in each field.

        The embedded engine has such a document (its marker), and both are to rank alike.
        """
        return self.count + 1

    @cached_property
    def _means(self) -> list[float]:
        sums = self.lengths.sum(axis=0, dtype=np.int64)
        return [(total + 1) / self.counted for total in sums.tolist()]

    def mean_length(self, field: int) -> float:
        """The mean length of a field over all documents that BM25 counts."""
        return self._means[field]

    def rows(self, chunk_ids: IdArray) -> tuple[IdArray, npt.NDArray[np.bool_]]:
        """The place of each chunk, and whether it is there at all."""
        if not self.count:
            return np.zeros(len(chunk_ids), np.int64), np.zeros(len(chunk_ids), np.bool_)
        at = np.minimum(np.searchsorted(self.ids, chunk_ids), self.count - 1)
        return at.astype(np.int64), self.ids[at] == chunk_ids

    def note_ids_of(self, chunk_ids: IdArray) -> IdArray:
        """The note of each chunk; -1 for one that is gone."""
        at, known = self.rows(chunk_ids)
        return np.where(known, self.notes[at], -1) if self.count else np.full(len(at), -1)

    def notes_of(self, chunk_ids: IdArray) -> IdArray:
        """The different notes of the chunks that are there, ascending."""
        note_ids = ascending(self.note_ids_of(chunk_ids))
        return note_ids[note_ids >= 0]
