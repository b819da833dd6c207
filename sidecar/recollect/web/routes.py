"""The table of routes: the one source for dispatch, for OpenAPI and for the docs.

To add a route: a request model in schema.py, a reply record in replies.py, a function in
handlers.py, an entry here with an example; then write the contract files and the table of
docs/api.md anew (`RECOLLECT_UPDATE_CONTRACT=1 pytest tests/contract tests/web`).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from aiohttp import web

from recollect import replies
from recollect.web import handlers, schema
from recollect.web.encode import to_json
from recollect.web.site import SITE, Site

Example: TypeAlias = Mapping[str, str | int | bool | list[str]]


@dataclass(frozen=True, slots=True)
class Route:
    """A route of the API. `example` holds parameters that a reader can try as they stand."""

    method: Literal["GET", "POST"]
    path: str
    name: str
    summary: str
    asked: type[schema.Asked]
    handle: Callable[[Site, Any], Awaitable[object]]  # the second argument is an `asked`
    reply: type
    status: int = 200
    needs_token: bool = True
    example: Example = field(default_factory=dict)

    @property
    def refusals(self) -> tuple[int, ...]:
        """The statuses of problem documents that a caller should expect."""
        of_vaults = (404, 503) if issubclass(self.asked, schema.VaultAsked) else ()
        of_bodies = (413,) if self.method == "POST" else ()
        return tuple(
            sorted((400, 403, *((401,) if self.needs_token else ()), *of_vaults, *of_bodies))
        )

    async def __call__(self, request: web.Request) -> web.Response:
        """Answer one HTTP request: read, check, handle, encode."""
        read = self.asked
        asked = (
            await schema.from_body(read, request)
            if self.method == "POST"
            else schema.from_query(read, request)
        )
        reply = await self.handle(request.app[SITE], asked)
        return web.Response(
            status=self.status, body=to_json(reply), content_type="application/json"
        )


ROUTES: tuple[Route, ...] = (
    Route(
        method="GET",
        path="/api/health",
        name="health",
        summary="That the server is there, and which contract it speaks",
        asked=schema.Asked,
        handle=handlers.health,
        reply=replies.HealthReply,
        needs_token=False,
    ),
    Route(
        method="GET",
        path="/api/vaults",
        name="vaults",
        summary="The known vaults",
        asked=schema.Asked,
        handle=handlers.vaults,
        reply=replies.VaultsReply,
    ),
    Route(
        method="GET",
        path="/api/status",
        name="status",
        summary="Where a vault's index stands",
        asked=schema.VaultAsked,
        handle=handlers.status,
        reply=replies.StatusReply,
    ),
    Route(
        method="GET",
        path="/api/search",
        name="search",
        summary="Notes found by meaning and by keyword, ranked together",
        asked=schema.SearchAsked,
        handle=handlers.search,
        reply=replies.SearchReply,
        example={"q": "how bees find their way", "limit": 3, "explain": True},
    ),
    Route(
        method="GET",
        path="/api/similar",
        name="similar",
        summary="Notes like a note",
        asked=schema.SimilarAsked,
        handle=handlers.similar,
        reply=replies.SearchReply,
        example={"path": "Garden/Bees.md", "unlinked": True},
    ),
    Route(
        method="POST",
        path="/api/similar",
        name="similar_text",
        summary="Notes like a text",
        asked=schema.SimilarTextAsked,
        handle=handlers.similar,
        reply=replies.SearchReply,
        example={"text": "A hive in spring needs room and water.", "limit": 3},
    ),
    Route(
        method="GET",
        path="/api/note",
        name="note",
        summary="A note: content, properties, headings, links in and out",
        asked=schema.NoteAsked,
        handle=handlers.note,
        reply=replies.NoteReply,
        example={"path": "Garden/Bees.md"},
    ),
    Route(
        method="GET",
        path="/api/ledger",
        name="ledger",
        summary="What became of each file, and why",
        asked=schema.LedgerAsked,
        handle=handlers.ledger,
        reply=replies.LedgerReply,
        example={"state": "excluded"},
    ),
    Route(
        method="POST",
        path="/api/reindex",
        name="reindex",
        summary="Take another look at the vault, or at some of its notes",
        asked=schema.ReindexAsked,
        handle=handlers.reindex,
        reply=replies.AcceptedReply,
        status=202,
        example={"paths": ["Garden/Bees.md"]},
    ),
)
FEATURES = tuple(route.name for route in ROUTES if route.name != "health")
