"""The server itself: health, vaults, devices, events, metrics, and the document of an error."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

from notewell.base.types import PropertyValue, VaultSource
from notewell.base.types.frozen import frozen
from notewell.base.types.hints import Ge, MaxLen, MinLen
from notewell.contract.fields import Doc
from notewell.contract.request import EVENT_STREAM, PROMETHEUS_TEXT, Endpoint, Request, request_to


@frozen
class VaultView:
    """A known vault."""

    id: str
    name: str
    path: str
    default: bool
    open: bool
    source: VaultSource
    served: bool  # requests may name it; the server opens it when needed
    past: bool = False  # what its notes once said can be searched


@frozen
class VaultsReply:
    """All known vaults. `notice` says what happened to their list where it was damaged."""

    vaults: tuple[VaultView, ...]
    changeable: bool = False  # the server was started with --allow-vaults
    notice: str | None = None


@frozen
class HealthReply:
    """That a server runs, and the version of its contract; reveals nothing about a vault."""

    status: Literal["ok"]
    version: str
    api: int
    features: tuple[str, ...]
    auth: Literal["token"] = "token"


@frozen
class EventReply:
    """One event of the stream: its `id:`, its `event:` and the JSON of its `data:`."""

    id: int
    event: Literal["generation", "progress", "ledger", "state"]
    data: Mapping[str, PropertyValue]


@frozen
class Problem:
    """An RFC 9457 problem document. `nearest`: for a stale id, that of the passage it meant."""

    type: str
    title: str
    status: int
    detail: str
    code: str
    nearest: str | None = None


@request_to(
    Endpoint(
        "GET",
        "/api/health",
        "health",
        "Whether the server runs, and the version of its contract",
        needs_token=False,
        of_vault=False,
    )
)
class HealthRequest(Request[HealthReply]):
    """A sign that the server runs; reveals nothing about a vault."""


@request_to(Endpoint("GET", "/api/vaults", "vaults", "The known vaults", of_vault=False))
class VaultsRequest(Request[VaultsReply]):
    """The known vaults."""


@request_to(
    Endpoint(
        "POST",
        "/api/vaults",
        "add_vault",
        "Make a folder of the server's computer a vault (serve --allow-vaults, on loopback)",
        changes=True,
        required_scope="admin",
        timed=False,
        of_vault=False,
        example={"folder": "/home/me/Notes"},
    )
)
class AddVault(Request[VaultsReply]):
    """Make a folder on the server's computer a vault, and serve it."""

    folder: Annotated[str, MinLen(1), MaxLen(4096), Doc("The folder's whole path")]


@request_to(
    Endpoint(
        "DELETE",
        "/api/vaults",
        "remove_vault",
        "Forget a vault; its notes and its index stay (serve --allow-vaults, on loopback)",
        changes=True,
        required_scope="admin",
        timed=False,
        of_vault=False,
        example={"id": "0123456789ab"},
    )
)
class RemoveVault(Request[VaultsReply]):
    """Forget a vault. Its notes and its index stay as they are."""

    id: Annotated[str, MinLen(1), MaxLen(64), Doc("The vault's id")]


@request_to(
    Endpoint(
        "GET",
        "/api/events",
        "events",
        "The events of a vault, as server-sent events",
        media=EVENT_STREAM,
        headers={"after": "Last-Event-ID"},
    )
)
class EventsRequest(Request[EventReply]):
    """The events of a vault, from now on or after an event that was seen."""

    after: Annotated[
        Annotated[int, Ge(0)] | None,
        Doc("Id of the last event received; also as the header Last-Event-ID"),
    ] = None


@request_to(
    Endpoint(
        "GET",
        "/metrics",
        "metrics",
        "Metrics of this server and its vaults, for Prometheus",
        media=PROMETHEUS_TEXT,
        of_vault=False,
    )
)
class MetricsRequest(Request[str]):
    """Metrics of the server and its open vaults, in the text format of Prometheus."""


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
