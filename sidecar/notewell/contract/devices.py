"""Administration of access: the devices that a server lets in, and its audit log."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from annotated_types import Ge, Le, MaxLen, MinLen

from notewell.contract.fields import Doc
from notewell.contract.request import Endpoint, Request
from notewell.types.frozen import frozen

DeviceScope = Literal["read", "write", "admin"]


@frozen
class DeviceView:
    """A device or program with access. Times are ISO 8601; `last_used` is null before first use.

    `kind` is "browser" for one that a link signed in, which has no token. `current`: the caller.
    """

    id: str
    name: str
    scope: DeviceScope
    kind: Literal["token", "browser"]
    created: str
    last_used: str | None
    current: bool = False


@frozen
class DevicesReply:
    """All devices with access, in the order in which they were added.

    Not `shared`: the server lets in only the program that started it.
    """

    devices: tuple[DeviceView, ...]
    shared: bool = True


@frozen
class AuditEntry:
    """A sign-in, a change, or a refused request.

    `what` is how somebody signed in, or method and route of a request; never a query or the path
    of a note. `by` is the caller's name, null for a stranger. `status` is the HTTP status of a
    change, `code` the reason of a refusal.
    """

    at: str
    event: Literal["signed_in", "changed", "refused"]
    what: str
    by: str | None
    scope: DeviceScope | None
    address: str
    status: int | None = None
    code: str | None = None


@frozen
class AuditReply:
    """The newest entries, newest first, and the folder with the files they come from."""

    folder: str | None
    entries: tuple[AuditEntry, ...]


@frozen
class DevicesRequest(Request[DevicesReply]):
    """The devices and programs that have access of their own."""

    endpoint: ClassVar[Endpoint] = Endpoint(
        "GET",
        "/api/devices",
        "devices",
        "The devices that have access of their own, and when they last used it",
        needs="admin",
        of_vault=False,
    )


@frozen
class RevokeDevice(Request[DevicesReply]):
    """End the access of a device; its token and its sessions are refused from now on."""

    endpoint: ClassVar[Endpoint] = Endpoint(
        "DELETE",
        "/api/devices",
        "revoke_device",
        "End the access of a device, at once",
        needs="admin",
        of_vault=False,
        example={"id": "0123456789ab"},
    )
    id: Annotated[str, MinLen(1), MaxLen(64), Doc("The device's id")]


@frozen
class AuditRequest(Request[AuditReply]):
    """The audit log of the servers on this computer."""

    endpoint: ClassVar[Endpoint] = Endpoint(
        "GET",
        "/api/audit",
        "audit",
        "The audit log: sign-ins, changes and refused requests, newest first",
        needs="admin",
        of_vault=False,
    )
    limit: Annotated[Annotated[int, Ge(1), Le(1000)], Doc("How many entries at most")] = 100
