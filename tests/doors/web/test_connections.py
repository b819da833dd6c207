"""Connections that could exhaust a server: slow, many, large, and those with TLS."""

from __future__ import annotations

import asyncio
import contextlib
import json
import ssl
import subprocess
from collections.abc import AsyncIterator
from itertools import count
from pathlib import Path

import aiohttp
import pytest

from notewell.base.errors import ConfigError
from notewell.base.types import LimitRules, ServerRules, Settings
from notewell.contract.status import StatusRequest
from notewell.doors.web import server as server_module
from notewell.doors.web.auth import SAFETY_HEADERS
from notewell.doors.web.listener import tls_context
from notewell.doors.web.server import BoundServer, serve
from notewell.engine.client import RemoteBackend, running_server
from tests.doors.web.fakes import TOKEN, FakeVaults
from tests.waiting import HANG_S


class Running:
    """A server as `serve` runs it."""

    def __init__(self, bound: BoundServer, task: asyncio.Task[None]) -> None:
        self.bound = bound
        self.task = task

    async def talk(self, text: bytes, *, seconds: float = HANG_S) -> bytes:
        """Send `text` and read until the server closes."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.bound.port)
        writer.write(text)
        try:
            return await asyncio.wait_for(reader.read(), seconds)
        finally:
            writer.close()


async def start(vaults: object, settings: Settings) -> Running:
    listening: asyncio.Future[BoundServer] = asyncio.get_running_loop().create_future()
    task = asyncio.create_task(
        serve(
            vaults,
            settings,
            host="127.0.0.1",
            port=0,
            token=TOKEN,
            handshake=False,
            ready=listening.set_result,
        )
    )
    await asyncio.wait([listening, task], return_when=asyncio.FIRST_COMPLETED)
    if task.done():
        await task
    return Running(listening.result(), task)


async def stop(running: Running) -> None:
    running.task.cancel()
    await asyncio.gather(running.task, return_exceptions=True)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(
        data_dir=tmp_path,
        model_dir=tmp_path,
        state_dir=tmp_path,
        limits=LimitRules(connections=4),
    )


@pytest.fixture
async def running(
    vaults: FakeVaults, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Running]:
    """A server that cuts off idle connections very soon."""
    monkeypatch.setattr(server_module, "IDLE_SECONDS", 0.2)
    server = await start(vaults, settings)
    yield server
    await stop(server)


@pytest.fixture
async def patient(
    vaults: FakeVaults, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Running]:
    """A server that cuts off no idle connection while a test runs."""
    monkeypatch.setattr(server_module, "IDLE_SECONDS", 10 * HANG_S)
    server = await start(vaults, settings)
    yield server
    await stop(server)


@pytest.mark.parametrize(
    "head", [b"", b"GET /api/health HT", b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: 1\r\n"]
)
async def test_unfinished_request_headers_time_out(running: Running, head: bytes) -> None:
    assert await running.talk(head) == b""


async def test_slow_request_headers_time_out(running: Running) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", running.bound.port)

    async def trickle() -> None:
        for number in count():
            writer.write(f"X-{number}: slow\r\n".encode() if number else b"GET / HTTP/1.1\r\n")
            await writer.drain()
            await asyncio.sleep(0.02)

    trickling = asyncio.create_task(trickle())
    closed = b""
    with contextlib.suppress(ConnectionError):  # as a line that comes after the end may make it
        closed = await asyncio.wait_for(reader.read(), HANG_S)
    trickling.cancel()
    await asyncio.gather(trickling, return_exceptions=True)
    writer.close()

    assert b"200" not in closed


async def test_a_head_that_is_too_large_is_refused(running: Running) -> None:
    huge = b"GET / HTTP/1.1\r\nX-Huge: " + b"x" * 100_000 + b"\r\n\r\n"

    assert (await running.talk(huge)).startswith(b"HTTP/1.0 400") or b" 400 " in (
        await running.talk(huge)
    )


async def test_two_content_lengths_are_refused(running: Running) -> None:
    smuggled = (
        f"POST /api/similar HTTP/1.1\r\nHost: 127.0.0.1:{running.bound.port}\r\n"
        "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /api/status"
    )

    assert b" 400 " in (await running.talk(smuggled.encode()))


# --- TLS ----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("tls")
    cert, key = folder / "cert.pem", folder / "key.pem"
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"]
    command += ["-subj", "/CN=notes.example", "-keyout", str(key), "-out", str(cert)]
    try:
        subprocess.run(command, check=True, capture_output=True)
    except FileNotFoundError:
        pytest.skip("needs the program openssl")
    return cert, key


async def test_with_a_certificate_it_speaks_https_and_this_machine_finds_it(
    vaults: FakeVaults, tmp_path: Path, certificate: tuple[Path, Path]
) -> None:
    cert, key = certificate
    rules = ServerRules(tls_cert=str(cert), tls_key=str(key), allowed_hosts=("notes.example",))
    settings = Settings(data_dir=tmp_path, model_dir=tmp_path, state_dir=tmp_path, server=rules)
    running = await start(vaults, settings)
    try:
        assert running.bound.url.startswith("https://127.0.0.1:")
        found = await asyncio.to_thread(running_server, vaults.directory(vaults.records()[0]))
        assert found is not None
        status = await asyncio.to_thread(RemoteBackend(found).document, StatusRequest())
        assert b'"state":"ready"' in status
        assert b"HTTP" not in await running.talk(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        trusting = ssl.create_default_context(cafile=str(cert))
        trusting.check_hostname = False
        async with (
            aiohttp.ClientSession() as session,
            session.post(
                running.bound.url, data={"token": TOKEN}, ssl=trusting, allow_redirects=False
            ) as response,
        ):
            assert next(iter(response.cookies.values()))["secure"]
    finally:
        await stop(running)


@pytest.mark.parametrize("broken", ["missing", "key", "text"])
def test_a_certificate_that_cannot_be_used_is_named(
    tmp_path: Path, certificate: tuple[Path, Path], broken: str
) -> None:
    cert, key = map(str, certificate)
    (tmp_path / "text.pem").write_text("no certificate")
    rules = {
        "missing": ServerRules(tls_cert=str(tmp_path / "none.pem")),
        "key": ServerRules(tls_cert=cert),
        "text": ServerRules(tls_cert=str(tmp_path / "text.pem"), tls_key=key),
    }[broken]

    with pytest.raises(ConfigError, match="tls_cert"):
        tls_context(rules)


@pytest.mark.parametrize(
    ("request_head", "status"),
    [
        (b"NONSENSE\r\n\r\n", 400),
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", 400),
        (b"GET / HTTP/9.9\r\n\r\n", 400),
        (b"GET /api/health HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n", 400),
        (b"GET /api/health HTTP/1.1\r\nHost: a\r\nBad Header: 1\r\n\r\n", 400),
        (
            (
                b"POST /api/similar HTTP/1.1\r\nHost: a\r\nExpect: gold\r\nConnection: close\r\n"
                b"Content-Length: 2\r\n\r\n{}"
            ),
            417,
        ),
        (
            b"POST /api/similar HTTP/1.1\r\nHost: a\r\nExpect: \xff\r\nContent-Length: 2\r\n\r\n{}",
            400,
        ),
    ],
)
async def test_what_is_no_request_gets_a_problem_document_with_our_headers(
    patient: Running, request_head: bytes, status: int
) -> None:
    head, _, body = (await patient.talk(request_head)).partition(b"\r\n\r\n")
    lines = head.decode("latin-1").split("\r\n")
    headers = {
        name.lower(): value.strip() for name, _, value in (li.partition(":") for li in lines)
    }
    assert lines[0].split(" ")[1] == str(status)
    assert headers["content-type"].startswith("application/problem+json")
    assert json.loads(body)["status"] == status
    for name, value in SAFETY_HEADERS.items():
        assert headers[name.lower()] == value
    assert b"aiohttp" not in head.lower() + body.lower()
    assert b"python" not in head.lower()
