"""The keyword index on disk: a tantivy folder, derived from the database and never trusted.

One document is one chunk, or one note that has none. The terms of whole notes are in files beside
it (note_terms.py, note_search.py). A marker document, replaced in every commit, holds the identity
and the generation of the database, so that a crash between two commits is noticed at opening; then
only notes that changed since are indexed.
"""

from __future__ import annotations

import json
import logging
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import tantivy
from tantivy import tantivy as native

from notewell.errors import IndexFailure
from notewell.index.analyze import stemmer
from notewell.index.embedded.note_search import NoteSearch
from notewell.index.embedded.note_terms import NOTE_TERMS_FILE, NoteTermsFile
from notewell.index.lexical import EXACT_FIELDS, STEMS, STOP, NoteText, note_documents
from notewell.index.note_fields import pack_terms
from notewell.support import cleanup, private
from notewell.types import IdArray

FOLDER = "keywords"
FORMAT = f"7/{native.__version__}"  # counted up when fields or the analyzer change
_HEAP_BYTES = 64_000_000  # bounds memory while indexing; one segment a flush
_NOTES_PER_WRITE = 500  # a megabyte

logger = logging.getLogger(__name__)


def _schema() -> tantivy.Schema:
    builder = tantivy.SchemaBuilder()
    # Signed, because deletion by term supports no other numbers.
    builder.add_integer_field("chunk", indexed=True, fast=True)
    builder.add_integer_field("note", indexed=True, fast=True)
    builder.add_text_field("marker", stored=True, tokenizer_name="raw", index_option="basic")
    builder.add_text_field("state", stored=True, tokenizer_name="raw", index_option="basic")
    for name in EXACT_FIELDS:
        builder.add_text_field(name, tokenizer_name="words", index_option="position")
    builder.add_text_field(STEMS, tokenizer_name="stems", index_option="freq")
    return builder.build()


def _whitespace() -> tantivy.TextAnalyzer:
    return tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace()).build()


@contextmanager
def tantivy_errors() -> Iterator[None]:
    """Turn tantivy's exceptions into IndexFailure.

    It raises ValueError for most failures, and a Rust panic arrives as a BaseException of a
    class that cannot be imported; both mean that the folder is unusable.
    """
    try:
        yield
    except (ValueError, OSError) as error:
        raise IndexFailure(f"The keyword index failed: {error}") from error
    except BaseException as error:
        if type(error).__name__ != "PanicException":
            raise
        raise IndexFailure(f"The keyword index failed: {error}") from error


@dataclass(frozen=True, slots=True)
class _Changed:
    """The last terms of changed notes; `are_all`: none were stored before."""

    rows: list[tuple[int, bytes]]
    are_all: bool


