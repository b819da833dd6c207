"""Letters and digits that the query has together and the vault apart, or the other way round."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from notewell.index.analyze import words
from notewell.search.query.spacing import with_spacing_of_vault, words_together
from tests.search.library import Library, MakeLibrary

NOTES = {
    "Standard.md": "Keywords are defined in RFC 2119.",
    "System.md": "Windows 11 asks for an account.",
    "Screw.md": "Four M3x8 screws and two washers.",
    "Resistor.md": "A pull-up of 10kΩ on the reset line.",
    "Screen.md": "The screen has 1920×1080 pixels.",
    "Poster.md": "A poster of 600x900 dots.",
    "Oven.md": "Prove at 28°C for an hour.",
    "Energy.md": "On the wall: E=mc² in gold.",
    "Time.md": "It took 2h 30min to the summit.",
    "Paper.md": "Print on A4 and fold it.",
    "Both 1.md": "GPT3 wrote this.",
    "Both 2.md": "GPT 3 wrote that.",
    "Nothing.md": "Eight screens and eleven windows of 8 kinds, a week of x and 4 days.",
}


@pytest.fixture(scope="module")
def library(make_library: MakeLibrary) -> Library:
    return make_library(NOTES)


@pytest.mark.parametrize("mode", ["keyword", "hybrid"])
@pytest.mark.parametrize(
    ("typed", "path"),
    [
        ("rfc2119", "Standard.md"),
        ("what does RFC2119 define", "Standard.md"),
        ("windows11 account", "System.md"),
        ("M3 x 8", "Screw.md"),
        ("m3 x8 screws", "Screw.md"),
        ("10 kΩ", "Resistor.md"),
        ("1920x1080", "Screen.md"),
        ("1920 x 1080", "Screen.md"),
        ("600×900", "Poster.md"),
        ("600 x 900", "Poster.md"),
        ("28C", "Oven.md"),
        ("mc^2", "Energy.md"),
        ("2h30min", "Time.md"),
        ("2 h 30 min", "Time.md"),
        ("a4 paper", "Paper.md"),
    ],
)
def test_it_finds_the_note_that_has_it_in_the_other_way(
    library: Library, typed: str, path: str, mode: str
) -> None:
    assert library.paths(typed, mode=mode)[0] == path


@pytest.mark.parametrize("typed", ["rfc211", "rfc2", "windows1"])
def test_the_number_may_be_unfinished_while_typing(library: Library, typed: str) -> None:
    wanted = "Standard.md" if typed.startswith("rfc") else "System.md"
    assert library.paths(typed, mode="keyword", typing=True)[0] == wanted


@pytest.mark.parametrize("typed", ["gpt3", "a 4 day week", "8 screens", "rfc2119x", "x11", "2119"])
def test_what_the_vault_has_as_typed_and_what_it_has_in_no_way_stays(
    library: Library, typed: str
) -> None:
    assert with_spacing_of_vault(library.index.keywords, typed) == typed


def test_a_function_word_is_no_part_of_a_word(library: Library) -> None:
    keywords = library.index.keywords
    assert words_together(keywords, "a 4", frozenset("a")) == {}
    assert words_together(keywords, "a 4", frozenset()) == {"a": ("a4",), "4": ("a4",)}


@pytest.mark.parametrize("typed", ["m3, x8", "m3. x8", "10\n\nkg m3; x8"])
def test_words_that_a_sign_parts_are_not_one(library: Library, typed: str) -> None:
    assert words_together(library.index.keywords, typed, frozenset()) == {}


@given(st.text("abx19 ×^.-Ω²é\n", max_size=40), st.booleans())
def test_any_text_keeps_its_letters_and_digits(library: Library, text: str, typing: bool) -> None:
    spaced = with_spacing_of_vault(library.index.keywords, text, typing=typing)
    assert "".join(words(spaced)).replace("x", "") == "".join(words(text)).replace("x", "")
    words_together(library.index.keywords, text, frozenset())
