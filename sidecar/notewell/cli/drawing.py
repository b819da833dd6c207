"""Tables, facts and progress bars, drawn with rich.

Loading rich takes as long as a running server's reply, so `output` and `progress` import this
module only where something is drawn.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from typing import Literal

import click
from rich.cells import cell_len
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TextColumn,
    TimeRemainingColumn,
)
from rich.table import Table
from rich.text import Text

_LAST_WIDTH = 16  # of a table's last column, below which folding it makes it unreadable
_PIPE_WIDTH = 10_000  # nothing is folded or cut where another program reads


def stdout_console() -> Console:
    """Return a console on stdout that prints texts as they are, without markup."""
    width = None if sys.stdout.isatty() else _PIPE_WIDTH
    return Console(file=sys.stdout, width=width, markup=False, highlight=False, emoji=False)


def draw_table(
    headings: Sequence[str], rows: Sequence[Sequence[str]], *, right: Sequence[str]
) -> None:
    """Print rows of cells that are clean already; see `output.print_table`."""
    widths = [max(map(cell_len, column)) for column in zip(headings, *rows, strict=True)]
    if sum(widths[:-1]) + 2 * len(widths) + min(_LAST_WIDTH, widths[-1]) > stdout_console().width:
        _draw_row_by_row(headings, rows)
        return
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for heading in headings:
        justify: Literal["right", "left"] = "right" if heading in right else "left"
        last = heading == headings[-1]
        table.add_column(heading, justify=justify, no_wrap=not last, overflow="fold")
    for row in rows:
        table.add_row(*map(Text, row))
    _print_aligned(table)


def _draw_row_by_row(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    for number, row in enumerate(rows):
        if number:
            click.echo()
        draw_facts((name, cell) for name, cell in zip(headings, row, strict=True) if cell)


def draw_facts(facts: Iterable[tuple[str, str]]) -> None:
    """Print names and values that are clean already; see `output.print_facts`."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), show_header=False)
    table.add_column(style="bold", no_wrap=True)
    table.add_column(overflow="fold")
    for name, value in facts:
        table.add_row(Text(name), Text(value))
    _print_aligned(table)


def _print_aligned(table: Table) -> None:
    """Print without trailing blanks: other programs read this too."""
    console = stdout_console()
    with console.capture() as drawn:
        console.print(table)
    for line in drawn.get().splitlines():
        click.echo(line.rstrip())


def make_bars() -> Progress:
    """Return progress bars on stderr that disappear when they stop."""
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        _Rate(),
        TimeRemainingColumn(),
        console=Console(file=sys.stderr, markup=False, highlight=False, emoji=False),
        transient=True,
    )


class _Rate(ProgressColumn):
    """Items a second."""

    def render(self, task: Task) -> Text:
        return Text(f"{task.speed:,.0f}/s" if task.speed else "")
