"""Requests about a vault's links: neighbours, paths, hubs, bridges, communities, missing links."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, TypeAlias

from annotated_types import Ge, Gt, Le

from notewell.contract.fields import Doc, Limit, NoteName
from notewell.contract.graph_replies import (
    BridgesReply,
    CommunitiesReply,
    DanglingReply,
    GraphStatsReply,
    HubOrder,
    HubsReply,
    MissingLinksReply,
    NeighborhoodReply,
    NeighborsReply,
    OrphansReply,
    PathReply,
)
from notewell.contract.request import Endpoint, Example, RateClass, Request
from notewell.types import Direction

MAX_HOPS = 6

Daily = Annotated[bool, Doc("Whether daily notes take part")]
Hops = Annotated[int, Ge(1), Le(MAX_HOPS), Doc("How many links away at most")]


def _graph(
    name: str, summary: str, example: Example, rate_class: RateClass | None = None
) -> Endpoint:
    return Endpoint(
        "GET",
        f"/api/graph/{name}",
        f"graph_{name}",
        summary,
        rate_class=rate_class,
        example=example,
    )


@dataclass(frozen=True, slots=True)
class NeighborsRequest(Request[NeighborsReply]):
    """Which notes are within some hops of a note. `daily` false leaves daily notes out."""

    endpoint: ClassVar[Endpoint] = _graph(
        "neighbors", "The notes within some links of a note", {"path": "Garden/Bees.md", "hops": 2}
    )
    path: NoteName
    hops: Hops = 1
    direction: Annotated[Direction, Doc("Along links, against them, or either way")] = "both"
    decay: Annotated[float, Gt(0), Le(1), Doc("What each hop leaves of a score")] = 0.5
    limit: Limit = 100
    daily: Daily = True


@dataclass(frozen=True, slots=True)
class NeighborhoodRequest(Request[NeighborhoodReply]):
    """What a picture of the links shows: around a note, or without `path` of the whole vault.

    `similar` asks for likeness as well, as a second layer.
    """

    endpoint: ClassVar[Endpoint] = _graph(
        "neighborhood",
        "What a picture of the links shows: notes, links, likeness",
        {"path": "Garden/Bees.md", "limit": 50},
        "heavy",
    )
    path: Annotated[NoteName | None, Doc("Around this note; else of the whole vault")] = None
    hops: Hops = 2
    limit: Annotated[int, Ge(1), Le(5000), Doc("How many notes at most")] = 300
    similar: Annotated[bool, Doc("Whether likeness is told as well")] = True
    daily: Daily = True


@dataclass(frozen=True, slots=True)
class PathRequest(Request[PathReply]):
    """The shortest path from one note to another along links, or either way."""

    endpoint: ClassVar[Endpoint] = _graph(
        "path",
        "The shortest way from one note to another",
        {"source": "Garden/Bees.md", "target": "Garden/Compost.md"},
    )
    source: NoteName
    target: NoteName
    directed: Annotated[bool, Doc("Only along links, not against them")] = False
    daily: Daily = True


@dataclass(frozen=True, slots=True)
class HubsRequest(Request[HubsReply]):
    """The notes that most others link to."""

    endpoint: ClassVar[Endpoint] = _graph(
        "hubs", "The notes that most others link to", {"limit": 5}
    )
    by: Annotated[HubOrder, Doc("By how many link there, or by PageRank")] = "links"
    limit: Limit = 10
    daily: Daily = True


@dataclass(frozen=True, slots=True)
class GraphStatsRequest(Request[GraphStatsReply]):
    """How many notes and links there are, and how they are connected."""

    endpoint: ClassVar[Endpoint] = _graph(
        "stats",
        "How many notes and links there are, and how they hang together",
        {"daily": False},
    )
    daily: Daily = True


@dataclass(frozen=True, slots=True)
class BridgesRequest(Request[BridgesReply]):
    """Links and notes without which a part of the vault is disconnected."""

    endpoint: ClassVar[Endpoint] = _graph(
        "bridges",
        "Links and notes without which a part of the vault is cut off",
        {"limit": 5},
        "heavy",
    )
    limit: Limit = 10
    daily: Daily = True


@dataclass(frozen=True, slots=True)
class CommunitiesRequest(Request[CommunitiesReply]):
    """Groups of notes that link to each other; with `path` the one that holds that note."""

    endpoint: ClassVar[Endpoint] = _graph(
        "communities", "Groups of notes that link to each other", {"members": 3}, "heavy"
    )
    path: Annotated[NoteName | None, Doc("Only the community of this note")] = None
    limit: Limit = 10
    members: Annotated[int, Ge(1), Le(1000), Doc("Notes shown of each")] = 5
    daily: Daily = True


@dataclass(frozen=True, slots=True)
class OrphansRequest(Request[OrphansReply]):
    """Notes that no note links to."""

    endpoint: ClassVar[Endpoint] = _graph("orphans", "Notes that no note links to", {"limit": 20})
    limit: Limit = 100
    daily: Daily = True


@dataclass(frozen=True, slots=True)
class DanglingRequest(Request[DanglingReply]):
    """Links that lead to no note."""

    endpoint: ClassVar[Endpoint] = _graph("dangling", "Links that lead to no note", {"limit": 20})
    limit: Limit = 100
    daily: Daily = True


@dataclass(frozen=True, slots=True)
class MissingLinksRequest(Request[MissingLinksReply]):
    """Notes that are alike and not linked; with `path`, those like that note."""

    endpoint: ClassVar[Endpoint] = _graph(
        "missing",
        "Notes that are alike and not linked",
        {"path": "Garden/Bees.md", "limit": 5},
        "heavy",
    )
    path: Annotated[NoteName | None, Doc("Only links of this note")] = None
    limit: Limit = 10
    daily: Daily = True


GraphRequest: TypeAlias = (
    NeighborsRequest
    | NeighborhoodRequest
    | PathRequest
    | HubsRequest
    | GraphStatsRequest
    | BridgesRequest
    | CommunitiesRequest
    | OrphansRequest
    | DanglingRequest
    | MissingLinksRequest
)
