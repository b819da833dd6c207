"""What those who look after a server may ask."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from notewell.web.request_models import VaultAsked

Text = Annotated[str, Field(max_length=4096)]
Scalar = bool | int | float | Text
Value = (
    Scalar
    | Annotated[list[Text], Field(max_length=1000)]
    | Annotated[dict[Text, Scalar], Field(max_length=1000)]
    | None
)


class StatsAsked(VaultAsked):
    """`GET /api/stats`."""

    limit: Annotated[int, Field(ge=1, le=1000, description="How many names a list has")] = 50


class ConfigAsked(VaultAsked):
    """`GET /api/config`."""

    section: Annotated[str, Field(max_length=64)] | None = Field(
        None, description="Only settings of this section, such as search"
    )


class ConfigChangesAsked(VaultAsked):
    """`PATCH /api/config`."""

    changes: Annotated[dict[str, Value], Field(min_length=1, max_length=200)] = Field(
        description="Settings by their keys, such as search.passages; null takes one out of the"
        " file again"
    )
