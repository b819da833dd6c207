"""Vaults added and removed over HTTP, where the person who started the server allowed that."""

from __future__ import annotations

import asyncio
from pathlib import Path

from notewell.base.errors import ForbiddenError, NotFoundError, UsageError
from notewell.base.types import VaultRecord
from notewell.contract.server import AddVault, RemoveVault, VaultsReply
from notewell.doors.web.site import Site


async def add(site: Site, _vault: str | None, request: AddVault) -> VaultsReply:
    """Make a folder a vault, offer it to requests, and begin to read it."""
    _check(site)
    folder = Path(request.folder)
    if not folder.is_absolute():
        raise UsageError(f"'{folder}' is no whole path; write it from the root or the drive on.")
    record = await asyncio.to_thread(site.vaults.add, folder)
    if record.id not in {one.id for one in site.vaults.served()}:
        site.vaults.serve_also(record)
    async with site.holding(record.id):  # opened, which begins to index it
        return await site.known_vaults()


async def remove(site: Site, _vault: str | None, request: RemoveVault) -> VaultsReply:
    """Forget a vault; nothing of it is deleted."""
    _check(site)
    record = _known(await asyncio.to_thread(site.vaults.records), request.id)
    site.vaults.serve_no_more(record)
    await asyncio.to_thread(site.vaults.remove, record, delete_data=False)
    return await site.known_vaults()


def _check(site: Site) -> None:
    """Raise ForbiddenError unless the server was started so that vaults may change."""
    if site.vaults_may_change:
        return
    raise ForbiddenError(
        "Vaults are added and removed on the server's computer, with `notewell vaults`. A server"
        " that listens on this computer alone allows it here if it is started with"
        " `notewell serve --allow-vaults`.",
        code="vaults_fixed",
    )


def _known(records: tuple[VaultRecord, ...], number: str) -> VaultRecord:
    for record in records:
        if record.id == number:
            return record
    raise NotFoundError(f"No vault has the id {number}.", code="vault_not_found")
