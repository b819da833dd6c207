"""Parsing whole notes: titles, dates, and that no text breaks the parser."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from notewell.base.types import ChunkSizes, CountTokens
from notewell.vault.chunk import chunk
from tests.vault.notes import check_chunks, check_note, letters, note_of, words

PIECES = st.sampled_from(
    [
        *(
            "\n",
            "\n\n",
            "\r\n",
            "\r",
            "# ",
            "## ",
            "- ",
            "  - ",
            "1. ",
            "> ",
            "> [!note] T",
            "---\n",
        ),
        *("```", "~~~", "```js\n", "`", "``", "%%", "<!--", "-->", "$$", "$", "|", "|---|---|\n"),
        *("[[a]]", "![[b#c|d]]", "[x](y.md)", "[[", "]]", "[", "](", "*", "**", "_", "==", "~~"),
        *("#tag", "#1", " ^id", "\n^abc\n", "key:: value", "[k:: v]", "\\", "&amp;", "<b>", "</b>"),
        *("<script>", "</script>", "https://x.y/z#a", "a: b\n", "[^1]", "[^1]: foot", "\n===\n"),
        *(
            "word ",
            "Some sentence. ",
            "日本語。",
            "ไทย",
            "🎉",
            "\ud800",
            "\t",
            "\x0c",
            "\u2028",
            "\x00",
        ),
        *(
            "\n## Text Elements\n",
            "\n## Drawing\n",
            " ^abcd1234\n",
            "```compressed-json\n",
            "x" * 40,
        ),
    ]
)
SIZES = st.sampled_from(
    [
        (letters, ChunkSizes(200, 40, 20)),
        (words, ChunkSizes(32, 8, 4)),
        (words, ChunkSizes(64, 0, 0)),
    ]
)


@settings(max_examples=300, deadline=None)
@given(st.lists(PIECES, max_size=120).map("".join), st.booleans(), st.booleans(), SIZES)
def test_any_markdown_gives_a_valid_note_and_valid_chunks(
    text: str, properties: bool, drawing: bool, sized: tuple[CountTokens, ChunkSizes]
) -> None:
    count, sizes = sized
    text = f"---\n{text}" if properties else text
    note = note_of(text, "a.excalidraw.md" if drawing else "a.md")
    check_note(note, text)
    check_chunks(note, chunk(note, count_tokens=count, sizes=sizes), text, sizes, count)


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=200))
def test_any_text_gives_a_valid_note(text: str) -> None:
    check_note(note_of(text), text)


@pytest.mark.parametrize(
    "unit",
    [
        *(
            "[[",
            "[",
            "![",
            "](",
            "<",
            "<a ",
            "*",
            "**",
            "_",
            "%%",
            "`",
            "``` ",
            "$",
            "|",
            "\\",
            "#",
        ),
        *(
            "# ",
            "- ",
            "> ",
            "&",
            "^",
            "::",
            "a::",
            "[a::",
            "~~~",
            "==",
            "[](",
            "[^",
            "<!--",
            "<script>",
        ),
        *(
            "\n",
            "\r",
            " ",
            "- a\n",
            "  - a\n",
            "> a\n",
            "`a\n",
            "~~~\n",
            "$$\n",
            "%%\n",
            "> ```\n",
            "a|b\n",
        ),
        *(
            "---\n",
            "# a\n",
            "a ^b\n",
            "[[a]] ",
            "日",
            "。",
            "ไท",
            "\u0301",
            "&amp;",
            "key:: v\n",
            "[a [",
            "[[a|",
        ),
    ],
)
def test_a_mark_repeated_without_end_takes_linear_time(unit: str) -> None:
    # A quadratic parser would need minutes for these together; nothing is timed here.
    text = unit * (40_000 // len(unit))
    note = note_of(text)
    chunks = chunk(note, count_tokens=lambda part: len(part) // 4 + 1, sizes=ChunkSizes())
    check_note(note, text)
    assert len(chunks) <= len(text)


def test_ten_thousand_links_in_one_paragraph() -> None:
    note = note_of("[[Note|display]] " * 10_000)
    assert len(note.links) == 10_000
    assert note.links[-1].line == 1


def test_title_aliases_and_description_come_from_the_properties() -> None:
    note = note_of("---\ntitle: My title\naliases: [A, B]\ndescription: In short.\n---\ntext")
    assert (note.title, note.aliases, note.description) == ("My title", ("A", "B"), "In short.")


@pytest.mark.parametrize(
    ("path", "title"),
    [
        ("a/Some note.md", "Some note"),
        ("UPPER.MD", "UPPER"),
        ("v1.2.md", "v1.2"),
        ("dots...md", "dots.."),
        ("Board.excalidraw.md", "Board.excalidraw"),
    ],
)
def test_without_a_title_the_file_name_is_used(path: str, title: str) -> None:
    assert note_of("text", path).title == title
    assert note_of("---\ntitle:\n---\ntext", path).title == title


def test_dates_of_the_properties_override_the_files() -> None:
    note = note_of("---\ncreated: 2020-01-02\n---\nupdated:: 2021-03-04")
    assert note.created == datetime(2020, 1, 2, tzinfo=UTC).timestamp()
    assert note.modified == datetime(2021, 3, 4, tzinfo=UTC).timestamp()
    plain = note_of("text")
    assert (plain.created, plain.modified) == (0.5, 1.0)


def test_tags_of_properties_and_text_are_one_list() -> None:
    assert note_of("---\ntags: [Work, idea]\n---\n#work #home").tags == ("Work", "idea", "home")


def test_broken_properties_keep_the_body_and_give_a_warning() -> None:
    note = note_of("---\ntitle: [\n---\n# Still here\ntext")
    assert note.headings[0].text == "Still here"
    assert note.headings[0].line == 4
    assert "Some properties are unread" in note.warnings[0]


def test_offsets_count_from_the_start_of_the_file() -> None:
    text = "---\r\na: 1\r\n---\r\n\r\n## Part\r\ntext [[N]]\r\n"
    note = note_of(text)
    assert text[note.headings[0].start :].startswith("## Part")
    assert text[note.links[0].start : note.links[0].end] == "[[N]]"
    assert note.spans[-1].lines == (6,)
