"""The table of routes: the one source for dispatch, for OpenAPI and for the docs.

To add a route: a request model in schema.py or schema_<topic>.py, a reply record in replies/, a
function in handlers.py, an entry here with an example; then write the contract files and the table
of docs/api.md anew (`NOTEWELL_TEST_UPDATE_CONTRACT=1 pytest tests/contract tests/web`).
"""

from __future__ import annotations

from notewell.contract.changes import AcceptedReply, SyncReply
from notewell.contract.log import ClearedReply, LogReply, OpenedReply, VerdictReply
from notewell.contract.notes import NoteReply
from notewell.contract.search import SearchReply
from notewell.contract.server import EventReply, HealthReply, VaultsReply
from notewell.contract.status import LedgerReply, StatusReply
from notewell.web import handlers, schema, schema_changes, schema_log
from notewell.web.ask import ASK_ROUTES
from notewell.web.context import CONTEXT_ROUTES
from notewell.web.events import EVENT_STREAM
from notewell.web.explored import EXPLORED, RATES
from notewell.web.manage import MANAGE_ROUTES
from notewell.web.memory import MEMORY_ROUTES
from notewell.web.metrics import CONTENT_TYPE as METRICS_TEXT
from notewell.web.request_models import Asked, VaultAsked
from notewell.web.route import Route

