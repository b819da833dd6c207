"""Runs: what works on a vault as a whole, from its start to its end."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from notewell.base.types.frozen import frozen

RunKind = Literal["index", "reconcile", "extract", "maintain", "plan", "sync", "phone"]
Trigger = Literal["schedule", "manual", "watch", "client"]
RunResult = Literal["running", "done", "cancelled", "failed"]


@frozen
class RunProblem:
    """Something that went wrong in a run; `path` is the note, None if it was none in particular."""

    path: str | None
    why: str


@frozen
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


@frozen
class RunEnd:
    """How a run ended."""

    result: RunResult
    counts: Mapping[str, int]
    errors: tuple[RunProblem, ...] = ()
