"""Finds the score at a rank without sorting all scores."""

from __future__ import annotations

import numpy as np

from notewell.base.types import FloatArray

_SAMPLE_FROM = 1000  # scores; fewer are compared all at once
_SAMPLED, _ROOM = 16, 1.3  # every so many scores are a sample; it is read somewhat generously


def highest(scores: FloatArray, count: int) -> float:
    """The score at rank `count`, of at least so many.

    A sample says above which score it is enough to look: that spares most of the partition.
    """
    if len(scores) >= _SAMPLE_FROM:
        sample = scores[::_SAMPLED]
        rank = int(_ROOM * count) // _SAMPLED + _SAMPLED
        if rank < len(sample):
            guess = np.partition(sample, len(sample) - rank)[len(sample) - rank]
            some = scores[scores >= guess]
            if len(some) >= count:
                scores = some
    return float(np.partition(scores, len(scores) - count)[len(scores) - count])
