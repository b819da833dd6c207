"""The SQLite database of one vault, which all other structures of the index are derived from.

One connection writes, in one thread; every reading thread has its own read-only connection and
reads a consistent snapshot (WAL). A damaged database is moved aside and replaced by a new one that
receives every vector that is still sound, as nothing else takes long to make again; notes, chunks
and links are read from the vault.
"""

# ruff: noqa: S608 (only column and table names are put into SQL; values are bound)

from __future__ import annotations

import logging
import sqlite3
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

from notewell.base.errors import IndexDamagedError, IndexFailure, NotFoundError, on_error
from notewell.base.support import disk
from notewell.index.embedded import tables
from notewell.index.embedded.checksums import DamagedRowError, is_plausible, vector_sum

_MAGIC = b"SQLite format 3\x00"
_HEADER = 100
_COMPANIONS = ("", "-wal", "-shm")
DATABASE = "index.db"
_DAMAGED = "damaged"  # a marker file: the next opening replaces the database
_BUSY_SECONDS = 10.0
_MAX_VALUES = 500  # values in one statement; old builds of SQLite allow 999

logger = logging.getLogger(__name__)


def looks_damaged(path: Path) -> bool:
    """True if header and length rule out a whole database. An empty file is a new one."""
    with path.open("rb") as file:
        header = file.read(_HEADER)
    size = path.stat().st_size
    if size == 0:
        return False
    if len(header) < _HEADER or not header.startswith(_MAGIC):
        return True
    page_size = int.from_bytes(header[16:18], "big")
    page_size = 65536 if page_size == 1 else page_size
    pages = int.from_bytes(header[28:32], "big")
    has_log = path.with_name(path.name + "-wal").exists()
    return page_size < 512 or (size < pages * page_size and not has_log)


def move_aside(path: Path) -> Path:
    """Rename a database and its companions; returns its new path, which did not exist before."""
    stamp = time.strftime("%Y%m%d-%H%M%S", time.gmtime())
    aside = path.with_name(f"{path.name}.damaged-{stamp}")
    number = 1
    while aside.exists():
        number += 1
        aside = path.with_name(f"{path.name}.damaged-{stamp}-{number}")
    for companion in _COMPANIONS:
        part = path.with_name(path.name + companion)
        if part.exists():
            part.rename(aside.with_name(aside.name + companion))
    return aside


@contextmanager
def translate_errors(directory: Path) -> Iterator[None]:
    """Turn SQLite's and the disk's errors into ours, with what to do; damaged rows too."""
    try:
        yield
    except DamagedRowError as error:
        raise _damage_error(directory, str(error)) from error
    except OSError as error:
        raise IndexFailure(
            f"The index in {directory} cannot be opened ({error}). Check the folder's permissions"
            " and its disk, or choose another with --data-dir.",
            code="index_not_writable",
        ) from error
    except sqlite3.DatabaseError as error:
        text = str(error)
        if "full" in text:
            raise IndexFailure(
                f"The disk that holds {directory} is full; nothing was changed. Free some space,"
                " then index again.",
                code="disk_full",
            ) from error
        if "readonly" in text or "unable to open" in text:
            raise IndexFailure(
                f"The index in {directory} cannot be written ({text}). Check the folder's"
                " permissions, or choose another with --data-dir.",
                code="index_not_writable",
            ) from error
        if _is_damage(error):
            raise _damage_error(directory, text) from error
        raise IndexFailure(f"The index in {directory} failed: {text}. Try again.") from error


def _is_damage(error: sqlite3.DatabaseError) -> bool:
    # A missing column or table: the text of the schema was changed, as all statements fit it.
    signs = ("malformed", "not a database", "Could not decode", "no such column", "no such table")
    return any(sign in str(error) for sign in signs)


def _damage_error(directory: Path, reason: str) -> IndexDamagedError:
    _mark_damaged(directory)
    return IndexDamagedError(
        f"The index in {directory} is damaged ({reason}). Run `notewell index`: it is moved"
        " aside and rebuilt, and vectors that can still be read are kept."
    )


def _mark_damaged(directory: Path) -> None:
    try:
        disk.make_file(directory / _DAMAGED)
    except OSError:
        logger.warning("cannot mark %s as damaged: it is not writable", directory)


