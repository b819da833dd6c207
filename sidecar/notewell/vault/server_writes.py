"""What the server wrote to a mirror and no client has confirmed yet.

A mirror is a copy of a vault that clients fill, so a note that the server writes there has to reach
the vault itself: clients read these writes, apply them and confirm them. Until then a client that
does not list such a note has not deleted it. The list is a table in the file of the undo journal,
so that a backup has both.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from notewell.base.types.frozen import frozen
from notewell.vault.write_journal import Journal

_SCHEMA = """
CREATE TABLE IF NOT EXISTS unconfirmed (
  path TEXT PRIMARY KEY, number INTEGER NOT NULL, base_digest TEXT, base_mtime INTEGER)
"""


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
        return {one.path: one for one in self.all() if any(_below(one.path, at) for at in named)}

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
        for one in self.within(old).values():
            with self._open() as connection:
                connection.execute(
                    "UPDATE OR REPLACE unconfirmed SET path = ? WHERE path = ?",
                    (new + one.path[len(old) :], one.path),
                )

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        with self._journal.transaction() as connection:
            connection.execute(_SCHEMA)
            yield connection


def digest(raw: bytes) -> str:
    """SHA-256 in hexadecimal, which browsers and phones can compute as well."""
    return hashlib.sha256(raw).hexdigest()


def _below(path: str, place: str) -> bool:
    return path == place or path.startswith(f"{place}/")
