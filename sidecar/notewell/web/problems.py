"""Errors as RFC 9457 problem documents, the access log, and the headers of every answer."""

from __future__ import annotations

import logging
import math
import time
import traceback
from http import HTTPStatus

from aiohttp import hdrs, web
from aiohttp.typedefs import Handler

from notewell.contract.codec import to_json
from notewell.contract.request import EVENT_STREAM
from notewell.contract.server import Problem
from notewell.errors import BusyError, NotewellError
from notewell.web.security import SAFETY_HEADERS
from notewell.web.site import SITE

PROBLEM_TYPE = "application/problem+json"

_log = logging.getLogger(__name__)
_access = logging.getLogger("notewell.web.access")

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
    413: ("body_too_large", "The body is larger than the 16 MiB that are read. Send it in parts."),
}


@web.middleware
async def answer(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Give every answer its headers, errors included, and one line in the access log.

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
    request.app[SITE].metrics.answered(
        method, route, response.status, seconds=None if streamed else seconds
    )
    return response


async def _respond(request: web.Request, handler: Handler) -> web.StreamResponse:
    try:
        return await handler(request)
    except NotewellError as error:
        response = problem(error.http_status, code=error.code, detail=error.message)
        if isinstance(error, BusyError) and error.retry_after is not None:
            response.headers[hdrs.RETRY_AFTER] = str(math.ceil(error.retry_after))
        return response
    except web.HTTPException as error:
        code, detail = _HTTP_PROBLEMS.get(error.status, ("http_error", error.reason))
        response = problem(error.status, code=code, detail=detail)
        if hdrs.ALLOW in error.headers:
            response.headers[hdrs.ALLOW] = error.headers[hdrs.ALLOW]
        return response
    except Exception as error:  # noqa: BLE001 - the outermost boundary: a client gets an answer
        # The message of an unforeseen error may quote a note; where it happened does not.
        places = "".join(traceback.format_tb(error.__traceback__))
        _log.error("unforeseen %s\n%s", type(error).__name__, places)
        return problem(
            500,
            code="internal",
            detail="Something failed inside the server; its log says where. Please report it.",
        )


def problem(status: int, *, code: str, detail: str) -> web.Response:
    """Build the problem document of one refusal or failure."""
    title = HTTPStatus(status).phrase
    body = Problem(type="about:blank", title=title, status=status, detail=detail, code=code)
    response = web.Response(status=status, body=to_json(body), content_type=PROBLEM_TYPE)
    if status == HTTPStatus.UNAUTHORIZED:
        response.headers[hdrs.WWW_AUTHENTICATE] = 'Bearer realm="notewell"'
    return response
