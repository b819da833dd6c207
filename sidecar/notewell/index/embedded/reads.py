"""Queries of the database, which may run in any thread.

`RecentRows` holds what was read last: people type a query letter by letter, and most results of
each search are results of the next one.
"""

# ruff: noqa: S608 (only column and table names are put into SQL; values are bound)

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

import numpy as np
import orjson

from notewell.base.types import (
    LEDGER_STATES,
    IdArray,
    LedgerEntry,
    LedgerState,
    ManifestEntry,
    PassageText,
    StoredChunk,
    StoredNote,
    embedded_text,
)
from notewell.index.embedded import tables
from notewell.index.embedded.checksums import (
    check_joined,
    check_note,
    check_passage,
    check_text,
    link_sum,
    sound_rows,
)
from notewell.index.embedded.store import Store, translate_errors
from notewell.index.lexical import (
    FIRST_PLACEHOLDER,
    ChunkText,
    SearchText,
    note_text,
    placeholder,
    placeholder_id,
)
from notewell.index.port import NoteBasics
from notewell.index.row_values import (
    LEDGER_COLUMNS,
    LINK_COLUMNS,
    MANIFEST_COLUMNS,
    Row,
    inner_headings,
    is_storable,
    ledger_of,
    properties,
    strings,
)

OF_CALLERS = "user."  # begins the keys of what callers store
_PATHS_AT_ONCE = 200
_NOTE_WIDTH = 12  # columns of the note in the rows of `_texts`
_HEADINGS, _BLOCK = 2, 3  # the places of these columns in checksums.PLACED
_BARE = "NOT EXISTS (SELECT 1 FROM chunks WHERE note_id = n.id)"


def meta(store: Store, key: str) -> str | None:
    """A value of the table `meta`."""
    rows = store.read("SELECT value FROM meta WHERE key = ?", (key,))
    return str(rows[0][0]) if rows else None


def generations(store: Store) -> tuple[str, int, int]:
    """The database's identity, its generation, and the one its text last changed in."""
    known = dict(
        store.read("SELECT key, value FROM meta WHERE key IN ('id','generation','text_generation')")
    )
    with translate_errors(store.directory), sound_rows("the table meta"):
        return str(known["id"]), int(known["generation"]), int(known["text_generation"])


def chunk_notes(store: Store) -> tuple[IdArray, IdArray]:
    """All chunk ids, stand-ins included, ascending, and the note of each. Reads no texts."""
    rows = np.array(
        store.read(
            "SELECT id, note_id FROM chunks"
            f" UNION ALL SELECT n.id + {FIRST_PLACEHOLDER}, n.id FROM notes n WHERE {_BARE}"
        ),
        dtype=np.int64,
    ).reshape(-1, 2)
    order = np.argsort(rows[:, 0])
    return rows[order, 0], rows[order, 1]


def texts(store: Store, since: int = -1) -> Iterator[SearchText]:
    """The keyword texts of notes changed after generation `since`, in order of id."""
    return _texts(store, "SELECT id FROM notes WHERE generation > ?", since)


def texts_of(store: Store, note_ids: Sequence[int]) -> Iterator[SearchText]:
    """The keyword texts of those of the notes that are there, in order of id."""
    return _texts(store, "SELECT value FROM json_each(?)", orjson.dumps(list(note_ids)).decode())


def _texts(store: Store, chosen: str, value: int | str) -> Iterator[SearchText]:
    """The texts of the notes whose ids a query of one value chooses."""
    held: Row | None = None
    parts: list[Row] = []
    for row in store.stream(
        "SELECT n.id, n.path, n.title, n.aliases, n.tags, n.properties, n.description, n.created,"
        f" n.modified, n.warnings, n.checksum, n.passages_sum, {tables.CHUNK_COLUMNS}"
        " FROM notes n LEFT JOIN chunks c ON c.note_id = n.id"
        f" WHERE n.id IN ({chosen}) ORDER BY n.id, c.id",
        (value,),
    ):
        if held is not None and held[0] != row[0]:
            yield _note_text(store, held, parts)
            parts = []
        held, passage = row[:_NOTE_WIDTH], row[_NOTE_WIDTH:]
        if passage[0] is not None:
            parts.append(passage)
    if held is not None:
        yield _note_text(store, held, parts)


