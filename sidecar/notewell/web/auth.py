"""Who may call: known hosts, our own pages, and callers that show a token or a cookie of ours.

The host name stops DNS rebinding: a foreign page that points its own name at this machine still
sends that name. The origin stops foreign pages that know our address. The secret stops everybody
else. No CORS header is ever sent.

A server knows up to three kinds of secret: the token of its own process, which it leaves for
programs of this machine; the token that stays between runs; and those of single devices. The latter
two are read again when their files change, so that a rotated or revoked one stops working at once.
"""

from __future__ import annotations

import hmac
import ipaddress
import re
import time
from collections.abc import Iterator
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from aiohttp import hdrs, web

from notewell.access.devices import DEVICES_FILE, Devices, Scope
from notewell.access.tokens import TOKEN_FILE, digest, session_of, stored_token
from notewell.errors import ForbiddenError
from notewell.types import ServerRules

ANY = "*"  # in an allow-list
LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})

STRICT_POLICY = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
SAFETY_HEADERS = {
    "Content-Security-Policy": STRICT_POLICY,
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Cache-Control": "no-store",
    "Server": "Notewell",
}

_HOST = re.compile(
    r"(?:\[(?P<v6>[0-9a-f:.]+)\]|(?P<name>[^:\[\]@/\s]+))(?::(?P<port>[0-9]{1,5}))?",
    re.IGNORECASE,
)
_STAMP_SECONDS = 60.0  # how exactly "last used" is known


@dataclass(frozen=True, slots=True)
class Caller:
    """Somebody who may ask. `id` tells callers apart; `name` is what a person called them."""

    id: str
    name: str
    scope: Scope


@dataclass(frozen=True, slots=True)
class _Known:
    """A caller, with the digests of what they may show."""

    caller: Caller
    token: str | None
    session: str


OWNER = Caller("owner", "this computer", "admin")
CALLER: ContextVar[Caller] = ContextVar("notewell.caller")  # of the request being answered


class Callers:
    """Those who may ask this server. With `state_dir` also those whom its files name."""

    def __init__(self, token: str, state_dir: Path | None = None) -> None:
        """`token` is the process's own."""
        self._own = _Known(OWNER, digest(token), digest(session_of(token)))
        self._state_dir = state_dir
        self.devices = Devices(state_dir) if state_dir is not None else None
        self._stamp: tuple[object, ...] | None = None
        self._filed: tuple[_Known, ...] = ()
        self._used: dict[str, float] = {}

    def by_token(self, token: str) -> Caller | None:
        """Who shows `token`; None for nobody we know."""
        shown, found = digest(token), None
        for known in self._all():  # all of them, so that the time tells nothing
            if known.token is not None and hmac.compare_digest(known.token, shown):
                found = known.caller
        return self._noted(found)

    def by_cookie(self, cookie: str) -> Caller | None:
        """Whose browser shows `cookie`; None for nobody we know."""
        shown, found = digest(cookie), None
        for known in self._all():
            if hmac.compare_digest(known.session, shown):
                found = known.caller
        return self._noted(found)

    def redeem(self, code: str) -> str | None:
        """The cookie for a link that works once; None where it worked already or is too old.

        Blocks on the disk, so it runs off the event loop.
        """
        return self.devices.redeem(code) if self.devices is not None else None

    def save_used(self) -> None:
        """Write down when devices were last heard of; blocks on the disk."""
        used, self._used = self._used, {}
        if used and self.devices is not None:
            self.devices.used(used)

    def _noted(self, caller: Caller | None) -> Caller | None:
        if caller is not None and caller is not OWNER:
            now = time.time()
            if now - self._used.get(caller.id, 0.0) > _STAMP_SECONDS:
                self._used[caller.id] = now
        return caller

    def _all(self) -> tuple[_Known, ...]:
        if self._state_dir is None:
            return (self._own,)
        stamp = tuple(_changed(self._state_dir / name) for name in (TOKEN_FILE, DEVICES_FILE))
        if stamp != self._stamp:
            self._filed = (*self._kept(), *self._of_devices())
            self._stamp = stamp
        return (self._own, *self._filed)

    def _kept(self) -> tuple[_Known, ...]:
        if self._state_dir is None or not (self._state_dir / TOKEN_FILE).exists():
            return ()
        token = stored_token(self._state_dir)
        return (_Known(OWNER, digest(token), digest(session_of(token))),)

    def _of_devices(self) -> tuple[_Known, ...]:
        devices = self.devices.all() if self.devices is not None else ()
        return tuple(
            _Known(Caller(device.id, device.name, device.scope), device.token, device.session)
            for device in devices
        )


def _changed(file: Path) -> object:
    """What tells one content of a file from the next."""
    try:
        seen = file.stat()
    except OSError:
        return None
    return seen.st_ino, seen.st_mtime_ns, seen.st_size


