"""A reply that is read piece by piece, within a time for all of it, until somebody cancels."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from functools import partial
from http.client import HTTPMessage, HTTPResponse
from typing import TypeVar

from notewell.base.support.http.connection import (
    Cancel,
    HttpError,
    OpenConnection,
    hang_up,
    translate,
)
from notewell.base.support.http.events import ServerEvent, parse_events

T = TypeVar("T")
_PIECE_BYTES = 64 * 1024


class ConnectionGuard:
    """Ends a connection that is cancelled or whose deadline has passed."""

    def __init__(self, cancel: Cancel, deadline_s: float | None) -> None:
        """`deadline_s` counts from `watch`; None: no deadline."""
        self._cancel = cancel
        self._deadline_s = deadline_s
        self._expired = threading.Event()
        self._timer: threading.Timer | None = None

    def watch(self, opened: socket.socket) -> None:
        if self._deadline_s is not None:
            self._timer = threading.Timer(self._deadline_s, self._expire, (opened,))
            self._timer.daemon = True
            self._timer.start()
        self._cancel.on_cancel(partial(hang_up, opened))

    def run(self, work: Callable[[], T]) -> T:
        """Run a piece of network work; a connection that was ended just looks closed to it."""
        try:
            result = translate(work)
        except HttpError:
            self._check()
            raise
        self._check()
        return result

    def release(self) -> None:
        """Stop watching. May be called twice."""
        self._cancel.on_cancel(None)
        if self._timer is not None:
            self._timer.cancel()

    def _expire(self, opened: socket.socket) -> None:
        self._expired.set()
        hang_up(opened)

    def _check(self) -> None:
        self._cancel.check()
        if self._expired.is_set():
            raise HttpError("timeout", f"took longer than {self._deadline_s:g} s")


class StreamedReply:
    """A reply whose headers have arrived and whose body is still to be read, once."""

    def __init__(
        self,
        connection: OpenConnection,
        response: HTTPResponse,
        guard: ConnectionGuard,
        max_bytes: int | None,
    ) -> None:
        """Take over an open connection; `close` ends it."""
        self._connection = connection
        self._response = response
        self._guard = guard
        self._max_bytes = max_bytes

    @property
    def status(self) -> int:
        return self._response.status

    @property
    def headers(self) -> HTTPMessage:
        """The headers; the case of names is ignored."""
        return self._response.headers

    def pieces(self) -> Iterator[bytes]:
        """The body as it arrives. Raises HttpError, also where it ends early or grows too large."""
        announced = self._response.length  # None: chunked, or until the connection ends
        self._refuse_above_limit(announced or 0)
        arrived = 0
        while arrived != announced:
            piece = self._guard.run(partial(self._response.read1, _PIECE_BYTES))
            if not piece:
                break
            arrived += len(piece)
            self._refuse_above_limit(arrived)
            yield piece
        if announced is not None and arrived < announced:
            raise HttpError("truncated", f"ended after {arrived} of {announced} bytes")

    def read(self) -> bytes:
        """The whole body. Raises HttpError as `pieces` does."""
        return b"".join(self.pieces())

    def read_at_most(self, limit: int) -> bytes:
        """The first `limit` bytes of the body; the rest is not read. Raises HttpError."""
        body = bytearray()
        for piece in self.pieces():
            body += piece
            if len(body) >= limit:
                break
        return bytes(body[:limit])

    def events(self) -> Iterator[ServerEvent]:
        """The body as server-sent events. Raises HttpError as `pieces` does."""
        return parse_events(self.pieces())

    def close(self) -> None:
        """End the connection. May be called twice."""
        self._guard.release()
        self._response.close()
        self._connection.close()

    def _refuse_above_limit(self, size: int) -> None:
        if self._max_bytes is not None and size > self._max_bytes:
            raise HttpError("too_large", f"more than {self._max_bytes} bytes")
