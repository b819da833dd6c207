"""The data of one index at one generation, and how batches, models and vectors change it."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from notewell.base.types import (
    Applied,
    Batch,
    LedgerEntry,
    Link,
    ManifestEntry,
    ModelKey,
    NotePut,
    PendingText,
    StoredChunk,
    StoredNote,
    VectorPut,
    embedded_text,
)
from notewell.index.arrays import as_float16, check_dimensions
from notewell.index.batch import (
    Before,
    Changes,
    ChunkBefore,
    NoteBefore,
    WrittenChunk,
    WrittenNote,
    decide,
)
from notewell.index.row_values import warnings_of

HalfVector = npt.NDArray[np.float16]


@dataclass(frozen=True, slots=True)
class ChunkRecord:
    """A chunk. `vector_hash` is the hash of the text whose vector stands for it in a search.

    That is its own text, or, until that is embedded, the text that it replaced.
    """

    stored: StoredChunk
    header: str
    vector_hash: bytes | None

    @property
    def has_own_vector(self) -> bool:
        """Whether its vector is that of its own text."""
        return self.vector_hash == self.stored.text_hash


@dataclass(frozen=True, slots=True)
class NoteRecord:
    """A note with its links and chunks, and the generation in which it changed last."""

    stored: StoredNote
    mtime_ns: int
    content_hash: bytes
    links: tuple[Link, ...]
    chunks: tuple[ChunkRecord, ...]
    generation: int
    kept_title: str | None = None

    @property
    def awaits_vectors(self) -> bool:
        """Whether some chunk has no vector of its own text."""
        return not all(chunk.has_own_vector for chunk in self.chunks)


@dataclass(slots=True)
class State:
    """All data of an index at one generation. Never changed once readers can see it."""

    identity: str
    generation: int = 0
    text_generation: int = 0
    notes: dict[int, NoteRecord] = field(default_factory=dict)
    note_ids: dict[str, int] = field(default_factory=dict)  # by path
    ledger: dict[str, LedgerEntry] = field(default_factory=dict)  # by path
    vectors: dict[ModelKey, dict[bytes, HalfVector]] = field(default_factory=dict)  # by text hash
    dimensions: dict[ModelKey, int] = field(default_factory=dict)
    meta: dict[str, str] = field(default_factory=dict)
    model: ModelKey | None = None  # in use
    chunk_model: ModelKey | None = None  # whose vectors `vector_hash` refers to: used last
    next_note: int = 1
    next_chunk: int = 1

    def copy(self) -> State:
        """A state that can be changed without changing this one."""
        return replace(
            self,
            notes=dict(self.notes),
            note_ids=dict(self.note_ids),
            ledger=dict(self.ledger),
            vectors={model: dict(stored) for model, stored in self.vectors.items()},
            dimensions=dict(self.dimensions),
            meta=dict(self.meta),
        )

    def ordered_notes(self) -> Iterator[NoteRecord]:
        """All notes in order of id."""
        for note_id in sorted(self.notes):
            yield self.notes[note_id]

    def chunks(self) -> Iterator[ChunkRecord]:
        """All chunks, in order of note and place."""
        for note in self.ordered_notes():
            yield from note.chunks

    def has_vector(self, model: ModelKey | None, text_hash: bytes | None) -> bool:
        """Whether the model's vector of a text is stored."""
        return model is not None and text_hash in self.vectors.get(model, {})

    def set_chunks(self, note_id: int, chunks: tuple[ChunkRecord, ...]) -> None:
        """Give a note other chunk records."""
        self.notes[note_id] = replace(self.notes[note_id], chunks=chunks)


def apply(state: State, batch: Batch, between_notes: Callable[[], None]) -> Applied:
    """Apply a batch to a state that no reader sees yet."""
    changes = decide(batch, _before(state, batch), time.time())
    state.generation, state.text_generation = changes.generation, changes.text_generation
    state.next_note, state.next_chunk = changes.next_note, changes.next_chunk
    for note_id in changes.gone:
        del state.notes[note_id]
    for note_id, move in changes.moved.items():
        old = state.notes[note_id]
        state.notes[note_id] = replace(
            old,
            stored=replace(old.stored, path=move.new_path, size=move.size),
            mtime_ns=move.mtime_ns,
            generation=state.generation,
        )
    for note_id, written in changes.puts.items():
        between_notes()
        state.notes[note_id] = _note(note_id, written, changes)
    state.note_ids = {note.stored.path: note_id for note_id, note in state.notes.items()}
    for touch in changes.touched:
        note = state.notes[state.note_ids[touch.path]]
        state.notes[note.stored.id] = replace(
            note, stored=replace(note.stored, size=touch.size), mtime_ns=touch.mtime_ns
        )
    for path, entry in changes.ledger.items():
        state.ledger.pop(path, None)
        if entry is not None:
            state.ledger[path] = entry
    return changes.applied


