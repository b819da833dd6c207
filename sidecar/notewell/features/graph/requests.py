"""Requests about a vault's links and replies: paths, hubs, bridges, communities, missing links.

Next to a list, `total` is the number of all items, regardless of `limit`.
"""

from __future__ import annotations

from typing import Annotated, Literal

from notewell.api.requests import Doc, Endpoint, Example, Limit, Request, SearchText, request_to
from notewell.api.search import NeighborsRequest
from notewell.api.types import Ge, Le, frozen
from notewell.contract.fields import NoteName
from notewell.contract.notes import Daily, Hops, LinkDirection
from notewell.contract.request import RateClass

HubOrder = Literal["links", "pagerank"]


@frozen
class GraphNote:
    """A note, how many notes link to it, and how many it links to."""

    path: str
    title: str
    links_in: int
    links_out: int


@frozen
class NeighborhoodNote:
    """A note of a drawn graph; `links` counts all its links. `hops` is null if none lead to it.

    `community` counts from 0 for the largest; null where it was not requested, or for a note that
    shares a community with no other.
    """

    path: str
    title: str
    hops: int | None
    links: int
    tags: tuple[str, ...] = ()
    modified: str | None = None
    community: int | None = None


@frozen
class NeighborhoodReply:
    """Notes and their links, to draw as a graph; nearest first, or most linked first.

    `links` are pairs of indexes into `nodes`, `similar` such pairs with their similarity. `total`
    counts the notes within the maximum distance.
    """

    vault: str
    generation: int
    path: str | None
    total: int
    nodes: tuple[NeighborhoodNote, ...]
    links: tuple[tuple[int, int], ...]
    similar: tuple[tuple[int, int, float], ...]
    warnings: tuple[str, ...]


@frozen
class PathStep:
    """A note on a path; `link` is the direction of the link from the note before it."""

    path: str
    title: str
    link: LinkDirection | None


@frozen
class PathReply:
    """A shortest path, both ends included. `length` is null where nothing connects the notes."""

    vault: str
    generation: int
    source: str
    target: str
    directed: bool
    length: int | None
    steps: tuple[PathStep, ...]


@frozen
class Hub:
    """A note that many notes link to; the `pagerank` of all notes together is 1."""

    path: str
    title: str
    links_in: int
    links_out: int
    pagerank: float


@frozen
class HubsReply:
    """The hubs, first the one that most notes link to or that has the highest PageRank."""

    vault: str
    generation: int
    by: HubOrder
    total: int
    hubs: tuple[Hub, ...]


@frozen
class GraphStatsReply:
    """A vault's links in numbers.

    `edges` counts directed pairs of different notes that are linked; `unresolved` pairs of a
    note and a target that is no note (without attachments); `components` connected components, of
    which the largest has `largest` notes; `isolated` notes without any link; `orphans` notes that
    no note links to.
    """

    vault: str
    generation: int
    nodes: int
    edges: int
    unresolved: int
    components: int
    largest: int
    isolated: int
    orphans: int
    hubs: tuple[Hub, ...]


@frozen
class BridgeLink:
    """Two notes whose link alone connects `cut_off` notes with the rest."""

    source: str
    target: str
    cut_off: int


@frozen
class CutNote:
    """A note that alone connects `cut_off` notes with the rest."""

    path: str
    title: str
    cut_off: int


@frozen
class BridgesReply:
    """Links (bridges) and notes (articulation points) that alone connect parts of the vault.

    Those whose loss would disconnect most notes come first.
    """

    vault: str
    generation: int
    total_bridges: int
    total_notes: int
    bridges: tuple[BridgeLink, ...]
    notes: tuple[CutNote, ...]


@frozen
class Community:
    """Notes that link to each other more than to the rest; `name` is its most linked note's title.

    `tags` are those that its notes have most often; `notes` the most linked within the vault.
    """

    name: str
    size: int
    tags: tuple[str, ...]
    notes: tuple[GraphNote, ...]


@frozen
class CommunitiesReply:
    """Communities of at least two notes, largest first; `single` notes are in none.

    `modularity` (at most 1) is how clearly they are separated; from 0.3 on it is significant.
    """

    vault: str
    generation: int
    total: int
    single: int
    modularity: float
    communities: tuple[Community, ...]


@frozen
class OrphansReply:
    """Notes that no note links to; `isolated` of them have no links of their own either."""

    vault: str
    generation: int
    total: int
    isolated: int
    notes: tuple[GraphNote, ...]


