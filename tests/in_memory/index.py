"""A test double of an index, in memory: exact, simple, and gone when it is closed.

It keeps the whole port, so that packages above are tested on it, and engines are compared with it.
Every change copies the state, which is right for some thousands of notes and no more.
"""

from __future__ import annotations

import itertools
import uuid
from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path

import numpy as np

from notewell.base.errors import NotFoundError
from notewell.base.types import (
    LEDGER_STATES,
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
    StoredVectors,
    VectorPut,
    embedded_text,
)
from notewell.index.lexical import ChunkText, SearchText, note_text, placeholder
from notewell.index.port import NamedArrays, NoteBasics
from tests.in_memory.search import InMemoryKeywords, InMemoryLinks, InMemoryVectors
from tests.in_memory.state import (
    State,
    apply,
    covered_chunks,
    is_within,
    manifest_entry,
    own_vectors,
    pending_texts,
    store_vectors,
    stored_vectors,
    use_model,
    vectors_in_use,
)


class InMemoryArrayCache:
    """Arrays by name, as long as the index is open."""

    def __init__(self) -> None:
        """Start empty."""
        self._saved: dict[str, tuple[str, NamedArrays]] = {}

    def load(self, name: str, content: str) -> NamedArrays | None:
        """The arrays last saved under this name, if they are of this content."""
        saved_content, arrays = self._saved.get(name, ("", None))
        return arrays if saved_content == content else None

    def save(self, name: str, content: str, arrays: NamedArrays) -> None:
        """Save arrays."""
        self._saved[name] = (content, {key: array.copy() for key, array in arrays.items()})