def _before(state: State, batch: Batch) -> Before:
    return Before(
        generation=state.generation,
        text_generation=state.text_generation,
        next_note=state.next_note,
        next_chunk=state.next_chunk,
        notes={
            note.stored.path: NoteBefore(
                note.stored.id, note.content_hash, tuple(map(_chunk_before, note.chunks))
            )
            for note in state.notes.values()
        },
        ledger=state.ledger,
        preparing=batch.model is not None and state.model not in {None, batch.model},
        stored=_stored(state, batch.model),
        standing=_stored(state, state.chunk_model),
    )


def _stored(state: State, model: ModelKey | None) -> Collection[bytes]:
    return () if model is None else state.vectors.get(model, {}).keys()


def _chunk_before(chunk: ChunkRecord) -> ChunkBefore:
    own = chunk.stored
    return ChunkBefore(own.id, own.text_hash, chunk.vector_hash, own.start, own.end, own.text)


def _note(note_id: int, written: WrittenNote, changes: Changes) -> NoteRecord:
    put = written.put
    return NoteRecord(
        stored=_stored_note(note_id, put),
        mtime_ns=put.mtime_ns,
        content_hash=put.content_hash,
        links=put.note.links,
        chunks=tuple(_chunk(note_id, chunk) for chunk in written.chunks),
        generation=changes.generation,
        kept_title=put.kept_title,
    )


def _stored_note(note_id: int, put: NotePut) -> StoredNote:
    note = put.note
    return StoredNote(
        id=note_id,
        path=note.path,
        title=note.title,
        aliases=note.aliases,
        tags=note.tags,
        properties=note.properties,
        description=note.description,
        created=note.created,
        modified=note.modified,
        size=put.size,
        warnings=warnings_of(put),
        mtime_ns=put.mtime_ns,
    )


def _chunk(note_id: int, written: WrittenChunk) -> ChunkRecord:
    chunk = written.chunk
    stored = StoredChunk(
        id=written.id,
        note_id=note_id,
        ordinal=chunk.ordinal,
        headings=chunk.headings,
        block=chunk.block,
        parent=chunk.parent,
        start=chunk.start,
        end=chunk.end,
        text=chunk.text,
        lines=chunk.lines,
        text_hash=chunk.text_hash,
        marks=chunk.marks,
    )
    return ChunkRecord(stored, chunk.header, written.vector_hash)


def use_model(state: State, model: ModelKey | None, dimensions: int) -> bool:
    """Search with a model's vectors; returns whether anything changed.

    Raises:
        ModelError: its vectors are stored with another dimension.

    """
    if model is not None:
        _register(state, model, dimensions)
    if state.model == model and model in {None, state.chunk_model}:
        return False
    state.model = model
    if model is None:
        for note in state.notes.values():
            entry = state.ledger.get(note.stored.path)
            if note.chunks and entry is not None and entry.state == "indexed":
                state.ledger[entry.path] = replace(entry, state="keyword_only")
        return True
    state.chunk_model = model
    for note_id, note in list(state.notes.items()):
        state.set_chunks(note_id, tuple([_with_vector(state, chunk) for chunk in note.chunks]))
    awaiting = {note.stored.path for note in state.notes.values() if note.awaits_vectors}
    for entry in list(state.ledger.values()):
        if entry.state in {"indexed", "keyword_only"}:
            is_waiting = entry.path in awaiting
            state.ledger[entry.path] = replace(
                entry, state="keyword_only" if is_waiting else "indexed"
            )
    return True


