"""Finds the backend of a vault on this computer: its server where one runs, else its index.

The choice is made anew for each call, so that a server may come and go: a running server's model is
used instead of loading a second one, and an index that was opened here is closed once a server has
it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from notewell.base.errors import NotewellError, NotFoundError, ServerError
from notewell.base.support import interrupt
from notewell.base.types import VaultRecord
from notewell.contract.request import Request
from notewell.contract.status import AcceptedReply, ReindexRequest, StatusReply, StatusRequest
from notewell.doors.mcp.tool import Jobs, ToolContext, VaultFacts
from notewell.engine.assistants import FIRST_RUN_S, view_of
from notewell.engine.client import Backend, LocalBackend, RemoteBackend, running_server
from notewell.engine.ingest.token_counter import TokenCounter
from notewell.engine.known_vaults import KnownVaults
from notewell.engine.several_vaults import SeveralBackends, find_named

if TYPE_CHECKING:  # these take long to load, and are not needed where a server answers
    from notewell.engine.engine import Engine
    from notewell.engine.open_vaults import Vaults

WORKERS = 8  # calls that are answered at the same time; others wait

T = TypeVar("T")
R = TypeVar("R")


@dataclass(slots=True)
class _Open:
    """An index that is open here to read; `users` counts the calls that work with it.

    `view` is the vault as assistants see it, where that is another one, which is kept up to date
    here. `stale`: all is closed as soon as no call works with it.
    """

    vaults: Vaults
    engine: Engine
    view: Engine | None = None
    users: int = 0
    stale: bool = False


@dataclass(slots=True)
class _Run:
    """An index run of this process. `engine` is open while it runs; `problem` is why it failed.

    `again`: another was asked for meanwhile, over all notes if `full`.
    """

    thread: threading.Thread | None = None
    engine: Engine | None = None
    problem: str | None = None
    again: bool = False
    full: bool = False

    @property
    def running(self) -> bool:
        thread = self.thread
        return thread is not None and thread.is_alive()


class LocalSource:
    """Finds the backends of known vaults. Any thread may call; `close` ends all that is open."""

    def __init__(
        self,
        known: KnownVaults,
        make_vaults: Callable[[], Vaults],
        *,
        only: VaultRecord | None,
        cwd: Path,
    ) -> None:
        """`make_vaults` makes a new object to open known vaults with.

        `only` is the one vault that may be used; None: all. `cwd` decides which vault is meant
        where none is named.
        """
        self._known = known
        self._make_vaults = make_vaults
        self._only = only
        self._cwd = cwd
        self._jobs = Jobs()
        self._lock = threading.Lock()
        self._workers = ThreadPoolExecutor(WORKERS, thread_name_prefix="mcp")
        self._closing = False
        self._open: dict[str, _Open] = {}
        self._runs: dict[str, _Run] = {}
        self._counters: dict[str, TokenCounter] = {}

    async def run(self, vault: str | None, work: Callable[[ToolContext], T]) -> T:
        """See `Source`. Work whose caller is cancelled ends at its next stage."""
        return await interrupt.run_in(self._workers, partial(self._run, vault, work))

    def close(self) -> None:
        """End what runs, and close what is open. What a run has indexed stays; the rest waits."""
        self._closing = True
        self._workers.shutdown(wait=True, cancel_futures=True)
        for run in list(self._runs.values()):
            if run.engine is not None:
                run.engine.work.cancel()
            if (thread := run.thread) is not None:
                thread.join()
        for opened in list(self._open.values()):
            opened.vaults.close()

    def _run(self, vault: str | None, work: Callable[[ToolContext], T]) -> T:
        interrupt.check()
        chosen = find_named(vault, self._known.records()) if self._only is None else ()
        if chosen:
            return self._run_over(chosen, work)
        record = self._record(vault)
        server = running_server(self._known.directory(record))
        if server is not None:
            self._release(record)
            try:
                return work(self._context(record, RemoteBackend(server, vault=view_of(record).key)))
            except ServerError:
                if running_server(self._known.directory(record)) is not None:
                    raise  # it still runs, and fails
        with self._seen(record) as backend:
            return work(self._context(record, backend))

    def _run_over(self, chosen: tuple[VaultRecord, ...], work: Callable[[ToolContext], T]) -> T:
        with ExitStack() as held:
            backends: list[tuple[str, Backend]] = []
            for record in chosen:
                server = running_server(self._known.directory(record))
                view = view_of(record).key
                remote = None if server is None else RemoteBackend(server, vault=view)
                backend = remote or held.enter_context(self._seen(record))
                backends.append((record.name, backend))
            return work(self._context(chosen[0], SeveralBackends(backends)))

    def _record(self, vault: str | None) -> VaultRecord:
        if self._only is None:
            return self._known.find(vault, cwd=self._cwd)
        if vault is not None and vault not in {self._only.id, self._only.name}:
            raise NotFoundError(
                f"no vault '{vault}' here; this assistant may only use {self._only.name}",
                code="vault_not_found",
            )
        return self._only

    def _context(self, record: VaultRecord, backend: Backend) -> ToolContext:
        records = self._known.records() if self._only is None else (self._only,)
        facts = tuple(
            VaultFacts(record.id, record.name, default=record.default) for record in records
        )
        return ToolContext(record.id, backend, self._counter(record), self._jobs, facts)

    def _counter(self, record: VaultRecord) -> TokenCounter:
        if record.id not in self._counters:
            settings = self._known.settings(record)
            self._counters[record.id] = TokenCounter(settings.model, settings.model_dir)
        return self._counters[record.id]

    @contextmanager
    def _seen(self, record: VaultRecord) -> Iterator[Backend]:
        """Open the vault as assistants see it, for as long as the block runs."""
        run = self._runs.setdefault(record.id, _Run())
        indexing = run.running
        with self._open_index(record, run) as opened:
            seen = opened.vaults.for_assistants(record)
            if seen.key == record.key:
                yield _IndexingBackend(opened.engine, run, self, record, indexing=indexing)
            else:
                yield LocalBackend(self._view(opened, seen, run))

    @contextmanager
    def _open_index(self, record: VaultRecord, run: _Run) -> Iterator[_Open]:
        """Open the owner's index to read, for as long as the block runs."""
        with self._lock:
            interrupt.check()  # others may have waited here for the index to open
            opened = self._open.get(record.id)
            if opened is None or opened.stale:
                vaults = self._make_vaults()
                opened = _Open(vaults, _open_to_read(vaults, record))
                opened.engine.work.elsewhere = partial(self.begin_run, record, run, full=False)
                vaults.held(record)  # until all of `vaults` is closed
                self._open[record.id] = opened
            opened.users += 1
        try:
            yield opened
        finally:
            with self._lock:
                opened.users -= 1
                self._close_if_unused(record, opened)

    def _view(self, opened: _Open, seen: VaultRecord, run: _Run) -> Engine:
        """Open the vault as assistants see it, and keep it so unless another process does."""
        with self._lock:
            engine = opened.vaults.open(seen, writable=True)
            is_new = engine is not opened.view
            if is_new:
                engine.work.elsewhere = partial(self.begin_run, seen.owners, run, full=False)
                engine.wait_for_model()
                engine.start()
                opened.view = engine
        if is_new:
            engine.wait_for_first_run(FIRST_RUN_S)
        return engine

    def _release(self, record: VaultRecord) -> None:
        """Close the vault's index as soon as no call works with it."""
        with self._lock:
            opened = self._open.get(record.id)
            if opened is not None:
                opened.stale = True
                self._close_if_unused(record, opened)

    def _close_if_unused(self, record: VaultRecord, opened: _Open) -> None:
        if opened.stale and opened.users == 0:
            if self._open.get(record.id) is opened:
                del self._open[record.id]
            opened.vaults.close()

    def begin_run(self, record: VaultRecord, run: _Run, *, full: bool) -> None:
        """Index a vault in a thread; where one does so, again: it may have passed what changed."""
        with self._lock:
            run.again, run.full = True, run.full or full
            if not run.running:
                run.thread = threading.Thread(
                    target=self._index, args=(record, run), name=f"index-{record.id}"
                )
                run.thread.start()

    def _index(self, record: VaultRecord, run: _Run) -> None:
        while True:
            with self._lock:
                if not run.again or self._closing:
                    run.thread = None
                    return
                full = run.full
                run.again, run.full, run.problem = False, False, None
            self._index_once(record, run, full=full)

    def _index_once(self, record: VaultRecord, run: _Run, *, full: bool) -> None:
        vaults = self._make_vaults()
        try:
            run.engine = vaults.open(record, writable=True)
            if not self._closing:
                run.engine.index_now(full=full)
        except NotewellError as error:
            run.problem = error.message
        finally:
            run.engine = None
            vaults.close()
            self._release(record)  # the next call opens what the run has written


