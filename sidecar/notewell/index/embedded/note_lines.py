"""The lines of every note, counted, so that those of templates are known."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from notewell.index.embedded.note_terms import NoteTermsFile, StoredLines
from notewell.index.embedded.snapshots import Fingerprint, load_snapshot, save_snapshot
from notewell.index.lexical import SearchText
from notewell.index.template_lines import LineCounts, holders

LINES_FILE = "lines.snapshot"
_LEAST_SAVED = 2000  # notes: those of fewer are counted in some tens of milliseconds


@dataclass(frozen=True, slots=True, eq=False)
class LinesChange:
    """The effect of changed notes on the lines of all.

    `stored` is what the file of terms is to have of the changed notes, `counts` are those of all
    notes. `also` are the notes, by id, that have to be written again although they did not change.
    """

    stored: StoredLines
    counts: LineCounts
    also: Sequence[int]


class TemplateLines:
    """The template lines of one keyword index. One thread uses it."""

    def __init__(self, terms: NoteTermsFile, folder: Path | None) -> None:
        """Read from `terms`, at the first change; with a folder, keep the counts there."""
        self._terms = terms
        self._file = None if folder is None else folder / LINES_FILE
        self._counts: LineCounts | None = None
        self._saved: LineCounts | None = None  # those that the snapshot has

    @property
    def known(self) -> frozenset[int]:
        """The template lines that the documents were written without. Raises IndexFailure."""
        state = self._terms.state()
        return frozenset() if state is None else state.template

    def change(
        self, texts: Iterable[SearchText], *, gone: Sequence[int], since: int | None
    ) -> LinesChange:
        """The effect of changed notes, given by their texts, and of notes that are gone.

        `since` is the generation of the documents, if terms and lines may be later. Raises
        IndexFailure.
        """
        rows = {note.note_id: note.lines() for note in texts}
        touched = [*rows, *gone]
        if self._counts is None:
            self._counts = self._load() or LineCounts.of(self._terms.all_lines()[1])
        old = self._terms.lines_of(touched)
        counts = self._counts.changed(old=old, new=list(rows.values()))
        changed = self.known ^ counts.template
        also = holders(changed, *self._terms.all_lines()) if changed else set()
        if since is not None:
            also |= set(self._terms.ids_since(since))
        also -= set(touched)
        return LinesChange(StoredLines(rows, counts.template), counts, sorted(also))

    def applied(self, change: LinesChange) -> None:
        self._counts = change.counts

    def forget(self) -> None:
        """The file of terms is another."""
        self._counts = None

    def save(self) -> None:
        """Keep the counts for the next start.

        Raises:
            OSError: the disk refuses.
            IndexFailure: so it does for the file of terms.

        """
        counts = self._counts
        if self._file is None or counts is None or counts is self._saved:
            return
        if counts.notes < _LEAST_SAVED:
            return
        # A power cut may take the last commits of that file, and with them this number: what the
        # next commits make of the same generation is something else.
        self._terms.name_lines(1 + secrets.randbelow(2**31 - 1))
        merged, made_of = counts.merged(), self._read_fingerprint()
        if made_of is not None:
            arrays: dict[str, npt.NDArray[Any]] = {
                "hashes": merged.hashes,
                "counts": merged.counts.astype(np.int64),
                "notes": np.array([merged.notes], np.int64),
            }
            save_snapshot(self._file, made_of, arrays)
            self._counts = self._saved = merged

    def _load(self) -> LineCounts | None:
        """The counts of the snapshot; None if none fits. Raises IndexFailure."""
        made_of = self._read_fingerprint()
        if self._file is None or made_of is None:
            return None
        arrays = load_snapshot(self._file, made_of)
        if arrays is None or not {"hashes", "counts", "notes"} <= arrays.keys():
            return None
        hashes, counts = np.array(arrays["hashes"]), arrays["counts"].astype(np.int32)
        self._saved = LineCounts(hashes, counts, int(arrays["notes"][0]))
        return self._saved

    def _read_fingerprint(self) -> Fingerprint | None:
        state = self._terms.state()
        if state is None:
            return None
        name = f"lines 1, {self._terms.lines_name()}"
        return Fingerprint(state.database, state.generation, name)
