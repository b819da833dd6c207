"""The index of a vault: its state, its runs, and the work that clients ask of it.

The state has totals, the queue, the model and each file. Work is what clients report: changed
notes, lists of files; and what they want: reindexing, the queue steered, a guard answered.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Annotated, Literal

from notewell.base.types import ChangeKind, LedgerState
from notewell.base.types.frozen import frozen
from notewell.base.types.hints import Ge, Le, MaxLen
from notewell.contract.fields import Doc, FileOrFolder, Limit, Milliseconds, NotePath, Pattern
from notewell.contract.request import Endpoint, Request, request_to

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


@request_to(
    Endpoint(
        "GET", "/api/runs", "runs", "What works on a vault, and what did", example={"limit": 20}
    )
)
class RunsRequest(Request[RunsReply]):
    """The newest runs of a vault; the last 100 are known."""

    limit: Limit = 20


@request_to(
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


@request_to(
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
    `eta_s` is the time until all is done, where it is known. `passages_approximate` are found by
    approximate meaning until they are embedded. The passages of notes that are not read yet are in
    no count.
    """

    phase: Phase = "idle"
    notes_read: int = 0
    notes: int = 0
    passages_embedded: int = 0
    passages: int = 0
    eta_s: float | None = None
    passages_approximate: int = 0


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
class BackupState:
    """When a backup was last `written`, and when one was last `verified`, which means tried.

    `problem` is why that one could not be restored.
    """

    written: str | None
    verified: str | None
    problem: str | None


@frozen
class StatusReply:
    """The state of a vault's index. `problem` says why it cannot follow the changes of its folder.

    `model` is the one that answers; `next_model` is being prepared and answers when it covers as
    much. `embedder` is set while a model does not run as configured. `server_writes` counts notes
    that Notewell wrote to a mirror and no client has taken yet (`GET /api/changes`). `next_run` is
    what the schedule has next. `former_titles` counts renamed notes whose passages are still
    embedded with a former title, which a full reindex (`POST /api/reindex`) changes; absent: none.
    `backup` is the last backup of all vaults; absent: there was none.
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
    backup: BackupState | None = None


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


@request_to(Endpoint("GET", "/api/status", "status", "The state of a vault's index"))
class StatusRequest(Request[StatusReply]):
    """The state of a vault's index."""


