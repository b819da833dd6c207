"""The checksum of a stored vector: what finds one that the disk has changed.

SQLite has no checksums of its own, so a flipped bit inside a vector reads as another vector. The
checksum is the CRC-32 of the model's number, the hash of the text and the vector, so that it also
finds a vector that was moved to another text or model.
"""

# ruff: noqa: S608 (only column and table names are put into SQL; values are bound)

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from zlib import crc32

import numpy as np

from notewell.index.vector_checks import is_unit


def checksum(model: int, text_hash: bytes, vector: bytes) -> int:
    """The checksum of a vector of the model with this number."""
    return crc32(vector, crc32(text_hash, crc32(model.to_bytes(8, "little", signed=True))))


def is_plausible(vector: object, dimensions: int) -> bool:
    """Whether a vector without a checksum can be one: float16, finite and of unit length."""
    if not isinstance(vector, bytes) or len(vector) != 2 * dimensions:
        return False
    return is_unit(np.frombuffer(vector, np.float16))


def add_checksums(connection: sqlite3.Connection) -> None:
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
                (checksum(model, text_hash, vector), rowid),
            )
        else:
            wrong.append((model, text_hash))
    discard(connection, wrong)


def discard(connection: sqlite3.Connection, vectors: Iterable[tuple[int, bytes]]) -> None:
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
