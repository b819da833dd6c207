"""Runs: what works on a vault as a whole, what did, and what comes next."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

from notewell.base.types.frozen import frozen
from notewell.contract.fields import Doc, Limit, Pattern
from notewell.contract.request import Endpoint, Request, sent_to

RunKind = Literal["index", "reconcile", "extract", "maintain", "plan", "sync", "phone", "table"]
Trigger = Literal["schedule", "manual", "watch", "client"]
RunResult = Literal["running", "done", "cancelled", "failed"]
RunId = Annotated[str, Pattern("^[0-9]{1,15}$"), Doc("Id of the run")]


@frozen
class RunError:
    """Something that went wrong in a run; `path` is the note, None if it was none in particular."""

    path: str | None
    why: str


@frozen
class RunView:
    """One run. `counts` say what it did, by words that depend on `kind`; `errors` are the first."""

    id: str
    kind: RunKind
    trigger: Trigger
    started: str | None
    ended: str | None
    result: RunResult
    counts: Mapping[str, int]
    errors: tuple[RunError, ...]


@frozen
class RunEnd:
    """The end of a run, as it is logged."""

    result: RunResult
    counts: Mapping[str, int]
    errors: tuple[RunError, ...] = ()


@frozen
class NextRun:
    """A run that the schedule has next, while a server runs."""

    what: RunKind
    at: str | None


@frozen
class RunsReply:
    """The runs of a vault, newest first, and those that are due next, the first of them first."""

    vault: str
    runs: tuple[RunView, ...]
    next: tuple[NextRun, ...]


@sent_to(
    Endpoint(
        "GET", "/api/runs", "runs", "What works on a vault, and what did", example={"limit": 20}
    )
)
class RunsRequest(Request[RunsReply]):
    """The newest runs of a vault; the last 100 are known."""

    limit: Limit = 20


@sent_to(
    Endpoint(
        "GET",
        "/api/runs/{id}",
        "run",
        "One run: what started it, what it did, its first errors",
        example={"id": "1"},
    )
)
class RunRequest(Request[RunView]):
    """One run."""

    id: RunId


@sent_to(
    Endpoint(
        "POST",
        "/api/runs/{id}/cancel",
        "cancel_run",
        "Stop a run at its next item; what it has done stays",
        status=202,
        example={"id": "1"},
    )
)
class CancelRun(Request[RunView]):
    """Stop a run at its next item; one that has ended stays as it is."""

    id: RunId


REQUESTS = (RunsRequest, RunRequest, CancelRun)
