"""The audit log: who signed in, who changed something, who was refused.

A line names route, status, caller and address; never a query, a path of a note, or a secret.
"""

from __future__ import annotations

import logging
import time

from aiohttp import hdrs, web

from notewell.support.logs import AUDIT
from notewell.web.auth import Caller
from notewell.web.limits import SlidingWindow

_log = logging.getLogger(AUDIT)

# Refusals of one kind from one address that are told in a minute; a flood must not fill a disk.
_MOST_REFUSALS = 10


class Audit:
    """Writes the audit log of one server."""

    def __init__(self) -> None:
        """Nothing was refused yet."""
        self._refusals = SlidingWindow(60.0)

    def signed_in(self, address: str, *, how: str, well: bool) -> None:
        """Somebody followed a link that signs in."""
        if well:
            _log.info("signed in by %s from %s", how, address)
        else:
            self.refused(address, None, f"sign-in by {how}", "unauthorized")

    def refused(self, address: str, caller: Caller | None, what: str, code: str) -> None:
        """Somebody was turned away."""
        now = time.monotonic()
        key = (address, code)
        if self._refusals.wait(key, _MOST_REFUSALS, now) == 0:
            self._refusals.add(key, now)
            _log.warning("refused %s: %s, %s from %s", what, code, _who(caller), address)

    def answered(self, request: web.Request, caller: Caller, address: str, status: int) -> None:
        """Somebody changed something, or tried to."""
        _log.info("%s %d, %s from %s", name_of(request), status, _who(caller), address)


def name_of(request: web.Request) -> str:
    """Method and route of a request; an address may hold what somebody wrote."""
    resource = request.match_info.route.resource
    method = request.method if request.method in hdrs.METH_ALL else "?"
    return f"{method} {resource.canonical if resource is not None else '(no route)'}"


def _who(caller: Caller | None) -> str:
    return "unknown" if caller is None else f"{caller.name} ({caller.scope})"
