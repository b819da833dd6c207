"""Saves the vectors of a damaged database, because nothing else in it takes long to make again."""

# ruff: noqa: S608 (only column and table names are put into SQL; values are bound)

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from notewell.index.embedded.checksums import checksum, is_plausible


def rescue(damaged: Path, into: sqlite3.Connection) -> int:
    """Copy every model and every sound vector of `damaged`; returns how many vectors.

    A vector is sound if its checksum is right. One of an older database, which has no checksums,
    must have the model's dimensions, finite numbers and unit length.
    """
    with closing(sqlite3.connect(damaged, isolation_level=None)) as source:
        try:
            models = source.execute(
                "SELECT id, name, weights_hash, quantisation, dimensions FROM models"
            ).fetchall()
        except sqlite3.DatabaseError:
            return 0
        dimensions = {model: count for model, *_, count in models}
        kept = 0
        into.execute("BEGIN IMMEDIATE")
        into.executemany("INSERT OR IGNORE INTO models VALUES (?, ?, ?, ?, ?)", models)
        for model, text_hash, vector, stored in _readable_vectors(source):
            if not is_plausible(vector, dimensions.get(model, 0)) or not _is_hash(text_hash):
                continue
            right = checksum(model, text_hash, vector)
            if stored is not None and stored != right:
                continue
            into.execute(
                "INSERT OR IGNORE INTO vectors VALUES (?, ?, ?, ?)",
                (model, text_hash, vector, right),
            )
            kept += 1
        into.execute("COMMIT")
    return kept


def _is_hash(text_hash: object) -> bool:
    return isinstance(text_hash, bytes)


def _readable_vectors(source: sqlite3.Connection) -> Iterator[tuple[Any, ...]]:
    """(model, text hash, vector, checksum) in order of rowid; the checksum of an old row is None.

    A page that does not read is stepped over in growing strides.
    """
    columns = f"model_id, text_hash, vector, {_checksum_column(source)}"
    last, stride = 0, 1
    while True:
        try:
            for rowid, *row in source.execute(
                f"SELECT rowid, {columns} FROM vectors WHERE rowid > ? ORDER BY rowid", (last,)
            ):
                yield tuple(row)
                last, stride = rowid, 1
        except sqlite3.DatabaseError:
            last += stride
            stride *= 2
            if stride > 1 << 40:
                return
        else:
            return


def _checksum_column(source: sqlite3.Connection) -> str:
    try:
        columns = source.execute("PRAGMA table_info(vectors)").fetchall()
    except sqlite3.DatabaseError:
        return "NULL"
    return "checksum" if "checksum" in {name for _, name, *_ in columns} else "NULL"
