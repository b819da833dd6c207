"""The embedded engine: SQLite stores everything, tantivy and numpy search derived copies of it."""

from notewell.index.embedded.directory import delete_index
from notewell.index.embedded.index import EmbeddedIndex

open_index = EmbeddedIndex.open

__all__ = ["EmbeddedIndex", "delete_index", "open_index"]
