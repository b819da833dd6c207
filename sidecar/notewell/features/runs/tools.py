"""Tools about runs: what works on a vault, what did, and stopping it."""

from __future__ import annotations

from typing import Annotated

from notewell.base.types.frozen import frozen
from notewell.base.types.hints import Ge, Le
from notewell.contract.request import Doc, Pattern
from notewell.contract.status import CancelRun, RunRequest, RunsRequest
from notewell.doors.mcp.tool import Arguments, Document, Tool, ToolContext, pick, tool_of

_SHOWN = ("id", "kind", "trigger", "started", "ended", "result", "counts")


@frozen
class RunsArguments:
    """Arguments of the tool `runs`."""

    id: Annotated[str, Pattern("^[0-9]{1,15}$"), Doc("Only this run")] | None = None
    limit: Annotated[int, Ge(1), Le(100)] = 20


def runs(context: ToolContext, request: RunsArguments) -> Document:
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
        Arguments(RunsArguments, budgeted=True),
        runs,
        cut=("runs", "errors"),
    ),
    tool_of(CancelRun, "Cancel a run", "Stop a run at its next item."),
)
