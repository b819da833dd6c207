"""The tallies of all notes on disk: a small SQLite file beside the postings, made with them.

Every search reads those of a hundred notes. As a stored field of the postings' documents they took
eight times as long: each is found by a query, and unpacked with the sixteen kilobytes around it.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

import numpy as np

from notewell.errors import IndexFailure
from notewell.index.embedded.store import connect_read_only
from notewell.types import IdArray

TALLIES = "tallies.db"
_PAGE_BYTES = 16_384  # some seven notes; of SQLite's 4 KiB one would leave half empty
_MAPPED_BYTES = 1 << 28  # read in place: to copy whole pages takes twice as long
_BUSY_SECONDS = 10.0
_AT_ONCE = 500  # values in one statement; old builds of SQLite allow 999
_TABLES = """
CREATE TABLE IF NOT EXISTS tallies (note INTEGER PRIMARY KEY, packed BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS state (
    one INTEGER PRIMARY KEY CHECK (one = 1), database TEXT NOT NULL, generation INTEGER NOT NULL
);
"""


class TallyStore:
    """The tallies of one keyword index: changed by one thread, read by any."""

    def __init__(self, path: Path | None) -> None:
        """Nothing is opened or made yet. None keeps them in memory."""
        self._path = path
        self._lock = threading.Lock()  # one connection for all: a read takes a third of a ms
        self._connection: sqlite3.Connection | None = None
        self._writable = False

    def of(self, note_ids: IdArray) -> tuple[IdArray, list[bytes]]:
        """The notes among these that have a tally, and their tallies. Raises IndexFailure."""
        wanted: list[int] = note_ids.tolist()
        found: list[tuple[int, bytes]] = []
        with self._reading() as connection:
            while wanted and connection is not None:
                some, wanted = wanted[:_AT_ONCE], wanted[_AT_ONCE:]
                marks = ",".join("?" * len(some))
                sql = f"SELECT note, packed FROM tallies WHERE note IN ({marks})"  # noqa: S608 - marks alone
                found += connection.execute(sql, some).fetchall()
        return np.array([row[0] for row in found], np.int64), [row[1] for row in found]

    def belongs_to(self) -> tuple[str, int] | None:
        """The database and the generation they were last settled for. Raises IndexFailure."""
        with self._reading() as connection:
            if connection is None:
                return None
            row = connection.execute("SELECT database, generation FROM state").fetchone()
        return None if row is None else (str(row[0]), int(row[1]))

    def put(self, tallies: Iterable[tuple[int, bytes]]) -> None:
        """Keep tallies, in place of those that the notes had. Raises IndexFailure."""
        with self._writing() as connection:
            connection.executemany("INSERT OR REPLACE INTO tallies VALUES (?, ?)", tallies)

    def settle(
        self,
        tallies: Iterable[tuple[int, bytes]],
        *,
        gone: Sequence[int],
        database: str,
        generation: int,
    ) -> None:
        """Keep the last tallies of a generation, forget notes that are gone, and say whose it is.

        Raises:
            IndexFailure: the disk refuses; nothing has changed.

        """
        with self._writing() as connection:
            connection.executemany("DELETE FROM tallies WHERE note = ?", ((one,) for one in gone))
            connection.executemany("INSERT OR REPLACE INTO tallies VALUES (?, ?)", tallies)
            connection.execute(
                "INSERT OR REPLACE INTO state VALUES (1, ?, ?)", (database, generation)
            )

    def clear(self) -> None:
        """Forget everything. Raises IndexFailure."""
        with self._writing() as connection:
            connection.execute("DELETE FROM tallies")
            connection.execute("DELETE FROM state")

    def copy_to(self, path: Path) -> None:
        """Write a copy as of now. Raises IndexFailure."""
        with self._reading() as connection:
            if connection is not None:
                with closing(sqlite3.connect(path)) as copy:
                    connection.backup(copy)

    def close(self) -> None:
        """Let the file go; used again, it is opened again."""
        with self._lock, _explained():
            self._disconnect()

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection | None]:
        """The connection, for one thread at a time; None: nothing was ever kept."""
        with self._lock, _explained():
            if self._connection is None and self._path is not None and self._path.exists():
                self._connection = connect_read_only(self._path)
                self._connection.execute(f"PRAGMA mmap_size={_MAPPED_BYTES}")
            yield self._connection

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """The connection in a transaction, for one thread at a time."""
        with self._lock, _explained():
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


def _connect_writer(path: Path | None) -> sqlite3.Connection:
    connection = sqlite3.connect(
        ":memory:" if path is None else path,
        timeout=_BUSY_SECONDS,
        isolation_level=None,
        check_same_thread=False,
    )
    try:
        # What a power cut takes is behind the postings then, and is made again (`belongs_to`).
        for pragma in (
            f"page_size={_PAGE_BYTES}",
            f"mmap_size={_MAPPED_BYTES}",
            "journal_mode=WAL",
            "synchronous=NORMAL",
        ):
            connection.execute(f"PRAGMA {pragma}")
        connection.executescript(_TABLES)
    except BaseException:  # whatever it is: nobody else could close it
        connection.close()
        raise
    return connection


@contextmanager
def _explained() -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        raise IndexFailure(
            f"The keyword index failed: {error}. Run `notewell index --full` if that stays."
        ) from error
