"""The database's schema, as a list of steps. A step is appended, never changed.

No step may discard the tables `models` and `vectors`: what was embedded is never embedded again.
"""

from __future__ import annotations

import secrets
import sqlite3
from collections.abc import Callable

from notewell.errors import IndexFailure


def _first(connection: sqlite3.Connection) -> None:
    for statement in _FIRST.split(";\n"):
        connection.execute(statement)
    connection.executemany(
        "INSERT INTO meta VALUES (?, ?)",
        [("id", secrets.token_hex(8)), ("generation", "0"), ("text_generation", "0")],
    )


# `vector_hash` names the text whose vector answers for a chunk: its own, or that of the passage it
# replaced until its own is embedded. `awaiting` marks notes with a chunk not answered by its own.
# Vectors keep a rowid: a row is too wide for a keyed b-tree, and loading scans them in disk order.
_FIRST = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE notes (
  id INTEGER PRIMARY KEY AUTOINCREMENT, path TEXT NOT NULL UNIQUE, title TEXT NOT NULL,
  aliases TEXT NOT NULL, tags TEXT NOT NULL, properties TEXT NOT NULL, description TEXT,
  created REAL, modified REAL, size INTEGER NOT NULL, mtime_ns INTEGER NOT NULL,
  content_hash BLOB NOT NULL, warnings TEXT NOT NULL, generation INTEGER NOT NULL,
  awaiting INTEGER NOT NULL DEFAULT 0);
CREATE INDEX notes_awaiting ON notes (modified DESC, id DESC) WHERE awaiting = 1;
CREATE TABLE chunks (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  note_id INTEGER NOT NULL REFERENCES notes (id) ON DELETE CASCADE,
  ordinal INTEGER NOT NULL, headings TEXT NOT NULL, block TEXT, parent TEXT,
  start INTEGER NOT NULL, stop INTEGER NOT NULL, lines BLOB NOT NULL,
  text_hash BLOB NOT NULL, vector_hash BLOB, header TEXT NOT NULL, text TEXT NOT NULL);
CREATE INDEX chunks_of_note ON chunks (note_id);
CREATE INDEX chunks_by_hash ON chunks (text_hash, vector_hash, note_id);
CREATE TABLE links (
  note_id INTEGER NOT NULL REFERENCES notes (id) ON DELETE CASCADE, ordinal INTEGER NOT NULL,
  target TEXT NOT NULL, display TEXT, heading TEXT, block TEXT, embed INTEGER NOT NULL,
  kind TEXT NOT NULL, line INTEGER NOT NULL, start INTEGER NOT NULL, stop INTEGER NOT NULL,
  PRIMARY KEY (note_id, ordinal)) WITHOUT ROWID;
CREATE TABLE models (
  id INTEGER PRIMARY KEY, name TEXT NOT NULL, weights_hash TEXT NOT NULL,
  quantisation TEXT NOT NULL, dimensions INTEGER NOT NULL,
  UNIQUE (name, weights_hash, quantisation));
CREATE TABLE vectors (
  model_id INTEGER NOT NULL REFERENCES models (id), text_hash BLOB NOT NULL,
  vector BLOB NOT NULL, UNIQUE (model_id, text_hash));
CREATE TABLE ledger (
  path TEXT PRIMARY KEY, state TEXT NOT NULL, rule TEXT, reason TEXT, warnings TEXT NOT NULL,
  attempts INTEGER NOT NULL, size INTEGER NOT NULL, mtime_ns INTEGER NOT NULL,
  updated REAL NOT NULL) WITHOUT ROWID;
CREATE INDEX ledger_by_state ON ledger (state)
"""


def _notes_by_generation(connection: sqlite3.Connection) -> None:
    """After each save it is asked what changed since: without it, that reads every note."""
    connection.execute("CREATE INDEX notes_by_generation ON notes (generation)")


MIGRATIONS: tuple[Callable[[sqlite3.Connection], None], ...] = (_first, _notes_by_generation)
SCHEMA_VERSION = len(MIGRATIONS)


def version_of(connection: sqlite3.Connection) -> int:
    """The schema version a database has; 0 is an empty one.

    Raises:
        IndexFailure: a newer version of the program wrote it.

    """
    version = int(connection.execute("PRAGMA user_version").fetchone()[0])
    if version > SCHEMA_VERSION:
        raise IndexFailure(
            f"The index was written by a newer version of Notewell (schema {version}, this one"
            f" knows {SCHEMA_VERSION}). Update Notewell, or use another --data-dir.",
            code="index_too_new",
        )
    return version


def migrate(connection: sqlite3.Connection) -> None:
    """Bring the schema up to date, each step in its own transaction."""
    for version in range(version_of(connection), SCHEMA_VERSION):
        connection.execute("BEGIN IMMEDIATE")
        with connection:  # commits, or takes all of the step back
            MIGRATIONS[version](connection)
            connection.execute(f"PRAGMA user_version = {version + 1}")
