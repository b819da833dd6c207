"""Opening one connection: address, TLS and time limits."""

from __future__ import annotations

import ipaddress
import re
import socket
import ssl
from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException, IncompleteRead, InvalidURL
from typing import TypeVar
from urllib.parse import SplitResult, urlsplit

from notewell.base.support.http.messages import HttpError

T = TypeVar("T")
_TARGET = re.compile(r"[!-~]*")  # printable ASCII without spaces
PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class Tls:
    """Which servers are trusted.

    `ca_file` replaces the system's authorities and may hold the server's own certificate.
    `check_hostname` is switched off for a server that is known by that file instead of by its name.
    """

    ca_file: str | None = None
    check_hostname: bool = True

    def context(self) -> ssl.SSLContext:
        """The settings of a connection. Raises OSError where `ca_file` cannot be read."""
        context = ssl.create_default_context(cafile=self.ca_file)
        context.check_hostname = self.check_hostname
        context.set_alpn_protocols(["http/1.1"])
        if self.ca_file is not None:  # a server's own certificate is no authority
            context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
        return context


PUBLIC = Tls()  # the system's authorities


class Connection(HTTPConnection):
    """One connection, to the URL's host or to an address that was checked beforehand."""

    def __init__(
        self, url: SplitResult, address: str | None, tls: Tls, *, timeout_s: float, connect_s: float
    ) -> None:
        """Nothing is opened yet. `timeout_s` bounds each read, `connect_s` the opening."""
        host, port = url.hostname or "", url.port or PORTS[url.scheme]
        super().__init__(host, port, timeout=timeout_s)
        self.default_port = PORTS[url.scheme]  # leaves the usual port out of the Host header
        self._address = address or host
        self._tls = tls if url.scheme == "https" else None
        self._connect_s = connect_s

    def connect(self) -> None:
        """Open the connection, without its TLS handshake. Raises OSError."""
        opened = socket.create_connection((self._address, self.port), self._connect_s)
        with ExitStack() as failed:
            failed.callback(opened.close)
            opened.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if self._tls is not None:
                # This closes what it was given if it fails, and takes it over if it does not.
                opened = self._tls.context().wrap_socket(
                    opened, server_hostname=self.host, do_handshake_on_connect=False
                )
            failed.pop_all()
        self.sock = opened

    def handshake(self) -> None:
        """Agree on TLS, where the connection uses it. Raises OSError."""
        if isinstance(self.sock, ssl.SSLSocket):
            self.sock.do_handshake()
        self.sock.settimeout(self.timeout)


def parse_url(url: str) -> SplitResult:
    """Split an http or https URL whose path is already quoted. Raises HttpError ("address")."""
    try:
        parts = urlsplit(url)
        valid = parts.scheme in PORTS and bool(parts.hostname) and parts.port != 0
    except ValueError as error:
        raise HttpError("address", str(error)) from error
    if not valid or not _TARGET.fullmatch(f"{parts.path}?{parts.query}"):
        raise HttpError("address", "not an http or https address")
    return parts


def hang_up(opened: socket.socket) -> None:
    """End a connection that another thread is reading from; its read then returns at once."""
    with suppress(OSError):
        # Not the TLS socket's own method, which would take its state from under the reader.
        socket.socket.shutdown(opened, socket.SHUT_RDWR)


def translate(work: Callable[[], T]) -> T:
    """Run `work`; what the standard library raises becomes an HttpError."""
    try:
        return work()
    except ssl.SSLCertVerificationError as error:
        raise HttpError("certificate", str(error)) from error
    except TimeoutError as error:
        raise HttpError("timeout", str(error) or "timed out") from error
    except IncompleteRead as error:
        raise HttpError("truncated", "ended too early") from error
    except InvalidURL as error:
        raise HttpError("address", str(error)) from error
    except (OSError, HTTPException) as error:
        raise HttpError("connection", str(error) or type(error).__name__) from error
    except (ValueError, LookupError) as error:  # characters that no host or header may have
        raise HttpError("address", str(error)) from error


def is_loopback(host: str) -> bool:
    """Whether what is sent to `host` stays on this computer."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
