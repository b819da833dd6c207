"""Replies of tools: compact, with token counts, and shortened to their budget."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from notewell.doors.mcp.answer import compact
from notewell.doors.mcp.budget import encode, fit

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**9), 10**9)
    | st.floats(-1, 1)
    | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4)
    ),
    max_leaves=12,
)
ITEMS = st.lists(
    st.dictionaries(st.text(max_size=6), st.text(max_size=30), max_size=3), max_size=20
)


def words(text: str) -> int:
    """A tokenizer for tests: four characters a token, rounded up."""
    return (len(text) + 3) // 4


@given(JSON)
def test_empty_fields_are_left_out(value: Any) -> None:
    short = compact({"a": value, "b": False, "c": 0})
    assert (short["b"], short["c"]) == (False, 0)
    assert compact(short) == short


@given(items=ITEMS, more=ITEMS, budget=st.integers(20, 400))
def test_lists_are_shortened_from_their_end_to_fit_the_budget(
    items: list[Any], more: list[Any], budget: int
) -> None:
    document = {"first": items, "second": more}
    made = fit(document, ("first", "second"), budget, words)
    assert len(made["first"]) >= min(1, len(items))
    if len(made["first"]) == 1:  # it may be shortened
        assert made["first"][0].items() <= items[0].items()
    else:
        assert made["first"] == items[: len(made["first"])]
    assert made["second"] == more[: len(made["second"])]
    left_out = len(items) + len(more) - len(made["first"]) - len(made["second"])
    assert made.get("omitted", 0) == left_out
    assert made["tokens"] >= words(encode(made))
    assert made["tokens"] <= budget or not (any(made["first"]) or made["second"])


@given(items=ITEMS)
def test_the_tokens_are_those_of_the_whole_answer(items: list[Any]) -> None:
    made = fit({"results": items}, ("results",), None, words)
    assert made["tokens"] in range(words(encode(made)), words(encode(made)) + 2)


LONG = {
    "path": "Garden/Bees.md",
    "title": "Bees",
    "heading": "Bees > Hive > Spring",
    "score": 1.0,
    "snippet": "a hive in spring needs room and water " * 20,
    "more": [{"line": 9, "snippet": "the smoker stands by the hive " * 20}],
}


@pytest.mark.parametrize("budget", [60, 100, 256, 400])
def test_the_best_item_always_comes_shortened(budget: int) -> None:
    warning = "The index is being built: 4,000 notes are not searched yet. " * 3
    document = {"vault": "Home", "results": [LONG, LONG], "warnings": [warning]}
    made = fit(document, ("results",), budget, words)

    assert made["tokens"] <= budget
    (best,) = made["results"]
    assert best["path"] == "Garden/Bees.md"
    assert best["snippet"].startswith("a hive in spring")
    assert best["snippet"].endswith("…")
    assert made["omitted"] == 1


def test_what_names_the_best_item_stays_whatever_the_budget() -> None:
    made = fit({"results": [LONG], "vault": "Home"}, ("results",), 5, words)
    assert made["results"] == [{"path": "Garden/Bees.md"}]


def test_an_item_inside_an_item_is_shortened_as_well() -> None:
    memory = {"id": "mem-1", "type": "fact", "content": "write short sentences " * 40}
    recalled = {"memory": memory, "score": 0.9, "why": "similarity " * 30}
    made = fit({"memories": [recalled, recalled]}, ("memories",), 60, words)
    (best,) = made["memories"]
    assert best["memory"]["id"] == "mem-1"
    assert best["memory"]["content"].startswith("write short sentences")
    assert made["tokens"] <= 60


def test_replies_without_lists_are_cut_as_a_whole() -> None:
    document = {"results": ["a"], "explain": {"stages": ["x" * 400]}}
    made = fit(document, ("results", "explain"), 30, words)
    assert "explain" not in made
