"""What goes to the terminal: results on stdout, everything said to a person on stderr.

Names and texts of notes are other people's input. They are shown with their control characters
escaped, so that none of them can steer the terminal.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Literal

import click

from notewell.contract.codec import to_json

if TYPE_CHECKING:  # rich costs as much as the rest of `--help` together
    from rich.console import Console
    from rich.table import Table

# C0 and C1 controls, bidirectional overrides and isolates, lone surrogates of undecodable names.
_UNSAFE = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)
_LAST_WIDTH = 16  # of a table's last column, below which folding it makes it unreadable
_PIPE_WIDTH = 10_000  # nothing is folded or cut where another program reads


def clean(text: str) -> str:
    """`text` on one line and harmless: control characters and the like become visible escapes."""
    return _UNSAFE.sub(_escape, text)


def _escape(match: re.Match[str]) -> str:
    code = ord(match.group())
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def clean_lines(text: str) -> str:
    """Like `clean`, but what has several lines keeps them."""
    return "\n".join(map(clean, text.splitlines()))


def note(message: str) -> None:
    """Say something to the person, on stderr."""
    click.echo(clean_lines(message), err=True)


def complain(message: str) -> None:
    """Say on stderr what went wrong and what to do."""
    note(f"notewell: {message}")


def emit(document: bytes) -> None:
    """Print a JSON document, one line, on stdout."""
    click.echo(document)


def emit_object(value: object) -> None:
    """Print a reply record, or plain JSON data, on stdout."""
    emit(to_json(value))


def stdout_console() -> Console:
    """A console on stdout that interprets nothing in the texts it is given."""
    from rich.console import Console  # noqa: PLC0415 - loaded only where something is drawn

    width = None if sys.stdout.isatty() else _PIPE_WIDTH
    return Console(file=sys.stdout, width=width, markup=False, highlight=False, emoji=False)


def stderr_console() -> Console:
    """The same on stderr, for progress."""
    from rich.console import Console  # noqa: PLC0415

    return Console(file=sys.stderr, markup=False, highlight=False, emoji=False)


def print_table(
    headings: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    right: Sequence[str] = (),
) -> None:
    """Print rows under headings, without lines. Columns named in `right` are numbers.

    Only the last column is folded. Where the terminal is too narrow even for that, each row is
    printed by itself, a line for each cell.
    """
    from rich.cells import cell_len  # noqa: PLC0415
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    shown = [[clean(cell) for cell in row] for row in rows]
    widths = [max(map(cell_len, column)) for column in zip(headings, *shown, strict=True)]
    if sum(widths[:-1]) + 2 * len(widths) + min(_LAST_WIDTH, widths[-1]) > stdout_console().width:
        _print_rows_apart(headings, shown)
        return
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for heading in headings:
        justify: Literal["right", "left"] = "right" if heading in right else "left"
        last = heading == headings[-1]
        table.add_column(heading, justify=justify, no_wrap=not last, overflow="fold")
    for row in shown:
        table.add_row(*map(Text, row))
    _print_aligned(table)


def _print_rows_apart(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    for number, row in enumerate(rows):
        if number:
            click.echo()
        print_facts([(name, cell) for name, cell in zip(headings, row, strict=True) if cell])


def print_facts(facts: Iterable[tuple[str, str]]) -> None:
    """Print names and values, a pair a line, values aligned and folded under themselves."""
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), show_header=False)
    table.add_column(style="bold", no_wrap=True)
    table.add_column(overflow="fold")
    for name, value in facts:
        table.add_row(Text(clean(name)), Text(clean_lines(value)))
    _print_aligned(table)


def _print_aligned(table: Table) -> None:
    """Print without the blanks that fill up the last column: other programs read this too."""
    console = stdout_console()
    with console.capture() as drawn:
        console.print(table)
    for line in drawn.get().splitlines():
        click.echo(line.rstrip())
