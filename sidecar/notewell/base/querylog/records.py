"""The records of the log, and when two queries are equal or one continues the other."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

from notewell.base.types import SearchMode, Verdict

BURST_SECONDS = 4.0  # between two searches of one typed query


@dataclass(frozen=True, slots=True)
class Query:
    """An answered search; `results` are the first paths with their scores, `at` POSIX seconds."""

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
    """A result that a person opened. `rank` counts from 1; None: unknown.

    `pin` identifies the note after its path changed; its form is up to the caller.
    """

    at: float
    query: str
    path: str
    pin: str = ""
    rank: int | None = None
    query_id: str | None = None


@dataclass(frozen=True, slots=True)
class Judged:
    """A person's verdict on a note as a result for a query; `pin` as in `Opened`."""

    at: float
    query: str
    path: str
    verdict: Verdict
    pin: str = ""


@dataclass(frozen=True, slots=True)
class Judgements:
    """All opened results and verdicts, oldest first."""

    opened: tuple[Opened, ...]
    verdicts: tuple[Judged, ...]


def storable(text: str) -> str:
    """`text` as SQLite can store it: lone surrogates become question marks."""
    return text.encode("utf-8", "replace").decode("utf-8")


def fold(text: str) -> str:
    """The form in which queries are compared: without differences of case and spacing.

    Decomposed (NFKD), so that the form of a text being typed is a prefix of the next one's, also
    when `e` becomes `é` or a Korean syllable grows.
    """
    decomposed = unicodedata.normalize("NFKD", storable(text)).casefold()
    return " ".join(unicodedata.normalize("NFKD", decomposed).split())


def continues(earlier: Query, later: Query) -> bool:
    """Whether `later` is `earlier` typed further or repeated at once, and replaces it."""
    soon = 0 <= later.at - earlier.at <= BURST_SECONDS
    return soon and earlier.door == later.door and fold(later.text).startswith(fold(earlier.text))
