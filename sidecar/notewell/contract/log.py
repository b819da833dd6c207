"""The log of searches: searches, opened results and verdicts."""

from __future__ import annotations

from typing import Annotated, Literal

from notewell.base.types import SearchMode, Verdict
from notewell.base.types.frozen import frozen
from notewell.base.types.hints import Ge, Le, MaxLen
from notewell.contract.fields import (
    MAX_QUERY_CHARS,
    Doc,
    Normalise,
    NotePath,
    Pattern,
    Time,
    check_query,
)
from notewell.contract.request import Endpoint, Request, request_to


@frozen
class LoggedResult:
    """A result of a search in the log."""

    path: str
    score: float


@frozen
class LoggedOpen:
    """A result that was opened; `rank` counts from 1, null where unknown."""

    path: str
    rank: int | None
    at: str | None


@frozen
class LoggedQuery:
    """A search in the log, with its first results and what was opened of them."""

    query_id: str
    at: str | None
    door: str
    query: str
    mode: SearchMode
    took_ms: float
    generation: int
    results: tuple[LoggedResult, ...]
    opened: tuple[LoggedOpen, ...]


@frozen
class VerdictView:
    """A person's verdict on a note as the answer to a query."""

    query: str
    path: str
    verdict: Verdict
    at: str | None


@frozen
class LogReply:
    """The log: how many searches it has, the newest of them, and all verdicts, oldest first."""

    vault: str
    enabled: bool
    total: int
    entries: tuple[LoggedQuery, ...]
    verdicts: tuple[VerdictView, ...]


@frozen
class OpenedReply:
    """The outcome of recording that a result was opened; `reason` says why it was not."""

    recorded: bool
    reason: str | None


@frozen
class VerdictReply:
    """The current verdict on a note for a query; null where there is none."""

    query: str
    path: str
    verdict: Verdict | None


@frozen
class ClearedReply:
    """Numbers of entries of each kind that were deleted from the log."""

    queries: int
    opened: int
    verdicts: int


LoggedQueryText = Annotated[str, Pattern(r"\S"), Normalise(check_query, MAX_QUERY_CHARS)]


@request_to(
    Endpoint(
        "POST",
        "/api/opened",
        "opened",
        "Record which result of a search was opened",
        required_scope="read",
        example={"q": "how bees find their way", "path": "Garden/Bees.md", "rank": 1},
    )
)
class OpenedRequest(Request[OpenedReply]):
    """A result of a search was opened; the search is named by its id or its text."""

    path: NotePath
    query_id: Annotated[
        Annotated[str, MaxLen(64)] | None, Doc("Id of the search, from its reply")
    ] = None
    q: Annotated[LoggedQueryText | None, Doc("The query, where the search has no id")] = None
    rank: Annotated[
        Annotated[int, Ge(1), Le(1_000_000)] | None, Doc("Rank of the result, from 1")
    ] = None

    def __post_init__(self) -> None:
        """Refuse a request that names no search."""
        if self.query_id is None and self.q is None:
            raise ValueError("say which search: send `query_id`, or `q`")


@request_to(
    Endpoint(
        "POST",
        "/api/verdict",
        "verdict",
        "Record whether a note is the answer to a query, or is never to be shown for it",
        changes=False,
        example={"q": "spring", "path": "Garden/Compost.md", "verdict": "never_for_this"},
    )
)
class VerdictRequest(Request[VerdictReply]):
    """A person's verdict on a note as the answer to a query."""

    q: Annotated[LoggedQueryText, Doc("The query, as it was searched")]
    path: NotePath
    verdict: Annotated[Verdict | Literal["clear"], Doc("`clear` removes an earlier verdict")]


@request_to(
    Endpoint(
        "GET",
        "/api/log",
        "log",
        "The newest searches, what was opened of them, and all verdicts",
        example={"limit": 20},
    )
)
class LogRequest(Request[LogReply]):
    """The newest searches, what was opened of them, and all verdicts."""

    limit: Annotated[int, Ge(1), Le(1000), Doc("Maximum number of searches")] = 50
    since: Annotated[Time | None, Doc("Only searches from this time on")] = None


@request_to(
    Endpoint(
        "POST",
        "/api/log/clear",
        "log_clear",
        "Delete the log of searches",
        required_scope="admin",
        example={"keep_verdicts": True},
    )
)
class ClearLogRequest(Request[ClearedReply]):
    """Delete the log of searches."""

    keep_verdicts: Annotated[bool, Doc("Keep the verdicts, which a person made by hand")] = True
