"""Runs: what works on a vault as a whole, from its start to its end."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

RunKind = Literal["index", "reconcile", "extract", "maintain", "plan", "sync", "phone"]
Trigger = Literal["schedule", "manual", "watch", "client"]
RunResult = Literal["running", "done", "cancelled", "failed"]


@dataclass(frozen=True, slots=True)
class RunProblem:
    """Something that went wrong in a run; `path` is the note, None if it was none in particular."""

    path: str | None
    why: str


@dataclass(frozen=True, slots=True)
class Run:
    """One run. Times are in POSIX seconds; `ended` is None while it runs.

    `counts` say what it did, by words that depend on its kind; `errors` are the first ones.
    """

    id: int
    kind: RunKind
    trigger: Trigger
    started: float
    ended: float | None
    result: RunResult
    counts: Mapping[str, int]
    errors: tuple[RunProblem, ...]


@dataclass(frozen=True, slots=True)
class RunEnd:
    """How a run ended."""

    result: RunResult
    counts: Mapping[str, int]
    errors: tuple[RunProblem, ...] = ()