class _IndexingBackend(LocalBackend):
    """Answers from an index that no server has open, and can also bring it up to date."""

    def __init__(
        self, engine: Engine, run: _Run, source: LocalSource, record: VaultRecord, *, indexing: bool
    ) -> None:
        """`indexing`: a run was at work before `engine` was opened, which has not what it wrote."""
        super().__init__(engine)
        self._indexing = indexing
        self._index_run = run
        self._source = source
        self._record = record

    def answer(self, request: Request[R]) -> R:
        """Answer a request. Reindexing starts a run of this process, which the status includes."""
        reply: Any
        if isinstance(request, StatusRequest):
            reply = self._status(super().answer(request))
        elif isinstance(request, ReindexRequest):
            self._engine.work.check_paths(request.paths)
            self._source.begin_run(self._record, self._index_run, full=request.full)
            reply = AcceptedReply(max(len(request.paths), 1), generation=0)
        else:
            reply = super().answer(request)
        answered: R = reply
        return answered

    def _status(self, status: StatusReply) -> StatusReply:
        run = self._index_run
        if self._indexing or run.running:
            return replace(status, state="indexing")
        return status if run.problem is None else replace(status, problem=run.problem)


def _open_to_read(vaults: Vaults, record: VaultRecord) -> Engine:
    try:
        return vaults.open(record, writable=False)
    except NotFoundError as error:
        vaults.close()
        raise NotFoundError(
            f"{record.name} has no index yet. Run `notewell serve {record.name}` (or"
            f" `notewell index {record.name}`) once; then ask again.",
            code="index_not_found",
        ) from error
    except NotewellError:
        vaults.close()
        raise
