"""The server over HTTP, at `/mcp` of the web application: an ASGI application inside aiohttp.

The web application's guard runs first, so hosts, origins, tokens and rates are checked as for any
other route. The SDK is imported with the first request: most servers never get one.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from aiohttp import hdrs, web

from notewell.base.errors import ForbiddenError
from notewell.base.types import VaultRecord
from notewell.doors.mcp.asgi import Application, exchange
from notewell.doors.mcp.tool import Jobs, ToolContext, VaultFacts
from notewell.doors.web.auth import CALLER
from notewell.doors.web.request_models import read_body
from notewell.doors.web.site import SITE, Site
from notewell.engine.client import LocalBackend
from notewell.engine.several_vaults import SeveralBackends

if TYPE_CHECKING:  # the SDK takes half a second to load
    from mcp.server.context import ServerRequestContext

T = TypeVar("T")

PATH = "/mcp"
ROUTE = "mcp"
MAY_WRITE = "notewell.may_write"  # in the ASGI scope of a request
_WRITING_SCOPES = frozenset({"write", "admin"})


def attach(app: web.Application) -> None:
    """Add the server to an application of `web.app`, before it starts."""
    app[SITE] = replace(app[SITE], features=(*app[SITE].features, ROUTE))
    endpoint = _Endpoint(app[SITE])
    app.router.add_route(hdrs.METH_ANY, PATH, endpoint.answer, name=ROUTE)
    app.on_shutdown.append(endpoint.close)


class SiteSource:
    """Finds the engines of the vaults that a web server serves."""

    def __init__(self, site: Site) -> None:
        """An engine is held open while a tool works with it, as for any request."""
        self._site = site
        self._jobs = Jobs()

    async def run(self, vault: str | None, work: Callable[[ToolContext], T]) -> T:
        """See `Source`. Waits for a free slot, as any request; raises BusyError without one."""
        chosen = self._site.several(vault)
        if chosen:
            return await self._run_over(chosen, work)
        record = self._record(vault)
        async with self._site.slots.taken(), self._site.holding(record.id):
            engine = self._site.engine(record.id)
            backend = LocalBackend(engine)
            context = ToolContext(record.id, backend, engine.tokens, self._jobs, self._facts())
            return await engine.call(work, context)

    async def _run_over(
        self, chosen: tuple[VaultRecord, ...], work: Callable[[ToolContext], T]
    ) -> T:
        """Work with several vaults, in a thread of the first one."""
        async with self._site.slots.taken(), AsyncExitStack() as held:
            for record in chosen:
                await held.enter_async_context(self._site.holding(record.id))
            engines = [self._site.engine(record.id) for record in chosen]
            first = engines[0]
            backend = SeveralBackends([(one.record.name, LocalBackend(one)) for one in engines])
            context = ToolContext(chosen[0].id, backend, first.tokens, self._jobs, self._facts())
            return await first.call(work, context)

    def _record(self, vault: str | None) -> VaultRecord:
        """Return the vault of that name or id; None: the default of those that are served."""
        if vault is None:
            for record in self._site.vaults.served():
                if record.default:
                    return record
        return self._site.record(vault)

    def _facts(self) -> tuple[VaultFacts, ...]:
        served = self._site.vaults.served()
        return tuple(VaultFacts(one.id, one.name, default=one.default) for one in served)


class _Endpoint:
    """The route's handler. The SDK's sessions run in a task of their own until shut-down."""

    def __init__(self, site: Site) -> None:
        self._source = SiteSource(site)
        self._starting = asyncio.Lock()
        self._running: asyncio.Task[None] | None = None
        self._application: Application | None = None
        self._stop = asyncio.Event()

    async def answer(self, request: web.Request) -> web.StreamResponse:
        """Hand one request to the SDK."""
        may_write = _wants_to_write(request)
        await read_body(request, request.app[SITE].limits.body_timeout_s)  # kept for the SDK
        async with self._starting:
            if self._application is None:
                self._application = await self._start()
        return await exchange(request, self._application, {MAY_WRITE: may_write})

    async def close(self, _app: web.Application) -> None:
        """End all sessions, open streams included."""
        self._stop.set()
        if self._running is not None:
            await self._running

    async def _start(self) -> Application:
        started: asyncio.Future[Application] = asyncio.get_running_loop().create_future()
        self._running = asyncio.create_task(self._run(started))
        self._running.add_done_callback(lambda ended: _pass_on(ended, started))
        return await started

    async def _run(self, started: asyncio.Future[Application]) -> None:
        """Run the SDK's sessions: their task group must end in the task that began it."""
        manager = await asyncio.to_thread(_manager, self._source)
        async with manager.run():
            started.set_result(manager.asgi_app)
            await self._stop.wait()


def _pass_on(ended: asyncio.Task[None], started: asyncio.Future[Application]) -> None:
    """Give the error that kept the sessions from starting to the request that waits for them."""
    error = None if ended.cancelled() else ended.exception()
    if error is not None and not started.done():
        started.set_exception(error)


def _manager(source: SiteSource) -> Any:
    from mcp.server.streamable_http_manager import (  # noqa: PLC0415 - the SDK takes half a second
        StreamableHTTPSessionManager,
    )

    from notewell.doors.mcp.server import build  # noqa: PLC0415 - so does what imports it

    def may_write(ctx: ServerRequestContext[Any, Any]) -> bool:
        return ctx.request is not None and bool(ctx.request.scope.get(MAY_WRITE))

    return StreamableHTTPSessionManager(build(source, may_write=may_write))


def _wants_to_write(request: web.Request) -> bool:
    """Whether the address asks to write; raises ForbiddenError where the token forbids it."""
    if request.query.get("allow_write") != "true":
        return False
    caller = CALLER.get()
    if caller.scope not in _WRITING_SCOPES:
        raise ForbiddenError(
            f"{caller.name!r} may only {caller.scope} here. Leave `allow_write` out of the address,"
            " or give the device a token of the scope `write`: `notewell token add NAME --scope"
            " write`.",
            code="scope_required",
        )
    return True
