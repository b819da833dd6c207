"""Asks a page whether it still exists, and for its title and description.

Every request, of a redirect too, goes only to the public web (`support.http.public`).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime
from html.parser import HTMLParser
from typing import Literal
from urllib.parse import urljoin

from notewell.base.support.http import HttpClient, HttpError, StreamedReply
from notewell.base.support.http.public import MALFORMED, Resolve, public_request, resolve
from notewell.base.types.frozen import frozen

MAX_BYTES = 64 * 1024  # of a page; the title is at its beginning
MAX_REDIRECTS = 4
_AGENT = "Notewell (checks the links its user saved)"
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_GONE = frozenset({404, 410})
_SHOWN_CHARS = 300

# `gone`: the host answers that there is no such page, or does not answer at all; `unknown` says
# nothing about the page: it wants a password, is busy, fails, or must not be asked.
Verdict = Literal["alive", "moved", "gone", "unknown"]


@frozen
class Checked:
    """What came of one check. `status` is None if there was no reply; `url` is the last address."""

    verdict: Verdict
    reason: str
    at: str
    status: int | None = None
    kind: str = ""
    url: str = ""
    title: str = ""
    description: str = ""


class Web:
    """Checks addresses of the public web, one at a time."""

    def __init__(
        self,
        *,
        seconds: float = 10.0,
        resolve: Resolve = resolve,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        """`seconds` is the longest time of one check, with all its redirects."""
        self._seconds = seconds
        self._resolve = resolve
        self._now = now

    def check(self, url: str, *, read: bool = False) -> Checked:
        """Ask for a page by HEAD, by GET where HEAD is not allowed; `read`: by GET, with its title.

        Never raises for what a page or its host does.
        """
        at = datetime.now(UTC).isoformat(timespec="seconds")
        try:
            return self._follow(url, at, "GET" if read else "HEAD", read=read)
        except HttpError as error:
            lost = error.kind in {"connection", "timeout", "certificate"}
            return Checked("gone" if lost else "unknown", str(error)[:_SHOWN_CHARS], at)
        except MALFORMED as error:
            return Checked("unknown", f"its reply is not valid ({type(error).__name__})", at)

    def _follow(self, url: str, at: str, method: str, *, read: bool) -> Checked:
        deadline, permanent, first = self._now() + self._seconds, True, url
        for _ in range(MAX_REDIRECTS + 2):  # one more for the second method
            request = public_request(
                url, {"User-Agent": _AGENT}, method=method, resolve=self._resolve
            )
            with self._client(deadline - self._now()).stream(request) as reply:
                if reply.status in {405, 501} and method == "HEAD":
                    method = "GET"
                    continue
                location = reply.headers.get("Location")
                if reply.status not in _REDIRECTS or location is None:
                    moved = url != first and permanent
                    return _checked(reply, url, at, moved=moved, read=read)
                permanent = permanent and reply.status in {301, 308}
            url = urljoin(url, location)
        return Checked("unknown", "it redirects too often", at)

    def _client(self, seconds: float) -> HttpClient:
        if seconds <= 0:
            raise HttpError("timeout", f"took longer than {self._seconds:g} s")
        return HttpClient(timeout_s=seconds, connect_s=seconds, deadline_s=seconds, max_bytes=None)


def _checked(reply: StreamedReply, url: str, at: str, *, moved: bool, read: bool) -> Checked:
    status, kind = reply.status, reply.headers.get_content_type()
    if 200 <= status < 300:
        title, description = _about(reply, kind) if read else ("", "")
        verdict: Verdict = "moved" if moved else "alive"
        return Checked(verdict, "", at, status, kind, url, title, description)
    verdict = "gone" if status in _GONE else "unknown"
    return Checked(verdict, f"it answers with status {status}", at, status, kind, url)


def _about(reply: StreamedReply, kind: str) -> tuple[str, str]:
    """The title and the description of a page; "" for what it does not have."""
    if kind not in {"text/html", "application/xhtml+xml"}:
        return "", ""
    raw = reply.read_at_most(MAX_BYTES)
    charset = reply.headers.get_content_charset()
    head = _Head()
    head.feed(raw.decode(charset or "utf-8", "replace"))
    title = head.meta.get("og:title") or "".join(head.title)
    description = head.meta.get("og:description") or head.meta.get("description", "")
    return _one_line(title), _one_line(description)


class _Head(HTMLParser):
    """Collects the title of an HTML page and the contents of its `meta` elements by name."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.title: list[str] = []
        self.meta: dict[str, str] = {}
        self._in_title = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._in_title = tag == "title" and not self.title
        if tag == "meta":
            given = dict(attrs)
            name = given.get("property") or given.get("name") or ""
            self.meta.setdefault(name.lower(), given.get("content") or "")

    def handle_endtag(self, tag: str) -> None:  # noqa: ARG002 - the parser's signature
        self._in_title = False

    def handle_data(self, data: str) -> None:
        if self._in_title:
            self.title.append(data)


def _one_line(text: str) -> str:
    return " ".join(text.split())[:_SHOWN_CHARS]
