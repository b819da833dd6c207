"""What exploring a vault answers: its links, its past, the words that it has.

Records as in `replies`. Lists have `total` beside them: how many there are, whatever `limit` was.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from recollect.questions.vault import Direction, HubOrder, LinkDirection

DateSource = Literal["daily", "created", "name", "modified", "file"]
CompletionKind = Literal["filter", "tag", "folder", "path", "property", "value", "title", "alias"]


@dataclass(frozen=True, slots=True)
class GraphNote:
    """A note, how many notes link to it, and how many it links to."""

    path: str
    title: str
    links_in: int
    links_out: int


@dataclass(frozen=True, slots=True)
class Neighbor:
    """A note near another: `score` is decay to the power of `hops`.

    `ways` counts the notes one hop nearer that lead to it. `link` is its link with the start, seen
    from there; null where a longer way leads to it.
    """

    path: str
    title: str
    hops: int
    score: float
    ways: int
    link: LinkDirection | None


@dataclass(frozen=True, slots=True)
class NeighborsReply:
    """The notes within some hops of a note, nearest first, then those with more ways to them."""

    vault: str
    generation: int
    path: str
    hops: int
    direction: Direction
    decay: float
    total: int
    neighbors: tuple[Neighbor, ...]


@dataclass(frozen=True, slots=True)
class NeighborhoodNote:
    """A note in a picture; `links` counts all it has. No link within reach: `hops` is null."""

    path: str
    title: str
    hops: int | None
    links: int


@dataclass(frozen=True, slots=True)
class NeighborhoodReply:
    """Notes and how they hang together, to be drawn; nearest first, or most linked first.

    `links` are pairs of places in `nodes`, `similar` such pairs with how alike they are. `total`
    counts the notes within reach.
    """

    vault: str
    generation: int
    path: str | None
    total: int
    nodes: tuple[NeighborhoodNote, ...]
    links: tuple[tuple[int, int], ...]
    similar: tuple[tuple[int, int, float], ...]
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PathStep:
    """A note on a path; `link` is how the note before is linked with it, seen from there."""

    path: str
    title: str
    link: LinkDirection | None


@dataclass(frozen=True, slots=True)
class PathReply:
    """A shortest path, both ends included. Nothing connects the notes: `length` is null."""

    vault: str
    generation: int
    source: str
    target: str
    directed: bool
    length: int | None
    steps: tuple[PathStep, ...]


@dataclass(frozen=True, slots=True)
class Hub:
    """A note that many lead to; the `pagerank` of all notes together is 1."""

    path: str
    title: str
    links_in: int
    links_out: int
    pagerank: float


@dataclass(frozen=True, slots=True)
class HubsReply:
    """The hubs, first the one that most notes link to or that has the highest PageRank."""

    vault: str
    generation: int
    by: HubOrder
    total: int
    hubs: tuple[Hub, ...]


@dataclass(frozen=True, slots=True)
class GraphStatsReply:
    """A vault's links in numbers.

    `edges` counts pairs of different notes that are linked, by direction; `unresolved` pairs of a
    note and a target that is no note (attachments apart); `components` parts that no link connects,
    of which the largest has `largest` notes; `isolated` notes without any link; `orphans` notes
    that no note links to.
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


@dataclass(frozen=True, slots=True)
class BridgeLink:
    """Two notes whose link alone connects `cut_off` notes with the rest."""

    source: str
    target: str
    cut_off: int


@dataclass(frozen=True, slots=True)
class CutNote:
    """A note that alone connects `cut_off` notes with the rest."""

    path: str
    title: str
    cut_off: int


@dataclass(frozen=True, slots=True)
class BridgesReply:
    """What holds the vault together: links (bridges) and notes (articulation points).

    First those that cut off most.
    """

    vault: str
    generation: int
    total_bridges: int
    total_notes: int
    bridges: tuple[BridgeLink, ...]
    notes: tuple[CutNote, ...]


