"""Writes a batch of notes as rows, inside one transaction of the store.

The `Changes` it returns are applied to the structures in memory after the commit.
"""

# ruff: noqa: S608 (what is put into SQL are names of columns and tables; values are bound)

from __future__ import annotations

import logging
import sqlite3
import time
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from notewell.base.support.logs import AboutFiles
from notewell.base.types import (
    Batch,
    Chunk,
    LedgerEntry,
    LedgerState,
    Link,
    ManifestEntry,
    NoteMove,
    NotePut,
)
from notewell.index.embedded import tables
from notewell.index.embedded.checksums import joined, link_sum, moved_sum, passage_sum, sum_of
from notewell.index.embedded.tables import get_meta, next_generation, number, optional_number
from notewell.index.embedded.vector_store import find_model, sound_vectors
from notewell.index.row_values import Row, is_storable, link_rows
from notewell.index.vector_heirs import Replaced, VectorHeirs

logger = logging.getLogger(__name__)


@dataclass(slots=True)
class Changes:
    """What a transaction did. Ids of notes and chunks; a note may be both gone and put."""

    generation: int = 0
    text: bool = False  # whether keywords and links change
    text_before: int = 0  # the generation in which they changed last
    gone: list[int] = field(default_factory=list)
    put: dict[int, tuple[str, tuple[str, ...], tuple[Link, ...]]] = field(default_factory=dict)
    bare: set[int] = field(default_factory=set)  # those of `put` that have no chunks
    moved: dict[int, str] = field(default_factory=dict)
    chunks_added: list[tuple[int, int]] = field(default_factory=list)  # (chunk, note)
    chunks_removed: list[int] = field(default_factory=list)
    reused: int = 0


@dataclass(slots=True)
class _OldChunk:
    """A chunk that a note had before it was replaced."""

    id: int
    text_hash: bytes
    vector_hash: bytes | None
    start: int
    stop: int
    text: str


