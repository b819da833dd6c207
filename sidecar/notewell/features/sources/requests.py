"""Sources of notes that are no folder vault: Roam, Logseq, exports of other programs."""

from __future__ import annotations

from typing import Annotated, Literal

from notewell.api.requests import Doc, Endpoint, Pattern, Request, request_to
from notewell.api.types import MaxLen, MinLen, frozen

SourceKind = Literal["import", "roam", "logseq"]
SourceStatus = Literal["new", "ready", "incomplete", "held", "failed"]

_Id = Annotated[str, Pattern(r"^[^/\x00-\x1f]{1,200}$"), Doc("Id or name of the source")]


@frozen
class SourceView:
    """A source: the vault that its notes are in, and how the last sync ended.

    `state` is `new` before the first sync, `incomplete` where some pages could not be read, `held`
    where so many pages are missing that a person has to confirm it, and `failed` with an `error`.
    `held` counts those pages. `place` is the file, folder or graph.
    """

    id: str
    name: str
    kind: SourceKind
    vault: str
    place: str
    last: str | None
    state: SourceStatus
    error: str | None
    held: int


@frozen
class SourcesReply:
    """All sources."""

    sources: tuple[SourceView, ...]


@frozen
class SourceSyncReply:
    """A sync that has begun: `GET /api/runs/{run}` of the vault tells how far it is."""

    vault: str
    run: str


@request_to(
    Endpoint(
        "GET", "/api/sources", "sources", "Sources of notes that are no folder", of_vault=False
    )
)
class SourcesRequest(Request[SourcesReply]):
    """The sources of notes that are no folder vault."""


@request_to(
    Endpoint(
        "POST",
        "/api/sources",
        "add_source",
        "Add an export or a Logseq graph as a vault that is only read",
        changes=True,
        required_scope="admin",
        of_vault=False,
        example={"place": "/home/ada/Roam.json"},
    )
)
class AddSource(Request[SourceView]):
    """Add an export, or the folder of a Logseq graph, as a vault that is only read.

    Over HTTP it has to lie below a folder of the setting `documents.allow`. The notes are read by
    a sync.
    """

    place: Annotated[
        str, MinLen(1), MaxLen(4096), Doc("The whole path of a file or folder on the server")
    ]
    name: Annotated[str, MaxLen(100), Doc("Name of the vault; by default that of the file")] = ""
    graph: Annotated[str, MaxLen(100), Doc("Name of the graph, for links that open it")] = ""


@request_to(
    Endpoint(
        "POST",
        "/api/sources/{id}/sync",
        "sync_source",
        "Bring the notes of a source up to date",
        status=202,
        rate_class="heavy",
        of_vault=False,
        example={"id": "Roam"},
    )
)
class SyncSource(Request[SourceSyncReply]):
    """Bring the notes of a source up to date, in the background."""

    id: _Id
    remove_missing: Annotated[
        bool, Doc("Remove pages that are gone, also if they are very many")
    ] = False


@request_to(
    Endpoint(
        "DELETE",
        "/api/sources",
        "remove_source",
        "Forget a source with its notes here",
        changes=True,
        required_scope="admin",
        of_vault=False,
        example={"id": "Roam"},
    )
)
class RemoveSource(Request[SourcesReply]):
    """Forget a source with its notes here and their index. What they came from stays."""

    id: _Id


REQUESTS = (SourcesRequest, AddSource, SyncSource, RemoveSource)