def is_outdated(directory: Path) -> bool:
    """True if an older version of the program wrote the database in a folder."""
    path = directory / DATABASE
    with translate_errors(directory):
        if not path.is_file() or looks_damaged(path):
            return False
        with closing(connect_read_only(path)) as connection:
            return 0 < tables.version_of(connection) < tables.SCHEMA_VERSION


class Store:
    """An open database. reads.py queries it and writes.py changes it."""

    def __init__(self, directory: Path, *, writable: bool) -> None:
        """Open it; an absent one is created, a damaged one replaced, if `writable`.

        Raises:
            NotFoundError: it is absent and not `writable`.
            IndexDamagedError: it is damaged and not `writable`.
            IndexFailure: it is newer than this program, or the disk refuses.

        """
        self.directory = directory
        self.path = directory / DATABASE
        self.writable = writable
        self._local = threading.local()
        self._lock = threading.Lock()
        self._opened: list[sqlite3.Connection] = []
        self._closed = False
        if writable:
            self._writer: sqlite3.Connection | None = self._open_writer()
        else:
            if not self.path.is_file():
                raise _nothing_here(directory)
            self._writer = None
            with on_error(self.close):
                self._check_readable()

    @property
    def reader(self) -> sqlite3.Connection:
        """The calling thread's own read-only connection."""
        connection: sqlite3.Connection | None = getattr(self._local, "connection", None)
        if connection is None:
            with translate_errors(self.directory):
                connection = connect_read_only(self.path)
            with self._lock:
                if self._closed:
                    connection.close()
                    raise IndexFailure("The index is closed.")
                self._opened.append(connection)
            self._local.connection = connection
        return connection

    def read(self, sql: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        with translate_errors(self.directory):
            return self.reader.execute(sql, values).fetchall()

    def read_in(self, sql: str, values: Sequence[Any]) -> list[tuple[Any, ...]]:
        """All rows of a query with `IN (?)`, read in slices where there are many values."""
        rows: list[tuple[Any, ...]] = []
        for first in range(0, len(values), _MAX_VALUES):
            some = values[first : first + _MAX_VALUES]
            rows += self.read(sql.replace("(?)", f"({','.join('?' * len(some))})"), some)
        return rows

    def stream(self, sql: str, values: Sequence[Any] = ()) -> Iterator[tuple[Any, ...]]:
        """Rows of a query as they come, for results too large to hold."""
        with translate_errors(self.directory):
            cursor = self.reader.cursor()
            try:
                # Not `yield from`, which would close the cursor itself.
                for row in cursor.execute(sql, values):  # noqa: UP028 - see above
                    yield row
            finally:
                # A reader that was interrupted may be left behind, and end after the database.
                with suppress(sqlite3.ProgrammingError):
                    cursor.close()

    @property
    def closed(self) -> bool:
        """True once `close` was called."""
        return self._closed

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """A write transaction: committed at the end of the block, rolled back on an error."""
        if self._writer is None:
            raise IndexFailure("The index was opened for reading only.")
        with translate_errors(self.directory):
            self._writer.execute("BEGIN IMMEDIATE")
            with self._writer:  # commits, or takes all of it back
                yield self._writer

    def close(self) -> None:
        """Close all connections; the writer folds the log into the database."""
        with self._lock:
            self._closed = True
            opened, self._opened = self._opened, []
        for connection in opened:
            connection.close()
        if self._writer is not None:
            self._writer.close()
            self._writer = None

    def _open_writer(self) -> sqlite3.Connection:
        with translate_errors(self.directory):
            disk.make_folder(self.directory)
            marked = (self.directory / _DAMAGED).exists()
            if self.path.exists() and (marked or looks_damaged(self.path)):
                return self._replace("it does not read back")
            try:
                return self._connect_writer()
            except sqlite3.DatabaseError as error:
                if not _is_damage(error):
                    raise
                reason = str(error)
            return self._replace(reason)

    def _replace(self, reason: str) -> sqlite3.Connection:
        """A new database in place of a damaged one, with every vector that is still sound."""
        aside = move_aside(self.path)
        connection = self._connect_writer()
        kept = rescue(aside, connection)
        (self.directory / _DAMAGED).unlink(missing_ok=True)
        logger.warning(
            "The index in %s was damaged (%s). It was moved to %s and is rebuilt; %d vectors were"
            " rescued.",
            self.directory,
            reason,
            aside.name,
            kept,
        )
        return connection

    def _connect_writer(self) -> sqlite3.Connection:
        # SQLite gives its write-ahead log the permissions of the database.
        _make_file(self.path)
        connection = sqlite3.connect(
            self.path, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False
        )
        with on_error(connection.close):
            for pragma in ("journal_mode=WAL", "synchronous=NORMAL", "foreign_keys=ON"):
                connection.execute(f"PRAGMA {pragma}")
            tables.migrate(connection)
        return connection

    def _check_readable(self) -> None:
        with translate_errors(self.directory):
            if looks_damaged(self.path):
                raise sqlite3.DatabaseError("file is not a database")
            if tables.version_of(self.reader) == 0:
                # Its writer was stopped before the first transaction.
                raise _nothing_here(self.directory)


def _make_file(path: Path) -> None:
    try:
        disk.make_file(path)
    except OSError as error:  # as SQLite says it
        raise sqlite3.OperationalError(f"unable to open database file: {error}") from error


def connect_read_only(path: Path) -> sqlite3.Connection:
    """Open a file for reading; where WAL's shared memory cannot be created, as immutable."""
    uri = path.absolute().as_uri()
    for mode in ("mode=ro", "mode=ro&immutable=1"):
        connection = sqlite3.connect(
            f"{uri}?{mode}",
            uri=True,
            timeout=_BUSY_SECONDS,
            isolation_level=None,
            check_same_thread=False,
        )
        with on_error(connection.close):
            connection.execute("PRAGMA cache_size = -256")  # KiB: the system has the file in memory
            try:
                connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
            except sqlite3.OperationalError as error:
                if "immutable" in mode or _is_damage(error):
                    raise
            else:
                return connection
        connection.close()
    raise AssertionError  # the loop's last turn returns or raises


def _nothing_here(directory: Path) -> NotFoundError:
    return NotFoundError(
        f"There is no index in {directory} yet. Run `notewell index` on the vault."
    )


def rescue(damaged: Path, into: sqlite3.Connection) -> int:
    """Copy every model and every sound vector of `damaged`; returns how many vectors.

    A vector is sound if its checksum is right. One of an older database, which has no checksums,
    must have the model's dimensions, finite numbers and unit length.
    """
    with closing(sqlite3.connect(damaged, isolation_level=None)) as source:
        try:
            models = source.execute(
                "SELECT id, name, weights_hash, quantisation, dimensions FROM models"
            ).fetchall()
        except sqlite3.DatabaseError:
            return 0
        dimensions = {model: count for model, *_, count in models}
        kept = 0
        into.execute("BEGIN IMMEDIATE")
        into.executemany("INSERT OR IGNORE INTO models VALUES (?, ?, ?, ?, ?)", models)
        for model, text_hash, vector, stored in _readable_vectors(source):
            size = dimensions.get(model, 0)
            if not isinstance(text_hash, bytes) or not is_plausible(vector, size):
                continue
            right = vector_sum(model, text_hash, vector)
            if stored is not None and stored != right:
                continue
            into.execute(
                "INSERT OR IGNORE INTO vectors VALUES (?, ?, ?, ?)",
                (model, text_hash, vector, right),
            )
            kept += 1
        into.execute("COMMIT")
    return kept


def _readable_vectors(source: sqlite3.Connection) -> Iterator[tuple[Any, ...]]:
    """(model, text hash, vector, checksum) in order of rowid; the checksum of an old row is None.

    A page that does not read is stepped over in growing strides.
    """
    columns = f"model_id, text_hash, vector, {_checksum_column(source)}"
    last, stride = 0, 1
    while True:
        try:
            for rowid, *row in source.execute(
                f"SELECT rowid, {columns} FROM vectors WHERE rowid > ? ORDER BY rowid", (last,)
            ):
                yield tuple(row)
                last, stride = rowid, 1
        except sqlite3.DatabaseError:
            last += stride
            stride *= 2
            if stride > 1 << 40:
                return
        else:
            return


def _checksum_column(source: sqlite3.Connection) -> str:
    try:
        columns = source.execute("PRAGMA table_info(vectors)").fetchall()
    except sqlite3.DatabaseError:
        return "NULL"
    return "checksum" if "checksum" in {name for _, name, *_ in columns} else "NULL"
