"""The undo journal: the writes to a vault and the content they replaced.

It is a SQLite file outside the vault. A write is recorded before it is made; after a crash in
between, the note is unchanged and undoing the entry has no effect.

Of a mirror, `ServerWrites` also has what the server wrote and no client has confirmed yet.
"""

from __future__ import annotations

import hashlib
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

import filelock

from notewell.base.errors import NotFoundError, WriteError
from notewell.base.support import disk
from notewell.base.types.frozen import frozen

NAME = "writes.db"
MOST = 500  # writes that can be undone, the newest
MOST_BYTES = 64 * 1024 * 1024  # of replaced content in total
_BUSY_SECONDS = 10.0
_SCHEMA = """
CREATE TABLE IF NOT EXISTS writes (
  id INTEGER PRIMARY KEY AUTOINCREMENT, at REAL NOT NULL, path TEXT NOT NULL, action TEXT NOT NULL,
  before BLOB, before_hash BLOB, after_hash BLOB, undone INTEGER NOT NULL DEFAULT 0)
"""
# Writes that are undone together, by the number of the first.
_BATCHES = """
CREATE TABLE IF NOT EXISTS batches (number INTEGER PRIMARY KEY, batch INTEGER NOT NULL)
"""
_TRIM = """
DELETE FROM writes WHERE id IN (SELECT id FROM (
  SELECT id, row_number() OVER newest AS place, sum(ifnull(length(before), 0)) OVER newest AS bytes
  FROM writes WINDOW newest AS (ORDER BY id DESC)) WHERE place > ? OR (place > 1 AND bytes > ?))
"""
# When a note that was replaced had been changed, by the number of the write.
_TIMES = """
CREATE TABLE IF NOT EXISTS times (number INTEGER PRIMARY KEY, mtime_ns INTEGER NOT NULL)
"""
_TRIM_OTHERS = tuple(
    f"DELETE FROM {table} WHERE number NOT IN (SELECT id FROM writes)"  # noqa: S608 - words of our own
    for table in ("batches", "times")
)
_TOGETHER = """
SELECT number FROM batches WHERE batch = (SELECT batch FROM batches WHERE number = ?)
ORDER BY number DESC
"""
_COLUMNS = "id, at, path, action, before_hash, after_hash, undone"
_MIRROR_SCHEMA = """
CREATE TABLE IF NOT EXISTS unconfirmed (
  path TEXT PRIMARY KEY, number INTEGER NOT NULL, base_digest TEXT, base_mtime INTEGER)
"""


@frozen
class JournalEntry:
    """One write. A hash is None if the note did not exist; `at` is in POSIX seconds."""

    number: int
    at: float
    path: str
    action: str  # what was done, in a word or two: "memory store"
    before_hash: bytes | None
    after_hash: bytes | None
    undone: bool


