"""Notes that answer a question together with its best result."""

from __future__ import annotations

from typing import Annotated

from notewell.base.types.frozen import frozen
from notewell.base.types.hints import Ge, Le
from notewell.contract.fields import Doc, NoteName, SearchText
from notewell.contract.request import Endpoint, Request, request_to
from notewell.contract.search import Result

MOST_COMPANIONS = 5


@frozen
class Companion:
    """A note that the first one links, by what it says on the rest of the question.

    `link_text` is the line of the first note that links it, without a list marker, and `link_line`
    its number; of a link in a property it is the property.
    """

    result: Result
    link_line: int
    link_text: str


@frozen
class CompanionsReply:
    """The best result of a question, and the notes that it links which say what it does not.

    `first` is null where no note fits. There are no companions where it says nearly all that is
    asked, or links no note. `rest` is the part of the question that was searched among its links.
    """

    query: str
    vault: str
    first: Result | None
    rest: str
    companions: tuple[Companion, ...]
    warnings: tuple[str, ...]


@request_to(
    Endpoint(
        "GET",
        "/api/companions",
        "companions",
        "Notes that answer a question together with its best result",
        rate_class="search",
        example={"q": "how long do the insects of the garden live"},
    )
)
class CompanionsRequest(Request[CompanionsReply]):
    """A question whose answer may need two notes: the best one, and one that it links.

    `path` is a note that answers in part; without it, that is the best result. NotFoundError: there
    is no note of that path or name.
    """

    q: Annotated[SearchText, Doc("The question")]
    path: Annotated[NoteName | None, Doc("The note that answers in part, or its name")] = None
    limit: Annotated[int, Ge(1), Le(MOST_COMPANIONS), Doc("The most companions")] = 3


REQUESTS = (CompanionsRequest,)
