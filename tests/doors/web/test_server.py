"""A server's life: listening, announcing itself, stopping, and cleaning up."""

from __future__ import annotations

import asyncio
import io
import json
import logging
import os
import signal
import socket
import stat
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp
import pytest

from notewell.base.errors import ServerError
from notewell.base.types import Settings
from notewell.doors.web.server import SERVER_FILE, BoundServer, serve, watch
from tests.doors.web.fakes import TOKEN, FakeEngine, FakeVaults
from tests.waiting import HANG_S, happened, until_async


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(data_dir=tmp_path, model_dir=tmp_path, state_dir=tmp_path)


@asynccontextmanager
async def serving(
    vaults: FakeVaults, settings: Settings, *, host: str = "127.0.0.1", handshake: bool = False
) -> AsyncIterator[tuple[BoundServer, asyncio.Task[None]]]:
    listening: asyncio.Future[BoundServer] = asyncio.get_running_loop().create_future()
    task = asyncio.create_task(
        serve(
            vaults,
            settings,
            host=host,
            port=0,
            token=TOKEN,
            handshake=handshake,
            ready=listening.set_result,
        )
    )
    try:
        await asyncio.wait([listening, task], return_when=asyncio.FIRST_COMPLETED)
        if task.done():
            await task
        yield listening.result(), task
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


def server_file(vaults: FakeVaults) -> Path:
    return vaults.directory(vaults.records()[0]) / SERVER_FILE


async def status_of(url: str) -> int:
    headers = {"Authorization": f"Bearer {TOKEN}"}
    async with aiohttp.ClientSession(headers=headers) as session, session.get(url) as response:
        return response.status


async def test_it_answers_as_soon_as_it_says_that_it_is_ready(
    vaults: FakeVaults, settings: Settings
) -> None:
    async with serving(vaults, settings) as (bound, _):
        assert bound.port > 0
        assert bound.url == f"http://127.0.0.1:{bound.port}"
        assert bound.sign_in_url == f"{bound.url}/?token={TOKEN}"
        assert [record.name for record in bound.records] == ["Home"]
        assert bound.warnings == ()
        assert TOKEN not in repr(bound)
        assert await status_of(f"{bound.url}/api/status") == 200


async def test_it_leaves_a_private_file_beside_each_index_while_it_runs(
    two_vaults: FakeVaults, settings: Settings
) -> None:
    files = [two_vaults.directory(r) / SERVER_FILE for r in two_vaults.records()]
    files[0].write_text("{}")  # of a server that was killed
    files[0].chmod(0o644)

    async with serving(two_vaults, settings) as (bound, _):
        for file in files:
            assert stat.S_IMODE(file.stat().st_mode) == 0o600
            left = json.loads(file.read_bytes())
            assert left == {
                "url": bound.url,
                "token": TOKEN,
                "pid": os.getpid(),
                "api": 1,
                "version": bound.version,
                "vaults": ["a1b2", "c3d4"],
            }

    for file in files:
        assert [entry.name for entry in file.parent.iterdir()] == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
async def test_a_signal_ends_it_in_order(
    vaults: FakeVaults, settings: Settings, number: signal.Signals
) -> None:
    before = signal.getsignal(number)
    async with serving(vaults, settings) as (bound, task):
        os.kill(os.getpid(), number)
        await asyncio.wait_for(task, HANG_S)

        with pytest.raises(aiohttp.ClientConnectionError):
            await status_of(f"{bound.url}/api/health")
    assert vaults.closed
    assert not server_file(vaults).exists()
    assert signal.getsignal(number) == before


