"""One note: everything known about it, and the notes near it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from notewell.base.types import Direction, LinkKind, PropertyValue, WalkMode
from notewell.base.types.frozen import frozen
from notewell.base.types.hints import Ge, Gt, Le
from notewell.contract.fields import Doc, Limit, Normalise, NoteName, NotePath, Pattern, note_path
from notewell.contract.request import Endpoint, Request, request_to
from notewell.contract.status import LedgerRow

PassageId = Annotated[str, Pattern(r"[^/]#\d{1,9}$"), Normalise(note_path)]
PassageHash = Annotated[str, Pattern("^[0-9a-f]{8,32}$")]


@frozen
class RefusedWrite:
    """A note that was left as it is, and why."""

    path: str
    code: str
    why: str


@frozen
class HeadingView:
    """A heading of a note."""

    level: int
    text: str
    line: int


@frozen
class BlockView:
    """A block with an id, `^id` in the note, and its first and last line."""

    id: str
    lines: tuple[int, int]


@frozen
class LinkView:
    """A link seen from one note; `path` is null where it is unresolved."""

    path: str | None
    target: str
    display: str | None
    heading: str | None
    block: str | None
    embed: bool
    kind: LinkKind
    line: int


@frozen
class ChunkView:
    """A passage of a note, as the index holds it; see `Passage` of searches."""

    heading: str | None  # heading path, " > " between levels
    line: int  # where it begins
    chars: int
    id: str = ""
    hash: str = ""
    lines: tuple[int, int] = (1, 1)


@frozen
class NoteReply:
    """A note with everything known about it; `passage` is the one that its `id` asked for.

    `lines` are what features tell of it, a short line each. `hash` is that of the whole note as it
    is in its source now, which an edit takes as `expected_hash`.
    """

    vault: str
    path: str
    title: str
    aliases: tuple[str, ...]
    tags: tuple[str, ...]
    description: str | None
    content: str
    properties: Mapping[str, PropertyValue]
    headings: tuple[HeadingView, ...]
    links_out: tuple[LinkView, ...]
    links_in: tuple[LinkView, ...]  # their `path` is the note that links
    created: str | None
    modified: str | None
    uri: str
    ledger: LedgerRow | None
    chunks: tuple[ChunkView, ...] = ()
    passage: ChunkView | None = None
    blocks: tuple[BlockView, ...] = ()
    lines: tuple[str, ...] = ()
    hash: str | None = None


@request_to(
    Endpoint(
        "GET",
        "/api/note",
        "note",
        "A note: content, properties, headings, links in and out; by path or by a passage's id",
        rate_class="search",
        example={"path": "Garden/Bees.md"},
    )
)
class NoteRequest(Request[NoteReply]):
    """A note as it is on disk, with what the index knows about it: by its path, or a passage's id.

    With the `hash` of the passage, an id that means another one by now is refused: 409, with the id
    of the nearest passage as `nearest`. So is, without it, an id that means none.
    """

    path: NotePath | None = None
    id: Annotated[PassageId | None, Doc("Id of a passage, `path#n`, in place of `path`")] = None
    hash: Annotated[PassageHash | None, Doc("Hash of that passage, or its first 8 digits")] = None


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


@request_to(
    Endpoint(
        "GET",
        "/api/graph/neighbors",
        "graph_neighbors",
        "The notes within a number of links of a note",
        example={"path": "Garden/Bees.md", "hops": 2},
    )
)
class NeighborsRequest(Request[NeighborsReply]):
    """Notes within some hops of a note. `daily` false leaves daily notes out.

    In the mode `ontology` a note and each topic that it names are one hop apart, both ways.
    """

    path: NoteName
    hops: Hops = 1
    direction: Annotated[Direction, Doc("Follow outgoing links, incoming links, or both")] = "both"
    decay: Annotated[
        float, Gt(0), Le(1), Doc("Factor by which each further hop lowers a score")
    ] = 0.5
    limit: Limit = 100
    daily: Daily = True
    mode: Annotated[WalkMode, Doc("Along links, or also along topics (`ontology`)")] = "simple"
