"""Decides how much meaning counts against words for one query, from the query and what it found.

Pure: signals in, a share out. Where words match strongly and single out few notes, they are
trusted; where cosines single out few notes, they are; and a model that falls back to spelling,
because it does not know the query's language, has less of a say. The coefficients were fitted on
development sets; docs/search.md tells how.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from notewell.index import scripts
from notewell.index.analyze import words
from notewell.search.candidates import Candidates
from notewell.types import CountTokens, FloatArray, SearchMode

NEAR, FAR = 10, 100  # ranks that the best note is held against

STRENGTH = -1.0
KEYWORD_LEAD = -1.0
KEYWORD_LEAD_BY_LENGTH = -1.4  # two words are easily matched in full, a sentence is not
SEMANTIC_LEAD = 5.0
UNREADABLE = 0.5  # the part of its say that a model loses
NEUTRAL_LEAD = 0.5  # where there are too few notes to tell
MAX_STRENGTH = 4.0  # words that nearly every passage has make the quotient meaningless
MAX_LENGTH = 2.0  # some fifty words

_SPACELESS = re.compile(f"[{scripts.SPACELESS}]")
# Tokens a word, or a character of a script without spaces, from which a model begins to spell and
# at which it does nothing else. Fewer than the last are unknown words, which count as one token.
_SPELLING_WORDS = (1.9, 4.0)
_SPELLING_CHARACTERS = (0.7, 0.95)
_UNKNOWN_CHARACTERS = 0.15


@dataclass(frozen=True, slots=True)
class Signals:
    """What the candidates of both sides show.

    `strength`: best BM25 score against the idf of the query's words that the vault knows, about 0
    to 3: how much of what is telling stands together in one passage. `covered`: the same against
    all words. `keyword_lead`, `semantic_lead`, 0..1: how far the best note stands above the tenth,
    against its distance from the hundredth. `length`: half the logarithm of the number of words.
    """

    strength: float
    covered: float
    keyword_lead: float
    semantic_lead: float
    length: float

    def as_params(self) -> Mapping[str, float]:
        """For the reply."""
        return {
            "strength": self.strength,
            "covered": self.covered,
            "keyword_lead": self.keyword_lead,
            "semantic_lead": self.semantic_lead,
            "length": self.length,
        }


def query_signals(notes: Candidates, text: str, *, known: float, asked: float) -> Signals:
    """Look at the candidate notes that `text` found.

    `asked` is the sum of the idf of its tokens, `known` that of those the vault has.
    """
    bm25 = notes.bm25[~np.isnan(notes.bm25)]
    cosine = notes.cosine[~np.isnan(notes.cosine)]
    best = float(bm25.max()) if len(bm25) else 0.0
    spaced, spaceless = _counts(text)
    return Signals(
        strength=min(best / known, MAX_STRENGTH) if known > 0 else 0.0,
        covered=best / asked if asked > 0 else 0.0,
        keyword_lead=_lead(np.append(bm25, np.zeros(FAR, np.float32))),
        semantic_lead=_lead(cosine) if len(cosine) > NEAR else NEUTRAL_LEAD,
        length=min(math.log(max(1.0, spaced + spaceless / 2)) / 2, MAX_LENGTH),
    )


def semantic_share(signals: Signals, unreadable: float) -> float:
    """The semantic side's share of the score, in 0..1."""
    leaning = (
        STRENGTH * signals.strength
        + (KEYWORD_LEAD + KEYWORD_LEAD_BY_LENGTH * signals.length) * signals.keyword_lead
        + SEMANTIC_LEAD * signals.semantic_lead
    )
    return (1.0 - UNREADABLE * unreadable) / (1.0 + math.exp(-leaning))


def unreadable(text: str, count_tokens: CountTokens) -> float:
    """How much of a query the model can only spell, in 0..1: by how many tokens a word it takes."""
    spaced, spaceless = _counts(text)
    unread = 0.0
    if spaced:
        rate = count_tokens(_SPACELESS.sub(" ", text)) / spaced
        unread += spaced * _between(rate, *_SPELLING_WORDS)
    if spaceless:
        rate = count_tokens("".join(_SPACELESS.findall(text))) / spaceless
        unknown = rate < _UNKNOWN_CHARACTERS
        unread += spaceless / 2 * (1.0 if unknown else _between(rate, *_SPELLING_CHARACTERS))
    return unread / (spaced + spaceless / 2) if spaced or spaceless else 0.0


def _counts(text: str) -> tuple[int, int]:
    """Words of scripts with spaces, and characters of scripts without (two of them a word)."""
    spaced = sum(not _SPACELESS.match(word) for word in words(text))
    return spaced, len(_SPACELESS.findall(text))


def _between(rate: float, low: float, high: float) -> float:
    return min(1.0, max(0.0, (rate - low) / (high - low)))


def _lead(scores: FloatArray) -> float:
    """How far the best stands above the tenth, against its distance from the hundredth."""
    ordered = -np.sort(-scores)
    spread = float(ordered[0] - ordered[min(FAR, len(ordered)) - 1])
    return float(ordered[0] - ordered[NEAR - 1]) / spread if spread > 0 else 0.0


_MEANING_ALONE = 0.7  # what a good cosine is worth where the words are not there


def confidence(notes: Candidates, signals: Signals, mode: SearchMode) -> float:
    """0..1, from the candidate notes. `mode` is what was possible: `keyword` without a model."""
    if not len(notes):
        return 0.0
    words = math.tanh(signals.covered)
    best = float(np.nan_to_num(notes.cosine).max())
    by_meaning = _logistic(-7.7 + 10.5 * best + 3.44 * signals.semantic_lead)
    match mode:
        case "hybrid":
            by_both = _logistic(-8.65 + 9.24 * words + 3.29 * signals.semantic_lead)
            sure = max(by_both, _MEANING_ALONE * by_meaning)
        case "keyword":
            sure = _logistic(-6.97 + 9.0 * words)
        case "semantic":
            sure = by_meaning
    return round(sure, 3)


def _logistic(value: float) -> float:
    return 1.0 / (1.0 + math.exp(-value))
