"""The route that assembles a context for a language model."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from notewell.contract.context import ContextReply
from notewell.contract.questions import MAX_BUDGET, MIN_BUDGET, ContextQuestion
from notewell.types import MAX_QUERY_CHARS, SearchMode
from notewell.web.request_models import Door, QueryText, VaultAsked
from notewell.web.route import Route
from notewell.web.site import Site


class ContextAsked(VaultAsked):
    """`POST /api/context`."""

    q: QueryText = Field(
        description="The question, as a query", json_schema_extra={"maxLength": MAX_QUERY_CHARS}
    )
    budget_tokens: Annotated[
        int, Field(ge=MIN_BUDGET, le=MAX_BUDGET, description="Most tokens of the text")
    ] = 4000
    sources: Annotated[int, Field(ge=1, le=100, description="Most notes")] = 20
    fill: bool = Field(
        default=False,
        description="Spend what is left of the budget on passages of notes further down",
    )
    mode: SearchMode = "hybrid"
    plain: bool = Field(default=False, description="Take q as text, without operators")
    door: Door | None = Field("http", description="Who asks, for the log; null is not logged")

    def question(self) -> ContextQuestion:
        """Form the engine's question."""
        return ContextQuestion(**self.model_dump(exclude={"vault"}))


async def context(site: Site, asked: ContextAsked) -> ContextReply:
    """Assemble a context."""
    engine = site.engine(asked.vault)
    return await engine.call(engine.assembler.assemble, asked.question())


CONTEXT_ROUTES = (
    Route(
        method="POST",
        path="/api/context",
        name="context",
        summary="Text for a language model to answer from, within a budget of tokens",
        asked=ContextAsked,
        handle=context,
        reply=ContextReply,
        example={"q": "how bees find their way", "budget_tokens": 1000},
        needs="read",
        counts_as="search",
    ),
)
