"""The file of runs: an SQLite database outside the vault, limited to the newest runs.

A run holds a lock file of its kind from its start to its end, in whatever process it works, so two
of a kind never run at once, and a run whose process died is recognised: nobody holds its lock.
"""

from __future__ import annotations

import json
import logging
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import filelock

from notewell.base.errors import AlreadyRunningError, NotFoundError, RunLogError
from notewell.base.support import private
from notewell.base.types.runs import Run, RunEnd, RunKind, RunProblem, Trigger

NAME = "runs.db"
MOST = 100
# Saved notes are so many runs that they would soon be all that is left.
MOST_OF_SAVED = 50
MOST_ERRORS = 10
_BUSY_SECONDS = 5.0
_LOCK_SECONDS = 0.2  # somebody who lists runs holds a lock for a moment
_SCHEMA = """
CREATE TABLE IF NOT EXISTS runs (
  id INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, cause TEXT NOT NULL,
  started REAL NOT NULL, ended REAL, result TEXT NOT NULL DEFAULT 'running',
  counts TEXT NOT NULL DEFAULT '{}', errors TEXT NOT NULL DEFAULT '[]',
  saved INTEGER NOT NULL DEFAULT 0, cancel INTEGER NOT NULL DEFAULT 0);
CREATE TABLE IF NOT EXISTS latest (kind TEXT PRIMARY KEY, at REAL NOT NULL);
"""
_COLUMNS = "id, kind, cause, started, ended, result, counts, errors"
_INSERT = "INSERT INTO runs (kind, cause, started, saved) VALUES (?, ?, ?, ?)"
_TRIM = """
DELETE FROM runs WHERE result != 'running' AND (
  id NOT IN (SELECT id FROM runs ORDER BY id DESC LIMIT ?)
  OR saved AND id NOT IN (SELECT id FROM runs WHERE saved ORDER BY id DESC LIMIT ?))
"""
_ENDED = """
UPDATE runs SET ended = ?, result = ?, counts = ?, errors = ? WHERE id = ? AND result = 'running'
"""
_DIED = RunEnd("failed", {}, (RunProblem(None, "its process ended before it did"),))

T = TypeVar("T")

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Started:
    """A run that was started; `end` has to be called once, in any thread."""

    id: int
    kind: RunKind
    lock: filelock.BaseFileLock


