"""What the log keeps, and when two queries are the same or one still being typed."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

from notewell.types import SearchMode, Verdict

BURST_SECONDS = 4.0  # between two searches of one typed query


@dataclass(frozen=True, slots=True)
class Query:
    """A search that was answered; `results` are its first paths with their scores."""

    id: str
    at: float
    door: str
    text: str
    mode: SearchMode
    took_ms: float
    generation: int
    results: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True, slots=True)
class Opened:
    """A result that a person opened. `rank` counts from 1, None where nobody knows it.

    `pin` names the note where its path has changed since; what is in it is up to the caller.
    """

    at: float
    query: str
    path: str
    pin: str = ""
    rank: int | None = None
    query_id: str | None = None


@dataclass(frozen=True, slots=True)
class Judged:
    """What a person said of a note as the answer to a query; `pin` as in `Opened`."""

    at: float
    query: str
    path: str
    verdict: Verdict
    pin: str = ""


@dataclass(frozen=True, slots=True)
class Judgements:
    """All that tells which notes answer which queries, oldest first."""

    opened: tuple[Opened, ...]
    verdicts: tuple[Judged, ...]


def storable(text: str) -> str:
    """`text` as a database can hold it: what is no character becomes a question mark."""
    return text.encode("utf-8", "replace").decode("utf-8")


def fold(text: str) -> str:
    """The form in which two queries are the same: letter case and spacing aside.

    Decomposed (NFKD), because a text that is being typed then only grows: `e` and `é`, or the
    parts of a Korean syllable, differ at their ends alone.
    """
    decomposed = unicodedata.normalize("NFKD", storable(text)).casefold()
    return " ".join(unicodedata.normalize("NFKD", decomposed).split())


def continues(earlier: Query, later: Query) -> bool:
    """Whether `later` is `earlier` typed on, or asked again at once: only it is worth keeping."""
    soon = 0 <= later.at - earlier.at <= BURST_SECONDS
    return soon and earlier.door == later.door and fold(later.text).startswith(fold(earlier.text))
