"""The parts of a note that keywords find, and how they are written: postings, lengths, terms.

A posting says where a token stands in one note: for each of its documents (a chunk, or the note's
placeholder) that has it, the chunk's id (uint64, little endian), how often each of `FIELDS` has it
(uint8 each, 255 at most), and a byte that is zero. Tokens and stems are postings alike: a stem
counts in the last field alone.

They are written in the transaction that changes the notes. Document frequencies (`terms`) are
counted up and down by what each transaction adds and takes away. When a line becomes a template
line, or ceases to be one, all notes with it are written again (`notewell.index.lexical`).
Of a vault that is new, all are written at once, word by word, as they are read.
"""

# ruff: noqa: S608 (what is put into SQL are names and numbers of ours; values are bound)

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import itemgetter

import numpy as np
import numpy.typing as npt
import tantivy

from notewell.base.types import IdArray
from notewell.features.postgres import schema
from notewell.features.postgres.connection import Row, Session
from notewell.features.postgres.rows import columns_of, upsert
from notewell.index.analyze import stemmer
from notewell.index.arrays import ascending
from notewell.index.lexical import (
    FIELDS,
    FIRST_PLACEHOLDER,
    PHRASE_FIELDS,
    STEMS,
    STOP,
    ChunkText,
    LineCounts,
    LineHashes,
    SearchText,
    holders,
    note_documents,
    note_text,
    stored_length,
)
from notewell.index.note_terms import pack_terms
from notewell.index.row_values import NOTE_COLUMNS, inner_headings, note_of, strings

ANALYSIS = "3"  # counted up when tokens, fields, or how they are stored change
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
        lengths = np.array([stored_length(len(each)) for each in streams], LENGTHS)
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


def _postings(made: Sequence[NoteDocuments]) -> list[tuple[str, int, bytes]]:
    return [
        (token, note.note_id, places) for note in made for token, places in note.postings.items()
    ]


class _TermCounts:
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
        return [(each + 1) / self.counted for each in sums.tolist()]

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
        found = ascending(self.note_ids_of(chunk_ids))
        return found[found >= 0]


_NOTES_AT_ONCE = 200
_DOCUMENTS = {"chunk_id": "bigint", "note_id": "bigint", "lengths": "bytea", "words": "text"}
_TERMS = {"note_id": "bigint", "generation": "bigint", "terms": "bytea", "lines": "bytea"}
_POSTINGS = {"token": "text", "note_id": "bigint", "places": "bytea"}
_COUNTS = {"token": "text", **dict.fromkeys(FIELDS, "integer")}
_IDS = "SELECT id FROM notes WHERE vault_id = $1 ORDER BY id"
_STAGED = (
    'CREATE TEMP TABLE staged (token text COLLATE "C", note_id bigint, places bytea) ON COMMIT DROP'
)
_CHANGE_TERMS = (
    f"INSERT INTO terms (vault_id, token, {', '.join(FIELDS)}) SELECT $1, given.* FROM"
    f" unnest($2::text[], {', '.join(f'${at + 3}::integer[]' for at in range(len(FIELDS)))}) given"
    " ON CONFLICT (vault_id, token) DO UPDATE SET "
    + ", ".join(f"{name} = terms.{name} + excluded.{name}" for name in FIELDS)
)


