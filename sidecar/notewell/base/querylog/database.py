"""The file of the log: an SQLite database of three tables, each limited to its newest rows.

It uses no write-ahead log, which would still have rows after they were cleared, and deleted rows
are overwritten.
"""

from __future__ import annotations

import json
import sqlite3
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path
from typing import Any

from notewell.base.errors import on_error
from notewell.base.support import disk
from notewell.base.types import SearchMode, Verdict

BURST_SECONDS = 4.0  # between two searches of one typed query


@dataclass(frozen=True, slots=True)
class QueryEntry:
    """An answered search; `results` are the first paths with their scores, `at` POSIX seconds."""

    id: str
    at: float
    door: str
    text: str
    mode: SearchMode
    took_ms: float
    generation: int
    results: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True, slots=True)
class Opened:
    """A result that a person opened. `rank` counts from 1; None: unknown.

    `pin` identifies the note after its path changed; its form is up to the caller.
    """

    at: float
    query: str
    path: str
    pin: str = ""
    rank: int | None = None
    query_id: str | None = None


@dataclass(frozen=True, slots=True)
class Judged:
    """A person's verdict on a note as a result for a query; `pin` as in `Opened`."""

    at: float
    query: str
    path: str
    verdict: Verdict
    pin: str = ""


@dataclass(frozen=True, slots=True)
class Judgements:
    """All opened results and verdicts, oldest first."""

    opened: tuple[Opened, ...]
    verdicts: tuple[Judged, ...]


def storable(text: str) -> str:
    """`text` as SQLite can store it: lone surrogates become question marks."""
    return text.encode("utf-8", "replace").decode("utf-8")


def fold(text: str) -> str:
    """The form in which queries are compared: without differences of case and spacing.

    Decomposed (NFKD), so that the form of a text being typed is a prefix of the next one's, also
    when `e` becomes `é` or a Korean syllable grows.
    """
    decomposed = unicodedata.normalize("NFKD", storable(text)).casefold()
    return " ".join(unicodedata.normalize("NFKD", decomposed).split())


def continues(earlier: QueryEntry, later: QueryEntry) -> bool:
    """True if `later` is `earlier` typed further or repeated at once, and replaces it."""
    soon = 0 <= later.at - earlier.at <= BURST_SECONDS
    return soon and earlier.door == later.door and fold(later.text).startswith(fold(earlier.text))


NAME = "queries.db"
MAX_ROWS = 10_000  # of each table
VERSION = 1
_BUSY_SECONDS = 5.0
_MEMORY = ":memory:"
_TABLES = ("queries", "opened", "verdicts")
_SCHEMA = f"""
BEGIN IMMEDIATE;
CREATE TABLE queries (
  id TEXT PRIMARY KEY, at REAL NOT NULL, door TEXT NOT NULL, query TEXT NOT NULL,
  folded TEXT NOT NULL, mode TEXT NOT NULL, took_ms REAL NOT NULL, generation INTEGER NOT NULL,
  results TEXT NOT NULL);
CREATE INDEX queries_at ON queries (at);
CREATE INDEX queries_door ON queries (door, at);
CREATE INDEX queries_folded ON queries (folded, at);
CREATE TABLE opened (
  at REAL NOT NULL, query TEXT NOT NULL, path TEXT NOT NULL, pin TEXT NOT NULL, rank INTEGER,
  query_id TEXT);
CREATE INDEX opened_query ON opened (query_id);
CREATE TABLE verdicts (
  at REAL NOT NULL, query TEXT NOT NULL, folded TEXT NOT NULL, path TEXT NOT NULL,
  verdict TEXT NOT NULL, pin TEXT NOT NULL, PRIMARY KEY (folded, path));
PRAGMA user_version = {VERSION};
COMMIT;
"""
_QUERY = "SELECT id, at, door, query, mode, took_ms, generation, results FROM queries"


@dataclass(frozen=True, slots=True)
class Cleared:
    """Numbers of deleted rows."""

    queries: int
    opened: int
    verdicts: int


