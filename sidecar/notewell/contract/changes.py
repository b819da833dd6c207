"""Work for the index: changes that clients report, lists of files, reindexing, queue, guard."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, ClassVar

from annotated_types import Ge, MaxLen

from notewell.contract.fields import Doc, FileOrFolder, Milliseconds, NotePath
from notewell.contract.request import Endpoint, Request
from notewell.types import ChangeKind

# In one request. A client with more has been away: /api/sync compares whole lists of files.
MOST_CHANGES = 10_000


@dataclass(frozen=True, slots=True)
class AcceptedReply:
    """Work that was accepted; it is visible in a generation after this one.

    `warnings` name what was not accepted, and why.
    """

    accepted: int
    generation: int
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SyncReply:
    """A client's list of files compared with what the server has.

    `need` are files that the server lacks or has in another version, newest first; `gone` are those
    that the client no longer has. `guard`: so many are gone at once that nothing is removed until
    a person confirms it.
    """

    need: tuple[str, ...]
    gone: tuple[str, ...]
    guard: bool


@dataclass(frozen=True, slots=True)
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


FileListed = tuple[str, Annotated[int, Ge(0)], Milliseconds]


@dataclass(frozen=True, slots=True)
class ReindexRequest(Request[AcceptedReply]):
    """Reindex the vault, or some of its notes and folders."""

    endpoint: ClassVar[Endpoint] = Endpoint(
        "POST",
        "/api/reindex",
        "reindex",
        "Reindex the vault, or some of its notes",
        status=202,
        example={"paths": ["Garden/Bees.md"]},
    )
    full: Annotated[bool, Doc("Read every note again, changed or not")] = False
    paths: Annotated[
        tuple[NotePath, ...],
        MaxLen(MOST_CHANGES),
        Doc("Only these notes; empty: all that changed"),
    ] = field(default_factory=tuple)


@dataclass(frozen=True, slots=True)
class ChangesRequest(Request[AcceptedReply]):
    """Changes that a client saw; either all are accepted or none."""

    endpoint: ClassVar[Endpoint] = Endpoint(
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
    changes: Annotated[
        tuple[Change, ...], MaxLen(MOST_CHANGES), Doc("In the order in which they happened")
    ]


@dataclass(frozen=True, slots=True)
class SyncRequest(Request[SyncReply]):
    """All files that a client has. Paths are checked by the engine, off the event loop."""

    endpoint: ClassVar[Endpoint] = Endpoint(
        "POST",
        "/api/sync",
        "sync",
        "Compare a client's list of files with the server's",
        example={"files": [["Garden/Bees.md", 1024, 1772445600000]]},
    )
    files: Annotated[
        tuple[FileListed, ...], Doc("All files the client has: [path, bytes, mtime in ms]")
    ]


def _queue(action: str, summary: str) -> Endpoint:
    return Endpoint("POST", f"/api/queue/{action}", f"queue_{action}", summary, status=202)


@dataclass(frozen=True, slots=True)
class PauseRequest(Request[AcceptedReply]):
    """Pause indexing; searching continues."""

    endpoint: ClassVar[Endpoint] = _queue("pause", "Pause indexing; searching continues")


@dataclass(frozen=True, slots=True)
class ResumeRequest(Request[AcceptedReply]):
    """Resume indexing."""

    endpoint: ClassVar[Endpoint] = _queue("resume", "Resume indexing")


@dataclass(frozen=True, slots=True)
class RetryRequest(Request[AcceptedReply]):
    """Try every failed note again."""

    endpoint: ClassVar[Endpoint] = _queue("retry", "Retry every failed note")


@dataclass(frozen=True, slots=True)
class CancelRequest(Request[AcceptedReply]):
    """Drop the queued work and end the running one."""

    endpoint: ClassVar[Endpoint] = _queue(
        "cancel", "Drop the queued work and stop the running work"
    )


@dataclass(frozen=True, slots=True)
class GuardRequest(Request[AcceptedReply]):
    """A person's decision on notes that disappeared all at once."""

    endpoint: ClassVar[Endpoint] = Endpoint(
        "POST",
        "/api/guard",
        "guard",
        "Decide whether notes that disappeared all at once are removed",
        status=202,
        example={"remove": False},
    )
    remove: Annotated[bool, Doc("Remove the notes that disappeared")]
