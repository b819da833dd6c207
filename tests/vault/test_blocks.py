"""Blocks are recognised, have their lines, and lose no visible text."""

from __future__ import annotations

import pytest

from notewell.base.types import Heading, Span
from tests.vault.notes import note_of


def spans(text: str) -> list[tuple[str, str]]:
    return [(span.kind, span.text) for span in note_of(text).spans]


def one(text: str) -> Span:
    (span,) = note_of(text).spans
    return span


def headings(text: str) -> list[tuple[int, str, int]]:
    return [(item.level, item.text, item.line) for item in note_of(text).headings]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# One\n## Two ##\n###### Six", [(1, "One", 1), (2, "Two", 2), (6, "Six", 3)]),
        ("####### seven", []),
        ("#tag", []),
        ("#", [(1, "", 1)]),
        ("Title\n===\n\nSub\n---", [(1, "Title", 1), (2, "Sub", 4)]),
        ("two\nlines\n---", []),
        ("- item\n---", []),
        ("# **Bold** [[Note|link]] `code` ^id", [(1, "Bold link code", 1)]),
        ("   # indented", [(1, "indented", 1)]),
        ("```\n# code\n```\n%%\n# hidden\n%%", []),
        ("text\n# right after\nmore", [(1, "right after", 2)]),
    ],
)
def test_headings(text: str, expected: list[tuple[int, str, int]]) -> None:
    assert headings(text) == expected


def test_a_heading_has_the_offset_of_its_mark() -> None:
    text = "intro\r\n  ## Part\r\ntext"
    (found,) = note_of(text).headings
    assert found == Heading(2, "Part", 2, text.index("#"))


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_lines_are_counted_with_any_line_ending(ending: str) -> None:
    text = ending.join(["# A", "", "one", "two\u2028still two\x0cand two", "", "- x", "- y"])
    found = note_of(text).spans
    assert [span.lines for span in found] == [(1,), (3, 4), (6, 7)]
    assert text[found[1].start :].startswith("one")
    assert text[: found[2].end].endswith("- y")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("one\ntwo\n\nthree", [("paragraph", "one\ntwo"), ("paragraph", "three")]),
        ("---\n\n***\n\n___\n\n- - -", []),
        ("a\n> b\nlazy\n\nc", [("paragraph", "a"), ("quote", "b\nlazy"), ("paragraph", "c")]),
        ("> a\n>\n> > b", [("quote", "a\nb")]),
        ("    indented text", [("code", "indented text")]),
        (
            "[^1]: A note\n  goes on\n\ntext",
            [("footnote", "A note\ngoes on"), ("paragraph", "text")],
        ),
        ("[ref]: https://x.org\ntext", [("paragraph", "text")]),
        ("$$\nx^2\n$$", [("math", "x^2")]),
        ("$$x$$", [("math", "x")]),
        ("$$ not\n\nmath", [("paragraph", "$$ not"), ("paragraph", "math")]),
        ("<div>\nkept\n</div>", [("paragraph", "kept")]),
        ("<script>\nvar gone;\n</script>\nkept", [("paragraph", "kept")]),
        ("a\n%%\nhidden\n\nhidden\n%%\nb", [("paragraph", "a"), ("paragraph", "b")]),
        ("<!--\nhidden\n-->b", [("paragraph", "b")]),
        ("kept\n%%\nunclosed", [("paragraph", "kept")]),
        ("kept %% unclosed", [("paragraph", "kept %% unclosed")]),
    ],
)
def test_blocks(text: str, expected: list[tuple[str, str]]) -> None:
    assert spans(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("- a\n- b", [("list", "- a\n- b")]),
        ("1. a\n2) b\n10. c", [("list", "1. a\n2) b\n10. c")]),
        ("- a\n  - b\n\n  more\n- c", [("list", "- a\n  - b\n  more\n- c")]),
        ("- a\nlazy\n\ntext", [("list", "- a\nlazy"), ("paragraph", "text")]),
        ("text\n- a", [("paragraph", "text"), ("list", "- a")]),
        ("text\n1. a", [("paragraph", "text"), ("list", "1. a")]),
        ("in\n1984. a", [("paragraph", "in\n1984. a")]),
        ("- [ ] open\n- [x] done", [("list", "- open\n- done")]),
        ("- a\n  ```\n  code\n  ```\n- b", [("list", "- a"), ("code", "  code"), ("list", "- b")]),
        ("- a\n\n# H", [("list", "- a"), ("heading", "H")]),
        ("-5 degrees", [("paragraph", "-5 degrees")]),
    ],
)
def test_lists(text: str, expected: list[tuple[str, str]]) -> None:
    assert spans(text) == expected


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("```python\nx = 1\n\ny = 2\n```", "x = 1\n\ny = 2"),
        ("~~~\n```\n~~~", "```"),
        ("````\n```\ninner\n```\n````", "```\ninner\n```"),
        ("```\nunclosed\n# not a heading", "unclosed\n# not a heading"),
        ("> ```\n> quoted\n> ```", "quoted"),
        ("```\n**raw** [[raw]] #raw %%raw%%\n```", "**raw** [[raw]] #raw %%raw%%"),
    ],
)
def test_code_is_unchanged(text: str, code: str) -> None:
    span = one(text)
    assert (span.kind, span.text) == ("code", code)
    assert (span.start, span.end) == (0, len(text))
    assert note_of(text).tags == ()


