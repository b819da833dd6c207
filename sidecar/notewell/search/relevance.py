"""Tells how relevant a note is to a query: strongly, related, or weakly.

Two logistic functions of the evidence of a note, fitted on development sets (docs/search.md):
`related` separates answers from whatever a query without any answer in the vault finds;
`strong` separates answers from the other notes that the same query finds. Both look at the evidence
as it is, not at its share of the best result, so that the best of bad results is still a bad one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from notewell.search.candidates import or_zero
from notewell.search.evidence import NoteEvidence, QueryEvidence, weigh_words
from notewell.types import FloatArray, IdArray, Match, SearchMode

RELATED_FROM, STRONG_FROM = 0.5, 0.4  # likelihoods
_MOST_WORDS_ADDEND, _MOST_DEVIATIONS = 3.0, 9.0
_MIN_DEVIATION = 0.03
_UNREADABLE = 0.7  # share of its cosine that a query loses if the model can read nothing of it
_LONGEST = 3.0  # natural logarithm of the words from which a query counts as long
# Of a query whose other words the vault does not have, a note with all the rest is no weak match
# from this share of known words on; on the development sets this keeps no result without an answer.
_MOSTLY_KNOWN = 0.3
# Of the coverage of a note with every content word: passages and whole notes weigh words slightly
# differently.
_ALL_WORDS = 0.98


@dataclass(frozen=True, slots=True)
class _Related:
    """Coefficients of `related`: by words alone, by meaning alone, or by both."""

    constant: float
    words: float = 0.0
    coverage: float = 0.0
    names: float = 0.0
    long_coverage: float = 0.0  # of coverage times the logarithm of the number of words
    cosine: float = 0.0
    deviations: float = 0.0
    unreadable: float = 0.0


_BY_BOTH = _Related(-9.398, 4.727, 5.541, 1.828, 2.602, 28.024, -1.599, 1.046)
_BY_WORDS = _Related(-5.226, 2.835, 4.036, 9.358, 4.098)
_BY_MEANING = _Related(-3.703, cosine=19.602, deviations=-0.574, unreadable=0.584)
# In hybrid mode a note may be related by its meaning alone, if the model can read the query.
_BY_MEANING_ALONE = _Related(-3.703, cosine=19.602, deviations=-0.574, unreadable=-6.0)


@dataclass(frozen=True, slots=True, eq=False)
class Relevance:
    """The relevance of candidate notes: arrays (n,), aligned with them.

    `related` and `strong` are likelihoods, 0..1. `certain`: the note holds every word of the
    query, or its name is the query, so it is never weak.
    """

    related: FloatArray
    strong: FloatArray
    certain: npt.NDArray[np.bool_]

    @property
    def weak(self) -> npt.NDArray[np.bool_]:
        """Which notes are weak matches."""
        return (self.related < RELATED_FROM) & ~self.certain

    def match(self, at: int) -> Match:
        """The word for the note at an index."""
        return self.matches(np.array([at]))[0]

    def matches(self, places: IdArray) -> list[Match]:
        """The words for the notes at these indices."""
        strong = (self.strong[places] >= STRONG_FROM).tolist()
        return [
            "weak" if weak else "strong" if sure else "related"
            for weak, sure in zip(self.weak[places].tolist(), strong, strict=True)
        ]

    def with_linked(self, seeds: IdArray) -> Relevance:
        """The relevance if a note is no weak match whose seed is none.

        `seeds` (n,) are the indices of the notes that activated each note; -1: none did.
        """
        certain = self.certain | ((seeds >= 0) & ~self.weak[seeds])
        return replace(self, certain=certain)

    @property
    def confidence(self) -> float:
        """The likelihood that any of the notes answers the query."""
        return float(self.related.max()) if len(self.related) else 0.0


def judge(
    notes: NoteEvidence,
    query: QueryEvidence,
    mode: SearchMode,
    *,
    known: float,
    content: float,
    required: bool,
) -> Relevance:
    """The relevance of candidate notes.

    Args:
        notes: their evidence.
        query: the evidence of the query.
        mode: the mode that was possible (`keyword` without a model). A note without a vector is
            judged by its words in any mode.
        known: the share of the query, by idf, in words that the vault contains.
        content: the share of the known words that are no function words.
        required: the query has a phrase, which all its results hold.

    """
    measures = _Measures.of(notes, query, known)
    related = measures.related(_BY_WORDS)
    if mode == "hybrid":
        by_meaning = measures.related(_BY_MEANING_ALONE)
        by_either = np.maximum(measures.related(_BY_BOTH), by_meaning)
        related = np.where(np.isnan(notes.cosine), related, by_either)
    elif mode == "semantic":
        related = measures.related(_BY_MEANING)
    all_words = (notes.coverage >= content * _ALL_WORDS) & (notes.coverage > 0)
    certain = notes.exact | (all_words & (known >= _MOSTLY_KNOWN))
    if required:
        certain = np.ones(len(notes), np.bool_)
    return Relevance(related, measures.strong(by_meaning=mode == "semantic"), certain)


@dataclass(frozen=True, slots=True, eq=False)
class _Measures:
    """What the functions look at: arrays (n,) of the notes, and measures of the query.

    `words` and `coverage` count words that the vault does not contain. `cosine` and `deviations`
    (of the cosine above the mean) count as far as the model can read the query.
    """

    words: FloatArray
    coverage: FloatArray
    names: FloatArray
    cosine: FloatArray
    deviations: FloatArray
    length: float  # natural logarithm of the number of words
    unreadable: float

    @classmethod
    def of(cls, notes: NoteEvidence, query: QueryEvidence, known: float) -> _Measures:
        """The measures; `known` is the share of the query in words that the vault contains."""
        readable = np.float32(1.0 - _UNREADABLE * query.unreadable)
        cosine = or_zero(notes.meaning)
        deviation = max(query.cosine_deviation, _MIN_DEVIATION)
        above = (cosine - np.float32(query.cosine_mean)) / np.float32(deviation)
        return cls(
            words=np.minimum(weigh_words(notes, query) * np.float32(known), _MOST_WORDS_ADDEND),
            coverage=notes.coverage * np.float32(known),
            names=notes.names,
            cosine=np.maximum(cosine, np.float32(0.0)) * readable,
            deviations=np.clip(above, np.float32(0.0), np.float32(_MOST_DEVIATIONS)) * readable,
            length=min(math.log(max(query.words, 1)), _LONGEST),
            unreadable=query.unreadable,
        )

    def related(self, by: _Related) -> FloatArray:
        """The likelihood that a note is related to the query."""
        return logistic(
            by.constant
            + by.words * self.words
            + (by.coverage + by.long_coverage * self.length) * self.coverage
            + by.names * self.names
            + by.cosine * self.cosine
            + by.deviations * self.deviations
            + by.unreadable * self.unreadable
        )

    def strong(self, *, by_meaning: bool) -> FloatArray:
        """The likelihood that a note answers the query; `by_meaning`: words were not searched."""
        if by_meaning:
            return logistic(-3.44 + 3.341 * self.cosine + 0.208 * self.deviations)
        by_words = 0.346 * self.words + 1.419 * self.coverage + 3.555 * self.names
        return logistic(-3.075 + by_words + 0.587 * self.cosine)


def logistic(values: FloatArray) -> FloatArray:
    """The likelihoods of log-odds."""
    likelihood: FloatArray = (1.0 / (1.0 + np.exp(-values))).astype(np.float32)
    return likelihood