class LogDatabase:
    """The database, used by one thread only. Every method may raise sqlite3.Error."""

    def __init__(self, file: Path | None) -> None:
        """Open the file, created if missing; None: an empty database in memory.

        Raises OSError if the folder cannot be written.
        """
        if file is not None:
            disk.make_folder(file.parent)
            disk.make_file(file)
        self._connection = sqlite3.connect(
            _MEMORY if file is None else file, timeout=_BUSY_SECONDS, isolation_level=None
        )
        with on_error(self._connection.close):
            self._prepare()

    def _prepare(self) -> None:
        self._connection.execute("PRAGMA secure_delete = ON")
        if self._version() == 0:
            try:
                self._connection.executescript(_SCHEMA)
            except sqlite3.OperationalError:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                if self._version() == 0:  # else another process created the tables
                    raise
        if self._version() != VERSION:
            raise sqlite3.NotSupportedError(f"it is of version {self._version()}, not {VERSION}")

    def _version(self) -> int:
        return int(self._connection.execute("PRAGMA user_version").fetchone()[0])

    def close(self) -> None:
        self._connection.close()

    # --- writing ---------------------------------------------------------------------------

    def add(self, queries: Iterable[QueryEntry]) -> None:
        """Store searches. One that was typed further and had no result opened is replaced."""
        with self._transaction():
            self._connection.executemany(
                "INSERT OR REPLACE INTO queries VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                [_row(query) for query in self._typed_last(queries)],
            )
            self._trim("queries")

    def _typed_last(self, queries: Iterable[QueryEntry]) -> list[QueryEntry]:
        """The searches without those that were typed further; deletes such a one from the file.

        Only the first search of a door is compared with the file. After each step of SQLite this
        thread waits for Python's lock, and takes it from a search.
        """
        kept: dict[str, QueryEntry] = {}
        last_of: dict[str, QueryEntry] = {}  # by door
        for query in sorted(queries, key=attrgetter("at")):
            last = last_of.get(query.door)
            if last is None:
                self._replace_stored(query)
            elif continues(last, query):
                del kept[last.id]
            kept[query.id] = last_of[query.door] = query
        return list(kept.values())

    def _replace_stored(self, query: QueryEntry) -> None:
        """Delete the last search of the door if `query` continues it and no result was opened."""
        last = self._queries(
            "WHERE door = ? AND at <= ? ORDER BY at DESC LIMIT 1", (query.door, query.at)
        )
        if last and continues(last[0], query):
            self._connection.execute(
                "DELETE FROM queries WHERE id = ?"
                " AND NOT EXISTS (SELECT 1 FROM opened WHERE query_id = queries.id)",
                (last[0].id,),
            )

    def add_opened(self, opened: Opened) -> None:
        with self._transaction():
            self._connection.execute(
                "INSERT INTO opened VALUES (?, ?, ?, ?, ?, ?)",
                (opened.at, opened.query, opened.path, opened.pin, opened.rank, opened.query_id),
            )
            self._trim("opened")

    def judge(self, judged: Judged) -> None:
        """Store a verdict; it replaces an earlier one on the same query and note."""
        folded = fold(judged.query)
        with self._transaction():
            self._connection.execute(
                "INSERT OR REPLACE INTO verdicts VALUES (?, ?, ?, ?, ?, ?)",
                (judged.at, judged.query, folded, judged.path, judged.verdict, judged.pin),
            )
            self._trim("verdicts")

    def withdraw(self, query: str, paths: Sequence[str]) -> None:
        """Delete the verdicts on a note, which may have had several paths."""
        with self._transaction():
            for path in paths:
                self._connection.execute(
                    "DELETE FROM verdicts WHERE folded = ? AND path = ?", (fold(query), path)
                )

    def clear(self, *, keep_verdicts: bool) -> Cleared:
        """Delete everything, or everything except verdicts, and shrink the file."""
        deleted = dict.fromkeys(_TABLES, 0)
        with self._transaction():
            for table in _TABLES[: 2 if keep_verdicts else 3]:
                deleted[table] = self._connection.execute(f"DELETE FROM {table}").rowcount  # noqa: S608 - constant names
        # Deleted rows are overwritten already; if VACUUM fails, the file only stays as large.
        with suppress(sqlite3.OperationalError):
            self._connection.execute("VACUUM")
        return Cleared(**deleted)

    # --- reading ---------------------------------------------------------------------------

    def latest(self, limit: int, since: float | None) -> tuple[int, list[QueryEntry]]:
        """The number of searches from `since` (POSIX seconds) on, and the newest of them."""
        start = float("-inf") if since is None else since
        count = self._connection.execute("SELECT count(*) FROM queries WHERE at >= ?", (start,))
        newest = self._queries("WHERE at >= ? ORDER BY at DESC LIMIT ?", (start, limit))
        return int(count.fetchone()[0]), newest

    def find(self, query_id: str | None, text: str | None) -> QueryEntry | None:
        """The search with that id, or else the newest with that text."""
        queries = self._queries("WHERE id = ?", (query_id,))
        if not queries and text is not None:
            queries = self._queries("WHERE folded = ? ORDER BY at DESC LIMIT 1", (fold(text),))
        return queries[0] if queries else None

    def find_opened(self, query_id: str) -> list[Opened]:
        """The results opened from one search, in the order of opening."""
        return self._read_opened("WHERE query_id = ? ORDER BY at", (query_id,))

    def judgements(self) -> Judgements:
        return Judgements(tuple(self._read_opened("ORDER BY at", ())), tuple(self.verdicts()))

    def verdicts(self) -> list[Judged]:
        rows = self._connection.execute(
            "SELECT at, query, path, verdict, pin FROM verdicts ORDER BY at, query, path"
        )
        return [Judged(*row) for row in rows]

    def _queries(self, which: str, values: Sequence[Any]) -> list[QueryEntry]:
        rows = self._connection.execute(f"{_QUERY} {which}", values)
        return [_query(row) for row in rows]

    def _read_opened(self, which: str, values: Sequence[Any]) -> list[Opened]:
        sql = f"SELECT at, query, path, pin, rank, query_id FROM opened {which}"  # noqa: S608 - see `_queries`
        return [Opened(*row) for row in self._connection.execute(sql, values)]

    def _trim(self, table: str) -> None:
        self._connection.execute(
            f"DELETE FROM {table} WHERE rowid IN"  # noqa: S608 - a constant name
            f" (SELECT rowid FROM {table} ORDER BY at DESC LIMIT -1 OFFSET {MAX_ROWS})"
        )

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._connection.execute("BEGIN IMMEDIATE")
        with self._connection:  # commits, or rolls back
            yield


