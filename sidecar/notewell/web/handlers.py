"""One function a request: from a checked request to a reply. Nothing here blocks the event loop.

Most requests are answered by the engine of their vault; those that concern the server are here.
"""

from __future__ import annotations

from typing import Any, TypeVar

from notewell import API_VERSION
from notewell.contract.request import Request
from notewell.contract.search import SearchReply, SearchRequest
from notewell.contract.server import (
    EventsRequest,
    HealthReply,
    HealthRequest,
    MetricsRequest,
    VaultsReply,
    VaultsRequest,
)
from notewell.engine.answers import IN_ORDER, answer
from notewell.engine.event_stream import EventStream
from notewell.web.metrics import VaultFigures
from notewell.web.site import Site

R = TypeVar("R")


async def from_engine(site: Site, vault: str | None, request: Request[R]) -> R:
    """Let the vault's engine answer, in one of its reader threads."""
    engine = site.engine(vault)
    call: Any = engine.call_in_order if type(request) in IN_ORDER else engine.call
    reply: R = await call(answer, engine, request)
    return reply


async def search(site: Site, vault: str | None, request: SearchRequest) -> SearchReply:
    """Find notes, and count the search."""
    reply = await from_engine(site, vault, request)
    site.metrics.searched(reply)
    return reply


async def health(site: Site, _vault: str | None, _request: HealthRequest) -> HealthReply:
    """Report that the server is there; tells nothing of a vault."""
    return HealthReply(status="ok", version=site.version, api=API_VERSION, features=site.features)


async def vaults(site: Site, _vault: str | None, _request: VaultsRequest) -> VaultsReply:
    """List the known vaults."""
    return await site.known_vaults()


async def events(site: Site, vault: str | None, request: EventsRequest) -> EventStream:
    """Follow what happens to a vault."""
    return site.engine(vault).follow(after=request.after)


async def metrics(site: Site, _vault: str | None, _request: MetricsRequest) -> str:
    """Give the figures of this server and of its open vaults."""
    figures = []
    for record in site.vaults.served():
        hold = site.vaults.held(record)
        if hold is not None:
            with hold as engine:
                figures.append(VaultFigures(await engine.call(engine.status), engine.tally()))
    return site.metrics.page(figures)
