"""A phrase is compared with the text itself."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from notewell.search.query.text_matching import fold, matcher


@pytest.mark.parametrize(
    ("phrase", "text"),
    [
        ("annual report", "The ANNUAL\n  report of 2025"),
        ("annual report", "the **annual** _report_"),
        ("cafe noir", "Un Café Noir, bitte"),
        ("don't panic", "Don\u2019t panic"),
        ("well-known", "a well\u2011known fact"),
        ("关键词检索", "向量检索与关键词检索可以融合"),
        ("c++ code", "Some C++ code"),
        ("use obsidian", "我们use Obsidian的插件"),
    ],
)
def test_case_accents_spacing_and_emphasis_do_not_matter(phrase: str, text: str) -> None:
    assert matcher(phrase)(text)


@pytest.mark.parametrize(
    ("phrase", "text"),
    [
        ("annual report", "the report, annual"),
        ("annual report", "the annual, report"),
        ("user name", "getUserName"),
        ("cat food", "cat foods"),
        ("art show", "start show"),
    ],
)
def test_a_phrase_needs_whole_words_in_order(phrase: str, text: str) -> None:
    assert not matcher(phrase)(text)


@given(st.text(), st.text(min_size=1))
def test_no_text_makes_phrase_matching_raise(text: str, phrase: str) -> None:
    matcher(phrase)(text)
    assert fold(fold(text)) == fold(text) or not text.isascii()
