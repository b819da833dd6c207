"""Answers about devices: who has access, whose access ends, and what the audit log tells."""

from __future__ import annotations

import asyncio

from notewell.access.devices import Devices, view_of
from notewell.contract.devices import (
    AuditReply,
    AuditRequest,
    DevicesReply,
    DevicesRequest,
    RevokeDevice,
)
from notewell.errors import ForbiddenError
from notewell.web.auth import CALLER
from notewell.web.site import Site


async def devices(site: Site, _vault: str | None, _request: DevicesRequest) -> DevicesReply:
    """List the devices; the caller is an administrator."""
    if site.gate.callers.devices is None:
        return DevicesReply((), shared=False)
    return await _listed(site)


async def revoke(site: Site, _vault: str | None, request: RevokeDevice) -> DevicesReply:
    """End the access of a device, which may be the caller's own."""
    await asyncio.to_thread(devices_of(site).remove, request.id)
    return await _listed(site)


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
    found = site.gate.callers.devices
    if found is None:
        raise ForbiddenError(
            "This server was started by another program, such as Obsidian, and accepts only that"
            " program's token. To let other devices in, start one with `notewell serve`.",
            code="no_devices",
        )
    return found


async def _listed(site: Site) -> DevicesReply:
    known = await asyncio.to_thread(devices_of(site).all)
    callers, caller = site.gate.callers, CALLER.get()
    return DevicesReply(
        tuple(
            view_of(each, last_used=callers.last_used(each.id), current=each.id == caller.id)
            for each in known
        )
    )
