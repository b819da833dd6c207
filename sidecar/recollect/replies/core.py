"""What the doors answer: the JSON contract as frozen records, one field per JSON field.

The order of fields is the order in the JSON. Times are ISO 8601 strings with a zone. Optional
parts that are absent from the JSON when not asked for are named in `OMITTED_WHEN_NONE`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from recollect.types import Direction, LedgerState, LinkKind, PropertyValue, SearchMode

EngineState = Literal["starting", "indexing", "ready", "degraded"]
Semantic = Literal["ready", "partial", "unavailable"]

OMITTED_WHEN_NONE = ("explain", "query_id")


@dataclass(frozen=True, slots=True)
class Passage:
    """A passage of a note that matched; `highlights` are UTF-16 offsets into `snippet`."""

    heading: str | None  # heading path, " > " between levels
    block: str | None
    parent: str | None
    line: int
    snippet: str
    highlights: tuple[tuple[int, int], ...]
    score: float


@dataclass(frozen=True, slots=True)
class Scores:
    """Parts of a result's score. None: not computed. Multipliers are 1 where they do nothing."""

    keyword: float | None = None
    semantic: float | None = None
    fused: float | None = None
    tag: float | None = None
    recency: float | None = None
    graph: float | None = None
    rerank: float | None = None


@dataclass(frozen=True, slots=True)
class RawScores:
    """Scores as the engines gave them."""

    bm25: float | None = None
    cosine: float | None = None


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a note is like another: what they have in common, in words for people."""

    kind: Literal["passage", "duplicate", "links", "tags"]
    text: str


@dataclass(frozen=True, slots=True)
class Result:
    """A note that was found, with its best passage on top and the further ones beneath.

    Of similar notes: `linked` says how the source is linked with it already (`out`: it links
    there), `duplicates` are notes with nearly the same text that it stands for.
    """

    path: str
    title: str
    description: str | None
    heading: str | None
    block: str | None
    parent: str | None
    line: int
    snippet: str
    highlights: tuple[tuple[int, int], ...]
    score: float
    scores: Scores
    raw: RawScores
    passages: tuple[Passage, ...]
    tags: tuple[str, ...]
    properties: Mapping[str, PropertyValue]
    created: str | None
    modified: str | None
    uri: str
    reasons: tuple[Reason, ...] = ()
    linked: Direction | None = None
    duplicates: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Fusion:
    """How the sides were combined, with every number a client needs to do it again."""

    method: str
    params: Mapping[str, float | str | None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Removed:
    """Notes that a stage took out, and why; `paths` are some of them."""

    reason: str
    count: int
    paths: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Moved:
    """A note's rank before and after a stage, from 1; None: not among the first."""

    path: str
    before: int | None
    after: int | None


@dataclass(frozen=True, slots=True)
class StageTrace:
    """One stage of the pipeline.

    `top` are the first paths after it, `moved` what changed among them since the stage before that
    had any.
    """

    name: str
    ms: float
    count_in: int
    count_out: int
    removed: tuple[Removed, ...] = ()
    top: tuple[str, ...] = ()
    moved: tuple[Moved, ...] = ()


@dataclass(frozen=True, slots=True)
class Contribution:
    """What made a result's score. `ranks` by each side alone and after each step, from 1.

    score = (adds.keyword + adds.semantic) * every multiplier in `times`, at most 1, where no model
    has reordered the list. `words` are the BM25 that each token of the query gives the best
    passage.
    """

    path: str
    score: float
    ranks: Mapping[str, int | None]
    adds: Mapping[str, float]
    times: Mapping[str, float]
    words: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Explain:
    """What happened to a query, stage by stage, and what each result's score is made of."""

    query: Mapping[str, PropertyValue]
    stages: tuple[StageTrace, ...]
    results: tuple[Contribution, ...] = ()


@dataclass(frozen=True, slots=True)
class SearchReply:
    """The answer to a search or a similar-notes request.

    `query_id` names a search that was logged, for telling which of its results was opened.
    """

    query: str
    vault: str
    mode: SearchMode
    fusion: Fusion
    expanded: tuple[str, ...]
    filtered: Mapping[str, int]
    generation: int
    took_ms: float
    total: int
    confidence: float | None
    results: tuple[Result, ...]
    warnings: tuple[str, ...]
    explain: Explain | None = None
    query_id: str | None = None


@dataclass(frozen=True, slots=True)
class QueueStatus:
    """The write queue at a moment."""

    pending: int = 0
    current: str | None = None
    done: int = 0
    failed: int = 0
    paused: bool = False
    eta_s: float | None = None


