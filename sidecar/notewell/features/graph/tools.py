"""Tools that follow links, and the figures of a vault, which are its links' to a large part."""

from __future__ import annotations

from collections.abc import Mapping

from notewell.contract.log import LogRequest
from notewell.contract.notes import NeighborsRequest
from notewell.contract.status import StatusRequest
from notewell.doors.mcp.tool import (
    Argument,
    ArgumentChange,
    Arguments,
    Document,
    PromptText,
    Tool,
    ToolContext,
    pick,
    picked,
    tool_of,
)
from notewell.features.graph.requests import GraphStatsRequest, PathReply, PathRequest


def _path(reply: PathReply) -> Document:
    return {
        **pick(reply, "source", "target"),
        "connected": reply.length is not None,
        "length": reply.length,
        "steps": [pick(step, "path", "link") for step in reply.steps],
    }


def stats(context: ToolContext, request: GraphStatsRequest) -> Document:
    """Return figures of the vault: notes, passages, links, searches."""
    status = context.backend.answer(StatusRequest())
    graph = context.backend.answer(request)
    log = context.backend.answer(LogRequest(1))
    counts = ("nodes", "edges", "unresolved", "components", "largest", "isolated", "orphans")
    return {
        "vault": status.vault,
        "notes": status.notes,
        "passages": status.chunks,
        "embedded": status.vectors,
        "model": status.model,
        "files": status.ledger,
        "links": pick(graph, *counts),
        "searches": log.total if log.enabled else None,
        "hubs": [pick(hub, "path", "links_in") for hub in graph.hubs],
    }


def _connect(_context: ToolContext, given: Mapping[str, str]) -> str:
    return (
        f"Find notes that should be linked with `{given['path']}` and are not.\n\n"
        "Use `similar` with `unlinked`, and `graph_neighbors` for what is linked already. For each"
        " candidate read enough to say in one sentence what connects the two. Change nothing."
    )


TOOLS = (
    tool_of(
        NeighborsRequest,
        "Linked notes",
        "The notes within some links of a note, nearest first.",
        fields=("path", "hops", "direction", "mode", "limit"),
        changes={"limit": ArgumentChange(default=50)},
        shows=picked("path", "total", neighbors=("path", "hops", "score", "link")),
        cut=("neighbors",),
    ),
    tool_of(
        PathRequest,
        "Path between notes",
        "The shortest path along links from one note to another.",
        fields=("source", "target", "directed"),
        shows=_path,
        cut=("steps",),
    ),
    Tool(
        "stats",
        "Figures of a vault",
        "How many notes, passages, links and searches a vault has, and its most linked notes.",
        Arguments(GraphStatsRequest, (), budgeted=True),
        stats,
        cut=("hubs",),
    ),
)

PROMPTS = (
    PromptText(
        "find_connections",
        "Find missing links",
        "Notes that belong together and are not linked",
        (Argument("path", "Path of a note"),),
        _connect,
    ),
)
