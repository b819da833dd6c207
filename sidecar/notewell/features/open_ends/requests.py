"""Open ends of the notes: listed by week, dismissed for good."""

from __future__ import annotations

from typing import Annotated, Literal

from notewell.api.requests import Doc, Endpoint, Pattern, Request, request_to
from notewell.api.types import Ge, Le, MaxLen, frozen

Kind = Literal["promised", "decided", "asked"]
KINDS: tuple[Kind, ...] = ("promised", "decided", "asked")


@frozen
class OpenEnd:
    """A sentence that was left open. `id` stands for its words, wherever they stand."""

    id: str
    kind: Kind
    text: str
    path: str
    title: str
    line: int
    uri: str


@frozen
class OpenWeek:
    """The open ends of notes dated within a week, which begins on the Monday `start`."""

    start: str
    ends: tuple[OpenEnd, ...]


@frozen
class OpenEndsReply:
    """Open ends by week, the newest week first; `total` counts all, also those not listed."""

    vault: str
    weeks: tuple[OpenWeek, ...]
    total: int
    dismissed: int


@request_to(
    Endpoint(
        "GET",
        "/api/open-ends",
        "open_ends",
        "What the notes promise, decide or ask, and never take up again, by week",
        rate_class="search",
        example={"kind": "promised"},
    )
)
class OpenEndsRequest(Request[OpenEndsReply]):
    """Sentences that promise, decide or ask something that no later text takes up."""

    kind: Annotated[Literal["", "promised", "decided", "asked"], Doc("Only this kind")] = ""
    folder: Annotated[str, MaxLen(1000), Doc("Only the notes in this folder")] = ""
    limit: Annotated[int, Ge(1), Le(1000), Doc("The most sentences, the newest first")] = 100


@request_to(
    Endpoint(
        "POST",
        "/api/open-ends/dismiss",
        "dismiss_open_end",
        "Show an open end no longer, or again",
        example={"id": "0123456789abcdef"},
    )
)
class DismissOpenEnd(Request[OpenEndsReply]):
    """Show an open end no longer; with `dismissed` false, show it again."""

    id: Annotated[str, Pattern("^[0-9a-f]{16}$"), Doc("Id of the open end")]
    dismissed: Annotated[bool, Doc("False: show it again")] = True


REQUESTS = (OpenEndsRequest, DismissOpenEnd)
