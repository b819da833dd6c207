"""What may be asked about a vault as a whole: its links, its past, its words.

Each question names the HTTP route that answers it, and its fields are that route's parameters; so
every door asks the same, and a client of a server needs no list of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias

Direction = Literal["out", "in", "both"]  # along links, against them, or either way
LinkDirection = Direction  # of a link between two notes, seen from the first
HubOrder = Literal["links", "pagerank"]
DatedBy = Literal["auto", "created", "modified"]
Granularity = Literal["auto", "day", "week", "month"]
Mode = Literal["hybrid", "keyword", "semantic"]

MAX_HOPS = 6
MIN_BUDGET, MAX_BUDGET = 64, 1_000_000  # tokens


@dataclass(frozen=True, slots=True)
class NeighborsQuestion:
    """Which notes are within some hops of a note. `daily` false leaves daily notes out."""

    route: ClassVar[str] = "/api/graph/neighbors"
    path: str
    hops: int = 1
    direction: Direction = "both"
    decay: float = 0.5
    limit: int = 100
    daily: bool = True


@dataclass(frozen=True, slots=True)
class NeighborhoodQuestion:
    """What a picture of the links shows: around a note, or without `path` of the whole vault.

    `similar` asks for likeness as well, as a second layer.
    """

    route: ClassVar[str] = "/api/graph/neighborhood"
    path: str | None = None
    hops: int = 2
    limit: int = 300
    similar: bool = True
    daily: bool = True


@dataclass(frozen=True, slots=True)
class PathQuestion:
    """The shortest way from one note to another along links, or either way."""

    route: ClassVar[str] = "/api/graph/path"
    source: str
    target: str
    directed: bool = False
    daily: bool = True


@dataclass(frozen=True, slots=True)
class HubsQuestion:
    """The notes that most others lead to."""

    route: ClassVar[str] = "/api/graph/hubs"
    by: HubOrder = "links"
    limit: int = 10
    daily: bool = True


@dataclass(frozen=True, slots=True)
class GraphStatsQuestion:
    """How many notes and links there are, and how they hang together."""

    route: ClassVar[str] = "/api/graph/stats"
    daily: bool = True


@dataclass(frozen=True, slots=True)
class BridgesQuestion:
    """Links and notes without which a part of the vault is cut off."""

    route: ClassVar[str] = "/api/graph/bridges"
    limit: int = 10
    daily: bool = True


@dataclass(frozen=True, slots=True)
class CommunitiesQuestion:
    """Groups of notes that link to each other; with `path` the one that holds that note."""

    route: ClassVar[str] = "/api/graph/communities"
    path: str | None = None
    limit: int = 10
    members: int = 5
    daily: bool = True


@dataclass(frozen=True, slots=True)
class OrphansQuestion:
    """Notes that no note links to."""

    route: ClassVar[str] = "/api/graph/orphans"
    limit: int = 100
    daily: bool = True


@dataclass(frozen=True, slots=True)
class DanglingQuestion:
    """Links that lead to no note."""

    route: ClassVar[str] = "/api/graph/dangling"
    limit: int = 100
    daily: bool = True


@dataclass(frozen=True, slots=True)
class MissingLinksQuestion:
    """Notes that are alike and not linked; with `path`, those like that note."""

    route: ClassVar[str] = "/api/graph/missing"
    path: str | None = None
    limit: int = 10
    daily: bool = True


@dataclass(frozen=True, slots=True)
class ArchaeologyQuestion:
    """When a topic was on somebody's mind."""

    route: ClassVar[str] = "/api/archaeology"
    q: str
    limit: int = 200
    min_score: float | None = None
    by: DatedBy = "auto"
    granularity: Granularity = "auto"


@dataclass(frozen=True, slots=True)
class CompleteQuestion:
    """How the query that begins with `prefix` may go on."""

    route: ClassVar[str] = "/api/complete"
    prefix: str
    limit: int = 10


@dataclass(frozen=True, slots=True)
class ContextQuestion:
    """What a language model should read to answer `q`, in at most `budget_tokens` tokens.

    Of at most `sources` notes. `fill` spends what is left of the budget on passages of notes that
    are further from the best. `door` says who asks, for the log; None is not logged.
    """

    route: ClassVar[str] = "/api/context"
    q: str
    budget_tokens: int = 4000
    sources: int = 20
    fill: bool = False
    mode: Mode = "hybrid"
    plain: bool = False
    door: str | None = None


Question: TypeAlias = (
    NeighborsQuestion
    | NeighborhoodQuestion
    | PathQuestion
    | HubsQuestion
    | GraphStatsQuestion
    | BridgesQuestion
    | CommunitiesQuestion
    | OrphansQuestion
    | DanglingQuestion
    | MissingLinksQuestion
    | ArchaeologyQuestion
    | CompleteQuestion
)
