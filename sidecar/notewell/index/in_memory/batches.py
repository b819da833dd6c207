"""Applies one batch of notes to a state that no reader sees yet."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace

from notewell.base.types import (
    Applied,
    Batch,
    Chunk,
    LedgerEntry,
    LedgerState,
    ManifestEntry,
    NoteMove,
    NotePut,
    StoredChunk,
    StoredNote,
)
from notewell.index.in_memory.state import ChunkRecord, NoteRecord, State
from notewell.index.vector_heirs import Replaced, VectorHeirs


def apply(state: State, batch: Batch, between_notes: Callable[[], None]) -> Applied:
    """Apply moves, removes, puts, touches, forgets and ledger entries to `state`, in this order."""
    writer = _BatchWriter(state, batch)
    writer.move_all(batch.moves)
    for path in batch.removes:
        writer.remove(path)
    for put in batch.puts:
        between_notes()
        if _is_unicode(put.note.path):
            writer.put(put)
    for touch in batch.touches:
        writer.touch(touch)
    for path in batch.forgets:
        state.ledger.pop(path, None)
    for entry in batch.ledger:
        writer.record(entry)
    return Applied(
        generation=state.generation,
        chunks_added=len(writer.added - writer.removed),
        chunks_removed=len(writer.removed - writer.added),
        reused=writer.reused,
    )


class _BatchWriter:
    """Changes a state, and counts chunks added, removed, and covered by stored vectors."""

    def __init__(self, state: State, batch: Batch) -> None:
        state.generation += 1
        if batch.moves or batch.removes or batch.puts:
            state.text_generation = state.generation
        self._state = state
        self._model = batch.model
        # While a model is being prepared, the one in use decides what counts as indexed.
        self._preparing = batch.model is not None and state.model not in {None, batch.model}
        self._now = time.time()
        self.added: set[int] = set()
        self.removed: set[int] = set()
        self.reused = 0

    def move_all(self, moves: Sequence[NoteMove]) -> None:
        """All notes leave their paths before one takes another's, so that they can swap."""
        state = self._state
        moving = [
            (state.note_ids.pop(move.old_path), state.ledger.pop(move.old_path, None), move)
            for move in moves
            if move.old_path in state.note_ids
        ]
        for note_id, entry, move in moving:
            self.remove(move.new_path)
            old = state.notes[note_id]
            state.note_ids[move.new_path] = note_id
            state.notes[note_id] = replace(
                old,
                stored=replace(old.stored, path=move.new_path, size=move.size),
                mtime_ns=move.mtime_ns,
                generation=state.generation,
            )
            if entry is not None:
                self.record(
                    replace(
                        entry,
                        path=move.new_path,
                        size=move.size,
                        mtime_ns=move.mtime_ns,
                        updated=self._now,
                    )
                )

    def remove(self, path: str) -> None:
        """Remove a note, if there is one, and the ledger entry of its path."""
        state = self._state
        state.ledger.pop(path, None)
        note_id = state.note_ids.pop(path, None)
        if note_id is not None:
            gone = state.notes.pop(note_id)
            self.removed.update(chunk.stored.id for chunk in gone.chunks)

    def put(self, put: NotePut) -> None:
        """Store a note, or replace the one at its path."""
        state = self._state
        path = put.note.path
        note_id = state.note_ids.get(path)
        old = None if note_id is None else state.notes[note_id]
        if note_id is None:
            note_id, state.next_note = state.next_note, state.next_note + 1
        is_unchanged = old is not None and old.content_hash == put.content_hash
        record = NoteRecord(
            stored=_stored_note(note_id, put),
            mtime_ns=put.mtime_ns,
            content_hash=put.content_hash,
            links=put.note.links,
            chunks=self._chunks(note_id, () if old is None else old.chunks, put, is_unchanged),
            generation=state.generation,
            kept_title=put.kept_title,
        )
        state.notes[note_id] = record
        state.note_ids[path] = note_id
        self._settle(record, put, is_unchanged=is_unchanged)

    def touch(self, touch: ManifestEntry) -> None:
        """Note that a file has the same content, but another size or time."""
        state = self._state
        note_id = state.note_ids.get(touch.path)
        waits = False
        if note_id is not None:
            old = state.notes[note_id]
            stored = replace(old.stored, size=touch.size)
            state.notes[note_id] = replace(old, stored=stored, mtime_ns=touch.mtime_ns)
            waits = any(self._lacks_vector(chunk) for chunk in old.chunks)
        entry = state.ledger.get(touch.path)
        if entry is not None:
            if entry.state in {"pending", "failed"}:
                entry = replace(entry, state="keyword_only" if waits else "indexed")
            entry = replace(entry, size=touch.size, mtime_ns=touch.mtime_ns)
            state.ledger[touch.path] = entry

    def record(self, entry: LedgerEntry) -> None:
        """Store a ledger entry."""
        self._state.ledger[entry.path] = replace(entry, updated=entry.updated or self._now)

    def _lacks_vector(self, chunk: ChunkRecord) -> bool:
        if self._preparing:
            return chunk.vector_hash is None
        return not self._state.has_vector(self._model, chunk.stored.text_hash)

    def _chunks(
        self, note_id: int, before: Sequence[ChunkRecord], put: NotePut, is_unchanged: bool
    ) -> tuple[ChunkRecord, ...]:
        """A note's new chunk records. A chunk whose text is unchanged keeps its id and vector."""
        by_hash: defaultdict[bytes, list[ChunkRecord]] = defaultdict(list)
        for old in reversed(before):
            by_hash[old.stored.text_hash].append(old)
        kept: dict[int, ChunkRecord] = {}  # by place in the new note
        for place, chunk in enumerate(put.chunks):
            if by_hash[chunk.text_hash]:
                kept[place] = by_hash[chunk.text_hash].pop()
        claimed = {record.stored.id for record in kept.values()}
        unclaimed = [old for old in before if old.stored.id not in claimed]
        heirs = VectorHeirs(
            Replaced(old.stored.start, old.stored.end, old.stored.text, old.vector_hash)
            for old in (before if is_unchanged else unclaimed)
        )
        self.removed.update(old.stored.id for old in unclaimed)
        made = []
        for place, chunk in enumerate(put.chunks):
            if place in kept:
                same = kept[place]
                stored = _stored_chunk(same.stored.id, note_id, chunk)
                made.append(ChunkRecord(stored, chunk.header, same.vector_hash))
            else:
                made.append(self._new(note_id, chunk, heirs))
        return tuple(made)

    def _new(self, note_id: int, chunk: Chunk, heirs: VectorHeirs) -> ChunkRecord:
        state = self._state
        chunk_id, state.next_chunk = state.next_chunk, state.next_chunk + 1
        self.added.add(chunk_id)
        if state.has_vector(state.chunk_model, chunk.text_hash):
            vector_hash: bytes | None = chunk.text_hash
        else:
            vector_hash = heirs.vector_hash(chunk)
        return ChunkRecord(_stored_chunk(chunk_id, note_id, chunk), chunk.header, vector_hash)

    def _settle(self, record: NoteRecord, put: NotePut, *, is_unchanged: bool) -> None:
        """Write the note's ledger entry: whether all of it can be found by meaning."""
        covered = [self._state.has_vector(self._model, chunk.text_hash) for chunk in put.chunks]
        self.reused += sum(covered)
        complete = all(covered)
        if self._preparing:
            has_some = all(chunk.vector_hash is not None for chunk in record.chunks)
            complete = not record.awaits_vectors or (is_unchanged and has_some)
        state: LedgerState = "indexed" if complete else "keyword_only"
        warnings = dict.fromkeys((*put.note.warnings, *put.warnings))
        self.record(
            LedgerEntry(
                put.note.path,
                state,
                warnings=tuple(warnings),
                size=put.size,
                mtime_ns=put.mtime_ns,
            )
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
        warnings=tuple(dict.fromkeys((*note.warnings, *put.warnings))),
        mtime_ns=put.mtime_ns,
    )


def _stored_chunk(chunk_id: int, note_id: int, chunk: Chunk) -> StoredChunk:
    return StoredChunk(
        id=chunk_id,
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


def _is_unicode(path: str) -> bool:
    """Whether a path can be stored: a lone surrogate, which UTF-8 cannot hold, names no file."""
    return path.isascii() or path.encode("utf-8", "replace").decode("utf-8") == path
