"""Two versions become one: no unit of either is lost, what both say stands once."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from notewell.features.conflicts.merge import Part, compare, merge
from notewell.features.conflicts.requests import KeptVersion
from notewell.features.conflicts.units import cut_units

_PIECES = st.sampled_from([
    "alpha", "beta.", "gamma", "- ", "- [x] ", "# ", "> ", "1. ", "---\n", "```\n", "|", "。", "$$\n",
    "end?", "\n", "\n\n", "\r\n", " ", "key: value\n", "list:\n  - a\n", "The queen lays eggs. ",
])  # fmt: skip
TEXTS = st.lists(_PIECES, max_size=40).map("".join) | st.text(max_size=60)


def one_note(note: str, copy: str, choice: KeptVersion = "both") -> str:
    parts = compare(note, copy)
    return merge(parts, [choice] * differences(parts), newer="note")


def differences(parts: tuple[Part, ...]) -> int:
    return sum(part.kind == "differs" for part in parts)


def kinds(note: str, copy: str) -> list[tuple[str, str, str]]:
    parts = compare(note, copy)
    return [(part.kind, part.note.text, part.copy.text) for part in parts if part.kind != "both"]


@given(TEXTS)
def test_the_units_of_a_text_are_the_text(text: str) -> None:
    assert "".join(unit.text for unit in cut_units(text)) == text


@settings(max_examples=400, deadline=None)
@given(TEXTS, TEXTS)
def test_both_versions_are_in_the_parts_and_nothing_is_lost(note: str, copy: str) -> None:
    parts = compare(note, copy)
    assert "".join(part.note.text for part in parts) == note
    theirs = sorted(part.copy.text for part in parts if part.copy.text)
    assert theirs == sorted(unit.text for unit in cut_units(copy) if unit.text)
    merged = " ".join(one_note(note, copy).split())
    for part in parts:
        for unit in (part.note, part.copy):
            assert unit.kind == "property" or unit.key in merged


@given(TEXTS)
def test_a_note_and_itself_are_the_note(text: str) -> None:
    assert one_note(text, text) == text
    assert differences(compare(text, text)) == 0


def test_what_one_says_alone_is_kept_in_its_place() -> None:
    note = "# Bees\n\nThey dance. They sleep.\n\nEnd.\n"
    copy = "# Bees\n\nThey dance. The queen lays eggs. They sleep.\n\nEnd.\n\n## Swarms\n"
    assert one_note(note, copy) == one_note(copy, note) == copy


def test_a_sentence_at_the_end_of_a_line_stays_in_it() -> None:
    note, copy = "- They dance.\n- Next\n", "- They dance. The queen lays eggs.\n- Next\n"
    assert one_note(note, copy) == one_note(copy, note) == copy


def test_what_was_changed_is_a_difference_with_both_versions() -> None:
    note, copy = "- [ ] buy wax\n- feed in March\n", "- [x] buy wax\n- feed in April\n"
    assert kinds(note, copy) == [
        ("differs", "- [ ] buy wax\n", "- [x] buy wax\n"),
        ("differs", "- feed in March\n", "- feed in April\n"),
    ]
    assert one_note(note, copy, "note") == note
    assert one_note(note, copy, "copy") == copy


def test_a_paragraph_that_was_moved_stands_once() -> None:
    first, second = "The hive stands below the old tree.\n\n", "Wax is made in early summer.\n\n"
    third = "Swarms come on warm days in May.\n\n"
    assert one_note(first + second + third, second + third + first) == first + second + third


@pytest.mark.parametrize(
    ("choice", "expected"),
    [
        ("note", "---\ntags:\n  - a\nrating: 4\n---\nText.\n"),
        ("copy", "---\ntags:\n  - a\n  - b\nrating: 5\n---\nText.\n"),
        ("both", "---\ntags:\n  - a\n  - b\nrating: 4\n---\nText.\n"),
    ],
)
def test_a_property_has_one_value_and_lists_are_joined(choice: KeptVersion, expected: str) -> None:
    note = "---\ntags:\n  - a\nrating: 4\n---\nText.\n"
    copy = "---\nrating: 5\ntags:\n  - a\n  - b\n---\nText.\n"
    assert one_note(note, copy, choice) == expected


def test_a_property_of_one_alone_is_kept() -> None:
    assert one_note("---\na: 1\n---\nX.\n", "---\nb: 2\n---\nX.\n") == "---\na: 1\nb: 2\n---\nX.\n"
    assert one_note("X.\n", "---\nb: 2\n---\nX.\n") == "---\nb: 2\n---\nX.\n"


def test_code_and_tables_are_compared_by_line() -> None:
    note = "```python\nprint('A. B. C.')\n```\n\n| a. b. | c |\n"
    assert [unit.kind for unit in cut_units(note)] == ["line"] * 5
    assert kinds(note, note.replace("C.", "D.")) == [
        ("differs", "print('A. B. C.')\n", "print('A. B. D.')\n")
    ]


def test_a_heading_never_ends_up_within_a_line() -> None:
    assert "\n## Log\n" in one_note("A note without an end", "Other words.\n## Log\n")


def test_line_ends_of_windows_stay() -> None:
    merged = one_note("A bee.\r\nA hive.\r\n", "A bee.\r\nThe queen.\r\nA hive.\r\n")
    assert merged == "A bee.\r\nThe queen.\r\nA hive.\r\n"


def test_two_long_versions_are_compared_in_bounded_time() -> None:
    """Units in one place are not all compared with all."""
    note = "\n".join(f"- item {number} of the note" for number in range(3_000))
    copy = "\n".join(f"- thing {number} of the copy" for number in range(3_000))
    parts = compare(note, copy)
    assert "".join(part.note.text for part in parts) == note
