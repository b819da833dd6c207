"""Records of access: a device that a server lets in, and an entry of its audit log."""

from __future__ import annotations

from typing import Literal

from notewell.base.types.frozen import frozen

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
