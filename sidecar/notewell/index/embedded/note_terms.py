"""The terms and lines of every note in a SQLite file, and the template lines that follow from them.

The file is in the keyword index's folder. The postings of whole notes
(notewell.index.note_postings) can be made from it at any time, wholly or from those notes that
changed after a generation, without the texts being analysed again.

The lines of every note are beside its terms, with the template lines that the documents were last
written without. When a line becomes a template line, or ceases to be one, the documents of all
notes that have it are written again. In how many notes each line is, is kept in a snapshot:
counting it takes seconds where there are hundreds of thousands of notes, and the first note that is
saved after a start would wait for it.
"""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from zlib import crc32

import numpy as np

from notewell.base.errors import IndexFailure, on_error
from notewell.base.support import disk
from notewell.base.types import IdArray
from notewell.index.embedded.store import connect_read_only
from notewell.index.template_lines import LineHashes

NOTE_TERMS_FILE = "notes.db"
_PAGE_BYTES = 16_384  # some fourteen notes; of SQLite's 4 KiB one would leave half empty
_BUSY_SECONDS = 10.0
_CHECKSUM_BYTES = 4
_TABLES = """
CREATE TABLE IF NOT EXISTS terms (
    note INTEGER PRIMARY KEY, generation INTEGER NOT NULL, packed BLOB NOT NULL
);
CREATE INDEX IF NOT EXISTS terms_by_generation ON terms (generation);
CREATE TABLE IF NOT EXISTS lines (note INTEGER PRIMARY KEY, hashes BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS state (
    one INTEGER PRIMARY KEY CHECK (one = 1), database TEXT NOT NULL, generation INTEGER NOT NULL,
    snapshot TEXT NOT NULL, template BLOB NOT NULL
);
"""


@dataclass(frozen=True, slots=True)
class TermsState:
    """The database and the generation that the terms are complete for.

    `snapshot` names the snapshot of the postings that was made from them; "" is none. `template`
    are the template lines of its notes, by hash.
    """

    database: str
    generation: int
    snapshot: str
    template: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True, eq=False)
class StoredLines:
    """Lines to store: of changed notes by id, and those of all notes that are template lines."""

    rows: Mapping[int, LineHashes]
    template: frozenset[int]


_NO_LINES = StoredLines(MappingProxyType({}), frozenset())


@dataclass(frozen=True, slots=True, eq=False)
class ChangedTerms:
    """The changes after a generation: packed terms of notes, and ids of notes that are gone."""

    rows: list[tuple[int, bytes]]
    gone: list[int]


