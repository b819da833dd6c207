"""Answers about devices: links that pair one, who has access, whose access ends, the audit log."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping

from notewell.api.errors import ForbiddenError
from notewell.api.requests import iso
from notewell.api.server import CALLER, Handler, Site
from notewell.base.types import ServerRules
from notewell.doors.web.auth import CLIENT
from notewell.engine.access import (
    LINK_SECONDS,
    Devices,
    checked_address,
    digest,
    is_loopback,
    own_address,
    pairing_links,
    view_of,
)
from notewell.features.devices.requests import (
    AuditReply,
    AuditRequest,
    DevicesReply,
    DevicesRequest,
    PairCancelReply,
    PairCancelRequest,
    PairReply,
    PairRequest,
    RedeemReply,
    RedeemRequest,
    RevokeDevice,
)


async def pair(site: Site, _vault: str | None, request: PairRequest) -> PairReply:
    """Make a link; the caller is an administrator."""
    import segno  # noqa: PLC0415 - a server that pairs nobody starts without it

    known = devices_of(site)
    address = _address(site.gate.rules, request.address)
    expires = time.time() + LINK_SECONDS
    code = await asyncio.to_thread(known.offer, request.scope)
    links = pairing_links(address, code, request.scope)
    return PairReply(
        url=links.url,
        obsidian=links.obsidian,
        code=code,
        expires=iso(expires) or "",
        scope=request.scope,
        qr=segno.make(links.url, error="l", micro=False).svg_data_uri(scale=4, light="#fff"),
        loopback=is_loopback(address),
    )


async def cancel_pairing(
    site: Site, _vault: str | None, _request: PairCancelRequest
) -> PairCancelReply:
    """End the links that are open; the caller is an administrator."""
    return PairCancelReply(await asyncio.to_thread(devices_of(site).withdraw))


async def redeem(site: Site, _vault: str | None, request: RedeemRequest) -> RedeemReply:
    """Let a device in by its code; wrong codes count as wrong secrets of their address."""
    client, now, kept = CLIENT.get(), time.monotonic(), digest(request.code)
    site.guesses.check(client, kept, now)
    pairing = await asyncio.to_thread(devices_of(site).pair, request.code, request.name)
    site.audit.log_sign_in(client, how="pairing", well=pairing is not None)
    if pairing is None:
        site.guesses.wrong(client, kept, now)
        raise ForbiddenError(
            "This pairing code is not valid: it works once, for ten minutes, and all codes end"
            " after five wrong tries. Make a new one with `notewell pair`, or in Settings > People"
            " and devices.",
            code="pairing_code_invalid",
        )
    return RedeemReply(pairing.token, pairing.name)


def _address(rules: ServerRules, given: str | None) -> str:
    """Return the address for the link: as set, else as given, else as the server listens.

    A page that is open on the server's own computer gives an address that other devices cannot use.
    """
    stated = checked_address(given) if given is not None else None
    own = own_address(rules)
    if stated is None or rules.public_url:
        return own.rstrip("/")
    return own if is_loopback(stated) and not is_loopback(own) else stated


async def devices(site: Site, _vault: str | None, _request: DevicesRequest) -> DevicesReply:
    """List the devices; the caller is an administrator."""
    if site.gate.callers.devices is None:
        return DevicesReply((), shared=False)
    return await _list(site)


async def revoke(site: Site, _vault: str | None, request: RevokeDevice) -> DevicesReply:
    """End the access of a device, which may be the caller's own."""
    await asyncio.to_thread(devices_of(site).remove, request.id)
    return await _list(site)


async def audit(site: Site, _vault: str | None, request: AuditRequest) -> AuditReply:
    """Read the newest entries of the audit log; the caller is an administrator."""
    folder = site.audit.folder
    entries = await asyncio.to_thread(site.audit.newest, request.limit)
    return AuditReply(str(folder) if folder is not None else None, entries)


def devices_of(site: Site) -> Devices:
    """Return the devices of a server that has them.

    Raises:
        ForbiddenError: another program started it, for itself alone.

    """
    devices = site.gate.callers.devices
    if devices is None:
        raise ForbiddenError(
            "This server was started by another program, such as Obsidian, and accepts only that"
            " program's token. To let other devices in, start one with `notewell serve`.",
            code="no_devices",
        )
    return devices


async def _list(site: Site) -> DevicesReply:
    known = await asyncio.to_thread(devices_of(site).all)
    callers, caller = site.gate.callers, CALLER.get()
    return DevicesReply(
        tuple(
            view_of(device, last_used=callers.last_used(device.id), current=device.id == caller.id)
            for device in known
        )
    )


HANDLERS: Mapping[type, Handler] = {
    PairRequest: pair,
    PairCancelRequest: cancel_pairing,
    RedeemRequest: redeem,
    DevicesRequest: devices,
    RevokeDevice: revoke,
    AuditRequest: audit,
}
