"""Decides how much meaning counts against words for one query, from what was found.

Pure: signals in, a share out. Three signals say which side knows the answer, without asking what
language or what kind of query it is: where words match strongly and single out few notes, they are
trusted; where cosines single out few notes, they are. A model that cannot read the query's
language gives cosines that hardly differ, so it loses its say by itself. The coefficients were
fitted on development sets; docs/search.md tells how.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from recollect.search.candidates import Candidates
from recollect.types import FloatArray

NEAR, FAR = 10, 100  # ranks that the best note is held against

BIAS = 0.1
STRENGTH = -1.0
KEYWORD_LEAD = -3.6
SEMANTIC_LEAD = 5.7
NEUTRAL_LEAD = 0.5  # where there are too few notes to tell
MAX_STRENGTH = 4.0  # words that nearly every passage has make the quotient meaningless


@dataclass(frozen=True, slots=True)
class Signals:
    """What the candidates of both sides show.

    `strength`: best BM25 score against the idf of the query's words that the vault knows, about 0
    to 3: how much of what is telling stands together in one passage. `covered`: the same against
    all words. `keyword_lead`, `semantic_lead`, 0..1: how far the best note stands above the tenth,
    against its distance from the hundredth.
    """

    strength: float
    covered: float
    keyword_lead: float
    semantic_lead: float

    def as_params(self) -> Mapping[str, float]:
        """For the reply."""
        return {
            "strength": self.strength,
            "covered": self.covered,
            "keyword_lead": self.keyword_lead,
            "semantic_lead": self.semantic_lead,
        }


def signals(notes: Candidates, *, known: float, asked: float) -> Signals:
    """Look at the candidate notes.

    `asked` is the sum of the idf of the query's tokens, `known` that of those the vault has.
    """
    bm25 = notes.bm25[~np.isnan(notes.bm25)]
    cosine = notes.cosine[~np.isnan(notes.cosine)]
    best = float(bm25.max()) if len(bm25) else 0.0
    return Signals(
        strength=min(best / known, MAX_STRENGTH) if known > 0 else 0.0,
        covered=best / asked if asked > 0 else 0.0,
        keyword_lead=_lead(np.append(bm25, np.zeros(FAR, np.float32))),
        semantic_lead=_lead(cosine) if len(cosine) > NEAR else NEUTRAL_LEAD,
    )


def semantic_share(signals: Signals) -> float:
    """The semantic side's share of the score, in 0..1."""
    leaning = (
        BIAS
        + STRENGTH * signals.strength
        + KEYWORD_LEAD * signals.keyword_lead
        + SEMANTIC_LEAD * signals.semantic_lead
    )
    return 1.0 / (1.0 + math.exp(-leaning))


def _lead(scores: FloatArray) -> float:
    """How far the best stands above the tenth, against its distance from the hundredth."""
    ordered = -np.sort(-scores)
    spread = float(ordered[0] - ordered[min(FAR, len(ordered)) - 1])
    return float(ordered[0] - ordered[NEAR - 1]) / spread if spread > 0 else 0.0
