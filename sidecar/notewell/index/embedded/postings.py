"""The keyword index on disk: a tantivy folder, derived from the database and never trusted.

One document is one chunk, or one note that has none; the first of a note also has the vocabulary
of the whole note, whose term counts are stored in a separate file (term_counts.py). A marker
document, replaced in every commit, holds the identity and the generation of the database, so that
a crash between two commits is noticed at opening; then only notes that changed since are indexed.
"""

from __future__ import annotations

import logging
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

import numpy as np
import tantivy
from tantivy import tantivy as native

from notewell.errors import IndexFailure
from notewell.index.analyze import stemmer
from notewell.index.embedded import term_counts
from notewell.index.embedded.term_counts import TERM_COUNTS_FILE, TermCountFile
from notewell.index.lexical import EXACT_FIELDS, STEMS, STOP, NoteText, note_documents
from notewell.types import IdArray

FOLDER = "keywords"
FORMAT = f"5/{native.__version__}"  # counted up when fields or the analyzer change
VOCABULARY = "vocabulary"  # of a note's first document: all stems of the note, and `EVERY`
EVERY = "\u00a7"  # occurs in the vocabulary of every note; the analyzer never makes it
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
    builder.add_text_field(VOCABULARY, tokenizer_name="stems", index_option="basic")
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
        self._writer: tantivy.IndexWriter | None = None
        self._temporary: Path | None = None
        self._stemmer = stemmer()
        self._term_counts = TermCountFile(None if path is None else path / TERM_COUNTS_FILE)
        with tantivy_errors():
            if path is None:
                self._index = tantivy.Index(self.schema)
            else:
                path.mkdir(parents=True, exist_ok=True)
                self._index = tantivy.Index(self.schema, path=str(path))
            self._index.register_tokenizer("words", _whitespace())
            self._index.register_tokenizer("stems", stemmer())
            self._index.config_reader("manual")
            self._index.reload()

    @classmethod
    def copy_of(cls, path: Path) -> Postings:
        """A private copy for a reader, which must not write the original; removed at closing."""
        temporary = Path(tempfile.mkdtemp(prefix="notewell-"))
        try:
            with tantivy_errors():
                shutil.copytree(
                    path,
                    temporary / FOLDER,
                    ignore=shutil.ignore_patterns(".tantivy-*", f"{TERM_COUNTS_FILE}*"),
                )
            with closing(TermCountFile(path / TERM_COUNTS_FILE)) as original:
                original.copy_to(temporary / FOLDER / TERM_COUNTS_FILE)
            copied = cls(temporary / FOLDER)
        except BaseException:  # nothing else would remove the copy
            shutil.rmtree(temporary, ignore_errors=True)
            raise
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

    def belongs_to(self) -> tuple[str, int] | None:
        """The database and the generation the last commit was made for; None: unknown.

        Where the term counts are older than the documents, it is their generation.
        """
        with tantivy_errors():
            searcher = self.searcher
            query = tantivy.Query.term_query(self.schema, "marker", "marker")
            hits = searcher.search(query, 1).hits
            state = str(searcher.doc(hits[0][1])["state"][0]).split("|") if hits else []
        counted_for = self._term_counts.belongs_to()
        if (
            len(state) != 3
            or state[0] != FORMAT
            or counted_for is None
            or counted_for[0] != state[1]
        ):
            return None
        return state[1], min(int(state[2]), counted_for[1])

    def update(
        self, texts: Iterable[NoteText], *, gone: Sequence[int], database: str, generation: int
    ) -> None:
        """Index notes and delete others, in one commit. Term counts go first; see `belongs_to`."""
        with tantivy_errors():
            writer = self._open_writer()
            for note_id in gone:
                writer.delete_documents_by_term("note", note_id)
            counted: list[tuple[int, bytes]] = []
            for note in texts:
                writer.delete_documents_by_term("note", note.note_id)
                documents, packed = _documents(note, self._stemmer)
                for document in documents:
                    writer.add_document(tantivy.Document.from_dict(document, self.schema))
                counted.append((note.note_id, packed))
                if len(counted) >= _NOTES_PER_WRITE:
                    self._term_counts.put(counted)
                    counted = []
            self._term_counts.complete(counted, gone=gone, database=database, generation=generation)
            writer.delete_documents_by_term("marker", "marker")
            state = f"{FORMAT}|{database}|{generation}"
            marker: dict[str, object] = {"marker": "marker", "state": state}
            writer.add_document(tantivy.Document.from_dict(marker, self.schema))
            writer.commit()
            self._index.reload()
            self.commits += 1

    def clear(self) -> None:
        """Delete everything; only the term counts are committed, so an update has to follow."""
        self._term_counts.clear()
        with tantivy_errors():
            self._open_writer().delete_all_documents()

    def note_ids(self) -> IdArray:
        """The notes that have a document."""
        return self.column(tantivy.Query.exists_query("note"), "note")

    def column(self, query: tantivy.Query, name: str) -> IdArray:
        """Different values of a number field in all documents that a query matches, ascending."""
        with tantivy_errors():
            searcher = self.searcher
            hits = searcher.search(
                tantivy.Query.const_score_query(query, 1.0), max(searcher.num_docs, 1), count=False
            ).hits
            values = searcher.fast_field_values(name, [address for _, address in hits])
        return np.unique(np.array(values, dtype=np.int64))

    def term_counts(self, note_ids: IdArray) -> tuple[IdArray, list[bytes]]:
        """The term counts of those notes that are indexed, with their ids."""
        return self._term_counts.of(note_ids)

    def close(self) -> None:
        """Wait for running merges and release the folder."""
        if self._writer is not None:
            with tantivy_errors():
                self._writer.wait_merging_threads()
            self._writer = None
        self._term_counts.close()
        if self._temporary is not None:
            shutil.rmtree(self._temporary, ignore_errors=True)
            self._temporary = None

    def _open_writer(self) -> tantivy.IndexWriter:
        if self._writer is None:
            self._writer = self._index.writer(_HEAP_BYTES, 1)
        return self._writer


def _documents(
    note: NoteText, stems: tantivy.TextAnalyzer
) -> tuple[list[dict[str, object]], bytes]:
    """The documents of a note, and its packed term counts."""
    made = note_documents(note)
    documents: list[dict[str, object]] = [
        {"chunk": chunk_id, "note": note.note_id, **fields} for chunk_id, fields in made.fields
    ]
    words = [stem for stem in stems.analyze(made.whole) if stem != STOP]
    documents[0][VOCABULARY] = " ".join({EVERY: None, **dict.fromkeys(words)})
    return documents, term_counts.pack(words)


def discard(path: Path) -> None:
    """Remove an unusable folder."""
    logger.warning("The keyword index %s does not fit and is rebuilt.", path)
    shutil.rmtree(path, ignore_errors=True)
