"""One function a route: from a checked request to a reply. Nothing here blocks the event loop."""

from __future__ import annotations

from recollect import API_VERSION
from recollect.replies import (
    AcceptedReply,
    HealthReply,
    LedgerReply,
    NoteReply,
    SearchReply,
    StatusReply,
    VaultsReply,
)
from recollect.web.schema import (
    Asked,
    LedgerAsked,
    NoteAsked,
    ReindexAsked,
    SearchAsked,
    SimilarAsked,
    SimilarTextAsked,
    VaultAsked,
)
from recollect.web.site import Site


async def health(site: Site, _asked: Asked) -> HealthReply:
    """Say that the server is there; tells nothing of a vault."""
    return HealthReply(status="ok", version=site.version, api=API_VERSION, features=site.features)


async def vaults(site: Site, _asked: Asked) -> VaultsReply:
    """List the known vaults."""
    return await site.known_vaults()


async def status(site: Site, asked: VaultAsked) -> StatusReply:
    """Report where a vault's index stands."""
    engine = site.engine(asked.vault)
    return await engine.call(engine.status)


async def search(site: Site, asked: SearchAsked) -> SearchReply:
    """Find notes."""
    engine = site.engine(asked.vault)
    return await engine.call(engine.search, asked.request())


async def similar(site: Site, asked: SimilarAsked | SimilarTextAsked) -> SearchReply:
    """Find notes like a note or a text."""
    engine = site.engine(asked.vault)
    return await engine.call(engine.similar, asked.request())


async def note(site: Site, asked: NoteAsked) -> NoteReply:
    """Show a note with all that is known of it."""
    engine = site.engine(asked.vault)
    return await engine.call(engine.note, asked.path)


async def ledger(site: Site, asked: LedgerAsked) -> LedgerReply:
    """Show what became of each file."""
    engine = site.engine(asked.vault)
    return await engine.call(engine.ledger, state=asked.state, path=asked.path)


async def reindex(site: Site, asked: ReindexAsked) -> AcceptedReply:
    """Queue a look at the vault."""
    engine = site.engine(asked.vault)
    return await engine.call(engine.reindex, full=asked.full, paths=tuple(asked.paths))
