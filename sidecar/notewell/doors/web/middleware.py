"""Middleware that every request passes: headers, errors, host, origin, caller, scope and rate.

Errors are RFC 9457 problem documents. Every answer is one line in the access log.
"""

from __future__ import annotations

import logging
import math
import time
import traceback
from http import HTTPStatus

from aiohttp import hdrs, web
from aiohttp.typedefs import Handler

from notewell.base.errors import (
    AccessError,
    BusyError,
    ForbiddenError,
    NotewellError,
    ReadOnlyError,
    StalePassageError,
)
from notewell.contract.codec import to_json
from notewell.contract.request import EVENT_STREAM
from notewell.contract.server import Problem
from notewell.doors.web.audit import name_of
from notewell.doors.web.auth import (
    AT_HOME,
    CALLER,
    CLIENT,
    SAFETY_HEADERS,
    Address,
    Caller,
    bound_address,
    shown_secret,
)
from notewell.doors.web.routes import ROUTES
from notewell.doors.web.site import SITE, Site
from notewell.engine.access import SCOPES, Scope, digest

# Routes are refused without a token unless they are named here, so that a new one is not open by
# accident. The shell and its files hold nothing of a vault.
OPEN_ROUTES = frozenset(
    {
        "shell",
        "sign_in",
        "static",
        "texts",
        "worker",
        *(r.endpoint.name for r in ROUTES if not r.endpoint.needs_token),
    }
)

# Routes outside the table that need `read` for every method: they check writes themselves.
_OF_READERS = frozenset({"mcp"})

_BY_NAME = {route.endpoint.name: route.endpoint for route in ROUTES}


