"""Write what keywords find in the database: postings, lengths, terms and template lines.

They are written in the transaction that changes the notes. Document frequencies (`terms`) are
counted up and down by what each transaction adds and takes away. When a line becomes a template
line, or ceases to be one, all notes with it are written again (`notewell.index.lexical`).
Of a vault that is new, all are written at once, word by word, as they are read.
"""

# ruff: noqa: S608 (what is put into SQL are names and numbers of ours; values are bound)

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from operator import itemgetter

import numpy as np
import numpy.typing as npt

from notewell.index.analyze import stemmer
from notewell.index.clauses import FIELDS
from notewell.index.lexical import ChunkText, SearchText, note_text
from notewell.index.row_values import NOTE_COLUMNS, inner_headings, note_of, strings
from notewell.index.template_lines import LineCounts, LineHashes, holders
from notewell_postgres import schema
from notewell_postgres.connection import Row, Session
from notewell_postgres.documents import (
    NoteDocuments,
    TermCounts,
    documents_of,
    frequencies,
    postings_of,
)
from notewell_postgres.rows import columns_of, upsert

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
        counts = self._count_lines(session, changed, gone)
        template = counts.template
        also = self._having(session, before ^ template) - {*changed, *gone}
        if template != before:
            packed = np.array(sorted(template), "<u4").tobytes()
            session.execute("UPDATE vaults SET template = $2 WHERE id = $1", self._vault, packed)
        self._replace(session, list(gone), [], generation)
        for texts in texts_of(session, self._vault, sorted({*changed, *also})):
            documents = []
            for text in texts:
                between()
                documents.append(documents_of(text, template, self._stemmer))
            self._replace(session, [text.note_id for text in texts], documents, generation)
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
        terms = TermCounts()
        for texts in texts_of(session, self._vault, ids):
            documents = [documents_of(text, template, self._stemmer) for text in texts]
            self._add_documents(session, documents, generation)
            postings = postings_of(documents)
            session.copy("staged", tuple(_POSTINGS), postings)
            terms.add(postings)
        schema.insert_ordered(session, self._vault)
        upsert(session, "terms", self._vault, _COUNTS, terms.rows())
        return np.array(sorted(template), "<u4").tobytes()

    # --- template lines ---

    def _known_template(self, session: Session) -> frozenset[int]:
        ((packed,),) = session.read("SELECT template FROM vaults WHERE id = $1", self._vault)
        return frozenset(_lines(packed).tolist())

    def _count_lines(
        self, session: Session, changed: Sequence[int], gone: Sequence[int]
    ) -> LineCounts:
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
        rows = session.read(
            "SELECT note_id, lines FROM note_terms WHERE vault_id = $1", self._vault
        )
        return holders(lines, [row[0] for row in rows], [_lines(row[1]) for row in rows])

    # --- postings ---

    def _replace(
        self,
        session: Session,
        notes: Sequence[int],
        documents: Sequence[NoteDocuments],
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
        postings = postings_of(documents)
        postings.sort(key=itemgetter(0))  # notes that share words are written to the same pages
        self._add_documents(session, documents, generation)
        upsert(session, "postings", vault, _POSTINGS, postings)
        self._count(session, [(token, places) for token, _, places in postings], lost)

    def _add_documents(
        self, session: Session, notes: Sequence[NoteDocuments], generation: int
    ) -> None:
        documents = [
            (document.chunk_id, note.note_id, document.lengths, document.words)
            for note in notes
            for document in note.documents
        ]
        terms = [(note.note_id, generation, note.terms, note.lines) for note in notes]
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
        rows = session.read(
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
            for note in map(note_of, rows)
        ]


def _lines(packed: bytes) -> LineHashes:
    return np.frombuffer(packed, "<u4").astype(np.uint32)
