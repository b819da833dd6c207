"""Editing single properties changes no other byte of the note."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from notewell.base.errors import UsageError, WriteError
from notewell.base.types import PropertyValue
from notewell.vault.edit_properties import edit_properties
from notewell.vault.parse import one_line_end
from notewell.vault.properties import read_frontmatter

NOTE = """---
# what this is
title: "Bees"   # quoted
tags: [garden, insects]
aliases:
- Honey bees

- Apis
summary: >-
  Two lines
  folded.

rating: 4
empty:
---
# Bees

---
rating: 5
"""


def properties(text: str) -> dict[str, PropertyValue]:
    return read_frontmatter(one_line_end(text)).properties


def body_start(text: str) -> int:
    return read_frontmatter(one_line_end(text)).body


@pytest.mark.parametrize(
    ("name", "value", "line", "written"),
    [
        ("title", "Wasps", 'title: "Bees"   # quoted', "title: Wasps   # quoted"),
        ("rating", 5, "rating: 4", "rating: 5"),
        ("empty", "full", "empty:", "empty: full"),
        ("tags", ("a", "b c"), "[garden, insects]", "[a, b c]"),
        ("aliases", ("Apis",), "- Honey bees\n\n- Apis", "  - Apis"),
        ("summary", "One", ">-\n  Two lines\n  folded.", "One"),
    ],
)
def test_a_property_is_replaced_where_it_stands(
    name: str, value: PropertyValue, line: str, written: str
) -> None:
    edited = edit_properties(NOTE, {name: value})

    assert edited == NOTE.replace(line, written, 1)


@pytest.mark.parametrize(
    "value",
    [
        "plain",
        "'quoted'",
        "|\n  a\n  b\n\n",
        ">-\n  a\n  b",
        "[a, {b: c}]",
        "{a: 1,\n  b: 2}",
        "\n- a\n- b: 1\n  c: 2",
        "\n  k: v\n  l:\n    - m",
        "",
        "~ # note",
        "a\n  continued",
        '"two\n  lines"',
        "\U0001d518ni 😀",
    ],
)
def test_libyaml_and_the_parser_in_python_place_a_value_alike(
    monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    note = f"---\n# first\n😀: &x {value}\n\nnext: *x # last\nend: 1\n---\nText.\n"
    edited = edit_properties(note, {"😀": "new", "next": (1,)}, remove=["end"])
    monkeypatch.setattr("notewell.vault.edit_properties._COMPOSER", yaml.SafeLoader)
    assert edit_properties(note, {"😀": "new", "next": (1,)}, remove=["end"]) == edited


def test_a_missing_property_goes_to_the_end_of_the_block() -> None:
    edited = edit_properties(NOTE, {"created": "2026-03-01", "links": ("[[Hive]]",)})

    assert edited == NOTE.replace(
        "empty:\n---", 'empty:\ncreated: 2026-03-01\nlinks:\n  - "[[Hive]]"\n---', 1
    )


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("rating", "rating: 4\n"),
        ("title", 'title: "Bees"   # quoted\n'),
        ("aliases", "aliases:\n- Honey bees\n\n- Apis\n"),
        ("summary", "summary: >-\n  Two lines\n  folded.\n"),
    ],
)
def test_a_property_is_removed_with_its_lines(name: str, lines: str) -> None:
    assert edit_properties(NOTE, {}, remove=[name]) == NOTE.replace(lines, "", 1)


def test_a_note_without_properties_gets_a_block() -> None:
    assert edit_properties("# Bees\r\n", {"a": 1}) == "---\r\na: 1\r\n---\r\n# Bees\r\n"
    assert edit_properties("", {"a": True}) == "---\na: true\n---\n"


def test_an_unchanged_value_keeps_its_spelling() -> None:
    assert edit_properties(NOTE, {"title": "Bees", "tags": ("garden", "insects")}) == NOTE
    assert edit_properties(NOTE, {}, remove=["none"]) == NOTE


def test_one_and_true_are_different_values() -> None:
    assert edit_properties("---\na: 1\n---\n", {"a": True}) == "---\na: true\n---\n"
    assert edit_properties("---\na: 1\n---\n", {"a": 1.0}) == "---\na: 1.0\n---\n"


def test_windows_line_endings_are_kept() -> None:
    text = "---\r\na: 1\r\nb:\r\n  - x\r\n---\r\nText\r\n"

    edited = edit_properties(text, {"b": ("u", "v"), "c": 2})

    assert edited == "---\r\na: 1\r\nb:\r\n  - u\r\n  - v\r\nc: 2\r\n---\r\nText\r\n"


def test_a_duplicate_name_is_changed_where_effective_and_removed_everywhere() -> None:
    text = "---\na: 1\na: 2\n---\n"

    assert edit_properties(text, {"a": 3}) == "---\na: 1\na: 3\n---\n"
    assert edit_properties(text, {}, remove=["a"]) == "---\n---\n"


def test_a_broken_block_is_changed_if_that_is_safe() -> None:
    text = "---\ndate: {{date}} {{x}}\nstate: [open\ntags:\n  - a\n---\nText"

    edited = edit_properties(text, {"tags": ("b",)})

    assert edited == text.replace("  - a", "  - b")


@pytest.mark.parametrize("block", ["{a: 1, b: 2}", "a: &x 1\nb: *x", "? a\n: 1", "  a: 1"])
def test_a_change_that_would_affect_other_properties_is_refused(block: str) -> None:
    with pytest.raises(WriteError) as refused:
        edit_properties(f"---\n{block}\n---\n", {"a": 7, "new": 1})

    assert refused.value.code == "frontmatter_unclear"


def test_a_number_that_is_not_finite_is_refused() -> None:
    with pytest.raises(UsageError):
        edit_properties(NOTE, {"rating": float("nan")})


VALUES: st.SearchStrategy[PropertyValue] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63) + 1, 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner, max_size=3).map(tuple),
    max_leaves=6,
)
NAMES = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)


@given(st.dictionaries(NAMES, VALUES, max_size=4), st.dictionaries(NAMES, VALUES, max_size=3))
def test_any_value_is_read_back_unchanged(
    first: dict[str, PropertyValue], then: dict[str, PropertyValue]
) -> None:
    text = edit_properties("Text\n", first)
    edited = edit_properties(text, then)

    assert properties(edited) == {**first, **then}
    assert edited[body_start(edited) :] == "Text\n"
    assert edit_properties(edited, then) == edited


@given(st.text(), st.dictionaries(st.sampled_from("ab"), VALUES, min_size=1))
def test_any_edit_keeps_the_rest_of_the_text_or_is_refused(
    block: str, changes: dict[str, PropertyValue]
) -> None:
    text = f"---\n{block}\n---\nText"
    before = properties(text)
    try:
        edited = edit_properties(text, changes)
    except WriteError:
        return

    after = properties(edited)
    assert {name: after[name] for name in before if name not in changes} == {
        name: value for name, value in before.items() if name not in changes
    }
    assert edited[body_start(edited) :] == text[body_start(text) :]


@pytest.mark.data
@pytest.mark.parametrize(
    "vault", ["obsidian-help-en", "obsidian-help-i18n", "obsidian-hub", "excalidraw", "kepano"]
)
def test_edits_of_real_notes_change_only_the_named_lines(
    shared_data: Callable[[str], Path], vault: str
) -> None:
    seen = 0
    files = sorted(shared_data(vault).rglob("*.md"))
    # Thousands of notes of one template: every third is enough.
    for file in files[:: 3 if len(files) > 2000 else 1]:
        text = file.read_bytes().decode("utf-8", "surrogateescape")
        before = properties(text)
        added = edit_properties(text, {"notewell-test": 1})
        assert "notewell-test" not in before
        assert (
            edit_properties(added, {}, remove=["notewell-test"])
            == (text if body_start(text) else f"---\n---\n{text}")
            or "\r" in text
        ), file
        assert edit_properties(text, before) == text
        # One property a note, another each time: there are many notes of the same template.
        for name, value in list(before.items())[seen % max(len(before), 1) :][:1]:
            changed = edit_properties(text, {name: "changed by a test"})
            assert is_one_place_changed(text, changed, name), (file, name)
            assert properties(edit_properties(changed, {name: value})) == before, (file, name)
        seen += 1
    assert seen


def is_one_place_changed(before: str, after: str, name: str) -> bool:
    """Whether all that differs is one run of lines, which begins with the property's name."""
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    start = next(n for n, (a, b) in enumerate(zip(old, new, strict=False)) if a != b)
    rest = len(new) - start - 1
    same_end = old[len(old) - rest :] == new[start + 1 :]
    gone = old[start : len(old) - rest]
    continued = all(line[0] in " \t-]" or not line.strip() for line in gone[1:])
    return same_end and continued and name in gone[0]
