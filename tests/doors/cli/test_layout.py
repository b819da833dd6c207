"""Text on a terminal: folded to its width without losing any, coloured where colours are shown."""

from __future__ import annotations

import click
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from notewell.doors.cli.output import (
    Piece,
    clean,
    excerpt,
    fold_lines,
    folded_pieces,
    print_facts,
    print_folded,
    print_pieces,
    print_table,
    show_in_pager,
)
from tests.doors.cli.support import terminal

TEXT = st.text(st.sampled_from("ab 漢字é👩.")).map(clean)
PIECES = st.lists(st.builds(Piece, TEXT, st.sampled_from([None, "cyan"]), st.booleans()))


@given(TEXT, st.integers(2, 12))
def test_folded_lines_fit_and_keep_the_text(text: str, width: int) -> None:
    lines = fold_lines(text, width)

    assert all(cell_len(line) <= width for line in lines)
    assert "".join("".join(lines).split()) == "".join(text.split())


@given(PIECES, st.integers(2, 12))
def test_folded_pieces_are_the_folded_text_in_their_styles(pieces: list[Piece], width: int) -> None:
    lines = list(folded_pieces(pieces, width))

    whole = "".join(piece.text for piece in pieces)
    assert ["".join(piece.text for piece in line) for line in lines] == (
        fold_lines(whole, width) if whole.strip() else []
    )
    shown = [piece for line in lines for piece in line]
    assert [(char, piece[1:]) for piece in shown for char in piece.text if char != " "] == [
        (char, piece[1:]) for piece in pieces for char in piece.text if char != " "
    ]


@given(PIECES, st.integers(8, 30))
def test_an_excerpt_fits_on_a_line(pieces: list[Piece], width: int) -> None:
    shown = "".join(piece.text for piece in excerpt(pieces, width))
    kept = shown.removeprefix("… ").removesuffix(" …")

    assert cell_len(shown) <= width
    assert kept in "".join(piece.text for piece in pieces)


def test_an_excerpt_begins_shortly_before_what_is_bold() -> None:
    pieces = [
        Piece("all that comes before the "),
        Piece("bees", bold=True),
        Piece(" and after " * 9),
    ]

    shown = "".join(piece.text for piece in excerpt(pieces, 30))
    assert shown == "… the bees and after  and …"


@pytest.mark.parametrize(("lines", "paging"), [(3, False), (30, True)])
def test_only_what_is_longer_than_the_screen_is_shown_in_a_pager(
    monkeypatch: pytest.MonkeyPatch, lines: int, *, paging: bool
) -> None:
    stdout = terminal(monkeypatch, columns=80)
    monkeypatch.setenv("LINES", "24")
    monkeypatch.setattr("sys.stdin", stdout)
    shown: list[str] = []
    monkeypatch.setattr(click, "echo_via_pager", lambda text, **_: shown.append(text))
    with show_in_pager():
        for number in range(lines):
            print_pieces([Piece(str(number))])

    text = "".join(f"{number}\n" for number in range(lines))
    assert (stdout.getvalue(), shown) == (("", [text.removesuffix("\n")]) if paging else (text, []))


def test_lines_break_between_words() -> None:
    assert fold_lines("bees find their way home", 10) == ["bees find", "their way", "home"]
    assert fold_lines("in a verylongword it is", 8) == ["in a", "verylong", "word it", "is"]
    assert fold_lines("", 8) == [""]


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
    print_table(("n", "why"), [("7", "it is not valid as UTF-8 and not otherwise")], right=("n",))

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
