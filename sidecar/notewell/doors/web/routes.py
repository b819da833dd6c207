"""The table of routes: each request of the contract with the function that answers it.

Most requests are answered by the engine of their vault; functions for those that concern the server
are here or in a feature's `handlers.py`. Nothing here blocks the event loop. A route reads and
checks the HTTP request, calls the function and sends its reply. Dispatch, OpenAPI and the docs are
made from the table. After a change of the contract, update its files and the table of docs/api.md
(`NOTEWELL_TEST_UPDATE_CONTRACT=1 pytest tests/contract tests/doors/web`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from aiohttp import hdrs, web

from notewell import API_VERSION
from notewell.base.errors import (
    ConfigError,
    ForbiddenError,
    NotewellError,
    NotFoundError,
    QueryTimeoutError,
    UsageError,
)
from notewell.base.types import Settings, VaultRecord
from notewell.contract.codec import to_json
from notewell.contract.manage import (
    AllowedHostReply,
    AllowHostRequest,
    CatalogueModel,
    CatalogueReply,
    ChangeConfigRequest,
    ConfigReply,
    ConfigRequest,
    ModelsRequest,
    SessionReply,
    SessionRequest,
)
from notewell.contract.request import JSON_MEDIA, Endpoint, Request, reply_type, request_fields
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
from notewell.doors.web.auth import AT_HOME, CALLER
from notewell.doors.web.request_models import (
    RequestModel,
    from_body,
    from_query,
    model_of,
    read_body,
)
from notewell.doors.web.site import SITE, Encoded, Handler, Site, VaultFigures, from_engine
from notewell.engine.answers import QUICK
from notewell.engine.configuration import Configuration
from notewell.engine.event_loop import EventStream
from notewell.engine.feature import Feature, load, requests
from notewell.engine.model_suggestions import service_host
from notewell.engine.open_vaults import Vaults
from notewell.engine.several_vaults import VaultAnswer, merge_answers
from notewell.features import FEATURES
from notewell.models.catalogue import CATALOGUE, ModelSpec
from notewell.models.fetch import locate


async def answer_search(
    site: Site, vault: str | None, request: SearchRequest
) -> Encoded[SearchReply]:
    """Find notes, and count the search."""
    chosen = site.several(vault)
    if chosen:
        reply = merge_answers(await _each(site, chosen, request), request.limit)
        encoded = Encoded(reply, await asyncio.to_thread(to_json, reply))
    else:
        encoded = await from_engine(site, vault, request)
    site.metrics.count_search(encoded.reply)
    return encoded


async def _each(
    site: Site, chosen: Sequence[VaultRecord], request: SearchRequest
) -> tuple[VaultAnswer, ...]:
    """The answer of each vault, or the problem of one that cannot."""
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


async def session(_site: Site, _vault: str | None, _request: SessionRequest) -> SessionReply:
    """Return name and scope of the caller."""
    caller = CALLER.get()
    return SessionReply(caller.name, caller.scope)


async def models(site: Site, vault: str | None, _request: ModelsRequest) -> CatalogueReply:
    """List the models of the catalogue."""
    engine = site.engine(vault)
    settings = site.vaults.settings(engine.record)
    status = await engine.threads.call_quickly(engine.status)
    views = await asyncio.to_thread(lambda: tuple(_view(spec, settings) for spec in CATALOGUE))
    return CatalogueReply(engine.record.name, settings.model.name, status.model, views)


async def config(site: Site, vault: str | None, request: ConfigRequest) -> ConfigReply:
    """Show the settings."""
    section = f"{request.section}." if request.section is not None else ""
    return await asyncio.to_thread(_config, site, vault, lambda key: key.startswith(section))


async def change_config(site: Site, vault: str | None, request: ChangeConfigRequest) -> ConfigReply:
    """Change settings in the configuration file."""
    changes = request.changes
    if site.configuration is None:
        raise ConfigError("this server was started without a configuration file to change")
    folder = site.record(vault).path
    at_home = request.confirmed and AT_HOME.get()
    change = partial(site.configuration.change, changes, folder, at_home=at_home)
    await asyncio.to_thread(_change_config, site.vaults, site.configuration, change)
    return await asyncio.to_thread(_config, site, vault, changes.__contains__)


async def allow_host(site: Site, vault: str | None, request: AllowHostRequest) -> AllowedHostReply:
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
    return AllowedHostReply(record.name, request.host, request.allowed)


def _change_config(
    vaults: Vaults, configuration: Configuration, change: Callable[[], tuple[str, ...]]
) -> None:
    """Store the changes, and use at once those that need no restart."""
    vaults.use_sections(change(), configuration.settings)


def _config(site: Site, vault: str | None, among: Callable[[str], bool]) -> ConfigReply:
    record = site.record(vault)
    running = site.vaults.settings(record)
    if site.configuration is None:
        return ConfigReply(record.name, None, restart=False, settings=())
    at_home = AT_HOME.get()
    return site.configuration.reply(record.name, record.path, running, among, at_home=at_home)


def _view(spec: ModelSpec, settings: Settings) -> CatalogueModel:
    configured = spec.name == settings.model.name
    own = settings.model.folder if configured else None
    folder = Path(own) if own is not None else None
    return CatalogueModel(
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
    if record.id not in {record.id for record in site.vaults.served()}:
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


@dataclass(frozen=True, slots=True)
class Route:
    """A request and the function that answers it."""

    request: type[Request[Any]]
    handle: Handler

    @property
    def endpoint(self) -> Endpoint:
        """Method, path and rules of the route."""
        return self.request.endpoint

    @property
    def reply(self) -> type:
        """The record of its reply, or of each event of a stream; str is plain text."""
        return reply_type(self.request)

    @property
    def reply_name(self) -> str:
        return "text" if self.reply is str else self.reply.__name__

    @property
    def model(self) -> type[RequestModel]:
        return model_of(self.request)

    @property
    def refusals(self) -> tuple[int, ...]:
        """The statuses of problem documents that a caller should expect."""
        endpoint = self.endpoint
        of_vaults = (404, 409) if endpoint.of_vault else ()
        of_ids = (404,) if any(field.name == "id" for field in request_fields(self.request)) else ()
        of_bodies = (408, 413, 415) if endpoint.method != "GET" else ()
        of_callers = (401, 503) if endpoint.needs_token else ()
        of_questions = (504,) if self._may_time_out else ()
        return tuple(
            sorted({400, 403, 429, *of_callers, *of_vaults, *of_ids, *of_bodies, *of_questions})
        )

    @property
    def _may_time_out(self) -> bool:
        endpoint = self.endpoint
        return endpoint.timed and endpoint.needs_token and endpoint.scope == "read"

    async def __call__(self, request: web.Request) -> web.StreamResponse:
        """Answer one HTTP request: read, check, handle, encode."""
        site = request.app[SITE]
        checked = await self._read(request, site)
        async with AsyncExitStack() as held:
            reply = await self._answer(site, checked.vault_name, checked.to_record(), held)
            if isinstance(reply, EventStream):
                return await site.streams.send(request, reply)
        instead = self.endpoint.json_reply
        is_instead = instead is not None and isinstance(reply, instead)
        headers = {hdrs.CONTENT_TYPE: JSON_MEDIA if is_instead else self.endpoint.media}
        return web.Response(status=self.endpoint.status, body=_body(reply), headers=headers)

    async def _read(self, request: web.Request, site: Site) -> RequestModel:
        if self.endpoint.method == "GET":
            return from_query(self.model, request, self.endpoint.headers)
        raw = await read_body(request, site.limits.body_timeout_s)
        return from_body(self.model, request, raw)

    async def _answer(
        self, site: Site, vault: str | None, checked: object, held: AsyncExitStack
    ) -> object:
        """Wait for a free slot and call the handler; the vault is held until `held` ends."""
        if not self.endpoint.needs_token:  # monitoring works however busy the server is
            return await self.handle(site, vault, checked)
        if self.request in QUICK or self.endpoint.long_poll:
            await self._hold(site, vault, held)
            return await self._in_time(site, vault, checked)
        async with site.slots.hold():
            if self.endpoint.scope != "read":
                # A change is completed, whether or not the caller waits for the answer.
                return await asyncio.shield(self._apply(site, vault, checked))
            await self._hold(site, vault, held)
            return await self._in_time(site, vault, checked)

    async def _apply(self, site: Site, vault: str | None, checked: object) -> object:
        """Handle a change, with a hold of its own on the vault."""
        async with AsyncExitStack() as held:
            await self._hold(site, vault, held)
            return await self.handle(site, vault, checked)

    async def _hold(self, site: Site, vault: str | None, held: AsyncExitStack) -> None:
        several = self.request is SearchRequest and site.several(vault)
        if self.endpoint.of_vault and not several:
            await held.enter_async_context(site.holding(vault))

    async def _in_time(self, site: Site, vault: str | None, checked: object) -> object:
        seconds = site.limits.query_timeout_s if self._may_time_out else 0.0
        limit = asyncio.timeout(seconds if seconds > 0 else None)
        try:
            async with limit:
                return await self.handle(site, vault, checked)
        except TimeoutError as error:
            if not limit.expired():
                raise
            raise QueryTimeoutError(
                f"No answer within {seconds:g} seconds, so the request was cancelled. Ask again, as"
                " a large index is read after a start; ask for less at once; or set"
                " `limits.query_timeout_s`."
            ) from error


def _body(reply: object) -> bytes:
    if isinstance(reply, Encoded):
        return reply.body
    return reply.encode() if isinstance(reply, str) else to_json(reply)


# Answered by the server itself; the engine of the vault answers all others.
_OF_SERVER: Mapping[type, Handler] = {
    HealthRequest: health,
    VaultsRequest: vaults,
    AddVault: add_vault,
    RemoveVault: remove_vault,
    EventsRequest: events,
    MetricsRequest: metrics,
    SearchRequest: answer_search,
    SessionRequest: session,
    ModelsRequest: models,
    ConfigRequest: config,
    ChangeConfigRequest: change_config,
    AllowHostRequest: allow_host,
}


def routes(features: Sequence[Feature]) -> tuple[Route, ...]:
    """The routes of all features and of the core."""
    by_server = dict(_OF_SERVER)
    for feature in features:
        if feature.handlers:
            by_server.update(load(feature.handlers))
    return tuple(
        Route(request, by_server.get(request, from_engine)) for request in requests(features)
    )


ROUTES = routes(FEATURES)
