"""The log of a vault's searches, of the results opened, and of a person's verdicts on them.

It is one small SQLite file on this computer, never in the vault. `QueryLog` puts searches
into a queue, from which one thread writes them: a search never fails or waits because of its log.
If writing fails, the searches are dropped with one warning, and the next search tries again.
"""

from __future__ import annotations

import logging
import queue
import sqlite3
import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from notewell.base.errors import QueryLogError
from notewell.base.querylog.database import (
    NAME,
    Cleared,
    Judged,
    Judgements,
    LogDatabase,
    Opened,
    QueryEntry,
    delete,
    delete_damaged,
    fold,
    forget_searches,
    is_damage,
    set_aside,
    storable,
)

__all__ = [
    "NAME",
    "Cleared",
    "Judged",
    "Judgements",
    "Opened",
    "QueryEntry",
    "QueryLog",
    "delete",
    "fold",
    "forget_searches",
    "storable",
]


T = TypeVar("T")

_MAX_QUEUED = 1000  # items waiting for the disk; further searches are not logged
_BATCH_SECONDS = 0.5  # searches are collected for one transaction; reading or closing ends it
_CLOSE_SECONDS = 5.0  # until a disk that does not respond is given up

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Job:
    """An operation on the file and the future of its result."""

    run: Callable[[LogDatabase], Any]
    writes: bool
    done: Future[Any]


class _End:
    """The last item of the queue."""