class InMemoryIndex:
    """Implements `Index` of the port. One thread writes, any number read."""

    def __init__(self) -> None:
        """Start empty."""
        self._state = State(uuid.uuid4().hex)
        self._keywords: tuple[int, InMemoryKeywords] | None = None
        self._vectors: tuple[int, InMemoryVectors] | None = None
        self._links: tuple[int, InMemoryLinks] | None = None
        self.array_cache = InMemoryArrayCache()

    # --- the index as a whole ---

    @property
    def identity(self) -> str:
        return self._state.identity

    @property
    def generation(self) -> int:
        return self._state.generation

    @property
    def text_generation(self) -> int:
        return self._state.text_generation

    @property
    def writable(self) -> bool:
        """Always: there is no other process that could write it."""
        return True

    def refresh(self) -> bool:
        """Does nothing: no other process can write this index."""
        return False

    def save(self) -> None:
        """Nothing is stored on disk."""

    def close(self) -> None:
        """Forget everything."""
        self._state = State(self._state.identity)
        self._keywords = self._vectors = self._links = None

    # --- searching ---

    @property
    def keywords(self) -> InMemoryKeywords:
        """Lexical search, indexed at the first use after a change of text."""
        state, known = self._state, self._keywords
        if known is None or known[0] != state.text_generation:
            made = InMemoryKeywords(_note_texts(state))
            known = self._keywords = (state.text_generation, made)
        return known[1]

    @property
    def vectors(self) -> InMemoryVectors:
        """Dense search, collected at the first use after a change."""
        state, known = self._state, self._vectors
        if known is None or known[0] != state.generation:
            known = self._vectors = (state.generation, InMemoryVectors(state))
        return known[1]

    @property
    def graph(self) -> InMemoryLinks:
        """The links, resolved at the first use after a change of text."""
        state, known = self._state, self._links
        if known is None or known[0] != state.text_generation:
            known = self._links = (state.text_generation, InMemoryLinks(state))
        return known[1]

    # --- writing ---

    def apply(self, batch: Batch, *, between_notes: Callable[[], None] = lambda: None) -> Applied:
        changed = self._state.copy()
        applied = apply(changed, batch, between_notes)
        self._state = changed
        return applied

    def store_vectors(self, model: ModelKey, puts: Sequence[VectorPut]) -> int:
        if puts:
            changed = self._state.copy()
            store_vectors(changed, model, puts)
            changed.generation += 1
            self._state = changed
        return self._state.generation

    def use_model(self, model: ModelKey | None, dimensions: int) -> None:
        changed = self._state.copy()
        if use_model(changed, model, dimensions):
            changed.generation += 1
        self._state = changed

    def set_meta(self, key: str, value: str) -> None:
        changed = self._state.copy()
        changed.meta[key] = value
        self._state = changed

    def all_meta(self) -> dict[str, str]:
        return dict(self._state.meta)

    def meta(self, key: str) -> str | None:
        return self._state.meta.get(key)

    # --- models and vectors ---

    def current_model_key(self) -> ModelKey | None:
        return self._state.chunk_model

    def current_model(self) -> IndexedModel | None:
        state = self._state
        model = state.chunk_model
        if model is None:
            return None
        return IndexedModel(model, state.dimensions[model], len(vectors_in_use(state, model)))

    def covered_chunks(self, model: ModelKey) -> int:
        return covered_chunks(self._state, model)

    def stored_vector_count(self, model: ModelKey) -> int:
        return len(self._state.vectors.get(model, ()))

    def vectors_in_use(
        self, model: ModelKey, batch_size: int
    ) -> Iterator[list[tuple[bytes, bytes]]]:
        found = vectors_in_use(self._state, model)
        for start in range(0, len(found), batch_size):
            yield found[start : start + batch_size]

    def all_vectors(self, model: ModelKey, batch_size: int) -> Iterator[list[tuple[bytes, bytes]]]:
        stored = self._state.vectors.get(model, {})
        found = [(text_hash, vector.tobytes()) for text_hash, vector in stored.items()]
        for start in range(0, len(found), batch_size):
            yield found[start : start + batch_size]

    def stored_vectors(self, model: ModelKey, text_hashes: Collection[bytes]) -> dict[bytes, bytes]:
        return stored_vectors(self._state, model, text_hashes)

    def pending_texts(
        self, model: ModelKey, limit: int, *, skip: Collection[bytes] = frozenset()
    ) -> tuple[PendingText, ...]:
        return tuple(itertools.islice(pending_texts(self._state, model, skip), limit))

    def pending_count(self, model: ModelKey) -> int:
        return sum(1 for _ in pending_texts(self._state, model))

    # --- reading ---

    @property
    def chunk_count(self) -> int:
        return sum(1 for _ in self._state.chunks())

    def note_ids_of(self, chunk_ids: IdArray) -> IdArray:
        owners = {chunk.id: chunk.note_id for chunk in _searchable_chunks(self._state)}
        return np.array([owners.get(each, -1) for each in chunk_ids.tolist()], np.int64)

    def notes(self, ids: Sequence[int]) -> dict[int, StoredNote]:
        notes = self._state.notes
        return {note_id: notes[note_id].stored for note_id in ids if note_id in notes}

    def paths(self, ids: Sequence[int]) -> dict[int, str]:
        return {note_id: note.path for note_id, note in self.notes(ids).items()}

    def note_at(self, path: str) -> StoredNote | None:
        note_id = self._state.note_ids.get(path)
        return None if note_id is None else self._state.notes[note_id].stored

    def all_notes(self) -> tuple[StoredNote, ...]:
        return tuple([note.stored for note in self._state.ordered_notes()])

    def notes_changed_since(self, since: int) -> tuple[IdArray, tuple[NoteBasics, ...]]:
        notes = self._state.ordered_notes()
        changed = (note.stored for note in notes if note.generation > since)
        return np.array(sorted(self._state.notes), np.int64), tuple(map(_basics, changed))

    def chunks(self, ids: Sequence[int]) -> dict[int, StoredChunk]:
        wanted = set(ids)
        return {each.id: each for each in _searchable_chunks(self._state) if each.id in wanted}

    def chunks_of(self, note_id: int) -> tuple[StoredChunk, ...]:
        note = self._state.notes.get(note_id)
        return () if note is None else tuple([chunk.stored for chunk in note.chunks])

    def first_chunks(self, note_ids: Sequence[int]) -> dict[int, StoredChunk]:
        return {each: found[0] for each in note_ids if (found := self.chunks_of(each))}

    def chunks_with_hash(self, digits: str) -> tuple[StoredChunk, ...]:
        own = (chunk.stored for note in self._state.ordered_notes() for chunk in note.chunks)
        found = (chunk for chunk in own if chunk.text_hash.hex().startswith(digits))
        return tuple(sorted(found, key=lambda chunk: chunk.id)[:16])

    def passages(self) -> Iterator[PassageText]:
        for note in self._state.ordered_notes():
            path = note.stored.path
            if not note.chunks:
                yield PassageText(path, note.stored.title)
            for chunk in note.chunks:
                yield PassageText(path, embedded_text(chunk.header, chunk.stored.text))

    def manifest(self, within: Sequence[str] = ()) -> dict[str, ManifestEntry]:
        return {
            note.stored.path: manifest_entry(note)
            for note in self._state.ordered_notes()
            if not within or is_within(note.stored.path, within)
        }

    def ledger(
        self,
        *,
        state: LedgerState | None = None,
        path: str | None = None,
        rule: str | None = None,
    ) -> tuple[LedgerEntry, ...]:
        return tuple(
            entry
            for _, entry in sorted(self._state.ledger.items())
            if state in {None, entry.state}
            and path in {None, entry.path}
            and rule in {None, entry.rule}
        )

    def ledger_within(self, within: Sequence[str]) -> tuple[LedgerEntry, ...]:
        return tuple(
            entry for entry in self.ledger() if not within or is_within(entry.path, within)
        )

    def counts(self) -> IndexCounts:
        state = self._state
        return IndexCounts(
            notes=len(state.notes),
            chunks=self.chunk_count,
            vectors=own_vectors(state, state.model),
            generation=state.generation,
            ledger={each: len(self.ledger(state=each)) for each in LEDGER_STATES},
        )

    def former_titles(self) -> int:
        return sum(note.kept_title is not None for note in self._state.notes.values())

    def stats(self) -> IndexFigures:
        """See the port; there is nothing on disk."""
        state = self._state
        return IndexFigures(
            models=tuple(
                StoredVectors(
                    model,
                    dimensions,
                    len(state.vectors[model]),
                    answering=model == state.chunk_model,
                )
                for model, dimensions in state.dimensions.items()
            ),
            bytes_on_disk=0,
        )


