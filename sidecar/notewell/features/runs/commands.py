"""`notewell runs`: what works on a vault, what did, and what comes next; and its tools."""

from __future__ import annotations

from typing import Annotated

from notewell.api.commands import Say, Table, asking, current_invocation, group, show_run
from notewell.api.requests import Doc
from notewell.api.tools import Document, Tool, ToolContext, pick, tool_of
from notewell.api.types import Ge, Le, frozen
from notewell.contract.status import CancelRun, RunId, RunRequest, RunsReply, RunsRequest
from notewell.doors.cli.output import local_time
from notewell.doors.cli.run_progress import counts_text
from notewell.doors.mcp.tool import Arguments


def _say_next(reply: RunsReply) -> None:
    for due in reply.next:
        current_invocation().say(f"next {due.what}: {local_time(due.at)}")


runs = group(
    "runs",
    """Show what works on a vault, and what did: the last 100 runs are known.

    Indexing, checks of the whole vault, the extraction and care of gleanings, plans of the gardener
    and synchronisation are runs. The settings `schedule.*` start them at their times.
    """,
    asking(
        "list",
        RunsRequest,
        "List the newest runs, and what is due next.",
        Table(
            "runs",
            {
                ">id": "{id}",
                "run": "{kind}",
                "started by": "{trigger}",
                "started": "{started:time}",
                "result": "{result}",
                "what": counts_text,
            },
        ),
        _say_next,
        Say("{runs:count run}"),
        options=("limit",),
    ),
    asking(
        "show",
        RunRequest,
        "Show one run: what started it, what it did, its first errors.",
        show_run,
        arguments={"id": "ID"},
    ),
    asking(
        "cancel",
        CancelRun,
        "Stop a run at its next item; what it has done stays.",
        show_run,
        arguments={"id": "ID"},
    ),
)


# The tools of assistants.

_SHOWN = ("id", "kind", "trigger", "started", "ended", "result", "counts")


@frozen
class RunsArguments:
    """Arguments of the tool `runs`."""

    id: Annotated[RunId, Doc("Only this run")] | None = None
    limit: Annotated[int, Ge(1), Le(100)] = 20


def _runs(context: ToolContext, request: RunsArguments) -> Document:
    """Return the newest runs, or one with its errors."""
    if request.id is not None:
        one = context.backend.answer(RunRequest(request.id))
        return {**pick(one, *_SHOWN), "errors": [pick(e, "path", "why") for e in one.errors]}
    reply = context.backend.answer(RunsRequest(request.limit))
    return {
        "runs": [pick(run, *_SHOWN) for run in reply.runs],
        "next": [pick(run, "what", "at") for run in reply.next],
    }


TOOLS = (
    Tool(
        "runs",
        "Runs",
        "What works on a vault, what did, and what is due next.",
        Arguments(RunsArguments),
        _runs,
        cut=("runs", "errors"),
    ),
    tool_of(CancelRun, "Cancel a run", "Stop a run at its next item."),
)
