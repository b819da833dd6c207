"""Language models: context for one, passages within a budget of tokens; those of a provider."""

from __future__ import annotations

from typing import Annotated, Literal

from notewell.base.types import SearchMode
from notewell.base.types.frozen import frozen
from notewell.base.types.hints import Ge, Le
from notewell.contract.fields import Doc, Door, HttpDefault, SearchText
from notewell.contract.request import Endpoint, Request, request_to

MIN_BUDGET, MAX_BUDGET = 64, 1_000_000  # tokens

Detail = Literal["full", "passages", "headings"]


@frozen
class ContextSource:
    """A note in the context: its number there, and how much of it was taken.

    `line` is that of the best match; `tokens` are those of the note's block.
    """

    n: int
    path: str
    title: str
    heading: str | None
    line: int
    score: float
    detail: Detail
    tokens: int
    uri: str


@frozen
class ContextReply:
    """Text for a language model, and the numbered notes it was made of.

    `tokens` are those of `text`, never more than `budget_tokens`; `tokenizer` names what counted
    them, `estimate` where no model is on this computer. `left_out` counts notes that were found,
    but scored too low or did not fit. `confidence` (0..1): how likely anything here is an answer.
    """

    query: str
    vault: str
    generation: int
    budget_tokens: int
    tokens: int
    tokenizer: str
    text: str
    sources: tuple[ContextSource, ...]
    left_out: int
    confidence: float | None
    warnings: tuple[str, ...]


@request_to(
    Endpoint(
        "POST",
        "/api/context",
        "context",
        "Text for a language model to answer from, within a budget of tokens",
        required_scope="read",
        rate_class="search",
        example={"q": "how bees find their way", "budget_tokens": 1000},
    )
)
class ContextRequest(Request[ContextReply]):
    """Passages for a language model to answer `q` from, in at most `budget_tokens` tokens.

    Of at most `sources` notes. `fill` spends what is left of the budget on passages of notes that
    are further from the best. `door` names the client, for the log; None is not logged.
    """

    q: Annotated[SearchText, Doc("The question, as a query")]
    budget_tokens: Annotated[
        int, Ge(MIN_BUDGET), Le(MAX_BUDGET), Doc("Maximum number of tokens")
    ] = 4000
    sources: Annotated[int, Ge(1), Le(100), Doc("Maximum number of notes")] = 20
    fill: Annotated[bool, Doc("Use the rest of the budget for passages of lower-ranked notes")] = (
        False
    )
    mode: Annotated[
        SearchMode, Doc("Search by keyword, by meaning, or by both ranked together")
    ] = "hybrid"
    plain: Annotated[bool, Doc("Read the query as plain text, without operators")] = False
    door: Annotated[
        Door | None,
        HttpDefault("http"),
        Doc("Client that searches, for the log; null is not logged"),
    ] = None


REQUESTS = (ContextRequest,)


@frozen
class ModelView:
    """A model of the provider; limits in tokens. `rank` 1 is used if no model is named."""

    name: str
    rank: int
    input_limit: int
    output_limit: int | None
    known: bool  # whether the limit is known, from the provider or a table


@frozen
class AskModelsReply:
    """The models of the configured provider, best first; the list is `age_s` seconds old."""

    provider: str
    host: str
    chosen: str | None
    budget_tokens: int | None
    age_s: float
    models: tuple[ModelView, ...]
