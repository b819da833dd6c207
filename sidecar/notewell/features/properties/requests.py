"""Editing the properties of notes: set, add, remove, rename."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Annotated, TypeAlias

from notewell.api.requests import Doc, Endpoint, NotePath, Pattern, Request, request_to
from notewell.api.types import MaxLen, MinLen, frozen
from notewell.contract.notes import RefusedWrite

MOST_EDITS = 200  # of one batch: the journal keeps 500 writes, and a batch is undone as a whole

_Name = Annotated[str, MinLen(1), MaxLen(200)]
_Text = Annotated[str, MaxLen(20_000)]
PropertyScalar: TypeAlias = bool | int | float | _Text | None
PropertyInput: TypeAlias = (
    PropertyScalar
    | Annotated[tuple[PropertyScalar, ...], MaxLen(1000)]
    | Annotated[Mapping[_Name, PropertyScalar], MaxLen(200)]
)
_Values: TypeAlias = Annotated[Mapping[_Name, PropertyInput], MaxLen(200)]
ContentHash = Annotated[str, Pattern("^[0-9a-f]{32}$")]
ExpectedHash = Annotated[
    ContentHash | None,
    Doc("Hash of the note as you know it: nothing is written where it has changed since"),
]
Set = Annotated[_Values, Doc("Values by property")]
Add = Annotated[_Values, Doc("Items to add to lists, by property")]
Remove = Annotated[tuple[_Name, ...], MaxLen(200), Doc("Properties to remove")]
Rename = Annotated[Mapping[_Name, _Name], MaxLen(200), Doc("New names by property")]
DryRun = Annotated[bool, Doc("Only show what would change")]


@frozen
class PropertiesReply:
    """The result of an edit. `hash` is that of the note on disk now, also after a dry run.

    `diff` is a unified diff of the lines that changed, "" if none did; `undo` the number that
    undoes the write, None if nothing was written.
    """

    vault: str
    path: str
    changed: bool
    hash: str
    diff: str
    undo: int | None


@frozen
class EditedNote:
    """One note of a batch; see `PropertiesReply`."""

    path: str
    changed: bool
    hash: str
    diff: str


@frozen
class PropertiesBatchReply:
    """The result of a batch. `undo` undoes all of it; `refused` were left as they are."""

    vault: str
    changed: int
    notes: tuple[EditedNote, ...]
    refused: tuple[RefusedWrite, ...]
    undo: int | None


@frozen
class NoteProperties:
    """The edit of one note of a batch; see `EditProperties`."""

    path: NotePath
    expected_hash: ExpectedHash = None
    set: Set = field(default_factory=dict)
    add: Add = field(default_factory=dict)
    remove: Remove = ()
    rename: Rename = field(default_factory=dict)


@request_to(
    Endpoint(
        "POST",
        "/api/note/properties",
        "edit_properties",
        "Change properties of a note; 409 where it is not as `expected_hash` says",
        example={"path": "Garden/Bees.md", "set": {"status": "done"}, "dry_run": True},
    )
)
class EditProperties(Request[PropertiesReply]):
    """Change properties of a note and nothing else; comments, order and quotes stay.

    `add` appends to a list what it lacks. Removing or renaming what is not there does nothing, so a
    repeated edit changes nothing. A name may be given once.
    """

    path: NotePath
    expected_hash: ExpectedHash = None
    set: Set = field(default_factory=dict)
    add: Add = field(default_factory=dict)
    remove: Remove = ()
    rename: Rename = field(default_factory=dict)
    dry_run: DryRun = False


@request_to(
    Endpoint(
        "POST",
        "/api/note/properties/batch",
        "edit_properties_batch",
        "Change properties of several notes, with one undo for all",
        example={
            "edits": [{"path": "Garden/Bees.md", "add": {"tags": ["garden"]}}],
            "dry_run": True,
        },
    )
)
class EditPropertiesBatch(Request[PropertiesBatchReply]):
    """Change properties of several notes, as one write to undo.

    A note that cannot be changed is named in `refused`, and the others are changed.
    """

    edits: Annotated[tuple[NoteProperties, ...], MinLen(1), MaxLen(MOST_EDITS), Doc("The edits")]
    dry_run: DryRun = False


REQUESTS = (EditProperties, EditPropertiesBatch)