class PostingWriter:
    """Keeps the postings of one vault. One thread uses it, inside its transactions."""

    def __init__(self, vault: int) -> None:
        self._vault = vault
        self._stemmer = stemmer()
        self._lines: LineCounts | None = None

    def forget(self) -> None:
        """A transaction was rolled back, or another process has written."""
        self._lines = None

    def write(
        self,
        session: Session,
        *,
        changed: Sequence[int],
        gone: Sequence[int],
        generation: int,
        between: Callable[[], None] = lambda: None,
    ) -> None:
        """Write the documents of changed notes, and take away those of notes that are gone.

        The template lines are those of the notes after the change. `between` is called before each
        note.
        """
        if not changed and not gone:
            return
        before = self._known_template(session)
        counts = self._counted(session, changed, gone)
        template = counts.template
        also = self._having(session, before ^ template) - {*changed, *gone}
        if template != before:
            packed = np.array(sorted(template), "<u4").tobytes()
            session.execute("UPDATE vaults SET template = $2 WHERE id = $1", self._vault, packed)
        self._replace(session, list(gone), [], generation)
        for texts in texts_of(session, self._vault, sorted({*changed, *also})):
            made = []
            for text in texts:
                between()
                made.append(documents_of(text, template, self._stemmer))
            self._replace(session, [text.note_id for text in texts], made, generation)
        self._lines = counts

    def write_all(self, session: Session, generation: int) -> bytes:
        """Write all documents anew; returns the template lines, as the vault's row has them.

        For a new vault, or after a change of how text is analysed.
        """
        self._lines = None
        ids = [row[0] for row in session.read(_IDS, self._vault)]
        every = (text.lines() for texts in texts_of(session, self._vault, ids) for text in texts)
        template = LineCounts.of(list(every)).template
        for table in ("documents", "note_terms", "postings", "terms"):
            session.execute(f"DELETE FROM {table} WHERE vault_id = $1", self._vault)
        session.execute(_STAGED)
        terms = _TermCounts()
        for texts in texts_of(session, self._vault, ids):
            made = [documents_of(text, template, self._stemmer) for text in texts]
            self._add_documents(session, made, generation)
            postings = _postings(made)
            session.copy("staged", tuple(_POSTINGS), postings)
            terms.add(postings)
        schema.insert_ordered(session, self._vault)
        upsert(session, "terms", self._vault, _COUNTS, terms.rows())
        return np.array(sorted(template), "<u4").tobytes()

    # --- template lines ---

    def _known_template(self, session: Session) -> frozenset[int]:
        ((packed,),) = session.read("SELECT template FROM vaults WHERE id = $1", self._vault)
        return frozenset(_lines(packed).tolist())

    def _counted(self, session: Session, changed: Sequence[int], gone: Sequence[int]) -> LineCounts:
        new = [text.lines() for texts in texts_of(session, self._vault, changed) for text in texts]
        if self._lines is None:
            every = session.read("SELECT lines FROM note_terms WHERE vault_id = $1", self._vault)
            self._lines = LineCounts.of([_lines(packed) for (packed,) in every])
        old = session.read(
            "SELECT lines FROM note_terms WHERE vault_id = $1 AND note_id = ANY($2)",
            self._vault, [*changed, *gone],
        )  # fmt: skip
        return self._lines.changed(old=[_lines(packed) for (packed,) in old], new=new)

    def _having(self, session: Session, lines: frozenset[int]) -> set[int]:
        """The notes, as they were last written, that have any of the lines."""
        if not lines:
            return set()
        found = session.read(
            "SELECT note_id, lines FROM note_terms WHERE vault_id = $1", self._vault
        )
        return holders(lines, [row[0] for row in found], [_lines(row[1]) for row in found])

    # --- postings ---

    def _replace(
        self,
        session: Session,
        notes: Sequence[int],
        made: Sequence[NoteDocuments],
        generation: int,
    ) -> None:
        """Put documents in the place of those that some notes had."""
        vault = self._vault
        lost = session.read(
            "DELETE FROM postings WHERE vault_id = $1 AND note_id = ANY($2)"
            " RETURNING token, places",
            vault, notes,
        )  # fmt: skip
        for table in ("documents", "note_terms"):
            session.execute(
                f"DELETE FROM {table} WHERE vault_id = $1 AND note_id = ANY($2)",
                vault, notes,
            )  # fmt: skip
        postings = _postings(made)
        postings.sort(key=itemgetter(0))  # notes that share words are written to the same pages
        self._add_documents(session, made, generation)
        upsert(session, "postings", vault, _POSTINGS, postings)
        self._count(session, [(token, places) for token, _, places in postings], lost)

    def _add_documents(
        self, session: Session, made: Sequence[NoteDocuments], generation: int
    ) -> None:
        documents = [
            (each.chunk_id, note.note_id, each.lengths, each.words)
            for note in made
            for each in note.documents
        ]
        terms = [(note.note_id, generation, note.terms, note.lines) for note in made]
        upsert(session, "documents", self._vault, _DOCUMENTS, documents)
        upsert(session, "note_terms", self._vault, _TERMS, terms)

    def _count(
        self, session: Session, gained: Sequence[tuple[str, bytes]], lost: Sequence[Row]
    ) -> None:
        """Change the document frequencies by postings that came and postings that went."""
        change: dict[str, npt.NDArray[np.int32]] = {}
        for sign, rows in ((1, gained), (-1, [(token, places) for token, places in lost])):
            for token, counts in zip(*frequencies(rows), strict=True):
                change[token] = change.get(token, 0) + sign * counts
        rows = [(token, *counts.tolist()) for token, counts in change.items() if counts.any()]
        session.execute(_CHANGE_TERMS, self._vault, *columns_of(rows, len(FIELDS) + 1))
        fewer = [row[0] for row in rows if min(row[1:]) < 0]
        session.execute(
            f"DELETE FROM terms WHERE vault_id = $1 AND token = ANY($2)"
            f" AND greatest({', '.join(FIELDS)}) <= 0",
            self._vault, fewer,
        )  # fmt: skip


def texts_of(session: Session, vault: int, notes: Sequence[int]) -> Iterator[list[SearchText]]:
    """The data that is read of notes, some hundred at a time."""
    for first in range(0, len(notes), _NOTES_AT_ONCE):
        some = list(notes[first : first + _NOTES_AT_ONCE])
        chunks: dict[int, list[ChunkText]] = {}
        for chunk_id, note_id, headings, block, text in session.read(
            "SELECT id, note_id, headings, block, text FROM chunks"
            " WHERE vault_id = $1 AND note_id = ANY($2) ORDER BY note_id, ordinal",
            vault, some,
        ):  # fmt: skip
            inner = inner_headings(block, text)
            passage = ChunkText(chunk_id, strings(headings), text, inner=inner)
            chunks.setdefault(note_id, []).append(passage)
        found = session.read(
            f"SELECT {NOTE_COLUMNS} FROM notes WHERE vault_id = $1 AND id = ANY($2)"
            " ORDER BY id",
            vault, some,
        )  # fmt: skip
        yield [
            note_text(
                note.id,
                note.path,
                title=note.title,
                aliases=note.aliases,
                tags=note.tags,
                properties=note.properties,
                chunks=chunks.get(note.id, ()),
            )
            for note in map(note_of, found)
        ]


def _lines(packed: bytes) -> LineHashes:
    return np.frombuffer(packed, "<u4").astype(np.uint32)
