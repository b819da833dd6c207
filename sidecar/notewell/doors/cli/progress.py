"""Progress of an index run, of a server's vaults and of a run that a command began.

On a terminal an index run is a bar, elsewhere a line every few seconds.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Protocol, Self

import click

from notewell.base.errors import NotewellError
from notewell.base.types import Progress, VaultRecord
from notewell.contract.status import (
    CancelRun,
    IndexProgress,
    Phase,
    RunRequest,
    RunView,
    StatusReply,
)
from notewell.doors.cli.output import clean, clean_lines, local_time, print_facts, print_message
from notewell.engine.client import Backend

if TYPE_CHECKING:
    from rich.progress import Progress as Bars
    from rich.progress import Task, TaskID


_LINE_EVERY_S = 3.0
_STAGES = {
    "scan": "Looking for notes",
    "read": "Reading notes",
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


_ASK_EVERY_S = 0.2


def ended_run(backend: Backend, run: str) -> RunView:
    """Wait for the end of a run; Ctrl-C cancels it."""
    try:
        while (found := backend.answer(RunRequest(run))).result == "running":
            time.sleep(_ASK_EVERY_S)
    except KeyboardInterrupt:
        backend.answer(CancelRun(run))
        raise
    return found


def show_run(run: RunView) -> None:
    """Print one run."""
    facts = [
        ("run", f"{run.id} ({run.kind})"),
        ("started", f"{local_time(run.started)} by {run.trigger}"),
        ("ended", local_time(run.ended) or "not yet"),
        ("result", run.result),
        ("counts", counts_text(run) or "none"),
    ]
    print_facts(facts)
    for error in run.errors:
        where = f"{error.path}: " if error.path else ""
        click.echo(clean(f"{where}{error.why}"))


def counts_text(run: RunView) -> str:
    """The counts of a run, in words."""
    counts = {name: count for name, count in run.counts.items() if count}
    one = {"errors": "error"}  # the other words are no nouns
    return ", ".join(
        f"{count:,} {one.get(name, name) if count == 1 else name}" for name, count in counts.items()
    )


_POLL_S = 1.0
_VAULT_LINE_EVERY_S = 15.0
# A server is idle for a moment before its first check of the folder begins.
_IDLE_POLLS = 2


_PHASES: Mapping[Phase, str] = {
    "reading": "Reading",
    "embedding": "Embedding",
    "paused": "Paused",
    "stuck": "Stopped",
    "idle": "Complete",
}


def progress_text(progress: IndexProgress) -> str:
    """Describe on one line how far an index is, by words and by meaning."""
    words = _share(progress.notes_read, progress.notes)
    meaning = words * _share(progress.passages_embedded, progress.passages)
    parts = [
        f"{_PHASES[progress.phase]} {progress.notes_read:,} of {progress.notes:,} notes",
        f"by words {words:.0%}",
        f"by meaning {meaning:.0%}",
    ]
    if progress.eta_s is not None:
        parts.append(f"about {duration(progress.eta_s)}")
    return " · ".join(parts)


def _share(part: int, whole: int) -> float:
    """A share that is 1 only when nothing is missing."""
    return 1.0 if part >= whole else min(part / whole, 0.99)


class Served(Protocol):
    """An open vault, as far as these lines need it."""

    @property
    def record(self) -> VaultRecord: ...

    def status(self) -> StatusReply: ...


@dataclass(slots=True)
class VaultLines:
    """Lines about one vault, whose state is passed to `line` now and then."""

    name: str
    began: float
    complete: bool = False
    _phase: Phase | None = None
    _idle: int = 0
    said: float = 0.0

    def line(self, status: StatusReply, now: float) -> str | None:
        """The line that is due at `now`, in seconds of any clock; None: nothing new."""
        progress = status.progress
        loading = status.semantic == "unavailable" and status.semantic_reason is None
        self._idle = self._idle + 1 if progress.phase == "idle" and not loading else 0
        if self._idle >= _IDLE_POLLS:
            self.complete = True
            took = f" ({duration(now - self.began)})" if status.semantic == "ready" else ""
            return f"{self.name}: {_complete(status)}{took}"
        began = progress.phase != self._phase and progress.phase == "embedding"
        self._phase = progress.phase
        if progress.phase == "idle" or not (began or now - self.said >= _VAULT_LINE_EVERY_S):
            return None
        self.said = now
        if began:
            return (
                f"{self.name}: {progress.notes_read:,} notes are found by their words;"
                f" their meaning follows ({progress.passages:,} passages)."
            )
        return f"{self.name}: {progress_text(progress)}"


def _complete(status: StatusReply) -> str:
    notes = "1 note is" if status.notes == 1 else f"{status.notes:,} notes are"
    text = f"{notes} found by words and by meaning"
    if status.semantic != "ready":
        text = f"{notes} found by words, not all by meaning: {status.semantic_reason}"
    failed = status.ledger.get("failed", 0)
    if failed:
        text += f"; {failed:,} could not be read: `notewell ledger --state failed` says why"
    return text


@contextmanager
def telling(engines: Callable[[], Sequence[Served]], say: Callable[[str], None]) -> Iterator[None]:
    """Say how far each of `engines` is while the block runs, until all are complete.

    `engines` is called anew each time, because a server opens and closes vaults.
    """
    ended = threading.Event()
    thread = threading.Thread(target=_tell, args=(engines, say, ended), name="tell-progress")
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def _tell(
    engines: Callable[[], Sequence[Served]], say: Callable[[str], None], ended: threading.Event
) -> None:
    began = time.monotonic()
    told: dict[str, VaultLines] = {}
    while not ended.wait(_POLL_S):
        for engine in engines():
            record = engine.record
            lines = told.setdefault(record.id, VaultLines(record.name, began, said=began))
            if lines.complete:
                continue
            try:
                line = lines.line(engine.status(), time.monotonic())
            except NotewellError:  # it was closed meanwhile, or `status` tells what is wrong
                continue
            if line is not None and not ended.is_set():
                say(line)
        if told and all(lines.complete for lines in told.values()):
            return
