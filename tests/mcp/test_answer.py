"""Replies of tools: compact, with token counts, and shortened to their budget."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from notewell.mcp.answer import compact, encode, fit

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
def test_what_is_empty_is_left_out_and_the_rest_stays(value: Any) -> None:
    short = compact({"a": value, "b": False, "c": 0})
    assert (short["b"], short["c"]) == (False, 0)
    assert compact(short) == short


@given(items=ITEMS, more=ITEMS, budget=st.integers(20, 400))
def test_lists_are_cut_from_their_end_until_the_budget_is_kept(
    items: list[Any], more: list[Any], budget: int
) -> None:
    document = {"first": items, "second": more}
    made = fit(document, ("first", "second"), budget, words)
    assert made["first"] == items[: len(made["first"])]
    assert made["second"] == more[: len(made["second"])]
    left_out = len(items) + len(more) - len(made["first"]) - len(made["second"])
    assert made.get("omitted", 0) == left_out
    assert made["tokens"] >= words(encode(made))
    assert made["tokens"] <= budget or not (made["first"] or made["second"])


@given(items=ITEMS)
def test_the_tokens_are_those_of_the_whole_answer(items: list[Any]) -> None:
    made = fit({"results": items}, ("results",), None, words)
    assert made["tokens"] in range(words(encode(made)), words(encode(made)) + 2)


def test_what_is_no_list_is_cut_as_a_whole() -> None:
    document = {"results": ["a"], "explain": {"stages": ["x" * 400]}}
    made = fit(document, ("results", "explain"), 30, words)
    assert "explain" not in made
