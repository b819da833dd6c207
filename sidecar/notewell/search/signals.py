"""Signals of a query and its candidates: the weight of the semantic half, and the confidence.

Where the keyword half finds strong matches that stand out among few notes, it gets more weight;
where the cosines stand out, the semantic half does. A model that does not know the query's
language splits its words into many tokens; such a model gets less weight. The coefficients were
fitted on development sets, as docs/search.md describes.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from notewell.index.analyze import SPACELESS, words
from notewell.search.candidates import Candidates
from notewell.search.fuse import Plan
from notewell.types import CountTokens, FloatArray, SearchMode

NEAR, FAR = 10, 100  # ranks whose scores the best score is compared with

# Coefficients of the semantic weight.
STRENGTH = -1.0
KEYWORD_LEAD = -1.0
KEYWORD_LEAD_BY_LENGTH = -1.4  # two words are easily matched in full, a sentence is not
SEMANTIC_LEAD = 5.0
UNREADABLE = 0.5  # share of its weight that a model loses when it can read nothing
NEUTRAL_LEAD = 0.5  # for too few notes to compute a lead
MAX_STRENGTH = 4.0  # the quotient has no meaning for words that nearly every passage contains
MAX_LENGTH = 2.0  # about fifty words

_SEMANTIC_ONLY = 0.7  # factor of the confidence if a good cosine comes without keyword matches
_SPACELESS = re.compile(f"[{SPACELESS}]")
# Tokens per word (or per character of a script without spaces) from which a model starts to split
# words into pieces, and at which it splits all of them. Below _UNKNOWN_CHARACTERS the characters
# are unknown to the model: a run of them counts as one token.
_SPLIT_WORDS = (1.9, 4.0)
_SPLIT_CHARACTERS = (0.7, 0.95)
_UNKNOWN_CHARACTERS = 0.15


@dataclass(frozen=True, slots=True)
class Signals:
    """Measurements of a query and its candidate notes.

    `strength`, about 0..3: best BM25 score divided by the summed idf of the query's words that the
    vault contains. `covered`: the same divided by the idf of all its words. `keyword_lead` and
    `semantic_lead`, 0..1: (best - 10th) / (best - 100th) score of a note. `length`: half the
    natural logarithm of the number of words.
    """

    strength: float
    covered: float
    keyword_lead: float
    semantic_lead: float
    length: float

    def as_params(self) -> Mapping[str, float]:
        """The signals by name, for the reply."""
        return {
            "strength": self.strength,
            "covered": self.covered,
            "keyword_lead": self.keyword_lead,
            "semantic_lead": self.semantic_lead,
            "length": self.length,
        }


def query_signals(notes: Candidates, text: str, *, known_idf: float, total_idf: float) -> Signals:
    """The signals of `text` and the candidate notes that it found.

    `total_idf` is the summed idf of its tokens, `known_idf` of those that the vault contains.
    """
    bm25 = notes.bm25[~np.isnan(notes.bm25)]
    cosine = notes.cosine[~np.isnan(notes.cosine)]
    best = float(bm25.max()) if len(bm25) else 0.0
    spaced, spaceless = _word_counts(text)
    return Signals(
        strength=min(best / known_idf, MAX_STRENGTH) if known_idf > 0 else 0.0,
        covered=best / total_idf if total_idf > 0 else 0.0,
        keyword_lead=_lead(np.append(bm25, np.zeros(FAR, np.float32))),
        semantic_lead=_lead(cosine) if len(cosine) > NEAR else NEUTRAL_LEAD,
        length=min(math.log(max(1.0, spaced + spaceless / 2)) / 2, MAX_LENGTH),
    )


def adaptive_plan(signals: Signals, unreadable: float, alpha: float | None) -> Plan:
    """The plan of the fusion method `auto`; `alpha` replaces the semantic weight."""
    weight = semantic_weight(signals, unreadable) if alpha is None else alpha
    return Plan("auto", 1.0 - weight, weight, {**signals.as_params(), "unreadable": unreadable})


def semantic_weight(signals: Signals, unreadable: float) -> float:
    """The semantic half's weight in the fused score, 0..1; `unreadable` as below."""
    logit = (
        STRENGTH * signals.strength
        + (KEYWORD_LEAD + KEYWORD_LEAD_BY_LENGTH * signals.length) * signals.keyword_lead
        + SEMANTIC_LEAD * signals.semantic_lead
    )
    return (1.0 - UNREADABLE * unreadable) / (1.0 + math.exp(-logit))


def unreadable_share(text: str, count_tokens: CountTokens) -> float:
    """How much of a query the model splits into pieces of words, 0..1, by its tokens per word."""
    spaced, spaceless = _word_counts(text)
    unreadable = 0.0
    if spaced:
        rate = count_tokens(_SPACELESS.sub(" ", text)) / spaced
        unreadable += spaced * _between(rate, *_SPLIT_WORDS)
    if spaceless:
        rate = count_tokens("".join(_SPACELESS.findall(text))) / spaceless
        unknown = rate < _UNKNOWN_CHARACTERS
        unreadable += spaceless / 2 * (1.0 if unknown else _between(rate, *_SPLIT_CHARACTERS))
    return unreadable / (spaced + spaceless / 2) if spaced or spaceless else 0.0


def confidence(notes: Candidates, signals: Signals, mode: SearchMode) -> float:
    """How likely a result answers the query, 0..1, from the candidate notes.

    A logistic function fitted on development sets: queries with a known answer in the collection
    (1 if it was among the first ten results) against queries to a collection without one. It is
    calibrated there: of the results with 0.8, eight in ten hold. `mode` is the mode that was
    possible: `keyword` without a model.
    """
    if not len(notes):
        return 0.0
    words = math.tanh(signals.covered)
    best = float(np.nan_to_num(notes.cosine).max())
    semantic = _logistic(-7.7 + 10.5 * best + 3.44 * signals.semantic_lead)
    match mode:
        case "hybrid":
            both = _logistic(-8.65 + 9.24 * words + 3.29 * signals.semantic_lead)
            likelihood = max(both, _SEMANTIC_ONLY * semantic)
        case "keyword":
            likelihood = _logistic(-6.97 + 9.0 * words)
        case "semantic":
            likelihood = semantic
    return round(likelihood, 3)


def _word_counts(text: str) -> tuple[int, int]:
    """The number of words in scripts with spaces, and of characters in scripts without.

    Two characters of a script without spaces count as a word.
    """
    spaced = sum(not _SPACELESS.match(word) for word in words(text))
    return spaced, len(_SPACELESS.findall(text))


def _between(value: float, low: float, high: float) -> float:
    return min(1.0, max(0.0, (value - low) / (high - low)))


def _lead(scores: FloatArray) -> float:
    """(best - 10th) / (best - 100th) of the scores, 0 if all are equal."""
    ordered = -np.sort(-scores)
    spread = float(ordered[0] - ordered[min(FAR, len(ordered)) - 1])
    return float(ordered[0] - ordered[NEAR - 1]) / spread if spread > 0 else 0.0


def _logistic(value: float) -> float:
    return 1.0 / (1.0 + math.exp(-value))