def test_code_in_an_unclosed_quote_ends_with_the_quote() -> None:
    assert spans("> ```\n> code\n\ntext") == [("code", "code"), ("paragraph", "text")]


def test_backticks_within_a_line_are_not_a_fence() -> None:
    assert spans("```not``` a fence\n# H") == [("paragraph", "not a fence"), ("heading", "H")]


def test_tables_keep_their_cells_without_the_rule() -> None:
    span = one("| A | B |\n|:--|--:|\n| 1 | [[N\\|two]] |\n| `a\\|b` | |\n")
    assert (span.kind, span.lines) == ("table", (1, 3, 4))
    assert span.text.split("\n")[:2] == ["A | B", "1 | two"]


def test_a_table_needs_no_outer_bars_and_no_blank_line() -> None:
    assert spans("intro\na | b\n--|--\n1 | 2\n\nend") == [
        ("paragraph", "intro"),
        ("table", "a | b\n1 | 2"),
        ("paragraph", "end"),
    ]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("> [!note] A title\n> Text", "A title\nText"),
        ("> [!warning]\n> Text", "Warning\nText"),
        ("> [!faq]- Folded\n> Text", "Folded\nText"),
        ("> [!note|wide] T\n> > [!tip]\n> > inner", "T\nTip\ninner"),
        ("> [!note] Only a title", "Only a title"),
    ],
)
def test_callouts(text: str, shown: str) -> None:
    span = one(text)
    assert (span.kind, span.text) == ("callout", shown)


def test_two_callouts_in_a_row_are_two() -> None:
    assert [kind for kind, _ in spans("> [!a] x\n> y\n\n> [!b] z")] == ["callout", "callout"]


@pytest.mark.parametrize(
    ("text", "block", "shown"),
    [
        ("A paragraph. ^my-id", "my-id", "A paragraph."),
        ("two\nlines ^id", "id", "two\nlines"),
        ("> quote\n\n^q1", "q1", "quote"),
        ("| a | b |\n|---|---|\n| 1 | 2 |\n\n^t1", "t1", "a | b\n1 | 2"),
        ("```\ncode\n```\n^c1", "c1", "code"),
        ("2^10 and x^2", None, "2^10 and x^2"),
        ("- a\n- b\n\n^list", "list", "- a\n- b"),
    ],
)
def test_block_ids(text: str, block: str | None, shown: str) -> None:
    span = one(text)
    assert (span.block, span.text) == (block, shown)


def test_a_list_item_with_an_id_is_a_span_of_its_own() -> None:
    found = note_of("- a\n- b ^b1\n  - c\n- d\n  more ^d1\n- e").spans
    assert [(span.text, span.block) for span in found] == [
        ("- a", None),
        ("- b", "b1"),
        ("  - c", None),
        ("- d\n  more", "d1"),
        ("- e", None),
    ]


def test_spans_have_their_section() -> None:
    found = note_of("intro\n# A\na\n## B\nb\n# C").spans
    assert [(span.kind, span.section) for span in found] == [
        ("paragraph", -1),
        ("heading", 0),
        ("paragraph", 0),
        ("heading", 1),
        ("paragraph", 1),
        ("heading", 2),
    ]
