"""Caches the names of all notes of one index, with a snapshot for the next start."""

from __future__ import annotations

import threading

import numpy as np

from notewell.index.port import IndexReader
from notewell.search.facts.name_table import NameTable

_SNAPSHOT = "names"
_CONTENT = "stems of the names of notes 4"
_MIN_CHANGED = 1000  # changed notes from which a new snapshot is written


class NamesCache:
    """Caches the table of names of one index and updates it on access. Thread-safe."""

    def __init__(self) -> None:
        """Nothing is read before the first access."""
        self._lock = threading.Lock()
        self._generation = -1
        self._table = NameTable.empty()

    def current(self, index: IndexReader) -> NameTable:
        with self._lock:
            generation = index.text_generation
            if generation != self._generation:
                self._update(index, generation)
            return self._table

    def _update(self, index: IndexReader, generation: int) -> None:
        if self._generation < 0:
            self._load(index, generation)
        if self._generation == generation:
            return
        if self._generation < 0:
            changed = index.all_notes()
            ids = np.array([note.id for note in changed], np.int64)
        else:
            ids, basics = index.notes_changed_since(self._generation)
            known = index.notes([note.id for note in basics])
            changed = tuple(known.values())
        self._table = self._table.updated(ids, changed)
        self._generation = generation
        if len(changed) > _MIN_CHANGED:
            self._save(index)

    def _save(self, index: IndexReader) -> None:
        generations = np.array([self._generation], np.int64)
        index.array_cache.save(_SNAPSHOT, _CONTENT, {**self._table.arrays(), "made": generations})

    def _load(self, index: IndexReader, latest: int) -> None:
        """Load the snapshot of an earlier process, unless the database is an older copy."""
        saved = index.array_cache.load(_SNAPSHOT, _CONTENT)
        if saved is None or "made" not in saved or int(saved["made"][0]) > latest:
            return
        table = NameTable.from_arrays(saved)
        if table is not None:
            self._table, self._generation = table, int(saved["made"][0])
            if not saved.keys() >= NameTable.ARRAYS:  # an earlier version derived them again
                self._save(index)
