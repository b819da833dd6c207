"""Who may call: known hosts, our own pages, and callers that show a token or a session of ours.

A browser shows its session in two halves: a cookie, and a page key in a header that our own pages
send. Cookies know no port: any server on another port of the same host gets them when the browser
visits it. The page key lies in the storage of our origin, which other ports cannot read.

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
from functools import lru_cache
from pathlib import Path
from urllib.parse import urlsplit

from aiohttp import hdrs, web

from notewell.base.errors import ForbiddenError
from notewell.base.types import ServerRules
from notewell.engine.access import (
    DEVICES_FILE,
    TOKEN_FILE,
    Devices,
    Scope,
    digest,
    session_of,
    stored_token,
)

ANY = "*"  # in an allow-list
LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})
_PASSED_ON = ("Forwarded", hdrs.X_FORWARDED_FOR, "X-Forwarded-Host", "X-Real-IP", hdrs.VIA)

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

PAGE_KEY = "Notewell-Page-Key"  # the header with a session's second half
KEY_PARAMETER = "key"  # the same in the address of a page
REFUSED_PARAMETER = "refused"  # in the address: what did not sign in, `token` or `code`
PAGES = frozenset({"shell", "docs", "openapi"})  # what a link opens; none shows anything of a vault

_HOST = re.compile(
    r"(?:\[(?P<v6>[0-9a-f:.]+)\]|(?P<name>[^:\[\]@/\s]+))(?::(?P<port>[0-9]{1,5}))?",
    re.IGNORECASE,
)
_STAMP_SECONDS = 60.0  # how exactly "last used" is known


@dataclass(frozen=True, slots=True)
class Caller:
    """Somebody with access. `id` tells callers apart; `name` is the one that a person gave."""

    id: str
    name: str
    scope: Scope


@dataclass(frozen=True, slots=True)
class _Known:
    """A caller, with the digests of their token and of their session."""

    caller: Caller
    token: str | None
    session: str


OWNER = Caller("owner", "this computer", "admin")
CALLER: ContextVar[Caller] = ContextVar("notewell.caller")  # of the request being answered
CLIENT: ContextVar[str] = ContextVar("notewell.engine.client")  # its address
AT_HOME: ContextVar[bool] = ContextVar("notewell.at_home", default=False)  # from this computer


class Callers:
    """Everybody with access to this server, with `state_dir` also those that its files name."""

    def __init__(self, token: str, state_dir: Path | None = None) -> None:
        self._own = _Known(OWNER, digest(token), digest(session_of(token)))
        self._state_dir = state_dir
        self.devices = Devices(state_dir) if state_dir is not None else None
        self._stamp: tuple[object, ...] | None = None
        self._filed: tuple[_Known, ...] = ()
        self._used: dict[str, float] = {}

    def by_token(self, token: str) -> Caller | None:
        """Return the caller with this token; None for an unknown one."""
        shown, caller = digest(token), None
        for known in self._all():  # all of them, so that the time reveals nothing
            if known.token is not None and hmac.compare_digest(known.token, shown):
                caller = known.caller
        return self._note(caller)

    def by_session(self, session: str) -> Caller | None:
        """Return the caller with this session; None for an unknown one."""
        shown, caller = digest(session), None
        for known in self._all():
            if hmac.compare_digest(known.session, shown):
                caller = known.caller
        return self._note(caller)

    def redeem(self, code: str, name: str | None) -> str | None:
        """Return the session for the code of a one-time link; None for one that is used or expired.

        With the `name` of the browser it is a pairing code. Blocks on the disk, so it runs off the
        event loop.
        """
        if self.devices is None:
            return None
        return self.devices.redeem(code) if name is None else self.devices.pair_browser(code, name)

    def last_used(self, device: str) -> float | None:
        """Return when a device was last used, if that is not saved yet; POSIX seconds."""
        return self._used.get(device)

    def save_used(self) -> None:
        """Save when devices were last used; blocks on the disk."""
        used, self._used = self._used, {}
        if used and self.devices is not None:
            self.devices.store_last_use(used)

    def _note(self, caller: Caller | None) -> Caller | None:
        if caller is not None and caller is not OWNER:
            now = time.time()
            if now - self._used.get(caller.id, 0.0) > _STAMP_SECONDS:
                self._used[caller.id] = now
        return caller

    def _all(self) -> tuple[_Known, ...]:
        if self._state_dir is None:
            return (self._own,)
        stamp = tuple(_stamp_of(self._state_dir / name) for name in (TOKEN_FILE, DEVICES_FILE))
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


def _stamp_of(file: Path) -> object:
    """Return a stamp that changes with the content of a file."""
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
    """Checks of host, origin and caller, by the rules of one server."""

    callers: Callers
    rules: ServerRules

    def check_host(self, hosts: list[str], bound: Address) -> str:
        """Return the one `Host` of a request; raise ForbiddenError where it is unknown."""
        if len(hosts) == 1 and self._is_known(hosts[0], bound):
            return hosts[0]
        shown = repr(hosts[0][:100]) if len(hosts) == 1 else "missing or sent twice"
        raise ForbiddenError(
            f"The Host of this request ({shown}) is not a name of this server. If it is yours,"
            " add it to `allowed_hosts` under [server] in the configuration (`notewell config"
            " path` shows the file) or to NOTEWELL_SERVER_ALLOWED_HOSTS, and start it again.",
            code="unknown_host",
        )

    def check_page(self, request: web.Request, host: str) -> None:
        """Raise ForbiddenError for a request by a foreign page; programs name no page.

        Browsers leave `Origin` out of what a page only embeds, such as a picture or a frame. Those
        say where they come from elsewhere; only opening a page may come from anywhere.
        """
        origins = request.headers.getall(hdrs.ORIGIN, [])
        opens_page = request.headers.get("Sec-Fetch-Dest", "document") == "document"
        if not origins and not opens_page and not _is_from_ours(request):
            raise ForbiddenError(
                "Pages of other sites may link to this server, and load nothing from it.",
                code="foreign_origin",
            )
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
        """Return the caller by token, or by session from our pages; None if unknown."""
        token = shown_token(request)
        identified = self.callers.by_token(token) if token else None
        return identified or self.browser(request, bound)

    def browser(self, request: web.Request, bound: Address) -> Caller | None:
        """Return the caller by a browser's session, if one of our pages sent the request."""
        cookie, key = _shown_session(request, bound)
        shown = cookie and key and _is_from_ours(request)
        return self.callers.by_session(cookie + key) if shown else None

    def check_own_page(self, request: web.Request) -> None:
        """Raise ForbiddenError where a browser says that the request is by a page of others."""
        if not _is_from_ours(request):
            raise ForbiddenError(
                "Signing in is for Notewell's own pages: open the link itself.",
                code="foreign_origin",
            )

    def address(self, request: web.Request) -> str:
        """Return the address of the client: of the connection, or as a trusted proxy says."""
        peer = request.transport.get_extra_info("peername") if request.transport else None
        address = str(peer[0]) if isinstance(peer, tuple) else ""
        said = ",".join(request.headers.getall(hdrs.X_FORWARDED_FOR, []))
        for hop in [part.strip() for part in said.split(",") if part.strip()][::-1]:
            if address not in self.rules.trusted_proxies:
                break
            address = hop
        return address[:64]

    def is_at_home(self, request: web.Request, caller: Caller, bound: Address) -> bool:
        """True if this computer's own administrator asks from it, and not through a proxy.

        A proxy on this computer, such as `tailscale serve`, has its address too: what it passes on
        names another host, or says for whom.
        """
        match = _HOST.fullmatch(request.headers.get(hdrs.HOST, ""))
        host = match and (match["v6"] or match["name"]).lower()
        passed_on = any(name in request.headers for name in _PASSED_ON)
        peer = request.transport.get_extra_info("peername") if request.transport else None
        local = isinstance(peer, tuple) and _plain_host(str(peer[0])) in LOOPBACK_NAMES
        own = local and bound.host in LOOPBACK_NAMES and host in LOOPBACK_NAMES
        return caller == OWNER and own and not passed_on

    def is_secure(self, request: web.Request) -> bool:
        """True if the request came by HTTPS, to this server or to a trusted proxy."""
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
        """Yield the host of `server.public_url`, if it is set."""
        if self.rules.public_url:
            yield urlsplit(self.rules.public_url).netloc