@frozen
class DanglingTarget:
    """A link target that is no note: named by `links` links of `total_notes` notes.

    `notes` are the first of those notes.
    """

    target: str
    links: int
    total_notes: int
    notes: tuple[str, ...]


@frozen
class DanglingReply:
    """Targets of links that lead to no note, first those that most notes name.

    `attachments` counts links to pictures and the like, which the index does not follow.
    """

    vault: str
    generation: int
    total: int
    attachments: int
    targets: tuple[DanglingTarget, ...]


@frozen
class MissingLink:
    """Two notes that are similar and not linked; `score` is their similarity, less their folders'.

    `shared_links` counts the notes that are linked with both.
    """

    source: str
    target: str
    score: float
    shared_links: int
    shared_tags: tuple[str, ...]


@frozen
class MissingLinksReply:
    """Links that might be missing, most similar first. `compared` counts the notes compared."""

    vault: str
    generation: int
    compared: int
    links: tuple[MissingLink, ...]
    warnings: tuple[str, ...]


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


@request_to(
    _graph(
        "neighborhood",
        "Notes, links and similarities, to draw as a graph",
        {"path": "Garden/Bees.md", "limit": 50},
        "heavy",
    )
)
class NeighborhoodRequest(Request[NeighborhoodReply]):
    """Notes and links to draw as a graph: around a note, of a search, or of the whole vault.

    `similar` adds the similarities between notes, as a second layer.
    """

    path: Annotated[NoteName | None, Doc("Around this note; left out, of the whole vault")] = None
    q: Annotated[SearchText | None, Doc("Without `path`: the results of this search")] = None
    weak: Annotated[bool, Doc("With `q`: notes that hardly match, too")] = False
    hops: Hops = 2
    limit: Annotated[int, Ge(1), Le(20_000), Doc("Maximum number of notes")] = 300
    similar: Annotated[bool, Doc("Include how similar notes are")] = True
    communities: Annotated[bool, Doc("Include the community of each note")] = False
    daily: Daily = True


@request_to(
    _graph(
        "path",
        "The shortest path from one note to another",
        {"source": "Garden/Bees.md", "target": "Garden/Compost.md"},
    )
)
class PathRequest(Request[PathReply]):
    """The shortest path from one note to another along links, or either way."""

    source: NoteName
    target: NoteName
    directed: Annotated[bool, Doc("Follow links only from their source to their target")] = False
    daily: Daily = True


@request_to(_graph("hubs", "The notes that most others link to", {"limit": 5}))
class HubsRequest(Request[HubsReply]):
    """The notes that most others link to."""

    by: Annotated[HubOrder, Doc("Rank by the number of incoming links, or by PageRank")] = "links"
    limit: Limit = 10
    daily: Daily = True


@request_to(
    _graph(
        "stats",
        "How many notes and links there are, and how they are connected",
        {"daily": False},
    )
)
class GraphStatsRequest(Request[GraphStatsReply]):
    """The numbers of notes and links, and how they are connected."""

    daily: Daily = True


@request_to(
    _graph(
        "bridges",
        "Links and notes without which a part of the vault is disconnected",
        {"limit": 5},
        "heavy",
    )
)
class BridgesRequest(Request[BridgesReply]):
    """Links and notes without which a part of the vault is disconnected."""

    limit: Limit = 10
    daily: Daily = True


@request_to(
    _graph("communities", "Groups of notes that link to each other", {"members": 3}, "heavy")
)
class CommunitiesRequest(Request[CommunitiesReply]):
    """Groups of notes that link to each other; with `path` the one that holds that note."""

    path: Annotated[NoteName | None, Doc("Only the community of this note")] = None
    limit: Limit = 10
    members: Annotated[int, Ge(1), Le(1000), Doc("Number of notes shown of each community")] = 5
    daily: Daily = True


@request_to(_graph("orphans", "Notes that no note links to", {"limit": 20}))
class OrphansRequest(Request[OrphansReply]):
    """Notes that no note links to."""

    limit: Limit = 100
    daily: Daily = True


@request_to(_graph("dangling", "Links that lead to no note", {"limit": 20}))
class DanglingRequest(Request[DanglingReply]):
    """Links that lead to no note."""

    limit: Limit = 100
    daily: Daily = True


@request_to(
    _graph(
        "missing",
        "Notes that are similar and not linked",
        {"path": "Garden/Bees.md", "limit": 5},
        "heavy",
    )
)
class MissingLinksRequest(Request[MissingLinksReply]):
    """Notes that are similar and not linked; with `path`, those similar to that note."""

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
