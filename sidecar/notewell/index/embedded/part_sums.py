"""The checksums of what a note consists of: its passages and its links.

A passage has one of its own, because searches read single passages: of the columns that its text
hash does not cover. A note has two more, of all its passages and of all its links, joined by
exclusive or: they also find a row that is gone or that names another note. Which vector stands for
a passage is left out: it changes without the note, and is checked against the vectors.
"""

# ruff: noqa: S608 (only column names are put into SQL; values are bound)

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import reduce
from operator import xor
from typing import Any
from zlib import crc32

from notewell.index.embedded.damaged_rows import check_text, sound_rows

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


def joined(sums: Iterable[int]) -> int:
    """The checksum of all passages or all links of a note; 0 if it has none."""
    return reduce(xor, sums, 0)


def check_joined(kind: str, sums: Iterable[int], stored: int) -> None:
    """Check that the passages or links of a note are those that were written.

    Raises ValueError.
    """
    if joined(sums) != stored:
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
    _keep(connection, "passages_sum", of_notes)
    _keep(connection, "links_sum", _link_sums(connection))


def _keep(connection: sqlite3.Connection, column: str, sums: dict[int, int]) -> None:
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
