"""Nested lists: the items around a line, and their parents."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from notewell.vault.nested_lists import item_text, items_around, parent_item

LIST = """- Kitchen
  - [ ] buy oven
    1. with convection
       and a light
  - paint walls
- Garden
A paragraph.
    indented text
* Cellar
\t* shelves"""


@pytest.mark.parametrize(
    ("at", "around"),
    [
        ("Kitchen", ["Kitchen"]),
        ("oven", ["[ ] buy oven", "Kitchen"]),
        ("convection", ["with convection", "[ ] buy oven", "Kitchen"]),
        ("a light", ["with convection", "[ ] buy oven", "Kitchen"]),
        ("walls", ["paint walls", "Kitchen"]),
        ("Garden", ["Garden"]),
        ("paragraph", []),
        ("indented", []),
        ("shelves", ["shelves", "Cellar"]),
    ],
)
def test_the_items_around_a_line(at: str, around: list[str]) -> None:
    items = items_around(LIST, LIST.index(at))
    assert [item_text(LIST, item) for item in items] == around


def test_a_line_hangs_under_the_item_that_is_indented_less() -> None:
    assert parent_item(LIST, 0, LIST.index("walls")) == "Kitchen"
    assert parent_item(LIST, 0, LIST.index("Garden")) is None
    assert parent_item(LIST, LIST.index("Garden"), LIST.index("shelves")) == "Cellar"


@given(st.text(alphabet="-*1. \t\nab", max_size=80), st.integers(0, 80))
def test_no_text_makes_it_fail(text: str, at: int) -> None:
    items = items_around(text, min(at, len(text)))
    assert list(items) == sorted(items, reverse=True)
