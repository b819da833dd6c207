"""One vault at work: its index, its model, its writer and its readers.

One thread writes (started by `start`, or the caller's in `index_now`); any thread reads. Doors on
an event loop go through `threads`.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from notewell.base.errors import NotewellError, NotFoundError, UnreadableNoteError, UsageError
from notewell.base.support import interrupt
from notewell.base.types import (
    Embedder,
    FileRef,
    LedgerState,
    ModelRules,
    PassageText,
    Progress,
    Settings,
    VaultRecord,
)
from notewell.base.types.frozen import frozen
from notewell.contract.fields import iso
from notewell.contract.manage import StatsReply
from notewell.contract.notes import NoteReply, NoteRequest
from notewell.contract.request import Request
from notewell.contract.search import SearchReply, SearchRequest
from notewell.contract.status import IndexReport, LedgerReply, NextRun, StatusReply
from notewell.engine import note_replies, replies, statistics
from notewell.engine.answers import answer
from notewell.engine.assistants import AssistantsView, drop_hidden, features_of_view
from notewell.engine.event_loop import EventStream, RequestThreads
from notewell.engine.feature import (
    Feature,
    OpenVault,
    engines,
    files,
    fit_passages,
    open_source,
    own_folders,
    usual_times,
)
from notewell.engine.follower import Follower, VaultWatcher
from notewell.engine.index_work import IndexWork
from notewell.engine.ingest.active_model import Models
from notewell.engine.ingest.borrowed_vectors import Lend
from notewell.engine.ingest.indexer import Indexer, RunTotals
from notewell.engine.ingest.plan import claim
from notewell.engine.ingest.queue import Work
from notewell.engine.ingest.reports import Tally
from notewell.engine.ingest.token_counter import TokenCounter
from notewell.engine.ingest.writer import Writer
from notewell.engine.model_suggestions import ModelSuggestions
from notewell.engine.open_features import OpenFeatures
from notewell.engine.reader_pool import AskedSearch, LentModel, ReaderPool, SearchedVault
from notewell.engine.runs import RunLog, Runs
from notewell.engine.scheduler import Scheduler, Starts
from notewell.engine.search_history import SearchHistory
from notewell.engine.searcher import Searcher
from notewell.index.engines import DEFAULT, engine_of, open_index
from notewell.index.port import Index
from notewell.models.loading import load_embedder
from notewell.models.pool import Loader
from notewell.models.query_table_file import find_table_in
from notewell.search import tuning_file
from notewell.search.query.complete import Completions
from notewell.search.tuning_file import TuningFile
from notewell.search.weights import UNTUNED
from notewell.vault.mirror import Mirror
from notewell.vault.sources import Source
from notewell.vault.write import CheckPath, open_writer

if TYPE_CHECKING:
    from notewell.models.chat.providers import Providers


_POLL_S = 0.02
R = TypeVar("R")
ForAssistants: TypeAlias = Callable[[OpenVault], AbstractContextManager[OpenVault]]


@frozen
class EngineParts:
    """An open index and what belongs to it; `mirror` is the folder that clients fill, if they do.

    With `fetch_missing` the writer may download the model. `features` are the rows of what the
    engine answers besides searches. `shared` is what the `readers` need, which share its searches;
    None where only this process can do them. `view` is given where assistants are answered.
    """

    record: VaultRecord
    settings: Settings
    index: Index
    source: Source
    models: Models
    mirror: Mirror | None
    fetch_missing: bool
    features: tuple[Feature, ...]
    readers: ReaderPool
    shared: SearchedVault | None
    view: AssistantsView | None = None
    for_assistants: ForAssistants = nullcontext

    @property
    def check(self) -> CheckPath | None:
        return None if self.view is None else self.view.check

    @property
    def lend(self) -> Lend | None:
        return None if self.view is None else self.view.lend


class Engine:
    """One vault: search it, inspect it, keep its index up to date.

    `work` queues work for the index, `searcher` searches, `history` logs searches, `tokens` counts,
    `threads` are those for an event loop, `events` tell what happens; `vault` is what features are
    given. `shared` is what readers have of it, None where all searches are done here.
    """

    def __init__(self, parts: EngineParts) -> None:
        """Use `open`; this only puts the parts together."""
        record, index, settings = parts.record, parts.index, parts.settings
        own = open_writer(record, settings.data_dir, parts.check)
        log = RunLog(record.data_folder(settings.data_dir))
        self.record, self._parts, self._settings = record, parts, settings
        self.threads = RequestThreads(record.key, parts.readers.most)
        self._writer = Writer(
            record.name,
            index,
            Indexer(parts.source, index, settings, parts.lend, fit_passages(parts.features)),
            parts.models,
            fetch_missing=parts.fetch_missing,
            runs=log,
            priority=self.threads.priority,
            notes_changed=self._note_changes,
        )
        self.events = self._writer.events
        self.work = IndexWork(record, index, parts.source, self._writer, parts.mirror, own=own)
        self.history = SearchHistory(index, record, settings)
        self.completions = Completions(index, record.name)
        self.tokens = TokenCounter(settings.model, settings.model_dir)
        folder = record.data_folder(settings.data_dir)
        kept = files(parts.features)  # what a feature stored is not used without it
        self._tuning = TuningFile(folder).current if tuning_file.NAME in kept else lambda: UNTUNED
        find_table = find_table_in(folder, kept)
        self.searcher = Searcher(
            index,
            record,
            settings,
            parts.models,
            self._tuning,
            find_table=find_table,
            uri=parts.source.uri,
        )
        self.shared = parts.shared
        usual = usual_times(parts.features)
        self.vault = OpenVault(
            record,
            lambda: self._settings,
            index,
            parts.source,
            own,
            runs=Runs(log, record.name, self._writer.cancel_run),
            schedule=Scheduler(settings.schedule, settings.vault.reconcile_at, log, usual),
            changed=self._wrote,
            reindex=self.work.look_now,
            embedder=parts.models.for_search,
            query_table=find_table,
            chat=self._language_model,
            count_tokens=self.tokens,
            own_folders=lambda: own_folders(parts.features, self._settings),
            ask=self.answer,
            judgements=self.history.judgements,
            give_way=self.threads.priority.give_way,
            for_assistants=parts.for_assistants,
        )
        self.features = OpenFeatures(parts.features, self.vault)
        self._follower = Follower(index)
        self._watcher = VaultWatcher(record, parts.source, settings.vault.watch, self._writer.queue)

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
        readers: ReaderPool | None = None,
        source: Source | None = None,
        view: AssistantsView | None = None,
        for_assistants: ForAssistants = nullcontext,
    ) -> Engine:
        """Open the index in `directory`.

        `writable` takes the writer's lock (IndexInUseError when it is held); else an index that
        is not there is NotFoundError. One made of another vault's notes is AnotherVaultError. With
        `fetch_missing` a writer may download the model, which `load_model` gives. `features` are
        the rows of what it answers besides searches; `readers` share these. `source` has the notes,
        where they are not those of the record's folder; `view` those that assistants may see.
        `for_assistants` gives features the view of a vault.
        """
        added, readers = engines(features), readers or ReaderPool()
        index = open_index(directory, writable=writable, added=added)
        if view is not None:
            source = view.source
        source = source or open_source(features, record, settings)
        try:
            claim(index, record, writable=writable)
            if view is not None and view.lend is not None and writable:
                drop_hidden(index, view.source)
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
        shared = None
        # An index in files is one that other processes can map.
        if (
            readers.most
            and settings.model.provider == "local"
            and engine_of(directory, added) == DEFAULT
        ):
            shared = SearchedVault(record, directory, settings, tuple(features))
        rows = tuple(features) if view is None else features_of_view(features)
        parts = (record, settings, index, source, models, mirror, fetch_missing, rows)
        return cls(EngineParts(*parts, readers, shared, view, for_assistants))

    # --- reading ---------------------------------------------------------------------------

    def search(self, request: SearchRequest) -> SearchReply:
        """Search the vault, and log it. Keyword mode does not wait for the model."""
        wanted = self.features.search_requested(self.history.without_rejected(request))
        reply = self.features.search(wanted, self._search)
        return self.history.logged(request, self.features.results_ready(request, reply))

    def _search(self, request: SearchRequest) -> SearchReply:
        """Search in a reader process where its result is the same as here, otherwise here."""
        here, index = partial(self.searcher.search, request), self._parts.index
        embedder = self._parts.models.answering if request.mode != "keyword" else None
        reranks = self._settings.search.rerank if request.rerank is None else request.rerank
        unlike = embedder is None and request.mode != "keyword"
        if self.shared is None or unlike or reranks:
            return here()
        model = None if embedder is None else LentModel.of(embedder)
        asked = AskedSearch(self.record.key, index.generation, model, self._tuning(), request)
        return self._parts.readers.search(
            self.shared, asked, here, embedder.embed_query if embedder is not None else None
        )

    def answer(self, request: Request[R]) -> R:
        """Answer any request about the vault, also those of features."""
        return answer(self, request)

    def note(self, request: NoteRequest) -> NoteReply:
        """A note by its path or by the id of a passage; see `asked_for`."""
        path, passage = note_replies.asked_for(self._parts.index, request)
        reply = note_replies.note_reply(
            self._parts.index, self.record, self._parts.source, path, passage
        )
        return replace(reply, lines=self.features.note_lines(path))

    def file(self, path: str) -> FileRef:
        """A file that is indexed, as it is on disk; raises NotFoundError."""
        if self._parts.index.note_at(path) is None:
            raise NotFoundError(f"{path} is not among the documents.", code="file_not_found")
        try:
            return self._parts.source.stamp(path)
        except UnreadableNoteError as error:
            raise NotFoundError(error.message, code="file_not_found") from error

    def ledger(self, *, state: LedgerState | None = None, path: str | None = None) -> LedgerReply:
        """The states of files, all, or only those that are named."""
        index, source = self._parts.index, self._parts.source
        return replies.ledger_reply(index, self.record, source, state=state, path=path)

    def status(self) -> StatusReply:
        models = self._parts.models
        models.for_search()
        reply = replies.status_reply(
            self._parts.index,
            self.record,
            self._writer.activity,
            models.state,
            server_writes=self.work.waiting_writes,
        )
        due = (NextRun(run.kind, iso(run.at)) for run in self.vault.schedule.upcoming(time.time()))
        backup = replies.backup_state(self._settings.data_dir)
        return replace(reply, next_run=next(due, None), backup=backup)

    def stats(self, *, limit: int) -> StatsReply:
        """The vault in figures, with at most `limit` names in each list."""
        return statistics.stats_reply(self._parts.index, self.record, limit=limit)

    def passages(self) -> Iterator[PassageText]:
        """All indexed passages as a model reads them, note by note."""
        return self._parts.index.passages()

    def tally(self) -> Tally:
        """Totals of what was done since this engine was opened."""
        return self._writer.activity.tally

    @property
    def suggestions(self) -> ModelSuggestions:
        """Suggestions of a better model for the notes, and the cost of a service."""
        return ModelSuggestions(self.record, self._settings, self._parts.index)

    def follow(self, *, after: int | None = None) -> EventStream:
        """Follow what happens, on the event loop this is called on; see `EventLog.subscribe`."""
        return EventStream(partial(self.events.subscribe, after=after))

    # --- settings and models ----------------------------------------------------------------

    def use_settings(self, settings: Settings) -> None:
        """Apply settings that need no restart; running work keeps the old ones."""
        self._settings = settings
        if self.shared is not None:
            self.shared = replace(self.shared, settings=settings)
        self.searcher.use_rules(settings.search)
        self.features.settings_changed(settings)

    def use_consent(self, hosts: tuple[str, ...]) -> None:
        """Send notes to these hosts alone, from now on; a model that waited for it is loaded."""
        self._settings = replace(self._settings, model=replace(self._settings.model, consent=hosts))
        self._parts.models.use_consent(hosts)
        self.searcher.use_consent(hosts)
        if self._writer.serving:
            self._writer.load_model_soon()

    def wait_for_model(self) -> None:
        """Load the model now, if it is on this computer; a first search else does without it."""
        self._parts.models.load(fetch=False)

    def _language_model(self) -> Providers:
        from notewell.models.chat.providers import Providers  # noqa: PLC0415 - few vaults have one

        return Providers(self._settings.ask, self._settings.data_dir / "ask")

    def _wrote(self, path: str) -> None:
        """Have a note that a feature wrote indexed, here and for its owner."""
        self.work.look_at(path)
        if self._parts.view is not None:
            self._parts.view.tell_owner(path)

    def _note_changes(self, paths: Sequence[str]) -> None:
        self.features.notes_changed(paths)

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
        work = Work(full=full, confirm_removals=confirm_removals)
        totals = self._writer.run_here(work, progress, fetch=True)
        return self.report(totals, seconds=time.monotonic() - began)

    def report(self, totals: RunTotals | None = None, *, seconds: float = 0.0) -> IndexReport:
        """The totals of the index after a run that did `totals`; None: nothing."""
        guard = self._writer.activity.guard
        return replies.index_report(self._parts.index, totals or RunTotals(), seconds, guard)

    def start(self) -> None:
        """Bring the index up to date and keep it so; one that was opened to read is followed."""
        prepared = self.threads.begin(self.searcher.prepare)
        if not self._parts.index.writable:
            self._follower.start()
            return
        self._writer.start(after=prepared)
        self._watcher.start(after=prepared)
        self.features.vault_opened()
        if not self.record.view:  # runs are the owner's
            self.vault.schedule.start(self._starts())

    def wait_for_first_run(self, seconds: float) -> None:
        """Wait until the index was brought up to date once since `start`, but no longer."""
        until = time.monotonic() + seconds
        while self._parts.index.writable and not self.tally().runs and time.monotonic() < until:
            interrupt.check()
            threading.Event().wait(_POLL_S)

    def _starts(self) -> Starts:
        """Functions that begin a run of each kind that the schedule may name."""
        return {
            **self.features.runs(),
            "reconcile": lambda: self._writer.submit(Work(trigger="schedule")),
        }

    @property
    def hides_notes(self) -> bool:
        """True if it is the assistants' view of a vault, with an index that lacks some notes."""
        return self._parts.lend is not None

    @property
    def busy(self) -> bool:
        """True if closing it now would cut work off, or undo a pause."""
        activity = self._writer.activity
        return activity.running or activity.paused or activity.waiting > 0 or self.vault.runs.busy

    def close(self) -> None:
        """Stop the writer between two transactions, save snapshots, let everything go."""
        self.vault.schedule.stop()
        self.vault.runs.close()
        self.features.close()
        self._follower.stop()
        self._watcher.stop()
        self.threads.refuse_changes()
        self._writer.close()
        self.threads.close()
        self._parts.readers.forget(self.record.key)
        self.searcher.close()
        self.history.close()
        self._parts.models.close()
        self._parts.index.close()
