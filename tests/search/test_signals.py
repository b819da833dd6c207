"""Measures of a query's text."""

from __future__ import annotations

import pytest

from notewell.search.signals import digit_share, unreadable_share


@pytest.mark.parametrize(
    ("text", "tokens", "expected"),
    [
        ("sync my notes", 3, 0.0),
        ("Graphansicht anpassen", 4, 0.05),
        ("синхронизация заметок", 12, 1.0),
        ("关键词检索", 5, 1.0),
        ("关键词检索", 3, 0.0),
        ("ค้นหาบันทึก", 1, 1.0),
        ("", 0, 0.0),
    ],
)
def test_a_model_that_only_spells_a_language_cannot_read_it(
    text: str, tokens: int, expected: float
) -> None:
    assert unreadable_share(text, lambda _: tokens) == pytest.approx(expected, abs=0.05)


@pytest.mark.parametrize(
    ("text", "share"), [("", 0.0), ("minutes march", 0.0), ("minutes 2024-03", 0.5), ("7 8", 1.0)]
)
def test_digits_count_by_word(text: str, share: float) -> None:
    assert digit_share(text) == share
