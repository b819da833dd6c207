"""How an engine answers each request of the contract: the one table that every client goes through.

A request that concerns one vault has its row here; the web server and the command line need to
know nothing more of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar, get_args

from notewell.contract import (
    ask,
    changes,
    context,
    documents,
    explore,
    garden,
    gleanings,
    graph,
    log,
    manage,
    notes,
    phone,
    properties,
    runs,
    search,
    sources,
    topics,
    writes,
)
from notewell.contract.memory import MemoryRequest
from notewell.contract.request import Request
from notewell.contract.status import LedgerRequest, StatusRequest
from notewell.engine.engine import Engine

R = TypeVar("R")
Answer = Callable[[Engine, Any], object]


def answer(engine: Engine, request: Request[R]) -> R:
    """Answer a request, in any thread; raises what the engine raises."""
    reply: Any = ANSWERS[type(request)](engine, request)
    answered: R = reply
    return answered


def _similar(engine: Engine, request: search.SimilarRequest | search.SimilarTextRequest) -> object:
    return engine.similar(request)


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


ANSWERS: Mapping[type[Request[Any]], Answer] = {
    StatusRequest: lambda engine, _: engine.status(),
    LedgerRequest: lambda engine, one: engine.ledger(state=one.state, path=one.path),
    search.SearchRequest: lambda engine, one: engine.search(one),
    search.SimilarRequest: _similar,
    search.SimilarTextRequest: _similar,
    notes.NoteRequest: lambda engine, one: engine.note_asked_for(one),
    properties.EditProperties: lambda engine, one: engine.properties.edit(one),
    properties.EditPropertiesBatch: lambda engine, one: engine.properties.edit_all(one),
    graph.NeighborsRequest: lambda engine, one: engine.explorer.graph.neighbors(one),
    graph.NeighborhoodRequest: lambda engine, one: engine.explorer.graph.neighborhood(one),
    graph.PathRequest: lambda engine, one: engine.explorer.graph.path(one),
    graph.HubsRequest: lambda engine, one: engine.explorer.graph.hubs(one),
    graph.GraphStatsRequest: lambda engine, one: engine.explorer.graph.stats(one),
    graph.BridgesRequest: lambda engine, one: engine.explorer.graph.bridges(one),
    graph.CommunitiesRequest: lambda engine, one: engine.explorer.graph.communities(one),
    graph.OrphansRequest: lambda engine, one: engine.explorer.graph.orphans(one),
    graph.DanglingRequest: lambda engine, one: engine.explorer.graph.dangling(one),
    graph.MissingLinksRequest: lambda engine, one: engine.explorer.missing_links(one),
    explore.ArchaeologyRequest: lambda engine, one: engine.explorer.archaeology(one),
    explore.CompleteRequest: lambda engine, one: engine.explorer.complete(one),
    context.ContextRequest: lambda engine, one: engine.assembler.assemble(one),
    documents.ListDocuments: lambda engine, _: engine.documents.reply(),
    documents.AddDocuments: lambda engine, one: engine.documents.add(one),
    documents.RemoveDocuments: lambda engine, one: engine.documents.remove(one),
    manage.SuggestRequest: lambda engine, _: engine.suggestions.reply(),
    manage.StatsRequest: lambda engine, one: engine.stats(limit=one.limit),
    **dict.fromkeys(get_args(MemoryRequest), lambda engine, one: engine.memories.answer(one)),
    topics.TopicsRequest: lambda engine, _: engine.tending.topics.reply(),
    topics.CheckTopics: lambda engine, _: engine.tending.topics.check(),
    gleanings.ExtractGleanings: lambda engine, one: engine.tending.gleanings.extract(one),
    gleanings.GleaningsRequest: lambda engine, one: engine.tending.gleanings.reply(one),
    gleanings.GleaningStatsRequest: lambda engine, _: engine.tending.gleanings.stats(),
    gleanings.GleaningRequest: lambda engine, one: engine.tending.gleanings.show(one.id),
    gleanings.MarkGleaning: lambda engine, one: engine.tending.gleanings.mark(one),
    gleanings.MaintainGleanings: lambda engine, one: engine.tending.gleanings.maintain(
        dry_run=one.dry_run
    ),
    sources.SyncSource: lambda engine, one: engine.tending.source.begin(
        remove_missing=one.remove_missing
    ),
    garden.MakePlan: lambda engine, one: engine.tending.plans.make(one),
    garden.GardenModelRequest: lambda engine, _: engine.tending.plans.estimate(),
    garden.PlansRequest: lambda engine, one: engine.tending.plans.plans(one.limit),
    garden.PlanRequest: lambda engine, one: engine.tending.plans.show(one.id),
    garden.ApplyPlan: lambda engine, one: engine.tending.plans.apply(one.id, one.only),
    garden.RejectPlan: lambda engine, one: engine.tending.plans.reject(one.id, one.only),
    garden.UndoPlan: lambda engine, one: engine.tending.plans.undo(one.id, one.only),
    garden.RejectionsRequest: lambda engine, one: engine.tending.rejections.reply(one.limit),
    garden.ForgetRejections: lambda engine, one: engine.tending.rejections.forget(
        one.ids, garden.RejectionsRequest().limit
    ),
    writes.WritesRequest: lambda engine, one: engine.undoing.writes(one.limit),
    writes.UndoRequest: lambda engine, one: engine.undoing.undo(one.number),
    log.OpenedRequest: _opened,
    log.VerdictRequest: _verdict,
    log.LogRequest: _log,
    log.ClearLogRequest: lambda engine, one: engine.history.clear(keep_verdicts=one.keep_verdicts),
    log.TuneRequest: lambda engine, one: engine.tuning.tune(one),
    ask.AskModelsRequest: lambda engine, one: engine.asking.models(refresh=one.refresh),
    ask.ConversationRequest: lambda engine, one: engine.asking.conversation(one.conversation),
    ask.ConversationsRequest: lambda engine, _: engine.asking.conversations(),
    ask.ForgetConversationRequest: lambda engine, one: engine.asking.forget(one.conversation),
    ask.SaveConversationRequest: lambda engine, one: engine.asking.save(one.conversation, one.path),
    changes.ReindexRequest: lambda engine, one: engine.reindex(full=one.full, paths=one.paths),
    changes.ChangesRequest: lambda engine, one: engine.note_changes(one.changes),
    changes.SyncRequest: lambda engine, one: engine.sync(one.files),
    changes.ServerWritesRequest: lambda engine, one: engine.client_changes.server_writes(
        one.after, one.limit
    ),
    changes.ConfirmWritesRequest: lambda engine, one: engine.client_changes.confirm_writes(
        one.confirmed
    ),
    runs.RunsRequest: lambda engine, one: engine.tending.runs.reply(one.limit),
    runs.RunRequest: lambda engine, one: engine.tending.runs.show(one.id),
    runs.CancelRun: lambda engine, one: engine.tending.runs.cancel(one.id),
    phone.PhoneIndexRequest: lambda engine, _: engine.tending.phone.reply(),
    phone.SwitchPhoneIndex: lambda engine, one: engine.tending.switch_phone_index(on=one.on),
    changes.PauseRequest: lambda engine, _: engine.queue.pause(),
    changes.ResumeRequest: lambda engine, _: engine.queue.resume(),
    changes.RetryRequest: lambda engine, _: engine.queue.retry(),
    changes.CancelRequest: lambda engine, _: engine.queue.cancel(),
    changes.GuardRequest: lambda engine, one: engine.settle_guard(remove=one.remove),
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
