"""The language of a text, by its script and its commonest words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from notewell.engine.model_suggestions import NAMES, language_of, shares


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("The train is late and nobody was on the platform.", "en"),
        ("Der Zug ist zu spät und auf dem Gleis steht niemand.", "de"),
        ("Le train est en retard et il y a du monde sur le quai.", "fr"),
        ("El tren llega tarde y no hay nadie en el andén, pero es lo normal.", "es"),
        ("Il treno è in ritardo e non c'è nessuno per la strada.", "it"),
        ("O trem está atrasado e não há ninguém na estação.", "pt"),
        ("De trein is te laat en er staat niemand op het perron.", "nl"),
        ("Поезд опаздывает, и на платформе никого нет.", "ru"),
        ("火车晚点了，站台上没有人。", "zh"),
        ("電車が遅れて、ホームには誰もいません。", "ja"),
        ("기차가 늦어서 승강장에 아무도 없습니다.", "ko"),
        ("Notes in English with one word, 日, of another language and of no weight.", "en"),
        ("x = 42", None),
        ("", None),
    ],
)
def test_the_language_of_a_sentence(text: str, code: str | None) -> None:
    assert language_of(text) == code


@given(st.lists(st.text(max_size=80), max_size=8))
def test_shares_are_of_known_languages_and_sum_to_one(texts: list[str]) -> None:
    found = shares(texts)

    assert found.keys() <= NAMES.keys()
    assert not found or sum(found.values()) == pytest.approx(1.0)
