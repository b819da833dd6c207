"""The nearest slots by sign bits: exactly those of a full sort, by every method."""

from __future__ import annotations

import numpy as np
import pytest

from notewell.index.embedded import vector_math as module
from notewell.index.embedded.vector_math import differing_bits, sign_bits
from notewell.index.embedded.vector_scan import nearest

CEILING = 128


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("count", [5, 900, 6000])
@pytest.mark.parametrize("share_left_out", [0.0, 0.5, 0.98])
def test_the_nearest_are_those_of_a_full_sort(seed: int, count: int, share_left_out: float) -> None:
    chance = np.random.default_rng(seed)
    distance = chance.binomial(CEILING, 0.4, count).astype(np.uint16)
    distance[chance.random(count) < share_left_out] = np.iinfo(np.uint16).max
    within = np.sort(distance[distance <= CEILING])
    for at_least in (1, 60, 500, 5000):
        cut = within[min(at_least, len(within)) - 1] if len(within) else 0
        expected = np.flatnonzero(distance <= cut) if len(within) else []
        assert nearest(distance, at_least, ceiling=CEILING).tolist() == list(expected)


def test_an_unrepresentative_sample_loses_no_candidates() -> None:
    distance = np.full(6400, 50, np.uint16)
    distance[::16] = 1  # what is sampled says that nearly all are near
    assert len(nearest(distance, 1000, ceiling=CEILING)) == 6400


@pytest.mark.parametrize("shared_from", [0, 10_000])
def test_differing_bits_are_those_of_the_signs(
    monkeypatch: pytest.MonkeyPatch, shared_from: int
) -> None:
    monkeypatch.setattr(module, "_SHARED", shared_from)
    monkeypatch.setattr(module, "_BLOCK", 64)
    chance = np.random.default_rng(1)
    rows = chance.standard_normal((301, 70)).astype(np.float32)
    mean = rows.mean(axis=0)
    signs = rows > mean
    found = differing_bits(sign_bits(rows, mean), 301, sign_bits(rows[:1], mean)[:, 0])
    assert found.tolist() == (signs != signs[0]).sum(axis=1).tolist()
