"""The thread that writes the index of a vault: it runs queued work and scheduled tasks."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from functools import partial
from typing import Any

from notewell.base.errors import AnotherVaultError, IndexFailure, NotewellError, UsageError
from notewell.base.support import program
from notewell.base.support.logs import AboutFiles
from notewell.base.types import Batch, Progress
from notewell.engine.ingest.active_model import Models
from notewell.engine.ingest.indexer import Indexer, RunTotals
from notewell.engine.ingest.pace import (
    PlannedRetry,
    Schedule,
    SearchPriority,
    after_failure,
    next_retry,
)
from notewell.engine.ingest.plan import Guarded, held_removal, hold_removal
from notewell.engine.ingest.queue import Work, WorkQueue, is_nothing
from notewell.engine.ingest.recorded_runs import RecordedRuns
from notewell.engine.ingest.reports import Activity, EventLog, Tally, index_progress, store_run
from notewell.engine.ingest.signals import Signals
from notewell.engine.runs import RunLog
from notewell.index.port import Index

# Snapshots are written after this idle time, because they only make the next start faster.
IDLE_BEFORE_SAVE_S = 30.0
# The shortest time between two progress events, and how long a run of a few paths tells of none.
TELL_EVERY_S, UNTOLD_S = 0.25, 1.0

log = logging.getLogger(__name__)


class Writer:
    """Runs the write path, in its own thread (`start`) or in the caller's (`run`)."""

    def __init__(
        self,
        name: str,
        index: Index,
        indexer: Indexer,
        models: Models,
        *,
        fetch_missing: bool,
        runs: RunLog | None = None,
        schedule: Schedule | None = None,
        priority: SearchPriority | None = None,
        notes_changed: Callable[[Sequence[str]], None] = lambda _: None,
    ) -> None:
        """`runs` is where each run is recorded; the writer gives way to searches of `priority`.

        `schedule` has the times of retries and of loading the model again. `notes_changed` is
        called with the paths of notes whenever some were stored, moved or removed.
        """
        self.queue = WorkQueue()
        self.events = EventLog(first=time.time_ns() // 1_000_000)
        self._name = name
        self._index = index
        self._indexer = indexer
        self._models = models
        self._fetch_missing = fetch_missing
        self._schedule = schedule or Schedule()
        self._recorded = RecordedRuns(runs)
        self._priority = priority or SearchPriority()
        self._notes_changed = notes_changed
        self._activity = Activity(guard=held_removal(index))
        self._changing = threading.Lock()
        self._thread: threading.Thread | None = None
        self._failing: str | None = None  # the error of the last run
        self._failures = 0  # runs in a row
        self._told = 0.0
        self._run_began = 0.0
        self._run_told = False
        self._saved_generation = index.generation
        self._idle_since = time.monotonic()

    # --- called from any thread -------------------------------------------------------------

    @property
    def serving(self) -> bool:
        return self._thread is not None

    @property
    def activity(self) -> Activity:
        return replace(
            self._activity,
            serving=self.serving,
            paused=self.queue.paused,
            waiting=self.queue.waiting,
        )

    def start(self, *, after: Callable[[], object] = lambda: None) -> None:
        """Start the thread; when `after` returns, it brings the index up to date first."""
        if self._thread is not None:
            return
        self._models.served = True
        self.queue.submit(Work(trigger="schedule"))
        name, loop = f"write-{self._name}", partial(self._loop, after)
        self._thread = threading.Thread(target=loop, name=name, daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop the thread between two transactions."""
        self.queue.close()
        if self._thread is not None:
            self._thread.join()
            with suppress(IndexFailure):  # other processes see that its last run has ended
                store_run(self._index, None)

    def submit(self, work: Work) -> None:
        """Queue work for the thread; UsageError if it was not started."""
        if not self.serving:
            raise UsageError("this engine has no writer; start it before asking for work")
        self.queue.submit(work)

    def pause(self) -> None:
        self.queue.pause()
        self._change(paused=True)

    def resume(self) -> None:
        self.queue.resume()
        self._change(paused=False)

    def cancel_run(self, number: int) -> bool:
        """Stop what runs now, if it is the run with this id, and drop the queue."""
        if not self.serving or self._recorded.number != number:
            return False
        self.queue.cancel()
        return True

    def hold(self, held: Guarded | None) -> None:
        """Record notes that a mirror's client no longer has and a person has to confirm."""
        self._change(held=held)

    def load_model_soon(self) -> None:
        """Load the model as the next thing, and embed what waits for it."""
        self._schedule.plan_model(again=True, wait=False)
        self.queue.submit(Work())

    def retry(self) -> int:
        """Try all failed notes again, whatever their attempts; returns how many."""
        failed = tuple(entry.path for entry in self._index.ledger(state="failed"))
        if failed:
            self.queue.submit(Work(paths=failed, full=True))
        return len(failed)

    # --- one run, in the thread that may write ---------------------------------------------

    def run_here(
        self,
        work: Work,
        progress: Callable[[Progress], None] | None = None,
        *,
        fetch: bool = False,
    ) -> RunTotals:
        """Run in the caller's thread with the model on this computer, or one it may `fetch`."""
        self._models.load(fetch=False)
        totals = self.run(work, progress)
        # The notes are findable by keyword already; only now may a download take its time.
        missing = self._models.wanted is None and self._fetch_missing
        if fetch and missing and self._models.load(fetch=True):
            totals = totals.then(self.run(Work(), progress))
        return totals

    def run(self, work: Work, progress: Callable[[Progress], None] | None = None) -> RunTotals:
        """Run until done, paused, cancelled or closed; errors are raised to the caller."""
        began = self._run_began = time.monotonic()
        self._run_told = not work.paths  # a short run of a few paths is over before it is told
        generation = self._index.generation
        before = self._activity.problem
        self._change(running=True, problem=None)
        self._recorded.start(work)
        outcome = "stopped"
        totals = RunTotals()
        try:
            totals = self._indexer.run(work, self._models.writing, self._signals(progress))
            outcome = totals.problem or ("done" if totals.finished else "stopped")
            self._models.advance(complete=outcome == "done" and not work.paths)
        except NotewellError as error:
            outcome = error.message
            if isinstance(error, AnotherVaultError):
                self._change(guard=self._guard(RunTotals(guarded=error.gone), time.time()))
            raise
        finally:
            self._finish(work, totals, outcome)
            if self._index.generation != generation:
                self.events.publish("generation", generation=self._index.generation)
                self.events.publish(
                    "ledger", **{str(k): n for k, n in self._index.counts().ledger.items()}
                )
        log.info(
            "%s: %s in %.1f s; %d read, %d embedded, %d reused, %d removed",
            self._name,
            "indexed" if totals.finished else "indexing interrupted",
            time.monotonic() - began,
            totals.read,
            totals.embedded,
            totals.reused,
            totals.removed,
        )
        for warning in totals.warnings:
            log.warning(
                "%s: not everything is read: %s%s `notewell ledger` lists what is not, and why.",
                self._name,
                AboutFiles(warning.name),
                warning.reason,
            )
        if totals.problem is not None and before != totals.problem:
            log.warning("%s: %s", self._name, totals.problem)
        return totals

    def _signals(self, progress: Callable[[Progress], None] | None) -> Signals:
        queue = self.queue
        return Signals(
            progress=partial(self._note_progress, progress),
            vectors_stored=self._note_vectors,
            stop=lambda: (
                queue.closed or queue.paused or queue.cancelled or self._recorded.is_cancelled()
            ),
            give_way=lambda: queue.saved_waiting,
            between=self._priority.give_way,
            notes_changed=self._notes_changed,
        )

    def _finish(self, work: Work, totals: RunTotals, outcome: str) -> None:
        guard = self._activity.guard
        walked = totals.finished and outcome in {"done", totals.problem}
        seen_all = walked and not work.paths
        if seen_all or (totals.guarded and guard is None):
            guard = self._guard(totals, time.time())
        with suppress(IndexFailure):  # the error of the run itself matters more
            hold_removal(self._index, guard)
        with suppress(IndexFailure):
            failed = self._index.ledger(state="failed")
            self._recorded.end(totals, outcome, failed)
        self._idle_since = time.monotonic()
        self._change(
            running=False,
            problem=totals.problem,
            progress=None,
            guard=guard,
            tally=_count(self._activity.tally, totals),
        )
        if self._run_told:
            self._tell_progress()

    def _guard(self, totals: RunTotals, now: float) -> Guarded | None:
        if not totals.guarded:
            return None
        since = self._activity.guard.since if self._activity.guard is not None else now
        return Guarded(totals.guarded, self._index.counts().notes, since)

    def _note_progress(
        self, listener: Callable[[Progress], None] | None, progress: Progress
    ) -> None:
        now = time.monotonic()
        before = self._activity.progress
        if before is None or before.stage != progress.stage:
            self._change(stage_began=now)
        self._change(progress=progress)
        if listener is not None:
            listener(progress)
        self._run_told = self._run_told or now - self._run_began >= UNTOLD_S
        if self._run_told and now - self._told >= TELL_EVERY_S:
            self._told = now
            self._tell_progress()

    def _tell_progress(self) -> None:
        """Publish how far the index is, and store it for other processes."""
        progress = index_progress(self._index, self.activity, self._models.state)
        self.events.publish("progress", **asdict(progress))
        with suppress(IndexFailure):  # a run that cannot write says so itself
            store_run(self._index, progress)

    def _note_vectors(self) -> None:
        """Change to the configured model as soon as it has enough vectors."""
        if self._models.advance(complete=False):
            self.events.publish("generation", generation=self._index.generation)

    def _change(self, **changes: Any) -> None:
        with self._changing:
            before = _state(self._activity)
            self._activity = replace(self._activity, **changes)
            if _state(self._activity) != before:
                self.events.publish("state", **_state(self._activity))

    # --- the thread ------------------------------------------------------------------------

    def _loop(self, after: Callable[[], object]) -> None:
        self.load_model(fetch=False)
        after()
        while (work := self.queue.take(self.wait_s)) is not None:
            if is_nothing(work):
                self.do_what_is_due()
                continue
            self.attempt(work)
            self.queue.mark_done()
            if self._models.wanted is None and self._fetch_missing and not self.queue.closed:
                # Only once. The notes can be found by keyword, so a slow download does no harm.
                self._fetch_missing = False
                self.load_model(fetch=True)

    def load_model(self, *, fetch: bool) -> None:
        """Load the configured model and queue a run with it; otherwise try again later."""
        try:
            there = self._models.load(fetch=fetch)
        except IndexFailure as error:  # of a database that does not answer at the moment
            there = False
            self._fail(error.message)
        self._schedule.plan_model(again=not there)
        if there:
            self.queue.submit(Work(trigger="schedule"))

    def attempt(self, work: Work) -> None:
        """Run; an error is recorded for `status` and does not end the thread."""
        try:
            self._take_up(work, self.run(work))
        except NotewellError as error:
            if error.message != self._failing:  # an unmounted drive fails in every run
                log.warning("indexing %s stopped: %s", self._name, error.message)
            self._fail(error.message)
        except Exception:
            # The outermost handler of the thread: an unexpected error must not end it silently,
            # and the next run starts from committed state.
            log.exception("indexing %s failed", self._name)
            self._fail("indexing failed unexpectedly; the log has the details. Try a full reindex")

    def _take_up(self, work: Work, totals: RunTotals) -> None:
        """Plan what follows a run that did not fail."""
        self._failing, self._failures = None, 0
        if totals.problem is not None:
            self._schedule.plan_model(again=True)
        if self.queue.cancelled:
            self._settle()
        elif not totals.finished or (work.paths and self._activity.guard is not None):
            # Guarded notes may be back with these paths; only a run over all notes can tell.
            self.queue.submit(work.rest())
        self._schedule.plan_retry(next_retry(self._index.ledger(state="failed"), time.time()))

    def _fail(self, message: str) -> None:
        """Record why a run failed and schedule another one over the whole vault."""
        self._failing = message
        self._failures += 1
        self._schedule.plan_retry(PlannedRetry(time.time() + after_failure(self._failures), ()))
        self._change(problem=message)

    def _settle(self) -> None:
        """After a cancelled run, mark unchanged notes that were to be read again as indexed."""
        manifest = self._index.manifest()
        waiting = [entry for entry in self._index.ledger(state="pending") if entry.path in manifest]
        unchanged = tuple(
            manifest[entry.path]
            for entry in waiting
            if (entry.size, entry.mtime_ns)
            == (manifest[entry.path].size, manifest[entry.path].mtime_ns)
        )
        if unchanged:
            embedder = self._models.writing
            model = embedder.key if embedder is not None else None
            self._index.apply(Batch(touches=unchanged, model=model))

    def wait_s(self) -> float:
        """Seconds that the thread may wait for work; 0: something is due."""
        wait = self._schedule.wait_s()
        if self._index.generation != self._saved_generation:
            wait = min(wait, self._idle_since + IDLE_BEFORE_SAVE_S - time.monotonic())
        return max(wait, 0.0)

    def do_what_is_due(self) -> None:
        """Take up what is planned for now: a retry, the model, or saving an idle index."""
        retry = self._schedule.take_retry()
        if retry is not None:
            self.queue.submit(Work(paths=retry.paths, trigger="schedule"))
        if self._schedule.take_model():
            self.load_model(fetch=False)
        idle = time.monotonic() - self._idle_since
        if self._index.generation != self._saved_generation and idle >= IDLE_BEFORE_SAVE_S:
            self._saved_generation = self._index.generation
            self._index.save()
            program.release_freed_memory()


def _state(activity: Activity) -> dict[str, bool | str | None]:
    return {
        "running": activity.running,
        "paused": activity.paused,
        "problem": activity.problem,
        "guard": activity.guard is not None or activity.held is not None,
    }


def _count(tally: Tally, totals: RunTotals) -> Tally:
    return Tally(
        runs=tally.runs + 1,
        read=tally.read + totals.read,
        embedded=tally.embedded + totals.embedded,
        reused=tally.reused + totals.reused,
        removed=tally.removed + totals.removed,
    )
