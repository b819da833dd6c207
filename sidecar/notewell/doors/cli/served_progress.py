"""Lines about the vaults of a server: how far each is, until all is found."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Protocol

from notewell.base.errors import NotewellError
from notewell.base.types import VaultRecord
from notewell.contract.status import (
    IndexProgress,
    Phase,
    StatusReply,
)
from notewell.doors.cli.progress import duration

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
    if progress.passages_approximate:
        parts.append("the rest by approximate meaning")
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
