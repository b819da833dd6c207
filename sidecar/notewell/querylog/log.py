"""The log at work: searches are handed over without waiting, one thread writes them down.

A search must never fail or wait because of its log. What the disk refuses is dropped with one
warning; the next search tries again.
"""

from __future__ import annotations

import logging
import queue
import sqlite3
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from notewell.errors import QueryLogError
from notewell.querylog.database import NAME, Book, Cleared, delete_damaged, is_damage, set_aside
from notewell.querylog.records import Judged, Judgements, Opened, Query, fold

T = TypeVar("T")

_WAITING = 1000  # searches that may wait for the disk; further ones are not logged
_MOMENT = 0.5  # seconds; nobody waits for it, who reads the log or closes it ends it
_CLOSE_SECONDS = 5.0  # for a disk that does not answer

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Job:
    """Something to do with the file, and somebody who waits for it."""

    run: Callable[[Book], Any]
    writes: bool
    done: Future[Any]


class _End:
    """The last item of the queue."""


class QueryLog:
    """The log of one vault. Safe to use from several threads and several processes."""

    def __init__(self, folder: Path, *, enabled: bool) -> None:
        """Keep the log in `folder`. Not `enabled`: what is there is read, and nothing written."""
        self.enabled = enabled
        self._file = folder / NAME
        self._queue: queue.SimpleQueue[Query | _Job | _End] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._closed = False
        self._book: Book | None = None  # the thread's own
        self._complained = False
        self._never = self._read_never()

    def add(self, asked: Query) -> bool:
        """Hand a search over to be written down; False where that will not happen."""
        if not self.enabled or self._queue.qsize() >= _WAITING:
            return False
        try:
            self._submit(asked)
        except QueryLogError:
            return False
        return True

    def never(self, query: str) -> tuple[Judged, ...]:
        """The verdicts "never for this" on a query; asks no disk."""
        never = self._never
        return never.get(fold(query), ()) if never else ()

    def add_opened(
        self,
        make: Callable[[Query | None], Opened | None],
        *,
        query_id: str | None,
        query: str | None,
    ) -> bool:
        """Keep the opening that `make` makes of its search (None: not in the log); False: none."""

        def run(book: Book) -> bool:
            opened = make(book.find(query_id, query))
            if opened is None:
                return False
            book.add_opened(opened)
            return True

        return self._ask(run, writes=True)

    def judge(self, judged: Judged) -> None:
        """Keep a verdict."""
        self._ask(lambda book: book.judge(judged), writes=True)
        self._never = self._read_never()

    def withdraw(self, query: str, *paths: str) -> None:
        """Forget the verdicts on a note that has, or had, these paths."""
        if self._exists():
            self._ask(lambda book: book.withdraw(query, paths), writes=True)
            self._never = self._read_never()

    def latest(
        self, limit: int, since: float | None
    ) -> tuple[int, tuple[tuple[Query, tuple[Opened, ...]], ...]]:
        """How many searches there are from `since` on; the newest, each with what was opened."""

        def run(book: Book) -> tuple[int, tuple[tuple[Query, tuple[Opened, ...]], ...]]:
            total, newest = book.latest(limit, since)
            return total, tuple((one, tuple(book.opened_of(one.id))) for one in newest)

        return self._ask(run, writes=False)

    def judgements(self) -> Judgements:
        """Everything that was opened or judged."""
        return self._ask(Book.judgements, writes=False)

    def clear(self, *, keep_verdicts: bool) -> Cleared:
        """Delete the log, searches that still wait to be written included."""

        def run(book: Book) -> Cleared:
            delete_damaged(self._file)
            return book.clear(keep_verdicts=keep_verdicts)

        cleared = self._ask(run, writes=False)
        self._never = self._read_never()
        return cleared

    def close(self) -> None:
        """Write down what waits, and let the file go."""
        with self._lock:
            self._closed = True
            self._queue.put(_End())  # the last item: `_submit` takes no further one
            thread = self._thread
        if thread is not None:
            thread.join(_CLOSE_SECONDS)

    # --- the thread ------------------------------------------------------------------------

    def _ask(self, run: Callable[[Book], T], *, writes: bool) -> T:
        done: Future[T] = Future()
        self._submit(_Job(run, writes, done))
        try:
            return done.result()
        except (sqlite3.Error, OSError) as error:
            raise QueryLogError(
                f"The query log {self._file} failed ({error}). Check that its disk has space and"
                " may be written, or delete the file."
            ) from error

    def _submit(self, item: Query | _Job) -> None:
        with self._lock:
            if self._closed:
                raise QueryLogError("The query log is closed; open the vault again.")
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="query-log", daemon=True)
                self._thread.start()
            self._queue.put(item)

    def _work(self) -> None:
        then: _Job | _End | None = None
        while not isinstance(then, _End):
            asked, then = self._gather()
            self._write(asked)
            if isinstance(then, _Job):
                self._run(then)
        if self._book is not None:
            self._book.close()

    def _gather(self) -> tuple[list[Query], _Job | _End | None]:
        """The searches of a moment, which cost one transaction together, and what ended it."""
        asked: list[Query] = []
        item = self._queue.get()
        until = time.monotonic() + _MOMENT
        while isinstance(item, Query):
            asked.append(item)
            left = until - time.monotonic()
            if left <= 0:
                return asked, None
            try:
                item = self._queue.get(timeout=left)
            except queue.Empty:
                return asked, None
        return asked, item

    def _write(self, asked: list[Query]) -> None:
        if not asked:
            return
        try:
            self._open().add(asked)
            self._complained = False
        except (sqlite3.Error, OSError) as error:
            self._give_up(error)
            if not self._complained:
                log.warning("searches are not logged: %s: %s", self._file, error)
            self._complained = True

    def _run(self, job: _Job) -> None:
        try:
            if job.writes or self._exists():
                answer = job.run(self._open())
            else:
                with closing(Book(None)) as empty:
                    answer = job.run(empty)
            job.done.set_result(answer)
        except Exception as error:  # noqa: BLE001 - it is raised where the job is waited for
            self._give_up(error)
            job.done.set_exception(error)

    def _open(self) -> Book:
        self._book = self._book or Book(self._file)
        return self._book

    def _exists(self) -> bool:
        try:
            return self._file.exists()
        except OSError:  # a folder that may not be entered
            return False

    def _give_up(self, error: Exception) -> None:
        """Open the file anew the next time, and a new one if it is damaged."""
        if self._book is not None:
            self._book.close()
            self._book = None
        if is_damage(error):
            try:
                set_aside(self._file)
                log.warning("the query log was damaged and is begun anew: %s", self._file)
            except OSError as failed:
                log.warning("the damaged query log %s cannot be moved: %s", self._file, failed)

    def _read_never(self) -> dict[str, tuple[Judged, ...]]:
        """The verdicts that searches must know, by query."""
        never: dict[str, tuple[Judged, ...]] = {}
        if self._exists():
            try:
                verdicts = self._ask(Book.verdicts, writes=False)
            except QueryLogError as error:
                log.warning("verdicts are not known: %s", error.message)
                return never
            for judged in verdicts:
                if judged.verdict == "never_for_this":
                    key = fold(judged.query)
                    never[key] = (*never.get(key, ()), judged)
        return never