class Journal:
    """The journal of one vault; any thread and any process may use it.

    Every method raises WriteError if its file cannot be used.
    """

    def __init__(self, folder: Path) -> None:
        """`folder` is created with the first entry."""
        self._folder = folder
        self._batch: list[int] | None = None  # the writes of the open batch; None: none is open
        # One object, so that a thread which holds the lock may ask for it again.
        self._lock = filelock.FileLock(
            folder / "writes.lock", timeout=_BUSY_SECONDS, mode=disk.FILE_MODE
        )

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Hold the lock that excludes all other writers of this vault, in any thread or process.

        The thread that holds it may enter again.
        """
        try:
            disk.make_folder(self._folder)
            self._lock.acquire()
        except (OSError, filelock.Timeout) as error:
            raise _unusable(self._folder, error) from error
        try:
            yield
        finally:
            self._lock.release()

    @contextmanager
    def batch(self, *, joining: int | None = None) -> Iterator[None]:
        """Hold the lock as `writing` does; what is entered meanwhile is undone together.

        With `joining` it belongs to the batch of an earlier write, which a crash has cut short.
        Batches do not nest: within one, another has no effect.
        """
        with self.writing():
            if self._batch is not None:
                yield
                return
            self._batch = [] if joining is None else [min(self.together(joining))]
            try:
                yield
            finally:
                self._batch = None

    def together(self, number: int) -> tuple[int, ...]:
        """The writes of the batch that a write belongs to, newest first; else that write."""
        with self.transaction() as connection:
            rows = connection.execute(_TOGETHER, (number,)).fetchall()
        return tuple(row[0] for row in rows) or (number,)

    def exists(self) -> bool:
        """True if anything was ever written to this vault."""
        return (self._folder / NAME).exists()

    def enter(
        self,
        path: str,
        action: str,
        *,
        before: bytes | None,
        before_hash: bytes | None,
        after_hash: bytes | None,
        before_ns: int | None = None,
    ) -> int:
        """Record a write that is about to be made; returns its number.

        `before_ns` is when the note that it replaces was last changed, in ns.
        """
        row = (time.time(), path, action, before, before_hash, after_hash)
        with self.transaction() as connection:
            entered = connection.execute(
                "INSERT INTO writes (at, path, action, before, before_hash, after_hash)"
                " VALUES (?, ?, ?, ?, ?, ?)",
                row,
            )
            number = int(entered.lastrowid or 0)
            if self._batch is not None:
                self._batch.append(number)
                connection.execute("INSERT INTO batches VALUES (?, ?)", (number, self._batch[0]))
            if before_ns is not None:
                connection.execute("INSERT INTO times VALUES (?, ?)", (number, before_ns))
            connection.execute(_TRIM, (MOST, MOST_BYTES))
            for trim in _TRIM_OTHERS:
                connection.execute(trim)
        return number

    def withdraw(self, number: int) -> None:
        """Delete an entry whose write failed."""
        with self.transaction() as connection:
            connection.execute("DELETE FROM writes WHERE id = ?", (number,))

    def mark_undone(self, number: int) -> None:
        with self.transaction() as connection:
            connection.execute("UPDATE writes SET undone = 1 WHERE id = ?", (number,))

    def entries(self, limit: int = MOST) -> tuple[JournalEntry, ...]:
        """The newest writes, newest first."""
        return self._entries("ORDER BY id DESC LIMIT ?", limit)

    def entry(self, number: int | None) -> JournalEntry:
        """One write; None is the newest that is not undone. NotFoundError if there is none."""
        entries = (
            self._entries("WHERE undone = 0 AND action != 'undo' ORDER BY id DESC LIMIT ?", 1)
            if number is None
            else self._entries("WHERE id = ?", number)
        )
        if not entries:
            raise NotFoundError(
                "There is nothing to undo."
                if number is None
                else f"The journal has no write {number}; it keeps the newest {MOST}, which"
                " `notewell undo --list` shows."
            )
        return entries[0]

    def before(self, number: int) -> bytes | None:
        """The content before a write; None if the note did not exist."""
        with self.transaction() as connection:
            row = connection.execute("SELECT before FROM writes WHERE id = ?", (number,)).fetchone()
        return None if row is None else row[0]

    def time_before(self, number: int) -> int | None:
        """When the note before a write had been changed, in ns; None if that is not known."""
        with self.transaction() as connection:
            row = connection.execute(
                "SELECT mtime_ns FROM times WHERE number = ?", (number,)
            ).fetchone()
        return None if row is None else row[0]

    def _entries(self, which: str, value: int) -> tuple[JournalEntry, ...]:
        if not self.exists():
            return ()
        with self.transaction() as connection:
            rows = connection.execute(f"SELECT {_COLUMNS} FROM writes {which}", (value,))  # noqa: S608 - words of our own
            return tuple(_entry(row) for row in rows)

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """Open the journal's file for one transaction and close it afterwards."""
        file = self._folder / NAME
        try:
            disk.make_folder(self._folder)
            # It contains texts of notes, so only its owner may read it.
            disk.make_file(file)
            with closing(sqlite3.connect(file, timeout=_BUSY_SECONDS)) as connection:
                connection.execute("PRAGMA secure_delete = ON")
                connection.execute(_SCHEMA)
                connection.execute(_BATCHES)
                connection.execute(_TIMES)
                with connection:
                    yield connection
        except (OSError, sqlite3.Error) as error:
            raise _unusable(file, error) from error


