"""Text on stdout: folded to the width of the terminal, styled, in tables.

Of rich, only its table of character widths is used here: importing its console takes longer than a
running server takes to answer. Where stdout is no terminal, nothing is folded or styled.
"""

from __future__ import annotations

import io
import re
import shutil
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from itertools import takewhile
from typing import NamedTuple

import click
from rich.cells import cell_len, chop_cells

from notewell.base.config.terminal import prefer_less_options, shows_colours, shows_links

_LAST_WIDTH = 16  # of a table's last column, below which folding it makes it unreadable
_PIPE_WIDTH = 10_000  # nothing is folded or cut where another program reads
_GAP = "  "  # between columns
_WORD = re.compile(r"\s*\S+\s*")


class Piece(NamedTuple):
    """A part of a line with one style; `color` is one of click's names."""

    text: str
    color: str | None = None
    bold: bool = False
    dim: bool = False
    link: str | None = None  # a URI without control characters

    def styled(self) -> str:
        """The text with the terminal's codes."""
        if self.link is not None:
            text = self._replace(link=None).styled()
            return f"\x1b]8;;{self.link}\x1b\\{text}\x1b]8;;\x1b\\"
        if self[1:] == (None, False, False, None):
            return self.text
        # None, unlike False, writes no code.
        return click.style(self.text, self.color, bold=self.bold or None, dim=self.dim or None)


_MORE = Piece(" …", dim=True)


def width() -> int:
    """How many cells a line of stdout may take."""
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


def folded(text: str, width: int) -> list[str]:
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
    """What of the pieces fits on one line, from shortly before the first bold one."""
    text = "".join(piece.text for piece in pieces)
    if cell_len(text) <= width:
        return list(pieces)
    before = [len(one.text) for one in takewhile(lambda one: not one.bold, pieces)]
    bold = sum(before) if len(before) < len(pieces) else 0
    begin = max(bold - width // 4, 0)
    begin = text.find(" ", begin, bold) + 1 if begin else 0  # the next word, or the whole text's
    room = max(width - 4, 1)
    line = next(_lines(text[begin:], room), "").rstrip()
    shown = _between(pieces, begin, begin + len(line))
    ends = begin + len(line) >= len(text.rstrip())
    return [*([Piece("… ", dim=True)] if begin else []), *shown, *([] if ends else [_MORE])]


@contextmanager
def paged() -> Iterator[None]:
    """Show what is printed to a terminal in a pager where it is longer than the screen."""
    if not (sys.stdout.isatty() and sys.stdin.isatty()):
        yield
        return
    kept = _Kept()
    try:
        with redirect_stdout(kept):
            yield
    finally:
        text = kept.getvalue()
        columns, lines = shutil.get_terminal_size()
        used = sum(1 + cell_len(click.unstyle(line)) // (columns + 1) for line in text.split("\n"))
        if used >= lines:
            prefer_less_options()
            click.echo_via_pager(text.removesuffix("\n"), color=shows_colours())
        else:
            click.echo(text, nl=False, color=shows_colours())


class _Kept(io.StringIO):
    """What is printed, kept to be shown at a terminal, for which it is laid out."""

    def isatty(self) -> bool:
        return True


def _between(pieces: Sequence[Piece], begin: int, stop: int) -> Iterator[Piece]:
    """What of the pieces is between two offsets of their whole text."""
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


def print_rows(
    headings: Sequence[str], rows: Sequence[Sequence[str]], *, right: Sequence[str]
) -> None:
    """Print rows of cells that are clean already; see `output.print_table`."""
    widths = [max(map(cell_len, column)) for column in zip(headings, *rows, strict=True)]
    before = sum(widths[:-1]) + len(_GAP) * (len(widths) - 1)  # what comes before the last column
    if before + len(_GAP) + min(_LAST_WIDTH, widths[-1]) > width():
        _print_row_by_row(headings, rows)
        return
    aligned = [heading in right for heading in headings]
    _print_row(headings, widths, aligned, bold=True)
    for row in rows:
        lines = folded(row[-1], width() - before)
        _print_row((*row[:-1], lines[0]), widths, aligned)
        for line in lines[1:]:
            print_pieces((Piece(" " * before + line),))


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
        print_pairs((name, cell) for name, cell in zip(headings, row, strict=True) if cell)


def print_pairs(pairs: Iterable[tuple[str, str]]) -> None:
    """Print names and values that are clean already; see `output.print_facts`."""
    facts = list(pairs)
    indent = max((cell_len(name) for name, _ in facts), default=0) + len(_GAP)
    for name, value in facts:
        room = max(width() - indent, 1)
        lines = [line for part in value.splitlines() or [""] for line in folded(part, room)]
        blanks = " " * (indent - cell_len(name))
        print_pieces((Piece(name, bold=True), Piece(f"{blanks}{lines[0]}".rstrip())))
        for line in lines[1:]:
            print_pieces((Piece(" " * indent + line),))
