"""The state of a vault's index: totals, the queue, the model, each file, and its runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Annotated, Literal

from notewell.base.types import LedgerState
from notewell.base.types.frozen import frozen
from notewell.contract.fields import Doc, Limit, NotePath, Pattern
from notewell.contract.request import Endpoint, Request, sent_to

# Runs: what works on a vault as a whole, what did, and what comes next.

RunKind = Literal["index", "reconcile", "extract", "maintain", "plan", "sync", "phone", "table"]
Trigger = Literal["schedule", "manual", "watch", "client"]
RunResult = Literal["running", "done", "cancelled", "failed"]
RunId = Annotated[str, Pattern("^[0-9]{1,15}$"), Doc("Id of the run")]


@frozen
class RunError:
    """Something that went wrong in a run; `path` is the note, None if it was none in particular."""

    path: str | None
    why: str


@frozen
class RunView:
    """One run. `counts` say what it did, by words that depend on `kind`; `errors` are the first."""

    id: str
    kind: RunKind
    trigger: Trigger
    started: str | None
    ended: str | None
    result: RunResult
    counts: Mapping[str, int]
    errors: tuple[RunError, ...]


@frozen
class RunEnd:
    """The end of a run, as it is logged."""

    result: RunResult
    counts: Mapping[str, int]
    errors: tuple[RunError, ...] = ()


@frozen
class NextRun:
    """A run that the schedule has next, while a server runs."""

    what: RunKind
    at: str | None


@frozen
class RunsReply:
    """The runs of a vault, newest first, and those that are due next, the first of them first."""

    vault: str
    runs: tuple[RunView, ...]
    next: tuple[NextRun, ...]


@sent_to(
    Endpoint(
        "GET", "/api/runs", "runs", "What works on a vault, and what did", example={"limit": 20}
    )
)
class RunsRequest(Request[RunsReply]):
    """The newest runs of a vault; the last 100 are known."""

    limit: Limit = 20


@sent_to(
    Endpoint(
        "GET",
        "/api/runs/{id}",
        "run",
        "One run: what started it, what it did, its first errors",
        example={"id": "1"},
    )
)
class RunRequest(Request[RunView]):
    """One run."""

    id: RunId


@sent_to(
    Endpoint(
        "POST",
        "/api/runs/{id}/cancel",
        "cancel_run",
        "Stop a run at its next item; what it has done stays",
        status=202,
        example={"id": "1"},
    )
)
class CancelRun(Request[RunView]):
    """Stop a run at its next item; one that has ended stays as it is."""

    id: RunId


REQUESTS = (RunsRequest, RunRequest, CancelRun)


EngineState = Literal["starting", "indexing", "ready", "degraded"]
Semantic = Literal["ready", "partial", "unavailable"]


Phase = Literal["reading", "embedding", "idle", "paused", "stuck"]


@frozen
class IndexProgress:
    """Progress of an index: notes of all that can be searched by words, passages of all by meaning.

    `stuck`: work is left and nothing does it, because of a problem or because no writer runs.
    `eta_s` is the time until all is done, where it is known. The passages of notes that are not
    read yet are in no count.
    """

    phase: Phase = "idle"
    notes_read: int = 0
    notes: int = 0
    passages_embedded: int = 0
    passages: int = 0
    eta_s: float | None = None


@frozen
class QueueStatus:
    """Work that is left: notes to be read and passages to be embedded, together."""

    pending: int = 0
    current: str | None = None
    done: int = 0
    failed: int = 0
    paused: bool = False
    eta_s: float | None = None


@frozen
class Guard:
    """A mass disappearance of notes that waits for a person's decision."""

    gone: int
    total: int
    since: str


@frozen
class WorkDone:
    """Work for a vault since it was opened; `embedded` counts texts sent to the model."""

    read: int = 0
    embedded: int = 0
    reused: int = 0
    removed: int = 0


@frozen
class EmbedderStatus:
    """A model after a failure: the simpler way in which it runs, why, and since when."""

    step: Literal["full", "fewer_threads", "single_fp32", "keyword_only"]
    reason: str
    since: str


@frozen
class StatusReply:
    """The state of a vault's index. `problem` says why it cannot follow the changes of its folder.

    `model` is the one that answers; `next_model` is being prepared and answers when it covers as
    much. `embedder` is set while a model does not run as configured. `server_writes` counts notes
    that Notewell wrote to a mirror and no client has taken yet (`GET /api/changes`). `next_run` is
    what the schedule has next. `former_titles` counts renamed notes whose passages are still
    embedded with a former title, which a full reindex (`POST /api/reindex`) changes; absent: none.
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
    progress: IndexProgress = field(default_factory=IndexProgress)
    server_writes: int = 0
    next_run: NextRun | None = None
    former_titles: int | None = None


@frozen
class LedgerRow:
    """State of a file in the index; with `?path=` also the rule that decides.

    Files that are never read are one row for each ending, such as `*.png`, and hidden ones one row,
    `.*`: `count` says how many they are.
    """

    path: str
    state: LedgerState
    rule: str | None
    reason: str | None
    warnings: tuple[str, ...]
    attempts: int
    size: int
    modified: str | None
    updated: str | None
    count: int = 1


@frozen
class LedgerReply:
    """The ledger: the counts of all states, and the requested entries."""

    vault: str
    total: int
    counts: Mapping[LedgerState, int]
    entries: tuple[LedgerRow, ...]


@frozen
class IndexReport:
    """An index run: totals after it (the first four fields), and what it did.

    `guard`: so many notes are gone at once that none was removed; a person has to confirm.
    """

    notes: int
    chunks: int
    failed: int
    excluded: int
    embedded: int
    reused: int
    removed: int
    seconds: float
    guard: Guard | None = None


@sent_to(Endpoint("GET", "/api/status", "status", "The state of a vault's index"))
class StatusRequest(Request[StatusReply]):
    """The state of a vault's index."""


@sent_to(
    Endpoint(
        "GET",
        "/api/ledger",
        "ledger",
        "The state of each file, and why",
        example={"state": "excluded"},
    )
)
class LedgerRequest(Request[LedgerReply]):
    """The states of all files, or of those with a state or path."""

    state: Annotated[LedgerState | None, Doc("Only files in this state")] = None
    path: Annotated[NotePath | None, Doc("Only this file, with the rule that decides")] = None