def _entry(row: tuple[Any, ...]) -> JournalEntry:
    number, at, path, action, before_hash, after_hash, undone = row
    return JournalEntry(number, at, path, action, before_hash, after_hash, bool(undone))


def delete(folder: Path) -> None:
    """Delete the journal in `folder`, and the folder if nothing else is in it."""
    for file in folder.glob("writes.*"):
        file.unlink(missing_ok=True)
    with suppress(OSError):
        folder.rmdir()


def _unusable(file: Path, error: Exception) -> WriteError:
    return WriteError(
        f"Nothing is written to the vault, because the journal that could undo it cannot be used"
        f" ({file}: {error}). Check the data directory's disk, or move the file away.",
        code="journal_unusable",
    )


@frozen
class Base:
    """The version of a note that clients have: SHA-256 of its bytes, modification time in ms."""

    digest: str
    mtime: int


@frozen
class ServerWrite:
    """One note that clients have in an older version, or, without a `base`, not at all.

    `number` is that of its newest write in the journal, so it grows with every write.
    """

    path: str
    number: int
    base: Base | None


class ServerWrites:
    """The unconfirmed writes of one mirror. Any thread; changes only inside `Journal.writing`.

    Every method raises WriteError if the journal's file cannot be used.
    """

    def __init__(self, journal: Journal) -> None:
        """Nothing is read or created yet."""
        self._journal = journal

    def all(self, after: int = 0) -> tuple[ServerWrite, ...]:
        """The writes with a number above `after`, oldest first."""
        if not self._journal.exists():
            return ()
        with self._open() as connection:
            rows = connection.execute(
                "SELECT path, number, base_digest, base_mtime FROM unconfirmed"
                " WHERE number > ? ORDER BY number",
                (after,),
            ).fetchall()
        return tuple(
            ServerWrite(path, number, None if digest is None else Base(digest, mtime))
            for path, number, digest, mtime in rows
        )

    def within(self, *places: str | None) -> dict[str, ServerWrite]:
        """The writes to notes at or below any of these paths, by path."""
        named = [place for place in places if place is not None]
        return {
            write.path: write
            for write in self.all()
            if any(write.path == at or write.path.startswith(f"{at}/") for at in named)
        }

    def add(self, path: str, number: int, base: Base | None) -> None:
        """Record a write that is about to be made; an earlier one of that note keeps its base."""
        with self._open() as connection:
            connection.execute(
                "INSERT INTO unconfirmed VALUES (?, ?, ?, ?)"
                " ON CONFLICT (path) DO UPDATE SET number = excluded.number",
                (path, number, base and base.digest, base and base.mtime),
            )

    def rebase(self, path: str, base: Base | None) -> None:
        """Record which version of a note clients have now."""
        with self._open() as connection:
            connection.execute(
                "UPDATE unconfirmed SET base_digest = ?, base_mtime = ? WHERE path = ?",
                (base and base.digest, base and base.mtime, path),
            )

    def settle(self, path: str) -> None:
        """Forget a write: clients have the note as it is here."""
        with self._open() as connection:
            connection.execute("DELETE FROM unconfirmed WHERE path = ?", (path,))

    def move(self, old: str, new: str) -> None:
        """Follow a note or folder that a client has moved."""
        for write in self.within(old).values():
            with self._open() as connection:
                connection.execute(
                    "UPDATE OR REPLACE unconfirmed SET path = ? WHERE path = ?",
                    (new + write.path[len(old) :], write.path),
                )

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        with self._journal.transaction() as connection:
            connection.execute(_MIRROR_SCHEMA)
            yield connection


def digest(raw: bytes) -> str:
    """SHA-256 in hexadecimal, which browsers and phones can compute as well."""
    return hashlib.sha256(raw).hexdigest()
