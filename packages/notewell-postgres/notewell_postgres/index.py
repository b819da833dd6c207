"""The PostgreSQL engine's index: the database, and what of it is held in memory."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from notewell.api.errors import on_error
from notewell.api.vault import ModelKey, StoredNote
from notewell.base.errors import IndexFailure
from notewell.base.types import Applied, Batch, IdArray, IndexCounts, IndexFigures, VectorPut
from notewell.index.arrays import as_float16
from notewell.index.link_graph import LinkGraph
from notewell_postgres import schema, used_model
from notewell_postgres.connection import Database, Session
from notewell_postgres.documents import ANALYSIS
from notewell_postgres.held_structures import KEPT_GENERATIONS, HeldStructures
from notewell_postgres.lease import Lease
from notewell_postgres.postings import PostingWriter
from notewell_postgres.reads import PostgresArrayCache
from notewell_postgres.rows import clean, write_batch
from notewell_postgres.structures import PostgresKeywords
from notewell_postgres.used_model import UsedModel
from notewell_postgres.vector_table import VectorReads
from notewell_postgres.vectors import PostgresVectors

logger = logging.getLogger(__name__)


class PostgresIndex(VectorReads):
    """Implements `Index` of the port. One thread writes; any number read."""

    def __init__(self, database: Database, vault: int, identity: str, lease: Lease | None) -> None:
        """Use `opening.open_index`. With a lease, it is the writer's, and closed with it."""
        super().__init__(database, vault)
        self._lease = lease
        self.identity = identity
        self._postings = PostingWriter(vault)
        self.array_cache = PostgresArrayCache(database, vault, writable=lease is not None)
        self._structures = HeldStructures(database, vault, self.array_cache)
        self._generation, self._text_generation = self._generations()
        self._used: UsedModel | None = None
        self._filling = False
        self._written = 0  # passages and vectors, since the last `save`
        self._vectors = PostgresVectors(database, vault, None)
        self._notes: tuple[int, tuple[StoredNote, ...]] | None = None
        self._counts: tuple[tuple[int, UsedModel | None], IndexCounts] | None = None

    # --- the index as a whole ---

    @property
    def writable(self) -> bool:
        return self._lease is not None

    @property
    def generation(self) -> int:
        return self._generation

    @property
    def text_generation(self) -> int:
        return self._text_generation

    def refresh(self) -> bool:
        if self.writable:
            return False
        generation, text_generation = self._generations()
        if generation == self._generation:
            return False
        self._structures.catch_up()
        if self._used is not None:  # which vectors stand for chunks may be another model's now
            self._used = self._in_use(self._used.key, self._used.dimensions)
        self._serve(generation, text_generation)
        return True

    def save(self) -> None:
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
            if used is not None and self._vectors.count > used_model.EXACT_LIMIT:
                used_model.make_index(session, used.number, used.dimensions)
        except IndexFailure as error:
            logger.warning("The index in PostgreSQL was not tidied: %s", error.message)

    def close(self) -> None:
        try:
            if self._lease is not None:
                self._lease.close()
        finally:
            self._database.close()

    # --- searching ---

    @property
    def keywords(self) -> PostgresKeywords:
        return self._structures.held.keywords

    @property
    def vectors(self) -> PostgresVectors:
        return self._vectors

    @property
    def graph(self) -> LinkGraph:
        return self._structures.graph

    # --- writing (one thread) ---

    def apply(self, batch: Batch, *, between_notes: Callable[[], None] = lambda: None) -> Applied:
        cleaned = clean(batch)
        with on_error(self._postings.forget), self._changing() as session:
            changes = write_batch(session, self._vault, cleaned)
            text = sorted({*changes.moved, *changes.puts})
            if not self._filling:
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

    @contextmanager
    def filling(self) -> Iterator[None]:
        """Fill an empty index: what words find of the notes is written at the end, all at once."""
        if self._lease is None:
            raise IndexFailure("The index was opened for reading only.")
        self._filling = True
        try:
            yield
        finally:
            self._filling = False
        write_postings(self._lease, self._vault)
        self._postings.forget()
        self._serve(*self._generations())

    def use_model(self, model: ModelKey | None, dimensions: int) -> None:
        if self._lease is None:
            self._used = self._in_use(model, dimensions)
            self._vectors = PostgresVectors(self._database, self._vault, self._used)
            return
        with self._changing() as session:
            number = (
                None
                if model is None
                else used_model.register_model(session, self._vault, model, dimensions)
            )
            if used_model.use_model(session, self._vault, number):
                self._next_generation(session)
        self._used = None if model is None else self._in_use(model, dimensions)
        self._serve(*self._generations())

    def store_vectors(self, model: ModelKey, puts: Sequence[VectorPut]) -> int:
        if not puts:
            return self._generation
        known = self._find(model)
        dimensions = len(puts[0].vector) if known is None else known[1]
        vectors = [(put.text_hash, as_float16(put, dimensions, model)) for put in puts]
        with self._changing() as session:
            number = used_model.register_model(session, self._vault, model, dimensions)
            used_model.store_vectors(session, self._vault, number, vectors)
            self._written += len(vectors)
            generation = self._next_generation(session)
        self._serve(generation, self._text_generation)
        return generation

    def set_meta(self, key: str, value: str) -> None:
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

    # --- reading (any thread) ---

    @property
    def chunk_count(self) -> int:
        return self._structures.held.documents.chunk_count

    def note_ids_of(self, chunk_ids: IdArray) -> IdArray:
        return self._structures.held.documents.note_ids_of(chunk_ids)

    def all_notes(self) -> tuple[StoredNote, ...]:
        known, generation = self._notes, self._text_generation
        if known is None or known[0] != generation:
            known = self._notes = (generation, super().all_notes())
        return known[1]

    def counts(self) -> IndexCounts:
        belongs = (self._generations()[0], self._used)
        known = self._counts
        if known is None or known[0] != belongs:
            number = None if self._used is None else self._used.number
            counted = IndexCounts(
                notes=self._note_count(),
                chunks=self.chunk_count,
                vectors=self._own_vectors(number),
                generation=self._generation,
                ledger=self._ledger_counts(),
            )
            known = self._counts = (belongs, counted)
        return known[1]

    def stats(self) -> IndexFigures:
        return IndexFigures(self._kept(), self._bytes_on_disk())


def write_postings(lease: Lease, vault: int) -> None:
    """Write what words find of all notes anew, in one transaction and a new generation.

    That takes minutes for a large vault: so its row is locked, and the lease compared, only then.
    """
    session = lease.session()
    with session.transaction():
        ((generation,),) = session.read("SELECT generation + 1 FROM vaults WHERE id = $1", vault)
        template = PostingWriter(vault).write_all(session, generation)
        lease.check(session)
        session.execute(
            "UPDATE vaults SET generation = $2, text_generation = $2, template = $3, analysis = $4"
            " WHERE id = $1",
            vault, generation, template, ANALYSIS,
        )  # fmt: skip
