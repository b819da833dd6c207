"""The embedded engine: SQLite stores everything, tantivy and numpy search derived copies of it."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path

import filelock

from notewell.base.errors import IndexFailure
from notewell.base.types import (
    Applied,
    Batch,
    IdArray,
    IndexCounts,
    ModelKey,
    StoredNote,
    VectorPut,
)
from notewell.index.arrays import as_float16
from notewell.index.embedded import approximate, reads, tables, vector_store
from notewell.index.embedded.approximate import ApproximateRows
from notewell.index.embedded.directory import (
    SnapshotCache,
    check_copy,
    check_notes,
    copy_index,
    damaged_vectors,
    delete_index,
    hold,
)
from notewell.index.embedded.keywords import Keywords
from notewell.index.embedded.reads import RecentRows
from notewell.index.embedded.snapshots import damaged_snapshots
from notewell.index.embedded.store import DATABASE, Store, is_outdated
from notewell.index.embedded.structures import Structures
from notewell.index.embedded.vectors import Vectors
from notewell.index.embedded.writes import write_batch
from notewell.index.link_graph import LinkGraph
from notewell.index.port import NoteBasics

__all__ = [
    "DATABASE",
    "EmbeddedIndex",
    "check_copy",
    "check_notes",
    "copy_index",
    "damaged_snapshots",
    "damaged_vectors",
    "delete_index",
    "hold",
    "open_index",
]


logger = logging.getLogger(__name__)


def _upgrade(directory: Path) -> None:
    lock = hold(directory)
    try:
        Store(directory, writable=True).close()
    finally:
        lock.release()


class EmbeddedIndex(ApproximateRows):
    """The index of one vault. One thread writes; any number read, each seeing whole batches."""

    def __init__(self, store: Store, lock: filelock.BaseFileLock | None) -> None:
        """Use `open` instead."""
        super().__init__(store)
        self._lock = lock
        _, self._generation, self._text_generation = reads.generations(store)
        self._structures = Structures(store)
        self.array_cache = SnapshotCache(store)
        self._notes: tuple[int, tuple[StoredNote, ...]] | None = None
        self._ids: tuple[int, IdArray] | None = None
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
        return self._store.writable

    @property
    def generation(self) -> int:
        return self._generation

    @property
    def identity(self) -> str:
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
        self._recent = RecentRows()
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

    def store_approximate(self, model: ModelKey, puts: Sequence[VectorPut]) -> None:
        """See `HoldsApproximations`."""
        if not puts:
            return
        with self._store.transaction() as connection:
            chunk_ids = approximate.insert(connection, model, puts)
            generation = tables.next_generation(connection, text=False)
        self._generation = generation
        if model == self.vectors.model:
            self._structures.put_vectors(chunk_ids)
            self.vectors.has_approximate = True

    def drop_approximate(self) -> None:
        """See `HoldsApproximations`."""
        if not self.has_approximate():
            return
        with self._store.transaction() as connection:
            approximate.delete_all(connection)
            tables.next_generation(connection, text=False)
        self._structures.load_vectors(self._structures.model, self.vectors.dimensions)
        # Loading deletes damaged vectors, which is a generation of its own.
        _, self._generation, _ = reads.generations(self._store)

    def set_meta(self, key: str, value: str) -> None:
        with self._store.transaction() as connection:
            tables.put_meta(connection, f"{reads.OF_CALLERS}{key}", value)

    def save(self) -> None:
        self._save(closing=False)

    def _save(self, *, closing: bool) -> None:
        if not self._store.writable or self._store.closed:
            return
        try:
            self._structures.save(closing=closing)
        except (OSError, IndexFailure) as error:
            logger.warning("Snapshots were not saved (%s); the next start takes longer.", error)

    # --- reading (any thread) ---

    def counts(self) -> IndexCounts:
        stored = reads.generations(self._store)[1]
        belongs = (stored, self._generation, self._structures.model)
        known = self._counts
        if known is None or known[0] != belongs:
            known = self._counts = (belongs, self._count())
        return known[1]

    def _count(self) -> IndexCounts:
        (notes,), (chunks,) = self._store.read(
            "SELECT count(*) FROM notes UNION ALL SELECT count(*) FROM chunks"
        )
        return IndexCounts(
            notes=notes,
            chunks=chunks,
            vectors=self._own_vectors(self._structures.model),
            generation=self._generation,
            ledger=self._ledger_counts(),
            approximate=self._approximate_count(),
        )

    def _approximate_count(self) -> int:
        if not self.vectors.has_approximate:
            return 0
        rows = self._store.read("SELECT count(*) FROM chunks WHERE vector_hash IS NOT NULL")
        return max(0, self.vectors.count - int(rows[0][0]))

    def former_titles(self) -> int:
        known, generation = self._former_titles, self._text_generation
        if known is None or known[0] != generation:
            known = self._former_titles = (generation, super().former_titles())
        return known[1]

    def all_notes(self) -> tuple[StoredNote, ...]:
        known = self._notes
        generation = self._text_generation
        if known is None or known[0] != generation:
            known = self._notes = (generation, super().all_notes())
        return known[1]

    @property
    def text_generation(self) -> int:
        return self._text_generation

    def notes_changed_since(self, since: int) -> tuple[IdArray, tuple[NoteBasics, ...]]:
        """Ids of all notes, ascending; and the basics of those changed after a generation.

        Several caches of searches ask after each batch, so the ids are cached until the next.
        """
        known, generation = self._ids, self._text_generation
        if known is None or known[0] != generation:
            known = self._ids = (generation, self._note_ids())
        return known[1], self._basics(since)

    def note_ids_of(self, chunk_ids: IdArray) -> IdArray:
        return self._structures.chunk_notes.of(chunk_ids)

    @property
    def chunk_count(self) -> int:
        return self._structures.chunk_notes.count

    @property
    def keywords(self) -> Keywords:
        return self._structures.keywords

    @property
    def vectors(self) -> Vectors:
        return self._structures.vectors

    @property
    def graph(self) -> LinkGraph:
        return self._structures.graph

    def refresh(self) -> bool:
        """Serve what a writer elsewhere has done since; returns whether there was anything.

        For an index opened for reading, which otherwise serves the generation it was opened at.
        """
        if self._store.writable or reads.generations(self._store)[1] == self._generation:
            return False
        _, generation, text_generation = reads.generations(self._store)
        self._structures.refresh()
        self._recent = RecentRows()
        self._generation, self._text_generation = generation, text_generation
        return True


open_index = EmbeddedIndex.open