def open_index(directory: Path, *, writable: bool) -> InMemoryIndex:
    """A new, empty index; nothing is read from or written to the folder.

    Raises:
        NotFoundError: it is opened for reading, and nothing outlives its writer.

    """
    if not writable:
        raise NotFoundError(f"There is no index in {directory}: this engine keeps none.")
    return InMemoryIndex()


def delete_index(_directory: Path) -> None:
    """Nothing is on disk."""


def _note_texts(state: State) -> Iterator[SearchText]:
    for note in state.ordered_notes():
        chunks = [
            ChunkText(chunk.stored.id, chunk.stored.headings, chunk.stored.text)
            for chunk in note.chunks
        ]
        stored = note.stored
        yield note_text(
            stored.id,
            stored.path,
            title=stored.title,
            aliases=stored.aliases,
            tags=stored.tags,
            properties=stored.properties,
            chunks=chunks,
        )


def _searchable_chunks(state: State) -> Iterator[StoredChunk]:
    """All chunks, and the placeholders of the notes without any."""
    for note in state.ordered_notes():
        if not note.chunks:
            yield placeholder(note.stored.id)
        for chunk in note.chunks:
            yield chunk.stored


def _basics(note: StoredNote) -> NoteBasics:
    return NoteBasics(note.id, note.path, note.properties, note.created, note.modified)
