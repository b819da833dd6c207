"""Pairing: makes one-time links for administrators, and exchanges their codes for tokens."""

from __future__ import annotations

import asyncio
import time

from notewell.access.addresses import checked_address, is_loopback, own_address, pairing_links
from notewell.access.devices import LINK_SECONDS
from notewell.access.tokens import digest
from notewell.contract.fields import iso
from notewell.contract.pairing import (
    PairCancelReply,
    PairCancelRequest,
    PairReply,
    PairRequest,
    RedeemReply,
    RedeemRequest,
)
from notewell.errors import ForbiddenError
from notewell.types import ServerRules
from notewell.web.auth import CLIENT
from notewell.web.devices import devices_of
from notewell.web.site import Site


async def pair(site: Site, _vault: str | None, request: PairRequest) -> PairReply:
    """Make a link; the caller is an administrator."""
    import segno  # noqa: PLC0415 - a server that pairs nobody starts without it

    devices = devices_of(site)
    address = _address(site.gate.rules, request.address)
    expires = time.time() + LINK_SECONDS
    code = await asyncio.to_thread(devices.offer, request.scope)
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
    devices = devices_of(site)
    made = await asyncio.to_thread(devices.pair, request.code, request.name)
    site.audit.signed_in(client, how="pairing", well=made is not None)
    if made is None:
        site.guesses.wrong(client, kept, now)
        raise ForbiddenError(
            "This pairing code is not valid: it works once, for ten minutes, and all codes end"
            " after five wrong tries. Make a new one with `notewell pair`, or on the page Manage.",
            code="pairing_code_invalid",
        )
    return RedeemReply(made.token, made.name)


def _address(rules: ServerRules, given: str | None) -> str:
    """Return the address for the link: as set, else as given, else as the server listens.

    A page that is open on the server's own computer gives an address that other devices cannot use.
    """
    stated = checked_address(given) if given is not None else None
    own = own_address(rules)
    if stated is None or rules.public_url:
        return own.rstrip("/")
    return own if is_loopback(stated) and not is_loopback(own) else stated
