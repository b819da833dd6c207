"""Requests about a vault's links: neighbours, paths, hubs, bridges, communities, missing links."""

from __future__ import annotations

from typing import Annotated, ClassVar

from annotated_types import Ge, Le

from notewell.contract.fields import Doc, Limit, NoteName
from notewell.contract.graph import Daily, Hops, NeighborsRequest
from notewell.contract.request import Endpoint, Example, RateClass, Request
from notewell.features.graph.replies import (
    BridgesReply,
    CommunitiesReply,
    DanglingReply,
    GraphStatsReply,
    HubOrder,
    HubsReply,
    MissingLinksReply,
    NeighborhoodReply,
    OrphansReply,
    PathReply,
)
from notewell.types.frozen import frozen


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


@frozen
class NeighborhoodRequest(Request[NeighborhoodReply]):
    """Notes and links to draw as a graph: around a note, or without `path` of the whole vault.

    `similar` adds the similarities between notes, as a second layer.
    """

    endpoint: ClassVar[Endpoint] = _graph(
        "neighborhood",
        "Notes, links and similarities, to draw as a graph",
        {"path": "Garden/Bees.md", "limit": 50},
        "heavy",
    )
    path: Annotated[NoteName | None, Doc("Around this note; left out, of the whole vault")] = None
    hops: Hops = 2
    limit: Annotated[int, Ge(1), Le(20_000), Doc("Maximum number of notes")] = 300
    similar: Annotated[bool, Doc("Include how similar notes are")] = True
    communities: Annotated[bool, Doc("Include the community of each note")] = False
    daily: Daily = True


@frozen
class PathRequest(Request[PathReply]):
    """The shortest path from one note to another along links, or either way."""

    endpoint: ClassVar[Endpoint] = _graph(
        "path",
        "The shortest path from one note to another",
        {"source": "Garden/Bees.md", "target": "Garden/Compost.md"},
    )
    source: NoteName
    target: NoteName
    directed: Annotated[bool, Doc("Follow links only from their source to their target")] = False
    daily: Daily = True


@frozen
class HubsRequest(Request[HubsReply]):
    """The notes that most others link to."""

    endpoint: ClassVar[Endpoint] = _graph(
        "hubs", "The notes that most others link to", {"limit": 5}
    )
    by: Annotated[HubOrder, Doc("Rank by the number of incoming links, or by PageRank")] = "links"
    limit: Limit = 10
    daily: Daily = True


@frozen
class GraphStatsRequest(Request[GraphStatsReply]):
    """How many notes and links there are, and how they are connected."""

    endpoint: ClassVar[Endpoint] = _graph(
        "stats",
        "How many notes and links there are, and how they are connected",
        {"daily": False},
    )
    daily: Daily = True


@frozen
class BridgesRequest(Request[BridgesReply]):
    """Links and notes without which a part of the vault is disconnected."""

    endpoint: ClassVar[Endpoint] = _graph(
        "bridges",
        "Links and notes without which a part of the vault is disconnected",
        {"limit": 5},
        "heavy",
    )
    limit: Limit = 10
    daily: Daily = True


@frozen
class CommunitiesRequest(Request[CommunitiesReply]):
    """Groups of notes that link to each other; with `path` the one that holds that note."""

    endpoint: ClassVar[Endpoint] = _graph(
        "communities", "Groups of notes that link to each other", {"members": 3}, "heavy"
    )
    path: Annotated[NoteName | None, Doc("Only the community of this note")] = None
    limit: Limit = 10
    members: Annotated[int, Ge(1), Le(1000), Doc("Number of notes shown of each community")] = 5
    daily: Daily = True


@frozen
class OrphansRequest(Request[OrphansReply]):
    """Notes that no note links to."""

    endpoint: ClassVar[Endpoint] = _graph("orphans", "Notes that no note links to", {"limit": 20})
    limit: Limit = 100
    daily: Daily = True


@frozen
class DanglingRequest(Request[DanglingReply]):
    """Links that lead to no note."""

    endpoint: ClassVar[Endpoint] = _graph("dangling", "Links that lead to no note", {"limit": 20})
    limit: Limit = 100
    daily: Daily = True


@frozen
class MissingLinksRequest(Request[MissingLinksReply]):
    """Notes that are similar and not linked; with `path`, those similar to that note."""

    endpoint: ClassVar[Endpoint] = _graph(
        "missing",
        "Notes that are similar and not linked",
        {"path": "Garden/Bees.md", "limit": 5},
        "heavy",
    )
    path: Annotated[NoteName | None, Doc("Only pairs with this note")] = None
    limit: Limit = 10
    daily: Daily = True


REQUESTS = (
    NeighborsRequest,
    NeighborhoodRequest,
    PathRequest,
    HubsRequest,
    GraphStatsRequest,
    BridgesRequest,
    CommunitiesRequest,
    OrphansRequest,
    DanglingRequest,
    MissingLinksRequest,
)
