"""Tell how related a similar note is: strongly, or hardly."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from notewell.base.types import (
    FloatArray,
)
from notewell.search.rank.relevance import RELATED_FROM, STRONG_FROM, Relevance, logistic
from notewell.search.show.similarity import (
    NEIGHBOURS,
)

# Constants for `related` and `strong`. The plain cosine does not suffice: to a model that reads a
# language badly, all its texts are similar. Nor does the centered one: from a passage without any
# similar neighbour, nothing is subtracted.
_BY_MEANING = (-5.5, -8.49)
_CENTERED, _PLAIN = 14.22, 7.32
# Added where passages are compared with none of the usual number of neighbours: the fewer there
# are, the more of a passage's own topic they have in common with it, and lose.
_FEW_NEIGHBOURS = 2.0
# The same for others who have both cosines: the weights, and constants with which the sum is at
# least 0 for a note that is related, and for one that is so strongly.
MEANING_RULE = (
    _CENTERED,
    _PLAIN,
    _BY_MEANING[0] - math.log(RELATED_FROM / (1 - RELATED_FROM)),
    _BY_MEANING[1] - math.log(STRONG_FROM / (1 - STRONG_FROM)),
)
_BY_WORDS = (4.6, 2.4)
_SHARE, _KNOWN = 2.23, 6.0
_LEAST = 0.01  # of a share, so that its logarithm exists


def by_meaning(
    centered: FloatArray, plain: FloatArray, certain: npt.NDArray[np.bool_], count: int
) -> Relevance:
    """The relevance of notes; all arrays (n,), aligned.

    `centered` are their scores, by so many neighbours, `plain` their best plain cosines. `certain`
    notes are never weak.
    """
    evidence: FloatArray = np.float32(_CENTERED) * centered + np.float32(_PLAIN) * plain
    lift = _FEW_NEIGHBOURS * (1 - count / NEIGHBOURS)
    related, strong = (logistic(np.float32(constant + lift) + evidence) for constant in _BY_MEANING)
    return Relevance(related, strong, certain)


def by_words(shares: FloatArray, known: float) -> Relevance:
    """The relevance of notes without vectors.

    `shares` (n,) are their BM25 relative to the summed idf of the source's key terms; `known` is
    the share of the source, by idf, in words that the vault has.
    """
    logarithm: FloatArray = np.log(shares + np.float32(_LEAST))
    evidence: FloatArray = np.float32(_SHARE) * logarithm + np.float32(
        _KNOWN * math.log(max(known, _LEAST))
    )
    related, strong = (logistic(np.float32(constant) + evidence) for constant in _BY_WORDS)
    return Relevance(related, strong, np.zeros(len(shares), np.bool_))
