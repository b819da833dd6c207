"""The table of routes: each request of the contract with the function that answers it.

A route reads and checks the HTTP request, calls that function and sends its reply. Dispatch,
OpenAPI and the docs are made from the table. After a change of the contract, update its files and
the table of docs/api.md (`NOTEWELL_TEST_UPDATE_CONTRACT=1 pytest tests/contract tests/web`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import Any

from aiohttp import hdrs, web

from notewell.base.errors import QueryTimeoutError
from notewell.contract import (
    manage,
    search,
    server,
)
from notewell.contract.codec import to_json
from notewell.contract.request import JSON_MEDIA, Endpoint, Request, reply_type, request_fields
from notewell.doors.web import handlers
from notewell.doors.web.request_models import (
    RequestModel,
    from_body,
    from_query,
    model_of,
    read_body,
)
from notewell.doors.web.site import SITE, Site
from notewell.engine.answers import QUICK
from notewell.engine.event_loop import EventStream
from notewell.engine.feature import Feature, load, requests
from notewell.features import FEATURES

# From the vault (None: the only one) and a checked request to its reply.
Handler = Callable[[Site, str | None, Any], Awaitable[object]]


@dataclass(frozen=True, slots=True)
class Route:
    """A request and the function that answers it."""

    request: type[Request[Any]]
    handle: Handler

    @property
    def endpoint(self) -> Endpoint:
        """Method, path and rules of the route."""
        return self.request.endpoint

    @property
    def reply(self) -> type:
        """The record of its reply, or of each event of a stream; str is plain text."""
        return reply_type(self.request)

    @property
    def reply_name(self) -> str:
        """The name of its reply."""
        return "text" if self.reply is str else self.reply.__name__

    @property
    def model(self) -> type[RequestModel]:
        """The model that checks a request."""
        return model_of(self.request)

    @property
    def refusals(self) -> tuple[int, ...]:
        """The statuses of problem documents that a caller should expect."""
        endpoint = self.endpoint
        of_vaults = (404, 409) if endpoint.of_vault else ()
        of_ids = (404,) if any(one.name == "id" for one in request_fields(self.request)) else ()
        of_bodies = (408, 413, 415) if endpoint.method != "GET" else ()
        of_callers = (401, 503) if endpoint.needs_token else ()
        of_questions = (504,) if self._may_time_out else ()
        return tuple(
            sorted({400, 403, 429, *of_callers, *of_vaults, *of_ids, *of_bodies, *of_questions})
        )

    @property
    def _may_time_out(self) -> bool:
        endpoint = self.endpoint
        return endpoint.timed and endpoint.needs_token and endpoint.scope == "read"

    async def __call__(self, request: web.Request) -> web.StreamResponse:
        """Answer one HTTP request: read, check, handle, encode."""
        site = request.app[SITE]
        checked = await self._read(request, site)
        async with AsyncExitStack() as held:
            reply = await self._answer(site, checked.vault_name, checked.to_record(), held)
            if isinstance(reply, EventStream):
                return await site.streams.send(request, reply)
        instead = self.endpoint.instead
        is_instead = instead is not None and isinstance(reply, instead)
        headers = {hdrs.CONTENT_TYPE: JSON_MEDIA if is_instead else self.endpoint.media}
        return web.Response(status=self.endpoint.status, body=_body(reply), headers=headers)

    async def _read(self, request: web.Request, site: Site) -> RequestModel:
        if self.endpoint.method == "GET":
            return from_query(self.model, request, self.endpoint.headers)
        raw = await read_body(request, site.limits.body_timeout_s)
        return from_body(self.model, request, raw)

    async def _answer(
        self, site: Site, vault: str | None, checked: object, held: AsyncExitStack
    ) -> object:
        """Wait for a free slot and call the handler; the vault is held until `held` ends."""
        if not self.endpoint.needs_token:  # monitoring works however busy the server is
            return await self.handle(site, vault, checked)
        if self.request in QUICK or self.endpoint.waits:
            await self._hold(site, vault, held)
            return await self._in_time(site, vault, checked)
        async with site.slots.taken():
            if self.endpoint.scope != "read":
                # A change is completed, whether or not the caller waits for the answer.
                return await asyncio.shield(self._apply(site, vault, checked))
            await self._hold(site, vault, held)
            return await self._in_time(site, vault, checked)

    async def _apply(self, site: Site, vault: str | None, checked: object) -> object:
        """Handle a change, with a hold of its own on the vault."""
        async with AsyncExitStack() as held:
            await self._hold(site, vault, held)
            return await self.handle(site, vault, checked)

    async def _hold(self, site: Site, vault: str | None, held: AsyncExitStack) -> None:
        several = self.request is search.SearchRequest and site.several(vault)
        if self.endpoint.of_vault and not several:
            await held.enter_async_context(site.holding(vault))

    async def _in_time(self, site: Site, vault: str | None, checked: object) -> object:
        seconds = site.limits.query_timeout_s if self._may_time_out else 0.0
        limit = asyncio.timeout(seconds if seconds > 0 else None)
        try:
            async with limit:
                return await self.handle(site, vault, checked)
        except TimeoutError as error:
            if not limit.expired():
                raise
            raise QueryTimeoutError(
                f"No answer within {seconds:g} seconds, so the request was cancelled. Ask again, as"
                " a large index is read after a start; ask for less at once; or set"
                " `limits.query_timeout_s`."
            ) from error


def _body(reply: object) -> bytes:
    if isinstance(reply, handlers.Encoded):
        return reply.body
    return reply.encode() if isinstance(reply, str) else to_json(reply)


# Answered by the server itself; the engine of the vault answers all others.
_OF_SERVER: Mapping[type, Handler] = {
    server.HealthRequest: handlers.health,
    server.VaultsRequest: handlers.vaults,
    server.AddVault: handlers.add_vault,
    server.RemoveVault: handlers.remove_vault,
    server.EventsRequest: handlers.events,
    server.MetricsRequest: handlers.metrics,
    search.SearchRequest: handlers.search,
    manage.SessionRequest: handlers.session,
    manage.ModelsRequest: handlers.models,
    manage.ConfigRequest: handlers.config,
    manage.ChangeConfigRequest: handlers.change_config,
    manage.AllowHostRequest: handlers.allow_host,
}


def routes(features: Sequence[Feature]) -> tuple[Route, ...]:
    """The routes of all features and of the core."""
    by_server = dict(_OF_SERVER)
    for feature in features:
        if feature.handlers:
            by_server.update(load(feature.handlers))
    return tuple(
        Route(request, by_server.get(request, handlers.from_engine))
        for request in requests(features)
    )


ROUTES = routes(FEATURES)
