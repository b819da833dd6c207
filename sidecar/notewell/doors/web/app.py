"""The aiohttp application: its routes, middleware, start and end."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from urllib.parse import quote

from aiohttp import hdrs, web

from notewell import __version__
from notewell.base.errors import (
    NotewellError,
)
from notewell.base.types import LimitRules, ServerRules
from notewell.contract.codec import to_json
from notewell.contract.server import HealthRequest
from notewell.doors.web import openapi, pages
from notewell.doors.web.attachments import send_file
from notewell.doors.web.audit import Audit
from notewell.doors.web.auth import (
    KEY_PARAMETER,
    REFUSED_PARAMETER,
    Callers,
    Gate,
    bound_address,
)
from notewell.doors.web.limits import Guesses, Rates, Slots
from notewell.doors.web.middleware import answer, guard
from notewell.doors.web.request_models import MAX_BODY_BYTES
from notewell.doors.web.routes import ROUTES, Route, routes
from notewell.doors.web.sign_in import secret_in, sign_in
from notewell.doors.web.site import SITE, Metrics, Parts, Site, Streams
from notewell.engine.configuration import Configuration
from notewell.engine.feature import Feature
from notewell.engine.open_vaults import Vaults
from notewell.features import FEATURES
from notewell.vault.readers.process import ReaderProcess

_SAVE_USED_S = 60.0
_ROUTES: web.AppKey[tuple[Route, ...]] = web.AppKey("routes", tuple)
STATIC = Path(__file__).parent / "static"

_log = logging.getLogger(__name__)


def create_app(
    vaults: Vaults,
    *,
    token: str,
    server: ServerRules,
    limits: LimitRules | None = None,
    state_dir: Path | None = None,
    logs: Path | None = None,
    configuration: Configuration | None = None,
    version: str = __version__,
    static: Path = STATIC,
    texts: Path | None = None,
    streams: Streams | None = None,
    features: Sequence[Feature] = FEATURES,
) -> web.Application:
    """Make the application for the vaults that are open.

    Its start-up starts their engines; its clean-up closes them. `token` is the process's own; with
    `state_dir`, the persistent token and the devices in that folder are accepted as well, and with
    `configuration`, settings can be read and changed. `logs` is the folder of the audit log,
    `static` that of the built web interface; without one, `/` is a page that says so. `texts` is
    the folder of further languages. `features` are those whose routes it has.
    """
    app = web.Application(middlewares=[answer, guard], client_max_size=MAX_BODY_BYTES)
    streams, limits = streams or Streams(), limits or LimitRules()
    interface = pages.find_built(static)
    table = ROUTES if features is FEATURES else routes(features)
    names = tuple(route.endpoint.name for route in table if route.request is not HealthRequest)
    app.on_shutdown.append(streams.end)
    parts = Parts()
    app.on_shutdown.append(parts.end)
    app[SITE] = Site(
        vaults=vaults,
        gate=Gate(callers=Callers(token, state_dir), rules=server),
        audit=Audit(logs),
        limits=limits,
        rates=Rates(limits),
        guesses=Guesses(limits.guesses),
        slots=Slots(limits.concurrent, limits.waiting),
        configuration=configuration,
        version=version,
        features=names if interface is None else (*names, *pages.FEATURES),
        static=interface,
        metrics=Metrics(),
        streams=streams,
        parts=parts,
        pictures=ReaderProcess(),
    )
    _add_routes(app, table)
    if interface is not None:
        pages.add_interface(app, interface)
    if texts is not None:
        pages.add_texts(app, texts)
    app.cleanup_ctx.extend((_engines, _last_used))
    return app


def _add_routes(app: web.Application, table: Sequence[Route]) -> None:
    for route in table:
        endpoint = route.endpoint
        place = endpoint.path.replace("}", ":[^/]+}")  # braces too: the field's own check refuses
        if endpoint.method == "GET":
            app.router.add_get(place, route.__call__, name=endpoint.name)
        else:
            app.router.add_route(endpoint.method, place, route.__call__, name=endpoint.name)
    app.router.add_get("/api/file", send_file, name="file")
    app[_ROUTES] = tuple(table)
    app.router.add_get("/api/openapi.json", _openapi, name="openapi")
    app.router.add_get("/api/docs", _docs, name="docs")
    app.router.add_get("/", _shell, name="shell")
    app.router.add_post("/", sign_in, name="sign_in")


async def _engines(app: web.Application) -> AsyncIterator[None]:
    vaults = app[SITE].vaults
    for engine in vaults.opened():
        engine.start()
    yield
    # Closing waits for the transaction in flight and saves snapshots: not on the event loop.
    await asyncio.to_thread(vaults.close)


async def _last_used(app: web.Application) -> AsyncIterator[None]:
    """Save regularly, and at the end, when each device was last used."""
    callers = app[SITE].gate.callers

    async def keep_saving() -> None:
        while True:
            await asyncio.sleep(_SAVE_USED_S)
            await _save_used(callers)

    saving = asyncio.create_task(keep_saving())
    yield
    saving.cancel()
    await _save_used(callers)


async def _save_used(callers: Callers) -> None:
    try:
        await asyncio.to_thread(callers.save_used)
    except NotewellError as error:  # a full disk must not stop a server
        _log.warning("the times of last use of devices could not be saved: %s", error.message)


async def _shell(request: web.Request) -> web.StreamResponse:
    site, bound = request.app[SITE], bound_address(request)
    if site.static is not None:
        return pages.interface(site.static)
    secret = secret_in(request.rel_url.raw_query_string)
    if secret is not None:
        return pages.sign_in_page(secret.fields())
    url = f"{request.scheme}://{request.headers[hdrs.HOST]}"
    known = site.gate.browser(request, bound) is not None
    key = request.query.get(KEY_PARAMETER, "") if known else ""
    return pages.start_page(url, key=key, refused=REFUSED_PARAMETER in request.query)


async def _openapi(request: web.Request) -> web.Response:
    document = openapi.document(request.app[_ROUTES], request.app[SITE].version)
    return web.Response(body=to_json(document), content_type="application/json")


async def _docs(request: web.Request) -> web.Response:
    key = request.query.get(KEY_PARAMETER)  # for the page's own link, which sends no header either
    return pages.docs(request.app[SITE].version, f"?{KEY_PARAMETER}={quote(key)}" if key else "")
