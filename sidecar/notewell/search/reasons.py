"""Why a note is like another, for each result: what the two have in common."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from notewell.contract.search import Reason, Result
from notewell.index.port import IndexReader
from notewell.search import relatedness
from notewell.search.duplicates import is_duplicate, runs_of
from notewell.search.rank import RankedNote
from notewell.search.similar_source import Asked
from notewell.search.similarity import Alike
from notewell.types import Direction, StoredNote

# Two passages are said to be alike from this cosine on, and from this one without what is common:
# the first alone is reached by a template.
_PLAIN, _OWN = 0.5, 0.2
_SAME = 0.9  # score from which a note may be a duplicate of the source


class Reasons:
    """Gives reasons for the results of one request."""

    def __init__(self, index: IndexReader, source: Asked, alike: Alike | None) -> None:
        """`alike` None: the notes were found by words alone."""
        self._index = index
        self._source = source
        self._alike = alike
        note = source.note
        self._kin = relatedness.Kin.of(index, note) if note is not None else None
        self._runs = runs_of(source.texts)

    def given(
        self,
        results: Sequence[Result],
        ranked: Sequence[RankedNote],
        repeated: Mapping[int, int],
    ) -> tuple[Result, ...]:
        """The results with reasons, links to the source, and the notes that each stands for.

        `ranked` are the notes of the results; `repeated` names, by id, whom a note repeats.
        """
        places = {note.note_id: note for note in ranked}
        notes = self._index.notes([*places, *repeated])
        by_path = {note.path: note for note in notes.values()}
        given = []
        for result in results:
            note = by_path[result.path]
            same = [other for other, one in repeated.items() if one == note.id and other in notes]
            given.append(
                replace(
                    result,
                    reasons=tuple(self._reasons(note, places[note.id])),
                    linked=self._linked(note),
                    duplicates=tuple(notes[other].path for other in same),
                )
            )
        return tuple(given)

    def _linked(self, note: StoredNote) -> Direction | None:
        asked = self._source.note
        return relatedness.linked(self._index, asked.id, note.id) if asked is not None else None

    def _reasons(self, note: StoredNote, ranked: RankedNote) -> Iterator[Reason]:
        yield from self._same(note, ranked)
        yield from self._passage(ranked)
        if self._kin is not None:
            yield from self._kin.reasons(self._index, note)

    def _same(self, note: StoredNote, ranked: RankedNote) -> Iterator[Reason]:
        """That the note says nearly what the source says."""
        if ranked.score < _SAME:
            return
        theirs = runs_of(chunk.text for chunk in self._index.chunks_of(note.id))
        if is_duplicate(self._runs, theirs):
            asked = self._source.note
            name = f"'{asked.title}'" if asked is not None else "the given text"
            yield Reason("duplicate", f"nearly the same text as {name}")

    def _passage(self, ranked: RankedNote) -> Iterator[Reason]:
        """Which passage of the source the note's best one is like."""
        if self._alike is None or not ranked.passages:
            return
        chunks = self._alike.chunks
        place = int(np.searchsorted(chunks.ids, ranked.passages[0][0]))
        if self._alike.plain[place] >= _PLAIN and chunks.cosine[place] >= _OWN:
            yield Reason("passage", self._source.labels[int(self._alike.nearest[place])])
