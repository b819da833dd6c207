"""Questions that sentences of the notes answer."""

from __future__ import annotations

from typing import Annotated

from notewell.api.requests import Doc, Endpoint, Request, SearchText, request_to
from notewell.api.types import Ge, Le, frozen
from notewell.contract.companions import Companion
from notewell.features.evidence.standing_requests import STANDING

MOST_ANSWERS = 5


@frozen
class Evidence:
    """A sentence that answers a question, word for word, and where it stands.

    `confidence` (0..1): how likely it answers, as judged on questions about a vault of help notes.
    """

    text: str
    path: str
    title: str
    line: int
    heading: str | None
    uri: str
    confidence: float


@frozen
class NearNote:
    """A note near a question that none answers."""

    path: str
    title: str
    line: int
    heading: str | None
    uri: str
    snippet: str


@frozen
class EvidenceReply:
    """The sentences that answer a question, the surest first.

    `said` false: the notes do not say, so far as was found; then `nearest` are notes about it.
    Where no answer is sure, `companions` are notes that the one of the first answer, or the nearest
    one, links and that say what it does not.
    """

    query: str
    vault: str
    said: bool
    answers: tuple[Evidence, ...]
    nearest: tuple[NearNote, ...]
    warnings: tuple[str, ...]
    companions: tuple[Companion, ...] = ()


@request_to(
    Endpoint(
        "GET",
        "/api/evidence",
        "evidence",
        "The sentences of the notes that answer a question",
        rate_class="search",
        example={"q": "how do bees tell where flowers are"},
    )
)
class EvidenceRequest(Request[EvidenceReply]):
    """A question, to be answered by sentences of the notes, without a language model."""

    q: Annotated[SearchText, Doc("The question")]
    limit: Annotated[int, Ge(1), Le(MOST_ANSWERS), Doc("The most sentences")] = MOST_ANSWERS


REQUESTS = (EvidenceRequest, *STANDING)
