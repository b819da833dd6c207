"""The versions of notes in the history of a vault."""

from __future__ import annotations

from typing import Annotated

from notewell.api.requests import Doc, Endpoint, Limit, NotePath, Request, SearchText, request_to
from notewell.api.types import frozen


@frozen
class NoteVersion:
    """A change of a note: the lines that match the query, as they came and went."""

    commit: str
    at: str
    path: str
    subject: str
    added: tuple[str, ...]
    removed: tuple[str, ...]


@frozen
class HistoryReply:
    """The changes of notes whose lines match a query, newest first.

    `first` is the oldest change that added a matching line: when it was first written. `total`
    counts all changes, whatever the limit. `warnings` tell what was left out.
    """

    query: str
    path: str | None
    vault: str
    total: int
    first: NoteVersion | None
    versions: tuple[NoteVersion, ...]
    warnings: tuple[str, ...] = ()


@request_to(
    Endpoint(
        "GET",
        "/api/history",
        "history",
        "What a note once said: its changes in the vault's git history",
        rate_class="search",
        example={"q": "honey", "path": "Garden/Bees.md"},
    )
)
class HistoryRequest(Request[HistoryReply]):
    """The changes of one note, or of all notes, whose lines match a query."""

    q: Annotated[SearchText, Doc("Words that a line has; none: all changes")] = ""
    path: Annotated[NotePath | None, Doc("Only this note, also under former names")] = None
    limit: Limit = 20


REQUESTS = (HistoryRequest,)