@dataclass(frozen=True, slots=True)
class Community:
    """Notes that link to each other more than to the rest; `name` is its most linked note's title.

    `tags` are those that its notes have most often; `notes` the most linked within the vault.
    """

    name: str
    size: int
    tags: tuple[str, ...]
    notes: tuple[GraphNote, ...]


@dataclass(frozen=True, slots=True)
class CommunitiesReply:
    """Communities of at least two notes, largest first; `single` notes are in none.

    `modularity` (at most 1) says how clearly they are apart; from 0.3 it means something.
    """

    vault: str
    generation: int
    total: int
    single: int
    modularity: float
    communities: tuple[Community, ...]


@dataclass(frozen=True, slots=True)
class OrphansReply:
    """Notes that no note links to; of these, `isolated` ones link to none either."""

    vault: str
    generation: int
    total: int
    isolated: int
    notes: tuple[GraphNote, ...]


@dataclass(frozen=True, slots=True)
class DanglingTarget:
    """A target that no note answers to: named by `links` links of `total_notes` notes.

    `notes` are the first of them.
    """

    target: str
    links: int
    total_notes: int
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DanglingReply:
    """Targets of links that lead to no note, first those that most notes name.

    `attachments` counts links to pictures and the like, which the index does not follow.
    """

    vault: str
    generation: int
    total: int
    attachments: int
    targets: tuple[DanglingTarget, ...]


@dataclass(frozen=True, slots=True)
class MissingLink:
    """Two notes that are alike and not linked; `score` is how alike, beyond what folders share.

    `shared_links` counts notes that are linked with both.
    """

    source: str
    target: str
    score: float
    shared_links: int
    shared_tags: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MissingLinksReply:
    """Links that might be missing, likest first. `compared` notes were looked at."""

    vault: str
    generation: int
    compared: int
    links: tuple[MissingLink, ...]
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DatedNote:
    """A note about the topic and its day; `dated_by` says where the day is from.

    `daily`: the note is that day's; `created` and `modified`: its properties; `name`: a date in
    its file's name; `file`: its file's times.
    """

    date: str
    dated_by: DateSource
    path: str
    title: str
    heading: str | None
    line: int
    snippet: str
    score: float
    uri: str


@dataclass(frozen=True, slots=True)
class Bucket:
    """A day, a week (from Monday) or a month with notes in it; both days are included."""

    start: str
    end: str
    count: int


@dataclass(frozen=True, slots=True)
class Interval:
    """A time of activity: no pause in it is as long as a gap. Its notes' first and last day."""

    start: str
    end: str
    count: int


@dataclass(frozen=True, slots=True)
class Gap:
    """A long pause between two intervals: the days without a note."""

    start: str
    end: str
    days: int


@dataclass(frozen=True, slots=True)
class Peak:
    """A bucket that stands out, with its notes, most relevant first."""

    start: str
    end: str
    count: int
    notes: tuple[DatedNote, ...]


@dataclass(frozen=True, slots=True)
class ArchaeologyReply:
    """When a topic was on somebody's mind. Days are dates without a time: 2026-03-02.

    `total` notes score at least `min_score`; `notes` are those that have a day, oldest first;
    `buckets` are those with notes in them. `peaks` come strongest first.
    """

    query: str
    vault: str
    generation: int
    by: Literal["auto", "created", "modified"]
    granularity: Literal["day", "week", "month"]
    min_score: float
    total: int
    undated: int
    first: str | None
    last: str | None
    intervals: tuple[Interval, ...]
    gaps: tuple[Gap, ...]
    peaks: tuple[Peak, ...]
    buckets: tuple[Bucket, ...]
    notes: tuple[DatedNote, ...]
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Completion:
    """A way the query may go on: `insert` stands for all of it from `start` on.

    `start` counts UTF-16 code units; `count` is how many notes have it, of a title or path how many
    link to it; `path` is the note's, where it is one.
    """

    kind: CompletionKind
    text: str
    insert: str
    start: int
    count: int
    path: str | None = None


@dataclass(frozen=True, slots=True)
class CompleteReply:
    """Completions, best first."""

    prefix: str
    vault: str
    generation: int
    completions: tuple[Completion, ...]
