"""The requests of the core, in groups; `features` has the order of all, as documented."""

from __future__ import annotations

from typing import Any, TypeAlias

from notewell.contract import (
    log,
    manage,
    notes,
    search,
    server,
    status,
)
from notewell.contract.request import Request

Requests: TypeAlias = tuple[type[Request[Any]], ...]

VAULTS: Requests = (
    server.HealthRequest,
    server.VaultsRequest,
    server.AddVault,
    server.RemoveVault,
    status.StatusRequest,
    search.SearchRequest,
    search.SimilarRequest,
    search.SimilarTextRequest,
    search.AroundRequest,
    notes.NoteRequest,
)
LOOKING: Requests = (
    search.CompleteRequest,
    status.LedgerRequest,
    log.OpenedRequest,
    log.VerdictRequest,
    log.LogRequest,
    log.ClearLogRequest,
)
CHANGES: Requests = (
    status.ReindexRequest,
    status.ChangesRequest,
    status.SyncRequest,
    status.ServerWritesRequest,
    status.ConfirmWritesRequest,
    status.PauseRequest,
    status.ResumeRequest,
    status.RetryRequest,
    status.CancelRequest,
    status.GuardRequest,
)
SESSION: Requests = (manage.SessionRequest,)
MANAGING: Requests = (
    manage.ModelsRequest,
    manage.SuggestRequest,
    manage.AllowHostRequest,
    manage.StatsRequest,
    manage.ConfigRequest,
    manage.ChangeConfigRequest,
    server.EventsRequest,
    server.MetricsRequest,
)
