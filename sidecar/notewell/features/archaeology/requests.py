"""A topic over time.

Next to a list, `total` is the number of all items, regardless of `limit`.
"""

from __future__ import annotations

from typing import Annotated, Literal

from notewell.api.requests import Doc, Endpoint, Limit, Request, SearchText, request_to
from notewell.api.types import frozen
from notewell.base.types import DateSource
from notewell.contract.fields import Share

DatedBy = Literal["auto", "created", "modified"]
Granularity = Literal["auto", "day", "week", "month"]


@frozen
class DatedNote:
    """A note about the topic and its date; `dated_by` says where the date is from.

    `daily`: it is the daily note of that date; `created` and `modified`: its properties; `name`: a
    date in the name of its file; `file`: the times of its file.
    """

    date: str
    dated_by: DateSource
    path: str
    title: str
    heading: str | None
    line: int
    snippet: str
    score: float
    uri: str


@frozen
class Bucket:
    """A day, a week (from Monday) or a month with notes in it; both days are included."""

    start: str
    end: str
    count: int


@frozen
class Interval:
    """A time of activity without a gap, from its first note's day to its last note's."""

    start: str
    end: str
    count: int


@frozen
class Gap:
    """A long pause between two intervals: the days without a note."""

    start: str
    end: str
    days: int


@frozen
class Peak:
    """A bucket with unusually many notes, most relevant notes first."""

    start: str
    end: str
    count: int
    notes: tuple[DatedNote, ...]


@frozen
class ArchaeologyReply:
    """A topic over time. Days are dates without a time: 2026-03-02.

    `total` notes score at least `min_score`; `notes` are those that have a day, oldest first;
    `buckets` are those with notes in them. `peaks` come strongest first.
    """

    query: str
    vault: str
    generation: int
    by: Literal["auto", "created", "modified"]
    granularity: Literal["day", "week", "month"]
    min_score: float
    total: int
    undated: int
    first: str | None
    last: str | None
    intervals: tuple[Interval, ...]
    gaps: tuple[Gap, ...]
    peaks: tuple[Peak, ...]
    buckets: tuple[Bucket, ...]
    notes: tuple[DatedNote, ...]
    warnings: tuple[str, ...]


@request_to(
    Endpoint(
        "GET",
        "/api/archaeology",
        "archaeology",
        "When a topic was written about",
        example={"q": "bees", "granularity": "month"},
    )
)
class ArchaeologyRequest(Request[ArchaeologyReply]):
    """A topic over time: the results of a search by their dates."""

    q: Annotated[SearchText, Doc("The topic, as a query")]
    limit: Limit = 200
    min_score: Annotated[
        Share | None, Doc("Lowest score of a note about the topic; the best note has 1")
    ] = None
    weak: Annotated[bool, Doc("Count notes that hardly match the topic")] = False
    by: Annotated[DatedBy, Doc("Which date of a note counts")] = "auto"
    granularity: Annotated[Granularity, Doc("Time span of one bucket")] = "auto"


REQUESTS = (ArchaeologyRequest,)
