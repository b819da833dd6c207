"""Decides what a batch of notes does to an index, for every engine; each engine only writes it.

`decide` is pure: it is told what the index has of the paths that the batch names, and returns the
rows that come, go and change, with the ids of new ones.

A passage whose text stays keeps its id and its vector. A changed one uses the vector of the passage
that it replaced until its own is made: `vector_hash` names the text whose vector a passage uses.
"""

from __future__ import annotations

import logging
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate

from notewell.base.support.logs import AboutFiles
from notewell.base.types import (
    Applied,
    Batch,
    Chunk,
    LedgerEntry,
    LedgerState,
    ManifestEntry,
    Note,
    NoteMove,
    NotePut,
)
from notewell.index.row_values import is_storable, warnings_of

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ChunkBefore:
    """A passage that a note has; `text` may be left out where the batch puts no such note."""

    id: int
    text_hash: bytes
    vector_hash: bytes | None
    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class NoteBefore:
    """A note that the index has, with its passages in order."""

    id: int
    content_hash: bytes
    chunks: tuple[ChunkBefore, ...]


@dataclass(frozen=True, slots=True)
class Before:
    """The part of an index that a batch names by its paths, and the ids that come next.

    `ledger` are the entries of moved and touched notes. `preparing`: another model than the batch's
    is in use, and decides what counts as indexed meanwhile. `stored` and `standing` are the texts
    of put and touched notes that have a vector: of the batch's model, and of the model whose
    vectors passages use.
    """

    generation: int
    text_generation: int
    next_note: int
    next_chunk: int
    notes: Mapping[str, NoteBefore]
    ledger: Mapping[str, LedgerEntry]
    preparing: bool
    stored: Collection[bytes]
    standing: Collection[bytes]


@dataclass(frozen=True, slots=True)
class WrittenChunk:
    """A passage as it is to be stored. `vector_hash` of one that was there before is as it was."""

    id: int
    chunk: Chunk
    vector_hash: bytes | None


@dataclass(frozen=True, slots=True)
class WrittenNote:
    """A note as it is to be stored. `awaiting`: some passage has no vector of its own text."""

    put: NotePut
    chunks: tuple[WrittenChunk, ...]
    awaiting: bool


@dataclass(frozen=True, slots=True)
class Changes:
    """The rows that a batch changes.

    Notes of `puts` are new from the id `first_note` on, and passages from `first_chunk` on: they
    are `chunks_added`, with their notes; `next_note` and `next_chunk` are the ids after them. A
    note of `moved` may be in `puts` too; those that are `gone` are in neither. `ledger` are the
    entries to write; None: that of the path is to be deleted.
    """

    generation: int = 0
    text_generation: int = 0
    text_before: int = 0  # the generation in which notes changed last before
    first_note: int = 1
    first_chunk: int = 1
    next_note: int = 1
    next_chunk: int = 1
    gone: Sequence[int] = ()
    moved: Mapping[int, NoteMove] = field(default_factory=dict)
    puts: Mapping[int, WrittenNote] = field(default_factory=dict)
    touched: Sequence[ManifestEntry] = ()
    ledger: Mapping[str, LedgerEntry | None] = field(default_factory=dict)
    chunks_added: Sequence[tuple[int, int]] = ()
    chunks_removed: Sequence[int] = ()
    reused: int = 0

    @property
    def in_text(self) -> bool:
        """True if keywords and links change."""
        return self.text_generation == self.generation

    def notes_put(self) -> list[tuple[int, Note]]:
        return [(note_id, written.put.note) for note_id, written in self.puts.items()]

    @property
    def applied(self) -> Applied:
        return Applied(
            generation=self.generation,
            chunks_added=len(self.chunks_added),
            chunks_removed=len(self.chunks_removed),
            reused=self.reused,
        )


def decide(batch: Batch, before: Before, now: float) -> Changes:
    """The changes of a batch: moves, removes, puts, touches, forgets, ledger, in this order.

    `now` is the time of its ledger entries, in seconds since 1970.
    """
    return _Decision(batch, before, now).made()


def paths_of(batch: Batch) -> set[str]:
    """The paths at which the batch changes notes."""
    return {
        *(path for move in batch.moves for path in (move.old_path, move.new_path)),
        *batch.removes,
        *(put.note.path for put in batch.puts),
        *(touch.path for touch in batch.touches),
    }


def paths_before(batch: Batch, paths: Collection[str]) -> set[str]:
    """These paths, and those from which the batch moves notes to them."""
    return {*paths, *(move.old_path for move in batch.moves if move.new_path in paths)}