def shown_token(request: web.Request) -> str:
    """Return the bearer token of a request, known or not; empty if it has none."""
    scheme, _, shown = request.headers.get(hdrs.AUTHORIZATION, "").partition(" ")
    return shown.strip() if scheme.lower() == "bearer" else ""


def shown_secret(request: web.Request, bound: Address) -> str:
    """Return the secret that counts as a guess where it is wrong; empty if there is none.

    Foreign pages can make a browser send addresses, and cookies that another port has set; they
    cannot send either header. So nothing that they do counts.
    """
    if PAGE_KEY not in request.headers:
        return shown_token(request)
    return shown_token(request) or "".join(_shown_session(request, bound))


def _is_from_ours(request: web.Request) -> bool:
    """True if a request is by our own pages, a person or a program, as far as it is said."""
    return request.headers.get("Sec-Fetch-Site", "none") in {"same-origin", "none"}


def _shown_session(request: web.Request, bound: Address) -> tuple[str, str]:
    """Return the cookie and the page key that a request shows; empty if it has none.

    Only pages that are opened by a link, which cannot send headers, may have it in the address.
    """
    by_link = request.match_info.route.name in PAGES
    in_address = request.query.get(KEY_PARAMETER, "") if by_link else ""
    cookie = request.cookies.get(cookie_name(bound.port), "")
    return cookie, request.headers.get(PAGE_KEY, in_address)


def cookie_name(port: int) -> str:
    """Return the name of the cookie; the port keeps two servers on one machine apart."""
    return f"notewell-{port}"


def bound_address(request: web.Request) -> Address:
    """Return the local address of a request's connection; empty if it is closed already."""
    transport = request.transport
    name = transport.get_extra_info("sockname") if transport is not None else None
    if not isinstance(name, tuple):
        return Address(host="", port=0)
    return Address(host=_plain_host(str(name[0])), port=int(name[1]))


@lru_cache(maxsize=64)  # a machine has few addresses of its own
def _plain_host(host: str) -> str:
    """Return an address without its zone, and as IPv4 where it is one."""
    address = ipaddress.ip_address(host.partition("%")[0])
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return str(mapped or address)
