"""Work for the index: changes that clients report, lists of files, reindexing, queue, guard."""

from __future__ import annotations

from dataclasses import field
from typing import Annotated, Literal

from notewell.base.types import ChangeKind
from notewell.base.types.frozen import frozen
from notewell.base.types.hints import Ge, Le, MaxLen
from notewell.contract.fields import Doc, FileOrFolder, Milliseconds, NotePath, Pattern
from notewell.contract.request import Endpoint, Request, sent_to

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


@sent_to(
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


@sent_to(
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


@sent_to(
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


@sent_to(
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


@sent_to(
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


@sent_to(_queue("pause", "Pause indexing; searching continues"))
class PauseRequest(Request[AcceptedReply]):
    """Pause indexing; searching continues."""


@sent_to(_queue("resume", "Resume indexing"))
class ResumeRequest(Request[AcceptedReply]):
    """Resume indexing."""


@sent_to(_queue("retry", "Retry every failed note"))
class RetryRequest(Request[AcceptedReply]):
    """Try every failed note again."""


@sent_to(_queue("cancel", "Drop the queued work and stop the running work"))
class CancelRequest(Request[AcceptedReply]):
    """Drop the queued work and end the running one."""


@sent_to(
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
