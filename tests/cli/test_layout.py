"""Text on a terminal: folded to its width without losing any, coloured where colours are shown."""

from __future__ import annotations

import io

import click
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from notewell.cli.layout import Piece, folded, folded_pieces, print_folded, print_pieces, print_rows
from notewell.cli.output import clean, print_facts

TEXT = st.text(st.sampled_from("ab 漢字é👩.")).map(clean)
PIECES = st.lists(st.builds(Piece, TEXT, st.sampled_from([None, "cyan"]), st.booleans()))


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def terminal(monkeypatch: pytest.MonkeyPatch, *, columns: int) -> Terminal:
    """A terminal in place of stdout."""
    stdout = Terminal()
    monkeypatch.setattr("sys.stdout", stdout)
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    return stdout


@given(TEXT, st.integers(2, 12))
def test_folded_lines_fit_and_keep_the_text(text: str, width: int) -> None:
    lines = folded(text, width)

    assert all(cell_len(line) <= width for line in lines)
    assert "".join("".join(lines).split()) == "".join(text.split())


@given(PIECES, st.integers(2, 12))
def test_folded_pieces_are_the_folded_text_in_their_styles(pieces: list[Piece], width: int) -> None:
    lines = list(folded_pieces(pieces, width))

    whole = "".join(piece.text for piece in pieces)
    assert ["".join(piece.text for piece in line) for line in lines] == (
        folded(whole, width) if whole.strip() else []
    )
    shown = [piece for line in lines for piece in line]
    assert [(char, piece[1:]) for piece in shown for char in piece.text if char != " "] == [
        (char, piece[1:]) for piece in pieces for char in piece.text if char != " "
    ]


def test_lines_break_between_words() -> None:
    assert folded("bees find their way home", 10) == ["bees find", "their way", "home"]
    assert folded("in a verylongword it is", 8) == ["in a", "verylong", "word it", "is"]
    assert folded("", 8) == [""]


def test_text_below_a_result_is_indented_on_every_line(monkeypatch: pytest.MonkeyPatch) -> None:
    stdout = terminal(monkeypatch, columns=20)
    print_folded([Piece("bees find "), Piece("their", "yellow", bold=True)], indent=12)

    assert click.unstyle(stdout.getvalue()) == f"{' ' * 12}bees\n{' ' * 12}find\n{' ' * 12}their\n"
    assert "\x1b[33m\x1b[1mtheir\x1b[0m" in stdout.getvalue()


@pytest.mark.parametrize(("name", "value"), [("NO_COLOR", "1"), ("TERM", "dumb")])
def test_a_terminal_without_colours_gets_plain_text(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    stdout = terminal(monkeypatch, columns=20)
    monkeypatch.setenv(name, value)
    print_pieces([Piece("Bees", "cyan", bold=True)])

    assert stdout.getvalue() == "Bees\n"


def test_a_pipe_gets_plain_text(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    print_pieces([Piece("Bees", "cyan", bold=True)])

    assert capsys.readouterr().out == "Bees\n"


def test_only_the_last_column_is_folded(monkeypatch: pytest.MonkeyPatch) -> None:
    stdout = terminal(monkeypatch, columns=30)
    print_rows(("n", "why"), [("7", "it is not valid as UTF-8 and not otherwise")], right=("n",))

    assert click.unstyle(stdout.getvalue()).splitlines() == [
        "n  why",
        "7  it is not valid as UTF-8",
        "   and not otherwise",
    ]


def test_facts_are_folded_beside_their_names(monkeypatch: pytest.MonkeyPatch) -> None:
    stdout = terminal(monkeypatch, columns=20)
    print_facts([("name", "Home"), ("folder", "a long name of a folder")])

    assert click.unstyle(stdout.getvalue()).splitlines() == [
        "name    Home",
        "folder  a long name",
        "        of a folder",
    ]


def test_a_pipe_gets_colours_where_they_are_forced(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("FORCE_COLOR", "1")
    print_pieces([Piece("Bees", "cyan")])

    assert capsys.readouterr().out == "\x1b[36mBees\x1b[0m\n"
