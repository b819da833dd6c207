"""One function a request: from a checked request to a reply. Nothing here blocks the event loop.

Most requests are answered by the engine of their vault; those that concern the server are here.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

from notewell import API_VERSION
from notewell.base.errors import (
    ConfigError,
    ForbiddenError,
    NotewellError,
    NotFoundError,
    UsageError,
)
from notewell.base.types import Settings, VaultRecord
from notewell.contract import manage as replies
from notewell.contract.codec import to_json
from notewell.contract.request import Request
from notewell.contract.search import SearchReply, SearchRequest
from notewell.contract.server import (
    AddVault,
    EventsRequest,
    HealthReply,
    HealthRequest,
    MetricsRequest,
    RemoveVault,
    VaultsReply,
    VaultsRequest,
)
from notewell.doors.web.auth import CALLER
from notewell.doors.web.metrics import VaultFigures
from notewell.doors.web.site import Site
from notewell.engine.answers import IN_ORDER, QUICK, answer
from notewell.engine.configuration import Configuration
from notewell.engine.engine import Engine
from notewell.engine.event_loop import EventStream
from notewell.engine.model_suggestions import service_host
from notewell.engine.several_vaults import VaultAnswer, merged
from notewell.engine.vaults.opened import Vaults
from notewell.models.catalogue import CATALOGUE, ModelSpec
from notewell.models.fetch import locate

R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Encoded(Generic[R]):
    """A reply and its JSON."""

    reply: R
    body: bytes


async def from_engine(site: Site, vault: str | None, request: Request[R]) -> Encoded[R]:
    """Answer by the vault's engine, in one of its threads; the reply is encoded there as well."""
    engine = site.engine(vault)
    kind = type(request)
    call: Any = engine.threads.call
    if kind in QUICK:
        call = engine.threads.call_quickly
    elif kind in IN_ORDER:
        call = engine.threads.call_in_order
    encoded: Encoded[R] = await call(_encoded, engine, request)
    return encoded


def _encoded(engine: Engine, request: Request[R]) -> Encoded[R]:
    reply = answer(engine, request)
    return Encoded(reply, to_json(reply))


async def search(site: Site, vault: str | None, request: SearchRequest) -> Encoded[SearchReply]:
    """Find notes, and count the search."""
    chosen = site.several(vault)
    if chosen:
        reply = merged(await _each(site, chosen, request), request.limit)
        found = Encoded(reply, await asyncio.to_thread(to_json, reply))
    else:
        found = await from_engine(site, vault, request)
    site.metrics.searched(found.reply)
    return found


async def _each(
    site: Site, chosen: Sequence[VaultRecord], request: SearchRequest
) -> tuple[VaultAnswer, ...]:
    """What each vault answers, or the problem of one that cannot."""
    replies = await asyncio.gather(
        *(_of_vault(site, record, request) for record in chosen), return_exceptions=True
    )
    parts = []
    for record, reply in zip(chosen, replies, strict=True):
        if isinstance(reply, NotewellError):
            parts.append(VaultAnswer(record.name, None, reply))
        elif isinstance(reply, BaseException):
            raise reply
        else:
            parts.append(VaultAnswer(record.name, reply))
    return tuple(parts)


async def _of_vault(site: Site, record: VaultRecord, request: SearchRequest) -> SearchReply:
    async with site.holding(record.id):
        return (await from_engine(site, record.id, request)).reply


async def health(site: Site, _vault: str | None, _request: HealthRequest) -> HealthReply:
    """Report that the server is running; says nothing about vaults."""
    return HealthReply(status="ok", version=site.version, api=API_VERSION, features=site.features)


async def vaults(site: Site, _vault: str | None, _request: VaultsRequest) -> VaultsReply:
    """List the known vaults."""
    return await site.known_vaults()


async def events(site: Site, vault: str | None, request: EventsRequest) -> EventStream:
    """Follow what happens to a vault."""
    return site.engine(vault).follow(after=request.after)


async def metrics(site: Site, _vault: str | None, _request: MetricsRequest) -> str:
    """Return the metrics of this server and of its open vaults."""
    figures = []
    for record in site.vaults.served():
        hold = site.vaults.held(record)
        if hold is not None:
            with hold as engine:
                status = await engine.threads.call_quickly(engine.status)
                figures.append(VaultFigures(status, engine.tally()))
    return site.metrics.page(figures)


async def session(
    _site: Site, _vault: str | None, _request: replies.SessionRequest
) -> replies.SessionReply:
    """Return name and scope of the caller."""
    caller = CALLER.get()
    return replies.SessionReply(caller.name, caller.scope)


async def models(
    site: Site, vault: str | None, _request: replies.ModelsRequest
) -> replies.CatalogueReply:
    """List the models of the catalogue."""
    engine = site.engine(vault)
    settings = site.vaults.settings(engine.record)
    status = await engine.threads.call_quickly(engine.status)
    views = await asyncio.to_thread(_views, settings)
    return replies.CatalogueReply(engine.record.name, settings.model.name, status.model, views)


