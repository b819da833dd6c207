"""Pairing: a one-time link of an administrator, and the device that it lets in."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from annotated_types import MaxLen, MinLen

from notewell.contract.fields import Doc
from notewell.contract.request import Endpoint, Request
from notewell.types.frozen import frozen


@frozen
class PairReply:
    """A one-time link: `url` for a browser, `obsidian` for the plugin, with the same `code`.

    `expires` is ISO 8601. `qr` is the QR code of `url`, an SVG image as a `data:` address.
    `loopback`: only the server's own computer reaches `url`.
    """

    url: str
    obsidian: str
    code: str
    expires: str
    scope: Literal["read", "write"]
    qr: str
    loopback: bool


@frozen
class PairCancelReply:
    """How many one-time links were open, and are not valid any more."""

    cancelled: int


@frozen
class RedeemReply:
    """The token of the new device, shown only here, and the name under which it is listed."""

    token: str
    device: str


@frozen
class PairRequest(Request[PairReply]):
    """A one-time link that lets one device in: a phone, another Obsidian or a browser."""

    endpoint: ClassVar[Endpoint] = Endpoint(
        "POST",
        "/api/pair",
        "pair",
        "Make a one-time link that lets one device in, valid for ten minutes",
        needs="admin",
        of_vault=False,
    )
    scope: Annotated[
        Literal["read", "write"], Doc("What the device may do; never administration")
    ] = "write"
    address: Annotated[
        Annotated[str, MaxLen(300)] | None,
        Doc("Where the device reaches the server, if `server.public_url` does not say it"),
    ] = None


@frozen
class PairCancelRequest(Request[PairCancelReply]):
    """The end of all one-time links that nobody used."""

    endpoint: ClassVar[Endpoint] = Endpoint(
        "POST",
        "/api/pair/cancel",
        "pair_cancel",
        "End every one-time link that was not used yet",
        needs="admin",
        of_vault=False,
    )


@frozen
class RedeemRequest(Request[RedeemReply]):
    """The code of a one-time link, for a device's own token."""

    endpoint: ClassVar[Endpoint] = Endpoint(
        "POST",
        "/api/pair/redeem",
        "pair_redeem",
        "Exchange the code of a one-time link for a device's token",
        changes=False,
        rate_class="heavy",
        needs_token=False,
        of_vault=False,
    )
    code: Annotated[str, MinLen(1), MaxLen(100), Doc("The code in the link")]
    name: Annotated[str, MinLen(1), MaxLen(64), Doc("What the device is called in the list")]
