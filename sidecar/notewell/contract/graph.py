"""The notes near a note: a question to the graph, which answers with a language model ask too."""

from __future__ import annotations

from typing import Annotated, ClassVar

from annotated_types import Ge, Gt, Le

from notewell.base.types import Direction, WalkMode
from notewell.base.types.frozen import frozen
from notewell.contract.fields import Doc, Limit, NoteName
from notewell.contract.request import Endpoint, Request

LinkDirection = Direction  # of a link between two notes, seen from the first

MAX_HOPS = 6

Daily = Annotated[bool, Doc("Include daily notes")]
Hops = Annotated[int, Ge(1), Le(MAX_HOPS), Doc("Maximum distance, in links")]


@frozen
class Neighbor:
    """A note near another: `score` is decay to the power of `hops`.

    `ways` counts the notes one hop nearer that are linked with it. `link` is the direction of its
    link with the start note, seen from there; null where none of the two links to the other.
    `topics` are the paths of the topics that both name, or that one of them is and the other names;
    only the mode `ontology` looks for them.
    """

    path: str
    title: str
    hops: int
    score: float
    ways: int
    link: LinkDirection | None
    topics: tuple[str, ...] = ()


@frozen
class NeighborsReply:
    """The notes within some hops of a note, nearest first, then those with more `ways`."""

    vault: str
    generation: int
    path: str
    hops: int
    direction: Direction
    decay: float
    total: int
    neighbors: tuple[Neighbor, ...]


@frozen
class NeighborsRequest(Request[NeighborsReply]):
    """Which notes are within some hops of a note. `daily` false leaves daily notes out.

    In the mode `ontology` a note and each topic that it names are one hop apart, both ways.
    """

    endpoint: ClassVar[Endpoint] = Endpoint(
        "GET",
        "/api/graph/neighbors",
        "graph_neighbors",
        "The notes within a number of links of a note",
        example={"path": "Garden/Bees.md", "hops": 2},
    )
    path: NoteName
    hops: Hops = 1
    direction: Annotated[Direction, Doc("Follow outgoing links, incoming links, or both")] = "both"
    decay: Annotated[
        float, Gt(0), Le(1), Doc("Factor by which each further hop lowers a score")
    ] = 0.5
    limit: Limit = 100
    daily: Daily = True
    mode: Annotated[WalkMode, Doc("Along links, or also along topics (`ontology`)")] = "simple"