class _Decision:
    """One batch, as it is gone through."""

    def __init__(self, batch: Batch, before: Before, now: float) -> None:
        self._batch = batch
        self._before = before
        self._now = now
        self._next_note, self._next_chunk = before.next_note, before.next_chunk
        self._notes = dict(before.notes)  # by path, as they are so far
        self._gone: list[int] = []
        self._moved: dict[int, NoteMove] = {}
        self._puts: dict[int, WrittenNote] = {}
        self._ledger: dict[str, LedgerEntry | None] = {}
        self._removed: list[int] = []
        self._reused = 0

    def made(self) -> Changes:
        batch, before = self._batch, self._before
        self._move_all(batch.moves)
        for path in batch.removes:
            self._remove(path)
        for put in batch.puts:
            if is_storable(put.note.path):
                self._put(put)
            else:
                path = AboutFiles(put.note.path)
                logger.warning("%a is no valid Unicode; the note is not indexed.", path)
        for touch in batch.touches:
            self._touch(touch)
        self._ledger.update(dict.fromkeys(batch.forgets))
        for entry in batch.ledger:
            self._record(entry)
        generation = before.generation + 1
        text = bool(batch.moves or batch.removes or batch.puts)
        return Changes(
            generation=generation,
            text_generation=generation if text else before.text_generation,
            text_before=before.text_generation,
            first_note=before.next_note,
            first_chunk=before.next_chunk,
            next_note=self._next_note,
            next_chunk=self._next_chunk,
            gone=self._gone,
            moved=self._moved,
            puts=self._puts,
            touched=[touch for touch in batch.touches if touch.path in self._notes],
            ledger=self._ledger,
            chunks_added=[
                (chunk.id, note_id)
                for note_id, note in self._puts.items()
                for chunk in note.chunks
                if chunk.id >= before.next_chunk
            ],
            chunks_removed=[chunk_id for chunk_id in self._removed if chunk_id < before.next_chunk],
            reused=self._reused,
        )

    def _move_all(self, moves: Sequence[NoteMove]) -> None:
        """All notes leave their paths before one takes another's, so that they can swap."""
        moving = []
        for move in moves:
            note = self._notes.pop(move.old_path, None)
            if note is not None:
                moving.append((note, self._entry(move.old_path), move))
                self._ledger[move.old_path] = None
        for note, entry, move in moving:
            self._remove(move.new_path)
            self._notes[move.new_path] = note
            self._moved[note.id] = move
            if entry is not None:
                size, mtime_ns = move.size, move.mtime_ns
                self._ledger[move.new_path] = replace(
                    entry, path=move.new_path, size=size, mtime_ns=mtime_ns, updated=self._now
                )

    def _remove(self, path: str) -> None:
        self._ledger[path] = None
        note = self._notes.pop(path, None)
        if note is not None:
            self._gone.append(note.id)
            self._moved.pop(note.id, None)
            self._removed += [chunk.id for chunk in note.chunks]

    def _put(self, put: NotePut) -> None:
        path = put.note.path
        old = self._notes.get(path)
        note_id = self._new_note() if old is None else old.id
        unchanged = old is not None and old.content_hash == put.content_hash
        chunks = self._chunks(() if old is None else old.chunks, put.chunks, unchanged=unchanged)
        awaiting = not all(chunk.text_hash in self._before.standing for chunk in put.chunks)
        written = self._puts[note_id] = WrittenNote(put, chunks, awaiting)
        self._notes[path] = NoteBefore(note_id, put.content_hash, tuple(map(_as_before, chunks)))
        covered = [chunk.text_hash in self._before.stored for chunk in put.chunks]
        self._reused += sum(covered)
        complete = all(covered)
        if self._before.preparing:
            represented = all(chunk.vector_hash is not None for chunk in written.chunks)
            complete = not awaiting or (unchanged and represented)
        self._record(
            LedgerEntry(
                path,
                _state(complete=complete),
                warnings=warnings_of(put),
                size=put.size,
                mtime_ns=put.mtime_ns,
            )
        )

    def _chunks(
        self, before: Sequence[ChunkBefore], chunks: Sequence[Chunk], *, unchanged: bool
    ) -> tuple[WrittenChunk, ...]:
        """A note's passages. In one of `unchanged` content, only cut otherwise, places hold."""
        by_hash: defaultdict[bytes, list[ChunkBefore]] = defaultdict(list)
        for old in reversed(before):
            by_hash[old.text_hash].append(old)
        kept = [
            by_hash[chunk.text_hash].pop() if by_hash[chunk.text_hash] else None for chunk in chunks
        ]
        claimed = {old.id for old in kept if old is not None}
        replaced = [old for old in before if old.id not in claimed]
        self._removed += [old.id for old in replaced]
        heirs = VectorHeirs(before if unchanged else replaced)
        return tuple(
            [
                self._new_chunk(chunk, heirs)
                if old is None
                else WrittenChunk(old.id, chunk, old.vector_hash)
                for chunk, old in zip(chunks, kept, strict=True)
            ]
        )

    def _new_chunk(self, chunk: Chunk, heirs: VectorHeirs) -> WrittenChunk:
        chunk_id, self._next_chunk = self._next_chunk, self._next_chunk + 1
        has_own = chunk.text_hash in self._before.standing
        vector_hash = chunk.text_hash if has_own else heirs.vector_hash(chunk)
        return WrittenChunk(chunk_id, chunk, vector_hash)

    def _new_note(self) -> int:
        note_id, self._next_note = self._next_note, self._next_note + 1
        return note_id

    def _touch(self, touch: ManifestEntry) -> None:
        """The file has the same content, so a note that was pending or failed is not read again."""
        entry, note = self._entry(touch.path), self._notes.get(touch.path)
        if entry is None:
            return
        if entry.state in {"pending", "failed"}:
            chunks = () if note is None else note.chunks
            entry = replace(entry, state=_state(complete=not any(map(self._lacks_vector, chunks))))
        self._ledger[touch.path] = replace(entry, size=touch.size, mtime_ns=touch.mtime_ns)

    def _lacks_vector(self, chunk: ChunkBefore) -> bool:
        if self._before.preparing:
            return chunk.vector_hash is None
        return chunk.text_hash not in self._before.stored

    def _entry(self, path: str) -> LedgerEntry | None:
        known = self._before.ledger.get(path)
        return self._ledger.get(path, known)

    def _record(self, entry: LedgerEntry) -> None:
        self._ledger[entry.path] = replace(entry, updated=entry.updated or self._now)


