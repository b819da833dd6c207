"""The edit of one part of a note."""

from __future__ import annotations

from typing import Annotated, Literal

from notewell.api.requests import Doc, Endpoint, NotePath, Pattern, Request, request_to
from notewell.api.types import MaxLen, frozen

How = Literal["replace", "append", "insert"]


@frozen
class EditReply:
    """The result of an edit. `hash` is that of the note now, which the next edit takes.

    `diff` is a unified diff, "" if nothing changed; `undo` the number that takes it back, null if
    nothing was written.
    """

    vault: str
    path: str
    changed: bool
    hash: str
    diff: str
    undo: int | None


@request_to(
    Endpoint(
        "POST",
        "/api/note/edit",
        "edit_note",
        "Edit one part of a note; 409 with its text now where it is not as `expected_hash` says",
        example={
            "path": "Garden/Bees.md",
            "expected_hash": "0" * 32,
            "section": "Todo",
            "how": "append",
            "text": "- buy wax",
        },
    )
)
class EditNote(Request[EditReply]):
    """Replace, add to or insert below one section or block; the rest of the note stays.

    A replaced section keeps its heading, a replaced block its id.
    """

    path: NotePath
    expected_hash: Annotated[
        str, Pattern("^[0-9a-f]{32}$"), Doc("`hash` of the note as you read it")
    ]
    how: Annotated[
        How,
        Doc(
            "`replace` the part, `append` at its end, or `insert` right below the heading or block"
        ),
    ]
    text: Annotated[str, MaxLen(200_000), Doc("The Markdown to write")]
    section: Annotated[
        str,
        MaxLen(500),
        Doc("A heading, or a block as `^id`; left out, the end or the begin of the note"),
    ] = ""
    dry_run: Annotated[bool, Doc("Only show what would change")] = False


REQUESTS = (EditNote,)
