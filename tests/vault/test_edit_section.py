"""One part of a note is edited; the rest stays byte for byte."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from notewell.base.errors import NotFoundError, UsageError
from notewell.vault.edit_section import TextParts, edit_section, section_text
from notewell.vault.parse import one_line_end

NOTE = """\
---
tags: [garden]
---
# Bees

First words.

## Todo

- buy wax ^wax
- paint

## Log

Text of May. ^may

| a | b |
| - | - |
| 1 | 2 |
^table

### Deep

Below.

# Next

End.
"""


def edited(section: str, how: str, new: str, text: str = NOTE) -> str:
    return edit_section("Bees.md", text, section, how, new)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("section", "how", "new", "before", "after"),
    [
        ("Todo", "append", "- sell", "- paint\n", "- paint\n- sell\n"),
        ("Todo", "append", "A paragraph.", "- paint\n", "- paint\n\nA paragraph.\n"),
        ("Todo", "insert", "- first", "- buy wax", "- first\n- buy wax"),
        ("Todo", "insert", "Words.", "- buy wax", "Words.\n\n- buy wax"),
        ("Todo", "replace", "Nothing.", "- buy wax ^wax\n- paint\n", "Nothing.\n"),
        ("Todo", "replace", "", "- buy wax ^wax\n- paint\n", ""),
        ("Deep", "replace", "New\nrows", "Below.\n", "New\nrows\n"),
        ("Next", "append", "More.", "End.\n", "End.\n\nMore.\n"),
        ("^wax", "replace", "- buy beeswax", "- buy wax ^wax", "- buy beeswax ^wax"),
        ("^wax", "append", "  - two kilos", "- buy wax ^wax", "- buy wax\n  - two kilos ^wax"),
        ("^wax", "insert", "- and honey", "^wax\n", "^wax\n- and honey\n"),
        ("^may", "replace", "June. ^may", "Text of May. ^may", "June. ^may"),
        ("^may", "insert", "Aside.", "^may\n", "^may\n\nAside.\n"),
        ("^table", "append", "| 3 | 4 |", "| 1 | 2 |\n", "| 1 | 2 |\n| 3 | 4 |\n"),
        ("^table", "insert", "Words.", "^table\n", "^table\n\nWords.\n"),
        ("", "append", "Last.", "End.\n", "End.\n\nLast.\n"),
        ("", "insert", "Top.", "First words.", "Top.\n\nFirst words."),
    ],
)
def test_a_part_is_edited(section: str, how: str, new: str, before: str, after: str) -> None:
    assert NOTE.count(before) == 1
    assert edited(section, how, new) == NOTE.replace(before, after)


def test_a_section_ends_where_one_of_its_level_begins() -> None:
    assert edited("Log", "append", "After deep.") == NOTE.replace(
        "Below.\n", "Below.\n\nAfter deep.\n"
    )
    assert section_text("Bees.md", NOTE, "Log").startswith("## Log\n")
    assert section_text("Bees.md", NOTE, "Log").endswith("Below.\n\n")


def test_line_ends_of_windows_stay() -> None:
    text = NOTE.replace("\n", "\r\n")
    assert edited("Todo", "append", "- sell\n- rest", text) == text.replace(
        "- paint\r\n", "- paint\r\n- sell\r\n- rest\r\n"
    )
    assert edited("Todo", "append", "- a\r\n- b", text).count("\r\n- b\r\n") == 1


def test_underlined_headings_and_files_without_a_last_line_end() -> None:
    assert edited("One", "insert", "New.", "One\n===\n\nOld.") == "One\n===\n\nNew.\n\nOld."
    assert edited("One", "append", "New.", "# One\nOld.") == "# One\nOld.\n\nNew.\n"
    assert edited("", "append", "New.", "") == "New.\n"
    assert edited("One", "replace", "New.", "# One") == "# One\n\nNew.\n"


def test_a_heading_in_code_is_no_section() -> None:
    text = "# One\n\n```\n# Two\n```\n\n# Three\n\nx\n"
    with pytest.raises(NotFoundError):
        edited("Two", "append", "y", text)


@pytest.mark.parametrize(("section", "how"), [("Nowhere", "append"), ("^none", "replace")])
def test_a_part_that_is_missing_is_told_with_the_nearest(section: str, how: str) -> None:
    with pytest.raises(NotFoundError, match="in the note; "):
        edited(section, how, "x")


def test_what_would_lose_a_note_is_refused() -> None:
    with pytest.raises(UsageError, match="section"):
        edited("", "replace", "x")
    with pytest.raises(UsageError, match="text"):
        edited("Todo", "append", "  \n")


rows = st.sampled_from(
    [
        "# A",
        "## B",
        "text",
        "- item ^id",
        "- other",
        "",
        "```",
        "> q",
        "| a |",
        "^id2",
        "Title",
        "===",
        "\tx",
    ]
)


@given(
    lines=st.lists(rows, max_size=12, unique=True),
    end=st.sampled_from(["\n", "\r\n"]),
    how=st.sampled_from(["append", "insert", "replace"]),
    section=st.sampled_from(["A", "B", "^id", "^id2", "Title", ""]),
)
def test_whatever_the_note_the_rest_stays(
    lines: list[str], end: str, how: str, section: str
) -> None:
    text = end.join(lines)
    assume(not (how == "replace" and not section))
    try:
        after = edit_section("N.md", text, section, how, "QQQ")  # type: ignore[arg-type]
        before = section_text("N.md", text, section)
    except NotFoundError:
        return

    assert after.count("QQQ") == 1
    head, tail = after.split("QQQ")
    plain = "".join(text.split())
    if how != "replace":
        assert sorted("".join((head + tail).split())) == sorted(plain)
    else:
        start = one_line_end(text).find(one_line_end(before))
        assert head.startswith(text[:start].rstrip()) or section.startswith("^")
        assert "".join(tail.split()).endswith("".join(text[start + len(before) :].split()))
    names = [heading.text for heading in TextParts.of("N.md", text).headings]
    assert "\r\r" not in after
    if section in names and how == "append" and "```" not in lines:
        assert "QQQ" in section_text("N.md", after, section)
