"""What callers may ask about a vault as a whole; each model forms the question of its name."""

from __future__ import annotations

from typing import Annotated, ClassVar

from pydantic import Field

from notewell.contract import questions
from notewell.contract.questions import (
    MAX_HOPS,
    DatedBy,
    Direction,
    Granularity,
    HubOrder,
    Question,
)
from notewell.types import MAX_QUERY_CHARS
from notewell.web.request_models import Flag, Limit, NotePath, QueryText, Share, VaultAsked

Daily = Annotated[Flag, Field(description="Whether daily notes take part")]
NoteName = Annotated[NotePath, Field(description="Path of a note, or its name as in a link")]


class ExploreAsked(VaultAsked):
    """A question; `asks` is the record that it becomes, field by field."""

    asks: ClassVar[type[Question]]

    def question(self) -> Question:
        """Form the engine's question."""
        return self.asks(**self.model_dump(exclude={"vault"}))


class NeighborsAsked(ExploreAsked):
    """`GET /api/graph/neighbors`."""

    asks = questions.NeighborsQuestion
    path: NoteName
    hops: Annotated[int, Field(ge=1, le=MAX_HOPS, description="How many links away at most")] = 1
    direction: Direction = Field("both", description="Along links, against them, or either way")
    decay: Annotated[
        float, Field(gt=0, le=1, allow_inf_nan=False, description="What each hop leaves of a score")
    ] = 0.5
    limit: Limit = 100
    daily: Daily = True


class NeighborhoodAsked(ExploreAsked):
    """`GET /api/graph/neighborhood`."""

    asks = questions.NeighborhoodQuestion
    path: NoteName | None = Field(None, description="Around this note; else of the whole vault")
    hops: Annotated[int, Field(ge=1, le=MAX_HOPS, description="How many links away at most")] = 2
    limit: Annotated[int, Field(ge=1, le=5000, description="How many notes at most")] = 300
    similar: Flag = Field(default=True, description="Whether likeness is told as well")
    daily: Daily = True


class PathAsked(ExploreAsked):
    """`GET /api/graph/path`."""

    asks = questions.PathQuestion
    source: NoteName
    target: NoteName
    directed: Flag = Field(default=False, description="Only along links, not against them")
    daily: Daily = True


class HubsAsked(ExploreAsked):
    """`GET /api/graph/hubs`."""

    asks = questions.HubsQuestion
    by: HubOrder = Field("links", description="By how many link there, or by PageRank")
    limit: Limit = 10
    daily: Daily = True


class GraphStatsAsked(ExploreAsked):
    """`GET /api/graph/stats`."""

    asks = questions.GraphStatsQuestion
    daily: Daily = True


class BridgesAsked(ExploreAsked):
    """`GET /api/graph/bridges`."""

    asks = questions.BridgesQuestion
    limit: Limit = 10
    daily: Daily = True


class CommunitiesAsked(ExploreAsked):
    """`GET /api/graph/communities`."""

    asks = questions.CommunitiesQuestion
    path: NoteName | None = Field(None, description="Only the community of this note")
    limit: Limit = 10
    members: Annotated[int, Field(ge=1, le=1000, description="Notes shown of each")] = 5
    daily: Daily = True


class OrphansAsked(ExploreAsked):
    """`GET /api/graph/orphans`."""

    asks = questions.OrphansQuestion
    limit: Limit = 100
    daily: Daily = True


class DanglingAsked(ExploreAsked):
    """`GET /api/graph/dangling`."""

    asks = questions.DanglingQuestion
    limit: Limit = 100
    daily: Daily = True


class MissingLinksAsked(ExploreAsked):
    """`GET /api/graph/missing`."""

    asks = questions.MissingLinksQuestion
    path: NoteName | None = Field(None, description="Only links of this note")
    limit: Limit = 10
    daily: Daily = True


class ArchaeologyAsked(ExploreAsked):
    """`GET /api/archaeology`."""

    asks = questions.ArchaeologyQuestion
    q: QueryText = Field(
        description="The topic, as a query", json_schema_extra={"maxLength": MAX_QUERY_CHARS}
    )
    limit: Limit = 200
    min_score: Share | None = Field(None, description="From which score a note is about the topic")
    by: DatedBy = Field("auto", description="Which of a note's dates counts")
    granularity: Granularity = "auto"


class CompleteAsked(ExploreAsked):
    """`GET /api/complete`."""

    asks = questions.CompleteQuestion
    prefix: QueryText = Field(
        "",
        description="The query up to the cursor",
        json_schema_extra={"maxLength": MAX_QUERY_CHARS},
    )
    limit: Limit = 10
