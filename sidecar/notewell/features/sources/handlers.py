"""Sources of notes that are no folder vault, over HTTP: listed, added, synced, removed."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from notewell.api.files import allowed_place
from notewell.api.server import Encoded, Handler, Site
from notewell.doors.web.site import from_engine
from notewell.engine.open_vaults import Vaults
from notewell.features.sources.known import find, list_sources, make_known, view
from notewell.features.sources.requests import (
    AddSource,
    RemoveSource,
    SourcesReply,
    SourcesRequest,
    SourceSyncReply,
    SourceView,
    SyncSource,
)


async def sources(site: Site, _vault: str | None, _request: SourcesRequest) -> SourcesReply:
    """List all sources."""
    return await asyncio.to_thread(lambda: list_sources(site.vaults.records()))


async def add(site: Site, _vault: str | None, request: AddSource) -> SourceView:
    """Make a source known and serve it; it has to lie where a person allowed."""
    return await asyncio.to_thread(serve, site.vaults, request)


async def sync(site: Site, _vault: str | None, request: SyncSource) -> Encoded[SourceSyncReply]:
    """Begin to bring a source up to date; its vault is opened for that."""
    record = await asyncio.to_thread(lambda: find(request.id, site.vaults.records()))
    async with site.holding(record.id):
        return await from_engine(site, record.id, request)


async def remove(site: Site, _vault: str | None, request: RemoveSource) -> SourcesReply:
    """Forget a source with its notes here."""
    return await asyncio.to_thread(forget, site.vaults, request.id)


def serve(vaults: Vaults, request: AddSource) -> SourceView:
    """Make a source known to a server and offer it to requests; only allowed places are read.

    Raises what `allowed_place` and `recognised` raise, and UsageError where the name is taken.
    """
    # Loads the readers of all exports; a server that adds none does without.
    from notewell.features.sources.feeds import recognise_source  # noqa: PLC0415

    place = allowed_place(request.place, vaults.common.documents.allow)
    record = make_known(vaults, recognise_source(place, request.graph), request.name)
    vaults.serve_also(record)
    return view(record)


def forget(vaults: Vaults, word: str) -> SourcesReply:
    """Forget a source of a server with its notes here. Raises NotFoundError."""
    record = find(word, vaults.records())
    vaults.serve_no_more(record)
    vaults.remove(record, delete_data=True)
    return list_sources(vaults.records())


HANDLERS: Mapping[type, Handler] = {
    SourcesRequest: sources,
    AddSource: add,
    SyncSource: sync,
    RemoveSource: remove,
}
