"""How times are written in requests and replies."""

from __future__ import annotations

import pytest

from notewell.contract.fields import iso


def test_times_have_a_time_zone() -> None:
    assert iso(0) == "1970-01-01T00:00:00+00:00"
    assert iso(None) is None


@pytest.mark.parametrize("seconds", [1e30, -1e30, float("nan"), float("inf")])
def test_an_impossible_time_is_none(seconds: float) -> None:
    assert iso(seconds) is None
