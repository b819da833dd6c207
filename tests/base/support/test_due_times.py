"""Times of a schedule: times of day, days of the week, cron expressions."""

from __future__ import annotations

from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from notewell.base.config.values import check_time, next_due
from notewell.base.errors import ConfigError


def at(*parts: int) -> float:
    return datetime(*parts).astimezone().timestamp()


@pytest.mark.parametrize(
    ("when", "now", "due"),
    [
        ("03:30", at(2026, 3, 1, 2, 0), at(2026, 3, 1, 3, 30)),
        ("03:30", at(2026, 3, 1, 3, 30), at(2026, 3, 2, 3, 30)),
        ("03:30", at(2026, 12, 31, 23, 0), at(2027, 1, 1, 3, 30)),
        ("Sunday 02:00", at(2026, 3, 2, 2, 0), at(2026, 3, 8, 2, 0)),
        ("sun 2:00", at(2026, 3, 1, 1, 59), at(2026, 3, 1, 2, 0)),
        ("*/15 * * * *", at(2026, 3, 1, 2, 7), at(2026, 3, 1, 2, 15)),
        ("0 9 1 * *", at(2026, 3, 2, 0, 0), at(2026, 4, 1, 9, 0)),
    ],
)
def test_the_next_time_is_after_now(when: str, now: float, due: float) -> None:
    assert next_due(when, now) == due


@pytest.mark.parametrize("when", ["", "off"])
def test_never_is_never(when: str) -> None:
    assert next_due(when, 0.0) is None


@pytest.mark.parametrize(
    "when", ["25:00", "12:60", "someday 02:00", "tomorrow", "* * *", "99 * * * *", "0 0 31 2 *"]
)
def test_what_is_no_time_is_refused_with_examples(when: str) -> None:
    with pytest.raises(ConfigError, match="sunday 02:00"):
        check_time(when)


@given(st.text(max_size=30))
def test_any_text_is_a_time_or_a_config_error(when: str) -> None:
    try:
        due = next_due(when, 1_772_000_000.0)
    except ConfigError:
        return
    assert due is None or due > 1_772_000_000.0
