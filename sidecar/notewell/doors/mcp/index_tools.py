"""Tools about an index and past searches; reindex, index_paths and index_remove begin a job.

None of them writes to the vault. An index always follows its folder, so what is removed from the
index is what is no longer there.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import fields
from typing import Annotated, Self

from pydantic import Field, model_validator

from notewell.base.errors import NotFoundError
from notewell.base.types import LedgerState, SearchMode
from notewell.base.types.hints import MaxLen
from notewell.contract.fields import MAX_QUERY_CHARS, note_path
from notewell.contract.log import LogReply, LogRequest, OpenedRequest
from notewell.contract.search import SearchRequest
from notewell.contract.status import LedgerRequest, ReindexRequest, StatusReply, StatusRequest
from notewell.doors.mcp.answer import indexed_paths
from notewell.doors.mcp.arguments import BudgetedRequest, ToolRequest
from notewell.doors.mcp.tool import (
    JOB_HINT,
    ArgumentChange,
    Document,
    Tool,
    ToolContext,
    begin,
    pick,
    progress_of,
    tool_of,
)

_MAX_LOGGED = 1000  # searches of the log among which one is looked for by its id
_SHOWN_NOTES = 3  # of a search in the log


class TraceRequest(BudgetedRequest):
    """The request of `trace_query`."""

    query: Annotated[str, MaxLen(MAX_QUERY_CHARS)] | None = Field(None, description="A query")
    query_id: str | None = Field(None, description="Or the id of an earlier one, from trace_list")
    mode: SearchMode = "hybrid"
    limit: int = Field(5, ge=1, le=100, description="Maximum number of results")

    @model_validator(mode="after")
    def _check_one_is_given(self) -> Self:
        if (self.query is None) == (self.query_id is None):
            raise ValueError("give either `query` or `query_id`")
        return self


def trace_query(context: ToolContext, request: TraceRequest) -> Document:
    """Return what each stage of a search did, and how the results came by their scores."""
    query, mode = request.query, request.mode
    if query is None:
        query, mode = _find_logged(context, request.query_id or "")
    reply = context.backend.answer(
        SearchRequest(query, limit=request.limit, mode=mode, passages=0, explain=True)
    )
    return {
        "query": query,
        **pick(reply, "mode", "fusion", "filtered", "explain"),
        "results": [pick(result, "path", "score", "scores", "raw") for result in reply.results],
        "warnings": reply.warnings,
    }


def _latest_searches(log: LogReply) -> Document:
    return {
        **pick(log, "enabled", "total"),
        "searches": [
            {
                **pick(entry, "query_id", "at", "door", "query", "mode", "took_ms"),
                "results": [result.path for result in entry.results[:_SHOWN_NOTES]],
                "opened": [opened.path for opened in entry.opened],
            }
            for entry in log.entries
        ],
    }


def _find_logged(context: ToolContext, query_id: str) -> tuple[str, SearchMode]:
    for entry in context.backend.answer(LogRequest(_MAX_LOGGED)).entries:
        if entry.query_id == query_id:
            return entry.query, entry.mode
    raise NotFoundError(f"no search '{query_id}' among the latest; trace_list names them")


_STATUS_SHOWN = tuple(
    field.name
    for field in fields(StatusReply)
    # The others are for those who look after a server.
    if field.name not in {"generation", "work", "embedder", "former_titles"}
)


class StatusArguments(BudgetedRequest):
    """The request of `vault_status`, which answers several questions about an index."""

    job: str | None = Field(None, description="Also how far this job is")
    state: LedgerState | None = Field(None, description="Also files in this state")
    path: str | None = Field(None, description="Also this file and its rule")


class PathsRequest(ToolRequest):
    """The request of `index_paths` and `index_remove`."""

    paths: list[str] = Field(
        min_length=1, max_length=1000, description="Paths of notes or folders in the vault"
    )


def vault_status(context: ToolContext, request: StatusArguments) -> Document:
    """Return the state of the index; also of a job and of files where they are named."""
    status = context.backend.answer(StatusRequest())
    document = pick(status, *_STATUS_SHOWN)
    if request.job is not None:
        document["job"] = progress_of(context.jobs.find(request.job), status)
    if request.state is not None or request.path is not None:
        ledger = context.backend.answer(request.to_record(LedgerRequest))
        shown = ("path", "state", "rule", "reason", "warnings")
        document["files"] = [pick(entry, *shown) for entry in ledger.entries]
    return document


def reindex(context: ToolContext, request: ReindexRequest) -> Document:
    """Have the whole vault looked at."""
    context.backend.answer(request)
    return begin(context, "reindex")


def index_paths(context: ToolContext, request: PathsRequest) -> Document:
    """Have some notes or folders looked at first.

    Raises:
        OutsideVaultError: a path leads out of the vault.
        NotFoundError: neither the vault nor its index has one of them; then nothing is begun.

    """
    paths = _inside(request.paths)
    context.backend.answer(ReindexRequest(paths=paths))
    return begin(context, "index_paths")


def index_remove(context: ToolContext, request: PathsRequest) -> Document:
    """Take what is gone from the folder out of the index; what is still there stays."""
    paths = _inside(request.paths)
    known = set(indexed_paths(context.backend))
    indexed = [path for path in paths if path in known]
    for path in paths:
        with suppress(NotFoundError):  # it is in neither the vault nor the index already
            context.backend.answer(ReindexRequest(paths=(path,)))
    begun = begin(context, "index_remove")
    explanation = (
        "Of these, those that are still in the vault's folder stay in the index: it follows the"
        " folder. The setting vault.exclude keeps notes out of it."
    )
    return {**begun, "indexed_now": indexed, "hint": f"{explanation} {JOB_HINT}"}


def _inside(paths: list[str]) -> tuple[str, ...]:
    """Return the paths as the contract has them; raises OutsideVaultError for any other."""
    return tuple(note_path(path).removesuffix("/") for path in paths)


TOOLS = (
    Tool(
        "trace_query",
        "Explain a search",
        "What each stage of a search did: why a note was found, or was not.",
        TraceRequest,
        trace_query,
        cut=("results", "explain"),
    ),
    tool_of(
        LogRequest,
        "Earlier searches",
        "The latest searches of a vault, with what they found and which results were opened.",
        name="trace_list",
        fields=("limit",),
        changes={"limit": ArgumentChange(default=20)},
        shows=_latest_searches,
        cut=("searches",),
    ),
    Tool(
        "vault_status",
        "State of the index",
        "The state of a vault's index; also how far a job is, which files failed or are left out"
        " and why.",
        StatusArguments,
        vault_status,
        cut=("files",),
        core=("state", "path", "vault"),
    ),
    tool_of(
        OpenedRequest,
        "Say what helped",
        "Say which note answered a search: it counts when the ranking is fitted to this vault.",
        name="feedback",
        fields=("q", "path"),
        changes={"q": ArgumentChange(name="query", hint=str)},
        writes=False,  # it is noted in the log, which is no part of the vault
        core=("query", "path", "vault"),
    ),
    tool_of(
        ReindexRequest,
        "Index the vault again",
        "Look at the whole vault again and index what changed. Gives a job.",
        fields=("full",),
        run=reindex,
    ),
    Tool(
        "index_paths",
        "Index some notes",
        "Look at some notes or folders again, before anything else. Gives a job.",
        PathsRequest,
        index_paths,
        writes=True,
    ),
    Tool(
        "index_remove",
        "Remove from the index",
        "Take notes or folders that are gone out of the index. Files are not touched. Gives a job.",
        PathsRequest,
        index_remove,
        writes=True,
        destructive=True,
    ),
)
