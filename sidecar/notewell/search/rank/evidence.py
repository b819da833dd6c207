"""Weighs what a query's words, meaning, names and links say about each note, as addends of a score.

    score = words + meaning + coverage + names + links

Each addend has the same scale for every query, so that no score has to be normalised within a
query: one rare word is never worth a whole query, and a note that is the best of bad ones does not
get full marks. docs/search.md derives the formula; its constants are `EvidenceWeights`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from notewell.base.types import FloatArray, IdArray
from notewell.base.types.frozen import frozen
from notewell.index.port import IndexReader
from notewell.search.facts.readability import between
from notewell.search.rank.candidates import SAME, CosineMap, or_zero
from notewell.search.weights import EvidenceWeights

# The places of the notes at both ends of links, among some notes; no pair twice.
Links = tuple[IdArray, IdArray]
# Of notes in order: the links of the first ones to others, by place; and the degrees of all.
FindLinks = Callable[[IdArray], tuple[Links, FloatArray]]

SEEDS = 10  # first notes whose links spread activation
MOST_LINKED = 200  # notes, by all other evidence, that links can raise
NEAREST = 10  # the rank of the cosine that tells how far the nearest passages stand out
ABSENT_NOTES = (
    30  # best notes without their meaning, whose mean cosine a note without a vector gets
)
_PASSAGE_SHARE = np.float32(0.6)  # of the best passage's BM25; the whole note's has the rest
_ABSENT_COSINE = 0.3  # where none of them has a vector
_FULL_WORDS = 4  # words of a query from which coverage counts less
_FREE_LENGTH = 5.0  # logarithm of a note's length from which its coverage counts less
_LENGTH_DAMPING = 0.6
_FIRST = 3  # notes, by their words, whose mean coverage tells whether words settle a query
_LONG_QUERY = (9.0, 14.0)  # words from which meaning rises less, and not at all
_READ_VAULT = (0.05, 0.15)  # the same, by how much of the vault's notes the model cannot read
_MOST_SETTLED, _SHORT_SETTLED = 0.8, 0.85  # the most that words settle, by first and short notes
_NAME_SETTLED = 0.6  # the least, where the query has a proper name
_SAID_SPAN = 0.1  # of the query, within which meaning rises from not at all to fully
_MIN_DEVIATION = 0.03


@dataclass(frozen=True, eq=False)
class NoteEvidence:
    """Raw evidence of the candidate notes of a search: arrays (n,), aligned.

    `cosine` is the model's own; `cosines` maps it to the reference scale.

    `ids` are ascending. `passage_bm25` and `cosine` are those of the best passage, NaN where no
    passage was found by its words, and where the note has no vector; `mean_cosine` is the mean of
    the note's passages that were compared. `whole_bm25` and `coverage`
    (0..1, the share of the query by idf that the note has in any field) are of the whole note,
    `held` is the coverage with template lines, which do not count otherwise, `lengths` its tokens,
    `names` (0..1) and `exact` tell how well its best name matches, `described` (0..1) how much more
    its tags, headings and properties say (retrieve.py). `begun` (0..1): the share that is typed of
    a name that begins with the query; `said`: a name says every word of it.
    """

    ids: IdArray
    passage_bm25: FloatArray
    cosine: FloatArray
    mean_cosine: FloatArray
    whole_bm25: FloatArray
    coverage: FloatArray
    held: FloatArray
    lengths: FloatArray
    names: FloatArray
    exact: npt.NDArray[np.bool_]
    described: FloatArray
    begun: FloatArray
    said: npt.NDArray[np.bool_]
    cosines: CosineMap = SAME

    def __len__(self) -> int:
        return len(self.ids)

    @cached_property
    def is_named(self) -> npt.NDArray[np.bool_]:
        """Mask of the notes whose name is the query, or begins with it."""
        mask: npt.NDArray[np.bool_] = self.exact | (self.begun > 0)
        return mask

    def named(self, weights: EvidenceWeights) -> FloatArray:
        """The weighted match of names; a name that begins with the query is as good as whole."""
        half = np.float32(0.5)
        begins = self.begun > 0
        best = np.maximum(self.names, np.where(begins, half + half * self.begun, 0.0))
        weighted = weights.names * best + weights.exact_name * (self.exact | begins)
        return weighted.astype(np.float32)

    @cached_property
    def bm25(self) -> FloatArray:
        """The BM25 of the best passage and of the whole note, mixed; NaN without any word."""
        passage = or_zero(self.passage_bm25)
        mixed = _PASSAGE_SHARE * passage + (np.float32(1.0) - _PASSAGE_SHARE) * self.whole_bm25
        known: FloatArray = np.where(mixed > 0.0, mixed, np.float32(np.nan))
        return known

    @cached_property
    def meaning(self) -> FloatArray:
        """The cosine on the reference scale; NaN where the note has no vector."""
        return self.cosines.mapped(self.cosine)

    def mixed_meaning(self, mean: float) -> FloatArray:
        """The cosine with the share `mean` of the mean over passages, on the reference scale.

        A long note has some passage near to anything, so the best one alone favours it.
        """
        mixed = np.float32(1.0 - mean) * self.cosine + np.float32(mean) * self.mean_cosine
        return self.cosines.mapped(mixed)

    @cached_property
    def short_coverage(self) -> FloatArray:
        """The squared coverage, less for a long note, which has many words by chance."""
        length: FloatArray = np.maximum(np.log1p(self.lengths) - np.float32(_FREE_LENGTH), 0.0)
        shortened: FloatArray = self.coverage**2 / (1.0 + _LENGTH_DAMPING * length)
        return shortened.astype(np.float32)


@frozen
class QueryEvidence:
    """Measures of a query before any note is weighed.

    `known_idf`: the summed idf of its words that the vault contains, by weight. `words`: how many
    different words it has. `digits`: the share of its words with digits, which embedding models
    hardly read. `unreadable`: how much of it the model splits into pieces, 0..1, and
    `vault_unreadable` that of the vault's notes. `cosine_mean` and `cosine_deviation` are of the
    query's cosines over the vault; `passages` is their number. Cosines are on the reference scale.
    `known`: the share of the query, by idf, in words that the vault contains. `content`: the share
    of these that are no function words. `first_coverage` is the mean coverage of the notes with
    the best words, `short_coverage` the highest of `NoteEvidence.short_coverage`. `dated`: the
    query names a day or period. `english`: the vault is written in English. `has_name`: a word of
    the query is a proper name there. `most_words`: the most that words say about a note.
    """

    known_idf: float
    words: int
    digits: float = 0.0
    unreadable: float = 0.0
    nearest: float = 0.0  # the cosine at rank NEAREST
    cosine_mean: float = 0.0
    cosine_deviation: float = 1.0
    passages: int = 0
    nearest_coverage: float = 1.0  # the mean coverage of the NEAREST notes
    known: float = 1.0
    content: float = 1.0
    first_coverage: float = 0.0
    short_coverage: float = 0.0
    vault_unreadable: float = 0.0
    dated: bool = False
    english: bool = True
    has_name: bool = False
    most_words: float = math.inf


@dataclass(frozen=True, slots=True, eq=False)
class Addends:
    """The addends of the score (n,), aligned with the notes; 0 where there is no evidence.

    `centrality` and `activation`, 0..1, are what `links` is made of by the method `gars`.
    """

    words: FloatArray
    meaning: FloatArray
    coverage: FloatArray
    names: FloatArray
    links: FloatArray
    centrality: FloatArray | None = None
    activation: FloatArray | None = None

    @property
    def similarity(self) -> FloatArray:
        """The sum of what a note says of the query itself."""
        return self.words + self.meaning + self.coverage + self.names

    @property
    def total(self) -> FloatArray:
        return self.similarity + self.links

    def named(self) -> Mapping[str, FloatArray]:
        """The addends by the names that the reply gives them."""
        named = {
            "words": self.words,
            "meaning": self.meaning,
            "coverage": self.coverage,
            "names": self.names,
            "links": self.links,
        }
        if self.centrality is not None and self.activation is not None:
            named |= {"centrality": self.centrality, "activation": self.activation}
        return named


def standing_out(query: QueryEvidence) -> float:
    """Distance of the query's tenth nearest passage from the others, in standard deviations.

    The distance of its cosine from the mean, less what chance gives in a vault of this size if
    cosines were normally distributed. About 0 for most queries; 1 and more if the vault has many
    passages on the query's topic, so that meaning orders them better than words.
    """
    if query.passages <= NEAREST:
        return 0.0
    distance = (query.nearest - query.cosine_mean) / max(query.cosine_deviation, _MIN_DEVIATION)
    return distance - NormalDist().inv_cdf(1.0 - NEAREST / max(query.passages, 3 * NEAREST))


def meaning_weight(query: QueryEvidence, weights: EvidenceWeights, best_name: float) -> float:
    """The weight of a cosine for this query; `best_name` is the best name match, 0..1.

    Where nobody says the words of the query, meaning has to find the note, so its weight rises,
    unless the model does not read the query or the vault, the query names a note or a date, or it
    is a long text, most of whose words its answer has.
    """
    free = (1.0 - best_name) * (1.0 - query.digits)
    topical = between(standing_out(query), weights.topical_from, weights.topical_from + 1.0)
    topical *= weights.topical * _on_topic(query, weights)
    rise = weights.rise * _open_to_meaning(query) * (1.0 - settled(query))
    raised = max(rise, topical) * free
    readable = (1.0 - weights.unreadable * query.unreadable) * (1.0 - query.digits)
    readable *= 1.0 - weights.named * best_name
    return weights.meaning * readable * math.exp(min(raised, weights.most_topical))


def settled(query: QueryEvidence) -> float:
    """Share of the answer that words alone tell, 0..1.

    Either the first notes by words have most of the query, or a short note has every word. Not if
    the vault lacks words of the query, and not for a question, whose function words show that it is
    not made of words of the note. A query that names a person or another thing by its proper name
    is settled in part in any case: its answer has the name, and a model hardly tells names apart.
    """
    first = _MOST_SETTLED * between(query.first_coverage * query.known, 0.5, 1.0)
    short = _SHORT_SETTLED * between(query.short_coverage * query.known**2, 0.8, 1.0)
    named = _NAME_SETTLED if query.has_name else 0.0
    return max(max(first, short) * between(query.content, 0.8, 1.0), named)


def depends_on_names(query: QueryEvidence) -> bool:
    """Tell whether a proper name in the query would lower the weight of meaning."""
    may_rise = _open_to_meaning(query) > 0.0 and query.digits < 1.0
    return may_rise and settled(query) < _NAME_SETTLED


def _open_to_meaning(query: QueryEvidence) -> float:
    """The share, 0..1, of its full rise that meaning may have where words do not settle the query.

    Not at all for a date, a long text, or what the model does not read.
    """
    if query.dated:
        return 0.0
    read = (1.0 - query.unreadable) ** 2 * (1.0 - between(query.vault_unreadable, *_READ_VAULT))
    return read * (1.0 - between(query.words, *_LONG_QUERY))


def _on_topic(query: QueryEvidence, weights: EvidenceWeights) -> float:
    """Likelihood, 0..1, that the nearest passages are about the query, by their notes' coverage.

    If they have one word of it alone, as plugins named Sync for "how sync phone", it is this word
    that makes them alike. Of a longer query, less has to be said.
    """
    share = min(1.0, _FULL_WORDS / max(query.words, 1))
    return between(query.nearest_coverage / share, weights.said, weights.said + _SAID_SPAN)


def weigh_words(notes: NoteEvidence, query: QueryEvidence) -> FloatArray:
    """BM25 divided by the summed idf of the query's known words: about 0..3."""
    known = np.float32(query.known_idf if query.known_idf > 0 else math.inf)
    said: FloatArray = np.minimum(or_zero(notes.bm25) / known, np.float32(query.most_words))
    return said


