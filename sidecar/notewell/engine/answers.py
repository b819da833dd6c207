"""The answers of an engine to the requests of the core; those of features are in their folders.

Every client goes through `answer`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from notewell.contract import (
    changes,
    complete,
    log,
    manage,
    notes,
    search,
)
from notewell.contract.request import Request
from notewell.contract.status import LedgerRequest, StatusRequest

if TYPE_CHECKING:
    from notewell.engine.engine import Engine
    from notewell.engine.feature import Answers

R = TypeVar("R")


def answer(engine: Engine, request: Request[R]) -> R:
    """Answer a request, in any thread; raises what the engine or the feature raises.

    NotFoundError if this program has no such feature.
    """
    of_core = {**_of_reading(engine), **_of_changes(engine)}.get(type(request))
    found: Any = engine.features.answer(request) if of_core is None else of_core(request)
    reply: R = found
    return reply


def _opened(engine: Engine, request: log.OpenedRequest) -> object:
    return engine.history.opened(
        query_id=request.query_id, query=request.q, path=request.path, rank=request.rank
    )


def _verdict(engine: Engine, request: log.VerdictRequest) -> object:
    verdict = None if request.verdict == "clear" else request.verdict
    return engine.history.judge(request.q, request.path, verdict)


def _log(engine: Engine, request: log.LogRequest) -> object:
    since = None if request.since is None else request.since.timestamp()
    return engine.history.log(limit=request.limit, since=since)


def _of_reading(engine: Engine) -> Answers:
    return {
        StatusRequest: lambda _: engine.status(),
        LedgerRequest: lambda one: engine.ledger(state=one.state, path=one.path),
        search.SearchRequest: engine.search,
        search.SimilarRequest: engine.similar,
        search.SimilarTextRequest: engine.similar,
        notes.NoteRequest: engine.note_asked_for,
        complete.CompleteRequest: engine.completions.reply,
        manage.SuggestRequest: lambda _: engine.suggestions.reply(),
        manage.StatsRequest: lambda one: engine.stats(limit=one.limit),
    }


def _of_changes(engine: Engine) -> Answers:
    return {
        log.OpenedRequest: lambda one: _opened(engine, one),
        log.VerdictRequest: lambda one: _verdict(engine, one),
        log.LogRequest: lambda one: _log(engine, one),
        log.ClearLogRequest: lambda one: engine.history.clear(keep_verdicts=one.keep_verdicts),
        changes.ReindexRequest: lambda one: engine.reindex(full=one.full, paths=one.paths),
        changes.ChangesRequest: lambda one: engine.note_changes(one.changes),
        changes.SyncRequest: lambda one: engine.sync(one.files),
        changes.ServerWritesRequest: lambda one: engine.client_changes.server_writes(
            one.after, one.limit
        ),
        changes.ConfirmWritesRequest: lambda one: engine.client_changes.confirm_writes(
            one.confirmed
        ),
        changes.PauseRequest: lambda _: engine.queue.pause(),
        changes.ResumeRequest: lambda _: engine.queue.resume(),
        changes.RetryRequest: lambda _: engine.queue.retry(),
        changes.CancelRequest: lambda _: engine.queue.cancel(),
        changes.GuardRequest: lambda one: engine.settle_guard(remove=one.remove),
    }


# Answered at once, however many searches wait: they ask how a busy server is.
QUICK: frozenset[type[Request[Any]]] = frozenset({StatusRequest})
# A client sends these in an order that matters, so they are answered one after the other.
IN_ORDER = frozenset(
    {
        changes.ChangesRequest,
        changes.SyncRequest,
        changes.GuardRequest,
        changes.ServerWritesRequest,
        changes.ConfirmWritesRequest,
    }
)
