"""What callers may tell and ask of the log of searches."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import AwareDatetime, BeforeValidator, Field, model_validator

from notewell.types import MAX_QUERY_CHARS, Verdict
from notewell.web.request_models import NotePath, QueryText, VaultAsked

LoggedQuery = Annotated[
    QueryText, Field(pattern=r"\S", json_schema_extra={"maxLength": MAX_QUERY_CHARS})
]


class OpenedAsked(VaultAsked):
    """`POST /api/opened`."""

    path: NotePath
    query_id: Annotated[str, Field(max_length=64)] | None = Field(
        None, description="Of the search reply that the result stood in"
    )
    q: LoggedQuery | None = Field(None, description="What was searched for, where it has no id")
    rank: Annotated[int, Field(ge=1, le=1_000_000)] | None = Field(
        None, description="Place of the result, from 1"
    )

    @model_validator(mode="after")
    def _names_a_search(self) -> Self:
        if self.query_id is None and self.q is None:
            raise ValueError("say of which search: send `query_id`, or `q`")
        return self


class VerdictAsked(VaultAsked):
    """`POST /api/verdict`."""

    q: LoggedQuery = Field(description="The query, as it was asked")
    path: NotePath
    verdict: Verdict | Literal["clear"] = Field(description="`clear` takes an earlier one back")


def _written_out(value: object) -> object:
    if isinstance(value, str) and "-" not in value[1:]:  # else a number would be taken for seconds
        raise ValueError("write a time as 2026-03-02T10:00:00Z")
    return value


Time = Annotated[AwareDatetime, Field(strict=False), BeforeValidator(_written_out)]


class LogAsked(VaultAsked):
    """`GET /api/log`."""

    limit: Annotated[int, Field(ge=1, le=1000, description="How many searches at most")] = 50
    since: Time | None = Field(None, description="Only searches from this time on")


class LogClearAsked(VaultAsked):
    """`POST /api/log/clear`."""

    keep_verdicts: bool = Field(
        default=False, description="Delete searches and what was opened, not the verdicts"
    )
