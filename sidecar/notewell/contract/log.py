"""What the doors answer about the log of searches; one field per JSON field."""

from __future__ import annotations

from dataclasses import dataclass

from notewell.types import SearchMode, Verdict


@dataclass(frozen=True, slots=True)
class LoggedResult:
    """A result of a search in the log."""

    path: str
    score: float


@dataclass(frozen=True, slots=True)
class LoggedOpen:
    """A result that was opened; `rank` counts from 1, null where nobody knows it."""

    path: str
    rank: int | None
    at: str | None


@dataclass(frozen=True, slots=True)
class LoggedQuery:
    """A search in the log, with its first results and what was opened of them."""

    query_id: str
    at: str | None
    door: str
    query: str
    mode: SearchMode
    took_ms: float
    generation: int
    results: tuple[LoggedResult, ...]
    opened: tuple[LoggedOpen, ...]


@dataclass(frozen=True, slots=True)
class VerdictView:
    """What a person said of a note as the answer to a query."""

    query: str
    path: str
    verdict: Verdict
    at: str | None


@dataclass(frozen=True, slots=True)
class LogReply:
    """The log: how many searches it has, the newest of them, and all verdicts, oldest first."""

    vault: str
    enabled: bool
    total: int
    entries: tuple[LoggedQuery, ...]
    verdicts: tuple[VerdictView, ...]


@dataclass(frozen=True, slots=True)
class OpenedReply:
    """Whether it was kept that a result was opened, and why not."""

    recorded: bool
    reason: str | None


@dataclass(frozen=True, slots=True)
class VerdictReply:
    """The verdict that holds for a note and a query now; null: none."""

    query: str
    path: str
    verdict: Verdict | None


@dataclass(frozen=True, slots=True)
class ClearedReply:
    """How many entries of each kind were deleted from the log."""

    queries: int
    opened: int
    verdicts: int
