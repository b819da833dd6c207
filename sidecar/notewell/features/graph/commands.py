"""`notewell graph`: how the notes of a vault are linked; and its tools for assistants."""

from __future__ import annotations

from collections.abc import Mapping

from notewell.api.commands import Say, Table, TextLine, asking, group, print_facts, printer, warn
from notewell.api.search import NeighborsRequest
from notewell.api.tools import (
    Argument,
    ArgumentChange,
    Document,
    PromptText,
    ToolContext,
    pick,
    tool_of,
)
from notewell.contract.log import LogRequest
from notewell.contract.notes import Neighbor
from notewell.contract.status import StatusRequest
from notewell.doors.cli.asking import FactList, SayCount
from notewell.doors.mcp.tool import pick_fields
from notewell.features.graph.requests import (
    BridgesRequest,
    CommunitiesReply,
    CommunitiesRequest,
    DanglingRequest,
    DanglingTarget,
    GraphStatsRequest,
    HubsRequest,
    MissingLinksRequest,
    OrphansRequest,
    PathReply,
    PathRequest,
    PathStep,
)

_ARROWS = {"out": "->", "in": "<-", "both": "<->", None: ""}
_HUBS = Table(
    "hubs",
    {
        ">in": "{links_in:,}",
        ">out": "{links_out:,}",
        ">pagerank": "{pagerank:.4f}",
        "note": "{path}",
    },
)


def _arrow(one: Neighbor | PathStep) -> str:
    return _ARROWS[one.link]


def _show_path(reply: PathReply) -> None:
    if reply.length is None:
        printer(Say("No links lead from {source} to {target}."))(reply)
    else:
        length = "1 link" if reply.length == 1 else f"{reply.length} links"
        printer(Table("steps", {"": _arrow, "note": "{path}"}), Say(lambda _: length))(reply)


def _show_communities(reply: CommunitiesReply) -> None:
    for community in reply.communities:
        tags = "".join(f" #{tag}" for tag in community.tags)
        print_facts([(f"{community.size:,}", f"{community.name}{tags}")])
        print_facts([(" ", member.path) for member in community.notes])


def _linking_notes(target: DanglingTarget) -> str:
    more = target.total_notes - len(target.notes)
    return ", ".join(target.notes) + (f" and {more:,} more" if more else "")


graph = group(
    "graph",
    "Explore how notes are linked with each other.",
    asking(
        "neighbors",
        NeighborsRequest,
        "List the notes within some links of NOTE.",
        Table(
            "neighbors",
            {
                ">hops": "{hops}",
                ">score": "{score:.3f}",
                ">ways": "{ways}",
                "link": _arrow,
                "note": "{path}",
            },
        ),
        SayCount("neighbors", "notes near {path}"),
        arguments={"path": "NOTE"},
        notes=("path",),
        options=("hops", "direction", "mode", "decay", "limit", "daily"),
    ),
    asking(
        "path",
        PathRequest,
        "Show the shortest path along links from SOURCE to TARGET.",
        _show_path,
        arguments={"source": "SOURCE", "target": "TARGET"},
        notes=("source", "target"),
        options=("directed", "daily"),
    ),
    asking(
        "hubs",
        HubsRequest,
        "List the notes that most others link to.",
        _HUBS,
        SayCount("hubs", "notes that others link to"),
        options=("by", "limit", "daily"),
    ),
    asking(
        "stats",
        GraphStatsRequest,
        "Count notes and links, and the parts that links connect.",
        FactList(
            {
                "notes": "{nodes:,}",
                "links": "{edges:,} between two notes, {unresolved:,} to none",
                "parts": "{components:,}, the largest with {largest:,} notes",
                "orphans": "{orphans:,}, {isolated:,} of them without any link",
            }
        ),
        TextLine("", when="hubs"),
        _HUBS,
        options=("daily",),
    ),
    asking(
        "bridges",
        BridgesRequest,
        "List the links and notes without which a part is disconnected.",
        Table("notes", {">cuts off": "{cut_off:,}", "note": "{path}"}),
        TextLine("", when="notes"),
        Table("bridges", {">cuts off": "{cut_off:,}", "link from": "{source}", "to": "{target}"}),
        Say("{total_notes:,} notes and {total_bridges:,} links hold parts together"),
        options=("limit", "daily"),
    ),
    asking(
        "communities",
        CommunitiesRequest,
        "List groups of notes that link to each other; with NOTE, its own group.",
        _show_communities,
        SayCount("communities", "communities"),
        Say("modularity {modularity:.2f}; {single:,} notes in none"),
        arguments={"path": "NOTE"},
        notes=("path",),
        options=("limit", "members", "daily"),
    ),
    asking(
        "orphans",
        OrphansRequest,
        "List the notes that no note links to.",
        Table("notes", {">links out": "{links_out:,}", "note": "{path}"}),
        SayCount("notes", "orphans, {isolated:,} without any link"),
        options=("limit", "daily"),
    ),
    asking(
        "dangling",
        DanglingRequest,
        "List the links that lead to no note, by their target.",
        Table("targets", {">links": "{links:,}", "target": "{target}", "from": _linking_notes}),
        SayCount("targets", "targets that are no note"),
        options=("limit", "daily"),
    ),
    asking(
        "missing",
        MissingLinksRequest,
        "List pairs of notes that are similar and not linked; with NOTE, only its pairs.",
        warn,
        Table(
            "links",
            {
                ">similarity": "{score:.2f}",
                ">shared": "{shared_links:,}",
                "tags": lambda link: " ".join(f"#{tag}" for tag in link.shared_tags),
                "note": "{source}",
                "similar note": "{target}",
            },
        ),
        Say("{links:count} pairs of {compared:,} notes"),
        arguments={"path": "NOTE"},
        notes=("path",),
        options=("limit", "daily"),
    ),
)


# The tools of assistants: links, and the figures of a vault, which are its links' to a large part.


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
        shows=pick_fields("path", "total", neighbors=("path", "hops", "score", "link")),
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
    tool_of(
        GraphStatsRequest,
        "Figures of a vault",
        "How many notes, passages, links and searches a vault has, and its most linked notes.",
        name="stats",
        fields=(),
        run=stats,
        cut=("hubs",),
    ),
    PromptText(
        "find_connections",
        "Find missing links",
        "Notes that belong together and are not linked",
        (Argument("path", "Path of a note"),),
        _connect,
    ),
)
