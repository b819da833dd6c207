"""Checksums of the database's rows, which find what the disk has changed: SQLite has none.

A vector: CRC-32 of the model's number, the hash of the text and the vector, so that it also finds
a vector that was moved to another text or model.

A note's row: CRC-32 of the columns in `SUMMED`, with that of the path added by exclusive or, so
that a move changes it without blessing what the disk may have done to the rest. Left out is what a
change of the file corrects: its size, times and content hash.

A passage has a checksum of its own, because searches read single passages: of the columns that its
text hash does not cover. A note has two more, of all its passages and of all its links, joined by
exclusive or: they also find a row that is gone or that names another note. Which vector stands for
a passage is left out: it changes without the note, and is checked against the vectors.
"""

# ruff: noqa: S608 (only column and table names are put into SQL; values are bound)

from __future__ import annotations

import sqlite3
import struct
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import reduce
from operator import xor
from typing import Any
from zlib import crc32

import numpy as np

from notewell.base.types import embedded_text
from notewell.index.arrays import is_unit
from notewell.vault.chunk import embed_hash


class DamagedRowError(ValueError):
    """A row that is not what was written; the message says of what."""


# What reading a changed row raises. Of rows that are read by thousands it is caught where they are
# read: entering a context for each takes as long as the rest.
UNSOUND = (ValueError, TypeError, LookupError, struct.error)


@contextmanager
def sound_rows(kind: str) -> Iterator[None]:
    """Turn what a changed row raises when it is read into DamagedRowError."""
    try:
        yield
    except UNSOUND as error:
        raise DamagedRowError(f"{kind}: {error}") from error


def check_text(header: str, text: str, text_hash: bytes) -> None:
    """Check that a passage has the text that its hash was made of. Raises ValueError."""
    if embed_hash(embedded_text(header, text)) != text_hash:
        raise ValueError("its text was changed")


def vector_sum(model: int, text_hash: bytes, vector: bytes) -> int:
    """The checksum of a vector of the model with this number."""
    return crc32(vector, crc32(text_hash, crc32(model.to_bytes(8, "little", signed=True))))


def is_plausible(vector: object, dimensions: int) -> bool:
    """True if a vector without a checksum can be one: float16, finite and of unit length."""
    if not isinstance(vector, bytes) or len(vector) != 2 * dimensions:
        return False
    return is_unit(np.frombuffer(vector, np.float16))


def add_vector_sums(connection: sqlite3.Connection) -> None:
    """Give each stored vector its checksum; those that cannot be right are deleted (migration)."""
    connection.execute("ALTER TABLE vectors ADD COLUMN checksum INTEGER NOT NULL DEFAULT 0")
    dimensions = dict(connection.execute("SELECT id, dimensions FROM models"))
    wrong: list[tuple[int, bytes]] = []
    rows = connection.execute("SELECT rowid FROM vectors ORDER BY rowid").fetchall()
    for (rowid,) in rows:
        model, text_hash, vector = connection.execute(
            "SELECT model_id, text_hash, vector FROM vectors WHERE rowid = ?", (rowid,)
        ).fetchone()
        if is_plausible(vector, dimensions.get(model, 0)):
            connection.execute(
                "UPDATE vectors SET checksum = ? WHERE rowid = ?",
                (vector_sum(model, text_hash, vector), rowid),
            )
        else:
            wrong.append((model, text_hash))
    discard_vectors(connection, wrong)


def discard_vectors(connection: sqlite3.Connection, vectors: Iterable[tuple[int, bytes]]) -> None:
    """Delete vectors, by model and text hash; the texts that need them are embedded again."""
    for model, text_hash in vectors:
        connection.execute(
            "DELETE FROM vectors WHERE model_id = ? AND text_hash = ?", (model, text_hash)
        )
        used = connection.execute("SELECT value FROM meta WHERE key = 'model_vectors'").fetchone()
        if used is None or used[0] != str(model):
            continue
        notes = "SELECT note_id FROM chunks WHERE vector_hash = ?"
        connection.execute(f"UPDATE notes SET awaiting = 1 WHERE id IN ({notes})", (text_hash,))
        connection.execute(
            "UPDATE ledger SET state = 'keyword_only' WHERE state = 'indexed'"
            f" AND path IN (SELECT path FROM notes WHERE id IN ({notes}))",
            (text_hash,),
        )
        connection.execute(
            "UPDATE chunks SET vector_hash = NULL WHERE vector_hash = ?", (text_hash,)
        )


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


def check_note_sums(connection: sqlite3.Connection) -> None:
    """Check every note of a database of the current schema. Raises DamagedRowError."""
    for checksum, *row in connection.execute(f"SELECT checksum, path, {SUMMED} FROM notes"):
        with sound_rows("a note"):
            check_note(row, checksum)


