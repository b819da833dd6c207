"""What is written with digits and signs is found however it is typed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from notewell.index.analyze import spans, stem, streams, tokens, words

# `same`: forms of which any finds any other. `different`: the first says more than the second. The
# plugin's own analyzer is held to those with `plugin` (tests/plugin/analysis.test.ts).
CASES = json.loads(Path(__file__).with_name("analysis-cases.json").read_text("utf-8"))
SAME = [case["forms"] for case in CASES["same"]]
DIFFERENT = [tuple(case["forms"]) for case in CASES["different"]]


@pytest.mark.parametrize(
    ("one", "other"), [(form, other) for forms in SAME for form in forms for other in forms]
)
def test_each_form_finds_each_other(one: str, other: str) -> None:
    among = {stem(token) for token in tokens(f"before {one} behind")}
    assert among & {stem(token) for token in tokens(other)}


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
        ("8½ × 11", ["8", "1", "2", "11"]),
        ("10² m² H₂O", ["10", "2", "m2", "h2o"]),
        ("−5 · 3", ["5", "3"]),
        ("x ≤ y", ["x", "≤", "y"]),
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
