"""Whom the server answers: known hosts, own pages, and callers that show a secret of ours.

Three checks stand before every handler. The host name stops DNS rebinding: a foreign page that
points its own name at this machine still sends that name. The origin stops foreign pages that
know our address. The token stops everybody else. No CORS header is ever sent.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import urlsplit

from aiohttp import hdrs, web

from notewell.errors import ForbiddenError
from notewell.types import ServerRules
from notewell.web.callers import Caller, Callers

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


def warnings_of(rules: ServerRules) -> tuple[str, ...]:
    """Say what a person should know of the rules they set."""
    return tuple(filter(None, (bind_warning(rules.host, tls=bool(rules.tls_cert)), *_wild(rules))))


def bind_warning(host: str, *, tls: bool = False) -> str | None:
    """Say what listening on `host` means where it is not this machine alone."""
    if host in LOOPBACK_NAMES or _is_loopback(host):
        return None
    reach = f"Listening on {host}: every device that reaches this machine can ask this server"
    if tls:
        return f"{reach}."
    return (
        f"{reach}, and the token and your notes travel unencrypted. Use a trusted network, or TLS"
        " (`server.tls_cert`, or a proxy in front)."
    )


def _wild(rules: ServerRules) -> Iterator[str]:
    if ANY in rules.allowed_hosts:
        yield (
            "`server.allowed_hosts` has `*`: any web page may point its own name at this server"
            " (DNS rebinding). Name the hosts instead."
        )
    if ANY in rules.allowed_origins:
        yield (
            "`server.allowed_origins` has `*`: pages of any origin may send requests to this"
            " server. Name the origins instead."
        )


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
