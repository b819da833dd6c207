"""Notes and chunks that were read lately, so that the next search need not read them again.

People type a query letter by letter, and most results of each search are results of the next one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from notewell.base.types import StoredChunk, StoredNote

MOST_NOTES, MOST_CHUNKS = 2_000, 4_000  # together about 10 MB
_MOST_AT_ONCE = 200  # of a longer list, nothing is kept: it would displace what searches share

Row = TypeVar("Row")
Read = Callable[[Sequence[int]], dict[int, Row]]


class RecentRows:
    """Rows of one generation of the index, by id. Its owner makes a new one after each change.

    A search that is running meanwhile fills the old one, which nobody else reads any more. Safe to
    call from several threads, at worst reading a row twice.
    """

    def __init__(self) -> None:
        """Keep nothing yet."""
        self._notes: dict[int, StoredNote] = {}
        self._chunks: dict[int, StoredChunk] = {}

    def notes(self, ids: Sequence[int], read: Read[StoredNote]) -> dict[int, StoredNote]:
        """The notes that are there; `read` reads those that are not kept."""
        return _found(self._notes, ids, read, MOST_NOTES)

    def chunks(self, ids: Sequence[int], read: Read[StoredChunk]) -> dict[int, StoredChunk]:
        """The chunks that are there; `read` reads those that are not kept."""
        return _found(self._chunks, ids, read, MOST_CHUNKS)


def _found(kept: dict[int, Row], ids: Sequence[int], read: Read[Row], most: int) -> dict[int, Row]:
    if len(ids) > _MOST_AT_ONCE:
        return read(ids)
    found = {each: row for each in ids if (row := kept.get(each)) is not None}
    missing = [each for each in ids if each not in found]
    if missing:
        new = read(missing)
        if len(kept) + len(new) > most:
            kept.clear()
        kept.update(new)
        found |= new
    return dict(sorted(found.items()))  # in order of id, as the database gives them