@dataclass(frozen=True, slots=True)
class Address:
    """The address of this machine that a connection came in on."""

    host: str
    port: int


@dataclass(frozen=True, slots=True)
class Gate:
    """The rules of one server, and those who may ask it."""

    callers: Callers
    rules: ServerRules

    def check_host(self, hosts: list[str], bound: Address) -> str:
        """Return the one `Host` of a request, or raise ForbiddenError where it is not ours."""
        if len(hosts) == 1 and self._is_known(hosts[0], bound):
            return hosts[0]
        shown = repr(hosts[0][:100]) if len(hosts) == 1 else "missing or sent twice"
        raise ForbiddenError(
            f"The Host of this request ({shown}) is not a name of this server. If it is yours,"
            " add it to `allowed_hosts` under [server] in the configuration (`notewell config"
            " path` shows the file) or to NOTEWELL_SERVER_ALLOWED_HOSTS, and start it again.",
            code="unknown_host",
        )

    def check_origin(self, origins: list[str], host: str) -> None:
        """Refuse a request from a page that is not ours; programs send no `Origin`."""
        ours = {f"http://{host}", f"https://{host}", *self.rules.allowed_origins}
        for origin in origins:
            if origin not in ours and ANY not in ours:
                raise ForbiddenError(
                    f"Pages of {origin[:100]!r} may not call this server. If that page is yours,"
                    " add its origin to `allowed_origins` under [server] in the configuration, or"
                    " to NOTEWELL_SERVER_ALLOWED_ORIGINS.",
                    code="foreign_origin",
                )

    def caller(self, request: web.Request, bound: Address) -> Caller | None:
        """Who shows a token, or a cookie from a page of ours; None for nobody we know."""
        token = shown_token(request)
        found = self.callers.by_token(token) if token else None
        return found or self.browser(request, bound)

    def browser(self, request: web.Request, bound: Address) -> Caller | None:
        """Whose browser shows a cookie of ours, and does so for a page of ours."""
        cookie = request.cookies.get(cookie_name(bound.port), "")
        from_ours = request.headers.get("Sec-Fetch-Site", "none") in {"same-origin", "none"}
        return self.callers.by_cookie(cookie) if cookie and from_ours else None

    def address(self, request: web.Request) -> str:
        """Where a request comes from: behind a proxy that we trust, what it says."""
        peer = request.transport.get_extra_info("peername") if request.transport else None
        address = str(peer[0]) if isinstance(peer, tuple) else ""
        said = ",".join(request.headers.getall(hdrs.X_FORWARDED_FOR, []))
        for hop in [part.strip() for part in said.split(",") if part.strip()][::-1]:
            if address not in self.rules.trusted_proxies:
                break
            address = hop
        return address[:64]

    def is_secure(self, request: web.Request) -> bool:
        """Whether a browser reached us by HTTPS, perhaps with a proxy we trust in between."""
        peer = request.transport.get_extra_info("peername") if request.transport else None
        trusted = isinstance(peer, tuple) and peer[0] in self.rules.trusted_proxies
        return request.secure or (trusted and request.headers.get("X-Forwarded-Proto") == "https")

    def _is_known(self, host: str, bound: Address) -> bool:
        match = _HOST.fullmatch(host)
        if match is None:
            return False
        name = (match["v6"] or match["name"]).lower()
        port = int(match["port"] or 80)
        allowed = {entry.lower() for entry in (*self.rules.allowed_hosts, *self._public())}
        # An allowed name without a port stands behind a proxy, whose port we cannot know.
        if ANY in allowed or name in allowed or host.lower() in allowed:
            return True
        own = name in LOOPBACK_NAMES or name in {self.rules.host.lower(), bound.host}
        return own and port == bound.port

    def _public(self) -> Iterator[str]:
        """The host by which devices were told to reach this server."""
        if self.rules.public_url:
            yield urlsplit(self.rules.public_url).netloc


def shown_token(request: web.Request) -> str:
    """The token that a request shows, known or not; empty where it shows none."""
    scheme, _, shown = request.headers.get(hdrs.AUTHORIZATION, "").partition(" ")
    return shown.strip() if scheme.lower() == "bearer" else ""


def cookie_name(port: int) -> str:
    """Name of the browser's cookie; the port keeps two servers on one machine apart."""
    return f"notewell-{port}"


def bound_address(request: web.Request) -> Address:
    """Tell the local address a request arrived at; unknown where the client is gone already."""
    transport = request.transport
    name = transport.get_extra_info("sockname") if transport is not None else None
    if not isinstance(name, tuple):
        return Address(host="", port=0)
    host = ipaddress.ip_address(str(name[0]).partition("%")[0])
    mapped = host.ipv4_mapped if isinstance(host, ipaddress.IPv6Address) else None
    return Address(host=str(mapped or host), port=int(name[1]))
