"""Tells how relevant a note is to a query: strongly, related, or weakly.

Two logistic functions of the evidence of a note, fitted on development sets (docs/search.md):
`related` separates answers from whatever a query without any answer in the vault finds;
`strong` separates answers from the other notes that the same query finds. Both look at the evidence
as it is, not at its share of the best result, so that the best of bad results is still a bad one.
A third function, of the best evidence of all notes, tells whether the vault answers the query at
all. Where it does, notes with at least half of the best score are related too: a paraphrase has
little evidence but its order. A query that nothing answers is near some passages by one of its
words ("vault" of "bank vault robbery"), so the function also looks at how much nearer the nearest
passages are to the whole query than to the nearest of its words alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from notewell.base.types import FloatArray, IdArray, Match, SearchMode
from notewell.base.types.frozen import frozen
from notewell.search.query.terms import Terms
from notewell.search.rank.candidates import REFERENCE, or_zero
from notewell.search.rank.evidence import NoteEvidence, QueryEvidence, weigh_words

RELATED_FROM, STRONG_FROM = 0.5, 0.4  # likelihoods
_MOST_WORDS_ADDEND, _MOST_DEVIATIONS = 3.0, 9.0
_MIN_DEVIATION = 0.03
_UNREADABLE = 0.7  # share of its cosine that a query loses if the model can read nothing of it
_LONGEST = 3.0  # natural logarithm of the words from which a query counts as long
# Passages at which a vault's own mean cosine weighs as much as that of unrelated texts: in a small
# vault, answers raise the mean.
_FEW_PASSAGES = 50.0
# The highest cosine that unrelated passages reach by chance grows with their number, as the square
# root of twice its logarithm, in deviations (extreme values of the normal distribution). The
# functions were fitted on vaults of thousands; a small one asks for less. The deviation is half of
# a usual one, for caution: cosines of a vault's passages are not independent.
_FITTED_PASSAGES, _LEAST_PASSAGES, _MOST_PASSAGES = 5_000, 50, 20_000
_CHANCE_DEVIATION = 0.04
_FEW = math.log(300 / _FITTED_PASSAGES)  # a person can look at all of fewer
# Of a query whose other words the vault does not have, a note with all the rest is no weak match
# from this share of known words on; with less ("car" of "car insurance"), it says something else.
_MOSTLY_KNOWN = 0.6
_NEAR_BEST = 0.5  # share of the best score from which a note is as related as the best one
# Of the coverage of a note with every content word: passages and whole notes weigh words slightly
# differently.
_ALL_WORDS = 0.98


@frozen
class _Related:
    """Coefficients of `related`: by words alone, by meaning alone, or by both.

    `long_coverage` is of coverage times the logarithm of the number of words, `length` of that
    logarithm. `known` is the share of the query in words that the vault has: where it lacks half of
    them, nothing that the rest finds is likely to be an answer.
    """

    constant: float
    words: float = 0.0
    coverage: float = 0.0
    names: float = 0.0
    long_coverage: float = 0.0
    excess: float = 0.0
    unreadable: float = 0.0
    known: float = 0.0
    length: float = 0.0


_BY_BOTH = _Related(-7.505, 1.569, 3.490, 3.799, 2.848, 7.528, 0.828, 4.292, -0.724)
_BY_WORDS = _Related(-7.580, 1.591, 3.716, 4.931, 2.627, known=5.797, length=-0.394)
_BY_MEANING = _Related(-5.995, excess=24.539, unreadable=-1.556, length=-0.566)
# In hybrid mode a note may be related by its meaning alone, if the model can read the query and the
# vault lacks its words. Chosen so that on the development sets it keeps hardly any result more.
_BY_MEANING_ALONE = replace(_BY_MEANING, unreadable=-5.556, known=-4.0)


@frozen
class _Answered:
    """Coefficients of the log-odds that the vault answers a query at all, or among its first three.

    `related` is of the highest log-odds of that function; `second`, `fourth` and `tenth` are of the
    distance of the best log-odds of `strong` to these: an answer stands out. `deviations` is of how
    far the best cosine is above the query's mean, in deviations; `passages` of the logarithm of
    their number in the vault, of which more reach further by chance, `few` of that logarithm in a
    vault so small that a person can look at all. `beyond_words` is of what `BeyondWords` tells, and
    `few_words` of one divided by the square of the number of words: one of two is often nearly as
    near as both. `elsewhere` is added where the vault is not in English: there fewer words of a
    query are found as they stand.
    """

    constant: float
    related: float
    second: float = 0.0
    fourth: float = 0.0
    tenth: float = 0.0
    known: float = 0.0
    unreadable: float = 0.0
    length: float = 0.0
    deviations: float = 0.0
    passages: float = 0.0
    few: float = 0.0
    beyond_words: float = 0.0
    few_words: float = 0.0
    elsewhere: float = 0.0

    def is_answered(self, odds: float, asked: QueryRequirements, *, english: bool) -> bool:
        """Tell whether the log-odds are enough; words are embedded only where they decide it."""
        odds += self.few_words / asked.words**2
        if not english:
            odds += self.elsewhere
        if asked.beyond_words is None:
            return odds > 0
        least, most = (odds + self.beyond_words * lead for lead in _NEARER)
        if least > 0 or most <= 0:
            return least > 0
        beyond = min(max(asked.beyond_words(), _NEARER[0]), _NEARER[1])
        return odds + self.beyond_words * beyond > 0


# Tells how much nearer passages are to a query than to a word of it: the mean, over the nearest
# passages, of its cosine less the highest of a word's, on the reference scale. The value counts
# between the two of `_NEARER`; `USUALLY_NEARER` stands for an unknown one. The first words of a
# query say as much as all.
BeyondWords = Callable[[], float]
NEAREST_PASSAGES, MOST_WORDS = 3, 4
USUALLY_NEARER, _NEARER = 0.05, (-0.02, 0.1)
# Fitted on everyday queries in English, German, Russian and Chinese, but for `few`.
_ANSWERED = _Answered(
    -2.55, 0.56, passages=-0.19, few=-1.6, beyond_words=23.0, few_words=2.3, elsewhere=1.6
)
_CONFIDENCE: Mapping[SearchMode, _Answered] = {
    "hybrid": _Answered(
        -2.545,
        0.362,
        fourth=0.609,
        tenth=0.154,
        known=-0.130,
        unreadable=0.164,
        length=-0.267,
        deviations=0.345,
        passages=-0.475,
    ),
    "keyword": _Answered(-4.388, 0.073, 0.442, 1.645, 0.475, 3.518, length=0.141),
    "semantic": _Answered(-2.381, 0.392, 2.517, 0.135, 0.809, unreadable=1.337, length=-0.182),
}
# What is left of the confidence where an English vault seems to have no answer: of such queries one
# in twenty has a right note among the first three, and these functions say one in three.
_UNANSWERED = 0.2
_MOST_ODDS = 12.0  # log-odds beyond which nothing is surer


@dataclass(frozen=True, slots=True, eq=False)
class Relevance:
    """The relevance of candidate notes: arrays (n,), aligned with them.

    `related` and `strong` are likelihoods, 0..1. `certain`: the note holds every word of the
    query, or its name is the query, so it is never weak. `confidence`: the likelihood that one of
    the first three results answers the query; 0 where nobody asks for it. `answered`: the vault
    seems to have an answer; otherwise all notes are weak that are not certain.
    """

    related: FloatArray
    strong: FloatArray
    certain: npt.NDArray[np.bool_]
    confidence: float = 0.0
    answered: bool = True

    @property
    def weak(self) -> npt.NDArray[np.bool_]:
        unlikely = self.related < RELATED_FROM if self.answered else True
        return unlikely & ~self.certain

    def match(self, at: int) -> Match:
        return self.matches(np.array([at]))[0]

    def matches(self, places: IdArray) -> list[Match]:
        """The words for the notes at these indices."""
        strong = (self.strong[places] >= STRONG_FROM).tolist()
        return [
            "weak" if weak else "strong" if sure else "related"
            for weak, sure in zip(self.weak[places].tolist(), strong, strict=True)
        ]

    def with_certain(self, notes: npt.NDArray[np.bool_]) -> Relevance:
        """The relevance if these notes (n,) are no weak matches."""
        return replace(self, certain=self.certain | notes)

    def without(self, notes: npt.NDArray[np.bool_]) -> Relevance:
        """The relevance if these notes (n,) are weak matches, however likely they seem."""
        likely = np.where(notes, np.float32(0.0), self.related)
        return replace(self, related=likely, certain=self.certain & ~notes)

    @property
    def likely_strong(self) -> npt.NDArray[np.bool_]:
        """Mask of the notes (n,) whose evidence as a whole is strong."""
        likely: npt.NDArray[np.bool_] = self.strong >= STRONG_FROM
        return likely

    def with_strong(self, notes: npt.NDArray[np.bool_]) -> Relevance:
        """The relevance if just these notes (n,) are strong matches, where they are not weak."""
        return replace(self, strong=notes.astype(np.float32))

    def less_confident_if_all_weak(self) -> Relevance:
        """The relevance with less confidence, if all notes are weak matches."""
        confidence = self.confidence * (_UNANSWERED if self.weak.all() else 1.0)
        return replace(self, confidence=confidence)

    def with_linked(self, seeds: IdArray) -> Relevance:
        """The relevance if a note is not a weak match where its seed is not one.

        `seeds` (n,) are the indices of the notes that activated each note; -1: none did.
        """
        certain = self.certain | ((seeds >= 0) & ~self.weak[seeds])
        return replace(self, certain=certain)


@frozen
class QueryRequirements:
    """The demands of a query on the words of its results.

    `known`: the share of the query, by idf, in words that the vault contains; `known_words` that
    share where numbers that it lacks do not count. `content`: the share of the known words that
    are no function words. `required`: the query has a phrase, which all its results hold, or no
    words but those of its conditions. `words`: its words but function words; with only one of them,
    `beyond_words` is None. `together` finds those of some notes, by id, of which one passage
    has all words.
    """

    known: float
    content: float
    required: bool
    known_words: float = 1.0
    words: int = 1
    beyond_words: BeyondWords | None = None
    together: Callable[[IdArray], IdArray] | None = None

    @classmethod
    def of(cls, terms: Terms, *, required: bool) -> QueryRequirements:
        """The demands of a query with these words."""
        total = terms.total_idf(known=False) + sum(terms.idf[word] for word in terms.lacking)
        known = terms.total_idf(known=True) / total if total > 0 else 0.0
        numbers = sum(
            terms.idf[token] * terms.weights[token]
            for token in terms.unknown
            if any(map(str.isdigit, token))
        )
        words = known * total / (total - numbers) if total > numbers else 1.0
        return cls(known, terms.content_share(), required, words)

    def is_all_in(self, held: FloatArray, ids: IdArray, *, answered: bool) -> npt.NDArray[np.bool_]:
        """The notes that have all of it (n,), by id and the share of the query that each holds.

        Unless the query is `answered`, one passage has to: a long note has any words somewhere.
        """
        if self.required:
            return np.ones(len(held), np.bool_)
        if min(self.known_words, 1.0) < _MOSTLY_KNOWN:
            return np.zeros(len(held), np.bool_)
        whole = (held >= self.content * _ALL_WORDS) & (held > 0)
        if answered or self.together is None or not whole.any():
            return whole
        return whole & np.isin(ids, self.together(ids[whole]))


def judge(
    notes: NoteEvidence,
    query: QueryEvidence,
    mode: SearchMode,
    asked: QueryRequirements,
    shares: FloatArray | None = None,
) -> Relevance:
    """The relevance of candidate notes, by their evidence and that of the query.

    `mode` is the one that was possible (`keyword` without a model). A note without a vector is
    judged by its words in any mode. `shares` (n,) are the scores relative to the best one, if they
    are sums of evidence.
    """
    measures = _Measures.of(notes, query, asked.known)
    related = measures.related(_BY_WORDS)
    if mode == "hybrid":
        by_meaning = measures.related(_BY_MEANING_ALONE)
        by_either = np.maximum(measures.related(_BY_BOTH), by_meaning)
        related = np.where(np.isnan(notes.cosine), related, by_either)
    elif mode == "semantic":
        related = measures.related(_BY_MEANING)
    strong = measures.strong(by_meaning=mode == "semantic")
    likely, answered = logistic(related), True
    if mode == "hybrid" and shares is not None and len(notes):
        odds = measures.answered(_ANSWERED, related, strong)
        answered = _ANSWERED.is_answered(odds, asked, english=query.english)
        near = shares >= np.float32(_NEAR_BEST)
        likely = np.where(near, np.maximum(likely, np.float32(RELATED_FROM)), likely)
    confidence = measures.confidence(related, strong, mode)
    if query.english and not answered:
        confidence *= _UNANSWERED
    whole = asked.is_all_in(notes.held, notes.ids, answered=answered)
    certain = notes.exact | notes.said | whole
    return Relevance(likely, logistic(strong), certain, confidence, answered)


@dataclass(frozen=True, slots=True, eq=False)
class _Measures:
    """Measures that the functions look at: arrays (n,) of the notes, and measures of the query.

    `words` and `coverage` count words that the vault does not contain; `known` is the share of the
    query in those that it does. `excess` is the cosine above the query's mean; in a small vault
    it is raised (`_less_by_chance`). `cosine` and `deviations` (of the cosine above the mean) count
    as far as the model can read the query.
    """

    words: FloatArray
    coverage: FloatArray
    names: FloatArray
    cosine: FloatArray
    deviations: FloatArray
    excess: FloatArray
    length: float  # natural logarithm of the number of words
    unreadable: float
    known: float
    nearest_deviations: float  # of the best cosine above the mean, read or not
    passages: float  # natural logarithm of their number, relative to that of the fitted vaults

    @classmethod
    def of(cls, notes: NoteEvidence, query: QueryEvidence, known: float) -> _Measures:
        """The measures; `known` is the share of the query in words that the vault contains."""
        readable = np.float32(1.0 - _UNREADABLE * query.unreadable)
        cosine = or_zero(notes.meaning)
        deviation = max(query.cosine_deviation, _MIN_DEVIATION)
        counted = min(max(query.passages, _LEAST_PASSAGES), _MOST_PASSAGES)
        above = (cosine - np.float32(query.cosine_mean)) / np.float32(deviation)
        return cls(
            words=np.minimum(weigh_words(notes, query) * np.float32(known), _MOST_WORDS_ADDEND),
            coverage=notes.coverage * np.float32(known),
            names=notes.names,
            cosine=np.maximum(cosine, np.float32(0.0)) * readable,
            deviations=np.clip(above, np.float32(0.0), np.float32(_MOST_DEVIATIONS)) * readable,
            excess=np.maximum(
                cosine - np.float32(_usual_cosine(query) - _less_by_chance(query.passages)),
                np.float32(0.0),
            ),
            length=min(math.log(max(query.words, 1)), _LONGEST),
            unreadable=query.unreadable,
            known=known,
            nearest_deviations=float(above.max()) if len(above) else 0.0,
            passages=math.log(counted / _FITTED_PASSAGES),
        )

    def related(self, by: _Related) -> FloatArray:
        """The log-odds that a note is related to the query."""
        of_query = by.constant + by.unreadable * self.unreadable + by.known * self.known
        odds: FloatArray = (
            np.float32(of_query + by.length * self.length)
            + by.words * self.words
            + (by.coverage + by.long_coverage * self.length) * self.coverage
            + by.names * self.names
            + by.excess * self.excess
        )
        return odds

    def strong(self, *, by_meaning: bool) -> FloatArray:
        """The log-odds that a note answers the query; `by_meaning`: words were not searched."""
        by_words = 0.346 * self.words + 1.419 * self.coverage + 3.555 * self.names
        odds: FloatArray = -3.075 + by_words + 0.587 * self.cosine
        if by_meaning:
            odds = -3.44 + 3.341 * self.cosine + 0.208 * self.deviations
        return odds

    def answered(self, by: _Answered, related: FloatArray, strong: FloatArray) -> float:
        """The log-odds of an answer by these coefficients, from the log-odds of the notes."""
        best = np.sort(strong)[::-1]
        first, last = float(best[0]), len(best) - 1
        return (
            by.constant
            + by.related * float(np.clip(related.max(), -_MOST_ODDS, _MOST_ODDS))
            + by.second * (first - float(best[min(1, last)]))
            + by.fourth * (first - float(best[min(3, last)]))
            + by.tenth * (first - float(best[min(9, last)]))
            + by.known * self.known
            + by.unreadable * self.unreadable
            + by.length * self.length
            + by.deviations * self.nearest_deviations
            + by.passages * self.passages
            + by.few * min(self.passages - _FEW, 0.0)
        )

    def confidence(self, related: FloatArray, strong: FloatArray, mode: SearchMode) -> float:
        """The likelihood that a right answer is among the first three, from the notes' log-odds."""
        if not len(related):
            return 0.0
        return 1.0 / (1.0 + math.exp(-self.answered(_CONFIDENCE[mode], related, strong)))


def odds_by_meaning(notes: NoteEvidence, query: QueryEvidence) -> FloatArray:
    """The log-odds (n,) that notes are related to the query, by their meaning alone."""
    return _Measures.of(notes, query, 1.0).related(_BY_MEANING)


def _usual_cosine(query: QueryEvidence) -> float:
    """The query's mean cosine over the vault, in a small one nearer to that of unrelated texts."""
    passages = query.passages
    total = passages * query.cosine_mean + _FEW_PASSAGES * REFERENCE.unrelated
    return total / (passages + _FEW_PASSAGES)


def _less_by_chance(passages: int) -> float:
    """Amount by which the best cosine of unrelated texts is lower with so many passages."""
    counted = min(max(passages, _LEAST_PASSAGES), _FITTED_PASSAGES)
    fewer = math.sqrt(2 * math.log(_FITTED_PASSAGES)) - math.sqrt(2 * math.log(counted))
    return _CHANCE_DEVIATION * fewer


def logistic(values: FloatArray) -> FloatArray:
    """The likelihoods of log-odds."""
    likelihood: FloatArray = (1.0 / (1.0 + np.exp(-values))).astype(np.float32)
    return likelihood
