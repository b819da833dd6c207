"""The embedded engine: SQLite stores everything, tantivy and numpy search derived copies of it."""

from notewell.index.embedded.directory import (
    check_copy,
    check_notes,
    copy_index,
    damaged_vectors,
    delete_index,
    hold,
)
from notewell.index.embedded.index import EmbeddedIndex
from notewell.index.embedded.snapshots import damaged_snapshots
from notewell.index.embedded.store import DATABASE

open_index = EmbeddedIndex.open

__all__ = [
    "DATABASE",
    "EmbeddedIndex",
    "check_copy",
    "check_notes",
    "copy_index",
    "damaged_snapshots",
    "damaged_vectors",
    "delete_index",
    "hold",
    "open_index",
]
