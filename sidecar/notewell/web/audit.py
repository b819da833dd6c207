"""The audit log: sign-ins, changes, and refused requests, each with its caller.

A line has route, status, caller and address; never a query, a path of a note, or a secret.
"""

from __future__ import annotations

import logging
import time

from aiohttp import hdrs, web

from notewell.support.log_files import AUDIT
from notewell.web.auth import Caller
from notewell.web.limits import SlidingWindow

_log = logging.getLogger(AUDIT)

# Refusals of one kind from one address that are logged in a minute; a flood must not fill a disk.
_MOST_REFUSALS = 10


class Audit:
    """Writes the audit log of one server."""

    def __init__(self) -> None:
        """Begin without refusals."""
        self._refusals = SlidingWindow(60.0)

    def signed_in(self, address: str, *, how: str, well: bool) -> None:
        """Log that a link that signs in was used, successfully or not."""
        if well:
            _log.info("signed in by %s from %s", how, address)
        else:
            self.refused(address, None, f"sign-in by {how}", "unauthorized")

    def refused(self, address: str, caller: Caller | None, what: str, code: str) -> None:
        """Log a refused request; at most `_MOST_REFUSALS` a minute for an address and a code."""
        now = time.monotonic()
        key = (address, code)
        if self._refusals.wait(key, _MOST_REFUSALS, now) == 0:
            self._refusals.add(key, now)
            _log.warning("refused %s: %s, %s from %s", what, code, _who(caller), address)

    def answered(self, request: web.Request, caller: Caller, address: str, status: int) -> None:
        """Log a request that changed something, or tried to."""
        _log.info("%s %d, %s from %s", name_of(request), status, _who(caller), address)


def name_of(request: web.Request) -> str:
    """Return method and route of a request, not its address, which may contain a query."""
    resource = request.match_info.route.resource
    method = request.method if request.method in hdrs.METH_ALL else "?"
    return f"{method} {resource.canonical if resource is not None else '(no route)'}"


def _who(caller: Caller | None) -> str:
    return "unknown" if caller is None else f"{caller.name} ({caller.scope})"
