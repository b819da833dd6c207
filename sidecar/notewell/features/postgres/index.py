"""The PostgreSQL engine's index: the database, and what of it is held in memory."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager

from notewell.base.errors import IndexFailure, on_error
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
from notewell.features.postgres import schema, vector_table
from notewell.features.postgres.connection import Database, Lease, Session
from notewell.features.postgres.documents import PostingWriter
from notewell.features.postgres.reads import PostgresArrayCache, VaultReads
from notewell.features.postgres.rows import clean, write_batch
from notewell.features.postgres.structures import KEPT_GENERATIONS, PostgresKeywords, Structures
from notewell.features.postgres.vector_table import UsedModel, VectorReads
from notewell.features.postgres.vectors import PostgresVectors
from notewell.index.link_graph import LinkGraph
from notewell.index.port import NoteBasics
from notewell.index.vector_checks import as_float16

logger = logging.getLogger(__name__)


class PostgresIndex:
    """Implements `Index` of the port. One thread writes; any number read."""

    def __init__(self, database: Database, vault: int, identity: str, lease: Lease | None) -> None:
        """Use `opening.open_index`. With a lease, it is the writer's, and closed with it."""
        self._database = database
        self._vault = vault
        self._lease = lease
        self.identity = identity
        self._reads = VaultReads(database, vault)
        self._vector_reads = VectorReads(self._reads)
        self._postings = PostingWriter(vault)
        self._structures = Structures(database, vault)
        self.array_cache = PostgresArrayCache(self._reads, writable=lease is not None)
        self._generation, self._text_generation = self._reads.generations()
        self._used: UsedModel | None = None
        self._written = 0  # passages and vectors, since the last `save`
        self._vectors = PostgresVectors(database, vault, None)
        self._notes: tuple[int, tuple[StoredNote, ...]] | None = None
        self._counts: tuple[tuple[int, UsedModel | None], IndexCounts] | None = None

    # --- the index as a whole ---

    @property
    def writable(self) -> bool:
        """True if this process writes it."""
        return self._lease is not None

    @property
    def generation(self) -> int:
        """See the port."""
        return self._generation

    @property
    def text_generation(self) -> int:
        """See the port."""
        return self._text_generation

    def refresh(self) -> bool:
        """See the port."""
        if self.writable:
            return False
        generation, text_generation = self._reads.generations()
        if generation == self._generation:
            return False
        self._structures.catch_up()
        if self._used is not None:  # which vectors stand for chunks may be another model's now
            self._used = self._vector_reads.used(self._used.key, self._used.dimensions)
        self._serve(generation, text_generation)
        return True

    def save(self) -> None:
        """Make a model's approximate index once it has so many vectors, and forget old removals."""
        if self._lease is None:
            return
        try:
            session = self._lease.session()
            session.execute(
                "DELETE FROM removed_notes WHERE vault_id = $1 AND generation < $2",
                self._vault, self._generation - KEPT_GENERATIONS,
            )  # fmt: skip
            schema.analyse(session, self._written)
            self._written = 0
            used = self._used
            if used is not None and self._vectors.count > vector_table.EXACT_LIMIT:
                vector_table.make_index(session, used.number, used.dimensions)
        except IndexFailure as error:
            logger.warning("The index in PostgreSQL was not tidied: %s", error.message)

    def close(self) -> None:
        """See the port."""
        try:
            if self._lease is not None:
                self._lease.close()
        finally:
            self._database.close()

    # --- searching ---

    @property
    def keywords(self) -> PostgresKeywords:
        """Lexical search."""
        return self._structures.held.keywords

    @property
    def vectors(self) -> PostgresVectors:
        """Dense search with the model in use."""
        return self._vectors

    @property
    def graph(self) -> LinkGraph:
        """The links, loaded on first use."""
        return self._structures.graph

    # --- writing (one thread) ---

    def apply(self, batch: Batch, *, between_notes: Callable[[], None] = lambda: None) -> Applied:
        """See the port."""
        cleaned = clean(batch)
        with on_error(self._postings.forget), self._changing() as session:
            changes = write_batch(session, self._vault, cleaned)
            text = sorted({*changes.moved, *changes.puts})
            self._postings.write(
                session,
                changed=text,
                gone=changes.gone,
                generation=changes.generation,
                between=between_notes,
            )
        if text or changes.gone:
            self._structures.catch_up()
        self._written += sum(len(put.chunks) for put in batch.puts)
        self._serve(changes.generation, changes.text_generation)
        return changes.applied

    def use_model(self, model: ModelKey | None, dimensions: int) -> None:
        """See the port."""
        if self._lease is None:
            self._used = self._vector_reads.used(model, dimensions)
            self._vectors = PostgresVectors(self._database, self._vault, self._used)
            return
        with self._changing() as session:
            number = (
                None
                if model is None
                else vector_table.register_model(session, self._vault, model, dimensions)
            )
            if vector_table.use_model(session, self._vault, number):
                self._next_generation(session)
        self._used = None if model is None else self._vector_reads.used(model, dimensions)
        self._serve(*self._reads.generations())

    def store_vectors(self, model: ModelKey, puts: Sequence[VectorPut]) -> int:
        """See the port."""
        if not puts:
            return self._generation
        known = self._vector_reads.find(model)
        dimensions = len(puts[0].vector) if known is None else known[1]
        vectors = [(put.text_hash, as_float16(put, dimensions, model)) for put in puts]
        with self._changing() as session:
            number = vector_table.register_model(session, self._vault, model, dimensions)
            vector_table.store_vectors(session, self._vault, number, vectors)
            self._written += len(vectors)
            generation = self._next_generation(session)
        self._serve(generation, self._text_generation)
        return generation

    def set_meta(self, key: str, value: str) -> None:
        """See the port."""
        with self._changing() as session:
            session.execute(
                "INSERT INTO meta VALUES ($1, $2, $3) ON CONFLICT (vault_id, key)"
                " DO UPDATE SET value = excluded.value",
                self._vault, key, value,
            )  # fmt: skip

    @contextmanager
    def _changing(self) -> Iterator[Session]:
        """A transaction of the writer, which it is only as long as nobody has overtaken it."""
        if self._lease is None:
            raise IndexFailure("The index was opened for reading only.")
        session = self._lease.session()
        with session.transaction():
            self._lease.check(session)
            yield session

    def _next_generation(self, session: Session) -> int:
        ((generation,),) = session.read(
            "UPDATE vaults SET generation = generation + 1 WHERE id = $1 RETURNING generation",
            self._vault,
        )
        return int(generation)

    def _serve(self, generation: int, text_generation: int) -> None:
        """Serve a generation: what was counted and found in an earlier one no longer holds."""
        self._generation, self._text_generation = generation, text_generation
        self._vectors = PostgresVectors(self._database, self._vault, self._used, self._vectors)

    # --- models and vectors ---

    def current_model_key(self) -> ModelKey | None:
        """See the port."""
        return self._vector_reads.current_key()

    def current_model(self) -> IndexedModel | None:
        """See the port."""
        return self._vector_reads.current()

    def covered_chunks(self, model: ModelKey) -> int:
        """See the port."""
        return self._vector_reads.covered(model)

    def stored_vector_count(self, model: ModelKey) -> int:
        """See the port."""
        return self._vector_reads.stored(model)

    def vectors_in_use(
        self, model: ModelKey, batch_size: int
    ) -> Iterator[list[tuple[bytes, bytes]]]:
        """See the port."""
        return self._vector_reads.in_batches(model, batch_size, needed=True)

    def all_vectors(self, model: ModelKey, batch_size: int) -> Iterator[list[tuple[bytes, bytes]]]:
        """See the port."""
        return self._vector_reads.in_batches(model, batch_size, needed=False)

    def stored_vectors(self, model: ModelKey, text_hashes: Collection[bytes]) -> dict[bytes, bytes]:
        """See the port."""
        return self._vector_reads.of_texts(model, text_hashes)

    def pending_texts(
        self, model: ModelKey, limit: int, *, skip: Collection[bytes] = frozenset()
    ) -> tuple[PendingText, ...]:
        """See the port."""
        return self._vector_reads.pending(model, limit, skip)

    def pending_count(self, model: ModelKey) -> int:
        """See the port."""
        return self._vector_reads.pending_count(model)

    # --- reading (any thread) ---

    @property
    def chunk_count(self) -> int:
        """See the port."""
        return self._structures.held.documents.chunk_count

    def note_ids_of(self, chunk_ids: IdArray) -> IdArray:
        """See the port."""
        return self._structures.held.documents.note_ids_of(chunk_ids)

    def notes(self, ids: Sequence[int]) -> dict[int, StoredNote]:
        """See the port."""
        return self._reads.notes(ids)

    def note_at(self, path: str) -> StoredNote | None:
        """See the port."""
        return self._reads.note_at(path)

    def all_notes(self) -> tuple[StoredNote, ...]:
        """See the port."""
        known, generation = self._notes, self._text_generation
        if known is None or known[0] != generation:
            known = self._notes = (generation, self._reads.all_notes())
        return known[1]

    def notes_changed_since(self, since: int) -> tuple[IdArray, tuple[NoteBasics, ...]]:
        """See the port."""
        return self._reads.basics(since)

    def chunks(self, ids: Sequence[int]) -> dict[int, StoredChunk]:
        """See the port."""
        return self._reads.chunks(ids)

    def chunks_of(self, note_id: int) -> tuple[StoredChunk, ...]:
        """See the port."""
        return self._reads.chunks_of(note_id)

    def first_chunks(self, note_ids: Sequence[int]) -> dict[int, StoredChunk]:
        """See the port."""
        return self._reads.first_chunks(note_ids)

    def chunks_with_hash(self, digits: str) -> tuple[StoredChunk, ...]:
        """See the port."""
        return self._reads.chunks_with_hash(digits)

    def passages(self) -> Iterator[PassageText]:
        """See the port."""
        return self._reads.passages()

    def manifest(self, within: Sequence[str] = ()) -> dict[str, ManifestEntry]:
        """See the port."""
        return self._reads.manifest(within)

    def ledger(
        self, *, state: LedgerState | None = None, path: str | None = None
    ) -> tuple[LedgerEntry, ...]:
        """See the port."""
        return self._reads.ledger(state, path)

    def ledger_within(self, within: Sequence[str]) -> tuple[LedgerEntry, ...]:
        """See the port."""
        return self._reads.ledger_within(within)

    def counts(self) -> IndexCounts:
        """See the port."""
        belongs = (self._reads.generations()[0], self._used)
        known = self._counts
        if known is None or known[0] != belongs:
            number = None if self._used is None else self._used.number
            counted = IndexCounts(
                notes=self._reads.note_count(),
                chunks=self.chunk_count,
                vectors=self._vector_reads.own_vectors(number),
                generation=self._generation,
                ledger=self._reads.ledger_counts(),
            )
            known = self._counts = (belongs, counted)
        return known[1]

    def former_titles(self) -> int:
        """See the port."""
        return self._reads.former_titles()

    def stats(self) -> IndexFigures:
        """See the port."""
        return IndexFigures(self._vector_reads.kept(), self._reads.bytes_on_disk())

    def meta(self, key: str) -> str | None:
        """See the port."""
        return self._reads.meta(key)

    def all_meta(self) -> dict[str, str]:
        """See the port."""
        return self._reads.all_meta()
