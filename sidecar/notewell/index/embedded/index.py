"""The embedded engine's index: the database, and the search structures made from it."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import filelock

from notewell.base.errors import IndexFailure
from notewell.base.types import (
    Applied,
    Batch,
    IdArray,
    IndexCounts,
    IndexedModel,
    IndexFigures,
    LedgerEntry,
    LedgerState,
    ManifestEntry,
    ModelKey,
    PassageText,
    PendingText,
    StoredChunk,
    StoredNote,
    VectorPut,
)
from notewell.index.embedded import reads, tables, vector_store
from notewell.index.embedded.directory import SnapshotCache, hold
from notewell.index.embedded.keywords import Keywords
from notewell.index.embedded.reads import RecentRows
from notewell.index.embedded.store import Store, is_outdated
from notewell.index.embedded.structures import Structures
from notewell.index.embedded.vectors import Vectors
from notewell.index.embedded.writes import write_batch
from notewell.index.link_graph import LinkGraph
from notewell.index.port import NoteBasics
from notewell.index.vector_checks import as_float16

logger = logging.getLogger(__name__)


def _upgrade(directory: Path) -> None:
    lock = hold(directory)
    try:
        Store(directory, writable=True).close()
    finally:
        lock.release()


class EmbeddedIndex:
    """The index of one vault. One thread writes; any number read, each seeing whole batches."""

    def __init__(self, store: Store, lock: filelock.BaseFileLock | None) -> None:
        """Use `open` instead."""
        self._store = store
        self._lock = lock
        _, self._generation, self._text_generation = reads.generations(store)
        self._structures = Structures(store)
        self.array_cache = SnapshotCache(store)
        self._rows = RecentRows()
        self._notes: tuple[int, tuple[StoredNote, ...]] | None = None
        self._note_ids: tuple[int, IdArray] | None = None
        self._counts: tuple[tuple[int, int, int | None], IndexCounts] | None = None
        self._former_titles: tuple[int, int] | None = None

    @classmethod
    def open(cls, directory: Path, *, writable: bool) -> EmbeddedIndex:
        """Open the index in a folder; a writer creates it, and repairs a damaged one.

        One that an older version wrote is brought up to date, also for a reader.

        Raises:
            NotFoundError: there is none, and it is opened for reading.
            IndexInUseError: another process writes it; for a reader, only if it is outdated.
            IndexFailure: the disk refuses, or a newer version wrote it.

        """
        with ExitStack() as undo:
            lock = hold(directory) if writable else None
            if lock is not None:
                undo.callback(lock.release)
            elif is_outdated(directory):
                _upgrade(directory)
            store = Store(directory, writable=writable)
            undo.callback(store.close)
            opened = cls(store, lock)
            undo.pop_all()  # it is the index that closes them now
            return opened

    def close(self) -> None:
        """Save snapshots, if this is the writer, and close everything. Twice is no error."""
        try:
            self._save(closing=True)
        finally:
            try:
                self._structures.close()
            finally:
                self._store.close()
                if self._lock is not None:
                    self._lock.release()

    @property
    def writable(self) -> bool:
        """Whether this process writes it."""
        return self._store.writable

    @property
    def generation(self) -> int:
        """Counts the batches; what is served belongs to it."""
        return self._generation

    @property
    def identity(self) -> str:
        """Created with the database; ids of notes are valid only together with it."""
        return reads.generations(self._store)[0]

    # --- writing (one thread) ---

    def apply(self, batch: Batch, *, between_notes: Callable[[], None] = lambda: None) -> Applied:
        """Commit a batch in one transaction and make it searchable.

        `between_notes` is called between two notes that become searchable.

        Raises:
            IndexFailure: the disk refuses; nothing has changed.

        """
        with self._store.transaction() as connection:
            changes = write_batch(connection, batch)
        self._generation = changes.generation
        self._notes = None
        self._rows = RecentRows()
        if changes.in_text:
            self._text_generation = changes.generation
            self._structures.update(changes, between_notes)
        return changes.applied

    def use_model(self, model: ModelKey | None, dimensions: int) -> None:
        """Search with a model's vectors; None: with none.

        Raises:
            ModelError: vectors of the model are stored with another dimension.

        """
        number = None
        if not self._store.writable:
            known = None if model is None else vector_store.model_id(self._store, model, dimensions)
            self._structures.load_vectors(known, dimensions)
            return
        with self._store.transaction() as connection:
            if model is not None:
                number = vector_store.register_model(connection, model, dimensions)
            if vector_store.use_model(connection, number):
                tables.next_generation(connection, text=False)
        self._structures.load_vectors(number, dimensions)
        # Loading deletes damaged vectors, which is a generation of its own.
        _, self._generation, _ = reads.generations(self._store)

    def store_vectors(self, model: ModelKey, puts: Sequence[VectorPut]) -> int:
        """Store vectors permanently and search with them; returns the generation.

        Raises:
            ModelError: one has the wrong dimension or is not finite; none was stored.

        """
        if not puts:
            return self._generation
        dimensions = vector_store.dimensions_of(self._store, model) or len(puts[0].vector)
        vectors = [(put.text_hash, as_float16(put, dimensions, model).tobytes()) for put in puts]
        with self._store.transaction() as connection:
            number = vector_store.register_model(connection, model, dimensions)
            answered = vector_store.store_vectors(connection, number, vectors)
            generation = tables.next_generation(connection, text=False)
        self._generation = generation
        if number == self._structures.model:
            self._structures.put_vectors(answered)
        return generation

    def pending_texts(
        self, model: ModelKey, limit: int, *, skip: Collection[bytes] = frozenset()
    ) -> tuple[PendingText, ...]:
        """Texts without a vector of the model: newest notes first, each once, none of `skip`.

        Those of notes that the ledger calls `pending` wait until the notes are read.
        """
        return vector_store.pending_texts(self._store, model, limit, skip)

    def pending_count(self, model: ModelKey) -> int:
        """How many different texts no vector of the model covers yet."""
        return vector_store.pending_count(self._store, model)

    def covered_chunks(self, model: ModelKey) -> int:
        """How many chunks have a vector of the model, their own or an inherited one."""
        return vector_store.covered(self._store, model)

    def current_model_key(self) -> ModelKey | None:
        """The model in use, or used last; None: no model was ever used."""
        return vector_store.current_model_key(self._store)

    def current_model(self) -> IndexedModel | None:
        """The model in use, or used last; None: no vector was ever stored."""
        return vector_store.current_model(self._store)

    def stats(self) -> IndexFigures:
        """Stored sizes that `counts` does not have."""
        return vector_store.stats(self._store)

    def stored_vector_count(self, model: ModelKey) -> int:
        """How many vectors of the model are stored, needed now or not."""
        return vector_store.stored_vector_count(self._store, model)

    def vectors_in_use(
        self, model: ModelKey, batch_size: int
    ) -> Iterator[list[tuple[bytes, bytes]]]:
        """(text hash, float16 bytes) for every text that chunks hold now, in batches."""
        return vector_store.needed_vectors(self._store, model, batch_size)

    def all_vectors(self, model: ModelKey, batch_size: int) -> Iterator[list[tuple[bytes, bytes]]]:
        """See the port."""
        return vector_store.all_vectors(self._store, model, batch_size)

    def stored_vectors(self, model: ModelKey, text_hashes: Collection[bytes]) -> dict[bytes, bytes]:
        """See the port."""
        return vector_store.stored_vectors(self._store, model, text_hashes)

    def set_meta(self, key: str, value: str) -> None:
        """Store a value of the caller under its key."""
        with self._store.transaction() as connection:
            tables.put_meta(connection, f"user.{key}", value)

    def all_meta(self) -> dict[str, str]:
        """See the port."""
        return reads.all_meta(self._store, "user.")

    def meta(self, key: str) -> str | None:
        """The value that `set_meta` stored."""
        return reads.meta(self._store, f"user.{key}")

    def save(self) -> None:
        """Write the snapshots that are out of date; a writer does so at closing as well."""
        self._save(closing=False)

    def _save(self, *, closing: bool) -> None:
        if not self._store.writable or self._store.closed:
            return
        try:
            self._structures.save(closing=closing)
        except (OSError, IndexFailure) as error:
            logger.warning("Snapshots were not saved (%s); the next start takes longer.", error)

    # --- reading (any thread) ---

    def manifest(self, within: Sequence[str] = ()) -> dict[str, ManifestEntry]:
        """Indexed files by path: all, or those that `within` names or that lie in its folders."""
        return reads.manifest(self._store, within)

    def ledger_within(self, within: Sequence[str]) -> tuple[LedgerEntry, ...]:
        """Ledger entries of the paths that `within` names or that lie in its folders."""
        return reads.ledger_within(self._store, within)

    def ledger(
        self, *, state: LedgerState | None = None, path: str | None = None
    ) -> tuple[LedgerEntry, ...]:
        """Ledger entries by path, narrowed to a state or a path."""
        return reads.ledger(self._store, state, path)

    def counts(self) -> IndexCounts:
        """Totals; `vectors` is for the model in use. Cached until the database changes."""
        stored = reads.generations(self._store)[1]
        belongs = (stored, self._generation, self._structures.model)
        known = self._counts
        if known is None or known[0] != belongs:
            known = self._counts = (belongs, self._counted())
        return known[1]

    def _counted(self) -> IndexCounts:
        (notes,), (chunks,) = self._store.read(
            "SELECT count(*) FROM notes UNION ALL SELECT count(*) FROM chunks"
        )
        return IndexCounts(
            notes=notes,
            chunks=chunks,
            vectors=vector_store.own_vectors(self._store, self._structures.model),
            generation=self._generation,
            ledger=reads.ledger_counts(self._store),
        )

    def former_titles(self) -> int:
        """How many notes have passages embedded with a former title, cached until text changes."""
        known, generation = self._former_titles, self._text_generation
        if known is None or known[0] != generation:
            known = self._former_titles = (generation, reads.former_titles(self._store))
        return known[1]

    def notes(self, ids: Sequence[int]) -> dict[int, StoredNote]:
        """The notes that are there, by id."""
        return self._rows.notes(ids, partial(reads.notes, self._store))

    def note_at(self, path: str) -> StoredNote | None:
        """The note of a file."""
        return reads.note_at(self._store, path)

    def all_notes(self) -> tuple[StoredNote, ...]:
        """All notes in order of id, cached until the text changes."""
        known = self._notes
        generation = self._text_generation
        if known is None or known[0] != generation:
            known = self._notes = (generation, reads.all_notes(self._store))
        return known[1]

    @property
    def text_generation(self) -> int:
        """The generation in which notes changed last, as far as this process has seen."""
        return self._text_generation

    def notes_changed_since(self, since: int) -> tuple[IdArray, tuple[NoteBasics, ...]]:
        """Ids of all notes, ascending; and the basics of those changed after a generation.

        Several caches of searches ask after each batch, so the ids are cached until the next.
        """
        known, generation = self._note_ids, self._text_generation
        if known is None or known[0] != generation:
            known = self._note_ids = (generation, reads.note_ids(self._store))
        return known[1], reads.basics(self._store, since)

    def chunks(self, ids: Sequence[int]) -> dict[int, StoredChunk]:
        """The chunks that are there, by id; for a note without any, its placeholder."""
        return self._rows.chunks(ids, partial(reads.chunks, self._store))

    def chunks_of(self, note_id: int) -> tuple[StoredChunk, ...]:
        """A note's chunks in order."""
        return reads.chunks_of(self._store, note_id)

    def first_chunks(self, note_ids: Sequence[int]) -> dict[int, StoredChunk]:
        """The first chunk of each of the notes that have any, by the id of the note."""
        return reads.first_chunks(self._store, note_ids)

    def chunks_with_hash(self, digits: str) -> tuple[StoredChunk, ...]:
        """The chunks whose `text_hash` begins with these digits, by id; at most 16."""
        return reads.chunks_with_hash(self._store, digits)

    def passages(self) -> Iterator[PassageText]:
        """All passages as a model reads them, note by note; the title of a note that has none."""
        return reads.passages(self._store)

    def note_ids_of(self, chunk_ids: IdArray) -> IdArray:
        """The note of each chunk; -1 for a chunk that is gone."""
        return self._structures.chunk_notes.of(chunk_ids)

    @property
    def chunk_count(self) -> int:
        """How many chunks there are; `keywords` has a document more for each note without any."""
        return self._structures.chunk_notes.count

    @property
    def keywords(self) -> Keywords:
        """The keyword index, as of now; another one takes its place where it fails."""
        return self._structures.keywords

    @property
    def vectors(self) -> Vectors:
        """The vectors in use; another model replaces them."""
        return self._structures.vectors

    @property
    def graph(self) -> LinkGraph:
        """The links, loaded on first use."""
        return self._structures.graph

    def refresh(self) -> bool:
        """Serve what a writer elsewhere has done since; returns whether there was anything.

        For an index opened for reading, which otherwise serves the generation it was opened at.
        """
        if self._store.writable or reads.generations(self._store)[1] == self._generation:
            return False
        _, generation, text_generation = reads.generations(self._store)
        self._structures.refresh()
        self._rows = RecentRows()
        self._generation, self._text_generation = generation, text_generation
        return True
