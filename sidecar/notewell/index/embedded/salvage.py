"""A damaged database: noticed cheaply, moved aside, and emptied of every vector that still reads.

Notes, chunks and links are made again from the vault; vectors are what costs.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

_MAGIC = b"SQLite format 3\x00"
_HEADER = 100
_COMPANIONS = ("", "-wal", "-shm")


def looks_damaged(path: Path) -> bool:
    """Whether header and length rule out a whole database. An empty file is a new one."""
    with path.open("rb") as file:
        header = file.read(_HEADER)
    size = path.stat().st_size
    if size == 0:
        return False
    if len(header) < _HEADER or not header.startswith(_MAGIC):
        return True
    page_size = int.from_bytes(header[16:18], "big")
    page_size = 65536 if page_size == 1 else page_size
    pages = int.from_bytes(header[28:32], "big")
    has_log = path.with_name(path.name + "-wal").exists()
    return page_size < 512 or (size < pages * page_size and not has_log)


def move_aside(path: Path) -> Path:
    """Rename a database and its companions; returns its new path, which did not exist before."""
    stamp = time.strftime("%Y%m%d-%H%M%S", time.gmtime())
    aside = path.with_name(f"{path.name}.damaged-{stamp}")
    number = 1
    while aside.exists():
        number += 1
        aside = path.with_name(f"{path.name}.damaged-{stamp}-{number}")
    for companion in _COMPANIONS:
        part = path.with_name(path.name + companion)
        if part.exists():
            part.rename(aside.with_name(aside.name + companion))
    return aside


def rescue(damaged: Path, into: sqlite3.Connection) -> int:
    """Copy every model and vector of `damaged` that can be read; returns how many vectors."""
    with closing(sqlite3.connect(damaged, isolation_level=None)) as source:
        try:
            models = source.execute(
                "SELECT id, name, weights_hash, quantisation, dimensions FROM models"
            ).fetchall()
        except sqlite3.DatabaseError:
            return 0
        widths = {model_id: dimensions * 2 for model_id, *_, dimensions in models}
        kept = 0
        into.execute("BEGIN IMMEDIATE")
        into.executemany("INSERT OR IGNORE INTO models VALUES (?, ?, ?, ?, ?)", models)
        for model_id, text_hash, vector in _readable_vectors(source):
            if isinstance(vector, bytes) and len(vector) == widths.get(model_id):
                into.execute(
                    "INSERT OR IGNORE INTO vectors VALUES (?, ?, ?)", (model_id, text_hash, vector)
                )
                kept += 1
        into.execute("COMMIT")
    return kept


def _readable_vectors(source: sqlite3.Connection) -> Iterator[tuple[Any, ...]]:
    """Rows in order of rowid; a page that does not read is stepped over in growing strides."""
    last, stride = 0, 1
    while True:
        try:
            for rowid, *row in source.execute(
                "SELECT rowid, model_id, text_hash, vector FROM vectors WHERE rowid > ?"
                " ORDER BY rowid",
                (last,),
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
