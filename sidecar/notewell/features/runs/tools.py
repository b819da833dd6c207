"""Tools about runs: what works on a vault, what did, and stopping it."""

from __future__ import annotations

from pydantic import Field

from notewell.contract.status import CancelRun, RunRequest, RunsRequest
from notewell.doors.mcp.tool import BudgetedRequest, Document, Tool, ToolContext, asking, pick

_SHOWN = ("id", "kind", "trigger", "started", "ended", "result", "counts")


class RunsToolRequest(BudgetedRequest):
    """The request of `runs`."""

    id: str | None = Field(None, pattern="^[0-9]{1,15}$", description="Only this run")
    limit: int = Field(20, ge=1, le=100)


def runs(context: ToolContext, request: RunsToolRequest) -> Document:
    """Return the newest runs, or one with its errors."""
    if request.id is not None:
        one = context.backend.answer(RunRequest(request.id))
        return {**pick(one, *_SHOWN), "errors": [pick(e, "path", "why") for e in one.errors]}
    reply = context.backend.answer(RunsRequest(request.limit))
    return {
        "runs": [pick(one, *_SHOWN) for one in reply.runs],
        "next": [pick(one, "what", "at") for one in reply.next],
    }


TOOLS = (
    Tool(
        "runs",
        "Runs",
        "What works on a vault, what did, and what is due next.",
        RunsToolRequest,
        runs,
        cut=("runs", "errors"),
    ),
    asking(CancelRun, "Cancel a run", "Stop a run at its next item."),
)
