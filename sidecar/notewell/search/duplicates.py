"""Notes that say nearly the same: found by their vectors, proved by their words.

Nearness of meaning alone does not make a duplicate: notes of one template are near as well. So
those that a vector suspects are compared by the runs of words they share (Broder 1997, "On the
resemblance and containment of documents").
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from notewell.index.analyze import words
from notewell.index.port import IndexReader
from notewell.search.rank import RankedNote

MAX_COMPARED = 200  # notes of a list that are compared with each other
_SUSPECT = 0.85  # cosine of their best passages
_SAME = 0.85  # of the runs of words that either has, those that both have
_RUN = 4  # words
_MAX_WORDS = 5_000


def duplicates(index: IndexReader, ranked: Sequence[RankedNote]) -> dict[int, int]:
    """Notes of the list that nearly repeat one before them, each with that one (both by id)."""
    compared = [note for note in ranked[:MAX_COMPARED] if note.passages]
    best = np.array([note.passages[0][0] for note in compared], np.int64)
    there, rows = index.vectors.of_chunks(best)
    owner = {note.passages[0][0]: note.note_id for note in compared}
    notes = [owner[chunk_id] for chunk_id in there.tolist()]
    runs: dict[int, frozenset[int]] = {}
    found: dict[int, int] = {}
    for first, second in np.argwhere(np.triu(rows @ rows.T >= _SUSPECT, 1)).tolist():
        one, other = notes[first], notes[second]
        if one in found or other in found:
            continue
        for note_id in (one, other):
            if note_id not in runs:
                runs[note_id] = runs_of(chunk.text for chunk in index.chunks_of(note_id))
        if resemblance(runs[one], runs[other]) >= _SAME:
            found[other] = one
    return found


def is_duplicate(one: frozenset[int], other: frozenset[int]) -> bool:
    """Whether two notes, each by its runs of words, say nearly the same."""
    return resemblance(one, other) >= _SAME


def runs_of(texts: Iterable[str]) -> frozenset[int]:
    """A note's runs of four words, by their hashes; of a note with fewer, all its words in one."""
    found = [word for text in texts for word in words(text)][:_MAX_WORDS]
    last = max(1, len(found) - _RUN + 1)
    return frozenset(hash(tuple(found[at : at + _RUN])) for at in range(last))


def resemblance(one: frozenset[int], other: frozenset[int]) -> float:
    """What two sets share, against all that is in either: 0..1."""
    either = len(one | other)
    return len(one & other) / either if either else 1.0
