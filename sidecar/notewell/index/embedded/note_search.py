"""Holds the note postings of one keyword index: loads, updates, searches and saves them.

Their first segment is a snapshot in the keyword index's folder, mapped into memory; what changed
after it is read from the file of terms (note_terms.py), which is the truth. That file names the
snapshot that was made from it: one of another name is not used, so neither a crash between the two
writes nor a power cut that takes the last commits of the file makes them disagree.
"""

from __future__ import annotations

import logging
import threading
import uuid
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from notewell.base.errors import IndexFailure
from notewell.index.embedded.note_terms import NoteTermsFile, TermsState
from notewell.index.embedded.snapshots import Fingerprint, load_snapshot, save_snapshot
from notewell.index.note_postings import NoteTable
from notewell.index.note_segments import Segment

NOTE_POSTINGS_FILE = "notes.snapshot"
_FORMAT = 1  # counted up when the arrays or their meaning change
_GENERATION, _LARGEST = "generation", "largest"  # further arrays of the snapshot, of one number
# Changed notes, beside which a snapshot is still good: to read them again takes milliseconds.
_FEW, _FEW_SHARE = 50, 20

logger = logging.getLogger(__name__)


class NoteSearch:
    """The note postings, loaded on first use. One thread changes them, any number read."""

    def __init__(self, terms: NoteTermsFile, folder: Path | None, analysis: str) -> None:
        """Read from `terms`; with a folder, keep a snapshot there. `analysis` names the format."""
        self._terms = terms
        self._file = None if folder is None else folder / NOTE_POSTINGS_FILE
        self._content = f"note postings {_FORMAT}, {analysis}"
        self._loading = threading.Lock()
        self._table: NoteTable | None = None
        self._saved: Segment | None = None  # the first segment, if the snapshot holds it

    @property
    def table(self) -> NoteTable:
        """The postings as of the last update. Raises IndexFailure."""
        known = self._table
        if known is not None:  # no search waits while an update is made
            return known
        with self._loading:
            if self._table is None:
                self._table = self._load()
            return self._table

    def check(self) -> None:
        """Load them now, while another index can still be made. Raises IndexFailure."""
        _ = self.table

    def update(self, rows: Sequence[tuple[int, bytes]] | None, *, gone: Sequence[int] = ()) -> None:
        """Take over what was stored in the file: the changed notes; None: read it again."""
        with self._loading:
            if self._table is not None:
                self._table = self._load() if rows is None else self._table.updated(rows, gone=gone)

    def reload(self) -> None:
        """Read the file again at the next use."""
        with self._loading:
            self._table = None

    def clear(self) -> None:
        with self._loading:
            self._table, self._saved = NoteTable(), None

    def save(self) -> None:
        """Save a snapshot where too much has changed since the last.

        Raises:
            OSError: the disk refuses.
            IndexFailure: so it does for the file of terms.

        """
        if self._file is None:
            return
        table = self.table
        few = max(_FEW, table.note_count // _FEW_SHARE)
        if table.first is None or (table.first is self._saved and table.changed_count <= few):
            return
        state, merged = self._terms.state(), table.merged()
        if state is None or merged.first is None:
            return
        name = uuid.uuid4().hex
        arrays = {
            **merged.first.arrays(),
            _GENERATION: np.array([state.generation], np.int64),
            _LARGEST: np.array([merged.first.largest], np.int64),
        }
        save_snapshot(self._file, self._fingerprint(replace(state, snapshot=name)), arrays)
        self._terms.name_snapshot(name)
        with self._loading:
            self._table = self._load()  # mapped from the file: it takes no memory of the process

    def _load(self) -> NoteTable:
        """The snapshot with what changed since; without one, all notes. Raises IndexFailure."""
        self._saved = None
        state = self._terms.state()
        if state is None:
            return NoteTable()
        segment, generation, is_complete = self._snapshot(state) or (None, -1, False)
        known = np.empty(0, np.int64) if segment is None else segment.note_ids
        changed = self._terms.since(generation, known)
        try:
            if segment is None:
                return NoteTable.of_segment(Segment.of(changed.rows))
            self._saved = segment if is_complete else None
            return NoteTable.of_segment(segment).updated(changed.rows, gone=changed.gone)
        except ValueError as error:
            raise IndexFailure(
                f"The keyword index failed: {error}. Run `notewell index --full` if that stays."
            ) from error

    def _snapshot(self, state: TermsState) -> tuple[Segment, int, bool] | None:
        """The snapshot's segment, its generation, and whether it has all that a new one would."""
        if self._file is None or not state.snapshot:
            return None
        arrays = load_snapshot(self._file, self._fingerprint(state))
        if arrays is None:
            return None
        try:
            known = arrays.get(_LARGEST)
            segment = Segment.from_arrays(arrays, largest=None if known is None else int(known[0]))
            return segment, int(arrays[_GENERATION][0]), known is not None
        except (KeyError, ValueError, IndexError) as error:
            logger.warning("%s is damaged (%s) and is made again.", self._file, error)
            return None

    def _fingerprint(self, state: TermsState) -> Fingerprint:
        return Fingerprint(state.database, 0, f"{self._content}, {state.snapshot}")
