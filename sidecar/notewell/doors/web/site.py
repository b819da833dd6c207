"""What handlers work with: the open vaults and the parts of this server."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, TypeVar

from aiohttp import web

from notewell.base.errors import NotFoundError, UsageError
from notewell.base.support.http import is_loopback
from notewell.base.types import LimitRules, VaultRecord
from notewell.contract.server import VaultsReply, VaultView
from notewell.doors.web.audit import Audit
from notewell.doors.web.auth import Gate
from notewell.doors.web.limits import Guesses, Rates, Slots
from notewell.doors.web.metrics import Metrics
from notewell.doors.web.sse import Streams
from notewell.engine.configuration import Configuration
from notewell.engine.engine import Engine
from notewell.engine.several_vaults import named
from notewell.engine.vaults.opened import Vaults


class Part(Protocol):
    """A part of the server that only one feature uses."""

    async def end(self) -> None:
        """Stop what runs there, because the server stops."""
        ...


P = TypeVar("P", bound=Part)


@dataclass(frozen=True, slots=True)
class Parts:
    """The parts of features, each made when it is first asked for."""

    _made: dict[type, Any] = field(default_factory=dict)

    def of(self, kind: type[P]) -> P:
        """The server's one part of this kind."""
        if kind not in self._made:
            self._made[kind] = kind()
        part: P = self._made[kind]
        return part

    async def end(self, _app: web.Application) -> None:
        """Stop what runs in all of them."""
        for part in self._made.values():
            await part.end()


@dataclass(frozen=True, slots=True)
class Site:
    """Everything that handlers use. `static` is the folder of the built web interface, if any."""

    vaults: Vaults
    gate: Gate
    audit: Audit
    limits: LimitRules
    rates: Rates
    guesses: Guesses
    slots: Slots
    configuration: Configuration | None
    version: str
    features: tuple[str, ...]
    static: Path | None
    metrics: Metrics
    streams: Streams
    parts: Parts

    def engine(self, vault: str | None) -> Engine:
        """Return the engine of a served vault, which `holding` keeps open; None: the only one."""
        record = self.record(vault)
        for engine in self.vaults.opened():
            if engine.record.id == record.id:
                return engine
        raise NotFoundError(f"{record.name} is not open at present.", code="vault_not_found")

    @asynccontextmanager
    async def holding(self, vault: str | None) -> AsyncIterator[None]:
        """Keep a served vault open while the block runs; open it first where it is closed."""
        record = self.record(vault)
        hold = self.vaults.held(record)
        if hold is None:
            hold = await asyncio.to_thread(self.vaults.hold, record)
        with hold:
            yield

    def several(self, vault: str | None) -> tuple[VaultRecord, ...]:
        """The served vaults that a search names, if it names several; see `several.named`."""
        return named(vault, self.vaults.served())

    def record(self, vault: str | None) -> VaultRecord:
        """Find a served vault, open or not, by its id or name; None: the only or default one."""
        served = self.vaults.served()
        if vault is None:
            return _only(served)
        for record in served:
            if vault in (record.id, record.name):
                return record
        raise NotFoundError(
            f"No vault named {vault!r} is served here. GET /api/vaults lists them;"
            " `notewell serve FOLDER` serves another.",
            code="vault_not_found",
        )

    @property
    def vaults_may_change(self) -> bool:
        """Whether administrators may add and remove vaults: it was allowed, on loopback."""
        rules = self.gate.rules
        return rules.allow_vaults and is_loopback(rules.host)

    async def known_vaults(self) -> VaultsReply:
        """Return all known vaults; the registry is read in a thread."""
        records = await asyncio.to_thread(self.vaults.records)
        opened = {engine.record.id for engine in self.vaults.opened()}
        served = {record.id for record in self.vaults.served()}
        return VaultsReply(
            changeable=self.vaults_may_change,
            notice=await asyncio.to_thread(self.vaults.notice),
            vaults=tuple(
                VaultView(
                    id=record.id,
                    name=record.name,
                    path=str(record.path),
                    default=record.default,
                    open=record.id in opened,
                    source=record.source,
                    served=record.id in served,
                )
                for record in records
            ),
        )


SITE = web.AppKey("notewell.site", Site)


def _only(served: tuple[VaultRecord, ...]) -> VaultRecord:
    """Return the one vault that is served, or the default one of several."""
    if len(served) == 1:
        return served[0]
    for record in served:
        if record.default:
            return record
    if not served:
        raise NotFoundError(
            "No vault is served. Start the server with one: `notewell serve FOLDER`.",
            code="vault_not_found",
        )
    names = ", ".join(record.name for record in served)
    raise UsageError(
        f"Several vaults are served ({names}): say which one with `vault`.",
        code="vault_required",
    )
