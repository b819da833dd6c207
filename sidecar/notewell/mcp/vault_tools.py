"""Tools that look at a vault as a whole: its links, its past, its state, what was searched."""

from __future__ import annotations

from typing import Self

from pydantic import Field, model_validator

from notewell.contract.explore import ArchaeologyRequest, Granularity
from notewell.contract.fields import MAX_QUERY_CHARS
from notewell.contract.graph import MAX_HOPS, GraphStatsRequest, NeighborsRequest, PathRequest
from notewell.contract.log import LogRequest
from notewell.contract.search import SearchRequest
from notewell.contract.status import LedgerRequest, StatusRequest
from notewell.errors import NotFoundError
from notewell.mcp.jobs import progress
from notewell.mcp.tool import BudgetAsked, Desk, Document, Tool, read
from notewell.types import Direction, LedgerState, SearchMode

_LOGGED = 1000  # searches of the log that are looked through for one


class NeighborsAsked(BudgetAsked):
    """`graph_neighbors`."""

    path: str = Field(min_length=1, description="A note's path, or its name as in a link")
    hops: int = Field(1, ge=1, le=MAX_HOPS, description="How many links away at most")
    direction: Direction = Field("both", description="Along links, against them, or either way")
    limit: int = Field(50, ge=1, le=1000, description="Most notes")


class PathAsked(BudgetAsked):
    """`graph_path`."""

    source: str = Field(min_length=1, description="A note's path or name")
    target: str = Field(min_length=1, description="Another's")
    directed: bool = Field(default=False, description="Only along links, not against them")


class ArchaeologyAsked(BudgetAsked):
    """`archaeology`."""

    query: str = Field(max_length=MAX_QUERY_CHARS, description="The topic, as a query")
    limit: int = Field(100, ge=1, le=1000, description="Most notes that are looked at")
    granularity: Granularity = "auto"


class StatusAsked(BudgetAsked):
    """`vault_status`."""

    job: str | None = Field(None, description="Also how far this job is")
    state: LedgerState | None = Field(None, description="Also the files in this state, and why")
    path: str | None = Field(None, description="Also what became of this file, and by which rule")


class TraceAsked(BudgetAsked):
    """`trace_query`."""

    query: str | None = Field(None, max_length=MAX_QUERY_CHARS, description="A query")
    query_id: str | None = Field(None, description="Or the id of an earlier one, of trace_list")
    mode: SearchMode = "hybrid"
    limit: int = Field(5, ge=1, le=100, description="Most results shown")

    @model_validator(mode="after")
    def _names_one(self) -> Self:
        if (self.query is None) == (self.query_id is None):
            raise ValueError("give either `query` or `query_id`")
        return self


class TraceListAsked(BudgetAsked):
    """`trace_list`."""

    limit: int = Field(20, ge=1, le=1000, description="Most searches, the latest first")


def graph_neighbors(desk: Desk, asked: NeighborsAsked) -> Document:
    """Notes within some links of a note."""
    question = NeighborsRequest(
        asked.path, hops=asked.hops, direction=asked.direction, limit=asked.limit
    )
    found = read(desk.answers.document(question))
    shown = ("path", "hops", "score", "link")
    return {
        "path": found["path"],
        "total": found["total"],
        "neighbors": [{name: one[name] for name in shown} for one in found["neighbors"]],
    }


def graph_path(desk: Desk, asked: PathAsked) -> Document:
    """The shortest way between two notes."""
    question = PathRequest(asked.source, asked.target, directed=asked.directed)
    found = read(desk.answers.document(question))
    return {
        "source": found["source"],
        "target": found["target"],
        "connected": found["length"] is not None,
        "length": found["length"],
        "steps": [{"path": one["path"], "link": one["link"]} for one in found["steps"]],
    }


def archaeology(desk: Desk, asked: ArchaeologyAsked) -> Document:
    """When a topic was on somebody's mind."""
    question = ArchaeologyRequest(asked.query, limit=asked.limit, granularity=asked.granularity)
    found = read(desk.answers.document(question))
    shown = ("first", "last", "total", "undated", "granularity", "intervals", "gaps", "warnings")
    return {
        **{name: found[name] for name in shown},
        "peaks": [
            {
                "start": one["start"],
                "end": one["end"],
                "count": one["count"],
                "notes": [note["path"] for note in one["notes"][:3]],
            }
            for one in found["peaks"]
        ],
        "notes": [
            {"date": one["date"], "path": one["path"], "score": one["score"]}
            for one in found["notes"]
        ],
    }


