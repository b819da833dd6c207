"""The server over HTTP, at `/mcp` of the web application: an ASGI application inside aiohttp.

The web application's guard runs first, so hosts, origins, tokens and rates are checked as for any
other route. The SDK is imported with the first request: most servers never get one.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, MutableMapping, Sequence
from contextlib import AsyncExitStack, suppress
from dataclasses import replace
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from aiohttp import hdrs, web

from notewell.base.errors import ForbiddenError
from notewell.base.types import VaultRecord
from notewell.doors.mcp.tool import Jobs, ToolContext, VaultFacts
from notewell.doors.web.auth import CALLER, SAFETY_HEADERS
from notewell.doors.web.request_models import read_body
from notewell.doors.web.site import SITE, Site
from notewell.engine.assistants import view_of
from notewell.engine.client import LocalBackend
from notewell.engine.feature import Feature
from notewell.engine.several_vaults import SeveralBackends

if TYPE_CHECKING:
    from mcp.server.context import ServerRequestContext


Message: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]
Application: TypeAlias = Callable[[MutableMapping[str, Any], Receive, Send], Awaitable[None]]

_LEAVE_S = 5.0  # how long an application may take to end after its client has left
_POLL_S = 0.25  # how often to check for the client: aiohttp has no event for its leaving
# What aiohttp decides by itself for each connection.
_HOP_BY_HOP = frozenset({"connection", "keep-alive", "transfer-encoding"})


async def exchange(
    request: web.Request, application: Application, extra: Mapping[str, object], body: bytes
) -> web.StreamResponse:
    """Have `application` answer `request` with this body; `extra` is added to its scope.

    When the client leaves, the application is told and given time to end by itself: it may have to
    finish what the request began.
    """
    channel = _Exchange(request, body)
    scope = {**_scope(request), **extra}
    work = asyncio.ensure_future(application(scope, channel.receive, channel.send))
    try:
        await asyncio.shield(work)
    except asyncio.CancelledError:
        channel.leave()
        await asyncio.wait({work}, timeout=_LEAVE_S)
        raise
    return await channel.finish()


class _Exchange:
    """Both directions of one exchange."""

    def __init__(self, request: web.Request, body: bytes) -> None:
        self._request = request
        self._body = body
        self._response: web.StreamResponse | None = None
        self._body_sent = False
        self._ended = asyncio.Event()

    async def receive(self) -> Message:
        """Return the whole body; after it wait for the end and return that the client has gone."""
        if not self._body_sent:
            self._body_sent = True
            return {"type": "http.request", "body": self._body, "more_body": False}
        while not self._ended.is_set() and self._is_connected():
            try:
                await asyncio.wait_for(self._ended.wait(), _POLL_S)
            except TimeoutError:
                continue
        return {"type": "http.disconnect"}

    async def send(self, message: Message) -> None:
        """Pass on the head of the answer, or a part of its body."""
        if message["type"] == "http.response.start":
            self._response = _head(message)
            with suppress(ConnectionError):
                await self._response.prepare(self._request)
        elif self._response is not None:
            await self._write(self._response, message.get("body", b""))
            if not message.get("more_body"):
                self._ended.set()

    async def finish(self) -> web.StreamResponse:
        """End the answer and return it."""
        self._ended.set()
        if self._response is None:
            raise web.HTTPInternalServerError
        if self._is_connected():
            with suppress(ConnectionError):
                await self._response.write_eof()
        return self._response

    def leave(self) -> None:
        self._ended.set()

    async def _write(self, response: web.StreamResponse, body: bytes) -> None:
        """Write to the client, if it is still connected."""
        if body and self._is_connected():
            with suppress(ConnectionError):
                await response.write(body)

    def _is_connected(self) -> bool:
        transport = self._request.transport
        return transport is not None and not transport.is_closing()


def _scope(request: web.Request) -> dict[str, Any]:
    return {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": f"{request.version.major}.{request.version.minor}",
        "method": request.method,
        "scheme": request.scheme,
        "path": request.path,
        "raw_path": request.rel_url.raw_path.encode("ascii"),
        "query_string": request.rel_url.raw_query_string.encode("ascii"),
        "root_path": "",
        "headers": [(name.lower(), value) for name, value in request.raw_headers],
        "client": None,
        "server": None,
        "state": {},
    }


def _head(message: Message) -> web.StreamResponse:
    response = web.StreamResponse(status=message["status"])
    for raw_name, raw_value in message.get("headers", ()):
        name, value = raw_name.decode("latin-1"), raw_value.decode("latin-1")
        if name.lower() not in _HOP_BY_HOP:
            response.headers.add(name, value)
    for name, value in SAFETY_HEADERS.items():
        response.headers.setdefault(name, value)
    return response


T = TypeVar("T")

PATH = "/mcp"
ROUTE = "mcp"
MAY_WRITE = "notewell.may_write"  # in the ASGI scope of a request
WANTED = "notewell.tools"  # likewise, the topics of tools that are listed
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
        seen = view_of(record).key
        async with self._site.slots.hold(), self._site.holding(seen):
            engine = self._site.engine(seen)
            backend = LocalBackend(engine)
            context = ToolContext(record.id, backend, engine.tokens, self._jobs, self._facts())
            return await engine.threads.call(work, context)

    async def _run_over(
        self, chosen: tuple[VaultRecord, ...], work: Callable[[ToolContext], T]
    ) -> T:
        """Work with several vaults, in a thread of the first one."""
        async with self._site.slots.hold(), AsyncExitStack() as held:
            views = [view_of(record).key for record in chosen]
            for view in views:
                await held.enter_async_context(self._site.holding(view))
            engines = [self._site.engine(view) for view in views]
            first = engines[0]
            backend = SeveralBackends(
                [(engine.record.name, LocalBackend(engine)) for engine in engines]
            )
            context = ToolContext(chosen[0].id, backend, first.tokens, self._jobs, self._facts())
            return await first.threads.call(work, context)

    def _record(self, vault: str | None) -> VaultRecord:
        """Return the vault of that name or id; None: the default of those that are served."""
        if vault is None:
            for record in self._site.vaults.served():
                if record.default:
                    return record
        return self._site.record(vault)

    def _facts(self) -> tuple[VaultFacts, ...]:
        served = self._site.vaults.served()
        return tuple(
            VaultFacts(record.id, record.name, default=record.default) for record in served
        )


class _Endpoint:
    """The route's handler. The SDK's sessions run in a task of their own until shut-down."""

    def __init__(self, site: Site) -> None:
        self._source = SiteSource(site)
        self._features = site.vaults.features
        self._starting = asyncio.Lock()
        self._running: asyncio.Task[None] | None = None
        self._application: Application | None = None
        self._stop = asyncio.Event()

    async def answer(self, request: web.Request) -> web.StreamResponse:
        may_write = _wants_to_write(request)
        body = await read_body(request, request.app[SITE].limits.body_timeout_s)
        async with self._starting:
            if self._application is None:
                self._application = await self._start()
        from notewell.doors.mcp.messages import read_message  # noqa: PLC0415 - with the application
        from notewell.doors.mcp.server import parse_topics  # noqa: PLC0415 - likewise

        if request.method == hdrs.METH_POST:
            body, refusal = read_message(body)
            if refusal is not None:
                text = refusal.model_dump_json(by_alias=True)
                return web.json_response(
                    text=text, status=HTTPStatus.BAD_REQUEST, headers=SAFETY_HEADERS
                )
        wanted = parse_topics(request.query.get("tools", ""))
        extra = {MAY_WRITE: may_write, WANTED: wanted}
        return await exchange(request, self._application, extra, body)

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
        manager = await asyncio.to_thread(_manager, self._source, self._features)
        async with manager.run():
            started.set_result(manager.asgi_app)
            await self._stop.wait()


def _pass_on(ended: asyncio.Task[None], started: asyncio.Future[Application]) -> None:
    """Give the error that kept the sessions from starting to the request that waits for them."""
    error = None if ended.cancelled() else ended.exception()
    if error is not None and not started.done():
        started.set_exception(error)


def _manager(source: SiteSource, features: Sequence[Feature]) -> Any:
    from mcp.server.streamable_http_manager import (  # noqa: PLC0415 - the SDK takes half a second
        StreamableHTTPSessionManager,
    )

    from notewell.doors.mcp.server import build  # noqa: PLC0415 - so does what imports it

    def may_write(ctx: ServerRequestContext[Any, Any]) -> bool:
        return ctx.request is not None and bool(ctx.request.scope.get(MAY_WRITE))

    def wanted(ctx: ServerRequestContext[Any, Any]) -> frozenset[str]:
        return frozenset() if ctx.request is None else ctx.request.scope.get(WANTED, frozenset())

    server = build(source, may_write=may_write, wanted=wanted, features=features)
    return StreamableHTTPSessionManager(server)


def _wants_to_write(request: web.Request) -> bool:
    """True if the address asks to write; raises ForbiddenError where the token forbids it."""
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