class RunLog:
    """The runs of one vault. Any thread and any process may use it."""

    def __init__(self, folder: Path) -> None:
        """`folder` is created with the first run."""
        self._folder = folder
        self._changing = threading.Lock()

    def start(self, kind: RunKind, trigger: Trigger) -> Started:
        """Record that a run starts.

        Raises AlreadyRunningError while another of its kind runs, and RunLogError if the file
        cannot be used.
        """
        lock = self._lock(kind)
        try:
            private.make_folder(self._folder)
            lock.acquire(timeout=_LOCK_SECONDS)
        except filelock.Timeout as error:
            raise self._already(kind) from error
        except OSError as error:
            raise _unusable(self._folder, error) from error
        try:
            number = self._change(lambda db: _insert(db, kind, trigger))
        except RunLogError:
            lock.release()
            raise
        return Started(number, kind, lock)

    def end(self, run: Started, end: RunEnd) -> None:
        """Record how a run ended; RunLogError if the file cannot be used."""
        try:
            self._change(lambda db: _finish(db, run.id, end))
        finally:
            run.lock.release()

    def add(self, kind: RunKind, trigger: Trigger, started: float, end: RunEnd) -> None:
        """Record a short run of saved notes, which has ended; RunLogError as `start`."""
        try:
            private.make_folder(self._folder)
        except OSError as error:
            raise _unusable(self._folder, error) from error
        self._change(lambda db: _insert_ended(db, kind, trigger, started, end))

    def runs(self, limit: int = MOST) -> tuple[Run, ...]:
        """The newest runs, newest first."""
        self._settle()
        return self._select("ORDER BY id DESC LIMIT ?", limit)

    def run(self, number: int) -> Run:
        """One run; NotFoundError if the log does not have it."""
        self._settle()
        found = self._select("WHERE id = ?", number)
        if not found:
            raise NotFoundError(
                f"There is no run {number}. `notewell runs list` shows the newest {MOST}."
            )
        return found[0]

    def cancel(self, number: int) -> Run:
        """Ask a run to stop, in whatever process it works; one that has ended stays as it is."""
        run = self.run(number)
        if run.result == "running":
            self._change(
                lambda db: db.execute("UPDATE runs SET cancel = 1 WHERE id = ?", (number,))
            )
        return run

    def is_cancelled(self, number: int) -> bool:
        """Whether a run was asked to stop."""
        rows = self._read(lambda db: _cancel_of(db, number))
        return bool(rows)

    def latest(self, kind: RunKind) -> float | None:
        """When the last run of a kind was started, in POSIX seconds; None: never."""
        return self._read(lambda db: _latest(db, kind))

    # --- the file --------------------------------------------------------------------------

    def _lock(self, kind: str) -> filelock.BaseFileLock:
        # A run may end in another thread than the one that started it.
        return filelock.FileLock(
            self._folder / f"run-{kind}.lock", thread_local=False, mode=private.FILE_MODE
        )

    def _already(self, kind: RunKind) -> AlreadyRunningError:
        running = self._select("WHERE result = 'running' AND kind = ? ORDER BY id DESC", kind)
        which = f"run {running[0].id} ({kind})" if running else f"another run ({kind})"
        cancel = f", or `notewell runs cancel {running[0].id}`" if running else ""
        return AlreadyRunningError(f"{which} has not ended yet. Wait for it{cancel}.")

    def _settle(self) -> None:
        """Mark runs whose process has died as failed."""
        for run in self._select("WHERE result = ?", "running"):
            lock = self._lock(run.kind)
            with suppress(filelock.Timeout, OSError), lock.acquire(timeout=0):
                self._change(partial(_finish, number=run.id, end=_DIED))

    def _select(self, which: str, value: object) -> tuple[Run, ...]:
        found = self._read(
            lambda db: [
                _run(row)
                for row in db.execute(f"SELECT {_COLUMNS} FROM runs {which}", (value,))  # noqa: S608 - words of our own
            ]
        )
        return tuple(found or ())

    def _read(self, work: Callable[[sqlite3.Connection], T]) -> T | None:
        """What `work` reads; None if there is no file yet."""
        if not (self._folder / NAME).exists():
            return None
        return self._change(work)

    def _change(self, work: Callable[[sqlite3.Connection], T]) -> T:
        with self._changing:
            try:
                return self._attempt(work)
            except sqlite3.DatabaseError as error:
                if not _is_damage(error):
                    raise _unusable(self._folder / NAME, error) from error
                reason = str(error)
            except OSError as error:
                raise _unusable(self._folder / NAME, error) from error
            except (ValueError, TypeError) as error:  # a row that the disk has changed
                reason = str(error)
            logger.warning("%s is damaged (%s); a new one is begun.", self._folder / NAME, reason)
            return self._anew(work)

    def _anew(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Set a damaged file aside and start a new one: what was logged is not worth a failure."""
        file = self._folder / NAME
        try:
            file.replace(file.with_name(f"{NAME}.damaged"))
            for rest in self._folder.glob(f"{NAME}-*"):
                rest.unlink(missing_ok=True)
            return self._attempt(work)
        except (OSError, sqlite3.Error) as error:
            raise _unusable(file, error) from error

    def _attempt(self, work: Callable[[sqlite3.Connection], T]) -> T:
        with self._open() as connection, connection:
            return work(connection)

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        file = self._folder / NAME
        private.make_file(file)
        with closing(sqlite3.connect(file, timeout=_BUSY_SECONDS)) as connection:
            # A run is logged for every saved note, which must not wait for the disk; what a crash
            # of the whole computer takes is the newest rows.
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = NORMAL")
            connection.executescript(_SCHEMA)
            yield connection


def _insert(db: sqlite3.Connection, kind: RunKind, trigger: Trigger) -> int:
    # This process holds the lock of the kind, so whatever else is said to run has died.
    for (died,) in db.execute(
        "SELECT id FROM runs WHERE result = 'running' AND kind = ?", (kind,)
    ).fetchall():
        _finish(db, died, _DIED)
    now = time.time()
    number = db.execute(_INSERT, (kind, trigger, now, 0)).lastrowid
    db.execute("INSERT OR REPLACE INTO latest VALUES (?, ?)", (kind, now))
    db.execute(_TRIM, (MOST, MOST_OF_SAVED))
    return int(number or 0)


def _insert_ended(
    db: sqlite3.Connection, kind: RunKind, trigger: Trigger, started: float, end: RunEnd
) -> None:
    number = db.execute(_INSERT, (kind, trigger, started, 1)).lastrowid
    _finish(db, int(number or 0), end)
    db.execute(_TRIM, (MOST, MOST_OF_SAVED))


def _finish(db: sqlite3.Connection, number: int, end: RunEnd) -> None:
    errors = [[one.path, one.why] for one in end.errors[:MOST_ERRORS]]
    counts = json.dumps(dict(end.counts))
    db.execute(_ENDED, (time.time(), end.result, counts, json.dumps(errors), number))


def _cancel_of(db: sqlite3.Connection, number: int) -> bool:
    row = db.execute("SELECT cancel FROM runs WHERE id = ?", (number,)).fetchone()
    return row is not None and bool(row[0])


def _latest(db: sqlite3.Connection, kind: str) -> float | None:
    row = db.execute("SELECT at FROM latest WHERE kind = ?", (kind,)).fetchone()
    return None if row is None else float(row[0])


def _run(row: tuple[Any, ...]) -> Run:
    number, kind, trigger, started, ended, result, counts, errors = row
    problems = tuple(RunProblem(path, why) for path, why in json.loads(errors))
    return Run(number, kind, trigger, started, ended, result, json.loads(counts), problems)


def _is_damage(error: sqlite3.Error) -> bool:
    return any(word in str(error) for word in ("malformed", "not a database", "Could not decode"))


def _unusable(file: Path, error: Exception) -> RunLogError:
    return RunLogError(
        f"The log of runs cannot be used ({file}: {error}). Check the data directory's disk, or"
        " move the file away."
    )


def delete(folder: Path) -> None:
    """Delete the log in `folder`, and the folder if it is then empty."""
    for pattern in (f"{NAME}*", "run-*.lock"):
        for file in folder.glob(pattern):
            file.unlink(missing_ok=True)
    with suppress(OSError):
        folder.rmdir()
