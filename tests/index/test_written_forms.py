"""What is written with digits and signs is found however it is typed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from notewell.index.analyze import spans, streams, tokens, words

# Each line: forms of which any finds any other.
SAME = [
    ("10,000", "10 000", "10.000", "10'000", "10_000", "10\u202f000", "10\u00a0000", "10000"),
    ("1,234,567", "1.234.567", "1 234 567", "1234567"),
    ("5 kg", "5kg", "5 KG", "5\u00a0kg"),
    ("512 GB", "512GB", "512gb"),
    ("2024-03-05", "20240305"),
    ("978-3-16-148410-0", "9783161484100"),
    ("DE89 3704 0044 0532 0130 00", "DE89370400440532013000"),
    ("+1 (555) 010-9987", "+1 555 010 9987", "+15550109987"),
    ("v2.0.1", "2.0.1"),
    ("\u0662\u0660\u0662\u0664", "2024"),
    (
        "\u0627\u0644\u0643\u062a\u0627\u0628",
        "\u0643\u062a\u0627\u0628",
        "\u06a9\u062a\u0627\u0628",
    ),
    ("\u30ea\u30f3\u30b4", "\u308a\u3093\u3054"),
]
SHORTEST = 2  # characters of a form of these
DIFFERENT = [
    (".NET", "net"),
    ("notepad++", "notepad"),
    ("100%", "100"),
    ("C++", "C"),
    ("C#", "C"),
    ("v2.0.1", "v0.2.1"),
    ("5 kg", "5 km"),
]


@pytest.mark.parametrize(
    ("one", "other"), [(form, other) for forms in SAME for form in forms for other in forms]
)
def test_each_form_finds_each_other(one: str, other: str) -> None:
    common = set(tokens(f"a {one} b")) & set(tokens(other))
    assert max(map(len, common), default=0) >= SHORTEST


def test_a_telephone_number_is_found_without_its_country() -> None:
    assert "5550109987" in tokens("+1 (555) 010-9987")


@pytest.mark.parametrize(("special", "plain"), DIFFERENT)
def test_what_is_more_than_its_words_has_a_token_for_it(special: str, plain: str) -> None:
    assert set(tokens(special)) - set(tokens(plain))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("C++17", ["c++", "17", "c++17"]),
        ("v2.0.1", ["2", "0", "1", "v2.0.1", "v2", "2.0", "2.0.1"]),
        ("in 2024, 100 people", ["in", "2024", "100", "people"]),
        ("12 notes", ["12", "notes"]),
        ("3.14", ["3", "14", "3.14"]),
    ],
)
def test_words_stay_what_they_are(text: str, expected: list[str]) -> None:
    assert tokens(text) == expected


PIECES = st.sampled_from(
    [
        "10",
        "000",
        "5",
        "kg",
        "v2",
        ".",
        ",",
        " ",
        "-",
        "+",
        "#",
        "%",
        "C",
        "net",
        "'",
        "x",
        "(",
        ")",
    ]
)


@given(st.lists(PIECES, max_size=12).map("".join))
def test_places_are_within_the_text_and_the_streams_are_the_tokens(text: str) -> None:
    for token in spans(text):
        assert 0 <= token.start < token.end <= len(text)
        assert token.text
    ordered, extras = streams(text)
    assert ordered == words(text)
    assert sorted([*ordered, *extras]) == sorted(tokens(text))