def weigh_coverage(
    notes: NoteEvidence, query: QueryEvidence, weights: EvidenceWeights
) -> FloatArray:
    """The squared coverage; less for a long query, which no note says whole, and a long note.

    More if the fields that describe the note have a part of the query.
    """
    share = min(1.0, _FULL_WORDS / max(query.words, 1))
    anywhere = weights.coverage * notes.short_coverage
    covered: FloatArray = np.float32(share) * (anywhere + weights.described * notes.described)
    return covered


def first_coverage(notes: NoteEvidence) -> float:
    """The mean coverage of the first notes by words; 0 without notes."""
    first = np.argsort(-or_zero(notes.bm25), kind="stable")[:_FIRST]
    return float(notes.coverage[first].mean()) if len(first) else 0.0


def weigh_meaning(
    notes: NoteEvidence, others: FloatArray, weight: float, mean: float = 0.0
) -> FloatArray:
    """The weighted cosine; a note without a vector has that of notes with similar `others`.

    `others` (n,) are the sums of all other addends: of the best ABSENT_NOTES by them, the mean
    cosine of those with a vector is what a note without one is taken to have. `mean` is that of
    `NoteEvidence.mixed_meaning`.
    """
    cosine: FloatArray = np.maximum(notes.mixed_meaning(mean), np.float32(0.0))  # NaN stays NaN
    absent = np.isnan(cosine)
    if absent.any():
        best = np.argsort(-others, kind="stable")[:ABSENT_NOTES]
        known = cosine[best][~absent[best]]
        expected = float(known.mean()) if len(known) else _ABSENT_COSINE
        cosine[absent] = expected
    weighted: FloatArray = np.float32(weight) * cosine
    return weighted