class BatchWriter:
    """Applies one batch on an open transaction."""

    def __init__(self, connection: sqlite3.Connection, batch: Batch) -> None:
        """Start a generation."""
        self._db = connection
        self._batch = batch
        self._now = time.time()
        self._vectors = optional_number(get_meta(connection, "model_vectors"))
        self._model = None if batch.model is None else find_model(connection, batch.model)
        active = optional_number(get_meta(connection, "model_active"))
        # While a model is being prepared another one is in use and decides what counts as indexed.
        self._preparing = batch.model is not None and active not in {None, self._model}
        before = number(get_meta(connection, "text_generation"))
        text = bool(batch.moves or batch.removes or batch.puts)
        generation = next_generation(connection, text=text)
        self.changes = Changes(generation=generation, text_before=before, text=text)

    def run(self) -> Changes:
        """Moves, removes, puts, touches, forgets, ledger: in this order."""
        self._move_all(self._batch.moves)
        for path in self._batch.removes:
            self._remove(path)
        for put in self._batch.puts:
            if is_storable(AboutFiles(put.note.path)):
                self._put(put)
            else:
                logger.warning("%a is no valid Unicode; the note is not indexed.", put.note.path)
        for touch in self._batch.touches:
            self._touch(touch)
        self._db.executemany(
            "DELETE FROM ledger WHERE path = ?", [(path,) for path in self._batch.forgets]
        )
        for entry in self._batch.ledger:
            self._record(entry)
        return self._without_transient_chunks()

    def _without_transient_chunks(self) -> Changes:
        """Drop chunks both added and removed, where a path was put twice."""
        changes = self.changes
        removed = set(changes.chunks_removed)
        both = removed & {chunk_id for chunk_id, _ in changes.chunks_added}
        if both:
            changes.chunks_added = [each for each in changes.chunks_added if each[0] not in both]
            changes.chunks_removed = [each for each in changes.chunks_removed if each not in both]
        return changes

    def _move_all(self, moves: Sequence[NoteMove]) -> None:
        """Names are taken in a second pass, so that notes can swap or shift along a chain."""
        moving = []
        for place, move in enumerate(moves):
            found = self._db.execute(
                "SELECT id, checksum FROM notes WHERE path = ?", (move.old_path,)
            ).fetchone()
            if found is None:
                continue
            parked = f"\x00moving/{place}"
            for table in ("notes", "ledger"):
                self._db.execute(
                    f"UPDATE OR REPLACE {table} SET path=? WHERE path=?", (parked, move.old_path)
                )
            checksum = moved_sum(found[1], move.old_path, move.new_path)
            moving.append((found[0], checksum, parked, move))
        for note_id, checksum, parked, move in moving:
            self._remove(move.new_path)
            values = (move.new_path, move.size, move.mtime_ns)
            self._db.execute(
                "UPDATE notes SET path=?, size=?, mtime_ns=?, checksum=?, generation=? WHERE id=?",
                (*values, checksum, self.changes.generation, note_id),
            )
            self._db.execute(
                "UPDATE ledger SET path=?, size=?, mtime_ns=?, updated=? WHERE path=?",
                (*values, self._now, parked),
            )
            self.changes.moved[note_id] = move.new_path

    def _touch(self, touch: ManifestEntry) -> None:
        """A note is as it was; if it was to be read again, it need not be."""
        values = (touch.size, touch.mtime_ns)
        self._db.execute("UPDATE notes SET size=?, mtime_ns=? WHERE path=?", (*values, touch.path))
        lacks = (
            "vector_hash IS NULL"
            if self._preparing
            else "NOT EXISTS (SELECT 1 FROM vectors WHERE model_id IS :model"
            " AND text_hash = chunks.text_hash)"
        )
        waits = self._db.execute(
            f"SELECT EXISTS (SELECT 1 FROM chunks WHERE note_id = :note AND {lacks})",
            {"note": touch.note_id, "model": self._model},
        ).fetchone()[0]
        self._db.execute(
            "UPDATE ledger SET size=?, mtime_ns=?,"
            " state=iif(state IN ('pending', 'failed'), ?, state) WHERE path=?",
            (*values, "keyword_only" if waits else "indexed", touch.path),
        )

    def _remove(self, path: str) -> None:
        found = self._db.execute("SELECT id FROM notes WHERE path = ?", (path,)).fetchone()
        if found is not None:
            note_id = found[0]
            chunk_ids = self._db.execute("SELECT id FROM chunks WHERE note_id=?", (note_id,))
            self.changes.chunks_removed += [chunk_id for (chunk_id,) in chunk_ids]
            self._db.execute("DELETE FROM notes WHERE id = ?", (note_id,))
            self.changes.gone.append(note_id)
            self.changes.moved.pop(note_id, None)
        self._db.execute("DELETE FROM ledger WHERE path = ?", (path,))

    def _put(self, put: NotePut) -> None:
        path = put.note.path
        found = self._db.execute(
            "SELECT id, content_hash FROM notes WHERE path = ?", (path,)
        ).fetchone()
        unchanged = found is not None and found[1] == put.content_hash
        columns = (*tables.note_row(put), self.changes.generation)
        if found is None:
            cursor = self._db.execute(
                "INSERT INTO notes (path, title, aliases, tags, properties, description, created,"
                " modified, size, mtime_ns, content_hash, warnings, kept_title, generation)"
                " VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
                (path, *columns),
            )
            note_id = int(cursor.lastrowid or 0)
        else:
            note_id = int(found[0])
            self._db.execute(
                "UPDATE notes SET title=?, aliases=?, tags=?, properties=?, description=?,"
                " created=?, modified=?, size=?, mtime_ns=?, content_hash=?, warnings=?,"
                " kept_title=?, generation=? WHERE id=?",
                (*columns, note_id),
            )
            self._db.execute("DELETE FROM links WHERE note_id = ?", (note_id,))
        links = link_rows(note_id, put.note)
        self._db.executemany(f"INSERT INTO links VALUES ({','.join('?' * 11)})", links)
        stored = self._stored({chunk.text_hash for chunk in put.chunks})
        self._put_chunks(note_id, put.chunks, stored[self._vectors], unchanged=unchanged)
        self._settle(note_id, put, stored, unchanged=unchanged)
        self.changes.put[note_id] = (path, put.note.aliases, put.note.links)
        (self.changes.bare.discard if put.chunks else self.changes.bare.add)(note_id)

    def _put_chunks(
        self, note_id: int, chunks: Sequence[Chunk], known: Collection[bytes], *, unchanged: bool
    ) -> None:
        """Replace a note's chunks. One whose text is unchanged keeps its id.

        `known` are the texts that have vectors. In a note of `unchanged` content, only cut
        otherwise, every place is what it was before.
        """
        before = self._old_chunks(note_id)
        by_hash: dict[bytes, list[_OldChunk]] = defaultdict(list)
        for old in reversed(before):
            by_hash[old.text_hash].append(old)
        claimed: set[int] = set()
        added: list[Chunk] = []
        for chunk in chunks:
            if by_hash[chunk.text_hash]:
                old = by_hash[chunk.text_hash].pop()
                claimed.add(old.id)
                self._db.execute(
                    "UPDATE chunks SET ordinal=?, headings=?, block=?, parent=?, start=?, stop=?,"
                    " lines=?, header=?, text=?, checksum=? WHERE id=?",
                    (*_chunk_row(note_id, chunk), old.id),
                )
            else:
                added.append(chunk)
        unclaimed = [old for old in before if old.id not in claimed]
        heirs = VectorHeirs(
            Replaced(old.start, old.stop, old.text, old.vector_hash)
            for old in (before if unchanged else unclaimed)
        )
        for chunk in added:
            own = chunk.text_hash in known
            vector_hash = chunk.text_hash if own else heirs.vector_hash(chunk)
            self._insert(note_id, chunk, vector_hash)
        for old in unclaimed:
            self._db.execute("DELETE FROM chunks WHERE id = ?", (old.id,))
            self.changes.chunks_removed.append(old.id)

    def _old_chunks(self, note_id: int) -> list[_OldChunk]:
        found = self._db.execute(
            "SELECT id, text_hash, vector_hash, start, stop, text FROM chunks"
            " WHERE note_id = ? ORDER BY ordinal",
            (note_id,),
        )
        return [_OldChunk(*row) for row in found]

    def _insert(self, note_id: int, chunk: Chunk, vector_hash: bytes | None) -> None:
        cursor = self._db.execute(
            "INSERT INTO chunks (note_id, ordinal, headings, block, parent, start, stop, lines,"
            " header, text, checksum, text_hash, vector_hash)"
            " VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?)",
            (note_id, *_chunk_row(note_id, chunk), chunk.text_hash, vector_hash),
        )
        self.changes.chunks_added.append((int(cursor.lastrowid or 0), note_id))

    def _settle(
        self,
        note_id: int,
        put: NotePut,
        stored: Mapping[int | None, Collection[bytes]],
        *,
        unchanged: bool,
    ) -> None:
        """Write the note's ledger entry, its checksums, and whether it waits for vectors.

        `stored` are its texts that have vectors, by model.
        """
        hashes = {chunk.text_hash for chunk in put.chunks}
        kept = stored[self._model]
        self.changes.reused += sum(chunk.text_hash in kept for chunk in put.chunks)
        waiting = len(hashes) > len(stored[self._vectors])
        self._db.execute(
            "UPDATE notes SET awaiting=?, checksum=?, passages_sum=?, links_sum=? WHERE id=?",
            (waiting, sum_of(self._db, note_id), *_part_sums(note_id, put), note_id),
        )
        complete = len(kept) == len(hashes)
        if self._preparing:
            complete = not waiting or (unchanged and self._answered(note_id))
        state: LedgerState = "indexed" if complete else "keyword_only"
        warnings = dict.fromkeys((*put.note.warnings, *put.warnings))
        self._record(
            LedgerEntry(
                put.note.path,
                state,
                warnings=tuple(warnings),
                size=put.size,
                mtime_ns=put.mtime_ns,
            )
        )

    def _answered(self, note_id: int) -> bool:
        """Whether every chunk of a note is represented by some vector."""
        ask = "SELECT 1 FROM chunks WHERE note_id = ? AND vector_hash IS NULL"
        return self._db.execute(ask, (note_id,)).fetchone() is None

    def _record(self, entry: LedgerEntry) -> None:
        row = list(tables.ledger_row(entry))
        row[-1] = entry.updated or self._now
        self._db.execute("INSERT OR REPLACE INTO ledger VALUES (?,?,?,?,?,?,?,?,?)", row)

    def _stored(self, hashes: Collection[bytes]) -> Mapping[int | None, Collection[bytes]]:
        """Those of the texts whose vectors are stored, by model: the one in use and the next."""
        return {
            model: () if model is None else sound_vectors(self._db, model, hashes)
            for model in {self._vectors, self._model}
        }


def _chunk_row(note_id: int, chunk: Chunk) -> Row:
    """`tables.chunk_row`, then the checksum."""
    row = tables.chunk_row(chunk)
    *placed, _header, _text = row
    return (*row, passage_sum((note_id, *placed)))


def _part_sums(note_id: int, put: NotePut) -> tuple[int, int]:
    """The checksums of all passages and of all links of a note."""
    passages = joined(_chunk_row(note_id, chunk)[-1] for chunk in put.chunks)
    rows = link_rows(note_id, put.note)
    return passages, joined(link_sum(note, ordinal, columns) for note, ordinal, *columns in rows)