@web.middleware
async def guard(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Refuse requests that fail a check; log in the audit log those that change something."""
    site = request.app[SITE]
    address, caller = site.gate.address(request), None
    try:
        bound = bound_address(request)
        host = site.gate.check_host(request.headers.getall(hdrs.HOST, []), bound)
        site.gate.check_page(request, host)
        if request.match_info.route.name not in OPEN_ROUTES:
            caller = _caller(request, site, bound, address)
        _admit(request, site, caller, address)
    except NotewellError as error:
        site.audit.log_refusal(address, caller, name_of(request), error.code)
        raise
    CLIENT.set(address)
    if caller is None:
        return await handler(request)
    CALLER.set(caller)
    AT_HOME.set(site.gate.is_at_home(request, caller, bound))
    status = HTTPStatus.INTERNAL_SERVER_ERROR.value
    try:
        response = await handler(request)
        status = response.status
    except NotewellError as error:
        status = error.http_status
        raise
    finally:
        if _scope_of(request) != "read" and request.method != hdrs.METH_GET:
            site.audit.log_change(request, caller, address, status)
    return response


def _admit(request: web.Request, site: Site, caller: Caller | None, address: str) -> None:
    """Raise where the route is not allowed for `caller`, or the rate limit is reached."""
    name = request.match_info.route.name or ""
    route = _BY_NAME.get(name)
    who = f"{caller.id} {address}" if caller is not None else f"? {address}"
    site.rates.admit(who, name, route.rate if route is not None else "read", time.monotonic())
    if caller is not None:
        _check_scope(caller, _scope_of(request))
        if site.gate.rules.read_only and route is not None and route.of_writers:
            raise ReadOnlyError(
                "This server only searches: another one writes its indexes, and it takes changes.",
                code="read_only_server",
            )
    elif name not in OPEN_ROUTES:
        raise AccessError(
            "This route needs the server's token: send `Authorization: Bearer TOKEN`"
            " (`notewell token show` prints it), or open the link that `notewell serve` printed.",
        )


def _caller(request: web.Request, site: Site, bound: Address, address: str) -> Caller | None:
    """Return the caller; after too many wrong secrets from an address, refuse new ones."""
    shown = shown_secret(request, bound)
    if not shown:
        return site.gate.browser(request, bound)  # by the address of a page, which is not counted
    now, kept = time.monotonic(), digest(shown)
    site.guesses.check(address, kept, now)
    caller = site.gate.caller(request, bound)
    if caller is not None:
        site.guesses.right(address, kept)
    else:
        site.guesses.wrong(address, kept, now)
    return caller


def _scope_of(request: web.Request) -> Scope:
    """Return the scope that a route needs; outside the table, GET and HEAD need `read`."""
    route = _BY_NAME.get(request.match_info.route.name or "")
    if route is not None:
        return route.scope
    reads = request.method in {hdrs.METH_GET, hdrs.METH_HEAD}
    return "read" if reads or request.match_info.route.name in _OF_READERS else "write"


def _check_scope(caller: Caller, needed: Scope) -> None:
    if SCOPES.index(caller.scope) < SCOPES.index(needed):
        raise ForbiddenError(
            f"{caller.name!r} may {caller.scope} here, and this route needs `{needed}`. Give the"
            f" device a token of that scope: `notewell token add NAME --scope {needed}`.",
            code="scope_required",
        )


PROBLEM_TYPE = "application/problem+json"

_log = logging.getLogger(__name__)
_access = logging.getLogger("notewell.doors.web.access")

_HTTP_PROBLEMS = {
    404: ("not_found", "There is nothing here. GET /api/openapi.json lists the routes."),
    405: ("method_not_allowed", "This route does not take that method; see the Allow header."),
    408: (
        "request_timeout",
        "The request took too long to arrive. Send it in parts, or set `limits.body_timeout_s`.",
    ),
    415: (
        "unsupported_media",
        "Bodies are read as they are, not compressed: send JSON without Content-Encoding.",
    ),
    417: ("expectation_failed", "Of Expect, only `100-continue` is known: leave it out."),
    413: ("body_too_large", "The body is larger than the 16 MiB that are read. Send it in parts."),
}


@web.middleware
async def answer(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Add headers to every answer, turn errors into problem documents, write the access log.

    The line has the route, not the address: queries and paths of notes stay out of logs.
    """
    begun = time.perf_counter()
    response = await _respond(request, handler)
    for name, value in SAFETY_HEADERS.items():
        response.headers.setdefault(name, value)
    resource = request.match_info.route.resource
    method = request.method if request.method in hdrs.METH_ALL else "?"
    route = resource.canonical if resource is not None else "(no route)"
    seconds = time.perf_counter() - begun
    _access.info("%s %s %d %.1f ms", method, route, response.status, seconds * 1000)
    streamed = response.content_type == EVENT_STREAM
    request.app[SITE].metrics.count_request(
        method, route, response.status, seconds=None if streamed else seconds
    )
    return response


async def _respond(request: web.Request, handler: Handler) -> web.StreamResponse:
    try:
        return await handler(request)
    except NotewellError as error:
        nearest = error.nearest if isinstance(error, StalePassageError) else None
        response = problem(
            error.http_status, code=error.code, detail=error.message, nearest=nearest
        )
        if isinstance(error, BusyError) and error.retry_after is not None:
            response.headers[hdrs.RETRY_AFTER] = str(math.ceil(error.retry_after))
        return response
    except web.HTTPException as error:
        return http_problem(error)
    except Exception as error:  # noqa: BLE001 - the outermost boundary: a client gets an answer
        # The message of an unforeseen error may quote a note; where it happened does not.
        places = "".join(traceback.format_tb(error.__traceback__))
        _log.error("unforeseen %s\n%s", type(error).__name__, places)
        return problem(
            500,
            code="internal",
            detail="Something failed inside the server; its log says where. Please report it.",
        )


def http_problem(error: web.HTTPException) -> web.Response:
    """Build the problem document for an error of aiohttp."""
    code, detail = _HTTP_PROBLEMS.get(error.status, ("http_error", error.reason))
    response = problem(error.status, code=code, detail=detail)
    if hdrs.ALLOW in error.headers:
        response.headers[hdrs.ALLOW] = error.headers[hdrs.ALLOW]
    return response


def problem(status: int, *, code: str, detail: str, nearest: str | None = None) -> web.Response:
    """Build the problem document of one refusal or failure."""
    title = HTTPStatus(status).phrase
    body = Problem("about:blank", title, status, detail, code, nearest)
    response = web.Response(status=status, body=to_json(body), content_type=PROBLEM_TYPE)
    if status == HTTPStatus.UNAUTHORIZED:
        response.headers[hdrs.WWW_AUTHENTICATE] = 'Bearer realm="notewell"'
    return response
