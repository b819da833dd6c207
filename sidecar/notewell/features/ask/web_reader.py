"""Reads public web pages for a language model, and refuses private addresses.

Text in a note or page may trick a model into requesting any address, so each request, of a redirect
too, is made by `support.http`.
"""

from __future__ import annotations

import html
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from html.parser import HTMLParser
from urllib.parse import quote, urljoin

from notewell.api.errors import ProviderError
from notewell.base.support.http import HttpClient, HttpError, HttpRequest, Json, StreamedReply
from notewell.base.support.http.addresses import (
    MALFORMED,
    Resolve,
    public_request,
    resolve,
    web_address,
)
from notewell.base.support.http.connection import PORTS
from notewell.features.ask.permissions import KnownAddresses

NOT_ALLOWED = (
    "its whole address stands neither in the question, nor in a result of a search, nor in a page"
    " that was read, and the person did not allow it"
)
MAX_BYTES = 2 * 1024 * 1024  # of a page; the rest is not read
MAX_CHARS = 60_000
MAX_REDIRECTS = 4
MAX_RESULTS = 8
MAX_SECONDS = 30.0  # for a page with all its redirects
_SILENCE_S = 15.0
_SEARCH_CLIENT = HttpClient(
    timeout_s=_SILENCE_S, connect_s=_SILENCE_S, deadline_s=MAX_SECONDS, max_bytes=MAX_BYTES
)
_TEXT = re.compile(r"text/(?:html|plain|markdown)|application/(?:xhtml\+xml|json)")
_AGENT = "Notewell (reads one page for its user)"

_now = time.monotonic


@dataclass(frozen=True, slots=True)
class WebPage:
    """A web page as text."""

    url: str
    title: str
    text: str


class WebPages:
    """Reads pages of the public web, and searches it."""

    def __init__(
        self, search_url: str, resolve: Resolve = resolve, *, known: KnownAddresses | None = None
    ) -> None:
        """`search_url` is the user's search endpoint and contains {query}; "" for no search.

        `known` are the addresses that may be read, to which those that are found are added; None:
        whoever calls decides.
        """
        self._search_url = search_url
        self._resolve = resolve
        self.known = known

    @property
    def can_search(self) -> bool:
        """True where a search endpoint is configured."""
        return "{query}" in self._search_url

    def read(self, url: str) -> WebPage:
        """Read a page.

        Raises ProviderError with code "web_refused" for one that must not be read, or "web_failed".
        """
        if self.known is not None and url not in self.known:
            raise _refused(url, NOT_ALLOWED)
        deadline = _now() + MAX_SECONDS
        for _ in range(MAX_REDIRECTS + 1):
            request = self._request(url)
            try:
                with _client(deadline - _now()).stream(request) as reply:
                    if reply.status not in {301, 302, 303, 307, 308}:
                        page = _page(url, reply)
                        self._learn(page.text)
                        return page
                    url = urljoin(url, reply.headers.get("Location", ""))
            except HttpError as error:
                if error.kind == "address":
                    raise _refused(url, "it is not a valid address") from error
                raise _failure(url, error) from error
            except MALFORMED as error:
                raise _failure(url, error) from error
        raise _refused(url, "it redirects too often")

    def search(self, query: str) -> tuple[WebPage, ...]:
        """Search the web; the text of each result is its description. Raises ProviderError.

        The endpoint is a setting of the user and often in their own network, so it may be private.
        """
        url = self._search_url.replace("{query}", quote(query))
        try:
            address = web_address(url)
        except HttpError as error:
            raise _refusal(url, error) from error
        if address.scheme not in PORTS or not address.hostname:
            raise _refused(url, "`ask.web_search_url` must be a web address")
        headers = {"Accept": "application/json", "User-Agent": _AGENT}
        try:
            results = _results(_SEARCH_CLIENT.send(HttpRequest("GET", url, headers)).json())
        except HttpError as error:
            if error.kind == "not_json":
                raise _not_searxng() from error
            raise _failure(url, error) from error
        except (KeyError, TypeError) as error:
            raise _not_searxng() from error
        for page in results:
            self._learn(page.url)
        return results

    def _learn(self, text: str) -> None:
        """Have the addresses in a text read, too."""
        if self.known is not None:
            self.known.learn(text)

    def _request(self, url: str) -> HttpRequest:
        """The request for a page, with the checked address to connect to."""
        headers = {"User-Agent": _AGENT, "Accept": "text/html, text/plain"}
        try:
            return public_request(url, headers, resolve=self._resolve)
        except HttpError as error:
            raise _refusal(url, error) from error


def _refusal(url: str, error: HttpError) -> ProviderError:
    return _refused(url, str(error)) if error.kind == "refused" else _failure(url, error)


def _client(seconds: float) -> HttpClient:
    """The client of one request that may take so long.

    A page is cut at MAX_BYTES, so a large one is not an error.
    """
    if seconds <= 0:
        raise HttpError("timeout", f"took longer than {MAX_SECONDS:g} s")
    silence = min(_SILENCE_S, seconds)
    return HttpClient(timeout_s=silence, connect_s=silence, deadline_s=seconds, max_bytes=None)


def _results(payload: Json) -> tuple[WebPage, ...]:
    """The results in a reply of SearXNG. Raises KeyError or TypeError for another format."""
    results = payload["results"] if isinstance(payload, Mapping) else None
    if not isinstance(results, list):
        raise TypeError(results)
    return tuple(
        WebPage(str(result["url"]), str(result.get("title", "")), str(result.get("content", "")))
        for result in results[:MAX_RESULTS]
    )


def _page(url: str, response: StreamedReply) -> WebPage:
    if response.status != 200:
        raise ProviderError(f"{url} answered with status {response.status}.", code="web_failed")
    kind = response.headers.get_content_type()
    if not _TEXT.fullmatch(kind):
        raise _refused(url, f"it is not text ({kind})")
    raw = response.read_at_most(MAX_BYTES)
    text = raw.decode(response.headers.get_content_charset() or "utf-8", "replace")
    if "html" not in kind:
        return WebPage(url, url, text[:MAX_CHARS])
    reader = _PageText()
    reader.feed(text)
    reader.close()
    body = re.sub(r"\n\s*\n+", "\n\n", re.sub(r"[ \t]+", " ", "".join(reader.parts))).strip()
    title = " ".join("".join(reader.title).split())
    return WebPage(url, title or url, body[:MAX_CHARS])


class _PageText(HTMLParser):
    """Collects the visible text and the title of an HTML page."""

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


def _not_searxng() -> ProviderError:
    return ProviderError(
        "The web search did not answer in JSON as SearXNG does (`ask.web_search_url`).",
        code="web_failed",
    )


def _failure(url: str, error: Exception) -> ProviderError:
    return ProviderError(
        f"{url[:200]} cannot be read ({str(error) or type(error).__name__}).", code="web_failed"
    )
