"""The aiohttp application: its routes, its guard, and the life of the engines behind it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from http import HTTPStatus
from pathlib import Path

from aiohttp import hdrs, web
from aiohttp.typedefs import Handler

from recollect import __version__
from recollect.types import ServerRules
from recollect.vaults import Vaults
from recollect.web import openapi, pages
from recollect.web.encode import to_json
from recollect.web.events import Streams
from recollect.web.metrics import Metrics
from recollect.web.problems import answer
from recollect.web.routes import FEATURES, ROUTES
from recollect.web.schema import MAX_BODY_BYTES
from recollect.web.security import Gate, bound_address, cookie_name
from recollect.web.site import SITE, Site

# Routes are refused without the token unless they are named here, so that a new one is not open by
# accident. The shell and its files hold nothing of a vault.
OPEN_ROUTES = frozenset({"shell", "static", *(r.name for r in ROUTES if not r.needs_token)})
STATIC = Path(__file__).parent / "static"


def create_app(
    vaults: Vaults,
    *,
    token: str,
    server: ServerRules,
    version: str = __version__,
    static: Path = STATIC,
    streams: Streams | None = None,
) -> web.Application:
    """Make the application over the vaults that are open.

    Its start-up starts their engines; its clean-up closes them. `static` is the folder of the
    built web interface; where there is none, `/` is a page that says so.
    """
    app = web.Application(middlewares=[answer, _guard], client_max_size=MAX_BODY_BYTES)
    streams = streams or Streams()
    app.on_shutdown.append(streams.end)
    app[SITE] = Site(
        vaults=vaults,
        gate=Gate(token=token, rules=server),
        version=version,
        features=FEATURES,
        static=static if (static / "index.html").is_file() else None,
        metrics=Metrics(),
        streams=streams,
    )
    for route in ROUTES:
        add = app.router.add_get if route.method == "GET" else app.router.add_post
        add(route.path, route.__call__, name=route.name)
    app.router.add_get("/api/openapi.json", _openapi, name="openapi")
    app.router.add_get("/api/docs", _docs, name="docs")
    app.router.add_get("/", _shell, name="shell")
    if app[SITE].static is not None:
        app.router.add_static("/static", static, name="static")
    app.cleanup_ctx.append(_engines)
    return app


async def _engines(app: web.Application) -> AsyncIterator[None]:
    vaults = app[SITE].vaults
    for engine in vaults.opened():
        engine.start()
    yield
    # Closing waits for the transaction in flight and saves snapshots: not on the event loop.
    await asyncio.to_thread(vaults.close)


@web.middleware
async def _guard(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Let a request through that security.py has nothing against."""
    gate, bound = request.app[SITE].gate, bound_address(request)
    host = gate.check_host(request.headers.getall(hdrs.HOST, []), bound)
    gate.check_origin(request.headers.getall(hdrs.ORIGIN, []), host)
    if request.match_info.route.name not in OPEN_ROUTES:
        gate.check_token(request, bound)
    return await handler(request)


async def _shell(request: web.Request) -> web.StreamResponse:
    site, bound = request.app[SITE], bound_address(request)
    if "token" in request.query:
        return _sign_in(request, site.gate, bound.port)
    if site.static is not None:
        policy = {"Content-Security-Policy": pages.INTERFACE_POLICY}
        return web.FileResponse(site.static / "index.html", headers=policy)
    url = f"{request.scheme}://{request.headers[hdrs.HOST]}"
    return pages.shell(url, signed_in=site.gate.is_signed_in(request, bound))


def _sign_in(request: web.Request, gate: Gate, port: int) -> web.Response:
    """Turn the token of a link into a cookie, and take it out of address bar and history."""
    target = request.rel_url.without_query_params("token")
    response = web.Response(
        status=HTTPStatus.SEE_OTHER,
        headers={hdrs.LOCATION: f"/?{target.raw_query_string}".rstrip("?")},
    )
    if gate.is_token(request.query["token"]):
        response.set_cookie(
            cookie_name(port),
            gate.session(),
            httponly=True,
            samesite="Strict",
            secure=request.secure,
            path="/",
        )
    return response


async def _openapi(request: web.Request) -> web.Response:
    document = openapi.document(ROUTES, request.app[SITE].version)
    return web.Response(body=to_json(document), content_type="application/json")


async def _docs(request: web.Request) -> web.Response:
    return pages.docs(request.app[SITE].version)
