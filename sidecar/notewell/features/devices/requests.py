"""Requests about devices: pairing one, those with access, and the audit log."""

from __future__ import annotations

from typing import Annotated, Literal

from notewell.api.requests import Doc, Endpoint, Request, request_to
from notewell.api.types import Ge, Le, MaxLen, MinLen, frozen
from notewell.contract.server import AuditEntry, DeviceView


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
    """The number of one-time links that were open, and are not valid any more."""

    cancelled: int


@frozen
class RedeemReply:
    """The token of the new device, shown only here, and the name under which it is listed."""

    token: str
    device: str


@request_to(
    Endpoint(
        "POST",
        "/api/pair",
        "pair",
        "Make a one-time link that lets one device in, valid for ten minutes",
        required_scope="admin",
        of_vault=False,
    )
)
class PairRequest(Request[PairReply]):
    """A one-time link that lets one device in: a phone, another Obsidian or a browser."""

    scope: Annotated[
        Literal["read", "write"], Doc("What the device may do; never administration")
    ] = "write"
    address: Annotated[
        Annotated[str, MaxLen(300)] | None,
        Doc("Where the device reaches the server, if `server.public_url` does not say it"),
    ] = None


@request_to(
    Endpoint(
        "POST",
        "/api/pair/cancel",
        "pair_cancel",
        "End every one-time link that was not used yet",
        required_scope="admin",
        of_vault=False,
    )
)
class PairCancelRequest(Request[PairCancelReply]):
    """The end of all one-time links that nobody used."""


@request_to(
    Endpoint(
        "POST",
        "/api/pair/redeem",
        "pair_redeem",
        "Exchange the code of a one-time link for a device's token",
        changes=False,
        rate_class="heavy",
        needs_token=False,
        of_vault=False,
    )
)
class RedeemRequest(Request[RedeemReply]):
    """The code of a one-time link, for a device's own token."""

    code: Annotated[str, MinLen(1), MaxLen(100), Doc("The code in the link")]
    name: Annotated[str, MinLen(1), MaxLen(64), Doc("What the device is called in the list")]


@frozen
class DevicesReply:
    """All devices with access, in the order in which they were added.

    Not `shared`: the server lets in only the program that started it.
    """

    devices: tuple[DeviceView, ...]
    shared: bool = True


@frozen
class AuditReply:
    """The newest entries, newest first, and the folder with the files they come from."""

    folder: str | None
    entries: tuple[AuditEntry, ...]


@request_to(
    Endpoint(
        "GET",
        "/api/devices",
        "devices",
        "The devices that have access of their own, and when they last used it",
        required_scope="admin",
        of_vault=False,
    )
)
class DevicesRequest(Request[DevicesReply]):
    """The devices and programs that have access of their own."""


@request_to(
    Endpoint(
        "DELETE",
        "/api/devices",
        "revoke_device",
        "End the access of a device, at once",
        required_scope="admin",
        of_vault=False,
        example={"id": "0123456789ab"},
    )
)
class RevokeDevice(Request[DevicesReply]):
    """End the access of a device; its token and its sessions are refused from now on."""

    id: Annotated[str, MinLen(1), MaxLen(64), Doc("The device's id")]


@request_to(
    Endpoint(
        "GET",
        "/api/audit",
        "audit",
        "The audit log: sign-ins, changes and refused requests, newest first",
        required_scope="admin",
        of_vault=False,
    )
)
class AuditRequest(Request[AuditReply]):
    """The audit log of the servers on this computer."""

    limit: Annotated[Annotated[int, Ge(1), Le(1000)], Doc("How many entries at most")] = 100


REQUESTS = (
    PairRequest,
    PairCancelRequest,
    RedeemRequest,
    DevicesRequest,
    RevokeDevice,
    AuditRequest,
)
