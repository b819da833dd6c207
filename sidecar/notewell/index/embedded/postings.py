"""The keyword index on disk: a tantivy folder, derived from the database and never trusted.

One document is one chunk, or one note that has none. The terms of whole notes are in files beside
it (note_terms.py, note_search.py). A marker document, replaced in every commit, holds the identity
and the generation of the database, so that a crash between two commits is noticed at opening; then
only notes that changed since are indexed.

Tantivy writes its files with checksums and reads them without, so they are checked here: a file
ends in a footer, JSON with the CRC-32 of what is before it, the length of the JSON (uint32,
little-endian) and a magic number (uint32). A changed byte would otherwise be another frequency or
another document, and no error.
"""

from __future__ import annotations

import json
import logging
import mmap
import os
import shutil
import struct
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
import tantivy
from tantivy import tantivy as native

from notewell.base.errors import IndexFailure, on_error
from notewell.base.support import disk
from notewell.base.types import IdArray
from notewell.index.analyze import stemmer
from notewell.index.arrays import ascending
from notewell.index.embedded.note_lines import TemplateLines
from notewell.index.embedded.note_search import NoteSearch
from notewell.index.embedded.note_terms import NOTE_TERMS_FILE, NoteTermsFile
from notewell.index.lexical import (
    PHRASE_FIELDS,
    STEMS,
    STOP,
    SearchText,
    note_documents,
    pad_tokens,
    stored_length,
)
from notewell.index.note_terms import pack_terms

_END = struct.Struct("<II")
_MAGIC = 1337
_META = "meta.json"
_MOST_FOOTER = 4096  # bytes; it has some ninety
_LARGE = 8_000_000  # bytes of all files, which take ten milliseconds
_MOST_THREADS = 4


def check_files(folder: Path) -> None:
    """Check the checksums of all files that the last commit names; a folder without one is new.

    Raises:
        IndexFailure: one is damaged or missing, or cannot be read.

    """
    try:
        meta = json.loads((folder / _META).read_bytes())
        segments = {str(segment["segment_id"]).replace("-", "") for segment in meta["segments"]}
        files = [file for file in folder.iterdir() if file.name.partition(".")[0] in segments]
        damaged = _first_damaged(sorted(files))
        if damaged is not None:
            raise IndexFailure(f"The keyword index failed: {damaged.name} is damaged.")
    except FileNotFoundError:
        return
    except (OSError, ValueError, LookupError, TypeError) as error:
        raise IndexFailure(f"The keyword index failed: {error}") from error


def _first_damaged(files: Sequence[Path]) -> Path | None:
    """The first file that is not whole; large ones are read by several processors at once."""
    if sum(file.stat().st_size for file in files) < _LARGE:
        return next((file for file in files if not _is_whole(file)), None)
    with ThreadPoolExecutor(min(os.cpu_count() or 1, _MOST_THREADS)) as threads:
        whole = threads.map(_is_whole, files)
        return next((file for file, fine in zip(files, whole, strict=True) if not fine), None)


def _is_whole(file: Path) -> bool:
    size = file.stat().st_size
    if size < _END.size:
        return False
    with (
        file.open("rb") as stream,
        mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as mapped,
    ):
        length, magic = _END.unpack(mapped[-_END.size :])
        start = size - _END.size - length
        if magic != _MAGIC or length > _MOST_FOOTER or start < 0:
            return False
        footer = json.loads(mapped[start : size - _END.size])
        with memoryview(mapped) as view, view[:start] as content:
            return bool(crc32(content) == footer["crc"])


TEXT_FIELDS = (*PHRASE_FIELDS, STEMS)


def schema() -> tantivy.Schema:
    """The fields: numbers of the chunk and its note, the marker, texts, and their lengths."""
    builder = tantivy.SchemaBuilder()
    # Signed, because deletion by term supports no other numbers.
    builder.add_integer_field("chunk", indexed=True, fast=True)
    builder.add_integer_field("note", indexed=True, fast=True)
    builder.add_text_field("marker", stored=True, tokenizer_name="raw", index_option="basic")
    builder.add_text_field("state", stored=True, tokenizer_name="raw", index_option="basic")
    for name in PHRASE_FIELDS:
        builder.add_text_field(name, tokenizer_name="words", index_option="position")
    builder.add_text_field(STEMS, tokenizer_name="stems", index_option="freq")
    for name in TEXT_FIELDS:  # numbers of tokens, which keywords.py adds up
        builder.add_integer_field(length_of(name), fast=True)
    return builder.build()


def length_of(name: str) -> str:
    """The number field with the length of a text field."""
    return f"length_{name}"


def whitespace() -> tantivy.TextAnalyzer:
    """An analyzer that splits text at whitespace."""
    return tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace()).build()


FOLDER = "keywords"
FORMAT = f"12/{native.__version__}"  # counted up when fields or the analyzer change
BALANCE = "balance"  # in the field `marker`: documents without a chunk, made by keywords.py
_HEAP_BYTES = 64_000_000  # bounds memory while indexing; one segment a flush
_NOTES_PER_WRITE = 500  # a megabyte

logger = logging.getLogger(__name__)


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


