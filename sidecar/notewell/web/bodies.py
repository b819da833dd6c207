"""The body of a request: whole, plain, in time, and not too large."""

from __future__ import annotations

import asyncio

from aiohttp import hdrs, web

MAX_BODY_BYTES = 16 * 1024 * 1024


async def read_body(request: web.Request, seconds: float) -> bytes:
    """Read it within `seconds`.

    Refused: a compressed one, which may be a thousand times as large as it looks, one above
    `MAX_BODY_BYTES` (the application's limit), and one that trickles in.
    """
    if request.headers.get(hdrs.CONTENT_ENCODING, "identity").lower() != "identity":
        raise web.HTTPUnsupportedMediaType
    try:
        async with asyncio.timeout(seconds if seconds > 0 else None):
            return await request.read()
    except TimeoutError as error:
        raise web.HTTPRequestTimeout from error
