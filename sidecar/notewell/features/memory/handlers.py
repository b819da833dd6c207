"""Requests about memories that the server checks before the vault answers them."""

from __future__ import annotations

from collections.abc import Mapping

from notewell.api.errors import ForbiddenError
from notewell.api.server import CALLER, Encoded, Handler, Site
from notewell.doors.web.site import from_engine
from notewell.features.memory.requests import MemoryChangedReply, StoreMemory


async def store_memory(
    site: Site, vault: str | None, request: StoreMemory
) -> Encoded[MemoryChangedReply]:
    """Store a memory; a golden rule only for administrators, because a person has to grant it."""
    caller = CALLER.get()
    if request.type == "golden_rule" and caller.scope != "admin":
        raise ForbiddenError(
            f"{caller.name!r} cannot grant a golden rule: that takes the scope `admin`, or"
            " `type: golden_rule` in the memory's note. Store it with another type; it becomes a"
            " golden rule when it has helped often enough.",
            code="scope_required",
        )
    return await from_engine(site, vault, request)


HANDLERS: Mapping[type, Handler] = {StoreMemory: store_memory}
