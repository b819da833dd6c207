"""Progress of an index run in the terminal.

On a terminal an index run is a bar, elsewhere a line every few seconds.
"""

from __future__ import annotations

import sys
import time
from contextlib import AbstractContextManager
from types import TracebackType
from typing import TYPE_CHECKING, Self

from notewell.base.types import Progress
from notewell.doors.cli.output import clean_lines, print_message

if TYPE_CHECKING:
    from rich.progress import Progress as Bars
    from rich.progress import Task, TaskID


_LINE_EVERY_S = 3.0
_STAGES = {
    "scan": "Looking for notes",
    "read": "Reading notes",
    "sample": "Learning approximate meaning",
    "embed": "Embedding passages",
    "done": "Done",
}


class Reporter(AbstractContextManager["Reporter"]):
    """Shows people the progress and the messages of a run."""

    def __init__(self, *, quiet: bool) -> None:
        """Prepare to draw a bar if stderr is a terminal; nothing is printed if `quiet`."""
        self._quiet = quiet
        self._bars: Bars | None = None
        self._task: TaskID | None = None
        self._stage = ""
        self._last_line = time.monotonic()
        self._stage_began = self._last_line

    def __enter__(self) -> Self:
        if not self._quiet and sys.stderr.isatty():
            self._bars = _make_bars()
            self._bars.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Remove the bar; later messages are printed as lines."""
        if self._bars is not None:
            self._bars.stop()
            self._bars = None

    def say(self, message: str) -> None:
        """Show a message; above the bar if there is one."""
        if self._quiet:
            return
        if self._bars is not None:
            self._bars.console.print(clean_lines(message))
        else:
            print_message(message)

    def update(self, progress: Progress) -> None:
        """Show how far the run is."""
        if self._quiet:
            return
        if self._bars is not None:
            self._draw(self._bars, progress)
        else:
            self._line(progress)

    def _draw(self, bars: Bars, progress: Progress) -> None:
        total = progress.total or None
        if progress.stage != self._stage or self._task is None:
            if self._task is not None:  # each stage has a bar of its own
                bars.remove_task(self._task)
            self._stage = progress.stage
            self._task = bars.add_task(_STAGES[progress.stage], total=total)
        bars.update(self._task, completed=progress.done, total=total)

    def _line(self, progress: Progress) -> None:
        now = time.monotonic()
        if progress.stage != self._stage:
            self._stage, self._stage_began = progress.stage, now
        if progress.stage == "done" or now - self._last_line < _LINE_EVERY_S:
            return
        self._last_line = now
        print_message(progress_line(progress, seconds=now - self._stage_began))


def _make_bars() -> Bars:
    """Progress bars on stderr that disappear when they stop; rich is loaded only for them."""
    from rich import progress as bars  # noqa: PLC0415
    from rich.console import Console  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    class Rate(bars.ProgressColumn):
        """Items a second."""

        def render(self, task: Task) -> Text:
            return Text(f"{task.speed:,.0f}/s" if task.speed else "")

    return bars.Progress(
        bars.TextColumn("{task.description}"),
        bars.BarColumn(),
        bars.MofNCompleteColumn(),
        Rate(),
        bars.TimeRemainingColumn(),
        console=Console(file=sys.stderr, markup=False, highlight=False, emoji=False),
        transient=True,
    )


def progress_line(progress: Progress, *, seconds: float) -> str:
    """Describe a stage that has run for `seconds`: how much is done, how fast, the time left."""
    if not progress.total:  # not known yet
        return f"{_STAGES[progress.stage]} …"
    words = f"{_STAGES[progress.stage]}: {progress.done:,} of {progress.total:,}"
    if seconds <= 0 or not progress.done:
        return words
    rate = progress.done / seconds
    left = max(0, progress.total - progress.done) / rate
    return f"{words}, {rate:,.0f}/s, {duration(left)} left"


def duration(seconds: float) -> str:
    """Format seconds for people: `42 s`, `3 min 05 s`, `1 h 20 min`."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02d} min"
