"""Two versions of a note: listed, compared, and made one."""

from __future__ import annotations

from typing import Annotated, Literal

from notewell.api.requests import Doc, Endpoint, NotePath, Pattern, Request, request_to
from notewell.api.types import MaxLen, frozen

Hash = Annotated[str, Pattern("^[0-9a-f]{32}$")]
KeptVersion = Literal["note", "copy", "both"]
PartKind = Literal["both", "note", "copy", "differs"]
OtherPath = Annotated[
    str, MaxLen(1000), Doc("The conflict copy beside it, or another note that says nearly the same")
]
_COPY = "Garden/Bees.sync-conflict-20261122-103000.md"


@frozen
class ConflictView:
    """A conflict copy beside a note. `changed` and `copy_changed` say when each file was."""

    path: str
    copy: str
    changed: str
    copy_changed: str


@frozen
class ConflictsReply:
    """The conflict copies of a vault, by note."""

    vault: str
    conflicts: tuple[ConflictView, ...]


@frozen
class ConflictPart:
    """A stretch of two versions: `note` and `copy` are what each has of it.

    `both` stands in both, perhaps moved; `note` and `copy` in one alone. `differs` was changed in
    one of them, and a person chooses. `line` is that of the note or else of the copy.
    """

    kind: PartKind
    note: str
    copy: str
    line: int


@frozen
class ConflictReply:
    """Two versions of a note. `links` are the notes that link to the copy.

    `hash` and `copy_hash` are those of both files as they were read. `differences` counts the parts
    that differ; `newer` says which file was changed later.
    """

    vault: str
    path: str
    copy: str
    hash: str
    copy_hash: str
    changed: str
    copy_changed: str
    newer: Literal["note", "copy"]
    differences: int
    parts: tuple[ConflictPart, ...]
    links: tuple[str, ...]


@frozen
class HealReply:
    """The note that two versions became. `links` are the notes whose links lead to it now.

    `diff` is a unified diff of the note. `undo` is the number that takes all of it back, null where
    nothing was written. `left` are notes with such a link that could not be changed.
    """

    vault: str
    path: str
    copy: str
    diff: str
    links: tuple[str, ...]
    left: tuple[str, ...]
    undo: int | None


@request_to(Endpoint("GET", "/api/conflicts", "conflicts", "Conflict copies that lie beside notes"))
class ConflictsRequest(Request[ConflictsReply]):
    """The conflict copies that a synchroniser left."""


@request_to(
    Endpoint(
        "GET",
        "/api/conflict",
        "conflict",
        "Two versions of a note, sentence by sentence",
        rate_class="heavy",
        example={"path": "Garden/Bees.md", "other": _COPY},
    )
)
class ConflictRequest(Request[ConflictReply]):
    """Compare a note with its copy: what both say, what one says alone, what differs."""

    path: NotePath
    other: OtherPath


@request_to(
    Endpoint(
        "POST",
        "/api/conflict/heal",
        "heal_conflict",
        "Make one note of two versions; 409 where one has changed since it was compared",
        rate_class="heavy",
        example={
            "path": "Garden/Bees.md",
            "other": _COPY,
            "hash": "0" * 32,
            "other_hash": "0" * 32,
            "choices": ["copy"],
        },
    )
)
class HealConflict(Request[HealReply]):
    """Make one note of two: what one of them says alone is kept, and the copy is deleted.

    Links to the copy lead to the note. One undo restores both files.
    """

    path: NotePath
    other: OtherPath
    hash: Annotated[Hash, Doc("`hash` of the note as it was compared")]
    other_hash: Annotated[Hash, Doc("`copy_hash`, of the copy")]
    choices: Annotated[
        tuple[KeptVersion, ...],
        MaxLen(10_000),
        Doc("For each part that differs, in order: that of the note, of the copy, or both"),
    ] = ()
    dry_run: Annotated[bool, Doc("Only show what would change")] = False


REQUESTS = (ConflictsRequest, ConflictRequest, HealConflict)
