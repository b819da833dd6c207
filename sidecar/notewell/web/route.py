"""A route of the API: what is asked, who answers, and with what."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from aiohttp import hdrs, web

from notewell.access.devices import Scope
from notewell.contract.codec import to_json
from notewell.engine.event_stream import Following
from notewell.errors import QueryTimeoutError
from notewell.web.bodies import read_body
from notewell.web.limits import Rate
from notewell.web.request_models import Asked, VaultAsked, from_body, from_query
from notewell.web.site import SITE, Site

Json: TypeAlias = "str | int | bool | Sequence[Json] | Mapping[str, Json]"
Example: TypeAlias = Mapping[str, Json]
JSON_TEXT = "application/json"


@dataclass(frozen=True, slots=True)
class Route:
    """A route of the API. `example` holds parameters that a reader can try as they stand.

    `reply` is the record of a JSON answer or of each event of a stream; str is plain text.
    """

    method: Literal["GET", "POST", "PATCH"]
    path: str
    name: str
    summary: str
    asked: type[Asked]
    handle: Callable[[Site, Any], Awaitable[object]]  # the second argument is an `asked`
    reply: type
    status: int = 200
    media: str = JSON_TEXT
    needs_token: bool = True
    needs: Scope | None = None  # None: to read for a GET, to write for any other
    counts_as: Rate | None = None  # whose rate limit it is under; None: by what it needs
    timed: bool = True  # whether a question is given up when its answer takes too long
    example: Example = field(default_factory=dict)

    @property
    def answers(self) -> str:
        """What it answers with, in a word."""
        return "text" if self.reply is str else self.reply.__name__

    @property
    def scope(self) -> Scope:
        """What a caller must be allowed to do."""
        return self.needs or ("read" if self.method == "GET" else "write")

    @property
    def rate(self) -> Rate:
        """Under which rate limit a caller asks it."""
        return self.counts_as or ("read" if self.scope == "read" else "write")

    @property
    def refusals(self) -> tuple[int, ...]:
        """The statuses of problem documents that a caller should expect."""
        of_vaults = (404, 409) if issubclass(self.asked, VaultAsked) else ()
        of_bodies = (408, 413, 415) if self.method != "GET" else ()
        of_callers = (401, 503) if self.needs_token else ()
        of_questions = (504,) if self._may_time_out else ()
        return tuple(sorted({400, 403, 429, *of_callers, *of_vaults, *of_bodies, *of_questions}))

    @property
    def _may_time_out(self) -> bool:
        return self.timed and self.needs_token and self.scope == "read"

    async def __call__(self, request: web.Request) -> web.StreamResponse:
        """Answer one HTTP request: read, check, handle, encode."""
        site = request.app[SITE]
        asked = await self._read(request, site)
        async with AsyncExitStack() as held:
            reply = await self._answer(site, asked, held)
            if isinstance(reply, Following):
                return await site.streams.send(request, reply)
        body = reply.encode() if isinstance(reply, str) else to_json(reply)
        return web.Response(status=self.status, body=body, headers={hdrs.CONTENT_TYPE: self.media})

    async def _read(self, request: web.Request, site: Site) -> Asked:
        if self.method == "GET":
            return from_query(self.asked, request)
        raw = await read_body(request, site.limits.body_timeout_s)
        return from_body(self.asked, request, raw)

    async def _answer(self, site: Site, asked: Asked, held: AsyncExitStack) -> object:
        """Wait for a place, and handle; the vault is held until `held` ends."""
        if not self.needs_token:  # whoever watches over the server hears of it, busy or not
            return await self.handle(site, asked)
        async with site.slots.taken():
            if self.scope != "read":
                # What was begun is done, whether or not the caller waits for the answer.
                return await asyncio.shield(self._apply(site, asked))
            await self._hold(site, asked, held)
            return await self._in_time(site, asked)

    async def _apply(self, site: Site, asked: Asked) -> object:
        """Handle what changes something, with a hold of its own on the vault."""
        async with AsyncExitStack() as held:
            await self._hold(site, asked, held)
            return await self.handle(site, asked)

    async def _hold(self, site: Site, asked: Asked, held: AsyncExitStack) -> None:
        if isinstance(asked, VaultAsked):
            await held.enter_async_context(site.holding(asked.vault))

    async def _in_time(self, site: Site, asked: Asked) -> object:
        seconds = site.limits.query_timeout_s if self._may_time_out else 0.0
        limit = asyncio.timeout(seconds if seconds > 0 else None)
        try:
            async with limit:
                return await self.handle(site, asked)
        except TimeoutError as error:
            if not limit.expired():
                raise
            raise QueryTimeoutError(
                f"No answer within {seconds:g} seconds, so the question was given up. Ask for less"
                " at once, or set `limits.query_timeout_s`."
            ) from error