class NoteTermsFile:
    """The terms of all notes of one keyword index: changed by one thread, read by any."""

    def __init__(self, path: Path | None) -> None:
        """Nothing is opened or created yet. None stores them in memory."""
        self._path = path
        self._lock = threading.Lock()  # one connection for all
        self._connection: sqlite3.Connection | None = None
        self._writable = False

    def since(self, generation: int, known: IdArray) -> ChangedTerms:
        """The changes after a generation that had the notes `known`. Raises IndexFailure."""
        with self._reading() as connection:
            if connection is None:
                return ChangedTerms([], known.tolist())
            connection.execute("BEGIN")  # one state, whatever another process commits
            try:
                rows = connection.execute(
                    "SELECT note, packed FROM terms WHERE generation > ?", (generation,)
                ).fetchall()
                (kept,) = connection.execute(
                    "SELECT count(*) FROM terms WHERE generation <= ?", (generation,)
                ).fetchone()
                unchanged = _without(known, [row[0] for row in rows])
                # Reading all ids takes longer than all else here, and mostly none is missing.
                gone = [] if kept == len(unchanged) else _missing(connection, unchanged)
            finally:
                connection.execute("COMMIT")
        return ChangedTerms([(note, _check(packed)) for note, packed in rows], gone)

    def note_ids(self) -> IdArray:
        """The notes that have terms. Raises IndexFailure."""
        with self._reading() as connection:
            return np.empty(0, np.int64) if connection is None else _note_ids(connection)

    def ids_since(self, generation: int) -> list[int]:
        """The notes whose terms were stored after a generation. Raises IndexFailure."""
        with self._reading() as connection:
            if connection is None:
                return []
            ask = "SELECT note FROM terms WHERE generation > ?"
            return [note for (note,) in connection.execute(ask, (generation,))]

    def all_lines(self) -> tuple[IdArray, list[LineHashes]]:
        """All notes and the lines of each. Raises IndexFailure."""
        with self._reading() as connection:
            if connection is None:
                return np.empty(0, np.int64), []
            rows = connection.execute("SELECT note, hashes FROM lines").fetchall()
        return np.array([note for note, _ in rows], np.int64), [_lines(row[1]) for row in rows]

    def lines_of(self, note_ids: Sequence[int]) -> list[LineHashes]:
        """The lines of those of the notes that are stored. Raises IndexFailure."""
        ask = "SELECT hashes FROM lines WHERE note IN (SELECT value FROM json_each(?))"
        with self._reading() as connection:
            if connection is None:
                return []
            rows = connection.execute(ask, (json.dumps(list(note_ids)),)).fetchall()
        return [_lines(hashes) for (hashes,) in rows]

    def state(self) -> TermsState | None:
        """The state of the terms; None: nothing was ever stored. Raises IndexFailure."""
        ask = "SELECT database, generation, snapshot, template FROM state"
        with self._reading() as connection:
            row = None if connection is None else connection.execute(ask).fetchone()
        if row is None:
            return None
        template = frozenset(_lines(row[3]).tolist())
        return TermsState(str(row[0]), int(row[1]), str(row[2]), template)

    def name_snapshot(self, name: str) -> None:
        """Store the name of the snapshot that was made from the terms. Raises IndexFailure."""
        with self._writing() as connection:
            connection.execute("UPDATE state SET snapshot = ?", (name,))

    def name_lines(self, number: int) -> None:
        """Store the number of the snapshot that was made of the lines. Raises IndexFailure."""
        with self._writing() as connection:
            connection.execute(f"PRAGMA user_version = {int(number)}")

    def lines_name(self) -> int:
        """The number that `name_lines` stored last; 0 is none. Raises IndexFailure."""
        with self._reading() as connection:
            if connection is None:
                return 0
            return int(connection.execute("PRAGMA user_version").fetchone()[0])

    def put(self, packed: Iterable[tuple[int, bytes]], generation: int) -> None:
        """Store terms, replacing those of the same notes. Raises IndexFailure."""
        with self._writing() as connection:
            _insert(connection, packed, generation)

    def complete(
        self,
        packed: Iterable[tuple[int, bytes]],
        *,
        gone: Sequence[int],
        database: str,
        generation: int,
        lines: StoredLines = _NO_LINES,
    ) -> None:
        """Store the last terms of a generation, delete removed notes, record the generation.

        Raises:
            IndexFailure: the disk refuses; nothing has changed.

        """
        with self._writing() as connection:
            for table in ("terms", "lines"):
                delete = f"DELETE FROM {table} WHERE note = ?"  # noqa: S608 (names from here)
                connection.executemany(delete, ((note_id,) for note_id in gone))
            _insert(connection, packed, generation)
            connection.executemany(
                "INSERT OR REPLACE INTO lines VALUES (?, ?)",
                ((note, _with_checksum(_as_bytes(row))) for note, row in lines.rows.items()),
            )
            template = _with_checksum(_as_bytes(np.array(sorted(lines.template), np.uint32)))
            connection.execute(
                "INSERT INTO state VALUES (1, ?, ?, '', ?) ON CONFLICT (one) DO UPDATE SET"
                " database = excluded.database, generation = excluded.generation,"
                " template = excluded.template",
                (database, generation, template),
            )

    def clear(self) -> None:
        """Delete everything. Raises IndexFailure."""
        with self._writing() as connection:
            connection.execute("DELETE FROM terms")
            connection.execute("DELETE FROM lines")
            connection.execute("DELETE FROM state")
            connection.execute("PRAGMA user_version = 0")

    def copy_to(self, path: Path) -> None:
        """Write a copy as of now. Raises IndexFailure."""
        with self._reading() as connection:
            if connection is not None:
                with closing(sqlite3.connect(path)) as copy:
                    connection.backup(copy)

    def close(self) -> None:
        """Close the file; the next use opens it again."""
        with self._lock, _explain():
            self._disconnect()

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection | None]:
        """The connection, for one thread at a time; None: nothing was ever stored."""
        with self._lock, _explain():
            if self._connection is None and self._path is not None and self._path.exists():
                self._connection = connect_read_only(self._path)
            yield self._connection

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """The connection in a transaction, for one thread at a time."""
        with self._lock, _explain():
            if self._connection is None or not self._writable:
                self._disconnect()
                self._connection, self._writable = _connect_writer(self._path), True
            connection = self._connection
            connection.execute("BEGIN IMMEDIATE")
            with connection:
                yield connection

    def _disconnect(self) -> None:
        connection, self._connection, self._writable = self._connection, None, False
        if connection is not None:
            connection.close()


