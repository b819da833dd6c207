"""A vault's links as they stand: the network, the notes of its numbers, and what is costly."""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterable, Mapping
from functools import cached_property

from notewell.contract.graph import GraphNote, Hub
from notewell.graph.communities import find_communities
from notewell.graph.network import Network
from notewell.graph.pagerank import pagerank
from notewell.index.embedded.index import Index
from notewell.types import StoredNote, VaultRecord
from notewell.vault.daily import DailyNotes


class GraphView:
    """The notes of one moment and the links between them. What it computes, it computes once."""

    def __init__(self, generation: int, notes: Mapping[int, StoredNote], network: Network) -> None:
        """`network` has no note that `notes` lacks."""
        self.generation = generation
        self.notes = notes
        self.network = network

    @cached_property
    def pagerank(self) -> Mapping[int, float]:
        """The PageRank of every note."""
        return pagerank(self.network)

    @cached_property
    def communities(self) -> tuple[tuple[int, ...], ...]:
        """All notes in groups, largest first."""
        return find_communities(self.network)

    def path(self, note: int) -> str:
        """Where a note is."""
        return self.notes[note].path

    def note(self, note: int) -> GraphNote:
        """A note as the contract shows it."""
        into, out = len(self.network.into[note]), len(self.network.out[note])
        return GraphNote(self.path(note), self.notes[note].title, into, out)

    def hub(self, note: int) -> Hub:
        """A note with its PageRank."""
        seen = self.note(note)
        rank = round(self.pagerank[note], 6)
        return Hub(seen.path, seen.title, seen.links_in, seen.links_out, rank)

    def by_links(self, notes: Iterable[int]) -> list[int]:
        """Notes in order: those that most others link to first."""
        into = self.network.into
        return sorted(notes, key=lambda note: (-len(into[note]), self.path(note)))


class GraphViews:
    """The views of one index, made again when its text has changed. Any thread may ask."""

    def __init__(self, index: Index, vault: VaultRecord) -> None:
        """Nothing is computed yet."""
        self._index = index
        self._root = vault.path
        self._making = threading.Lock()
        self._made_of: tuple[StoredNote, ...] | None = None
        self._whole: GraphView | None = None
        self._without_daily: GraphView | None = None

    def whole(self) -> GraphView:
        """All notes."""
        with self._making:
            return self._current()

    def without_daily(self, *, but: Collection[int] = ()) -> GraphView:
        """All notes but daily ones; those in `but` stay, daily or not."""
        with self._making:
            whole = self._current()
            if self._without_daily is None:
                self._without_daily = _part(whole, self._daily(whole))
            known = self._without_daily
            if all(note in known.network.out for note in but):
                return known
            return _part(whole, self._daily(whole).difference(but))

    def _current(self) -> GraphView:
        notes = self._index.all_notes()  # the same tuple until the text changes
        if self._whole is None or self._made_of is not notes:
            by_id = {note.id: note for note in notes}
            network = Network.of(by_id, self._index.graph.neighbours)
            self._whole = GraphView(self._index.generation, by_id, network)
            self._made_of, self._without_daily = notes, None
        return self._whole

    def _daily(self, view: GraphView) -> frozenset[int]:
        daily = DailyNotes.read(self._root)
        return frozenset(
            note.id for note in view.notes.values() if daily.holds(note.path, note.properties)
        )


def _part(whole: GraphView, left_out: frozenset[int]) -> GraphView:
    return GraphView(whole.generation, whole.notes, whole.network.without(left_out))
