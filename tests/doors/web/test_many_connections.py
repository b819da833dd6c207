"""More connections than a server takes: slow and idle ones make room for whoever asks."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path
from typing import TypeAlias

import pytest

from notewell.base.types import LimitRules, Settings
from notewell.doors.web import server as server_module
from tests.doors.web.fakes import TOKEN, FakeVaults
from tests.doors.web.test_connections import Running, start, stop
from tests.waiting import HANG_S, until_async

Connection: TypeAlias = tuple[asyncio.StreamReader, asyncio.StreamWriter]
MANY = 300


def settings(folder: Path, connections: int = LimitRules().connections) -> Settings:
    limits = LimitRules(connections=connections)
    return Settings(data_dir=folder, model_dir=folder, state_dir=folder, limits=limits)


@pytest.fixture
async def run(
    vaults: FakeVaults, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Callable[[int], Awaitable[Running]]]:
    """Start a server that takes so many connections, and cuts none off while a test runs."""
    monkeypatch.setattr(server_module, "IDLE_SECONDS", 10 * HANG_S)
    async with contextlib.AsyncExitStack() as stack:

        async def run(connections: int = LimitRules().connections) -> Running:
            running = await start(vaults, settings(tmp_path, connections))
            stack.push_async_callback(stop, running)
            return running

        yield run


class Client:
    """Connections of one test, which are closed at its end."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.host = f"Host: 127.0.0.1:{port}\r\nAuthorization: Bearer {TOKEN}\r\n"
        self._open: list[Connection] = []

    async def connect(self, text: str = "") -> Connection:
        made = await asyncio.open_connection("127.0.0.1", self.port)
        self._open.append(made)
        made[1].write(text.encode())
        return made

    async def ask(self, made: Connection, path: str = "/api/health") -> bytes:
        """Send a request and read the head of its answer, and its body if it has a length."""
        reader, writer = made
        writer.write(f"GET {path} HTTP/1.1\r\n{self.host}\r\n".encode())
        head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), HANG_S)
        length = [
            int(line.split(b":")[1])
            for line in head.split(b"\r\n")
            if line.lower().startswith(b"content-length")
        ]
        return head + (await reader.readexactly(length[0]) if length else b"")

    async def stream(self) -> Connection:
        """An event stream that has begun: a request at work."""
        made = await self.connect()
        assert (await self.ask(made, "/api/events")).startswith(b"HTTP/1.1 200")
        return made

    def close(self) -> None:
        for _, writer in self._open:
            writer.close()


@contextlib.contextmanager
def client_of(running: Running) -> Iterator[Client]:
    client = Client(running.bound.port)
    try:
        yield client
    finally:
        client.close()


async def trickle(made: Connection, piece: bytes) -> None:
    """Send a piece now and then until the server closes the connection."""
    reader, writer = made
    closed = asyncio.create_task(reader.read())
    while not closed.done():
        with contextlib.suppress(ConnectionError):
            writer.write(piece)
        await asyncio.wait([closed], timeout=0.2)
    await asyncio.gather(closed, return_exceptions=True)


HEAD = "GET /api/health HTTP/1.1\r\n"
SLOW = {
    "nothing": ("", b""),
    "a head": (HEAD, b"X"),
    "lines of a head": (HEAD, b"X: slow\r\n"),
    "a body": ("POST /api/similar HTTP/1.1\r\n{host}Content-Length: 99999\r\n\r\n", b" "),
    "a body without a token": (
        "POST / HTTP/1.1\r\nHost: {plain}\r\nContent-Length: 999\r\n\r\n",
        b"a",
    ),
    "a body that nobody reads": (HEAD + "{host}Content-Length: 99999\r\n\r\n", b" "),
    "a second head": (HEAD + "{host}\r\n", b"X"),
}


@pytest.mark.parametrize("kind", SLOW)
async def test_whoever_asks_is_answered_beside_300_slow_connections(
    run: Callable[[], Awaitable[Running]], kind: str
) -> None:
    running = await run()
    begin, piece = SLOW[kind]
    with client_of(running) as client:
        stream, kept = await client.stream(), await client.connect()
        assert (await client.ask(kept)).startswith(b"HTTP/1.1 200")
        text = begin.format(host=client.host, plain=f"127.0.0.1:{client.port}")
        async with asyncio.TaskGroup() as trickling:
            slow = []
            for _ in range(MANY):
                made = await client.connect(text)
                if kind == "a second head":  # the answer to the first
                    await made[0].readuntil(b"\r\n\r\n")
                    made[1].write(HEAD.encode())
                slow.append(trickling.create_task(trickle(made, piece)))
            for _ in range(20):
                answer = await client.ask(await client.connect())
                assert answer.startswith(b"HTTP/1.1 200")
            # A browser and the plugin, which were there before, go on.
            assert (await client.ask(kept)).startswith(b"HTTP/1.1 200")
            assert not stream[0].at_eof()
            held = [task for task in slow if not task.done()]
            assert len(held) > 200  # the limit was reached all the time
            assert held == slow[-len(held) :]  # the oldest went first
            client.close()


@pytest.mark.parametrize("path", ["/api/openapi.json", "/texts/xx.json"])
async def test_who_does_not_read_an_answer_makes_room(
    run: Callable[[int], Awaitable[Running]], tmp_path: Path, path: str
) -> None:
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts/xx.json").write_text(json.dumps({"text": "x" * 900_000}), encoding="utf-8")
    running = await run(8)
    loop = asyncio.get_running_loop()
    with client_of(running) as client, contextlib.ExitStack() as stack:
        for _ in range(4):
            made = stack.enter_context(socket.socket())
            made.setblocking(False)
            made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            await loop.sock_connect(made, ("127.0.0.1", client.port))
            await loop.sock_sendall(made, f"GET {path} HTTP/1.1\r\n{client.host}\r\n".encode())
            await loop.sock_recv(made, 1)  # the answer is on its way

        async def answered() -> bool:
            with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
                return (await client.ask(await client.connect())).startswith(b"HTTP/1.1 200")
            return False

        assert await until_async(answered)


async def test_idle_connections_make_room_and_those_at_work_stay(
    run: Callable[[int], Awaitable[Running]],
) -> None:
    running = await run(8)  # four of an address
    with client_of(running) as client:
        streams = [await client.stream() for _ in range(2)]
        idle = [await client.connect() for _ in range(2)]
        for made in (*idle, idle[0]):  # so the second is idle for longer
            await client.ask(made)

        newer = await client.connect()
        assert (await client.ask(newer)).startswith(b"HTTP/1.1 200")

        assert await asyncio.wait_for(idle[1][0].read(), HANG_S) == b""
        for made in (idle[0], newer):
            assert (await client.ask(made)).startswith(b"HTTP/1.1 200")
        assert not any(reader.at_eof() for reader, _ in streams)


async def test_connections_that_are_all_at_work_keep_others_of_their_address_out(
    run: Callable[[int], Awaitable[Running]],
) -> None:
    running = await run(4)
    with client_of(running) as client:
        streams = [await client.stream() for _ in range(2)]  # half, for one address

        head, _, body = (await running.talk(b"")).partition(b"\r\n\r\n")

        assert b" 503 " in head
        assert b"Server: Notewell" in head
        assert b"Retry-After" in head
        assert json.loads(body)["code"] == "too_many_connections"
        streams.pop()[1].close()

        async def answered() -> bool:
            with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
                return (await client.ask(await client.connect())).startswith(b"HTTP/1.1 200")
            return False

        assert await until_async(answered)
