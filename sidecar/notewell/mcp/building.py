"""An index that is still being built: what is not found in it may yet come."""

from __future__ import annotations

from notewell.contract.status import LedgerRequest, StatusRequest
from notewell.errors import BusyError
from notewell.mcp.tool import Desk, Document, read

# Seconds. Half an index answers more than nothing, so asking again soon makes sense; how long all
# of it will take is a wild guess at the beginning.
_SOONEST, _LATEST = 2.0, 30.0
_UNKNOWN = 5.0
_ENDINGS = ("", ".md")


def refuse_while_building(desk: Desk, path: str | None = None) -> None:
    """Raise BusyError (code "index_building") where not to find something means nothing yet.

    That is while more notes wait than are in the index, and for the note at `path` while it waits.
    """
    status = read(desk.answers.document(StatusRequest()))
    pending = status["queue"]["pending"]
    if status["state"] not in {"starting", "indexing"} or pending == 0:
        return
    if pending > status["notes"] or (path is not None and _waits(desk, path)):
        eta = status["queue"]["eta_s"]
        wait = _UNKNOWN if eta is None else min(max(eta, _SOONEST), _LATEST)
        raise BusyError(
            f"The index of {status['vault']} is being built: {status['notes']:,} notes are in it,"
            f" {pending:,} wait. Ask again in {wait:.0f} s.",
            code="index_building",
            retry_after=wait,
        )


def _waits(desk: Desk, path: str) -> bool:
    entries: list[Document] = [
        entry
        for ending in _ENDINGS
        for entry in read(desk.answers.document(LedgerRequest("pending", f"{path}{ending}")))[
            "entries"
        ]
    ]
    return bool(entries)
