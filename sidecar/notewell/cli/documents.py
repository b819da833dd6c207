"""The JSON documents of the contract, as far as the terminal shows them.

A running server and an index opened here answer with the same document, so what a person sees is
drawn from that alone. Only the fields that are shown are named.
"""

from __future__ import annotations

from typing import NotRequired, TypedDict, TypeVar

import orjson

from notewell.errors import ServerError

Offsets = list[list[int]]
Document = TypeVar("Document")


class PassageDocument(TypedDict):
    """A further passage of a note; see `replies.Passage`."""

    heading: str | None
    line: int
    snippet: str
    highlights: Offsets
    score: float


class ReasonDocument(TypedDict):
    """Why a note is like another; see `replies.Reason`."""

    kind: str
    text: str


class ResultDocument(TypedDict):
    """A note that was found; see `replies.Result`."""

    path: str
    title: str
    heading: str | None
    line: int
    snippet: str
    highlights: Offsets
    score: float
    passages: list[PassageDocument]
    reasons: NotRequired[list[ReasonDocument]]  # a server of an earlier version has none of these
    linked: NotRequired[str | None]
    duplicates: NotRequired[list[str]]


class RemovedDocument(TypedDict):
    """What a stage took out."""

    reason: str
    count: int


class StageDocument(TypedDict):
    """One stage of the pipeline; see `replies.StageTrace`."""

    name: str
    ms: float
    count_in: int
    count_out: int
    removed: list[RemovedDocument]
    top: list[str]


class ContributionDocument(TypedDict):
    """What made a result's score; see `replies.Contribution`."""

    path: str
    score: float
    ranks: dict[str, int | None]
    adds: dict[str, float]
    times: dict[str, float]
    words: dict[str, float]


class ExplainDocument(TypedDict):
    """What happened to a query."""

    query: dict[str, object]
    stages: list[StageDocument]
    results: NotRequired[list[ContributionDocument]]  # as above


class SearchDocument(TypedDict, total=False):
    """The answer to a search; `explain` is there when asked for."""

    query: str
    mode: str
    took_ms: float
    total: int
    results: list[ResultDocument]
    warnings: list[str]
    explain: ExplainDocument


class QueueDocument(TypedDict):
    """The write queue; see `replies.QueueStatus`."""

    pending: int
    current: str | None
    done: int
    failed: int
    paused: bool
    eta_s: float | None


class GuardDocument(TypedDict):
    """A mass disappearance that waits for a word; see `replies.Guard`."""

    gone: int
    total: int
    since: str


class WorkDocument(TypedDict):
    """What was done since a vault was opened; see `replies.WorkDone`."""

    read: int
    embedded: int
    reused: int
    removed: int


class StatusDocument(TypedDict):
    """Where an index stands; see `replies.StatusReply`."""

    vault: str
    notes: int
    chunks: int
    vectors: int
    model: str | None
    generation: int
    state: str
    semantic: str
    semantic_reason: str | None
    queue: QueueDocument
    ledger: dict[str, int]
    guard: GuardDocument | None
    problem: str | None
    work: WorkDocument


class AcceptedDocument(TypedDict):
    """Work that a server took on; see `replies.AcceptedReply`."""

    accepted: int
    generation: int


class LedgerRowDocument(TypedDict):
    """A file's state; see `replies.LedgerRow`."""

    path: str
    state: str
    rule: str | None
    reason: str | None
    warnings: list[str]


class LedgerDocument(TypedDict):
    """The ledger; see `replies.LedgerReply`."""

    vault: str
    total: int
    counts: dict[str, int]
    entries: list[LedgerRowDocument]


class LoggedResultDocument(TypedDict):
    """A result of a search in the log."""

    path: str
    score: float


class LoggedOpenDocument(TypedDict):
    """A result that was opened; see `replies.log.LoggedOpen`."""

    path: str
    rank: int | None
    at: str


class LoggedQueryDocument(TypedDict):
    """A search in the log; see `replies.log.LoggedQuery`."""

    at: str
    door: str
    query: str
    mode: str
    took_ms: float
    results: list[LoggedResultDocument]
    opened: list[LoggedOpenDocument]


class VerdictDocument(TypedDict):
    """A verdict; see `replies.log.VerdictView`."""

    query: str
    path: str
    verdict: str


class LogDocument(TypedDict):
    """The log of searches; see `replies.log.LogReply`."""

    enabled: bool
    total: int
    entries: list[LoggedQueryDocument]
    verdicts: list[VerdictDocument]


class ClearedDocument(TypedDict):
    """What was deleted from the log."""

    queries: int
    opened: int
    verdicts: int


def parse(document: bytes, kind: type[Document]) -> Document:
    """`document` as `kind`; the server of this same package is trusted to keep the contract."""
    try:
        value: Document = orjson.loads(document)
    except orjson.JSONDecodeError as error:
        raise ServerError(f"the server answered something that is not {kind.__name__}") from error
    return value
