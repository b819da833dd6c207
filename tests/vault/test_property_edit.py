"""An edit of properties: what it changes, what it keeps, and what it refuses."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from notewell.base.errors import UsageError
from notewell.base.types import PropertyValue
from notewell.vault.edit_properties import PropertyEdit, property_diff, read_value
from notewell.vault.properties import read_frontmatter

NOTE = """---
# mine
"title": 'Bees'  # quoted
tags:
    - "garden"  # a comment stays
    - insects   # and this one
flow: [ 'a' , b ]
old: a, b
aliases: One, Two
---
Text
"""


def test_lists_grow_and_their_items_stay_as_they_are_written() -> None:
    edit = PropertyEdit(add={"tags": ("bees", "garden"), "flow": "c", "old": "c", "new": 1})
    edited = edit(NOTE)

    assert edited == NOTE.replace("this one\n", "this one\n    - bees\n").replace(
        " b ]", " b ]"
    ).replace("old: a, b", 'old:\n  - "a, b"\n  - c').replace(
        "Two\n", "Two\nnew:\n  - 1\n"
    ).replace("flow: [ 'a' , b ]", "flow: [a, b, c]")
    assert edit(edited) == edited


def test_aliases_with_commas_become_a_list() -> None:
    edited = PropertyEdit(add={"aliases": "Three"})(NOTE)
    assert read_frontmatter(edited).properties["aliases"] == ("One", "Two", "Three")


def test_a_renamed_property_keeps_place_value_and_comment() -> None:
    edit = PropertyEdit(rename={"title": "name: full", "tags": "labels"})
    edited = edit(NOTE)

    assert edited == NOTE.replace('"title":', '"name: full":').replace("tags:", "labels:")
    assert edit(edited) == edited


def test_edits_that_contradict_themselves_are_refused() -> None:
    for edit in (
        {},
        {"set": {"a": 1}, "remove": ("a",)},
        {"set": {"b": 1}, "rename": {"a": "b"}},
        {"rename": {"a": "c", "b": "c"}},
        {"set": {" ": 1}},
        {"set": {"a\nb": 1}},
    ):
        with pytest.raises(UsageError):
            PropertyEdit(**edit)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="has too"):
        PropertyEdit(rename={"title": "tags"})(NOTE)


names = st.sampled_from(["title", "tags", "flow", "old", "aliases", "x"])
scalars = st.one_of(st.none(), st.booleans(), st.integers(-9, 9), st.text(max_size=8))
values = st.one_of(scalars, st.lists(scalars, max_size=3).map(tuple))


@given(
    add=st.dictionaries(names, values, max_size=3),
    crlf=st.booleans(),
    renamed=st.sampled_from(["title", "gone"]),
)
def test_added_values_are_there_the_others_stay_and_again_changes_nothing(
    add: dict[str, PropertyValue], crlf: bool, renamed: str
) -> None:
    add.pop("title", None)
    note = NOTE.replace("\n", "\r\n") if crlf else NOTE
    edit = PropertyEdit(add=add, rename={renamed: "neuer Name"})
    edited = edit(note)
    before, after = _properties(note), _properties(edited)

    for name, value in add.items():
        held = after.get(name, ())
        assert all(
            each in (held if isinstance(held, tuple) else (held,))
            for each in (value if isinstance(value, tuple) else (value,))
        )
    kept = before.keys() - add.keys() - {"title"}
    assert {name: after[name] for name in kept} == {name: before[name] for name in kept}
    assert edited.endswith(note[-6:])
    assert "# mine" in edited
    assert "\n" not in edited.replace("\r\n", "") if crlf else "\r" not in edited
    assert edit(edited) == edited


def _properties(note: str) -> dict[str, PropertyValue]:
    return dict(read_frontmatter(note.replace("\r\n", "\n")).properties)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("3", 3),
        ('"3"', "3"),
        ("[a, 'b, c']", ("a", "b, c")),
        ("true", True),
        ("2026-11-22", "2026-11-22"),
        ("", None),
        ("C# and more", "C# and more"),
        ('"Issue #4"', "Issue #4"),
    ],
)
def test_values_are_read_as_yaml(text: str, value: PropertyValue) -> None:
    assert read_value(text) == value


@pytest.mark.parametrize("text", ["Issue #4", "#tag", "a: b", "[a", "a\nvalue2: b"])
def test_values_that_yaml_reads_otherwise_are_refused(text: str) -> None:
    with pytest.raises(UsageError):
        read_value(text)


def test_a_diff_shows_the_lines_that_changed() -> None:
    after = PropertyEdit(set={"old": 1})(NOTE)
    diff = property_diff("A.md", NOTE, after)
    changed = [line for line in diff.splitlines() if line[0] in "+-"]
    assert changed == ["--- A.md", "+++ A.md", "-old: a, b", "+old: 1"]
    assert property_diff("A.md", NOTE, NOTE) == ""
