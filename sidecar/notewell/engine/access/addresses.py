"""Addresses at which other devices reach the server, and the links that pair a device with it."""

from __future__ import annotations

import ipaddress
import re
import socket
from dataclasses import dataclass
from urllib.parse import urlencode, urlsplit

from notewell.base.errors import UsageError
from notewell.base.types import ServerRules

_ANY = frozenset({"0.0.0.0", "::", ""})  # noqa: S104 - compared with, not bound to
# A host name, an IPv4 or an IPv6 address, and perhaps a port: nothing that could hide another host.
_ADDRESS = re.compile(
    r"https?://(?:\[[0-9a-f:.]+\]|[a-z0-9](?:[a-z0-9.-]{0,252}[a-z0-9])?)(?::[0-9]{1,5})?/?",
    re.IGNORECASE,
)
LOOPBACK_ONLY = (
    "Only this computer reaches that address. For a phone or another computer, put Tailscale or a"
    " proxy in front of the server and set `server.public_url`, or let it listen in your network"
    ' with `server.host = "0.0.0.0"`: docs/home-server.md has the steps.'
)


@dataclass(frozen=True, slots=True)
class PairingLinks:
    """The same one-time code for a browser (`url`) and for Obsidian (`obsidian`)."""

    url: str
    obsidian: str


def own_address(rules: ServerRules) -> str:
    """Return the server's address for other devices, as far as the settings say it."""
    if rules.public_url:
        return rules.public_url
    host = _address_in_the_network() if rules.host in _ANY else rules.host
    shown = f"[{host}]" if ":" in host else host
    return f"{'https' if rules.tls_cert else 'http'}://{shown}:{rules.port}"


def checked_address(address: str) -> str:
    """Return an address without a slash at the end; UsageError unless it is a scheme and a host."""
    if not _ADDRESS.fullmatch(address) or not _has_valid_port(address):
        raise UsageError(
            "an address is http:// or https://, a host, and perhaps a port, such as"
            " https://notes.home.arpa:8765"
        )
    return address.rstrip("/")


def is_loopback(address: str) -> bool:
    """Whether only this computer reaches an address, such as `http://127.0.0.1:8765`."""
    host = urlsplit(address).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def pairing_links(address: str, code: str, scope: str) -> PairingLinks:
    """Make the links for a code.

    In the browser's link everything stands after `#`, which browsers do not send: no proxy logs the
    code, and nothing that only looks at the link, such as a messenger, uses it up.
    """
    named = {"code": code, "name": socket.gethostname()[:64], "scope": scope}
    return PairingLinks(
        url=f"{address}/#/pair?{urlencode(named)}",
        obsidian=f"obsidian://notewell-pair?{urlencode({'url': address, **named})}",
    )


def _has_valid_port(address: str) -> bool:
    try:
        return urlsplit(address).port != 0
    except ValueError:
        return False


def _address_in_the_network() -> str:
    """Return this computer's address in its network; nothing is sent to find it."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # reserved for documentation, so no computer has it
            return str(probe.getsockname()[0])
        except OSError:
            return "127.0.0.1"
