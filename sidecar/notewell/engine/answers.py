"""The answers of an engine to the requests of the core; those of features are in their folders.

Every client goes through `answer`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from notewell.base.types import LedgerState
from notewell.contract import (
    log,
    manage,
    notes,
    search,
    status,
)
from notewell.contract.request import Request

if TYPE_CHECKING:
    from notewell.engine.index_work import IndexWork
    from notewell.engine.model_suggestions import ModelSuggestions
    from notewell.engine.open_features import OpenFeatures
    from notewell.engine.search_history import SearchHistory
    from notewell.engine.searcher import Searcher
    from notewell.search.query.complete import Completions

R = TypeVar("R")


class AnsweringEngine(Protocol):
    """The part of `engine.Engine` that answers use."""

    features: OpenFeatures
    history: SearchHistory
    completions: Completions
    searcher: Searcher
    work: IndexWork

    @property
    def suggestions(self) -> ModelSuggestions: ...

    def search(self, request: search.SearchRequest) -> search.SearchReply: ...

    def note(self, request: notes.NoteRequest) -> notes.NoteReply: ...

    def ledger(
        self, *, state: LedgerState | None = None, path: str | None = None
    ) -> status.LedgerReply: ...

    def status(self) -> status.StatusReply: ...

    def stats(self, *, limit: int) -> manage.StatsReply: ...


def answer(engine: AnsweringEngine, request: Request[R]) -> R:
    """Answer a request, in any thread; raises what the engine or the feature raises.

    NotFoundError if this program has no such feature.
    """
    of_core = _answers().get(type(request))
    answered: Any = engine.features.answer(request) if of_core is None else of_core(engine, request)
    reply: R = answered
    return reply


def _record_opened(engine: AnsweringEngine, request: log.OpenedRequest) -> object:
    return engine.history.opened(
        query_id=request.query_id, query=request.q, path=request.path, rank=request.rank
    )


def _verdict(engine: AnsweringEngine, request: log.VerdictRequest) -> object:
    verdict = None if request.verdict == "clear" else request.verdict
    return engine.history.judge(request.q, request.path, verdict)


def _log(engine: AnsweringEngine, request: log.LogRequest) -> object:
    since = None if request.since is None else request.since.timestamp()
    return engine.history.log(limit=request.limit, since=since)


@cache
def _answers() -> Mapping[type[Request[Any]], Callable[[AnsweringEngine, Any], object]]:
    """The functions that answer the requests of the core, made once."""
    return {
        status.StatusRequest: lambda engine, _: engine.status(),
        status.LedgerRequest: lambda engine, one: engine.ledger(state=one.state, path=one.path),
        search.SearchRequest: lambda engine, one: engine.search(one),
        search.SimilarRequest: lambda engine, one: engine.searcher.similar(one),
        search.SimilarTextRequest: lambda engine, one: engine.searcher.similar(one),
        search.AroundRequest: lambda engine, one: engine.searcher.around(one),
        notes.NoteRequest: lambda engine, one: engine.note(one),
        search.CompleteRequest: lambda engine, one: engine.completions.reply(one),
        manage.SuggestRequest: lambda engine, _: engine.suggestions.reply(),
        manage.StatsRequest: lambda engine, one: engine.stats(limit=one.limit),
        log.OpenedRequest: _record_opened,
        log.VerdictRequest: _verdict,
        log.LogRequest: _log,
        log.ClearLogRequest: lambda engine, one: engine.history.clear(
            keep_verdicts=one.keep_verdicts
        ),
        status.ReindexRequest: lambda engine, one: engine.work.reindex(
            full=one.full, paths=one.paths
        ),
        status.ChangesRequest: lambda engine, one: engine.work.take(one.changes),
        status.SyncRequest: lambda engine, one: engine.work.sync(one.files),
        status.ServerWritesRequest: lambda engine, one: engine.work.server_writes(
            one.after, one.limit
        ),
        status.ConfirmWritesRequest: lambda engine, one: engine.work.confirm_writes(one.confirmed),
        status.PauseRequest: lambda engine, _: engine.work.pause(),
        status.ResumeRequest: lambda engine, _: engine.work.resume(),
        status.RetryRequest: lambda engine, _: engine.work.retry(),
        status.CancelRequest: lambda engine, _: engine.work.cancel(),
        status.GuardRequest: lambda engine, one: engine.work.settle_guard(remove=one.remove),
    }


# Answered at once, however many searches wait: they ask how a busy server is.
QUICK: frozenset[type[Request[Any]]] = frozenset({status.StatusRequest})
# A client sends these in an order that matters, so they are answered one after the other.
IN_ORDER = frozenset(
    {
        status.ChangesRequest,
        status.SyncRequest,
        status.GuardRequest,
        status.ServerWritesRequest,
        status.ConfirmWritesRequest,
    }
)
