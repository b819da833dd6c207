"""Reading public web pages for a language model, and nothing that is not public.

A model may be talked into asking for any address. So only the ports of the web are reached; a name
is resolved once, all its addresses must be public, and the connection goes to the address that was
checked, so that the name cannot mean another machine a moment later. Each redirect is checked anew.
"""

from __future__ import annotations

import html
import ipaddress
import json
import re
import socket
import ssl
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html.parser import HTMLParser
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from urllib.parse import SplitResult, quote, urljoin, urlsplit

from notewell.errors import ProviderError

MOST_BYTES = 2 * 1024 * 1024
MOST_CHARS = 60_000
MOST_REDIRECTS = 4
SECONDS = 15.0
MOST_FOUND = 8
_PORTS = {"http": 80, "https": 443}
# What the standard library raises over an address, a character set or a page written wrongly.
_MALFORMED = (ValueError, LookupError, AssertionError)
# Translated to IPv4 on the way, or kept for protocols; not every Python knows them.
_NOT_PUBLIC = tuple(map(ipaddress.ip_network, ("64:ff9b::/96", "64:ff9b:1::/48", "192.0.0.0/24")))
_TEXT = re.compile(r"text/(?:html|plain|markdown)|application/(?:xhtml\+xml|json)")
_AGENT = "Notewell (reads one page for its user)"

Resolve = Callable[[str, int], Sequence[str]]


@dataclass(frozen=True, slots=True)
class Page:
    """A web page as text."""

    url: str
    title: str
    text: str


class Pages:
    """The public web, read page by page."""

    def __init__(self, search_url: str, resolve: Resolve | None = None) -> None:
        """`search_url` has {query} in it and is a person's own choice; "" is no web search."""
        self._search_url = search_url
        self._resolve = resolve or _resolve

    @property
    def can_search(self) -> bool:
        """Whether a search endpoint was chosen."""
        return "{query}" in self._search_url

    def read(self, url: str) -> Page:
        """Read a public page; ProviderError (code "web_refused" or "web_failed") for others."""
        for _ in range(MOST_REDIRECTS + 1):
            connection, response = self._get(url)
            try:
                if response.status in {301, 302, 303, 307, 308}:
                    url = urljoin(url, response.headers.get("Location", ""))
                    continue
                return _page(url, response)
            except (OSError, HTTPException, *_MALFORMED) as error:
                raise _failed(url, error) from error
            finally:
                connection.close()
        raise _refused(url, "it redirects too often")

    def search(self, query: str) -> tuple[Page, ...]:
        """What the chosen endpoint finds: titles, addresses and their descriptions."""
        url = self._search_url.replace("{query}", quote(query))
        address = _parts(url)
        if address.scheme not in _PORTS or not address.hostname:
            raise _refused(url, "`ask.web_search_url` must be a web address")
        # A person's own setting, often on their own network, so it may be private. No redirect is
        # followed from it.
        kind = HTTPSConnection if address.scheme == "https" else HTTPConnection
        connection = kind(address.hostname, address.port, timeout=SECONDS)
        try:
            headers = {"Accept": "application/json", "User-Agent": _AGENT}
            connection.request("GET", f"{address.path or '/'}?{address.query}", headers=headers)
            found = json.loads(connection.getresponse().read(MOST_BYTES))["results"]
            return tuple(
                Page(str(one["url"]), str(one.get("title", "")), str(one.get("content", "")))
                for one in found[:MOST_FOUND]
            )
        except (OSError, HTTPException) as error:
            raise _failed(url, error) from error
        except (ValueError, KeyError, TypeError) as error:
            raise ProviderError(
                "The web search did not answer in JSON as SearXNG does (`ask.web_search_url`).",
                code="web_failed",
            ) from error
        finally:
            connection.close()

    def _get(self, url: str) -> tuple[HTTPConnection, HTTPResponse]:
        address = _parts(url)
        host, scheme = address.hostname or "", address.scheme
        try:
            port = address.port
        except ValueError as error:
            raise _refused(url, "its port is none") from error
        if scheme not in _PORTS or not host or port not in {None, _PORTS.get(scheme)}:
            raise _refused(url, "only http and https on their own ports are read")
        if address.username is not None or address.password is not None:
            raise _refused(url, "it names a user")
        place = self._public(url, host, _PORTS[scheme])
        try:
            connection = _Pinned(host, _PORTS[scheme], place, secure=scheme == "https")
        except HTTPException as error:
            raise _refused(url, "it is no address") from error
        target = f"{address.path or '/'}{f'?{address.query}' if address.query else ''}"
        try:
            connection.request(
                "GET",
                quote(target, safe="/?=&%:;,+~@!$'()*-._#[]"),
                headers={"User-Agent": _AGENT, "Accept": "text/html, text/plain"},
            )
            return connection, connection.getresponse()
        except (OSError, HTTPException, *_MALFORMED) as error:
            connection.close()
            raise _failed(url, error) from error

    def _public(self, url: str, host: str, port: int) -> str:
        """The address to connect to; every address of the name must be public."""
        try:
            places = self._resolve(host, port)
        except (OSError, *_MALFORMED) as error:
            raise _failed(url, error) from error
        if not places:
            raise _refused(url, "its name leads nowhere")
        for place in places:
            if not _is_public(place):
                raise _refused(url, "it leads into a private network")
        return places[0]