def weigh_links(
    ids: IdArray, others: FloatArray, weight: float, find_links: FindLinks
) -> FloatArray:
    """The weighted activation of notes by links of the first ones, relative to the highest.

    `others` (n,) are the sums of all other addends.
    """
    links = np.zeros(len(ids), np.float32)
    if weight <= 0.0 or not len(ids):
        return links
    top = np.argsort(-others, kind="stable")[:MOST_LINKED]
    best = float(others[top[0]])
    if best <= 0.0:
        return links
    scores = others[top] / np.float32(best)
    links[top] = weight * spread_activation(scores, *find_links(ids[top]))
    return links


def spread_activation(
    scores: FloatArray, links: Links, degrees: FloatArray
) -> npt.NDArray[np.float64]:
    """The activation of notes by links, relative to the most activated note (n,).

    A seed spreads the square of its score over its links, divided by the square root of their
    number; a target's activation is divided by the square root of its degree (Crestani 1997,
    "Application of spreading activation techniques in information retrieval").
    """
    sources, targets = links
    shares = scores[sources].astype(np.float64) ** 2 / np.sqrt(np.bincount(sources)[sources])
    received = np.bincount(targets, shares, len(scores))
    return relative(received / np.sqrt(np.maximum(degrees, 1.0)))


def links_from_best(index: IndexReader, ids: IdArray) -> tuple[Links, FloatArray]:
    """Links of the first SEEDS notes to others of `ids`, by place, and the notes' degrees (n,).

    `ids` are in order of their scores.
    """
    graph = index.graph
    links = graph.links_among(ids, min(SEEDS, len(ids)))
    return links, graph.backlink_counts(ids).astype(np.float32)


def relative(values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """The values as shares of the highest one."""
    most = float(values.max()) if len(values) else 0.0
    return values / most if most > 0 else values
