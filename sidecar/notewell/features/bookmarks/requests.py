"""The request for the notes that are bookmarked in Obsidian."""

from __future__ import annotations

from notewell.api.requests import Endpoint, Request, request_to
from notewell.api.types import frozen


@frozen
class BookmarkedNote:
    """A note that is bookmarked. `title` is the name that the bookmark has, else the note's."""

    path: str
    title: str


@frozen
class BookmarksReply:
    """The bookmarked notes in Obsidian's order; those that the index lacks are left out."""

    vault: str
    notes: tuple[BookmarkedNote, ...]


@request_to(
    Endpoint(
        "GET",
        "/api/bookmarks",
        "bookmarks",
        "Notes that are bookmarked in Obsidian",
        example={},
    )
)
class BookmarksRequest(Request[BookmarksReply]):
    """Notes that are bookmarked in Obsidian."""


REQUESTS = (BookmarksRequest,)