def _state(*, complete: bool) -> LedgerState:
    return "indexed" if complete else "keyword_only"


def _as_before(written: WrittenChunk) -> ChunkBefore:
    """A passage, for a later put of the same path."""
    chunk = written.chunk
    return ChunkBefore(
        written.id, chunk.text_hash, written.vector_hash, chunk.start, chunk.end, chunk.text
    )


# --- vectors of replaced passages ---------------------------------------------------------------


class VectorHeirs:
    """The passages that one note had before, in their order, and which of them a new one replaces.

    Takes time linear in the number of passages, of which one file may have many thousands.
    """

    def __init__(self, replaced: Iterable[ChunkBefore]) -> None:
        """Passages without a vector have nothing to give."""
        self._before = [chunk for chunk in replaced if chunk.vector_hash is not None]
        self._all: _Ranges | None = None
        self._by_text: dict[str, _Ranges] | None = None

    def vector_hash(self, chunk: Chunk) -> bytes | None:
        """The vector of the same text under another title, else of the passage it overlaps most."""
        if not self._before:
            return None
        if self._all is None or self._by_text is None:
            texts: defaultdict[str, list[ChunkBefore]] = defaultdict(list)
            for earlier_chunk in self._before:
                texts[earlier_chunk.text].append(earlier_chunk)
            self._by_text = {text: _Ranges(alike) for text, alike in texts.items()}
            self._all = _Ranges(self._before)
        alike = self._by_text.get(chunk.text)
        if alike is None:
            overlapping = self._all.overlapping(chunk.start, chunk.end)
        else:
            overlapping = alike.overlapping(chunk.start, chunk.end) or alike.first
        return None if overlapping is None else overlapping.vector_hash


class _Ranges:
    """Passages by their places in the note."""

    def __init__(self, passages: Sequence[ChunkBefore]) -> None:
        self.first = passages[0]
        # All pieces of one long block may have its place: the first stands for them.
        different: dict[tuple[int, int], tuple[int, ChunkBefore]] = {}
        for order, passage in enumerate(passages):
            different.setdefault((passage.start, passage.end), (order, passage))
        self._ordered = sorted(different.values(), key=lambda pair: pair[1].start)
        self._starts = [passage.start for _, passage in self._ordered]
        self._reach = list(accumulate((passage.end for _, passage in self._ordered), max))

    def overlapping(self, start: int, end: int) -> ChunkBefore | None:
        """The passage with most characters in [start, end), the first of several; None: none."""
        best, chosen = (0, 0), None
        for at in range(bisect_right(self._reach, start), bisect_left(self._starts, end)):
            order, each = self._ordered[at]
            rank = (min(end, each.end) - max(start, each.start), -order)
            if rank[0] > 0 and (chosen is None or rank > best):
                best, chosen = rank, each
        return chosen
