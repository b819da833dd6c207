"""Tools about the searches of a vault: how one came by its results, and the latest."""

from __future__ import annotations

from typing import Annotated, Self

from annotated_types import MaxLen
from pydantic import Field, model_validator

from notewell.base.errors import NotFoundError
from notewell.base.types import SearchMode
from notewell.contract.fields import MAX_QUERY_CHARS
from notewell.contract.log import LogRequest
from notewell.contract.search import SearchRequest
from notewell.doors.mcp.answer import pick
from notewell.doors.mcp.requests import BudgetedRequest, Change, request_model
from notewell.doors.mcp.tool import Document, Tool, ToolContext

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
        query, mode = _logged(context, request.query_id or "")
    reply = context.backend.answer(
        SearchRequest(query, limit=request.limit, mode=mode, passages=0, explain=True)
    )
    return {
        "query": query,
        **pick(reply, "mode", "fusion", "filtered", "explain"),
        "results": [pick(one, "path", "score", "scores", "raw") for one in reply.results],
        "warnings": reply.warnings,
    }


def trace_list(context: ToolContext, request: BudgetedRequest) -> Document:
    """Return the latest searches of this vault, with what was found and opened."""
    log = context.backend.answer(request.to_record(LogRequest))
    return {
        **pick(log, "enabled", "total"),
        "searches": [
            {
                **pick(one, "query_id", "at", "door", "query", "mode", "took_ms"),
                "results": [result.path for result in one.results[:_SHOWN_NOTES]],
                "opened": [opened.path for opened in one.opened],
            }
            for one in log.entries
        ],
    }


def _logged(context: ToolContext, query_id: str) -> tuple[str, SearchMode]:
    """Return query and mode of a search in the log."""
    for entry in context.backend.answer(LogRequest(_MAX_LOGGED)).entries:
        if entry.query_id == query_id:
            return entry.query, entry.mode
    raise NotFoundError(f"no search '{query_id}' among the latest; trace_list names them")


TOOLS = (
    Tool(
        "trace_query",
        "Explain a search",
        "What each stage of a search did: why a note was found, or was not.",
        TraceRequest,
        trace_query,
        cut=("results", "explain"),
    ),
    Tool(
        "trace_list",
        "Earlier searches",
        "The latest searches of a vault, with what they found and which results were opened.",
        request_model(
            LogRequest, BudgetedRequest, fields=("limit",), changes={"limit": Change(default=20)}
        ),
        trace_list,
        cut=("searches",),
    ),
)
