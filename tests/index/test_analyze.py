"""The text analyser: tokens of words, compounds, scripts without spaces, and emoji."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from notewell.index.analyze import MAX_TOKEN, spans, streams, tokens, words


@pytest.mark.parametrize(
    ("written", "asked"),
    [
        ("Café Ünïcode", "cafe unicode"),
        ("Straße", "STRASSE"),
        ("Ærø Łódź", "aero lodz"),
        ("Ёлка", "елка"),
        ("مُحَمَّد", "محمد"),
        ("Ｆｕｌｌ ｗｉｄｔｈ", "full width"),
        ("ｶﾞｷﾞ", "ガギ"),
        ("cafe\u0301", "café"),
        ("👍🏽", "👍"),
        ("❤️", "❤"),
    ],
)
def test_spelling_variants_give_the_same_tokens(written: str, asked: str) -> None:
    assert tokens(written) == tokens(asked)


@pytest.mark.parametrize(
    ("one", "another"),
    [("мой", "мои"), ("がき", "かき"), ("कि", "का"), ("น้ำ", "นา"), ("C++", "C"), ("c#", "c")],
)
def test_diacritics_that_distinguish_words_are_kept(one: str, another: str) -> None:
    assert tokens(one) != tokens(another)


@pytest.mark.parametrize(
    ("compound", "parts", "whole"),
    [
        ("well-known", ["well", "known"], "wellknown"),
        ("getUserName", ["get", "user", "name"], "getusername"),
        ("HTMLParser", ["html", "parser"], "htmlparser"),
        ("snake_case_name", ["snake", "case", "name"], "snakecasename"),
        ("node.js", ["node", "js"], "nodejs"),
        ("don't", ["don", "t"], "dont"),
        ("don’t", ["don", "t"], "dont"),
        ("l'école", ["l", "ecole"], "lecole"),
        ("3.14", ["3", "14"], "3.14"),
    ],
)
def test_compounds_give_parts_then_whole(compound: str, parts: list[str], whole: str) -> None:
    assert tokens(compound) == [*parts, whole]
    assert words(compound) == parts


def test_a_possessive_gives_the_word_without_its_ending() -> None:
    assert tokens("Obsidian's note’s") == ["obsidian", "note"]


def test_cjk_text_gives_bigrams_and_single_ideographs() -> None:
    assert words("机器学习") == ["机器", "器学", "学习"]
    assert set("机器学习") <= set(tokens("机器学习"))
    assert words("がっこう") == ["がっ", "っこ", "こう"]
    assert words("한국어") == ["한국", "국어"]
    assert words("水") == ["水"]
    assert tokens("Obsidian中文GPT-4模型")[:3] == ["obsidian", "中文", "中"]
    assert "gpt4" in tokens("Obsidian中文GPT-4模型")


def test_indic_and_thai_vowels_stay_in_their_words() -> None:
    assert tokens("हिन्दी में") == ["हिंदी", "में"]
    assert tokens("जन्म") == ["जन्म"]  # the nasal before another sound has no other way
    assert words("ภาษาไทย")[0] == "ภา"


@pytest.mark.parametrize("sign", ["\U0001f3fd", "\u20e3", "\ufe0f"])
def test_emoji_modifiers_alone_give_no_token(sign: str) -> None:
    assert tokens(sign) == []


def test_spans_point_at_the_text_of_their_token() -> None:
    text = "See getUserName, ÉCOLE and 机器."
    at = {token.text: text[token.start : token.end] for token in spans(text)}
    assert at["getusername"] == "getUserName"
    assert at["user"] == "User"
    assert at["ecole"] == "ÉCOLE"
    assert at["机器"] == "机器"


_TEXT = st.text(
    st.one_of(
        st.characters(),
        st.sampled_from("aB1-_.'’ \n机ガｶﾞกำ한\u1112\u1161ﷺ½İıß👩‍💻#+\ufe0f\u0301"),
    ),
    max_size=60,
)


@given(_TEXT)
def test_any_text_gives_valid_tokens(text: str) -> None:
    found = list(spans(text))
    assert [token.text for token in found] == tokens(text)
    for token in found:
        assert 0 <= token.start < token.end <= len(text)
        assert token.text
        assert len(token.text) <= MAX_TOKEN
        assert not token.text.isspace()
        assert len(token.text.split()) == 1
        token.text.encode()


@given(_TEXT)
def test_words_and_extras_together_are_the_tokens(text: str) -> None:
    ordered, extras = streams(text)
    assert ordered == words(text)
    assert sorted(ordered + extras) == sorted(tokens(text))


@given(_TEXT)
def test_lower_casing_twice_changes_no_token(text: str) -> None:
    lowered = text.lower()
    assert tokens(lowered) == tokens(lowered.lower())