def _chunk_text(columns: Row) -> ChunkText:
    """A passage's text from CHUNK_COLUMNS. Raises one of UNSOUND."""
    chunk_id, *placed, text, text_hash, header, checksum = columns
    check_text(header, text, text_hash)
    check_passage(placed, checksum)
    inner = inner_headings(placed[_BLOCK], text)
    return ChunkText(chunk_id, strings(placed[_HEADINGS]), text, inner=inner)


def _note_text(store: Store, columns: Row, parts: list[Row]) -> SearchText:
    note_id, path, title, aliases, tags, packed, *_, checksum, passages_sum = columns
    with translate_errors(store.directory):
        with sound_rows("a passage"):
            chunks = [_chunk_text(part) for part in parts]
        with sound_rows("a note"):
            check_note(columns[1:-2], checksum)
            check_joined("passages", [part[-1] for part in parts], passages_sum)
            return note_text(
                note_id,
                path,
                title=title,
                aliases=strings(aliases),
                tags=strings(tags),
                properties=properties(packed),
                chunks=chunks,
            )


def links(store: Store) -> dict[int, list[tuple[Any, ...]]]:
    """The links of every note that has some: LINK_COLUMNS of each, in order."""
    by_note: dict[int, list[tuple[Any, ...]]] = {}
    sums: dict[int, int] = {}  # what is left of each note's checksum
    with translate_errors(store.directory), sound_rows("a link"):
        for note_id, links_sum, ordinal, *columns in store.stream(
            f"SELECT n.id, n.links_sum, l.ordinal, {LINK_COLUMNS}"
            " FROM notes n LEFT JOIN links l ON l.note_id = n.id ORDER BY n.id, l.ordinal"
        ):
            own = sums.setdefault(note_id, links_sum)
            if ordinal is not None:
                by_note.setdefault(note_id, []).append(tuple(columns))
                sums[note_id] = own ^ link_sum(note_id, ordinal, columns)
        if any(sums.values()):
            raise ValueError("its row was changed")
    return by_note


MOST_NOTES, MOST_CHUNKS = 250, 500  # together about 2 MB
_MOST_AT_ONCE = 200  # of a longer list, nothing is kept: it would displace what searches share

Record = TypeVar("Record")
Read = Callable[[Sequence[int]], dict[int, Record]]


class RecentRows:
    """Rows of one generation of the index, by id. Its owner makes a new one after each change.

    A search that is running meanwhile fills the old one, which nobody else reads any more. Safe to
    call from several threads, at worst reading a row twice.
    """

    def __init__(self) -> None:
        self._notes: dict[int, StoredNote] = {}
        self._chunks: dict[int, StoredChunk] = {}

    def notes(self, ids: Sequence[int], read: Read[StoredNote]) -> dict[int, StoredNote]:
        """The notes that are there; `read` reads those that are not kept."""
        return _find(self._notes, ids, read, MOST_NOTES)

    def chunks(self, ids: Sequence[int], read: Read[StoredChunk]) -> dict[int, StoredChunk]:
        """The chunks that are there; `read` reads those that are not kept."""
        return _find(self._chunks, ids, read, MOST_CHUNKS)


def _find(
    kept: dict[int, Record], ids: Sequence[int], read: Read[Record], most: int
) -> dict[int, Record]:
    if len(ids) > _MOST_AT_ONCE:
        return read(ids)
    rows = {row_id: row for row_id in ids if (row := kept.get(row_id)) is not None}
    missing = [row_id for row_id in ids if row_id not in rows]
    if missing:
        new = read(missing)
        if len(kept) + len(new) > most:
            kept.clear()
        kept.update(new)
        rows |= new
    return dict(sorted(rows.items()))  # in order of id, as the database gives them


