"""The tables of the database: schema migrations, the table `meta`, and rows to records and back.

A migration is appended, never changed. None may discard a sound row of the tables `models` and
`vectors`, because no text is ever embedded twice.
"""

from __future__ import annotations

import secrets
import sqlite3
from collections.abc import Callable, Sequence
from typing import Any

from notewell.base.errors import IndexFailure
from notewell.base.types import (
    ModelKey,
    StoredChunk,
    StoredNote,
)
from notewell.index import row_values
from notewell.index.embedded.checksums import (
    UNSOUND,
    DamagedRowError,
    add_note_sums,
    add_part_sums,
    add_vector_sums,
    check_note,
    check_passage,
    check_text,
    sound_rows,
)
from notewell.index.shown_text import names_above
from notewell.index.stored_text import pack_shown


def _first(connection: sqlite3.Connection) -> None:
    for statement in _FIRST.split(";\n"):
        connection.execute(statement)
    connection.executemany(
        "INSERT INTO meta VALUES (?, ?)",
        [("id", secrets.token_hex(8)), ("generation", "0"), ("text_generation", "0")],
    )


# `vector_hash` names the text whose vector represents a chunk: its own, or that of the passage it
# replaced until its own is embedded. `awaiting` marks notes with a chunk without its own vector.
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
    """Each save queries the notes changed since a generation: without it, a full scan."""
    connection.execute("CREATE INDEX notes_by_generation ON notes (generation)")


def _kept_titles(connection: sqlite3.Connection) -> None:
    """A renamed note keeps the title that its passages were embedded with; NULL: its own."""
    connection.execute("ALTER TABLE notes ADD COLUMN kept_title TEXT")


def _shown_texts(connection: sqlite3.Connection) -> None:
    """A passage has its shown text beside it (`index/stored_text.py`)."""
    connection.execute("ALTER TABLE chunks ADD COLUMN shown BLOB")
    # Ids first: rows that are read must not be changed meanwhile.
    for (chunk_id,) in connection.execute("SELECT id FROM chunks").fetchall():
        row = connection.execute(
            "SELECT n.title, c.headings, c.text, c.lines FROM chunks c"
            " JOIN notes n ON n.id = c.note_id WHERE c.id = ?",
            (chunk_id,),
        ).fetchone()
        with sound_rows("a passage"):
            title, headings, text, lines = row
            names = names_above(title, row_values.strings(headings))
            shown = pack_shown(text, names, row_values.unpack_lines(lines))
        connection.execute("UPDATE chunks SET shown = ? WHERE id = ?", (shown, chunk_id))


MIGRATIONS: tuple[Callable[[sqlite3.Connection], None], ...] = (
    _first,
    _notes_by_generation,
    add_vector_sums,
    _kept_titles,
    add_note_sums,
    add_part_sums,
    _shown_texts,
)
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


NOTE_COLUMNS = f"{row_values.NOTE_COLUMNS}, checksum"
CHUNK_COLUMNS = f"{row_values.CHUNK_COLUMNS}, c.header, c.checksum"
SHOWN_COLUMNS = f"{CHUNK_COLUMNS}, c.shown"  # of passages that a search may show


def stored_note(row: Sequence[Any]) -> StoredNote:
    """A note from NOTE_COLUMNS. Raises DamagedRowError."""
    _, *summed, _size, warnings, _mtime_ns, checksum = row
    try:
        check_note((*summed, warnings), checksum)
        return row_values.note_of(row[:-1])
    except UNSOUND as error:
        raise DamagedRowError(f"a note: {error}") from error


def stored_chunk(row: Sequence[Any]) -> StoredChunk:
    """A chunk from SHOWN_COLUMNS. Raises DamagedRowError."""
    _, *placed, text, text_hash, header, checksum, shown = row
    with sound_rows("a passage"):
        check_text(header, text, text_hash)
        check_passage(placed, checksum)
        return row_values.chunk_of(row[:-3], shown)


def model_columns(model: ModelKey) -> tuple[str, str, str]:
    """The columns of `models` that make a model."""
    return (model.name, model.weights_hash, model.quantisation)


def get_meta(connection: sqlite3.Connection, key: str) -> str | None:
    """A value of the table `meta`, inside the transaction."""
    row = connection.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
    return None if row is None else str(row[0])


def put_meta(connection: sqlite3.Connection, key: str, value: str) -> None:
    """Keep a value."""
    connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))


def next_generation(connection: sqlite3.Connection, *, text: bool) -> int:
    """Increment the generation; `text`: keywords and links change in it."""
    generation = number(get_meta(connection, "generation")) + 1
    put_meta(connection, "generation", str(generation))
    if text:
        put_meta(connection, "text_generation", str(generation))
    return generation


def number(value: str | None) -> int:
    """A number of the table `meta`; 0 for "" and None. Raises DamagedRowError."""
    with sound_rows("a number of the table meta"):
        return int(value or 0)


def optional_number(value: str | None) -> int | None:
    """`number`, but None for "" and None."""
    return number(value) if value else None
