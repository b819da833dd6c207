"""Output of commands: results on stdout, messages for people on stderr.

Names and texts of notes are untrusted input. They are shown with their control characters escaped,
so that they cannot control the terminal. Text on stdout is folded to the width of a terminal,
styled, in tables; where stdout is no terminal, nothing is folded or styled.

Of rich, only its table of character widths is used here: importing its console takes longer than a
running server takes to answer.
"""

from __future__ import annotations

import io
import re
import shutil
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from datetime import datetime
from itertools import takewhile
from typing import NamedTuple

import click
from rich.cells import cell_len, chop_cells

from notewell.base.config.terminal import prefer_less_options, shows_colours, shows_links
from notewell.contract.codec import to_json

_LAST_WIDTH = 16  # of a table's last column, below which folding it makes it unreadable
_PIPE_WIDTH = 10_000  # nothing is folded or cut where another program reads
_GAP = "  "  # between columns
_WORD = re.compile(r"\s*\S+\s*")
# C0 and C1 controls, bidirectional overrides and isolates, lone surrogates of undecodable names.
_UNSAFE = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)


def clean(text: str) -> str:
    """Return `text` on one line, with control characters and the like as visible escapes."""
    return _UNSAFE.sub(_escape, text)


def _escape(match: re.Match[str]) -> str:
    code = ord(match.group())
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def clean_lines(text: str) -> str:
    """Return `text` as `clean` does, but keep its lines."""
    return "\n".join(map(clean, text.splitlines()))


def format_count(count: int, noun: str) -> str:
    """Return a number and its noun, which takes an `s` in the plural: `1 page`, `2,000 pages`."""
    return f"{count:,} {noun}{'s' * (count != 1)}"


def local_time(time: str | None) -> str:
    """Return a reply's time (ISO 8601) as people here read it, to the minute; empty where none."""
    return "" if time is None else f"{datetime.fromisoformat(time).astimezone():%Y-%m-%d %H:%M}"


def print_message(message: str) -> None:
    """Print a message for people on stderr."""
    click.echo(clean_lines(message), err=True)


def print_error(message: str) -> None:
    """Print on stderr what went wrong and what to do."""
    print_message(f"notewell: {message}")


def emit(document: bytes) -> None:
    """Print a JSON document, one line, on stdout."""
    click.echo(document)


def emit_object(value: object) -> None:
    """Print a reply record, or plain JSON data, on stdout."""
    emit(to_json(value))


class Piece(NamedTuple):
    """A part of a line with one style; `color` is one of click's names."""

    text: str
    color: str | None = None
    bold: bool = False
    dim: bool = False
    link: str | None = None  # a URI without control characters

    def styled(self) -> str:
        if self.link is not None:
            text = self._replace(link=None).styled()
            return f"\x1b]8;;{self.link}\x1b\\{text}\x1b]8;;\x1b\\"
        if self[1:] == (None, False, False, None):
            return self.text
        # None, unlike False, writes no code.
        return click.style(self.text, self.color, bold=self.bold or None, dim=self.dim or None)


_MORE = Piece(" …", dim=True)


