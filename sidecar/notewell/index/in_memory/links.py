"""The links of one state, every one resolved."""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from notewell.index.in_memory.state import State
from notewell.types import IdArray, Link
from notewell.vault.links import NoteNames


class InMemoryLinks:
    """Keeps `LinkIndex` of the port; never changed once made."""

    def __init__(self, state: State) -> None:
        """Resolve all links."""
        self._ids = dict(state.note_ids)
        self._names = NoteNames()
        for note in state.ordered_notes():
            self._names.add(note.stored.path, note.stored.aliases)
        self._out: dict[int, tuple[tuple[Link, int | None], ...]] = {}
        self._into: defaultdict[int, set[int]] = defaultdict(set)
        for note in state.ordered_notes():
            path, note_id = note.stored.path, note.stored.id
            self._out[note_id] = tuple(
                [(link, self.resolve(link.target, path)) for link in note.links]
            )
            for target in self.neighbours(note_id):
                self._into[target].add(note_id)

    @property
    def edge_count(self) -> int:
        """How many pairs of different notes are linked, by direction."""
        return sum(map(len, self._into.values()))

    def links_out(self, note_id: int) -> tuple[tuple[Link, int | None], ...]:
        """See the port."""
        return self._out.get(note_id, ())

    def links_in(self, note_id: int) -> tuple[tuple[int, Link], ...]:
        """See the port."""
        return tuple(
            (source, link)
            for source in sorted(self.backlinks(note_id))
            for link, target in self.links_out(source)
            if target == note_id
        )

    def neighbours(self, note_id: int) -> frozenset[int]:
        """See the port."""
        targets = [target for _, target in self.links_out(note_id)]
        return frozenset(each for each in targets if each is not None and each != note_id)

    def backlinks(self, note_id: int) -> frozenset[int]:
        """See the port."""
        return frozenset(self._into.get(note_id, ()))

    def backlink_counts(self, note_ids: IdArray) -> IdArray:
        """See the port."""
        return np.array([len(self.backlinks(each)) for each in note_ids.tolist()], np.int64)

    def unresolved(self) -> tuple[tuple[int, Link], ...]:
        """See the port."""
        return tuple(
            (note_id, link)
            for note_id, links in self._out.items()
            for link, target in links
            if target is None
        )

    def resolve(self, target: str, source_path: str) -> int | None:
        """See the port."""
        path = self._names.resolve(target, source_path)
        return None if path is None else self._ids.get(path)