class QueryLog:
    """The log of one vault. Safe to use from several threads and several processes."""

    def __init__(self, folder: Path, *, enabled: bool) -> None:
        """The log in `folder`. Without `enabled` it is only read, and searches are not added."""
        self.enabled = enabled
        self._file = folder / NAME
        self._queue: queue.SimpleQueue[QueryEntry | _Job | _End] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._hurry = threading.Event()  # somebody waits for an item behind the searches
        self._thread: threading.Thread | None = None
        self._closed = False
        self._database: LogDatabase | None = None  # used by the thread only
        self._warned = False
        self._never = self._load_never()

    def add(self, query: QueryEntry) -> bool:
        """Queue a search to be written; False if it will not be."""
        if not self.enabled or self._queue.qsize() >= _MAX_QUEUED:
            return False
        try:
            self._submit(query)
        except QueryLogError:
            return False
        return True

    def never(self, query: str) -> tuple[Judged, ...]:
        """The verdicts "never for this" on a query, from memory."""
        never = self._never
        return never.get(fold(query), ()) if never else ()

    def add_opened(
        self,
        make: Callable[[QueryEntry | None], Opened | None],
        *,
        query_id: str | None,
        query: str | None,
    ) -> bool:
        """Store that a result was opened; returns whether it was stored.

        `make` gives the record, or None for none; it gets the search, None if that is not logged.
        """

        def run(database: LogDatabase) -> bool:
            opened = make(database.find(query_id, query))
            if opened is None:
                return False
            database.add_opened(opened)
            return True

        return self._call(run, writes=True)

    def judge(self, judged: Judged) -> None:
        self._call(lambda database: database.judge(judged), writes=True)
        self._never = self._load_never()

    def withdraw(self, query: str, *paths: str) -> None:
        """Delete the verdicts on a note that has or had these paths."""
        if self._exists():
            self._call(lambda database: database.withdraw(query, paths), writes=True)
            self._never = self._load_never()

    def latest(
        self, limit: int, since: float | None
    ) -> tuple[int, tuple[tuple[QueryEntry, tuple[Opened, ...]], ...]]:
        """The number of searches from `since` on; the newest, each with its opened results."""

        def run(
            database: LogDatabase,
        ) -> tuple[int, tuple[tuple[QueryEntry, tuple[Opened, ...]], ...]]:
            total, newest = database.latest(limit, since)
            return total, tuple((entry, tuple(database.find_opened(entry.id))) for entry in newest)

        return self._call(run, writes=False)

    def judgements(self) -> Judgements:
        """All opened results and verdicts."""
        return self._call(LogDatabase.judgements, writes=False)

    def clear(self, *, keep_verdicts: bool) -> Cleared:
        """Delete the log, including searches that are not written yet."""

        def run(database: LogDatabase) -> Cleared:
            delete_damaged(self._file)
            return database.clear(keep_verdicts=keep_verdicts)

        cleared = self._call(run, writes=False)
        self._never = self._load_never()
        return cleared

    def close(self) -> None:
        """Write what is queued and close the file."""
        with self._lock:
            self._closed = True
            self._queue.put(_End())  # the last item: `_submit` refuses further ones
            self._hurry.set()
            thread = self._thread
        if thread is not None:
            thread.join(_CLOSE_SECONDS)

    # --- the thread ------------------------------------------------------------------------

    def _call(self, run: Callable[[LogDatabase], T], *, writes: bool) -> T:
        done: Future[T] = Future()
        self._submit(_Job(run, writes, done))
        try:
            return done.result()
        except (sqlite3.Error, OSError) as error:
            raise QueryLogError(
                f"The query log {self._file} cannot be read or written ({error}). Check the disk's"
                " free space and permissions, or delete the file."
            ) from error

    def _submit(self, item: QueryEntry | _Job) -> None:
        with self._lock:
            if self._closed:
                raise QueryLogError("The query log is closed; open the vault again.")
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="query-log", daemon=True)
                self._thread.start()
            self._queue.put(item)
            if isinstance(item, _Job):
                self._hurry.set()

    def _work(self) -> None:
        then: _Job | _End | None = None
        while not isinstance(then, _End):
            queries, then = self._collect()
            self._write(queries)
            if isinstance(then, _Job):
                self._run(then)
        if self._database is not None:
            self._database.close()

    def _collect(self) -> tuple[list[QueryEntry], _Job | _End | None]:
        """Searches to write in one transaction, and the item that ended the collection, if any.

        The thread sleeps meanwhile: woken by every search, it would take the lock of Python from
        the next one.
        """
        queries: list[QueryEntry] = []
        item = self._queue.get()
        if isinstance(item, QueryEntry):
            self._hurry.wait(_BATCH_SECONDS)
        self._hurry.clear()
        while isinstance(item, QueryEntry):
            queries.append(item)
            try:
                item = self._queue.get_nowait()
            except queue.Empty:
                return queries, None
        if not self._queue.empty():  # behind this item there may be another that is waited for
            self._hurry.set()
        return queries, item

    def _write(self, queries: list[QueryEntry]) -> None:
        if not queries:
            return
        try:
            self._open().add(queries)
            self._warned = False
        except (sqlite3.Error, OSError) as error:
            self._reset(error)
            if not self._warned:
                log.warning("searches are not logged: %s: %s", self._file, error)
            self._warned = True

    def _run(self, job: _Job) -> None:
        try:
            if job.writes or self._exists():
                answer = job.run(self._open())
            else:
                with closing(LogDatabase(None)) as empty:
                    answer = job.run(empty)
            job.done.set_result(answer)
        except Exception as error:  # noqa: BLE001 - raised again in `_call`
            self._reset(error)
            job.done.set_exception(error)

    def _open(self) -> LogDatabase:
        self._database = self._database or LogDatabase(self._file)
        return self._database

    def _exists(self) -> bool:
        try:
            return self._file.exists()
        except OSError:  # the folder may not be entered
            return False

    def _reset(self, error: Exception) -> None:
        """Close the file, so that it is opened again; rename it if it is damaged."""
        if self._database is not None:
            self._database.close()
            self._database = None
        if is_damage(error):
            try:
                set_aside(self._file)
                log.warning("the query log was damaged; a new one is started: %s", self._file)
            except OSError as failed:
                log.warning("the damaged query log %s cannot be moved: %s", self._file, failed)

    def _load_never(self) -> dict[str, tuple[Judged, ...]]:
        """The verdicts "never for this", by query."""
        never: dict[str, tuple[Judged, ...]] = {}
        if self._exists():
            try:
                verdicts = self._call(LogDatabase.verdicts, writes=False)
            except QueryLogError as error:
                log.warning("the verdicts of the query log cannot be read: %s", error.message)
                return never
            for judged in verdicts:
                if judged.verdict == "never_for_this":
                    key = fold(judged.query)
                    never[key] = (*never.get(key, ()), judged)
        return never