def count_of(result: tantivy.SearchResult) -> int:
    """The number of living documents that a search with `count=True` matched."""
    return int(result.count)  # type: ignore[attr-defined]  # the stub does not have it


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
            IndexFailure: it does not open, is damaged, or another schema wrote it.

        """
        self.path = path
        self.commits = 0  # counted up whenever `searcher` sees something else
        self.schema = schema()
        self._documents: tuple[int, tuple[int, int]] | None = None  # after how many commits
        self._writer: tantivy.IndexWriter | None = None
        self._temporary: Path | None = None
        self._stemmer = stemmer()
        self._terms = NoteTermsFile(None if path is None else path / NOTE_TERMS_FILE)
        self.lines = TemplateLines(self._terms, path)
        self.notes = NoteSearch(self._terms, path, FORMAT)
        with tantivy_errors():
            if path is None:
                self._index = tantivy.Index(self.schema)
            else:
                disk.make_folder(path)
                check_files(path)
                self._index = tantivy.Index(self.schema, path=str(path))
            self._index.register_tokenizer("words", whitespace())
            self._index.register_tokenizer("stems", stemmer())
            self._index.config_reader("manual")
            self._index.reload()

    @classmethod
    def copy_of(cls, path: Path) -> Postings:
        """A private copy for a reader, which must not write the original; removed at closing."""
        temporary = Path(tempfile.mkdtemp(prefix="notewell-"))
        with on_error(partial(shutil.rmtree, temporary, ignore_errors=True)):
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
        self.lines.forget()
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
        """The documents that tantivy counts: with those that balance lengths, and deleted ones.

        Deleted ones count until a merge of segments; only an explanation tells how many they are.
        """
        return self._document_counts()[0]

    @property
    def living_count(self) -> int:
        """The number of living documents: chunks, notes that have none, and the marker."""
        return self._document_counts()[1]

    @property
    def deleted_count(self) -> int:
        """The number of deleted documents that tantivy still counts."""
        return max(self.document_count - self.searcher.num_docs, 0)

    def _document_counts(self) -> tuple[int, int]:
        known = self._documents
        if known is None or known[0] != self.commits:
            known = self._documents = (self.commits, self._count_documents())
        return known[1]

    def _count_documents(self) -> tuple[int, int]:
        with tantivy_errors():
            searcher = self.searcher
            balance = tantivy.Query.term_query(self.schema, "marker", BALANCE)
            results = searcher.search(balance, 1, count=True)
            living = searcher.num_docs - count_of(results)
            address = self._marker(searcher)
            if address is None:
                return searcher.num_docs, living
            query = tantivy.Query.term_query(self.schema, "marker", "marker")
            explained = json.loads(query.explain(searcher, address).to_json())
        return max(int(_explained_part(explained, "N, ")), searcher.num_docs), living

    def mean_length(self, name: str) -> float:
        """The length of a text field that tantivy takes for the mean; 0.0 in an empty index."""
        with tantivy_errors():
            searcher = self.searcher
            address = self._marker(searcher)
            if address is None:
                return 0.0
            query = tantivy.Query.term_query(self.schema, name, STOP)
            return _explained_part(
                json.loads(query.explain(searcher, address).to_json()), "avgdl, "
            )

    def living_lengths(self) -> dict[str, int]:
        """The tokens of all documents that are neither deleted nor for balance, by text field."""
        sums = {name: {"sum": {"field": length_of(name)}} for name in TEXT_FIELDS}
        with tantivy_errors():
            summed = self.searcher.aggregate(tantivy.Query.all_query(), sums)
        return {name: round(summed[name]["value"] or 0) for name in TEXT_FIELDS}

    @property
    def template_lines(self) -> frozenset[int]:
        """The lines that the documents were written without, by hash. Raises IndexFailure."""
        return self.lines.known

    def _marker(self, searcher: tantivy.Searcher) -> tantivy.DocAddress | None:
        query = tantivy.Query.term_query(self.schema, "marker", "marker")
        hits = searcher.search(query, 1).hits
        return hits[0][1] if hits else None

    def update(
        self,
        texts: Iterable[SearchText],
        *,
        others: Callable[[Sequence[int]], Iterable[SearchText]] = lambda _: (),
        gone: Sequence[int],
        database: str,
        generation: int,
        since: int | None = None,
        between: Callable[[], None] = lambda: None,
    ) -> None:
        """Index notes and delete others, in one commit. Their terms go first; see `belongs_to`.

        Of many, `texts` is gone through twice: their lines tell which are template lines. `others`
        gives the texts of further notes that have to be written again for that. `since` is the
        generation of the documents where the terms may be later. `between` is called before each
        note.
        """
        with tantivy_errors():
            writer = self._open_writer()
            for note_id in gone:
                writer.delete_documents_by_term("note", note_id)
            held = tuple(islice(texts, _NOTES_PER_WRITE + 1))
            texts = held if len(held) <= _NOTES_PER_WRITE else texts
            lines = self.lines.change(texts, gone=gone, since=since)
            template = lines.stored.template
            notes = _mark(chain(texts, others(lines.also)), template, between)
            changed = self._put_notes(writer, notes, generation)
            self._terms.complete(
                changed.rows,
                lines=lines.stored,
                gone=gone,
                database=database,
                generation=generation,
            )
            self.lines.applied(lines)
            writer.delete_documents_by_term("marker", "marker")
            self._put_marker(writer, database, generation)
            self._commit(writer)
        self.notes.update(changed.rows if changed.are_all else None, gone=gone)

    def put_balance(self, documents: Iterable[Mapping[str, int]]) -> None:
        """Replace the documents that balance lengths, given by their tokens, in one commit."""
        with tantivy_errors():
            writer = self._open_writer()
            writer.delete_documents_by_term("marker", BALANCE)
            for lengths in documents:
                texts = {name: " ".join([STOP] * count) for name, count in lengths.items()}
                document: dict[str, object] = {"marker": BALANCE, **texts}
                writer.add_document(tantivy.Document.from_dict(document, self.schema))
            self._commit(writer)

    def put_all_again(self, texts: Iterable[SearchText], *, database: str, generation: int) -> None:
        """Write all documents anew, as they were, in one commit; nothing is left of the old."""
        with tantivy_errors():
            writer = self._open_writer()
            writer.delete_all_documents()
            template = self.lines.known
            for note in texts:
                self._put_documents(writer, note.marked(template))
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
        # A token in each text field, so that the marker's score explains their mean lengths.
        for name in TEXT_FIELDS:
            marker |= {name: STOP, length_of(name): 1}
        writer.add_document(tantivy.Document.from_dict(marker, self.schema))

    def _put_documents(self, writer: tantivy.IndexWriter, note: SearchText) -> None:
        writer.delete_documents_by_term("note", note.note_id)
        for chunk_id, fields in note_documents(note):
            document: dict[str, object] = {"chunk": chunk_id, "note": note.note_id}
            for name, text in fields.items():
                length = stored_length(len(text.split()))
                document |= {name: pad_tokens(text, length), length_of(name): length}
            writer.add_document(tantivy.Document.from_dict(document, self.schema))

    def _put_notes(
        self, writer: tantivy.IndexWriter, notes: Iterable[SearchText], generation: int
    ) -> _Changed:
        """Index notes; the terms of many are stored as they come, to bound memory."""
        rows: list[tuple[int, bytes]] = []
        are_all = True
        for note in notes:
            self._put_documents(writer, note)
            rows.append((note.note_id, pack_terms(note, self._stemmer)))
            if len(rows) >= _NOTES_PER_WRITE:
                self._terms.put(rows, generation)
                rows, are_all = [], False
        return _Changed(rows, are_all)

    def clear(self) -> None:
        """Delete everything; only the terms of notes are committed, so an update has to follow."""
        self._terms.clear()
        self.lines.forget()
        self.notes.clear()
        with tantivy_errors():
            self._open_writer().delete_all_documents()

    def note_ids(self) -> IdArray:
        """The notes that have a document, or terms that an interrupted update stored."""
        documents = self.column(tantivy.Query.exists_query("note"), "note")
        return ascending(np.concatenate((documents, self._terms.note_ids())))

    def column(self, query: tantivy.Query, name: str) -> IdArray:
        """Different values of a number field in all documents that a query matches, ascending."""
        with tantivy_errors():
            searcher = self.searcher
            hits = searcher.search(
                tantivy.Query.const_score_query(query, 1.0), max(searcher.num_docs, 1), count=False
            ).hits
            values = searcher.fast_field_values(name, [address for _, address in hits])
        return ascending(np.array(values, dtype=np.int64))

    def close(self) -> None:
        """Wait for running merges and release the folder, whatever the disk says.

        What a merge could not write is no loss: the segments that it was to replace are there.
        """
        writer, self._writer = self._writer, None
        if writer is not None:
            try:
                with tantivy_errors():
                    writer.wait_merging_threads()
            except IndexFailure as error:
                logger.info("%s", error.message)
            self._restrict()
        self._terms.close()
        if self._temporary is not None:
            shutil.rmtree(self._temporary, ignore_errors=True)
            self._temporary = None

    def _restrict(self) -> None:
        """Close the files of a commit to other users, whom the folder keeps out already."""
        if self.path is not None:
            disk.restrict_all(self.path)

    def _open_writer(self) -> tantivy.IndexWriter:
        if self._writer is None:
            self._writer = self._index.writer(_HEAP_BYTES, 1)
        return self._writer


def _mark(
    texts: Iterable[SearchText], template: frozenset[int], between: Callable[[], None]
) -> Iterator[SearchText]:
    for text in texts:
        between()
        yield text.marked(template)


def _explained_part(explained: Mapping[str, Any], name: str) -> float:
    """The number of this name in tantivy's explanation of a score; 0.0 where it has none."""
    if str(explained.get("description", "")).startswith(name):
        return float(explained["value"])
    return max([_explained_part(part, name) for part in explained.get("details", ())], default=0.0)


def discard(path: Path) -> None:
    """Remove an unusable folder."""
    logger.warning("The keyword index %s does not fit and is rebuilt.", path)
    shutil.rmtree(path, ignore_errors=True)
