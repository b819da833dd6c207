"""`notewell runs`: what works on a vault, what did, and what comes next."""

from __future__ import annotations

from notewell.contract.status import CancelRun, RunRequest, RunsReply, RunsRequest
from notewell.doors.cli.asking import Say, Table, asking, group
from notewell.doors.cli.options import current_invocation
from notewell.doors.cli.output import local_time
from notewell.doors.cli.progress import counts_text, show_run


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
