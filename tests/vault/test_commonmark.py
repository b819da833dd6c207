"""Blocks of code and headings against markdown-it-py, another reader of CommonMark, and its examples.

What Obsidian adds to CommonMark, and what we read in another way on purpose (docs/files.md), is left
out of the texts that are made up here.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from notewell.base.types import Note, SourceText
from notewell.vault.parse import parse

READER = MarkdownIt("commonmark")
LINES = (
    *("", "", "", "# H", "## H2", "text", "***", "- item", "* star", "1. num", "10. ten"),
    *(
        "  - sub",
        "    - four",
        "  para",
        "   three",
        "    code",
        "\tcode",
        "      six",
        "        eight",
    ),
    *("```", "```js", "~~~", "  ```", "    ```", "   ~~~", "\t```"),
)
Blocks = tuple[list[tuple[int, str, int]], list[int]]


def read(text: str) -> Note:
    return parse("a.md", SourceText(text, "utf-8", b""), modified=0)


def ours(text: str) -> Blocks:
    """The headings, and the lines of code that have text."""
    note, lines = read(text), text.split("\n")
    code = {line for span in note.spans if span.kind == "code" for line in span.lines}
    headings = sorted((heading.level, heading.text, heading.line) for heading in note.headings)
    return headings, sorted(line for line in code if lines[line - 1].strip())


def theirs(text: str) -> Blocks:
    headings, code = [], set()
    lines = text.split("\n")
    tokens = READER.parse(text)
    for token, inner in zip(tokens, (*tokens[1:], None), strict=False):
        first, end = token.map or (0, 0)
        if token.type == "heading_open" and inner is not None:
            text = "".join(child.content for child in inner.children or ())  # without its marks
            headings.append((int(token.tag[1]), text, first + 1))
        elif token.type == "fence":
            code |= {
                first + 2 + n for n, one in enumerate(token.content.split("\n")) if one.strip()
            }
        elif token.type == "code_block":
            code |= {n + 1 for n in range(first, min(end, len(lines))) if lines[n].strip()}
    return sorted(headings), sorted(code)


@settings(max_examples=2_000, deadline=None)
@given(st.lists(st.sampled_from(LINES), min_size=1, max_size=10).map("\n".join))
def test_code_and_headings_are_those_of_another_reader(text: str) -> None:
    assert ours(text) == theirs(text)


@settings(max_examples=500, deadline=None)
@given(st.lists(st.sampled_from(LINES), min_size=1, max_size=10).map("\n".join))
def test_links_in_code_do_not_count(text: str) -> None:
    linked = "\n".join(
        f"{line} [[L{n}]]" if line[-1:].isalpha() else line
        for n, line in enumerate(text.split("\n"), 1)
    )
    note = read(linked)
    _, code = ours(linked)
    assert {int(link.target[1:]) for link in note.links} & set(code) == set()


@pytest.mark.parametrize(
    ("text", "headings", "links", "tags"),
    [
        ("Shell:\n\n    # no\n    [[No]] #no\n\nAfter [[B]].", [], ["B"], []),
        ("Text:\n\n\t# no\n\t[[No]] #no\n\nend", [], [], []),
        ("A fence:\n\n    ```js\n\nThe rest [[B]] #kept\n\n## Later", ["Later"], ["B"], ["kept"]),
        ("- item\n  ```\n  code\n\n## After\n\n[[B]] #kept", ["After"], ["B"], ["kept"]),
        ("```md\n    ```\n# no [[No]]\n```\n\n## Real", ["Real"], [], []),
        ("- a\n\n    goes on [[B]] #kept\n", [], ["B"], ["kept"]),
        ("1. a\n\n   ```\n   [[No]]\n   ```\n\n   [[B]]", [], ["B"], []),
        ("- a\n\t- b\n\t\t- c [[B]]\n", [], ["B"], []),
        ("Seen %% hidden [[B]] and #kept %% end", [], ["B"], ["kept"]),
        ("Top\n\n%%\nblock [[B]] #kept\n%%\n", [], ["B"], ["kept"]),
        ("%% `[[No]]` \\[[No]] %% and <!-- [[No]] #no -->", [], [], []),
        ("```\n%% [[No]] %%\n```", [], [], []),
        ("$$ is the price\r\n\r\n## Section\r\n\r\n[[B]] $$", ["Section"], ["B"], []),
    ],
)
def test_what_counts(text: str, headings: list[str], links: list[str], tags: list[str]) -> None:
    note = read(text)
    assert [heading.text for heading in note.headings] == headings
    assert [link.target for link in note.links] == links
    assert list(note.tags) == tags


def test_the_words_of_a_comment_stay_out_of_the_text() -> None:
    note = read("Seen %% hidden [[B|name]] %% end")
    assert [span.text for span in note.spans] == ["Seen end"]


EXAMPLES = Path(__file__).parents[2] / "node_modules/commonmark-spec/spec.txt"
# The examples that are read in another way, by their number in version 0.31.2, and why.
REASONS = {
    "an underlined heading is one line": {81, 82, 95},
    "a heading in a quote or a list is text, as in Obsidian's outline": {228, 229, 230, 232, 300},
    "indented code that begins a quote or a list item is read as text": {6, 7, 236, 252, 273, 274},
    "a link by reference in a heading keeps its brackets": {214},
    "HTML does not end reading: what a fence or an indent marks in it is code": {161, 182},
}


@pytest.mark.skipif(not EXAMPLES.exists(), reason="the specification comes with the npm packages")
def test_the_examples_of_the_specification() -> None:
    text = EXAMPLES.read_text(encoding="utf-8").replace("\N{RIGHTWARDS ARROW}", "\t")
    examples = re.findall(r"^`{32} example\n(.*?)^\.\n.*?^`{32}$", text, re.DOTALL | re.MULTILINE)
    assert len(examples) > 600
    different = {n for n, one in enumerate(examples, 1) if ours(one) != theirs(one)}
    assert different == set().union(*REASONS.values())


@pytest.mark.parametrize(
    ("text", "headings"),
    [
        ("text\n    # no heading", []),
        ("text\n    ---", []),
        ("text\n\t> no quote\n## One", ["One"]),
        ("[x]: https://example.org\n===\n", []),
        ("[x]: https://example.org\nName\n===\n", ["Name"]),
    ],
)
def test_an_indented_line_goes_on_with_the_paragraph(text: str, headings: list[str]) -> None:
    assert [heading.text for heading in read(text).headings] == headings
