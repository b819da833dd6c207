"""The data of an in-memory index: frozen records in dictionaries.

A transaction changes a copy of the state, which then takes the place of the one before: readers
see all of a batch or nothing, and what fails half-way leaves no trace.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from notewell.types import LedgerEntry, Link, ModelKey, StoredChunk, StoredNote

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
