"""The table of routes: each request of the contract with the function that answers it.

Dispatch, OpenAPI and the docs are made from it. After a change of the contract, write its files and
the table of docs/api.md anew (`NOTEWELL_TEST_UPDATE_CONTRACT=1 pytest tests/contract tests/web`).
"""

from __future__ import annotations

from collections.abc import Mapping

from notewell.contract import manage as manage_requests
from notewell.contract import search, server
from notewell.contract.ask import AskRequest
from notewell.contract.endpoints import REQUESTS
from notewell.web import ask, handlers, manage
from notewell.web.route import Handler, Route

# Answered by the server itself; the engine of the vault answers all others.
_OF_SERVER: Mapping[type, Handler] = {
    server.HealthRequest: handlers.health,
    server.VaultsRequest: handlers.vaults,
    server.EventsRequest: handlers.events,
    server.MetricsRequest: handlers.metrics,
    search.SearchRequest: handlers.search,
    AskRequest: ask.ask,
    manage_requests.SessionRequest: manage.session,
    manage_requests.ModelsRequest: manage.models,
    manage_requests.ConfigRequest: manage.config,
    manage_requests.ChangeConfigRequest: manage.change_config,
}
ROUTES: tuple[Route, ...] = tuple(
    Route(request, _OF_SERVER.get(request, handlers.from_engine)) for request in REQUESTS
)
