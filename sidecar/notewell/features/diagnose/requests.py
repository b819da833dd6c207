"""Why a note is not among the results of a search."""

from __future__ import annotations

from typing import Annotated, Literal

from notewell.api.requests import Doc, Endpoint, Request, SearchText, request_to
from notewell.api.types import frozen
from notewell.contract.fields import NoteName

SearchLayer = Literal[
    "excluded",
    "not_read",
    "filter",
    "verdict",
    "corrected",
    "hidden",
    "duplicate",
    "no_candidate",
    "weak",
    "ranked_low",
]
MendAction = Literal["reindex", "settings", "query", "weak", "everything", "log"]


@frozen
class Diagnosis:
    """Whether a search finds a note, and if not, the step of the search that loses it.

    `rank` is its place in the list without a limit, from 1; null if it is not in it. `layer` is
    null if it is among the first ten. `why` and `mend` are sentences for people; `mend` is "" where
    nothing is to be done. `action` says how a client can offer the mend: search for `suggested`
    instead, or again with `weak` or `everything`; index the note; open the settings or the log.
    """

    query: str
    path: str
    vault: str
    found: bool
    rank: int | None
    layer: SearchLayer | None
    why: str
    mend: str
    action: MendAction | None = None
    suggested: str | None = None


@request_to(
    Endpoint(
        "GET",
        "/api/diagnose",
        "diagnose",
        "Why a search does not find a note",
        rate_class="search",
        example={"q": "honey", "path": "Garden/Bees.md"},
    )
)
class DiagnoseRequest(Request[Diagnosis]):
    """Why a search does not find a note."""

    q: Annotated[SearchText, Doc("The query, as it was searched for")]
    path: Annotated[NoteName, Doc("The note that is missing: its path, or its name")]


REQUESTS = (DiagnoseRequest,)
