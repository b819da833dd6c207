"""The checksum of a note's row: what finds a changed byte that is still valid text.

It is the CRC-32 of the columns in `SUMMED`, with that of the path added by exclusive or, so that a
move changes it without blessing what the disk may have done to the rest. Left out is what a change
of the file corrects (its size, times and content hash), and the texts of passages have their own
hashes.
"""

# ruff: noqa: S608 (only column names are put into SQL; values are bound)

from __future__ import annotations

import sqlite3
import struct
from collections.abc import Sequence
from typing import Any
from zlib import crc32

from notewell.index.embedded.damaged_rows import sound_rows

SUMMED = "title, aliases, tags, properties, description, created, modified, warnings"
_TIMES = struct.Struct("<dd")


def note_sum(summed: Sequence[Any]) -> int:
    """The checksum of a row, of its path and the columns of `SUMMED` as the database has them.

    Raises one of `UNSOUND`: a time is no number.
    """
    path, title, aliases, tags, properties, description, created, modified, warnings = summed
    # One text, because this runs for every note that is read: a call for each column takes longer,
    # and so does writing numbers as text.
    text = f"{title}\n{aliases}\n{tags}\n{properties}\n{description}\n{warnings}"
    times = _TIMES.pack(created or 0.0, modified or 0.0)
    return crc32(times, crc32(text.encode())) ^ crc32(f"{path}".encode())


def check_note(summed: Sequence[Any], checksum: int) -> None:
    """Check that a row, as its path and the columns of `SUMMED`, is what was written.

    Raises one of `UNSOUND`.
    """
    if note_sum(summed) != checksum:
        raise ValueError("its row was changed")


def moved_sum(checksum: int, old_path: str, new_path: str) -> int:
    """The checksum after a note's path changed."""
    return checksum ^ crc32(old_path.encode()) ^ crc32(new_path.encode())


def sum_of(connection: sqlite3.Connection, note_id: int) -> int:
    """The checksum of a row as it is stored, where numbers may be others than were given."""
    row = connection.execute(
        f"SELECT path, {SUMMED} FROM notes WHERE id = ?", (note_id,)
    ).fetchone()
    return note_sum(row)


def add_note_sums(connection: sqlite3.Connection) -> None:
    """Give each stored note its checksum (migration). Raises DamagedRowError."""
    connection.execute("ALTER TABLE notes ADD COLUMN checksum INTEGER NOT NULL DEFAULT 0")
    for (note_id,) in connection.execute("SELECT id FROM notes").fetchall():
        with sound_rows("a note"):
            checksum = sum_of(connection, note_id)
        connection.execute("UPDATE notes SET checksum = ? WHERE id = ?", (checksum, note_id))


def check_notes(connection: sqlite3.Connection) -> None:
    """Check every note of a database of the current schema. Raises DamagedRowError."""
    for checksum, *row in connection.execute(f"SELECT checksum, path, {SUMMED} FROM notes"):
        with sound_rows("a note"):
            check_note(row, checksum)
