"""One vault at work: its index, its model, its writer and its readers.

One thread writes (started by `start`, or the caller's
in `index_now`); any thread reads. Doors on an event loop go through `call`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from notewell.base.errors import NotewellError, NotFoundError, UnreadableNoteError, UsageError
from notewell.base.querylog import folder
from notewell.base.types import (
    Embedder,
    FileRef,
    FileStamp,
    LedgerState,
    ModelRules,
    PassageText,
    Progress,
    Settings,
    VaultRecord,
)
from notewell.contract.changes import AcceptedReply, Change, SyncReply
from notewell.contract.fields import iso
from notewell.contract.manage import StatsReply
from notewell.contract.notes import NoteReply, NoteRequest
from notewell.contract.request import Request
from notewell.contract.runs import NextRun
from notewell.contract.search import SearchReply, SearchRequest, SimilarRequest, SimilarTextRequest
from notewell.contract.status import IndexReport, LedgerReply, StatusReply
from notewell.engine import notes, status
from notewell.engine.answers import answer
from notewell.engine.client_changes import ClientChanges, QueueControl
from notewell.engine.event_loop import EventStream, RequestThreads
from notewell.engine.feature import (
    Feature,
    OpenFeatures,
    OpenVault,
    engines,
    open_source,
    own_folders,
    tuning,
)
from notewell.engine.following import Follower, VaultWatcher
from notewell.engine.ingest.active_model import Models
from notewell.engine.ingest.indexer import Indexer, RunTotals
from notewell.engine.ingest.pacing import SearchPriority
from notewell.engine.ingest.plan import claim
from notewell.engine.ingest.queue import Work
from notewell.engine.ingest.reports import Event, Tally
from notewell.engine.ingest.token_counter import TokenCounter
from notewell.engine.ingest.writer import Writer
from notewell.engine.model_suggestions import ModelSuggestions
from notewell.engine.runs import RunLog, Runs
from notewell.engine.scheduler import Scheduler, Starts
from notewell.engine.search_history import SearchHistory
from notewell.engine.searcher import Searcher
from notewell.index.engines import open_index
from notewell.index.port import Index
from notewell.models import load_embedder
from notewell.models.pool import Loader
from notewell.search.query.complete import Completions
from notewell.vault.mirror import Mirror
from notewell.vault.sources import Source
from notewell.vault.write import VaultWriter, open_writer

if TYPE_CHECKING:
    from notewell.models.chat.providers import Providers


P = ParamSpec("P")
T = TypeVar("T")
R = TypeVar("R")


class Engine:
    """One vault: search it, inspect it, keep its index up to date.

    `history` logs searches, `tokens` counts, `queue` steers; `vault` is what features are given.
    """

    def __init__(
        self,
        record: VaultRecord,
        index: Index,
        settings: Settings,
        models: Models,
        *,
        fetch_missing: bool,
        source: Source,
        mirror: Mirror | None = None,
        features: Sequence[Feature] = (),
    ) -> None:
        """Use `open`; this only puts the parts together."""
        self.record, self._settings = record, settings
        self._source, self._index, self._follower = source, index, Follower(index)
        self._models, self._fetch_missing = models, fetch_missing
        self._search_priority = SearchPriority()
        self._elsewhere: Callable[[], None] | None = None
        self._writer = Writer(
            record.name,
            index,
            Indexer(source, index, settings),
            models,
            fetch_missing=fetch_missing,
            runs=_run_log(record, settings),
            between=self._search_priority.give_way,
        )
        self.history = SearchHistory(index, record, settings)
        self.suggestions = ModelSuggestions(record, settings, index)
        self._searching = Searcher(
            index,
            record,
            settings,
            models,
            self._load_models,
            tuning=tuning(features, folder(settings.data_dir, record.id)),
            uri=source.uri,
        )
        self.completions = Completions(index, record.name)
        self.tokens = TokenCounter(settings.model, settings.model_dir)
        writer = open_writer(record, settings.data_dir)
        self.vault = self._open_vault(settings, writer, own_folders(features, settings))
        self.features = OpenFeatures(features, self.vault)
        self.client_changes = ClientChanges(
            record.path, index, self._writer, mirror, types=source.types, own=writer
        )
        self.queue = QueueControl(self._writer, index)
        self._threads = RequestThreads(record.id, self._search_priority)
        self._watching = VaultWatcher(
            record, source, settings.vault.watch, self._writer.queue.submit
        )

    @classmethod
    def open(
        cls,
        record: VaultRecord,
        directory: Path,
        settings: Settings,
        *,
        writable: bool,
        fetch_missing: bool = False,
        say: Callable[[str], None] = lambda _: None,
        load_model: Loader = load_embedder,
        features: Sequence[Feature] = (),
    ) -> Engine:
        """Open the index in `directory`.

        `writable` takes the writer's lock (IndexInUseError when it is held); else an index that
        is not there is NotFoundError. One made of another vault's notes is AnotherVaultError. With
        `fetch_missing` a writer may download the model, which `load_model` gives. `features` are
        the rows of what it answers besides searches.
        """
        index = open_index(directory, writable=writable, added=engines(features))
        source = open_source(features, record, settings)
        try:
            claim(index, record, writable=writable)
            mirror = source.receiver() if writable else None
        except NotewellError:
            index.close()
            raise

        def load(rules: ModelRules, fetch: bool) -> Embedder:
            return load_model(
                rules,
                model_dir=settings.model_dir,
                offline=settings.offline,
                fetch_missing=fetch,
                say=say,
            )

        models = Models(index, settings.model, load)
        return cls(
            record,
            index,
            settings,
            models,
            fetch_missing=fetch_missing,
            source=source,
            mirror=mirror,
            features=features,
        )

    def _open_vault(
        self, settings: Settings, writer: VaultWriter | None, own_folders: Mapping[str, str]
    ) -> OpenVault:
        runs = Runs(_run_log(self.record, settings), self.record.name, self._writer.cancel_run)
        return OpenVault(
            self.record,
            settings,
            self._index,
            self._source,
            writer,
            runs=runs,
            schedule=Scheduler(settings.schedule, settings.vault.reconcile_at, runs.log),
            changed=self._look_at,
            reindex=self._look_now,
            embedder=self._embedder,
            chat=self._language_model,
            count_tokens=self.tokens,
            own_folders=own_folders,
            ask=self.answer,
            judgements=self.history.judgements,
        )

    # --- reading ---------------------------------------------------------------------------

    def search(self, request: SearchRequest) -> SearchReply:
        """Search the vault, and log it. Keyword mode does not wait for the model."""
        shown = self.history.screened(request)
        found = self.features.search(shown, self._searching.search)
        return self.history.noted(request, self.features.refreshed(request, found))

    def answer(self, request: Request[R]) -> R:
        """Answer any request about the vault, also those of features."""
        return answer(self, request)

    def use_settings(self, settings: Settings) -> None:
        """Use from now on what of other settings needs no restart; what runs ends by the old."""
        self._settings = settings
        self._searching.use_rules(settings.search)
        self.features.use(settings)

    def use_consent(self, hosts: tuple[str, ...]) -> None:
        """Send notes to these hosts alone, from now on; a model that waited for it is loaded."""
        self._models.use_consent(hosts)
        self._searching.use_consent(hosts)
        self.suggestions = self.suggestions.with_consent(hosts)
        if self._writer.serving:
            self._writer.load_model_soon()

    def similar(self, request: SimilarRequest | SimilarTextRequest) -> SearchReply:
        """Notes like a note, or like a text."""
        return self._searching.similar(request)

    def note(self, path: str) -> NoteReply:
        """A note as it is on disk, with its data in the index."""
        return notes.note_reply(self._index, self.record, self._source, path)

    def note_asked_for(self, request: NoteRequest) -> NoteReply:
        """A note by its path or by the id of a passage; see `asked_for`."""
        path, passage = notes.asked_for(self._index, request)
        return notes.note_reply(self._index, self.record, self._source, path, passage)

    def file(self, path: str) -> FileRef:
        """A file that is indexed, as it is on disk; raises NotFoundError."""
        if self._index.note_at(path) is None:
            raise NotFoundError(f"{path} is not among the documents.", code="file_not_found")
        try:
            return self._source.stamp(path)
        except UnreadableNoteError as error:
            raise NotFoundError(error.message, code="file_not_found") from error

    def ledger(self, *, state: LedgerState | None = None, path: str | None = None) -> LedgerReply:
        """The states of files, all, or only those that are named."""
        return status.ledger_reply(self._index, self.record, self._source, state=state, path=path)

    def passages(self) -> Iterator[PassageText]:
        """All indexed passages as a model reads them, note by note."""
        return self._index.passages()

    def status(self) -> StatusReply:
        """Where the index stands."""
        self._load_models()
        waiting = self.client_changes.waiting_writes
        work, models = self._writer.activity, self._models.state
        reply = status.status_reply(self._index, self.record, work, models, server_writes=waiting)
        due = (NextRun(one.kind, iso(one.at)) for one in self.vault.schedule.upcoming(time.time()))
        return replace(reply, next_run=next(due, None))

    def stats(self, *, limit: int) -> StatsReply:
        """The vault in figures, with at most `limit` names in each list."""
        return status.stats_reply(self._index, self.record, limit=limit)

    async def call(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run a method of this engine in a reader thread; indexing gives way meanwhile."""
        return await self._threads.call(function, *args, **kwargs)

    async def call_quickly(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run a method that takes a moment, such as `status`; it never waits for searches."""
        return await self._threads.call_quickly(function, *args, **kwargs)

    async def call_in_order(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run `note_changes`, `sync` or `settle_guard`, in the order in which they were called."""
        return await self._threads.call_in_order(function, *args, **kwargs)

    def follow(self, *, after: int | None = None) -> EventStream:
        """Follow what happens, on the event loop this is called on; see `EventLog.subscribe`."""
        return EventStream(partial(self.subscribe, after=after))

    def _load_models(self) -> None:
        """Load the models that are on this machine; a server's writer does so by itself."""
        if not self._writer.serving:
            self._models.load(fetch=False)

    def _embedder(self) -> Embedder | None:
        self._load_models()
        return self._models.answering

    def _language_model(self) -> Providers:
        from notewell.models.chat.providers import Providers  # noqa: PLC0415 - few vaults have one

        return Providers(self._settings.ask, self._settings.data_dir / "ask")

    # --- writing ---------------------------------------------------------------------------

    def index_now(
        self,
        *,
        full: bool = False,
        confirm_removals: bool = False,
        progress: Callable[[Progress], None] | None = None,
    ) -> IndexReport:
        """Bring the index up to date in this thread, embeddings included; returns what was done."""
        if self._writer.serving:
            raise UsageError("this vault is being served; ask its server to reindex instead")
        began = time.monotonic()
        self._models.load(fetch=False)
        totals = self._writer.run(Work(full=full, confirm_removals=confirm_removals), progress)
        # The notes are findable by keyword already; only now may a download take its time.
        missing = self._models.wanted is None and self._fetch_missing
        if missing and self._models.load(fetch=True):
            totals = totals.then(self._writer.run(Work(), progress))
        return self.report(totals, seconds=time.monotonic() - began)

    def index_by(self, begin: Callable[[], None]) -> None:
        """Of an engine that only reads: have `begin` start a run where notes are to be indexed."""
        self._elsewhere = begin

    def report(self, totals: RunTotals | None = None, *, seconds: float = 0.0) -> IndexReport:
        """The totals of the index after a run that did `totals`; None: nothing."""
        return status.index_report(
            self._index, totals or RunTotals(), seconds, self._writer.activity.guard
        )

    def start(self) -> None:
        """Bring the index up to date and keep it so; one that was opened to read is followed."""
        prepared = self._threads.begin(self._searching.prepare)
        if not self._index.writable:
            self._follower.start()
            return
        self._writer.start(after=prepared)
        self._watching.start(after=prepared)
        self.features.start()
        self.vault.schedule.start(self._starts())

    def reindex(
        self, *, full: bool = False, paths: Sequence[str] = (), confirm_removals: bool = False
    ) -> AcceptedReply:
        """Queue a run over the vault or over some notes and folders of it (`check_paths`)."""
        self.check_paths(paths)
        work = Work(paths=tuple(paths), full=full, confirm_removals=confirm_removals)
        self._writer.submit(work)
        return AcceptedReply(max(len(paths), 1), self._index.generation)

    def check_paths(self, paths: Sequence[str]) -> None:
        """See `ClientChanges.check_paths`."""
        self.client_changes.check_paths(paths)

    def note_changes(self, changes: Sequence[Change]) -> AcceptedReply:
        """Accept changes, all or none; their paths are indexed before the backlog.

        A mirror's notes are written to its folder first. One thread at a time; doors on an event
        loop use `call_in_order`.
        """
        return self.client_changes.take(changes)

    def sync(self, files: Sequence[FileStamp]) -> SyncReply:
        """Compare a client's list of all its files with ours; called like `note_changes`."""
        return self.client_changes.sync(files)

    def settle_guard(self, *, remove: bool) -> AcceptedReply:
        """Confirm or refuse the removal of notes that disappeared; called like `note_changes`.

        Not to remove it keeps it, and the guard with it, until the notes are seen again.
        """
        return self.client_changes.settle_guard(remove=remove)

    def tally(self) -> Tally:
        """What was done since this engine was opened."""
        return self._writer.activity.tally

    @property
    def busy(self) -> bool:
        """Whether closing it now would cut work off, or undo a pause."""
        activity = self._writer.activity
        return activity.running or activity.paused or activity.waiting > 0 or self.vault.runs.busy

    def wait_for_model(self) -> None:
        """Load the model now, if it is on this computer; a first search else does without it."""
        self._models.load(fetch=False)

    def subscribe(
        self, listener: Callable[[Event], None], *, after: int | None = None
    ) -> tuple[tuple[Event, ...], Callable[[], None]]:
        """Follow what happens; see `EventLog.subscribe`."""
        return self._writer.events.subscribe(listener, after=after)

    def close(self) -> None:
        """Stop the writer between two transactions, save snapshots, let everything go."""
        self.vault.schedule.stop()
        self.vault.runs.close()
        self.features.close()
        self._follower.stop()
        self._watching.stop()
        self._threads.refuse_changes()
        self._writer.close()
        self._threads.close()
        self._searching.close()
        self.history.close()
        self._models.close()
        self._index.close()

    def _starts(self) -> Starts:
        """What begins a run of each kind that the schedule may name."""
        return {
            **self.features.runs(),
            "reconcile": lambda: self._writer.submit(Work(trigger="schedule")),
        }

    def _look_at(self, path: str) -> None:
        """Have a note that was written here indexed; without a writer, the next run finds it."""
        if self._writer.serving:
            self._writer.submit(Work(paths=(path,), saved=True, trigger="client"))

    def _look_now(self, *paths: str) -> None:
        """Have paths, or the whole vault, indexed by the writer or in this thread."""
        if self._writer.serving:
            self._writer.submit(Work(paths=paths))
        elif self._elsewhere is not None:
            self._elsewhere()
        else:
            self._models.load(fetch=False)
            self._writer.run(Work(paths=paths))


def _run_log(record: VaultRecord, settings: Settings) -> RunLog:
    """The log of a vault's runs, even if a setting puts the index elsewhere."""
    return RunLog(settings.data_dir / "vaults" / record.id)
