"""Foreign text cannot control the terminal, and table cells are not broken."""

from __future__ import annotations

import io
import unicodedata

import click
import pytest
from hypothesis import given
from hypothesis import strategies as st

from notewell.doors.cli.output import clean, print_facts, print_message, print_table


@given(st.text(st.characters(exclude_categories=[])))
def test_control_characters_are_escaped(text: str) -> None:
    shown = clean(text)

    assert not any(unicodedata.category(character) in {"Cc", "Cs"} for character in shown)
    assert not set(shown) & set(
        "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f"
    )


def test_escapes_are_readable_and_other_text_is_unchanged() -> None:
    assert clean("a\x1b[31m\u202eb\udcff") == "a\\x1b[31m\\u202eb\\udcff"
    assert clean("日本語 👩‍👩‍👧 é [x] :bee:") == "日本語 👩‍👩‍👧 é [x] :bee:"


def test_a_note_keeps_its_lines(capsys: pytest.CaptureFixture[str]) -> None:
    print_message("one\n\x1b]0;two\n")

    assert capsys.readouterr().err == "one\n\\x1b]0;two\n"


def test_cells_are_neither_cut_nor_folded_in_a_pipe(capsys: pytest.CaptureFixture[str]) -> None:
    path = "folder/" * 60 + "note.md"
    print_table(("state", "path", "size"), [("failed", path, "7")], right=("size",))

    heading, row = capsys.readouterr().out.splitlines()
    assert row.split() == ["failed", path, "7"]
    assert heading.split() == ["state", "path", "size"]
    assert row == row.rstrip()


def test_markup_in_a_name_is_text(capsys: pytest.CaptureFixture[str]) -> None:
    print_facts([("name", "[bold]x[/bold] :bee:\nand more")])

    assert capsys.readouterr().out == "name  [bold]x[/bold] :bee:\n      and more\n"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("columns", [30, 44, 80])
def test_no_line_is_wider_than_the_terminal(monkeypatch: pytest.MonkeyPatch, columns: int) -> None:
    terminal = Terminal()
    monkeypatch.setattr("sys.stdout", terminal)
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setenv("TERM", "xterm")
    rows = [("failed", "Garden/Bees.md", "not valid as UTF-8 and not as any other encoding")]
    print_table(("state", "path", "why"), rows)

    text = click.unstyle(terminal.getvalue())
    assert max(map(len, text.splitlines())) <= columns
    assert "Garden/Bees.md" in text
    assert "encoding" in text
