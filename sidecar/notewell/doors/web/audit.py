"""The audit log: sign-ins, changes, and refused requests, each with its caller.

A line has route, status, caller and address; never a query, a path of a note, or a secret. The
lines are written here and read here, so that their form is known in one place.
"""

from __future__ import annotations

import json
import logging
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Literal, cast

from aiohttp import hdrs, web

from notewell.base.support.log_files import AUDIT, audit_files
from notewell.contract.fields import iso
from notewell.contract.server import AuditEntry, DeviceScope
from notewell.doors.web.auth import Caller
from notewell.doors.web.limits import SlidingWindow

_log = logging.getLogger(AUDIT)

Event = Literal["signed_in", "changed", "refused"]

# Refusals of one kind from one address that are logged in a minute; a flood must not fill a disk.
_MOST_REFUSALS = 10

_LINE = re.compile(rf"(?P<at>\S+) (?:INFO|WARNING) {re.escape(AUDIT)}: (?P<told>.*)")
# A name may contain anything that can be printed: what follows it is searched from the end.
_WHO = r"(?:unknown|(?P<by>.+) \((?P<scope>read|write|admin)\)) from (?P<address>\S*)"
_FORMS: Mapping[Event, re.Pattern[str]] = {
    "signed_in": re.compile(r"signed in by (?P<what>.+) from (?P<address>\S*)"),
    "refused": re.compile(rf"refused (?P<what>.+?): (?P<code>\w+), {_WHO}"),
    "changed": re.compile(rf"(?P<what>\S+ .+?) (?P<status>\d{{3}}), {_WHO}"),
}


class Audit:
    """Writes the audit log of one server, and reads those of all servers that log to `folder`."""

    def __init__(self, folder: Path | None = None) -> None:
        """Begin without refusals. Without a folder there is nothing to read."""
        self.folder = folder
        self._refusals = SlidingWindow(60.0)

    def log_sign_in(self, address: str, *, how: str, well: bool) -> None:
        """Log that a link that signs in was used, successfully or not."""
        if well:
            _log.info("signed in by %s from %s", how, address)
        else:
            self.log_refusal(address, None, f"sign-in by {how}", "unauthorized")

    def log_refusal(self, address: str, caller: Caller | None, what: str, code: str) -> None:
        """Log a refused request; at most `_MOST_REFUSALS` a minute for an address and a code."""
        now = time.monotonic()
        key = (address, code)
        if self._refusals.wait(key, _MOST_REFUSALS, now) == 0:
            self._refusals.add(key, now)
            _log.warning("refused %s: %s, %s from %s", what, code, _who(caller), address)

    def log_change(self, request: web.Request, caller: Caller, address: str, status: int) -> None:
        """Log a request that changed something, or tried to."""
        _log.info("%s %d, %s from %s", name_of(request), status, _who(caller), address)

    def newest(self, limit: int) -> tuple[AuditEntry, ...]:
        """Read the newest entries, newest first; lines that are not ours are left out.

        Blocks on the disk, at most a few files of 2 MB for each server that logged.
        """
        if self.folder is None:
            return ()
        lines = [read for files in audit_files(self.folder) for read in _newest_of(files, limit)]
        lines.sort(key=lambda read: read[0], reverse=True)
        return tuple(entry for _, entry in lines[:limit])


def name_of(request: web.Request) -> str:
    """Return method and route of a request, not its address, which may contain a query."""
    resource = request.match_info.route.resource
    method = request.method if request.method in hdrs.METH_ALL else "?"
    return f"{method} {resource.canonical if resource is not None else '(no route)'}"


def _who(caller: Caller | None) -> str:
    return "unknown" if caller is None else f"{caller.name} ({caller.scope})"


def _newest_of(files: Sequence[Path], limit: int) -> Iterator[tuple[float, AuditEntry]]:
    """Yield the newest entries of one server with their POSIX seconds, newest first."""
    count = 0
    for file in files:
        try:
            lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
        except OSError:
            continue  # rotated away meanwhile
        for line in reversed(lines):
            read = _read(line)
            if read is not None:
                yield read
                count += 1
            if count == limit:
                return


def _read(line: str) -> tuple[float, AuditEntry] | None:
    """Read a line, text or JSON; None for one that is damaged or of another form."""
    try:
        stamp, told = _parts(line)
        at = datetime.fromisoformat(stamp).timestamp()
    except (ValueError, KeyError, TypeError, OverflowError, OSError):
        return None
    for event, form in _FORMS.items():
        match = form.fullmatch(told)
        if match is not None:
            return at, _entry(iso(at) or "", event, match.groupdict())
    return None


def _parts(line: str) -> tuple[str, str]:
    """Return the time and the message of a line."""
    if line.startswith("{"):
        fields = json.loads(line)
        return fields["time"], fields["message"]
    match = _LINE.fullmatch(line)
    if match is None:
        raise ValueError("not a line of the audit log")
    return match["at"], match["told"]


def _entry(at: str, event: Event, named: Mapping[str, str | None]) -> AuditEntry:
    status = named.get("status")
    return AuditEntry(
        at,
        event,
        named["what"] or "",
        named.get("by"),
        cast("DeviceScope | None", named.get("scope")),
        named["address"] or "",
        int(status) if status is not None else None,
        named.get("code"),
    )
