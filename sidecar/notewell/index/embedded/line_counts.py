"""Keeps which lines are template lines while notes change, and which notes that concerns.

The lines of every note are stored beside its terms (note_terms.py), with the template lines that
the documents were last written without. When a line becomes a template line, or ceases to be one,
the documents of all notes that have it are written again.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from notewell.index.embedded.note_terms import NoteTermsFile, StoredLines
from notewell.index.lexical import NoteText
from notewell.index.template_lines import NO_LINES, LineCounts


@dataclass(frozen=True, slots=True, eq=False)
class LinesChange:
    """What changed notes mean for the lines of all.

    `stored` is what the file of terms is to have of the changed notes, `counts` are those of all
    notes. `also` are the notes, by id, that have to be written again although they did not change.
    """

    stored: StoredLines
    counts: LineCounts
    also: Sequence[int]


class TemplateLines:
    """The template lines of one keyword index. One thread uses it."""

    def __init__(self, terms: NoteTermsFile) -> None:
        """Read from `terms`, at the first change."""
        self._terms = terms
        self._counts: LineCounts | None = None

    @property
    def known(self) -> frozenset[int]:
        """The template lines that the documents were written without. Raises IndexFailure."""
        state = self._terms.state()
        return frozenset() if state is None else state.template

    def change(
        self, texts: Iterable[NoteText], *, gone: Sequence[int], since: int | None
    ) -> LinesChange:
        """What changed notes mean, given by their texts, and notes that are gone.

        `since` is the generation of the documents, if terms and lines may be later. Raises
        IndexFailure.
        """
        rows = {note.note_id: note.lines() for note in texts}
        touched = [*rows, *gone]
        if self._counts is None:
            self._counts = LineCounts.of(self._terms.all_lines()[1])
        old = self._terms.lines_of(touched)
        counts = self._counts.changed(old=old, new=list(rows.values()))
        also = self._having(self.known ^ counts.template)
        if since is not None:
            also |= set(self._terms.ids_since(since))
        also -= set(touched)
        return LinesChange(StoredLines(rows, counts.template), counts, sorted(also))

    def applied(self, change: LinesChange) -> None:
        """The change is stored."""
        self._counts = change.counts

    def forget(self) -> None:
        """The file of terms is another."""
        self._counts = None

    def _having(self, lines: frozenset[int]) -> set[int]:
        """The stored notes that have any of the lines."""
        if not lines:
            return set()
        ids, rows = self._terms.all_lines()
        owners = np.repeat(ids, [len(row) for row in rows])
        held = np.isin(np.concatenate([NO_LINES, *rows]), np.array(sorted(lines), np.uint32))
        return set(owners[held].tolist())
