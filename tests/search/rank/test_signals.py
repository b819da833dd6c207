"""Measures of a query's text."""

from __future__ import annotations

import pytest

from notewell.search.facts.readability import digit_share, unreadable_share


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
def test_the_share_of_a_text_that_the_model_cannot_read(
    text: str, tokens: int, expected: float
) -> None:
    assert unreadable_share(text, lambda _: tokens) == pytest.approx(expected, abs=0.05)


@pytest.mark.parametrize(
    ("text", "share"), [("", 0.0), ("minutes march", 0.0), ("minutes 2024-03", 0.5), ("7 8", 1.0)]
)
def test_the_share_of_words_that_are_digits(text: str, share: float) -> None:
    assert digit_share(text) == share