class _Pinned(HTTPConnection):
    """A connection to an address that was checked, under the name that was asked for."""

    def __init__(self, host: str, port: int, place: str, *, secure: bool) -> None:
        super().__init__(host, port, timeout=SECONDS)
        self._place = place
        self._secure = secure

    def connect(self) -> None:
        opened = socket.create_connection((self._place, self.port), self.timeout)
        if self._secure:
            context = ssl.create_default_context()
            opened = context.wrap_socket(opened, server_hostname=self.host)
        self.sock = opened


def _parts(url: str) -> SplitResult:
    try:
        return urlsplit(url)
    except ValueError as error:
        raise _refused(url, "it is no address") from error


def _resolve(host: str, port: int) -> tuple[str, ...]:
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return tuple(dict.fromkeys(str(one[4][0]) for one in found))


def _is_public(place: str) -> bool:
    try:
        address = ipaddress.ip_address(place.partition("%")[0])
    except ValueError:
        return False
    if isinstance(address, ipaddress.IPv6Address):
        # Addresses that carry an IPv4 one inside lead where that leads.
        inner = address.ipv4_mapped or address.sixtofour or (address.teredo or (None, None))[1]
        if inner is not None:
            return False
    if any(address in network for network in _NOT_PUBLIC):
        return False
    return address.is_global and not address.is_multicast


def _page(url: str, response: HTTPResponse) -> Page:
    if response.status != 200:
        raise ProviderError(f"{url} answered with status {response.status}.", code="web_failed")
    kind = response.headers.get_content_type()
    if not _TEXT.fullmatch(kind):
        raise _refused(url, f"it is no text ({kind})")
    raw = response.read(MOST_BYTES)
    text = raw.decode(response.headers.get_content_charset() or "utf-8", "replace")
    if "html" not in kind:
        return Page(url, url, text[:MOST_CHARS])
    reader = _Reader()
    reader.feed(text)
    reader.close()
    body = re.sub(r"\n\s*\n+", "\n\n", re.sub(r"[ \t]+", " ", "".join(reader.parts))).strip()
    title = " ".join("".join(reader.title).split())
    return Page(url, title or url, body[:MOST_CHARS])


class _Reader(HTMLParser):
    """The text that a reader sees of a page."""

    _HIDDEN = frozenset({"script", "style", "noscript", "template", "svg", "head", "nav", "iframe"})
    _BREAKS = frozenset({"p", "br", "div", "li", "tr", "h1", "h2", "h3", "h4", "h5", "h6", "pre"})

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self.title: list[str] = []
        self._hidden: list[str] = []
        self._in_title = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002 - the parser's signature
        if tag in self._HIDDEN:
            self._hidden.append(tag)
        elif tag in self._BREAKS:
            self.parts.append("\n")
        self._in_title = tag == "title"

    def handle_endtag(self, tag: str) -> None:
        if tag in self._hidden:
            del self._hidden[self._hidden.index(tag) :]
        self._in_title = False

    def handle_data(self, data: str) -> None:
        if self._in_title:
            self.title.append(html.unescape(data))
        elif not self._hidden:
            self.parts.append(data)


def _refused(url: str, why: str) -> ProviderError:
    return ProviderError(f"{url[:200]} is not read: {why}.", code="web_refused")


def _failed(url: str, error: Exception) -> ProviderError:
    return ProviderError(
        f"{url[:200]} cannot be read ({str(error) or type(error).__name__}).", code="web_failed"
    )
