"""Tell addresses of the public internet from local ones, and connect to public ones alone."""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Callable, Mapping, Sequence
from urllib.parse import SplitResult, quote, urlsplit

from notewell.base.support.http.connection import (
    PORTS,
    HttpError,
    HttpRequest,
)

# What the standard library raises for an invalid address, character set or page.
MALFORMED = (ValueError, LookupError, AssertionError)
# All that is assigned to hosts of the public internet (IANA, "IPv6 Global Unicast Address
# Assignments"). Everything else is local, reserved, or contains an IPv4 address.
_PUBLIC_V6 = ipaddress.IPv6Network("2000::/3")
# Parts of the public ranges that are not for hosts (IANA's registries of special-purpose
# addresses); not every version of Python knows all of them. 2001::/23 has Teredo, benchmarks and
# ORCHID; 2002::/16 contains IPv4 addresses (6to4).
_SPECIAL = tuple(
    map(
        ipaddress.ip_network,
        (
            *("192.0.0.0/24", "192.31.196.0/24", "192.52.193.0/24", "192.88.99.0/24"),
            *("192.175.48.0/24", "198.18.0.0/15"),
            *("2001::/23", "2001:db8::/32", "2002::/16", "2620:4f:8000::/48", "3fff::/20"),
        ),
    )
)
Resolve = Callable[[str, int], Sequence[str]]


def resolve(host: str, port: int) -> tuple[str, ...]:
    """The addresses of a host name; raises OSError where it has none."""
    addresses = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return tuple(dict.fromkeys(str(info[4][0]) for info in addresses))


def public_request(
    url: str, headers: Mapping[str, str], *, method: str = "GET", resolve: Resolve = resolve
) -> HttpRequest:
    """The request for `url`, with the checked address to connect to.

    Raises HttpError: "refused" for what must not be requested, "connection" where the name has no
    address.
    """
    address = web_address(url)
    host, scheme = address.hostname or "", address.scheme
    try:
        port = address.port
    except ValueError as error:
        raise HttpError("refused", "its port is not valid") from error
    if scheme not in PORTS or not host or port not in {None, PORTS.get(scheme)}:
        raise HttpError("refused", "only http and https on their default ports are read")
    if address.username is not None or address.password is not None:
        raise HttpError("refused", "it contains a user name or password")
    target = f"{address.path or '/'}{f'?{address.query}' if address.query else ''}"
    quoted = quote(target, safe="/?=&%:;,+~@!$'()*-._#[]")
    return HttpRequest(
        method,
        f"{scheme}://{address.netloc}{quoted}",
        headers,
        address=_public(host, PORTS[scheme], resolve),
    )


def web_address(url: str) -> SplitResult:
    """The parts of an address; HttpError "refused" if it is malformed."""
    try:
        return urlsplit(url)
    except ValueError as error:
        raise HttpError("refused", "it is not a valid address") from error


def _public(host: str, port: int, resolve: Resolve) -> str:
    """The address to connect to; every address of the name must be public."""
    try:
        addresses = resolve(host, port)
    except (OSError, *MALFORMED) as error:
        raise HttpError("connection", str(error) or type(error).__name__) from error
    if not addresses:
        raise HttpError("refused", "its name has no address")
    for address in addresses:
        if not is_public(address):
            raise HttpError("refused", "it is in a private network")
    return addresses[0]


def is_public(place: str) -> bool:
    """True if an address is of a host of the public internet: global unicast, nothing special."""
    try:
        address = ipaddress.ip_address(place)
    except ValueError:
        return False
    if "%" in place:  # an address within one network
        return False
    if isinstance(address, ipaddress.IPv6Address) and address not in _PUBLIC_V6:
        return False
    if any(address in network for network in _SPECIAL):
        return False
    return address.is_global and not address.is_multicast and not address.is_reserved
