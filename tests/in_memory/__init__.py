"""A test double of an engine: an index in memory."""

from notewell.index.engines import IndexEngine
from tests.in_memory.index import InMemoryIndex, delete_index, open_index

ENGINE = IndexEngine(open_index, delete_index)

__all__ = ["ENGINE", "InMemoryIndex"]
