"""The rows of a base (`.base`)."""

from __future__ import annotations

from typing import Annotated

from notewell.api.requests import Doc, Endpoint, NotePath, Request, request_to
from notewell.api.types import Ge, Le, MaxLen, frozen


@frozen
class BaseCell:
    """A value as it is shown; `path` is the note that it leads to."""

    text: str
    path: str | None = None


@frozen
class BaseRow:
    """A note of a base, with the values of its columns."""

    path: str
    cells: tuple[BaseCell, ...]


@frozen
class BaseReply:
    """One view of a base: its columns and rows; `views` are the names of all its views.

    `total` counts all rows, of which the first are given. Where the base asks for what is not
    computed here, `problem` says what, and there are no rows.
    """

    vault: str
    path: str
    views: tuple[str, ...]
    view: str
    kind: str
    columns: tuple[str, ...]
    rows: tuple[BaseRow, ...]
    total: int
    problem: str | None = None


@request_to(
    Endpoint(
        "GET",
        "/api/base",
        "base",
        "The rows of a view of a base, computed from the index",
        rate_class="search",
        example={"path": "Books.base", "view": "To read"},
    )
)
class BaseRequest(Request[BaseReply]):
    """The notes that a base shows, in the order of one of its views."""

    path: NotePath
    view: Annotated[str, MaxLen(200), Doc("Name of the view; left out, the first one")] = ""
    within: Annotated[
        NotePath | None, Doc("The note that embeds the base, which `this` stands for")
    ] = None
    limit: Annotated[int, Ge(1), Le(500), Doc("At most so many rows")] = 100


REQUESTS = (BaseRequest,)
