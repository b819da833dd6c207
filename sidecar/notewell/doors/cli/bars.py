"""Progress bars, drawn with rich, which is imported only where one is shown."""

from __future__ import annotations

import sys

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
from rich.text import Text


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