async def config(
    site: Site, vault: str | None, request: replies.ConfigRequest
) -> replies.ConfigReply:
    """Show the settings."""
    section = f"{request.section}." if request.section is not None else ""
    return await asyncio.to_thread(_config, site, vault, lambda key: key.startswith(section))


async def change_config(
    site: Site, vault: str | None, request: replies.ChangeConfigRequest
) -> replies.ConfigReply:
    """Change settings in the configuration file."""
    changes = request.changes
    if site.configuration is None:
        raise ConfigError("this server was started without a configuration file to change")
    folder = site.record(vault).path
    await asyncio.to_thread(_change_config, site.vaults, site.configuration, changes, folder)
    return await asyncio.to_thread(_config, site, vault, changes.__contains__)


async def allow_host(
    site: Site, vault: str | None, request: replies.AllowHostRequest
) -> replies.AllowedHostReply:
    """Allow or forbid sending notes to the host of the vault's service, from now on."""
    if site.configuration is None:
        raise ConfigError("this server was started without a configuration file to change")
    record = site.record(vault)
    rules = site.vaults.settings(record).model
    if request.host != service_host(rules):
        raise UsageError(f"{request.host} is not the host of the configured service.")
    others = tuple(host for host in rules.consent if host != request.host)
    hosts = (*others, request.host) if request.allowed else others
    change = site.configuration.list_item
    await asyncio.to_thread(change, "model.consent", request.host, wanted=request.allowed)
    await asyncio.to_thread(site.vaults.use_consent, hosts)
    return replies.AllowedHostReply(record.name, request.host, request.allowed)


def _change_config(
    vaults: Vaults,
    configuration: Configuration,
    changes: Mapping[str, replies.SettingValue],
    folder: Path,
) -> None:
    """Store the changes, and use at once those that need no restart."""
    vaults.use_sections(configuration.change(changes, folder), configuration.settings)


def _config(site: Site, vault: str | None, among: Callable[[str], bool]) -> replies.ConfigReply:
    record = site.record(vault)
    running = site.vaults.settings(record)
    if site.configuration is None:
        return replies.ConfigReply(record.name, None, restart=False, settings=())
    return site.configuration.reply(record.name, record.path, running, among)


def _views(settings: Settings) -> tuple[replies.CatalogueModel, ...]:
    return tuple(_view(spec, settings) for spec in CATALOGUE)


def _view(spec: ModelSpec, settings: Settings) -> replies.CatalogueModel:
    configured = spec.name == settings.model.name
    own = settings.model.folder if configured else None
    folder = Path(own) if own is not None else None
    return replies.CatalogueModel(
        name=spec.name,
        dimensions=spec.dimensions,
        max_tokens=spec.max_tokens,
        languages=spec.languages,
        licence=spec.licence,
        download_mb=spec.download_mb,
        runtime=spec.runtime,
        configured=configured,
        present=locate(spec, model_dir=settings.model_dir, folder=folder) is not None,
        time=spec.time,
        quality=dict(spec.quality),
    )


async def add_vault(site: Site, _vault: str | None, request: AddVault) -> VaultsReply:
    """Make a folder a vault, offer it to requests, and begin to read it."""
    _check_vaults_may_change(site)
    folder = Path(request.folder)
    if not folder.is_absolute():
        raise UsageError(f"'{folder}' is no whole path; write it from the root or the drive on.")
    record = await asyncio.to_thread(site.vaults.add, folder)
    if record.id not in {one.id for one in site.vaults.served()}:
        site.vaults.serve_also(record)
    async with site.holding(record.id):  # opened, which begins to index it
        return await site.known_vaults()


async def remove_vault(site: Site, _vault: str | None, request: RemoveVault) -> VaultsReply:
    """Forget a vault; nothing of it is deleted."""
    _check_vaults_may_change(site)
    record = _vault_of_id(await asyncio.to_thread(site.vaults.records), request.id)
    site.vaults.serve_no_more(record)
    await asyncio.to_thread(site.vaults.remove, record, delete_data=False)
    return await site.known_vaults()


def _check_vaults_may_change(site: Site) -> None:
    """Raise ForbiddenError unless the server was started so that vaults may change."""
    if site.vaults_may_change:
        return
    raise ForbiddenError(
        "Vaults are added and removed on the server's computer, with `notewell vaults`. A server"
        " that listens on this computer alone allows it here if it is started with"
        " `notewell serve --allow-vaults`.",
        code="vaults_fixed",
    )


def _vault_of_id(records: tuple[VaultRecord, ...], number: str) -> VaultRecord:
    for record in records:
        if record.id == number:
            return record
    raise NotFoundError(f"No vault has the id {number}.", code="vault_not_found")