def _note_ids(connection: sqlite3.Connection) -> IdArray:
    # In this order the index has all it takes, and the pages of the terms are not read.
    rows = connection.execute("SELECT note FROM terms ORDER BY generation").fetchall()
    return np.sort(np.array(rows, np.int64).ravel())


def _without(note_ids: IdArray, others: IdArray | list[int]) -> IdArray:
    """The ids that are not among others; no id is twice in either."""
    return np.setdiff1d(note_ids, np.array(others, np.int64), assume_unique=True)


def _missing(connection: sqlite3.Connection, note_ids: IdArray) -> list[int]:
    missing: list[int] = _without(note_ids, _note_ids(connection)).tolist()
    return missing


def _insert(
    connection: sqlite3.Connection, packed: Iterable[tuple[int, bytes]], generation: int
) -> None:
    connection.executemany(
        "INSERT OR REPLACE INTO terms VALUES (?, ?, ?)",
        ((note_id, generation, _with_checksum(terms)) for note_id, terms in packed),
    )


def _with_checksum(packed: bytes) -> bytes:
    """Terms as they are stored: a CRC-32, then the terms. SQLite has no checksums of its own."""
    return crc32(packed).to_bytes(_CHECKSUM_BYTES, "little") + packed


def _check(stored: bytes) -> bytes:
    """Stored terms without their checksum. Raises IndexFailure if they are damaged."""
    packed = stored[_CHECKSUM_BYTES:]
    if stored != _with_checksum(packed):
        raise IndexFailure(
            "The keyword index failed: the terms of a note are damaged. Run `notewell index`."
        )
    return packed


def _as_bytes(lines: LineHashes) -> bytes:
    return lines.astype("<u4").tobytes()


def _lines(stored: bytes) -> LineHashes:
    return np.frombuffer(_check(stored), "<u4").astype(np.uint32)


def _connect_writer(path: Path | None) -> sqlite3.Connection:
    if path is not None:
        try:
            disk.make_file(path)
        except OSError as error:
            raise sqlite3.OperationalError(f"unable to open {path}: {error}") from error
    connection = sqlite3.connect(
        ":memory:" if path is None else path,
        timeout=_BUSY_SECONDS,
        isolation_level=None,
        check_same_thread=False,
    )
    with on_error(connection.close):
        # After a power cut the terms may be older than the documents; `belongs_to` shows it.
        for pragma in (
            f"page_size={_PAGE_BYTES}",
            "journal_mode=WAL",
            "synchronous=NORMAL",
        ):
            connection.execute(f"PRAGMA {pragma}")
        connection.executescript(_TABLES)
    return connection


@contextmanager
def _explain() -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        raise IndexFailure(
            f"The keyword index failed: {error}. Run `notewell index --full` if that stays."
        ) from error
