"""Writes that were made to a vault, and undoing them."""

from __future__ import annotations

from typing import Annotated

from notewell.api.requests import Doc, Endpoint, Limit, Request, request_to
from notewell.api.types import Ge, frozen
from notewell.contract.notes import RefusedWrite


@frozen
class WriteView:
    """One write. `number` identifies it; `action` says what it was, such as "memory store"."""

    number: int
    at: str | None
    path: str
    action: str
    undone: bool


@frozen
class WritesReply:
    """The newest writes to a vault, newest first."""

    vault: str
    writes: tuple[WriteView, ...]


@frozen
class UndoneReply:
    """The result of undoing. `undo` is the number that undoes it; None: nothing had to change.

    Writes that were made together are undone together: `paths` are all notes that were restored,
    `path` is the first, and `refused` are those that have changed since.
    """

    vault: str
    path: str
    undo: int | None
    paths: tuple[str, ...] = ()
    refused: tuple[RefusedWrite, ...] = ()


@request_to(
    Endpoint(
        "GET",
        "/api/writes",
        "writes",
        "What Notewell wrote to a vault, newest first",
        example={"limit": 20},
    )
)
class WritesRequest(Request[WritesReply]):
    """The newest writes to a vault."""

    limit: Limit = 20


@request_to(
    Endpoint("POST", "/api/writes/undo", "undo", "Undo a write to a vault", example={"number": 1})
)
class UndoRequest(Request[UndoneReply]):
    """Undo a write and those made together with it; without a number, the newest."""

    number: Annotated[
        Annotated[int, Ge(1), Doc("Number of the write")] | None, Doc("Left out, the newest write")
    ] = None


REQUESTS = (WritesRequest, UndoRequest)
