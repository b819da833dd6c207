"""A route of the API: what is asked, who answers, and with what."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from aiohttp import hdrs, web

from recollect.follow import Following
from recollect.web import schema
from recollect.web.encode import to_json
from recollect.web.site import SITE, Site

Json: TypeAlias = "str | int | bool | Sequence[Json] | Mapping[str, Json]"
Example: TypeAlias = Mapping[str, Json]
JSON_TEXT = "application/json"


@dataclass(frozen=True, slots=True)
class Route:
    """A route of the API. `example` holds parameters that a reader can try as they stand.

    `reply` is the record of a JSON answer or of each event of a stream; str is plain text.
    """

    method: Literal["GET", "POST"]
    path: str
    name: str
    summary: str
    asked: type[schema.Asked]
    handle: Callable[[Site, Any], Awaitable[object]]  # the second argument is an `asked`
    reply: type
    status: int = 200
    media: str = JSON_TEXT
    needs_token: bool = True
    example: Example = field(default_factory=dict)

    @property
    def answers(self) -> str:
        """What it answers with, in a word."""
        return "text" if self.reply is str else self.reply.__name__

    @property
    def refusals(self) -> tuple[int, ...]:
        """The statuses of problem documents that a caller should expect."""
        of_vaults = (404, 409, 503) if issubclass(self.asked, schema.VaultAsked) else ()
        of_bodies = (413,) if self.method == "POST" else ()
        return tuple(
            sorted((400, 403, *((401,) if self.needs_token else ()), *of_vaults, *of_bodies))
        )

    async def __call__(self, request: web.Request) -> web.StreamResponse:
        """Answer one HTTP request: read, check, handle, encode."""
        site = request.app[SITE]
        read = self.asked
        asked = (
            await schema.from_body(read, request)
            if self.method == "POST"
            else schema.from_query(read, request)
        )
        async with AsyncExitStack() as held:
            if isinstance(asked, schema.VaultAsked):
                await held.enter_async_context(site.holding(asked.vault))
            reply = await self.handle(site, asked)
            if isinstance(reply, Following):
                return await site.streams.send(request, reply)
        body = reply.encode() if isinstance(reply, str) else to_json(reply)
        return web.Response(status=self.status, body=body, headers={hdrs.CONTENT_TYPE: self.media})
