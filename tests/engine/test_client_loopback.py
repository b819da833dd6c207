"""Requests to a server of this computer: whole replies, or an error within the time limit."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from notewell.engine.client import exchange
from tests.waiting import HANG_S


@contextmanager
def server(reply: bytes, *, closes: bool = True) -> Iterator[tuple[str, list[bytes]]]:
    """A server that sends the same bytes to everybody; its address and what it received."""
    received: list[bytes] = []
    ended = threading.Event()

    def serve(listener: socket.socket) -> None:
        connection, _ = listener.accept()
        with connection:
            received.append(connection.recv(65536))
            connection.sendall(reply)
            if not closes:
                ended.wait()

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=serve, args=(listener,))
        thread.start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}", received
        ended.set()
        thread.join()


def test_a_request_is_sent_whole_and_the_reply_read_to_its_end() -> None:
    body = b"x" * 300_000
    reply = b"HTTP/1.1 201 Created\r\ncontent-length: 300000\r\nX: y\r\n\r\n" + body
    with server(reply) as (url, received):
        answer = exchange(url + "/a?q=%C3%BC", "POST", {"X-Key": "k"}, b"{}", timeout=HANG_S)

    assert answer == (201, body)
    host = url.removeprefix("http://").encode()
    assert received == [
        b"POST /a?q=%C3%BC HTTP/1.0\r\nHost: "
        + host
        + b"\r\nX-Key: k\r\nContent-Length: 2\r\n\r\n{}"
    ]


def test_a_reply_may_end_with_the_connection() -> None:
    with server(b"HTTP/1.0 200 OK\r\n\r\nfour") as (url, _):
        assert exchange(url + "/", "GET", {}, None, timeout=HANG_S) == (200, b"four")


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (b"", "not an HTTP reply"),
        (b"220 mail.example ESMTP\r\n\r\n", "not an HTTP reply"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 9", "not an HTTP reply"),
        (b"HTTP/1.1 abc\r\n\r\n", "not an HTTP reply"),
        (b"x" * 70_000, "not an HTTP reply"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nfour", "ended too early"),
    ],
    ids=["nothing", "another protocol", "half a head", "no status", "no head", "half a body"],
)
def test_what_is_not_a_whole_reply_is_an_error(reply: bytes, reason: str) -> None:
    with server(reply) as (url, _), pytest.raises(ConnectionError, match=reason):
        exchange(url + "/", "GET", {}, None, timeout=HANG_S)


def test_a_silent_server_is_an_error_after_the_time_limit() -> None:
    with server(b"HTTP/1.1 200 OK\r\n", closes=False) as (url, _), pytest.raises(TimeoutError):
        exchange(url + "/", "GET", {}, None, timeout=0.05)


@pytest.mark.parametrize(
    ("url", "headers"),
    [
        ("http://127.0.0.1:port/", {}),
        ("http://127.0.0.1:99999/", {}),
        ("http://hôte:1/", {}),
        ("http://127.0.0.1:9/", {"A": "b\r\nC: d"}),
    ],
)
def test_an_invalid_address_or_header_is_refused(url: str, headers: dict[str, str]) -> None:
    with pytest.raises(ValueError, match=r".+"):
        exchange(url, "GET", headers, None, timeout=HANG_S)
