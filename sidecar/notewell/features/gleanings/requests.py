"""Gleanings: links saved in daily notes, with their status, and the notes made of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

from notewell.api.requests import Doc, Endpoint, Limit, Pattern, Request, SearchText, request_to
from notewell.api.types import MaxLen, frozen

GleaningStatus = Literal["active", "inactive", "hidden"]
GleaningId = Annotated[str, Pattern("^[0-9a-f]{12}$"), Doc("Id of the gleaning")]
_EXAMPLE_ID = "0123456789ab"
_DRY_RUN = "Only tell what would be done"


@frozen
class GleaningView:
    """A saved link.

    `source` is the daily note where it was first saved, at `line`; `days` are all its days.
    `note` is the note that was made of it, None if none was.
    """

    id: str
    title: str
    url: str
    domain: str
    description: str
    created: str | None
    source: str
    line: int
    days: tuple[str, ...]
    status: GleaningStatus
    reason: str
    note: str | None


@frozen
class GleaningsReply:
    """Gleanings, the newest first; `total` counts all that fit."""

    vault: str
    gleanings: tuple[GleaningView, ...]
    total: int


@frozen
class StatusChange:
    """One change of a status. `by` is "hand" or "maintain"."""

    at: str | None
    status: GleaningStatus
    reason: str
    by: str


@frozen
class GleaningReply:
    """One gleaning, with the last 100 changes of its status, newest first."""

    vault: str
    gleaning: GleaningView
    history: tuple[StatusChange, ...]


@frozen
class ExtractReply:
    """The result of an extraction.

    `files` are the daily notes that were read, `found` the links in them, `created` the notes that
    were made (`ids`), `skipped` the links that had one; `errors` are entries that cannot be read.
    `undo` undoes the last notes written together, None if there is none.
    """

    vault: str
    run: str
    files: int
    found: int
    created: int
    skipped: int
    ids: tuple[str, ...]
    errors: int
    undo: int | None


@frozen
class MaintainReply:
    """A check of links that has begun: `GET /api/runs/{id}` tells how far it is."""

    vault: str
    run: str


@frozen
class DomainCount:
    """A host and the number of its gleanings."""

    domain: str
    count: int


@frozen
class GleaningStatsReply:
    """Gleanings in figures: in all, those with a note, by status, and the most frequent hosts."""

    vault: str
    total: int
    extracted: int
    statuses: Mapping[GleaningStatus, int]
    domains: tuple[DomainCount, ...]


@request_to(
    Endpoint(
        "POST",
        "/api/gleanings/extract",
        "extract_gleanings",
        "Make notes of the links saved in daily notes",
        rate_class="heavy",
        example={"dry_run": True},
    )
)
class ExtractGleanings(Request[ExtractReply]):
    """Make notes of the links saved in daily notes, one for each address."""

    full: Annotated[bool, Doc("Read all daily notes again; statuses stay")] = False
    fetch: Annotated[bool, Doc("Read the titles of bare addresses from the web")] = False
    dry_run: Annotated[bool, Doc(_DRY_RUN)] = False


@request_to(
    Endpoint(
        "GET",
        "/api/gleanings",
        "gleanings",
        "The links saved in daily notes",
        example={"status": "active", "limit": 20},
    )
)
class GleaningsRequest(Request[GleaningsReply]):
    """The links saved in daily notes, whether or not notes were made of them."""

    status: Annotated[GleaningStatus | None, Doc("Only those with this status")] = None
    q: Annotated[SearchText, Doc("Words of title, description or address")] = ""
    limit: Limit = 50


@request_to(Endpoint("GET", "/api/gleanings/stats", "gleaning_stats", "The saved links in figures"))
class GleaningStatsRequest(Request[GleaningStatsReply]):
    """The saved links in figures."""


@request_to(
    Endpoint(
        "GET",
        "/api/gleanings/{id}",
        "gleaning",
        "One saved link, with the changes of its status",
        example={"id": _EXAMPLE_ID},
    )
)
class GleaningRequest(Request[GleaningReply]):
    """One saved link."""

    id: GleaningId


@request_to(
    Endpoint(
        "POST",
        "/api/gleanings/{id}/status",
        "mark_gleaning",
        "Give a saved link a status",
        example={"id": _EXAMPLE_ID, "status": "hidden", "reason": "read"},
    )
)
class MarkGleaning(Request[GleaningReply]):
    """Give a saved link a status by hand; `hidden` ones are never checked."""

    id: GleaningId
    status: Annotated[GleaningStatus, Doc("The new status")]
    reason: Annotated[str, MaxLen(500), Doc("Why, for people")] = ""


@request_to(
    Endpoint(
        "POST",
        "/api/gleanings/maintain",
        "maintain_gleanings",
        "Check the saved links on the web",
        status=202,
        rate_class="heavy",
        example={"dry_run": True},
    )
)
class MaintainGleanings(Request[MaintainReply]):
    """Check the saved links: dead ones become inactive, and active again when they answer."""

    dry_run: Annotated[bool, Doc("Check, and change nothing")] = False


REQUESTS = (
    ExtractGleanings,
    GleaningsRequest,
    GleaningStatsRequest,
    GleaningRequest,
    MarkGleaning,
    MaintainGleanings,
)