# What a passage's checksum is made of, in this order.
PLACED = "note_id, ordinal, headings, block, parent, start, stop, lines"
_LINKED = "ordinal, target, display, heading, block, embed, kind, line, start, stop"


def passage_sum(placed: Sequence[Any]) -> int:
    """The checksum of a passage, of the columns of `PLACED` as the database has them.

    Raises one of `UNSOUND`: the line numbers are no bytes.
    """
    note, ordinal, headings, block, parent, start, stop, lines = placed
    # One text, because this runs for every passage that is read.
    text = f"{note}\n{ordinal}\n{headings}\n{block}\n{parent}\n{start}\n{stop}"
    return crc32(lines, crc32(text.encode()))


def check_passage(placed: Sequence[Any], checksum: int) -> None:
    """Check that a passage, as the columns of `PLACED`, is what was written.

    Raises one of `UNSOUND`.
    """
    if passage_sum(placed) != checksum:
        raise ValueError("its row was changed")


def link_sum(note_id: int, ordinal: int, columns: Sequence[Any]) -> int:
    """The checksum of a note's link number `ordinal`, from LINK_COLUMNS."""
    target, display, heading, block, embed, kind, line, start, stop = columns
    text = (
        f"{note_id}\n{ordinal}\n{target}\n{display}\n{heading}\n{block}\n{int(embed)}\n{kind}"
        f"\n{line}\n{start}\n{stop}"
    )
    return crc32(text.encode())


def join_sums(sums: Iterable[int]) -> int:
    """The checksum of all passages or all links of a note; 0 if it has none."""
    return reduce(xor, sums, 0)


def check_joined(kind: str, sums: Iterable[int], stored: int) -> None:
    """Check that the passages or links of a note are those that were written.

    Raises ValueError.
    """
    if join_sums(sums) != stored:
        raise ValueError(f"its {kind} were changed")


def add_part_sums(connection: sqlite3.Connection) -> None:
    """Give each stored note and passage its checksums (migration). Raises DamagedRowError."""
    connection.execute("ALTER TABLE chunks ADD COLUMN checksum INTEGER NOT NULL DEFAULT 0")
    for column in ("passages_sum", "links_sum"):
        connection.execute(f"ALTER TABLE notes ADD COLUMN {column} INTEGER NOT NULL DEFAULT 0")
    of_notes: defaultdict[int, int] = defaultdict(int)
    # Ids first: rows that are read must not be changed meanwhile.
    for (chunk_id,) in connection.execute("SELECT id FROM chunks").fetchall():
        *placed, header, text, text_hash = connection.execute(
            f"SELECT {PLACED}, header, text, text_hash FROM chunks WHERE id = ?", (chunk_id,)
        ).fetchone()
        with sound_rows("a passage"):
            check_text(header, text, text_hash)
            checksum = passage_sum(placed)
        of_notes[placed[0]] ^= checksum
        connection.execute("UPDATE chunks SET checksum = ? WHERE id = ?", (checksum, chunk_id))
    _store_sums(connection, "passages_sum", of_notes)
    _store_sums(connection, "links_sum", _link_sums(connection))


def _store_sums(connection: sqlite3.Connection, column: str, sums: dict[int, int]) -> None:
    connection.executemany(
        f"UPDATE notes SET {column} = ? WHERE id = ?",
        [(checksum, note_id) for note_id, checksum in sums.items()],
    )


def _link_sums(connection: sqlite3.Connection) -> defaultdict[int, int]:
    sums: defaultdict[int, int] = defaultdict(int)
    for note_id, ordinal, *columns in connection.execute(f"SELECT note_id, {_LINKED} FROM links"):
        with sound_rows("a link"):
            sums[note_id] ^= link_sum(note_id, ordinal, columns)
    return sums


def check_parts(connection: sqlite3.Connection) -> None:
    """Check all passages and links of a database of the current schema. Raises DamagedRowError."""
    passages: defaultdict[int, int] = defaultdict(int)
    for checksum, header, text, text_hash, *placed in connection.execute(
        f"SELECT checksum, header, text, text_hash, {PLACED} FROM chunks"
    ):
        with sound_rows("a passage"):
            check_text(header, text, text_hash)
            check_passage(placed, checksum)
        passages[placed[0]] ^= checksum
    links = _link_sums(connection)
    known = connection.execute("SELECT id, passages_sum, links_sum FROM notes").fetchall()
    with sound_rows("a note"):
        for note_id, of_passages, of_links in known:
            check_joined("passages", [passages.pop(note_id, 0)], of_passages)
            check_joined("links", [links.pop(note_id, 0)], of_links)
        if passages or links:
            raise ValueError("it is gone, and its passages or links are not")