class NoteRows:
    """The part of the port that reads rows of notes, passages and files."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._recent = RecentRows()

    def meta(self, key: str) -> str | None:
        return meta(self._store, f"{OF_CALLERS}{key}")

    def all_meta(self) -> dict[str, str]:
        rows = self._store.read("SELECT key, value FROM meta")
        return {
            str(key).removeprefix(OF_CALLERS): str(value)
            for key, value in rows
            if str(key).startswith(OF_CALLERS)
        }

    def notes(self, ids: Sequence[int]) -> dict[int, StoredNote]:
        return self._recent.notes(ids, self._read_notes)

    def chunks(self, ids: Sequence[int]) -> dict[int, StoredChunk]:
        return self._recent.chunks(ids, self._read_chunks)

    def _read_notes(self, ids: Sequence[int]) -> dict[int, StoredNote]:
        rows = self._store.read_in(f"SELECT {tables.NOTE_COLUMNS} FROM notes WHERE id IN (?)", ids)
        with translate_errors(self._store.directory):
            return {row[0]: tables.stored_note(row) for row in rows}

    def paths(self, ids: Sequence[int]) -> dict[int, str]:
        return dict(self._store.read_in("SELECT id, path FROM notes WHERE id IN (?)", ids))

    def note_at(self, path: str) -> StoredNote | None:
        if not is_storable(path):
            return None
        rows = self._store.read(f"SELECT {tables.NOTE_COLUMNS} FROM notes WHERE path = ?", (path,))
        with translate_errors(self._store.directory):
            return tables.stored_note(rows[0]) if rows else None

    def all_notes(self) -> tuple[StoredNote, ...]:
        rows = self._store.stream(f"SELECT {tables.NOTE_COLUMNS} FROM notes ORDER BY id")
        with translate_errors(self._store.directory):
            return tuple([tables.stored_note(row) for row in rows])

    def _note_ids(self) -> IdArray:
        """Ids of all notes, ascending."""
        # As one text: a row for each number takes three times as long.
        ((packed,),) = self._store.read("SELECT json_group_array(id) FROM notes")
        return np.sort(np.array(orjson.loads(packed), np.int64))

    def _basics(self, since: int) -> tuple[NoteBasics, ...]:
        """The basics of the notes changed after generation `since`.

        Properties are read where one may be called `type` or `status`, or hold the note's date; of
        other notes none are told.
        """
        rows = self._store.stream(
            "SELECT id, path, CASE WHEN properties LIKE '%status%'"
            " OR properties LIKE '%type%' OR properties LIKE '%created%'"
            " OR properties LIKE '%date%' OR properties LIKE '%day%'"
            " OR properties LIKE '%modif%' OR properties LIKE '%lastmod%'"
            " THEN properties END, created, modified"
            " FROM notes WHERE generation > ?",
            (since,),
        )
        with translate_errors(self._store.directory), sound_rows("a note"):
            return tuple(
                [
                    NoteBasics(id_, path, properties(known) if known else {}, *times)
                    for id_, path, known, *times in rows
                ]
            )

    def _read_chunks(self, ids: Sequence[int]) -> dict[int, StoredChunk]:
        """The chunks that are there, and stand-ins for the notes that have none."""
        own = [chunk_id for chunk_id in ids if chunk_id < FIRST_PLACEHOLDER]
        rows = self._store.read_in(
            f"SELECT {tables.SHOWN_COLUMNS} FROM chunks c WHERE id IN (?)", own
        )
        with translate_errors(self._store.directory):
            known = {row[0]: tables.stored_chunk(row) for row in rows}
        bare = [chunk_id - FIRST_PLACEHOLDER for chunk_id in ids if chunk_id >= FIRST_PLACEHOLDER]
        for (note_id,) in self._store.read_in(
            f"SELECT id FROM notes n WHERE {_BARE} AND id IN (?)", bare
        ):
            known[placeholder_id(note_id)] = placeholder(note_id)
        return known

    def chunks_of(self, note_id: int) -> tuple[StoredChunk, ...]:
        stored = self._store.read(
            f"SELECT n.passages_sum, {tables.SHOWN_COLUMNS} FROM notes n"
            " LEFT JOIN chunks c ON c.note_id = n.id WHERE n.id = ? ORDER BY c.ordinal",
            (note_id,),
        )
        rows = [row for _, *row in stored if row[0] is not None]
        with translate_errors(self._store.directory):
            known = tuple([tables.stored_chunk(row) for row in rows])
            if stored:
                with sound_rows("a note"):
                    check_joined("passages", [row[-2] for row in rows], stored[0][0])
            return known

    def first_chunks(self, note_ids: Sequence[int]) -> dict[int, StoredChunk]:
        rows = self._store.read_in(
            f"SELECT {tables.SHOWN_COLUMNS} FROM chunks c WHERE c.ordinal = 0 AND c.note_id IN (?)",
            note_ids,
        )
        with translate_errors(self._store.directory):
            return {chunk.note_id: chunk for chunk in map(tables.stored_chunk, rows)}

    def chunks_with_hash(self, digits: str) -> tuple[StoredChunk, ...]:
        whole = 32
        first, last = (
            bytes.fromhex(digits.ljust(whole, "0")),
            bytes.fromhex(digits.ljust(whole, "f")),
        )
        rows = self._store.read(
            f"SELECT {tables.SHOWN_COLUMNS} FROM chunks c WHERE text_hash BETWEEN ? AND ?"
            " ORDER BY id LIMIT 16",
            (first, last),
        )
        with translate_errors(self._store.directory):
            return tuple([tables.stored_chunk(row) for row in rows])

    def passages(self) -> Iterator[PassageText]:
        for path, title, header, text in self._store.stream(
            "SELECT n.path, n.title, c.header, c.text"
            " FROM notes n LEFT JOIN chunks c ON c.note_id = n.id ORDER BY n.id, c.ordinal"
        ):
            yield PassageText(path, title if text is None else embedded_text(header, text))

    def manifest(self, within: Sequence[str] = ()) -> dict[str, ManifestEntry]:
        rows = self._within(f"SELECT {MANIFEST_COLUMNS} FROM notes", within)
        return {row[1]: ManifestEntry(*row) for row in rows}

    def ledger(
        self,
        *,
        state: LedgerState | None = None,
        path: str | None = None,
        rule: str | None = None,
    ) -> tuple[LedgerEntry, ...]:
        if path is not None and not is_storable(path):
            return ()
        wanted = [("state", state), ("path", path), ("rule", rule)]
        given = [(column, value) for column, value in wanted if value is not None]
        where = " AND ".join(f"{column} = ?" for column, _ in given) or "1"
        rows = self._store.read(
            f"SELECT {LEDGER_COLUMNS} FROM ledger WHERE {where} ORDER BY path",
            [value for _, value in given],
        )
        return tuple(ledger_of(row) for row in rows)

    def ledger_within(self, within: Sequence[str]) -> tuple[LedgerEntry, ...]:
        rows = self._within(f"SELECT {LEDGER_COLUMNS} FROM ledger", within)
        return tuple(ledger_of(row) for row in rows)

    def _within(self, select: str, within: Sequence[str]) -> Iterator[tuple[Any, ...]]:
        if not within:
            yield from self._store.read(select)
            return
        # In parts: SQLite bounds how deep one expression may be.
        for at in range(0, len(within), _PATHS_AT_ONCE):
            part = within[at : at + _PATHS_AT_ONCE]
            where = " OR ".join(["path = ? OR (path >= ? AND path < ?)"] * len(part))
            # "0" follows "/", so the range holds just what lies in the folder.
            bounds = [bound for path in part for bound in (path, f"{path}/", f"{path}0")]
            yield from self._store.read(f"{select} WHERE {where}", bounds)

    def _ledger_counts(self) -> dict[LedgerState, int]:
        """The number of files in each state."""
        # Mostly all are in one state: to count the others and all together takes half of the time.
        ((every, *others),) = self._store.read(
            "SELECT (SELECT count(*) FROM ledger),"
            " (SELECT count(*) FROM ledger WHERE state='pending'),"
            " (SELECT count(*) FROM ledger WHERE state='failed'),"
            " (SELECT count(*) FROM ledger WHERE state='excluded'),"
            " (SELECT count(*) FROM ledger WHERE state='keyword_only')"
        )
        counts = [every - sum(others), *others]
        return dict(zip(LEDGER_STATES, counts, strict=True))

    def former_titles(self) -> int:
        ((count,),) = self._store.read("SELECT count(*) FROM notes WHERE kept_title IS NOT NULL")
        return int(count)
