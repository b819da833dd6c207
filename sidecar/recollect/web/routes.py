"""The table of routes: the one source for dispatch, for OpenAPI and for the docs.

To add a route: a request model in schema.py, a reply record in replies*.py, a function in
handlers.py, an entry here with an example; then write the contract files and the table of
docs/api.md anew (`RECOLLECT_TEST_UPDATE_CONTRACT=1 pytest tests/contract tests/web`).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from aiohttp import hdrs, web

from recollect import replies, replies_log
from recollect.follow import Following
from recollect.web import handlers, schema
from recollect.web.encode import to_json
from recollect.web.events import EVENT_STREAM
from recollect.web.metrics import CONTENT_TYPE as METRICS_TEXT
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
        path="/api/opened",
        name="opened",
        summary="Which result of a search was opened",
        asked=schema.OpenedAsked,
        handle=handlers.opened,
        reply=replies_log.OpenedReply,
        example={"q": "how bees find their way", "path": "Garden/Bees.md", "rank": 1},
    ),
    Route(
        method="POST",
        path="/api/verdict",
        name="verdict",
        summary="Whether a note is the answer to a query, or never shall be",
        asked=schema.VerdictAsked,
        handle=handlers.verdict,
        reply=replies_log.VerdictReply,
        example={"q": "spring", "path": "Garden/Compost.md", "verdict": "never_for_this"},
    ),
    Route(
        method="GET",
        path="/api/log",
        name="log",
        summary="The newest searches, what was opened of them, and all verdicts",
        asked=schema.LogAsked,
        handle=handlers.log,
        reply=replies_log.LogReply,
        example={"limit": 20},
    ),
    Route(
        method="POST",
        path="/api/log/clear",
        name="log_clear",
        summary="Delete the log of searches",
        asked=schema.LogClearAsked,
        handle=handlers.log_clear,
        reply=replies_log.ClearedReply,
        example={"keep_verdicts": True},
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
    Route(
        method="POST",
        path="/api/changes",
        name="changes",
        summary="Notes and folders that a client saw change",
        asked=schema.ChangesAsked,
        handle=handlers.changes,
        reply=replies.AcceptedReply,
        status=202,
        example={
            "changes": [
                {"kind": "modify", "path": "Garden/Bees.md", "mtime": 1772445600000},
                {"kind": "rename", "path": "Garden/Bed.md", "old_path": "Garden/Plan.md"},
            ]
        },
    ),
    Route(
        method="POST",
        path="/api/sync",
        name="sync",
        summary="Which of a client's files the server lacks, and which are gone",
        asked=schema.SyncAsked,
        handle=handlers.sync,
        reply=replies.SyncReply,
        example={"files": [["Garden/Bees.md", 1024, 1772445600000]]},
    ),
    Route(
        method="POST",
        path="/api/queue/pause",
        name="queue_pause",
        summary="Let indexing rest; searching goes on",
        asked=schema.VaultAsked,
        handle=handlers.queue_pause,
        reply=replies.AcceptedReply,
        status=202,
    ),
    Route(
        method="POST",
        path="/api/queue/resume",
        name="queue_resume",
        summary="Let indexing go on",
        asked=schema.VaultAsked,
        handle=handlers.queue_resume,
        reply=replies.AcceptedReply,
        status=202,
    ),
    Route(
        method="POST",
        path="/api/queue/retry",
        name="queue_retry",
        summary="Try every failed note again",
        asked=schema.VaultAsked,
        handle=handlers.queue_retry,
        reply=replies.AcceptedReply,
        status=202,
    ),
    Route(
        method="POST",
        path="/api/queue/cancel",
        name="queue_cancel",
        summary="Drop the work that waits and end what runs",
        asked=schema.VaultAsked,
        handle=handlers.queue_cancel,
        reply=replies.AcceptedReply,
        status=202,
    ),
    Route(
        method="POST",
        path="/api/guard",
        name="guard",
        summary="Whether notes that are gone all at once shall be removed",
        asked=schema.GuardAsked,
        handle=handlers.guard,
        reply=replies.AcceptedReply,
        status=202,
        example={"remove": False},
    ),
    Route(
        method="GET",
        path="/api/events",
        name="events",
        summary="What happens to a vault, as server-sent events",
        asked=schema.EventsAsked,
        handle=handlers.events,
        reply=replies.EventReply,
        media=EVENT_STREAM,
    ),
    Route(
        method="GET",
        path="/metrics",
        name="metrics",
        summary="Figures of this server and its vaults, for Prometheus",
        asked=schema.Asked,
        handle=handlers.metrics,
        reply=str,
        media=METRICS_TEXT,
    ),
)
FEATURES = tuple(route.name for route in ROUTES if route.name != "health")