def _row(query: QueryEntry) -> tuple[Any, ...]:
    """A row of the table of searches; `_query` reads most of it again."""
    results = json.dumps(query.results, ensure_ascii=False)
    key = (query.id, query.at, query.door, query.text, fold(query.text), query.mode)
    return (*key, query.took_ms, query.generation, results)


def _query(row: tuple[Any, ...]) -> QueryEntry:
    key, at, door, text, mode, took_ms, generation, results = row
    scored = tuple((path, score) for path, score in json.loads(results))
    return QueryEntry(key, at, door, text, mode, took_ms, generation, scored)


def forget_searches(file: Path) -> None:
    """Delete the searches and opened results in a copy of the log; the verdicts stay.

    Raises sqlite3.Error.
    """
    with closing(sqlite3.connect(file, isolation_level=None)) as connection:
        connection.execute("DELETE FROM queries")
        connection.execute("DELETE FROM opened")
        connection.execute("VACUUM")


def is_damage(error: Exception) -> bool:
    """True if the file is a damaged database, and not only inaccessible."""
    return isinstance(error, sqlite3.DatabaseError) and any(
        word in str(error) for word in ("malformed", "not a database")
    )


def set_aside(file: Path) -> None:
    """Rename a damaged log; `delete_damaged` and `delete` know its name."""
    file.replace(_damaged_path(file))


def delete_damaged(file: Path) -> None:
    """Delete what `set_aside` renamed."""
    _damaged_path(file).unlink(missing_ok=True)


def _damaged_path(file: Path) -> Path:
    return file.with_name(f"{file.name}.damaged")


def delete(folder: Path) -> None:
    """Delete all files of the log in `folder`, and the folder if it is then empty."""
    for file in folder.glob(f"{NAME}*"):
        file.unlink(missing_ok=True)
    with suppress(OSError):
        folder.rmdir()
