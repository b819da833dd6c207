"""Web addresses that a model may have read: those that it did not put together itself.

A note can talk a model into reading another note and then a page whose address holds its text. So a
page is read where its whole address stands in a question of the person, among the results of a
search of the web, or in a page that was read; for any other the person is asked.
"""

from __future__ import annotations

import re
import secrets
import threading
import time
from collections.abc import Iterable, Iterator
from urllib.parse import urlsplit, urlunsplit

from notewell.api.errors import NotFoundError
from notewell.base.support.http import Cancel

WAIT_S = 120.0  # for the person, who may be away
_LOOK_S = 0.2
_MOST_KNOWN = 10_000
_ADDRESS = re.compile(r"https?://[^\s<>\"'`|\\^{}\x00-\x1f]{1,4000}", re.IGNORECASE)
_AFTER = ".,;:!?*_~"  # marks of the sentence around an address, not of the address


class KnownAddresses:
    """The addresses that one answer may read without a question."""

    def __init__(self, questions: Iterable[str] = ()) -> None:
        """Those in the person's questions."""
        self._known: set[str] = set()
        for question in questions:
            self.learn(question)

    def learn(self, text: str) -> None:
        """Also allow the whole addresses in a text."""
        for address in _addresses(text):
            self.allow(address)

    def allow(self, address: str) -> None:
        """Also allow one address."""
        if len(self._known) < _MOST_KNOWN:
            self._known.add(_normal(address))

    def __contains__(self, address: str) -> bool:
        return _normal(address) in self._known


class Permissions:
    """Questions to the person that wait for an answer. Any thread may call."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._answers: dict[str, bool | None] = {}

    def begin(self) -> str:
        """Begin a question; its id is as hard to guess as a token."""
        number = secrets.token_hex(16)
        with self._lock:
            self._answers[number] = None
        return number

    def answer(self, number: str, *, allow: bool) -> None:
        """Answer a question. NotFoundError where it does not wait (any more)."""
        with self._lock:
            if self._answers.get(number, False) is not None:
                raise NotFoundError(
                    "This question about an address is not open (any more).",
                    code="permission_not_found",
                )
            self._answers[number] = allow

    def wait(self, number: str, cancel: Cancel) -> bool:
        """Wait for the answer to a question; False where none comes in time.

        Raises CancelledError where the answer it belongs to is cancelled.
        """
        end = time.monotonic() + WAIT_S
        try:
            while time.monotonic() < end:
                cancel.check()
                with self._lock:
                    allowed = self._answers[number]
                if allowed is not None:
                    return allowed
                time.sleep(_LOOK_S)
            return False
        finally:
            with self._lock:
                self._answers.pop(number, None)


def _addresses(text: str) -> Iterator[str]:
    """The addresses in a text, without the marks that stand around them."""
    for match in _ADDRESS.finditer(text):
        address = match[0].rstrip(_AFTER)
        while address.endswith((")", "]")):
            opening = "(" if address.endswith(")") else "["
            if address.count(address[-1]) <= address.count(opening):
                break
            address = address[:-1].rstrip(_AFTER)
        yield address


def _normal(address: str) -> str:
    """An address without what is never sent or makes no difference: the part after #, capitals."""
    try:
        parts = urlsplit(address.strip())
        return urlunsplit(
            (parts.scheme.lower(), parts.netloc.lower(), parts.path or "/", parts.query, "")
        )
    except ValueError:
        return address


def host_of(address: str) -> str:
    """The host of an address, for people; "" where it has none."""
    try:
        return urlsplit(address).hostname or ""
    except ValueError:
        return ""