@request_to(
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


# In one request. A client with more has been away: /api/sync compares whole lists of files.
MOST_CHANGES = 10_000


@frozen
class AcceptedReply:
    """Work that was accepted; it is visible in a generation after this one.

    `warnings` name what was not accepted, and why.
    """

    accepted: int
    generation: int
    warnings: tuple[str, ...] = ()


@frozen
class SyncReply:
    """A client's list of files compared with what the server has.

    `need` are files that the server lacks or has in another version, newest first; `gone` are those
    that the client no longer has. `guard`: so many are gone at once that nothing is removed until
    a person confirms it.
    """

    need: tuple[str, ...]
    gone: tuple[str, ...]
    guard: bool


@frozen
class Change:
    """One change to a file or a folder.

    `mtime` is in milliseconds since 1970. `content` is the text of the note, from clients of
    a mirror.
    """

    kind: ChangeKind
    path: FileOrFolder
    old_path: Annotated[FileOrFolder | None, Doc("Path before a rename")] = None
    mtime: Milliseconds | None = None
    content: Annotated[str | None, Doc("Text of the note, for a mirror only")] = field(
        default=None, repr=False
    )

    def __post_init__(self) -> None:
        """Require an old path for a rename, and refuse one for any other change."""
        if (self.kind == "rename") != (self.old_path is not None):
            raise ValueError(
                "`old_path` is required for a rename, and not allowed for any other change"
            )


@frozen
class ServerWriteView:
    """A note of a mirror that the server has written and no client has confirmed.

    `hash` is the SHA-256 of its bytes, in hexadecimal, None where it was deleted; `base_hash` that
    of the version which clients have, None where they have no such note. A client whose own note
    differs from `base_hash` has changed it too: it sends its version, and the server keeps both.
    """

    number: int
    kind: Literal["create", "modify", "delete"]
    path: str
    content: str | None
    hash: str | None
    base_hash: str | None


@frozen
class ServerWritesReply:
    """Notes for clients of a mirror to apply, oldest first; `waiting` counts all of them."""

    changes: tuple[ServerWriteView, ...]
    waiting: int


@frozen
class ConfirmedWrite:
    """A note that a client has applied: the `hash` it was told, None for a deleted note."""

    path: NotePath
    hash: Annotated[str | None, Pattern("^[0-9a-f]{64}$")] = None
    mtime: Milliseconds | None = None


FileListed = tuple[str, Annotated[int, Ge(0)], Milliseconds]


@request_to(
    Endpoint(
        "POST",
        "/api/reindex",
        "reindex",
        "Reindex the vault, or some of its notes",
        status=202,
        example={"paths": ["Garden/Bees.md"]},
    )
)
class ReindexRequest(Request[AcceptedReply]):
    """Reindex the vault, or some of its notes and folders."""

    full: Annotated[
        bool,
        Doc("Read every note again, changed or not; embed renamed ones with their new title"),
    ] = False
    paths: Annotated[
        tuple[NotePath, ...],
        MaxLen(MOST_CHANGES),
        Doc("Only these notes; empty: all that changed"),
    ] = field(default_factory=tuple)


@request_to(
    Endpoint(
        "POST",
        "/api/changes",
        "changes",
        "Report notes and folders that changed",
        status=202,
        example={
            "changes": [
                {"kind": "modify", "path": "Garden/Bees.md", "mtime": 1772445600000},
                {"kind": "rename", "path": "Garden/Bed.md", "old_path": "Garden/Plan.md"},
            ]
        },
    )
)
class ChangesRequest(Request[AcceptedReply]):
    """Changes that a client saw; either all are accepted or none."""

    changes: Annotated[
        tuple[Change, ...], MaxLen(MOST_CHANGES), Doc("In the order in which they happened")
    ]


@request_to(
    Endpoint(
        "POST",
        "/api/sync",
        "sync",
        "Compare a client's list of files with the server's",
        example={"files": [["Garden/Bees.md", 1024, 1772445600000]]},
    )
)
class SyncRequest(Request[SyncReply]):
    """All files that a client has. Paths are checked by the engine, off the event loop."""

    files: Annotated[
        tuple[FileListed, ...], Doc("All files the client has: [path, bytes, mtime in ms]")
    ]


@request_to(
    Endpoint(
        "GET",
        "/api/changes",
        "server_writes",
        "Notes that the server wrote to a mirror, for clients to apply",
        example={"after": 0},
    )
)
class ServerWritesRequest(Request[ServerWritesReply]):
    """The notes that the server wrote to a mirror, for its clients to apply to the vault."""

    after: Annotated[int, Ge(0), Le(2**53), Doc("Only writes with a higher number")] = 0
    limit: Annotated[int, Ge(1), Le(100), Doc("Maximum number of notes")] = 20


@request_to(
    Endpoint(
        "POST",
        "/api/changes/confirm",
        "confirm_writes",
        "Confirm that notes of the server were applied",
        status=202,
        example={"confirmed": []},
    )
)
class ConfirmWritesRequest(Request[AcceptedReply]):
    """Notes of the server that a client has applied to its vault."""

    confirmed: Annotated[tuple[ConfirmedWrite, ...], MaxLen(MOST_CHANGES), Doc("What was applied")]


def _queue(action: str, summary: str) -> Endpoint:
    return Endpoint("POST", f"/api/queue/{action}", f"queue_{action}", summary, status=202)


@request_to(_queue("pause", "Pause indexing; searching continues"))
class PauseRequest(Request[AcceptedReply]):
    """Pause indexing; searching continues."""


@request_to(_queue("resume", "Resume indexing"))
class ResumeRequest(Request[AcceptedReply]):
    """Resume indexing."""


@request_to(_queue("retry", "Retry every failed note"))
class RetryRequest(Request[AcceptedReply]):
    """Try every failed note again."""


@request_to(_queue("cancel", "Drop the queued work and stop the running work"))
class CancelRequest(Request[AcceptedReply]):
    """Drop the queued work and end the running one."""


@request_to(
    Endpoint(
        "POST",
        "/api/guard",
        "guard",
        "Decide whether notes that disappeared all at once are removed",
        status=202,
        example={"remove": False},
    )
)
class GuardRequest(Request[AcceptedReply]):
    """A person's decision on notes that disappeared all at once."""

    remove: Annotated[bool, Doc("Remove the notes that disappeared")]
