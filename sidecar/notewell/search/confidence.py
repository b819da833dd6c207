"""How likely anything that was found answers the query, from what stands on top.

A logistic function fitted on development sets: queries with a known answer in the collection (1
if it came among the first ten) against queries asked of a collection that has none. It is
calibrated there: of the answers given 0.8, eight in ten hold. docs/search.md tells more.
"""

from __future__ import annotations

import math

import numpy as np

from notewell.search.adaptive_weight import Signals
from notewell.search.candidates import Candidates
from notewell.types import SearchMode

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
