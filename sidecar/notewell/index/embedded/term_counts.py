"""Term frequencies of whole notes, to score a note as a whole, and the SQLite file with them.

A note's term counts are its stems as 32-bit hashes and the frequency of each. Two stems with the
same hash (one pair of 4,000 in five hundred notes) count as one, which no ranking shows.

Packed, little endian: the number of words and the number of stems (uint32 each), the hashes (uint32
each), the frequencies (uint8 each), and zeros up to a multiple of four bytes, so that many notes
are searched as one array of numbers.

They have a file of their own in the keyword index's folder, because every search reads those of a
hundred notes: as a stored field of tantivy's documents, each was found by a query and unpacked with
the 16 KiB around it, which took eight times as long.
"""

from __future__ import annotations

import sqlite3
import threading
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

import numpy as np

from notewell.errors import IndexFailure
from notewell.index.embedded.store import connect_read_only
from notewell.index.lexical import K1, B
from notewell.types import FloatArray, IdArray

_MOST = 4096  # stems of one note; of a longer one the most frequent are kept
_MOST_OFTEN = 255  # more hardly changes BM25
_WORD = 4  # bytes of a number
_HEADER = 2  # numbers before the hashes
TERM_COUNTS_FILE = "tallies.db"
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


def hash_of(stem: str) -> int:
    """The number that stands for a stem."""
    return zlib.crc32(stem.encode("utf-8"))


def pack(stems: Iterable[str]) -> bytes:
    """The packed term counts of a note."""
    counted = Counter(map(hash_of, stems)).most_common(_MOST)
    hashes = np.array([number for number, _ in counted], "<u4")
    counts = np.zeros(-(-len(counted) // _WORD) * _WORD, np.uint8)
    counts[: len(counted)] = [min(count, _MOST_OFTEN) for _, count in counted]
    header = np.array([counts.sum(dtype=np.uint32), len(counted)], "<u4")
    return header.tobytes() + hashes.tobytes() + counts.tobytes()


def bm25(packed: Sequence[bytes], weights: Mapping[int, float]) -> FloatArray:
    """BM25 of whole notes: one score for each note.

    `weights` maps hashes to weights, the idf included. Lengths are relative to the median of the
    given notes: those that contain words of the query.
    Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009).
    """
    if not packed:
        return np.empty(0, np.float32)
    joined = b"".join(packed)
    numbers, single = np.frombuffer(joined, "<u4"), np.frombuffer(joined, np.uint8)
    starts = np.cumsum([0, *map(len, packed[:-1])]) // _WORD
    lengths, sizes = numbers[starts], numbers[starts + 1].astype(np.int64)
    norms = K1 * (1 - B + B * lengths / max(float(np.median(lengths)), 1.0))
    hashes = starts + _HEADER  # where those of each note begin
    scores = np.zeros(len(packed))
    for number, weight in weights.items():
        at = np.flatnonzero(numbers == number)
        owners = np.searchsorted(starts, at, side="right") - 1
        places = at - hashes[owners]
        real = (places >= 0) & (places < sizes[owners])  # other numbers that equal the hash
        owners, places = owners[real], places[real]
        often = single[_WORD * (hashes + sizes)[owners] + places].astype(np.float64)
        scores[owners] += weight * often * (K1 + 1) / (often + norms[owners])
    return scores.astype(np.float32)


class TermCountFile:
    """The term counts of one keyword index: changed by one thread, read by any."""

    def __init__(self, path: Path | None) -> None:
        """Nothing is opened or created yet. None stores them in memory."""
        self._path = path
        self._lock = threading.Lock()  # one connection for all: a read takes a third of a ms
        self._connection: sqlite3.Connection | None = None
        self._writable = False

    def of(self, note_ids: IdArray) -> tuple[IdArray, list[bytes]]:
        """Those of the notes that have term counts, and the packed counts. Raises IndexFailure."""
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
        """The database and the generation they were last completed for. Raises IndexFailure."""
        with self._reading() as connection:
            if connection is None:
                return None
            row = connection.execute("SELECT database, generation FROM state").fetchone()
        return None if row is None else (str(row[0]), int(row[1]))

    def put(self, packed: Iterable[tuple[int, bytes]]) -> None:
        """Store term counts, replacing those of the same notes. Raises IndexFailure."""
        with self._writing() as connection:
            connection.executemany("INSERT OR REPLACE INTO tallies VALUES (?, ?)", packed)

    def complete(
        self,
        packed: Iterable[tuple[int, bytes]],
        *,
        gone: Sequence[int],
        database: str,
        generation: int,
    ) -> None:
        """Store the last counts of a generation, delete removed notes, record the generation.

        Raises:
            IndexFailure: the disk refuses; nothing has changed.

        """
        with self._writing() as connection:
            connection.executemany("DELETE FROM tallies WHERE note = ?", ((one,) for one in gone))
            connection.executemany("INSERT OR REPLACE INTO tallies VALUES (?, ?)", packed)
            connection.execute(
                "INSERT OR REPLACE INTO state VALUES (1, ?, ?)", (database, generation)
            )

    def clear(self) -> None:
        """Delete everything. Raises IndexFailure."""
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
        """Close the file; the next use opens it again."""
        with self._lock, _explained():
            self._disconnect()

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection | None]:
        """The connection, for one thread at a time; None: nothing was ever stored."""
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
        # After a power cut the counts may be older than the postings; `belongs_to` shows it.
        for pragma in (
            f"page_size={_PAGE_BYTES}",
            f"mmap_size={_MAPPED_BYTES}",
            "journal_mode=WAL",
            "synchronous=NORMAL",
        ):
            connection.execute(f"PRAGMA {pragma}")
        connection.executescript(_TABLES)
    except BaseException:  # nothing else could close the connection
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