def width() -> int:
    """The number of cells that a line of stdout may take."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else _PIPE_WIDTH


def print_pieces(pieces: Sequence[Piece]) -> None:
    """Print a line that is not folded, so that a path in it can be copied whole."""
    if not shows_links():
        pieces = [piece._replace(link=None) for piece in pieces]
    text = "".join(piece.styled() for piece in pieces)
    click.echo(text, color=shows_colours())


def print_folded(pieces: Sequence[Piece], *, indent: int) -> None:
    """Print text that is folded between words, each line indented by so many blanks."""
    for line in folded_pieces(pieces, max(width() - indent, 1)):
        print_pieces((Piece(" " * indent), *line))


def fold_lines(text: str, width: int) -> list[str]:
    """The lines of `text`, folded between words to `width` cells; longer words are cut.

    Blanks at the ends of lines are left out.
    """
    return [line.rstrip() for line in _lines(text, width)] or [""]


def folded_pieces(pieces: Sequence[Piece], width: int) -> Iterator[list[Piece]]:
    """The same of a text in pieces, which keep their styles."""
    begin = 0
    for line in _lines("".join(piece.text for piece in pieces), width):
        yield list(_between(pieces, begin, begin + len(line.rstrip())))
        begin += len(line)


def excerpt(pieces: Sequence[Piece], width: int) -> list[Piece]:
    """The part of the pieces that fits on one line, from shortly before the first bold one."""
    text = "".join(piece.text for piece in pieces)
    if cell_len(text) <= width:
        return list(pieces)
    before = [len(piece.text) for piece in takewhile(lambda one: not one.bold, pieces)]
    bold = sum(before) if len(before) < len(pieces) else 0
    begin = max(bold - width // 4, 0)
    begin = text.find(" ", begin, bold) + 1 if begin else 0  # the next word, or the whole text's
    room = max(width - 4, 1)
    line = next(_lines(text[begin:], room), "").rstrip()
    shown = _between(pieces, begin, begin + len(line))
    ends = begin + len(line) >= len(text.rstrip())
    return [*([Piece("… ", dim=True)] if begin else []), *shown, *([] if ends else [_MORE])]


@contextmanager
def show_in_pager() -> Iterator[None]:
    """Show what is printed to a terminal in a pager where it is longer than the screen."""
    if not (sys.stdout.isatty() and sys.stdin.isatty()):
        yield
        return
    printed = _TerminalText()
    try:
        with redirect_stdout(printed):
            yield
    finally:
        text = printed.getvalue()
        columns, lines = shutil.get_terminal_size()
        used = sum(1 + cell_len(click.unstyle(line)) // (columns + 1) for line in text.split("\n"))
        if used >= lines:
            prefer_less_options()
            click.echo_via_pager(text.removesuffix("\n"), color=shows_colours())
        else:
            click.echo(text, nl=False, color=shows_colours())


class _TerminalText(io.StringIO):
    """Text in memory that is laid out as for a terminal."""

    def isatty(self) -> bool:
        return True


def _between(pieces: Sequence[Piece], begin: int, stop: int) -> Iterator[Piece]:
    """The part of the pieces between two offsets of their whole text."""
    at = 0
    for piece in pieces:
        text = piece.text[max(begin - at, 0) : max(stop - at, 0)]
        if text:
            yield piece._replace(text=text)
        at += len(piece.text)


def _lines(text: str, width: int) -> Iterator[str]:
    """Parts of `text` that each fit into a line; together they are the text."""
    line, used = "", 0
    for word in _WORD.findall(text):
        if line and used + cell_len(word.rstrip()) > width:
            yield line
            line, used = "", 0
        *whole, rest = chop_cells(word, width) if cell_len(word.rstrip()) > width else [word]
        yield from whole
        line += rest
        used += cell_len(rest)
    if line:
        yield line


def print_table(
    headings: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    right: Sequence[str] = (),
) -> None:
    """Print rows under headings, without borders. Columns named in `right` are aligned there.

    Only the last column is folded. Where the terminal is too narrow even for that, each cell of a
    row is printed on a line of its own.
    """
    cells = [[clean(cell) for cell in row] for row in rows]
    widths = [max(map(cell_len, column)) for column in zip(headings, *cells, strict=True)]
    before = sum(widths[:-1]) + len(_GAP) * (len(widths) - 1)  # what comes before the last column
    if before + len(_GAP) + min(_LAST_WIDTH, widths[-1]) > width():
        _print_row_by_row(headings, cells)
        return
    aligned = [heading in right for heading in headings]
    _print_row(headings, widths, aligned, bold=True)
    for row in cells:
        lines = fold_lines(row[-1], width() - before)
        _print_row((*row[:-1], lines[0]), widths, aligned)
        for line in lines[1:]:
            print_pieces((Piece(" " * before + line),))


def print_facts(facts: Iterable[tuple[str, str]]) -> None:
    """Print names and values, one pair per line, with the values aligned."""
    pairs = [(clean(name), clean_lines(value)) for name, value in facts]
    indent = max((cell_len(name) for name, _ in pairs), default=0) + len(_GAP)
    for name, value in pairs:
        room = max(width() - indent, 1)
        lines = [line for part in value.splitlines() or [""] for line in fold_lines(part, room)]
        blanks = " " * (indent - cell_len(name))
        print_pieces((Piece(name, bold=True), Piece(f"{blanks}{lines[0]}".rstrip())))
        for line in lines[1:]:
            print_pieces((Piece(" " * indent + line),))


def _print_row(
    cells: Sequence[str], widths: Sequence[int], right: Sequence[bool], *, bold: bool = False
) -> None:
    padded = []
    for cell, size, to_right in zip(cells, widths, right, strict=True):
        blanks = " " * (size - cell_len(cell))
        padded.append(blanks + cell if to_right else cell + blanks)
    print_pieces((Piece(_GAP.join(padded).rstrip(), bold=bold),))


def _print_row_by_row(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    for number, row in enumerate(rows):
        if number:
            click.echo()
        print_facts((name, cell) for name, cell in zip(headings, row, strict=True) if cell)


def print_qr(link: str, *, wanted: bool | None) -> None:
    """Draw `link` on stderr for a phone's camera; by default only on a terminal."""
    if wanted is False or (wanted is None and not sys.stderr.isatty()):
        return
    import segno  # noqa: PLC0415 - only the commands that make links draw

    segno.make(link, error="l", micro=False).terminal(out=sys.stderr, compact=True, border=2)
