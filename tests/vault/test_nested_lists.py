"""Nested lists: the items around a line, and their parents."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from notewell.vault.list_items import item_text, items_around, parent_item, text_blocks

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


def test_the_parent_of_a_line_is_the_less_indented_item() -> None:
    assert parent_item(LIST, 0, LIST.index("walls")) == "Kitchen"
    assert parent_item(LIST, 0, LIST.index("Garden")) is None
    assert parent_item(LIST, LIST.index("Garden"), LIST.index("shelves")) == "Cellar"


@given(st.text(alphabet="-*1. \t\nab", max_size=80), st.integers(0, 80))
def test_no_text_makes_it_fail(text: str, at: int) -> None:
    items = items_around(text, min(at, len(text)))
    assert list(items) == sorted(items, reverse=True)


def test_items_and_paragraphs_are_blocks() -> None:
    text = f"{LIST}\n\nOne\nparagraph.\n\n```\n- no item\n\n```\n"
    found = [
        (text[block.start : block.end].partition("\n")[0], block.children, len(block.parents))
        for block in text_blocks(text)
    ]
    assert found == [
        ("Kitchen", 2, 0),
        ("[ ] buy oven", 1, 1),
        ("with convection", 0, 2),
        ("paint walls", 0, 1),
        ("Garden", 0, 0),
        ("A paragraph.", 0, 0),
        ("Cellar", 1, 0),
        ("shelves", 0, 1),
        ("One", 0, 0),
        ("```", 0, 0),
    ]


@given(st.text(alphabet="-*1. \t\nab`", max_size=80))
def test_blocks_are_in_order_and_do_not_overlap(text: str) -> None:
    ends = [0, *(at for block in text_blocks(text) for at in (block.line, block.start, block.end))]
    assert ends == sorted(ends)
    assert ends[-1] <= len(text)
