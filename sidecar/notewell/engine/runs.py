"""The log of a vault's runs, and the runs that are no indexing.

The log is an SQLite database outside the vault, limited to the newest runs. A run works in a thread
of its own or in its caller's.
"""

from __future__ import annotations

import json
import logging
import sqlite3
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import filelock

from notewell.base.errors import (
    AlreadyRunningError,
    CancelledError,
    NotewellError,
    NotFoundError,
    RunLogError,
)
from notewell.base.support import disk
from notewell.contract.fields import iso
from notewell.contract.status import RunEnd, RunError, RunKind, RunResult, RunView, Trigger

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
_DIED = RunEnd("failed", {}, (RunError(None, "its process ended before it did"),))

# The log is asked this often whether another process has cancelled a run.
_ASK_EVERY_S = 0.5
_FAILED = "it failed unexpectedly; the log has the details. Please report it"

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
        self._folder = folder
        self._changing = threading.Lock()

    def start(self, kind: RunKind, trigger: Trigger) -> Started:
        """Record that a run starts.

        Raises AlreadyRunningError while another of its kind runs, and RunLogError if the file
        cannot be used.
        """
        lock = self._lock(kind)
        try:
            disk.make_folder(self._folder)
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
            disk.make_folder(self._folder)
        except OSError as error:
            raise _unusable(self._folder, error) from error
        self._change(lambda db: _insert_ended(db, kind, trigger, started, end))

    def runs(self, limit: int = MOST) -> tuple[RunView, ...]:
        self._settle()
        return self._select("ORDER BY id DESC LIMIT ?", limit)

    def run(self, number: int) -> RunView:
        """One run; NotFoundError if the log does not have it."""
        self._settle()
        runs = self._select("WHERE id = ?", number)
        if not runs:
            raise NotFoundError(
                f"There is no run {number}. `notewell runs list` shows the newest {MOST}."
            )
        return runs[0]

    def cancel(self, number: int) -> RunView:
        """Ask a run to stop, in whatever process it works; one that has ended stays as it is."""
        run = self.run(number)
        if run.result == "running":
            self._change(
                lambda db: db.execute("UPDATE runs SET cancel = 1 WHERE id = ?", (number,))
            )
        return run

    def is_cancelled(self, number: int) -> bool:
        rows = self._read(lambda db: _cancel_of(db, number))
        return bool(rows)

    def latest(self, kind: RunKind) -> float | None:
        """When the last run of a kind was started, in POSIX seconds; None: never."""
        return self._read(lambda db: _latest(db, kind))

    # --- the file --------------------------------------------------------------------------

    def _lock(self, kind: str) -> filelock.BaseFileLock:
        # A run may end in another thread than the one that started it.
        return filelock.FileLock(
            self._folder / f"run-{kind}.lock", thread_local=False, mode=disk.FILE_MODE
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
                self._change(partial(_finish, number=int(run.id), end=_DIED))

    def _select(self, which: str, value: object) -> tuple[RunView, ...]:
        rows = self._read(
            lambda db: [
                _run(row)
                for row in db.execute(f"SELECT {_COLUMNS} FROM runs {which}", (value,))  # noqa: S608 - words of our own
            ]
        )
        return tuple(rows or ())

    def _read(self, work: Callable[[sqlite3.Connection], T]) -> T | None:
        """The outcome of reading by `work`; None if there is no file yet."""
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
        disk.make_file(file)
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
    errors = [[error.path, error.why] for error in end.errors[:MOST_ERRORS]]
    counts = json.dumps(dict(end.counts))
    db.execute(_ENDED, (time.time(), end.result, counts, json.dumps(errors), number))


def _cancel_of(db: sqlite3.Connection, number: int) -> bool:
    row = db.execute("SELECT cancel FROM runs WHERE id = ?", (number,)).fetchone()
    return row is not None and bool(row[0])


def _latest(db: sqlite3.Connection, kind: str) -> float | None:
    row = db.execute("SELECT at FROM latest WHERE kind = ?", (kind,)).fetchone()
    return None if row is None else float(row[0])


def _run(row: tuple[Any, ...]) -> RunView:
    number, kind, trigger, started, ended, result, counts, errors = row
    return RunView(
        str(number),
        kind,
        trigger,
        iso(started),
        iso(ended),
        result,
        json.loads(counts),
        tuple(RunError(path, why) for path, why in json.loads(errors)),
    )


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


@dataclass(slots=True)
class RunProgress:
    """Counts and problems of a run so far, and its stop signal. Used by the run's own thread."""

    id: int
    stopping: threading.Event
    asked: Callable[[], bool]
    counts: Counter[str] = field(default_factory=Counter)
    problems: list[RunError] = field(default_factory=list)
    _next_ask: float = 0.0

    def check(self) -> None:
        """Raise CancelledError if the run has to stop; call it between two items."""
        if not self.stopping.is_set() and time.monotonic() >= self._next_ask:
            self._next_ask = time.monotonic() + _ASK_EVERY_S
            with suppress(RunLogError):
                if self.asked():
                    self.stopping.set()
        if self.stopping.is_set():
            raise CancelledError(f"Run {self.id} was cancelled. What it has done so far stays.")

    def wait(self, seconds: float) -> None:
        """Wait, and raise as `check` does."""
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            self.stopping.wait(min(left, _ASK_EVERY_S))
            self.check()

    def problem(self, path: str | None, why: str) -> None:
        """Record something that went wrong without ending the run; the first ones are kept."""
        self.counts["errors"] += 1
        if len(self.problems) < MOST_ERRORS:
            self.problems.append(RunError(path, why))


class Runs:
    """Starts and cancels the runs of one vault. Any thread may call."""

    def __init__(
        self, runs: RunLog, name: str, stop_other: Callable[[int], bool] = lambda _: False
    ) -> None:
        """`name` is part of the names of threads.

        `stop_other` stops a run of this process that was not started here, by its id, and returns
        whether there is such a run.
        """
        self.log = runs
        self._stop_other = stop_other
        self._name = name
        self._lock = threading.Lock()
        self._active: dict[int, threading.Event] = {}
        self._threads: list[threading.Thread] = []
        self._closed = False

    @property
    def busy(self) -> bool:
        """True if a run works in this process."""
        return bool(self._active)

    def now(self, kind: RunKind, trigger: Trigger, work: Callable[[RunProgress], object]) -> int:
        """Run `work` in this thread; returns the run's id.

        Raises what `RunLog.start` and `work` raise.
        """
        started, progress = self._start(kind, trigger)
        self._work(started, progress, work)
        return started.id

    def begin(self, kind: RunKind, trigger: Trigger, work: Callable[[RunProgress], object]) -> int:
        """Run `work` in a thread; returns the run's id at once. Raises as `RunLog.start`."""
        started, progress = self._start(kind, trigger)

        def run() -> None:
            with suppress(NotewellError):  # the log of runs has it
                self._work(started, progress, work)

        thread = threading.Thread(target=run, name=f"{kind}-{self._name}", daemon=True)
        with self._lock:
            self._threads = [*(thread for thread in self._threads if thread.is_alive()), thread]
        thread.start()
        return started.id

    def cancel(self, number: int) -> None:
        """Stop a run of this process or of another at its next item; see `RunLog.cancel`."""
        if self._stop_other(number):
            return
        self.log.cancel(number)
        with self._lock:
            stopping = self._active.get(number)
        if stopping is not None:
            stopping.set()

    def close(self) -> None:
        """Cancel what runs here and wait for it; nothing is started afterwards."""
        with self._lock:
            self._closed = True
            active, threads = list(self._active.values()), list(self._threads)
        for stopping in active:
            stopping.set()
        for thread in threads:
            thread.join()

    def _start(self, kind: RunKind, trigger: Trigger) -> tuple[Started, RunProgress]:
        started = self.log.start(kind, trigger)
        stopping = threading.Event()
        with self._lock:
            self._active[started.id] = stopping
            if self._closed:
                stopping.set()
        asked = _Asked(self.log, started.id)
        return started, RunProgress(started.id, stopping, asked)

    def _work(
        self, started: Started, progress: RunProgress, work: Callable[[RunProgress], object]
    ) -> None:
        result: RunResult = "failed"
        problem: str | None = _FAILED
        try:
            work(progress)
            result, problem = "done", None
        except CancelledError:
            result, problem = "cancelled", None
            raise
        except NotewellError as error:
            problem = error.message
            raise
        finally:  # whatever happens, the run must not stay "running"
            with self._lock:
                self._active.pop(started.id, None)
            if problem is not None:
                progress.problem(None, problem)
            end = RunEnd(result, progress.counts, tuple(progress.problems))
            with suppress(RunLogError):  # the result of the work itself matters more
                self.log.end(started, end)


@dataclass(frozen=True, slots=True)
class _Asked:
    runs: RunLog
    number: int

    def __call__(self) -> bool:
        return self.runs.is_cancelled(self.number)
