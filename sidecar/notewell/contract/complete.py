"""Completions of a query that is being typed."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from notewell.base.types.frozen import frozen
from notewell.contract.fields import Doc, Limit, SearchText
from notewell.contract.request import Endpoint, Request

CompletionKind = Literal["filter", "tag", "folder", "path", "property", "value", "title", "alias"]


@frozen
class Completion:
    """A completion of a query: `insert` replaces the query from `start` on.

    `start` counts UTF-16 code units; `count` is the number of notes that have it, or for a title
    or a path the number of notes that link to it; `path` is the note that it names, if it does.
    """

    kind: CompletionKind
    text: str
    insert: str
    start: int
    count: int
    path: str | None = None


@frozen
class CompleteReply:
    """Completions, best first."""

    prefix: str
    vault: str
    generation: int
    completions: tuple[Completion, ...]


@frozen
class CompleteRequest(Request[CompleteReply]):
    """Completions of the query that begins with `prefix`."""

    endpoint: ClassVar[Endpoint] = Endpoint(
        "GET",
        "/api/complete",
        "complete",
        "Completions of a query that is being typed",
        rate_class="search",
        example={"prefix": "spring tag:gar", "limit": 5},
    )
    prefix: Annotated[SearchText, Doc("The query up to the cursor")] = ""
    limit: Limit = 10
