"""Whom the server answers: known hosts, own pages, and callers that hold the token.

Three checks stand before every handler. The host name stops DNS rebinding: a foreign page that
points its own name at this machine still sends that name. The origin stops foreign pages that
know our address. The token stops everybody else. No CORS header is ever sent.
"""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
import re
from dataclasses import dataclass

from aiohttp import hdrs, web

from recollect.errors import AccessError, ForbiddenError
from recollect.types import ServerRules

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
    "Server": "Recollect",
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
    """The rules of one server. `token` is the secret that callers show."""

    token: str
    rules: ServerRules

    def check_host(self, hosts: list[str], bound: Address) -> str:
        """Return the one `Host` of a request, or raise ForbiddenError where it is not ours."""
        if len(hosts) == 1 and self._is_known(hosts[0], bound):
            return hosts[0]
        shown = repr(hosts[0][:100]) if len(hosts) == 1 else "missing or sent twice"
        raise ForbiddenError(
            f"The Host of this request ({shown}) is not a name of this server. If it is yours,"
            " add it to `allowed_hosts` under [server] in the configuration"
            " (`recollect config path` shows the file).",
            code="unknown_host",
        )

    def check_origin(self, origins: list[str], host: str) -> None:
        """Refuse a request from a page that is not ours; programs send no `Origin`."""
        ours = {f"http://{host}", f"https://{host}", *self.rules.allowed_origins}
        for origin in origins:
            if origin not in ours:
                raise ForbiddenError(
                    f"Pages of {origin[:100]!r} may not call this server. If that page is yours,"
                    " add its origin to `allowed_origins` under [server] in the configuration.",
                    code="foreign_origin",
                )

    def is_token(self, candidate: str) -> bool:
        """Compare with the token in constant time."""
        return hmac.compare_digest(_bytes(candidate), _bytes(self.token))

    def session(self) -> str:
        """What the browser's cookie holds: made from the token, and of no use to find it.

        Browsers send cookies to every port of a host, so another local server may come to see it.
        """
        return hmac.new(
            _bytes(self.token), b"recollect browser session", hashlib.sha256
        ).hexdigest()

    def check_token(self, request: web.Request, bound: Address) -> None:
        """Raise AccessError unless the request shows the token, or our cookie from our own page."""
        scheme, _, shown = request.headers.get(hdrs.AUTHORIZATION, "").partition(" ")
        if scheme.lower() == "bearer" and self.is_token(shown.strip()):
            return
        if self.is_signed_in(request, bound):
            return
        raise AccessError(
            "This route needs the server's token: send `Authorization: Bearer TOKEN`"
            " (`recollect token show` prints it), or open the link that `recollect serve` printed.",
        )

    def is_signed_in(self, request: web.Request, bound: Address) -> bool:
        """Tell whether a browser shows our cookie, and does so for a page of ours."""
        cookie = request.cookies.get(cookie_name(bound.port), "")
        from_ours = request.headers.get("Sec-Fetch-Site", "none") in {"same-origin", "none"}
        return from_ours and hmac.compare_digest(_bytes(cookie), _bytes(self.session()))

    def _is_known(self, host: str, bound: Address) -> bool:
        match = _HOST.fullmatch(host)
        if match is None:
            return False
        name = (match["v6"] or match["name"]).lower()
        port = int(match["port"] or 80)
        allowed = {entry.lower() for entry in self.rules.allowed_hosts}
        # An allowed name without a port stands behind a proxy, whose port we cannot know.
        if name in allowed or host.lower() in allowed:
            return True
        own = name in LOOPBACK_NAMES or name in {self.rules.host.lower(), bound.host}
        return own and port == bound.port


def cookie_name(port: int) -> str:
    """Name of the browser's cookie; the port keeps two servers on one machine apart."""
    return f"recollect-{port}"


def bound_address(request: web.Request) -> Address:
    """Tell the local address a request arrived at; unknown where the client is gone already."""
    transport = request.transport
    name = transport.get_extra_info("sockname") if transport is not None else None
    if not isinstance(name, tuple):
        return Address(host="", port=0)
    host = ipaddress.ip_address(str(name[0]).partition("%")[0])
    mapped = host.ipv4_mapped if isinstance(host, ipaddress.IPv6Address) else None
    return Address(host=str(mapped or host), port=int(name[1]))


def bind_warning(host: str) -> str | None:
    """Say what listening on `host` means where it is not this machine alone."""
    if host in LOOPBACK_NAMES or _is_loopback(host):
        return None
    return (
        f"Listening on {host}: every device that reaches this machine can ask this server, and the"
        " token and your notes travel unencrypted. Use a trusted network or put TLS in front."
    )


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")