async def test_a_request_in_flight_is_finished_first(
    vaults: FakeVaults, engine: FakeEngine, settings: Settings
) -> None:
    begun, go_on = threading.Event(), threading.Event()

    def slow_status() -> dict[str, str]:
        begun.set()
        go_on.wait(HANG_S)
        return {"state": "done"}

    engine.status = slow_status
    async with serving(vaults, settings) as (bound, task):
        answer = asyncio.create_task(status_of(f"{bound.url}/api/status"))
        await happened(begun)
        os.kill(os.getpid(), signal.SIGTERM)
        await until_async(lambda: not server_file(vaults).exists())
        assert not vaults.closed
        go_on.set()

        assert await answer == 200
        await asyncio.wait_for(task, HANG_S)
    assert vaults.closed


async def test_with_handshake_it_ends_when_stdin_does(
    vaults: FakeVaults, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    reading, writing = os.pipe()
    with os.fdopen(reading, "rb") as stdin:
        monkeypatch.setattr("sys.stdin", stdin)
        async with serving(vaults, settings, handshake=True) as (bound, task):
            os.write(writing, b"what a parent may write is not read as anything\n")
            assert await status_of(f"{bound.url}/api/health") == 200
            assert not task.done()

            os.close(writing)
            await asyncio.wait_for(task, HANG_S)
    assert vaults.closed


async def test_a_stdin_that_was_closed_before_ends_it_at_once(
    vaults: FakeVaults, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed = io.StringIO()
    closed.close()
    monkeypatch.setattr("sys.stdin", closed)

    async with serving(vaults, settings, handshake=True) as (_, task):
        await asyncio.wait_for(task, HANG_S)
    assert vaults.closed


def test_a_process_without_stdin_counts_as_one_whose_stdin_closed() -> None:
    stopped = threading.Event()

    watch(None, stopped.set)

    assert stopped.wait(HANG_S)


async def test_a_taken_port_is_an_error_that_says_what_to_do(
    vaults: FakeVaults, settings: Settings
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]

        with pytest.raises(ServerError, match="--port") as refused:
            await serve(
                vaults,
                settings,
                host="127.0.0.1",
                port=port,
                token=TOKEN,
                handshake=False,
                ready=lambda _: None,
            )

    assert refused.value.code == "cannot_listen"
    assert not server_file(vaults).exists()


async def test_beyond_loopback_it_says_what_that_means_and_stays_reachable_here(
    vaults: FakeVaults, settings: Settings
) -> None:
    async with serving(vaults, settings, host="0.0.0.0") as (bound, _):
        assert "unencrypted" in bound.warnings[0]
        assert bound.url.startswith("http://127.0.0.1:")
        assert await status_of(f"{bound.url}/api/status") == 200


async def test_an_index_folder_that_cannot_be_written_stops_the_start(
    vaults: FakeVaults, settings: Settings
) -> None:
    server_file(vaults).parent.rmdir()
    server_file(vaults).parent.touch()

    with pytest.raises(ServerError, match="Cannot write"):
        async with serving(vaults, settings):
            pass

    assert vaults.closed


@pytest.mark.parametrize(
    "raw",
    [
        b"nonsense about my diary\r\n\r\n",
        b"GET /api/search?q=diary HTTP/9.9\r\n\r\n",
        b"GET /?q=" + b"diary" * 60_000 + b" HTTP/1.1\r\nHost: x\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer diary\x00\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
        b"GET / HTTP/1.1\r\n\r\n",
        b"GET http://evil.example/ HTTP/1.1\r\nHost: evil.example\r\n\r\n",
        (
            b"POST /api/reindex HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n"
            b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\ndiary"
        ),
    ],
)
async def test_what_is_no_http_is_refused_and_not_quoted_in_the_log(
    vaults: FakeVaults, settings: Settings, caplog: pytest.LogCaptureFixture, raw: bytes
) -> None:
    caplog.set_level(logging.DEBUG)
    async with serving(vaults, settings) as (bound, _):
        reader, writer = await asyncio.open_connection("127.0.0.1", bound.port)
        writer.write(raw)
        head = await asyncio.wait_for(reader.readline(), HANG_S)
        writer.close()
        await writer.wait_closed()

    assert head.split()[1] in {b"400", b"403"}
    assert "diary" not in caplog.text
