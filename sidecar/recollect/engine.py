"""One vault at work: its index, its model, its writer and its readers.

The only place where threads meet asyncio. One thread writes (started by `start`, or the caller's
in `index_now`); any thread reads. Doors on an event loop go through `call`.
"""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import ParamSpec, TypeVar

from recollect import views
from recollect.errors import RecollectError, UsageError
from recollect.index.index import Index
from recollect.ingest.indexer import Indexer, RunTotals
from recollect.ingest.queue import Work, WorkQueue
from recollect.models import load_embedder
from recollect.models.slot import ModelSlot
from recollect.replies import (
    AcceptedReply,
    Guard,
    IndexReport,
    LedgerReply,
    NoteReply,
    SearchReply,
    StatusReply,
)
from recollect.search import pipeline
from recollect.search import similar as similar_notes
from recollect.times import iso
from recollect.types import (
    Embedder,
    LedgerState,
    Progress,
    SearchRequest,
    Settings,
    SimilarRequest,
    VaultRecord,
)
from recollect.views import Activity

P = ParamSpec("P")
T = TypeVar("T")

# Readers are short and mostly wait for native code; a few threads keep one slow request from
# holding up the next.
READERS = 4

log = logging.getLogger(__name__)


def _quiet(_: str) -> None:
    """Say nothing."""