class Postings:
    """An open keyword index: written by one thread, read by any."""

    def __init__(self, path: Path | None) -> None:
        """Open or create the folder `path`; None holds it in memory.

        Raises:
            IndexFailure: it does not open, or another schema wrote it.

        """
        self.path = path
        self.commits = 0  # counted up whenever `searcher` sees something else
        self.schema = _schema()
        self._documents: tuple[int, int] | None = None  # commits, and the number after the last
        self._writer: tantivy.IndexWriter | None = None
        self._temporary: Path | None = None
        self._stemmer = stemmer()
        self._terms = NoteTermsFile(None if path is None else path / NOTE_TERMS_FILE)
        self.notes = NoteSearch(self._terms, path, FORMAT)
        with tantivy_errors():
            if path is None:
                self._index = tantivy.Index(self.schema)
            else:
                private.make_folder(path)
                self._index = tantivy.Index(self.schema, path=str(path))
            self._index.register_tokenizer("words", _whitespace())
            self._index.register_tokenizer("stems", stemmer())
            self._index.config_reader("manual")
            self._index.reload()

    @classmethod
    def copy_of(cls, path: Path) -> Postings:
        """A private copy for a reader, which must not write the original; removed at closing."""
        temporary = Path(tempfile.mkdtemp(prefix="notewell-"))
        with cleanup.on_error(partial(shutil.rmtree, temporary, ignore_errors=True)):
            with tantivy_errors():
                shutil.copytree(
                    path,
                    temporary / FOLDER,
                    ignore=shutil.ignore_patterns(".tantivy-*", f"{NOTE_TERMS_FILE}*"),
                )
            with closing(NoteTermsFile(path / NOTE_TERMS_FILE)) as original:
                original.copy_to(temporary / FOLDER / NOTE_TERMS_FILE)
            copied = cls(temporary / FOLDER)
        copied._temporary = temporary
        return copied

    @property
    def searcher(self) -> tantivy.Searcher:
        """A snapshot of the last commit, which later commits do not change."""
        return self._index.searcher()

    def reload(self) -> None:
        """See what another process has committed."""
        with tantivy_errors():
            self._index.reload()
            self.commits += 1
        self.notes.reload()

    def belongs_to(self) -> tuple[str, int] | None:
        """The database and the generation the last commit was made for; None: unknown.

        Where the terms of notes are older than the documents, it is their generation.
        """
        with tantivy_errors():
            searcher = self.searcher
            query = tantivy.Query.term_query(self.schema, "marker", "marker")
            hits = searcher.search(query, 1).hits
            state = str(searcher.doc(hits[0][1])["state"][0]).split("|") if hits else []
        terms = self._terms.state()
        if len(state) != 3 or state[0] != FORMAT or terms is None or terms.database != state[1]:
            return None
        return state[1], min(int(state[2]), terms.generation)

    @property
    def document_count(self) -> int:
        """How many documents there are, deleted ones that still count in tantivy included.

        BM25's statistics in tantivy are of all documents until a merge of segments drops the
        deleted ones; only an explanation tells how many there are.
        """
        known = self._documents
        if known is None or known[0] != self.commits:
            known = self._documents = (self.commits, self._counted_documents())
        return known[1]

    def _counted_documents(self) -> int:
        with tantivy_errors():
            searcher = self.searcher
            query = tantivy.Query.term_query(self.schema, "marker", "marker")
            hits = searcher.search(query, 1).hits
            if not hits:
                return searcher.num_docs
            explained = json.loads(query.explain(searcher, hits[0][1]).to_json())
        return max(_explained_count(explained), searcher.num_docs)

    def update(
        self, texts: Iterable[NoteText], *, gone: Sequence[int], database: str, generation: int
    ) -> None:
        """Index notes and delete others, in one commit. Their terms go first; see `belongs_to`."""
        with tantivy_errors():
            writer = self._open_writer()
            for note_id in gone:
                writer.delete_documents_by_term("note", note_id)
            changed = self._put_notes(writer, texts, generation)
            self._terms.complete(changed.rows, gone=gone, database=database, generation=generation)
            writer.delete_documents_by_term("marker", "marker")
            self._put_marker(writer, database, generation)
            self._commit(writer)
        self.notes.update(changed.rows if changed.are_all else None, gone=gone)

    def put_again(self, texts: Iterable[NoteText]) -> None:
        """Write the documents of notes anew, as they were, in one commit."""
        with tantivy_errors():
            writer = self._open_writer()
            for note in texts:
                self._put_documents(writer, note)
            self._commit(writer)

    def put_all_again(self, texts: Iterable[NoteText], *, database: str, generation: int) -> None:
        """Write all documents anew, as they were, in one commit; nothing is left of the old."""
        with tantivy_errors():
            writer = self._open_writer()
            writer.delete_all_documents()
            for note in texts:
                self._put_documents(writer, note)
            self._put_marker(writer, database, generation)
            self._commit(writer)

    def finish_merges(self) -> None:
        """Wait until tantivy has merged what it wants to, and search the outcome."""
        with tantivy_errors():
            if self._writer is not None:
                writer, self._writer = self._writer, None
                writer.wait_merging_threads()
            self._restrict()
            self._index.reload()
            self.commits += 1

    def _commit(self, writer: tantivy.IndexWriter) -> None:
        writer.commit()
        self._restrict()
        self._index.reload()
        self.commits += 1

    def _put_marker(self, writer: tantivy.IndexWriter, database: str, generation: int) -> None:
        state = f"{FORMAT}|{database}|{generation}"
        marker: dict[str, object] = {"marker": "marker", "state": state}
        writer.add_document(tantivy.Document.from_dict(marker, self.schema))

    def _put_documents(self, writer: tantivy.IndexWriter, note: NoteText) -> None:
        writer.delete_documents_by_term("note", note.note_id)
        for chunk_id, fields in note_documents(note):
            padded = {name: _padded(text) for name, text in fields.items()}
            document: dict[str, object] = {"chunk": chunk_id, "note": note.note_id, **padded}
            writer.add_document(tantivy.Document.from_dict(document, self.schema))

    def _put_notes(
        self, writer: tantivy.IndexWriter, texts: Iterable[NoteText], generation: int
    ) -> _Changed:
        """Index notes; the terms of many are stored as they come, to bound memory."""
        rows: list[tuple[int, bytes]] = []
        are_all = True
        for note in texts:
            self._put_documents(writer, note)
            rows.append((note.note_id, pack_terms(note, self._stemmer)))
            if len(rows) >= _NOTES_PER_WRITE:
                self._terms.put(rows, generation)
                rows, are_all = [], False
        return _Changed(rows, are_all)

    def clear(self) -> None:
        """Delete everything; only the terms of notes are committed, so an update has to follow."""
        self._terms.clear()
        self.notes.clear()
        with tantivy_errors():
            self._open_writer().delete_all_documents()

    def note_ids(self) -> IdArray:
        """The notes that have a document, or terms that an interrupted update stored."""
        documents = self.column(tantivy.Query.exists_query("note"), "note")
        return np.union1d(documents, self._terms.note_ids())

    def column(self, query: tantivy.Query, name: str) -> IdArray:
        """Different values of a number field in all documents that a query matches, ascending."""
        with tantivy_errors():
            searcher = self.searcher
            hits = searcher.search(
                tantivy.Query.const_score_query(query, 1.0), max(searcher.num_docs, 1), count=False
            ).hits
            values = searcher.fast_field_values(name, [address for _, address in hits])
        return np.unique(np.array(values, dtype=np.int64))

    def close(self) -> None:
        """Wait for running merges and release the folder."""
        if self._writer is not None:
            with tantivy_errors():
                self._writer.wait_merging_threads()
            self._writer = None
            self._restrict()
        self._terms.close()
        if self._temporary is not None:
            shutil.rmtree(self._temporary, ignore_errors=True)
            self._temporary = None

    def _restrict(self) -> None:
        """Close the files of a commit to other users, whom the folder keeps out already."""
        if self.path is not None:
            private.restrict_all(self.path)

    def _open_writer(self) -> tantivy.IndexWriter:
        if self._writer is None:
            self._writer = self._index.writer(_HEAP_BYTES, 1)
        return self._writer


def _padded(text: str) -> str:
    """The tokens of a field, and separators until their number is one that a byte can hold.

    Tantivy stores lengths in a byte, rounded down, and a merge that drops deleted documents adds up
    the rounded ones: without this, BM25's mean length would depend on what was merged when.
    """
    length = len(text.split())
    missing = _stored_length(length) - length
    return f"{text}{f' {STOP}' * missing}" if missing else text


def _stored_length(length: int) -> int:
    """The least length from this on that tantivy's byte stands for: Lucene's `SmallFloat`.

    Up to 40 all; above, 24 and a number of four significant bits.
    """
    rest = length - 24
    if rest <= 16:
        return length
    step = 1 << (rest.bit_length() - 4)
    return 24 + -(-rest // step) * step


def _explained_count(explained: Mapping[str, Any]) -> int:
    """N of BM25 in tantivy's explanation of a score; 0 where it has none."""
    if str(explained.get("description", "")).startswith("N, "):
        return int(explained["value"])
    return max([_explained_count(part) for part in explained.get("details", ())], default=0)


def discard(path: Path) -> None:
    """Remove an unusable folder."""
    logger.warning("The keyword index %s does not fit and is rebuilt.", path)
    shutil.rmtree(path, ignore_errors=True)
