"""Reports of a vault's writer: its state, events and progress."""

from __future__ import annotations

import json
import os
import socket
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from typing import Literal

from notewell.base.types import IndexCounts, LedgerState, Progress, PropertyValue
from notewell.base.types.frozen import frozen
from notewell.contract.status import IndexProgress, Phase
from notewell.engine.ingest.active_model import ModelState
from notewell.engine.ingest.embed import model_work
from notewell.engine.ingest.plan import Guarded
from notewell.index.port import Index, IndexReader

EventKind = Literal["generation", "progress", "ledger", "state"]
LOG_SIZE = 1000

# A writer that has stored nothing for this long has ended without a word, or its machine has. One
# batch of passages takes seconds, with a slow model.
SILENT_S = 120.0
_RUN = "run"


@frozen
class Tally:
    """Totals since the writer was created."""

    runs: int = 0
    read: int = 0
    embedded: int = 0
    reused: int = 0
    removed: int = 0


@frozen
class Activity:
    """The state of the writer, what it has done, and problems that block it."""

    running: bool = False
    serving: bool = False  # a background thread does the pending work
    progress: Progress | None = None
    stage_began: float = 0.0  # time.monotonic() at which the stage of `progress` began
    problem: str | None = None  # a part of the engine that does not work, for people
    guard: Guarded | None = None
    held: Guarded | None = None  # notes of a mirror that its client no longer has, until confirmed
    paused: bool = False
    waiting: int = 0
    tally: Tally = Tally()


@frozen
class WriterEvent:
    """One event; `data` is sent as JSON by the event stream."""

    id: int
    kind: EventKind
    data: Mapping[str, PropertyValue]


class EventLog:
    """The most recent events and the subscribers. Thread-safe."""

    def __init__(self, size: int = LOG_SIZE, *, first: int = 1) -> None:
        """Keep the last `size` events. `first` is the id of the first event.

        It has to be higher than all ids of earlier server processes, so that a listener that
        reconnects after a restart receives all events of the new process.
        """
        self._lock = threading.Lock()
        self._events: deque[WriterEvent] = deque(maxlen=size)
        self._listeners: dict[int, Callable[[WriterEvent], None]] = {}
        self._last = first - 1
        self._tickets = 0

    def publish(self, kind: EventKind, **data: PropertyValue) -> WriterEvent:
        """Call all listeners in this thread; a listener must not block."""
        with self._lock:
            self._last += 1
            event = WriterEvent(self._last, kind, data)
            self._events.append(event)
            listeners = tuple(self._listeners.values())
        for listener in listeners:
            listener(event)
        return event

    def subscribe(
        self, listener: Callable[[WriterEvent], None], *, after: int | None = None
    ) -> tuple[tuple[WriterEvent, ...], Callable[[], None]]:
        """Return the stored events after an id, and call `listener` for each later event.

        With None, no stored events are returned. The second value ends the subscription. An id
        higher than all ids of this process returns every stored event.
        """
        with self._lock:
            self._tickets += 1
            ticket = self._tickets
            self._listeners[ticket] = listener
            since = self._last if after is None else after if after <= self._last else 0
            missed = tuple(event for event in self._events if event.id > since)

        def end() -> None:
            with self._lock:
                self._listeners.pop(ticket, None)

        return missed, end


@frozen
class StoredRun:
    """A run of a writer, as other processes see it."""

    phase: Literal["reading", "embedding"]
    eta_s: float | None


def store_run(index: Index, progress: IndexProgress | None) -> None:
    """Store that this process is at work; with None, or in another phase, that it is not."""
    working = progress is not None and progress.phase in {"reading", "embedding"}
    if not working or progress is None:
        if index.meta(_RUN):
            index.set_meta(_RUN, "")
        return
    run = {
        "phase": progress.phase,
        "eta_s": progress.eta_s,
        "at": time.time(),
        "pid": os.getpid(),
        "host": socket.gethostname(),
    }
    index.set_meta(_RUN, json.dumps(run))


def stored_run(index: IndexReader) -> StoredRun | None:
    """The run of another process that is at work now; None if there is none."""
    stored = index.meta(_RUN)
    if not stored:
        return None
    run = json.loads(stored)
    if abs(time.time() - run["at"]) > SILENT_S or _has_ended(run["pid"], run["host"]):
        return None
    return StoredRun(run["phase"], run["eta_s"])


def _has_ended(pid: int, host: str) -> bool:
    """True if a process is known to have ended; on Windows, signal 0 would end it."""
    if sys.platform == "win32" or host != socket.gethostname():
        return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    except OSError:  # it belongs to another user
        return False
    return False


def index_progress(index: Index, activity: Activity, models: ModelState) -> IndexProgress:
    """The progress of the index, seen by this process, whose writer's state is `activity`."""
    counts = index.counts()
    ledger = counts.ledger
    switching = models.switching
    embedded = counts.vectors if switching is None else index.covered_chunks(switching)
    to_read = ledger.get("pending", 0)
    to_embed = _to_embed(counts, ledger, models, embedded)
    elsewhere = None if index.writable else stored_run(index)  # only one process writes
    phase = _phase(activity, elsewhere, to_read=to_read, to_embed=to_embed)
    eta = None
    if elsewhere is not None:
        eta = elsewhere.eta_s
    elif phase in {"reading", "embedding"}:
        eta = _remaining(index, activity, to_embed)
    read = ledger.get("indexed", 0) + ledger.get("keyword_only", 0)
    return IndexProgress(
        phase=phase,
        notes_read=read,
        notes=read + to_read,
        passages_embedded=embedded,
        passages=counts.chunks,
        eta_s=None if eta is None else round(eta, 1),
        passages_approximate=counts.approximate,
    )


def _to_embed(
    counts: IndexCounts, ledger: Mapping[LedgerState, int], models: ModelState, embedded: int
) -> int:
    """The number of passages that wait for the model; none where no model works."""
    if models.answering is None:
        return 0
    if models.degraded is not None and models.degraded.step == "keyword_only":
        return 0
    waits = models.switching is not None or ledger.get("keyword_only", 0) > 0
    return max(counts.chunks - embedded, 0) if waits else 0


def _phase(
    activity: Activity, elsewhere: StoredRun | None, *, to_read: int, to_embed: int
) -> Phase:
    if activity.paused:
        return "paused"
    if activity.running:
        stage = None if activity.progress is None else activity.progress.stage
        return "embedding" if stage in {"sample", "embed", "done"} and not to_read else "reading"
    if activity.problem is not None:
        return "stuck"
    if activity.waiting:
        return "reading" if to_read or not to_embed else "embedding"
    if elsewhere is not None:  # it stores its phase now and then; the counts are of this moment
        return "reading" if to_read else "embedding" if to_embed else elsewhere.phase
    return "stuck" if to_read or to_embed else "idle"


def _remaining(index: Index, activity: Activity, to_embed: int) -> float | None:
    """Seconds until everything is done; None while the speed is not known."""
    progress = activity.progress
    if progress is None or not activity.running:
        return None
    spent = time.monotonic() - activity.stage_began
    left = max(progress.total - progress.done, 0)
    this_stage = spent / progress.done * left if progress.done else None
    if progress.stage not in {"read", "sample"} or this_stage is None or not to_embed:
        return this_stage
    work = model_work(index)
    if not work.embedded:
        return None
    # The notes that are still to be read have about as many passages each as the others.
    share = progress.total / progress.done if progress.stage == "read" else 1.0
    return this_stage + to_embed * share * work.seconds / work.embedded
