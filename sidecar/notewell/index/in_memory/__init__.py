"""The in-memory engine: plain dictionaries and exact searches, for tests."""

from notewell.index.in_memory.index import InMemoryIndex, delete_index, open_index

__all__ = ["InMemoryIndex", "delete_index", "open_index"]
