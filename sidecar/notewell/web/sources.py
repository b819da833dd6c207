"""Sources of notes that are no folder vault, over HTTP: listed, added, synced, removed."""

from __future__ import annotations

import asyncio

from notewell.contract.sources import (
    AddSource,
    RemoveSource,
    SourcesReply,
    SourcesRequest,
    SourceSyncReply,
    SourceView,
    SyncSource,
)
from notewell.engine.answers import answer
from notewell.web.site import Site


async def sources(site: Site, _vault: str | None, _request: SourcesRequest) -> SourcesReply:
    """List all sources."""
    return await asyncio.to_thread(site.vaults.sources.reply)


async def add(site: Site, _vault: str | None, request: AddSource) -> SourceView:
    """Make a source known and serve it; it has to lie where a person allowed."""
    return await asyncio.to_thread(site.vaults.sources.add, request)


async def sync(site: Site, _vault: str | None, request: SyncSource) -> SourceSyncReply:
    """Begin to bring a source up to date; its vault is opened for that."""
    record = await asyncio.to_thread(site.vaults.sources.find, request.id)
    async with site.holding(record.id):
        engine = site.engine(record.id)
        return await engine.call(answer, engine, request)


async def remove(site: Site, _vault: str | None, request: RemoveSource) -> SourcesReply:
    """Forget a source with its notes here."""
    return await asyncio.to_thread(site.vaults.sources.remove, request.id)