ROUTES: tuple[Route, ...] = (
    Route(
        method="GET",
        path="/api/health",
        name="health",
        summary="That the server is there, and which contract it speaks",
        asked=Asked,
        handle=handlers.health,
        reply=HealthReply,
        needs_token=False,
    ),
    Route(
        method="GET",
        path="/api/vaults",
        name="vaults",
        summary="The known vaults",
        asked=Asked,
        handle=handlers.vaults,
        reply=VaultsReply,
    ),
    Route(
        method="GET",
        path="/api/status",
        name="status",
        summary="Where a vault's index stands",
        asked=VaultAsked,
        handle=handlers.status,
        reply=StatusReply,
    ),
    Route(
        method="GET",
        path="/api/search",
        name="search",
        summary="Notes found by meaning and by keyword, ranked together",
        asked=schema.SearchAsked,
        handle=handlers.search,
        reply=SearchReply,
        counts_as="search",
        example={"q": "how bees find their way", "limit": 3, "explain": True},
    ),
    Route(
        method="GET",
        path="/api/similar",
        name="similar",
        summary="Notes like a note",
        asked=schema.SimilarAsked,
        handle=handlers.similar,
        reply=SearchReply,
        counts_as="search",
        example={"path": "Garden/Bees.md", "unlinked": True},
    ),
    Route(
        method="POST",
        path="/api/similar",
        name="similar_text",
        summary="Notes like a text",
        asked=schema.SimilarTextAsked,
        handle=handlers.similar,
        reply=SearchReply,
        needs="read",
        counts_as="search",
        example={"text": "A hive in spring needs room and water.", "limit": 3},
    ),
    Route(
        method="GET",
        path="/api/note",
        name="note",
        summary="A note: content, properties, headings, links in and out",
        asked=schema.NoteAsked,
        handle=handlers.note,
        reply=NoteReply,
        counts_as="search",
        example={"path": "Garden/Bees.md"},
    ),
    *(
        Route(
            method="GET",
            path=asked.asks.route,
            name=name,
            summary=summary,
            asked=asked,
            handle=handlers.explore,
            reply=reply,
            counts_as=RATES.get(name, "read"),
            example=example,
        )
        for name, asked, reply, summary, example in EXPLORED
    ),
    Route(
        method="GET",
        path="/api/ledger",
        name="ledger",
        summary="What became of each file, and why",
        asked=schema.LedgerAsked,
        handle=handlers.ledger,
        reply=LedgerReply,
        example={"state": "excluded"},
    ),
    Route(
        method="POST",
        path="/api/opened",
        name="opened",
        summary="Which result of a search was opened",
        asked=schema_log.OpenedAsked,
        handle=handlers.opened,
        reply=OpenedReply,
        needs="read",
        example={"q": "how bees find their way", "path": "Garden/Bees.md", "rank": 1},
    ),
    Route(
        method="POST",
        path="/api/verdict",
        name="verdict",
        summary="Whether a note is the answer to a query, or never shall be",
        asked=schema_log.VerdictAsked,
        handle=handlers.verdict,
        reply=VerdictReply,
        example={"q": "spring", "path": "Garden/Compost.md", "verdict": "never_for_this"},
    ),
    Route(
        method="GET",
        path="/api/log",
        name="log",
        summary="The newest searches, what was opened of them, and all verdicts",
        asked=schema_log.LogAsked,
        handle=handlers.log,
        reply=LogReply,
        example={"limit": 20},
    ),
    Route(
        method="POST",
        path="/api/log/clear",
        name="log_clear",
        summary="Delete the log of searches",
        asked=schema_log.LogClearAsked,
        handle=handlers.log_clear,
        reply=ClearedReply,
        needs="admin",
        example={"keep_verdicts": True},
    ),
    *MEMORY_ROUTES,
    *ASK_ROUTES,
    Route(
        method="POST",
        path="/api/reindex",
        name="reindex",
        summary="Take another look at the vault, or at some of its notes",
        asked=schema.ReindexAsked,
        handle=handlers.reindex,
        reply=AcceptedReply,
        status=202,
        example={"paths": ["Garden/Bees.md"]},
    ),
    Route(
        method="POST",
        path="/api/changes",
        name="changes",
        summary="Notes and folders that a client saw change",
        asked=schema_changes.ChangesAsked,
        handle=handlers.changes,
        reply=AcceptedReply,
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
        asked=schema_changes.SyncAsked,
        handle=handlers.sync,
        reply=SyncReply,
        example={"files": [["Garden/Bees.md", 1024, 1772445600000]]},
    ),
    Route(
        method="POST",
        path="/api/queue/pause",
        name="queue_pause",
        summary="Let indexing rest; searching goes on",
        asked=VaultAsked,
        handle=handlers.queue_pause,
        reply=AcceptedReply,
        status=202,
    ),
    Route(
        method="POST",
        path="/api/queue/resume",
        name="queue_resume",
        summary="Let indexing go on",
        asked=VaultAsked,
        handle=handlers.queue_resume,
        reply=AcceptedReply,
        status=202,
    ),
    Route(
        method="POST",
        path="/api/queue/retry",
        name="queue_retry",
        summary="Try every failed note again",
        asked=VaultAsked,
        handle=handlers.queue_retry,
        reply=AcceptedReply,
        status=202,
    ),
    Route(
        method="POST",
        path="/api/queue/cancel",
        name="queue_cancel",
        summary="Drop the work that waits and end what runs",
        asked=VaultAsked,
        handle=handlers.queue_cancel,
        reply=AcceptedReply,
        status=202,
    ),
    Route(
        method="POST",
        path="/api/guard",
        name="guard",
        summary="Whether notes that are gone all at once shall be removed",
        asked=schema_changes.GuardAsked,
        handle=handlers.guard,
        reply=AcceptedReply,
        status=202,
        example={"remove": False},
    ),
    *CONTEXT_ROUTES,
    *MANAGE_ROUTES,
    Route(
        method="GET",
        path="/api/events",
        name="events",
        summary="What happens to a vault, as server-sent events",
        asked=schema.EventsAsked,
        handle=handlers.events,
        reply=EventReply,
        media=EVENT_STREAM,
    ),
    Route(
        method="GET",
        path="/metrics",
        name="metrics",
        summary="Figures of this server and its vaults, for Prometheus",
        asked=Asked,
        handle=handlers.metrics,
        reply=str,
        media=METRICS_TEXT,
    ),
)
FEATURES = tuple(route.name for route in ROUTES if route.name != "health")
