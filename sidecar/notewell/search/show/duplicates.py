"""Finds notes that have the text of another one, or nearly, in a ranked list.

A high cosine does not make two notes duplicates, because notes made from one template have one as
well. So notes with similar vectors are compared by their runs of words (Broder 1997, "On the
resemblance and containment of documents"), and those of one size by their whole text.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePosixPath
from typing import TypeAlias

import numpy as np

from notewell.contract.search import Removed
from notewell.index.analyze import SPACELESS
from notewell.index.port import IndexReader
from notewell.search.context import Report, SearchContext
from notewell.search.rank.ranking import RankedNote
from notewell.search.trace import MAX_PATHS, paths_of
from notewell.vault.paths import is_document

MAX_COMPARED = 200  # notes of a list that are compared
_SIMILAR_COSINE = 0.85  # of best passages, from which the texts of two notes are compared
_DUPLICATE_RESEMBLANCE = 0.85
_RUN = 4  # words
_MAX_WORDS = 5_000
# Words as they are compared; the analyzer of the index tells more of them, in far more time.
_WORD = re.compile(rf"[{SPACELESS}]|[^\W{SPACELESS}]+")
Runs: TypeAlias = frozenset[tuple[str, ...]]


def is_collapsed(context: SearchContext) -> bool:
    """Tell whether the request, or else the rules, leave near-duplicates out."""
    requested = context.request.collapse
    return context.rules.collapse if requested is None else requested


def without(
    index: IndexReader, notes: Sequence[RankedNote], better: Mapping[int, int], report: Report
) -> Sequence[RankedNote]:
    """The notes without those that repeat a `better` one, by its id."""
    kept = [note for note in notes if note.note_id not in better]
    count = len(better)
    gone = [note.note_id for note in notes if note.note_id in better][:MAX_PATHS]
    removed = [Removed("near_duplicate", count, tuple(paths_of(index, gone)))] if count else []
    report.trace.stage(
        "collapse",
        count_in=len(notes),
        count_out=len(kept),
        removed=removed,
        top=lambda: paths_of(index, [note.note_id for note in kept]),
    )
    if count:
        report.filtered["near_duplicate"] = report.filtered.get("near_duplicate", 0) + count
        report.total -= count
    return kept


def find_copies(index: IndexReader, ranked: Sequence[RankedNote]) -> dict[int, int]:
    """Documents of one file name and one text, as in two namespaces: id -> id of the better one."""
    stored = index.notes([note.note_id for note in ranked])
    notes = [stored[note.note_id] for note in ranked if note.note_id in stored]
    named = [(PurePosixPath(note.path).name, note.id) for note in notes if is_document(note.path)]
    often = Counter(name for name, _ in named)
    first: dict[tuple[str, ...], int] = {}
    copies = {}
    for name, note_id in named:
        if often[name] > 1:
            text = (name, *(chunk.text for chunk in index.chunks_of(note_id)))
            if first.setdefault(text, note_id) != note_id:
                copies[note_id] = first[text]
    return copies


def find_duplicates(index: IndexReader, ranked: Sequence[RankedNote]) -> dict[int, int]:
    """Near-duplicates in a ranked list: id of the note -> id of the better note it repeats."""
    compared = [note for note in ranked[:MAX_COMPARED] if note.passages]
    best = np.array([note.passages[0][0] for note in compared], np.int64)
    known, rows = index.vectors.of_chunks(best)
    owner = {note.passages[0][0]: note.note_id for note in compared}
    notes = [owner[chunk_id] for chunk_id in known.tolist()]
    runs: dict[int, Runs] = {}
    duplicates = _equal_texts(index, compared)
    for first, second in np.argwhere(np.triu(rows @ rows.T >= _SIMILAR_COSINE, 1)).tolist():
        one, other = notes[first], notes[second]
        if one in duplicates or other in duplicates:
            continue
        for note_id in (one, other):
            if note_id not in runs:
                runs[note_id] = runs_of(chunk.text for chunk in index.chunks_of(note_id))
        if is_duplicate(runs[one], runs[other]):
            duplicates[other] = one
    return duplicates


def _equal_texts(index: IndexReader, ranked: Sequence[RankedNote]) -> dict[int, int]:
    """Notes with the text of a better one, however short; see `find_duplicates`.

    The vectors of short notes tell little: their titles are a large part of what is embedded. Texts
    are read only of notes whose files have one size.
    """
    stored = index.notes([note.note_id for note in ranked])
    notes = [stored[note.note_id] for note in ranked if note.note_id in stored]
    often = Counter(note.size for note in notes)
    first: dict[tuple[str, ...], int] = {}
    first_of = {}
    for note in notes:
        if often[note.size] > 1:
            text = tuple(chunk.text for chunk in index.chunks_of(note.id))
            better = first.setdefault(text, note.id)
            if text and better != note.id:
                first_of[note.id] = better
    return first_of


def is_duplicate(one: Runs, other: Runs) -> bool:
    """Tell whether two notes, given as their runs of words, have nearly the same text."""
    return resemblance(one, other) >= _DUPLICATE_RESEMBLANCE


def runs_of(texts: Iterable[str]) -> Runs:
    """A note's runs of four words; of a note with fewer words, all its words."""
    text = unicodedata.normalize("NFKC", "\n".join(texts)).casefold()
    words = _WORD.findall(text)[:_MAX_WORDS]
    if len(words) < _RUN:
        return frozenset([tuple(words)])
    return frozenset(zip(*(words[at:] for at in range(_RUN)), strict=False))


def resemblance(one: Runs, other: Runs) -> float:
    """Jaccard similarity of two sets, 0..1."""
    either = len(one | other)
    return len(one & other) / either if either else 1.0
