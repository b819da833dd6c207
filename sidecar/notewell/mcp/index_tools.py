"""Tools that change an index: reindex, index_paths, index_remove. Each begins a job.

None of them writes to the vault. An index always follows its folder, so what is removed from the
index is what is no longer there.
"""

from __future__ import annotations

from pydantic import Field

from notewell.contract.changes import ReindexRequest
from notewell.contract.status import LedgerRequest, StatusRequest
from notewell.mcp.jobs import progress
from notewell.mcp.tool import Asked, Desk, Document, Tool, read

_MORE = "vault_status with this `job` says how far it is."


class ReindexAsked(Asked):
    """`reindex`."""

    full: bool = Field(default=False, description="Read every note again, changed or not")


class PathsAsked(Asked):
    """`index_paths` and `index_remove`."""

    paths: list[str] = Field(
        min_length=1, max_length=1000, description="Paths of notes or folders in the vault"
    )


def reindex(desk: Desk, asked: ReindexAsked) -> Document:
    """Have the index look at the whole vault."""
    desk.answers.document(ReindexRequest(full=asked.full))
    return _begun(desk, "reindex")


def index_paths(desk: Desk, asked: PathsAsked) -> Document:
    """Have the index look at some places first."""
    desk.answers.document(ReindexRequest(paths=tuple(asked.paths)))
    return _begun(desk, "index_paths")


def index_remove(desk: Desk, asked: PathsAsked) -> Document:
    """Take what is gone from the folder out of the index; what is still there stays."""
    rows = [
        read(desk.answers.document(LedgerRequest(path=path)))["entries"] for path in asked.paths
    ]
    there = [
        path
        for path, entries in zip(asked.paths, rows, strict=True)
        if any(one["state"] in {"indexed", "keyword_only"} for one in entries)
    ]
    desk.answers.document(ReindexRequest(paths=tuple(asked.paths)))
    begun = _begun(desk, "index_remove")
    kept = (
        "Of these, those that are still in the vault's folder stay in the index: it follows the"
        " folder. The setting vault.exclude keeps notes out of it."
    )
    return {**begun, "indexed_now": there, "hint": f"{kept} {_MORE}"}


def _begun(desk: Desk, kind: str) -> Document:
    job = desk.jobs.begin(kind, desk.vault)
    return {"job": progress(job, read(desk.answers.document(StatusRequest()))), "hint": _MORE}


TOOLS = (
    Tool(
        "reindex",
        "Index the vault again",
        "Look at the whole vault again and index what changed. Gives a job.",
        ReindexAsked,
        reindex,
        writes=True,
    ),
    Tool(
        "index_paths",
        "Index some notes",
        "Look at some notes or folders again, before anything else. Gives a job.",
        PathsAsked,
        index_paths,
        writes=True,
    ),
    Tool(
        "index_remove",
        "Remove from the index",
        "Take notes or folders that are gone out of the index. Files are not touched. Gives a job.",
        PathsAsked,
        index_remove,
        writes=True,
        destructive=True,
    ),
)
