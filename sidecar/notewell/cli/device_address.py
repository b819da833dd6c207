"""By which address other devices reach a server, and how a person gets it onto a phone."""

from __future__ import annotations

import socket
import sys
from collections.abc import Callable

from notewell.types import ServerRules

_ANY = frozenset({"0.0.0.0", "::", ""})  # noqa: S104 - compared with, not bound to
_LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})


def address_of(rules: ServerRules, say: Callable[[str], None]) -> str:
    """The address that the settings give a server; `say` hears what is doubtful about it."""
    if rules.public_url:
        return rules.public_url
    host = rules.host
    if host in _ANY:
        host = _address_in_the_network()
    if host in _LOOPBACK:
        say(
            "Only this computer reaches that address. For a phone, serve beyond it (see"
            " docs/home-server.md) and name the address: --url, or `server.public_url`."
        )
    shown = f"[{host}]" if ":" in host else host
    return f"{'https' if rules.tls_cert else 'http'}://{shown}:{rules.port}"


def print_qr(link: str, *, wanted: bool | None) -> None:
    """Draw `link` on stderr for a phone's camera; by default where a person looks at it."""
    if wanted is False or (wanted is None and not sys.stderr.isatty()):
        return
    import segno  # noqa: PLC0415 - only this command draws

    segno.make(link, error="l", micro=False).terminal(out=sys.stderr, compact=True, border=2)


def _address_in_the_network() -> str:
    """The address of this computer towards its network; nothing is sent to find it."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # an address for documentation: nobody has it
            return str(probe.getsockname()[0])
        except OSError:
            return "127.0.0.1"