@dataclass(frozen=True, slots=True)
class Guard:
    """A mass disappearance that waits for a person's word."""

    gone: int
    total: int
    since: str


@dataclass(frozen=True, slots=True)
class WorkDone:
    """What was done for a vault since it was opened; `embedded` counts texts sent to the model."""

    read: int = 0
    embedded: int = 0
    reused: int = 0
    removed: int = 0


@dataclass(frozen=True, slots=True)
class EmbedderStatus:
    """How a model works after it failed: more simply than it was set, why, and since when."""

    step: Literal["full", "fewer_threads", "single_fp32", "keyword_only"]
    reason: str
    since: str


@dataclass(frozen=True, slots=True)
class StatusReply:
    """Where a vault's index stands. `problem` says what keeps it from following its folder.

    `model` is the one that answers; `next_model` is being prepared and answers when it covers as
    much. `embedder` is there while a model does not work as it was set.
    """

    vault: str
    notes: int
    chunks: int
    vectors: int
    model: str | None
    generation: int
    state: EngineState
    semantic: Semantic
    semantic_reason: str | None
    queue: QueueStatus
    ledger: Mapping[LedgerState, int]
    guard: Guard | None = None
    problem: str | None = None
    work: WorkDone = field(default_factory=WorkDone)
    next_model: str | None = None
    embedder: EmbedderStatus | None = None


@dataclass(frozen=True, slots=True)
class LedgerRow:
    """A file's state; for `?path=` also the rule that decides."""

    path: str
    state: LedgerState
    rule: str | None
    reason: str | None
    warnings: tuple[str, ...]
    attempts: int
    size: int
    modified: str | None
    updated: str | None


@dataclass(frozen=True, slots=True)
class LedgerReply:
    """The ledger: the counts of all states and the entries asked for."""

    vault: str
    total: int
    counts: Mapping[LedgerState, int]
    entries: tuple[LedgerRow, ...]


@dataclass(frozen=True, slots=True)
class HeadingView:
    """A heading of a note."""

    level: int
    text: str
    line: int


@dataclass(frozen=True, slots=True)
class LinkView:
    """A link seen from one note; `path` is None where it is unresolved."""

    path: str | None
    target: str
    display: str | None
    heading: str | None
    block: str | None
    embed: bool
    kind: LinkKind
    line: int


@dataclass(frozen=True, slots=True)
class ChunkView:
    """A piece of a note as it was cut for the index."""

    heading: str | None  # heading path, " > " between levels
    line: int  # where it begins
    chars: int


@dataclass(frozen=True, slots=True)
class NoteReply:
    """A note with all that is known of it."""

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


@dataclass(frozen=True, slots=True)
class VaultView:
    """A known vault."""

    id: str
    name: str
    path: str
    default: bool
    open: bool
    source: Literal["folder", "mirror"]
    served: bool  # requests may name it; the server opens it for them where it is not open


@dataclass(frozen=True, slots=True)
class VaultsReply:
    """All known vaults."""

    vaults: tuple[VaultView, ...]


@dataclass(frozen=True, slots=True)
class HealthReply:
    """That a server is there and which contract it speaks; tells nothing of a vault."""

    status: Literal["ok"]
    version: str
    api: int
    features: tuple[str, ...]
    auth: Literal["token"] = "token"


@dataclass(frozen=True, slots=True)
class AcceptedReply:
    """Work that was taken on; it shows in a generation after this one.

    `warnings` name what was left out of it, and why.
    """

    accepted: int
    generation: int
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SyncReply:
    """A client's list of files compared with what the server has.

    `need` is not here as the client has it, newest first; `gone` the client has no more. With
    `guard`, too much is gone at once to believe it: nothing is removed until that is confirmed.
    """

    need: tuple[str, ...]
    gone: tuple[str, ...]
    guard: bool


@dataclass(frozen=True, slots=True)
class EventReply:
    """One event of the stream: its `id:`, its `event:` and the JSON of its `data:`."""

    id: int
    event: Literal["generation", "progress", "ledger", "state"]
    data: Mapping[str, PropertyValue]


@dataclass(frozen=True, slots=True)
class IndexReport:
    """An index run: totals after it (the first four), and what it did."""

    notes: int
    chunks: int
    failed: int
    excluded: int
    embedded: int
    reused: int
    removed: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Problem:
    """An RFC 9457 problem document."""

    type: str
    title: str
    status: int
    detail: str
    code: str
