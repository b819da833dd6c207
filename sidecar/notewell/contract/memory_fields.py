"""What the fields of questions about memories may hold, for the doors that check them by model.

HTTP and the tools of assistants each describe the questions in their own words, and bound what
has a name here alike.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from notewell.contract.memory_requests import MAX_CONTENT_CHARS, MAX_DEPTH

Content = Annotated[str, Field(min_length=1, max_length=MAX_CONTENT_CHARS)]
Title = Annotated[str, Field(max_length=200)]
Comment = Annotated[str, Field(max_length=1000)]
Provenance = Annotated[
    str | None,
    Field(max_length=1000, description="Where it comes from: a note, a person, a conversation"),
]
Namespace = Annotated[str, Field(pattern=r"^\w[\w .-]{0,63}$")]
Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
Depth = Annotated[int, Field(ge=0, le=MAX_DEPTH, description="How many relations to follow")]
Limit = Annotated[int, Field(ge=1, le=1000)]
Helped = Annotated[bool, Field(description="Whether it helped")]
Force = Annotated[bool, Field(description="Delete it even if it is a golden rule")]
