"""The network of a vault and the notes in it, kept until the text of the vault changes."""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING

from notewell.graph.network import Network
from notewell.index.port import IndexReader
from notewell.types import StoredNote, VaultRecord
from notewell.vault.daily import DailyNotes

if TYPE_CHECKING:
    from notewell.graph.structure import Structure


class GraphView:
    """The notes of one generation of the index and the links between them."""

    def __init__(self, generation: int, notes: Mapping[int, StoredNote], network: Network) -> None:
        """`notes` has every note of `network`, by id."""
        self.generation = generation
        self.notes = notes
        self.network = network

    @cached_property
    def structure(self) -> Structure:
        """What is computed of the whole network; kept with the view."""
        # Importing networkx takes longer than answering any other question.
        from notewell.graph.structure import Structure  # noqa: PLC0415

        return Structure(self.network)

    def path(self, note: int) -> str:
        """The path of a note."""
        return self.notes[note].path

    def by_backlinks(self, notes: Iterable[int]) -> list[int]:
        """Notes in order: those that most notes link to first, then by path."""
        into = self.network.into
        return sorted(notes, key=lambda note: (-len(into[note]), self.path(note)))


class GraphViews:
    """The views of one index, replaced after its text changed. Safe in any thread."""

    def __init__(self, index: IndexReader, vault: VaultRecord) -> None:
        """Nothing is computed yet."""
        self._index = index
        self._root = vault.path
        self._lock = threading.Lock()
        self._built_from: tuple[StoredNote, ...] | None = None
        self._whole: GraphView | None = None
        self._without_daily: GraphView | None = None

    def whole(self) -> GraphView:
        """The view of all notes."""
        with self._lock:
            return self._current()

    def without_daily(self, *, except_for: Collection[int] = ()) -> GraphView:
        """The view without daily notes; those in `except_for` stay in it."""
        with self._lock:
            whole = self._current()
            if self._without_daily is None:
                self._without_daily = _without(whole, self._daily(whole))
            view = self._without_daily
            if all(note in view.network.out for note in except_for):
                return view
            return _without(whole, self._daily(whole).difference(except_for))

    def _current(self) -> GraphView:
        notes = self._index.all_notes()  # the same tuple until the text changes
        if self._whole is None or self._built_from is not notes:
            by_id = {note.id: note for note in notes}
            network = Network.of(by_id, self._index.graph.neighbours)
            self._whole = GraphView(self._index.generation, by_id, network)
            self._built_from, self._without_daily = notes, None
        return self._whole

    def _daily(self, view: GraphView) -> frozenset[int]:
        daily = DailyNotes.read(self._root)
        return frozenset(
            note.id for note in view.notes.values() if daily.holds(note.path, note.properties)
        )


def _without(whole: GraphView, notes: frozenset[int]) -> GraphView:
    return GraphView(whole.generation, whole.notes, whole.network.without(notes))
