"""The documents of questions about a whole vault, as far as the terminal shows them.

See `replies.explore` for what the fields mean.
"""

from __future__ import annotations

from typing import TypedDict


class NeighborDocument(TypedDict):
    """A note near another."""

    path: str
    hops: int
    score: float
    ways: int
    link: str | None


class NeighborsDocument(TypedDict):
    """The notes around one."""

    path: str
    total: int
    neighbors: list[NeighborDocument]


class StepDocument(TypedDict):
    """A note on a path."""

    path: str
    link: str | None


class PathDocument(TypedDict):
    """A shortest path."""

    source: str
    target: str
    length: int | None
    steps: list[StepDocument]


class GraphNoteDocument(TypedDict):
    """A note and its links."""

    path: str
    links_in: int
    links_out: int


class HubDocument(GraphNoteDocument):
    """A note that many lead to."""

    pagerank: float


class HubsDocument(TypedDict):
    """The hubs."""

    total: int
    hubs: list[HubDocument]


class GraphStatsDocument(TypedDict):
    """Links in numbers."""

    nodes: int
    edges: int
    unresolved: int
    components: int
    largest: int
    isolated: int
    orphans: int
    hubs: list[HubDocument]


class BridgeDocument(TypedDict):
    """A link that holds two parts together."""

    source: str
    target: str
    cut_off: int


class CutNoteDocument(TypedDict):
    """A note that holds parts together."""

    path: str
    cut_off: int


class BridgesDocument(TypedDict):
    """What holds a vault together."""

    total_bridges: int
    total_notes: int
    bridges: list[BridgeDocument]
    notes: list[CutNoteDocument]


class CommunityDocument(TypedDict):
    """A community."""

    name: str
    size: int
    tags: list[str]
    notes: list[GraphNoteDocument]


class CommunitiesDocument(TypedDict):
    """The communities."""

    total: int
    single: int
    modularity: float
    communities: list[CommunityDocument]


class OrphansDocument(TypedDict):
    """Notes that nobody links to."""

    total: int
    isolated: int
    notes: list[GraphNoteDocument]


class TargetDocument(TypedDict):
    """A target that no note answers to."""

    target: str
    links: int
    total_notes: int
    notes: list[str]


class DanglingDocument(TypedDict):
    """Links that lead to no note."""

    total: int
    attachments: int
    targets: list[TargetDocument]


class MissingLinkDocument(TypedDict):
    """Two notes to link."""

    source: str
    target: str
    score: float
    shared_links: int
    shared_tags: list[str]


class MissingLinksDocument(TypedDict):
    """Links that might be missing."""

    compared: int
    links: list[MissingLinkDocument]
    warnings: list[str]


class DatedNoteDocument(TypedDict):
    """A note with its day."""

    date: str
    dated_by: str
    path: str
    title: str
    score: float


class BucketDocument(TypedDict):
    """A stretch of days and how many notes lie in it."""

    start: str
    end: str
    count: int


class PeakDocument(BucketDocument):
    """A stretch that stands out."""

    notes: list[DatedNoteDocument]


class ArchaeologyDocument(TypedDict):
    """A topic over time."""

    granularity: str
    total: int
    undated: int
    first: str | None
    last: str | None
    intervals: list[BucketDocument]
    peaks: list[PeakDocument]
    buckets: list[BucketDocument]
    warnings: list[str]