def store_vectors(state: State, model: ModelKey, puts: Sequence[VectorPut]) -> None:
    """Store vectors by text hash; one that is there stays. Chunks with these texts take them.

    Raises:
        ModelError: a vector has the wrong dimension or is not finite.

    """
    dimensions = state.dimensions.get(model) or len(puts[0].vector)
    checked = [(put.text_hash, as_float16(put, dimensions, model)) for put in puts]
    _register(state, model, dimensions)
    for text_hash, vector in checked:
        state.vectors[model].setdefault(text_hash, vector)
    if state.chunk_model != model:
        return
    given = {text_hash for text_hash, _ in checked}
    for note_id, note in list(state.notes.items()):
        if not any(chunk.stored.text_hash in given for chunk in note.chunks):
            continue
        state.set_chunks(note_id, tuple([_with_vector(state, chunk) for chunk in note.chunks]))
        entry = state.ledger.get(note.stored.path)
        is_complete = state.model == model and not state.notes[note_id].awaits_vectors
        if is_complete and entry is not None and entry.state == "keyword_only":
            state.ledger[entry.path] = replace(entry, state="indexed")


def covered_chunks(state: State, model: ModelKey) -> int:
    """How many chunks dense search would reach with this model."""
    if model == state.chunk_model:
        return sum(chunk.vector_hash is not None for chunk in state.chunks())
    return own_vectors(state, model)


def own_vectors(state: State, model: ModelKey | None) -> int:
    """How many chunks have the model's vector of their own text."""
    return sum(state.has_vector(model, chunk.stored.text_hash) for chunk in state.chunks())


def pending_texts(
    state: State, model: ModelKey, skip: Collection[bytes] = frozenset()
) -> Iterator[PendingText]:
    """Texts without a vector of the model, newest notes first, each once, none of `skip`.

    Notes that are still to be read again wait: their passages may be others then.
    """
    newest = sorted(
        state.notes.values(),
        key=lambda note: (
            note.stored.modified is None,
            -(note.stored.modified or 0.0),
            -note.stored.id,
        ),
    )
    seen = set(skip)
    for note in newest:
        entry = state.ledger.get(note.stored.path)
        if entry is not None and entry.state == "pending":
            continue
        for chunk in note.chunks:
            text_hash = chunk.stored.text_hash
            if text_hash not in seen and not state.has_vector(model, text_hash):
                seen.add(text_hash)
                text = embedded_text(chunk.header, chunk.stored.text)
                yield PendingText(text_hash, text, note.stored.path)


def vectors_in_use(state: State, model: ModelKey) -> list[tuple[bytes, bytes]]:
    """(text hash, float16 bytes) for every text of a current chunk."""
    used = {chunk.stored.text_hash for chunk in state.chunks()}
    return [
        (text_hash, vector.tobytes())
        for text_hash, vector in state.vectors.get(model, {}).items()
        if text_hash in used
    ]


def stored_vectors(
    state: State, model: ModelKey, text_hashes: Collection[bytes]
) -> dict[bytes, bytes]:
    """Float16 bytes of the texts whose vectors of the model are stored."""
    known = state.vectors.get(model, {})
    return {each: known[each].tobytes() for each in text_hashes if each in known}


def manifest_entry(note: NoteRecord) -> ManifestEntry:
    """The state of a note's file when it was indexed."""
    stored = note.stored
    return ManifestEntry(
        stored.id,
        stored.path,
        stored.size,
        note.mtime_ns,
        note.content_hash,
        stored.title,
        note.kept_title,
    )


def is_within(path: str, within: Sequence[str]) -> bool:
    """Whether a path is one of those given or in one of them."""
    return any(path == each or path.startswith(f"{each}/") for each in within)


def _register(state: State, model: ModelKey, dimensions: int) -> None:
    known = state.dimensions.get(model)
    if known is not None:
        check_dimensions(model, known=known, given=dimensions)
    state.dimensions[model] = dimensions
    state.vectors.setdefault(model, {})


def _with_vector(state: State, chunk: ChunkRecord) -> ChunkRecord:
    """The chunk with its own vector if that is stored, else with the one that it had."""
    for text_hash in (chunk.stored.text_hash, chunk.vector_hash):
        if state.has_vector(state.chunk_model, text_hash):
            return replace(chunk, vector_hash=text_hash)
    return replace(chunk, vector_hash=None)
