"""What callers may ask of a vault's notes and its index: one model a request."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, ClassVar, Literal

from aiohttp import hdrs
from pydantic import Field

from notewell.types import (
    MAX_QUERY_CHARS,
    Direction,
    FusionMethod,
    LedgerState,
    SearchMode,
    SearchRequest,
    SimilarRequest,
)
from notewell.web.request_models import (
    Door,
    Flag,
    Limit,
    NotePath,
    QueryText,
    Share,
    Signals,
    VaultAsked,
)


class SearchAsked(VaultAsked):
    """`GET /api/search`."""

    q: QueryText = Field(
        description="Words to find", json_schema_extra={"maxLength": MAX_QUERY_CHARS}
    )
    limit: Limit = 10
    mode: SearchMode = "hybrid"
    plain: Flag = Field(default=False, description="Take q as text, without operators")
    fusion: FusionMethod = "auto"
    alpha: Share | None = Field(None, description="Share of the semantic side, where fixed")
    min_score: Share = Field(0.0, description="Leave out results that score below")
    everything: Flag = Field(default=False, description="Find shelved and daily notes as well")
    recency: Share | None = Field(None, description="How much a note of today gains")
    graph: Share | None = Field(None, description="How much a note gains that the best link to")
    collapse: Flag | None = Field(None, description="Leave out near-duplicates of better results")
    expand: Flag | Literal["llm"] | None = Field(
        None, description="Ask a short query for related words as well; llm: for other wordings"
    )
    rerank: Flag | None = Field(None, description="Let a model read the first results")
    ignore: Signals = Field(frozenset(), description="Signals without a say, with commas between")
    typing: Flag = Field(default=False, description="The last word may be unfinished")
    explain: Flag = Field(default=False, description="Report every stage of the search")
    door: Door = Field("http", description="Who asks, for the log: plugin, web …; none: unlogged")

    def request(self) -> SearchRequest:
        """Form the engine's request."""
        return SearchRequest(
            query=self.q,
            limit=self.limit,
            mode=self.mode,
            plain=self.plain,
            fusion=self.fusion,
            alpha=self.alpha,
            min_score=self.min_score,
            everything=self.everything,
            recency=self.recency,
            graph=self.graph,
            collapse=self.collapse,
            expand=self.expand,
            rerank=self.rerank,
            ignore=self.ignore,
            typing=self.typing,
            explain=self.explain,
            door=None if self.door == "none" else self.door,
        )


class SimilarAsked(VaultAsked):
    """`GET /api/similar`."""

    path: NotePath
    heading: str | None = Field(None, description="Like what stands under this heading of the note")
    line: Annotated[int, Field(ge=1)] | None = Field(
        None, description="Like the passage on this line of the note"
    )
    limit: Limit = 10
    unlinked: Flag = Field(default=False, description="Leave out notes that are linked already")
    links: Share = Field(0.0, description="How much being near by links counts beside it")
    direction: Direction = Field("both", description="Along links, against them, or either way")
    decay: Share = Field(0.5, description="What the second hop along links counts of the first")
    explain: Flag = Field(default=False, description="Report every stage of the search")

    def request(self) -> SimilarRequest:
        """Form the engine's request."""
        return SimilarRequest(
            path=self.path,
            heading=self.heading,
            line=self.line,
            limit=self.limit,
            unlinked=self.unlinked,
            links=self.links,
            direction=self.direction,
            decay=self.decay,
            explain=self.explain,
        )


class SimilarTextAsked(VaultAsked):
    """`POST /api/similar`."""

    text: str = Field(description="Text to find notes like")
    limit: Limit = 10
    explain: bool = Field(default=False, description="Report every stage of the search")

    def request(self) -> SimilarRequest:
        """Form the engine's request."""
        return SimilarRequest(text=self.text, limit=self.limit, explain=self.explain)


class NoteAsked(VaultAsked):
    """`GET /api/note`."""

    path: NotePath


class LedgerAsked(VaultAsked):
    """`GET /api/ledger`."""

    state: LedgerState | None = Field(None, description="Only files in this state")
    path: NotePath | None = Field(None, description="Only this file, with the rule that decides")


class ReindexAsked(VaultAsked):
    """`POST /api/reindex`."""

    full: bool = Field(default=False, description="Read every note again, changed or not")
    paths: list[NotePath] = Field(
        default_factory=list, description="Only these notes; empty means all that changed"
    )


class EventsAsked(VaultAsked):
    """`GET /api/events`."""

    headers: ClassVar[Mapping[str, str]] = {"after": hdrs.LAST_EVENT_ID}
    after: Annotated[int, Field(ge=0)] | None = Field(
        None, description="Id of the last event seen; also as the header Last-Event-ID"
    )
