"""The table `meta`: words and counters of the index, read and changed inside a transaction."""

from __future__ import annotations

import sqlite3


def get(connection: sqlite3.Connection, key: str) -> str | None:
    """A value of the table `meta`, inside the transaction."""
    found = connection.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
    return None if found is None else str(found[0])


def put(connection: sqlite3.Connection, key: str, value: str) -> None:
    """Keep a value."""
    connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))


def next_generation(connection: sqlite3.Connection, *, text: bool) -> int:
    """Count the generation up; `text` says that keywords and links change in it."""
    generation = int(get(connection, "generation") or 0) + 1
    put(connection, "generation", str(generation))
    if text:
        put(connection, "text_generation", str(generation))
    return generation


def number(value: str | None) -> int | None:
    """A number kept as a value; "" and an absent one are none."""
    return int(value) if value else None
