"""The score at a rank is that of a sorted list, however the scores are spread."""

from __future__ import annotations

import numpy as np
import pytest

from notewell.index.arrays import highest


@pytest.mark.parametrize("count", [1, 7, 400, 990])
@pytest.mark.parametrize("size", [990, 1000, 5000, 30_000])
def test_the_rank_is_that_in_a_sorted_list(size: int, count: int) -> None:
    chance = np.random.default_rng(size + count)
    random = chance.standard_normal(size).astype(np.float32)
    clustered = np.sort(random)  # a sample of its beginning tells nothing
    repeated = np.round(random)
    lumped = np.where(np.arange(size) % 16 == 0, random, -random - 9)  # the sample is unlike it
    for scores in (random, clustered, repeated, lumped, np.zeros(size, np.float32)):
        assert highest(scores, count) == np.sort(scores)[size - count]