def vault_status(desk: Desk, asked: StatusAsked) -> Document:
    """Where the index stands, with the ledger's counts and what is asked of it."""
    status = read(desk.answers.document(StatusRequest()))
    left_out = ("generation", "work", "embedder")
    document = {name: value for name, value in status.items() if name not in left_out}
    if asked.job is not None:
        document["job"] = progress(desk.jobs.find(asked.job), status)
    if asked.state is not None or asked.path is not None:
        ledger = read(desk.answers.document(LedgerRequest(asked.state, asked.path)))
        shown = ("path", "state", "rule", "reason", "warnings")
        document["files"] = [{name: one[name] for name in shown} for one in ledger["entries"]]
    return document


def stats(desk: Desk, _asked: BudgetAsked) -> Document:
    """Figures of the vault: notes, passages, links, searches."""
    status = read(desk.answers.document(StatusRequest()))
    graph = read(desk.answers.document(GraphStatsRequest()))
    log = read(desk.answers.document(LogRequest(1)))
    counted = ("nodes", "edges", "unresolved", "components", "largest", "isolated", "orphans")
    return {
        "vault": status["vault"],
        "notes": status["notes"],
        "passages": status["chunks"],
        "embedded": status["vectors"],
        "model": status["model"],
        "files": status["ledger"],
        "links": {name: graph[name] for name in counted},
        "searches": log["total"] if log["enabled"] else None,
        "hubs": [{"path": one["path"], "links_in": one["links_in"]} for one in graph["hubs"]],
    }


def trace_query(desk: Desk, asked: TraceAsked) -> Document:
    """What each stage of a search did, and how the results came by their scores."""
    query, mode = asked.query, asked.mode
    if query is None:
        query, mode = _logged(desk, asked.query_id or "")
    found = read(
        desk.answers.document(SearchRequest(query, limit=asked.limit, mode=mode, explain=True))
    )
    shown = ("path", "score", "scores", "raw")
    return {
        "query": query,
        "mode": found["mode"],
        "fusion": found["fusion"],
        "filtered": found["filtered"],
        "explain": found["explain"],
        "results": [{name: one[name] for name in shown} for one in found["results"]],
        "warnings": found["warnings"],
    }


def trace_list(desk: Desk, asked: TraceListAsked) -> Document:
    """The latest searches of this vault, with what was found and opened."""
    log = read(desk.answers.document(LogRequest(asked.limit)))
    return {
        "enabled": log["enabled"],
        "total": log["total"],
        "searches": [
            {
                "query_id": one["query_id"],
                "at": one["at"],
                "door": one["door"],
                "query": one["query"],
                "mode": one["mode"],
                "took_ms": one["took_ms"],
                "results": [result["path"] for result in one["results"][:3]],
                "opened": [opened["path"] for opened in one["opened"]],
            }
            for one in log["entries"]
        ],
    }


def _logged(desk: Desk, query_id: str) -> tuple[str, SearchMode]:
    """Query and mode of a search in the log."""
    for one in read(desk.answers.document(LogRequest(_LOGGED)))["entries"]:
        if one["query_id"] == query_id:
            return one["query"], one["mode"]
    raise NotFoundError(f"no search '{query_id}' among the latest; trace_list names them")


TOOLS = (
    Tool(
        "graph_neighbors",
        "Linked notes",
        "The notes within some links of a note, nearest first.",
        NeighborsAsked,
        graph_neighbors,
        cut=("neighbors",),
    ),
    Tool(
        "graph_path",
        "Way between notes",
        "The shortest way along links from one note to another.",
        PathAsked,
        graph_path,
        cut=("steps",),
    ),
    Tool(
        "archaeology",
        "A topic over time",
        "When a topic was on the writer's mind: times of activity, pauses, peaks, dated notes.",
        ArchaeologyAsked,
        archaeology,
        cut=("notes", "peaks", "gaps", "intervals"),
    ),
    Tool(
        "vault_status",
        "State of the index",
        "Where a vault's index stands; also how far a job is, which files failed or are left out"
        " and why.",
        StatusAsked,
        vault_status,
        cut=("files",),
    ),
    Tool(
        "trace_query",
        "Explain a search",
        "What each stage of a search did: why a note was found, or was not.",
        TraceAsked,
        trace_query,
        cut=("results", "explain"),
    ),
    Tool(
        "trace_list",
        "Earlier searches",
        "The latest searches of a vault, what they found and what was opened of it.",
        TraceListAsked,
        trace_list,
        cut=("searches",),
    ),
    Tool(
        "stats",
        "Figures of a vault",
        "How many notes, passages, links and searches a vault has, and its most linked notes.",
        BudgetAsked,
        stats,
        cut=("hubs",),
    ),
)