class Engine:
    """One vault: search it, look at it, keep its index in step."""

    def __init__(
        self, record: VaultRecord, index: Index, settings: Settings, slot: ModelSlot
    ) -> None:
        """Use `open`; this only puts the parts together."""
        self.record = record
        self._index = index
        self._settings = settings
        self._slot = slot
        self._indexer = Indexer(record.path, index, settings)
        self._queue = WorkQueue()
        self._readers = ThreadPoolExecutor(READERS, thread_name_prefix=f"read-{record.id}")
        self._writer: threading.Thread | None = None
        self._activity = Activity()
        self._stopping = threading.Event()
        self._fetch_missing = False

    @classmethod
    def open(
        cls,
        record: VaultRecord,
        directory: Path,
        settings: Settings,
        *,
        writable: bool,
        fetch_missing: bool = False,
        say: Callable[[str], None] = _quiet,
    ) -> Engine:
        """Open the index in `directory`.

        `writable` takes the writer's lock (IndexInUseError when it is held); else an index that
        is not there is NotFoundError. With `fetch_missing` a writer may download the model.
        """
        index = Index.open(directory, writable=writable)

        def load(fetch: bool) -> Embedder:
            embedder = load_embedder(
                settings.model,
                model_dir=settings.model_dir,
                offline=settings.offline,
                fetch_missing=fetch,
                say=say,
            )
            index.use_model(embedder.key, embedder.dimensions)
            return embedder

        engine = cls(record, index, settings, ModelSlot(load))
        engine._fetch_missing = fetch_missing
        return engine

    # --- reading ---------------------------------------------------------------------------

    def search(self, request: SearchRequest) -> SearchReply:
        """Search the vault. Keyword mode does not wait for the model."""
        embedder = None if request.mode == "keyword" else self._embedder()
        return pipeline.search(
            self._index,
            embedder,
            request,
            self._settings.search,
            self.record,
            semantic_reason=self._slot.reason,
        )

    def similar(self, request: SimilarRequest) -> SearchReply:
        """Notes like a note, or like a text."""
        return similar_notes.similar(
            self._index,
            self._embedder(),
            request,
            self._settings.search,
            self.record,
            semantic_reason=self._slot.reason,
        )

    def note(self, path: str) -> NoteReply:
        """A note as it stands on disk, with what the index knows of it."""
        return views.note_reply(self._index, self.record, self._settings.vault, path)

    def ledger(self, *, state: LedgerState | None = None, path: str | None = None) -> LedgerReply:
        """The states of files, all or those asked for."""
        return views.ledger_reply(
            self._index, self.record, self._settings.vault, state=state, path=path
        )

    def status(self) -> StatusReply:
        """Where the index stands."""
        embedder = self._embedder()
        return views.status_reply(
            self._index,
            self.record,
            self._activity,
            model=embedder.key if embedder is not None else None,
            model_reason=self._slot.reason,
        )

    async def call(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run a method of this engine in one of its reader threads."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._readers, partial(function, *args, **kwargs))

    def _embedder(self) -> Embedder | None:
        """The model. A reader loads what is on this machine; a server's writer has done it."""
        if self._writer is None:
            return self._slot.load(fetch=False)
        return self._slot.embedder

    # --- writing ---------------------------------------------------------------------------

    def index_now(
        self,
        *,
        full: bool = False,
        confirm_removals: bool = False,
        progress: Callable[[Progress], None] | None = None,
    ) -> IndexReport:
        """Bring the index up to date in this thread, model included, and say what was done."""
        if self._writer is not None:
            raise UsageError("this vault is being served; ask its server to reindex instead")
        began = time.monotonic()
        work = Work(full=full, confirm_removals=confirm_removals)
        self._slot.load(fetch=False)
        totals = self._run(work, progress)
        # The notes are findable by keyword already; only now may a download take its time.
        absent = self._slot.embedder is None and self._fetch_missing
        if absent and self._slot.load(fetch=True) is not None:
            totals = _sum(totals, self._run(Work(), progress))
        return self._report(totals, time.monotonic() - began)

    def start(self) -> None:
        """Begin the background writer; its first work is to bring the index up to date."""
        if self._writer is not None:
            return
        self._activity = replace(self._activity, started=True)
        self._queue.submit(Work())
        self._writer = threading.Thread(
            target=self._write, name=f"write-{self.record.id}", daemon=True
        )
        self._writer.start()

    def reindex(self, *, full: bool = False, paths: Sequence[str] = ()) -> AcceptedReply:
        """Queue a run over the vault or over some notes and folders of it."""
        if self._writer is None:
            raise UsageError("this engine has no writer; start it before asking for a reindex")
        self._queue.submit(Work(full=full, paths=tuple(paths)))
        return AcceptedReply(accepted=max(len(paths), 1), generation=self._index.generation)

    def close(self) -> None:
        """Stop the writer between two transactions, save snapshots, let everything go."""
        self._stopping.set()
        self._queue.close()
        if self._writer is not None:
            self._writer.join()
        self._readers.shutdown(wait=True, cancel_futures=True)
        self._slot.close()
        self._index.close()

    def _write(self) -> None:
        self._slot.load(fetch=False)
        while (work := self._queue.take()) is not None:
            self._guarded_run(work)
            if self._slot.embedder is None and self._fetch_missing and not self._stopping.is_set():
                self._fetch_missing = False
                if self._slot.load(fetch=True) is not None:
                    self._guarded_run(Work())

    def _guarded_run(self, work: Work) -> None:
        """Run; an error leaves the index as it was, is kept for `status`, and ends no thread."""
        try:
            self._run(work, None)
        except RecollectError as error:
            log.warning("indexing %s stopped: %s", self.record.name, error.message)
            self._activity = replace(self._activity, running=False, problem=error.message)
        except Exception:
            # The writer's thread is the last boundary: what nobody expected must not end it
            # unseen, and the next run starts from committed state anyway.
            log.exception("indexing %s failed", self.record.name)
            problem = "indexing failed unexpectedly; the log has the details. Try a full reindex"
            self._activity = replace(self._activity, running=False, problem=problem)

    def _run(self, work: Work, progress: Callable[[Progress], None] | None) -> RunTotals:
        self._activity = replace(self._activity, running=True, problem=None)
        try:
            totals = self._indexer.run(
                self._slot.embedder,
                full=work.full,
                paths=work.paths,
                confirm_removals=work.confirm_removals,
                progress=partial(self._note_progress, progress),
                stop=self._stopping.is_set,
            )
        finally:
            self._activity = replace(self._activity, running=False, progress=None)
        if not work.paths:
            self._activity = replace(self._activity, guard=self._guard(totals))
        for warning in totals.warnings:
            log.warning("%s: %s", self.record.name, warning)
        return totals

    def _note_progress(
        self, listener: Callable[[Progress], None] | None, progress: Progress
    ) -> None:
        before = self._activity.progress
        if before is None or before.stage != progress.stage:
            self._activity = replace(self._activity, stage_began=time.monotonic())
        self._activity = replace(self._activity, progress=progress)
        if listener is not None:
            listener(progress)

    def _guard(self, totals: RunTotals) -> Guard | None:
        if not totals.guarded:
            return None
        since = self._activity.guard.since if self._activity.guard else iso(time.time()) or ""
        return Guard(gone=totals.guarded, total=self._index.counts().notes, since=since)

    def _report(self, totals: RunTotals, seconds: float) -> IndexReport:
        counts = self._index.counts()
        ledger = views.ledger_counts(self._index)
        return IndexReport(
            notes=counts.notes,
            chunks=counts.chunks,
            failed=ledger["failed"],
            excluded=ledger["excluded"],
            embedded=totals.embedded,
            reused=totals.reused,
            removed=totals.removed,
            seconds=round(seconds, 3),
        )


def _sum(first: RunTotals, second: RunTotals) -> RunTotals:
    return replace(
        second,
        read=first.read + second.read,
        embedded=first.embedded + second.embedded,
        reused=first.reused + second.reused,
        removed=first.removed + second.removed,
    )
