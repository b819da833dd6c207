"""What an attacker on the same network, or a hostile page or note, may try: none of it works."""

from __future__ import annotations

import asyncio
import os
import socket
import ssl
import subprocess
from collections.abc import AsyncIterator
from pathlib import Path
from urllib.parse import quote

import aiohttp
import pytest

from recollect.engine import Engine
from recollect.errors import ConfigError, ForbiddenError, RecollectError, ServerError
from recollect.remote import Remote, running_server
from recollect.types import LimitRules, SearchRequest, ServerRules, Settings, VaultRecord
from recollect.vaults import Vaults
from recollect.web import server as server_module
from recollect.web.announce import BoundServer
from recollect.web.callers import Callers
from recollect.web.listen import bind, tls_context
from recollect.web.parameters import parameters
from recollect.web.route import Route
from recollect.web.routes import ROUTES
from recollect.web.security import Address, Gate, warnings_of
from recollect.web.server import serve
from tests.web.fakes import TOKEN, Client, Connect, FakeEngine, FakeVaults

# --- paths --------------------------------------------------------------------------------------

LEAVING = [
    "../secret.md",
    "Garden/../../secret.md",
    "/etc/passwd",
    "\\\\server\\share\\x.md",
    "..\\secret.md",
    "C:\\Windows\\win.ini",
    "Garden/..",
    "nul\0.md",
]
PATHS = ("path", "old_path", "source", "target", "paths")


def path_parameters() -> list[tuple[Route, str]]:
    return [
        (route, parameter.name)
        for route in ROUTES
        for parameter in parameters(route.asked)
        if parameter.name in PATHS and not route.path.startswith("/api/memory")
    ]


@pytest.mark.parametrize("leaving", LEAVING, ids=repr)
@pytest.mark.parametrize(
    ("route", "name"), path_parameters(), ids=lambda part: getattr(part, "name", part)
)
async def test_no_parameter_leads_out_of_the_vault(
    client: Client, engine: FakeEngine, route: Route, name: str, leaving: str
) -> None:
    asked = {**route.example, name: [leaving] if name == "paths" else leaving}
    if route.method == "GET":
        query = "&".join(f"{key}={quote(str(value))}" for key, value in asked.items())
        response = await client.get(f"{route.path}?{query}")
    else:
        response = await client.request(route.method, route.path, json=asked)

    assert response.status == 400
    assert (await response.json(content_type=None))["code"] == "outside_vault"
    assert engine.asked == []


@pytest.mark.parametrize("place", ["path", "old_path"])
@pytest.mark.parametrize("leaving", LEAVING, ids=repr)
async def test_no_change_leads_out_of_the_vault(
    client: Client, engine: FakeEngine, place: str, leaving: str
) -> None:
    change = {"kind": "rename", "path": "a.md", "old_path": "b.md", place: leaving}

    response = await client.post("/api/changes", json={"changes": [change]})

    assert response.status == 400
    assert engine.asked == []


@pytest.mark.parametrize(
    "address",
    [
        "/static/../app.py",
        "/static/..%2fapp.py",
        "/static/%2e%2e/app.py",
        "/static/..%5capp.py",
        "/static//etc/passwd",
        "/static/link.txt",
    ],
)
async def test_no_address_leads_out_of_the_files_of_the_pages(
    connect: Connect, tmp_path: Path, address: str
) -> None:
    static = tmp_path / "static"
    static.mkdir()
    (static / "index.html").write_text("<p>page")
    (tmp_path / "app.py").write_text("secret")
    (static / "link.txt").symlink_to(tmp_path / "app.py")
    client = await connect(static=static)

    reader, writer = await asyncio.open_connection("127.0.0.1", client.port)
    head = f"GET {address} HTTP/1.1\r\nHost: 127.0.0.1:{client.port}\r\nConnection: close\r\n\r\n"
    writer.write(head.encode())
    answer = await reader.read()
    writer.close()

    assert answer.split(b" ", 2)[1] in {b"400", b"401", b"403", b"404"}
    assert b"secret" not in answer


@pytest.mark.skipif(os.name != "posix", reason="symbolic links need rights elsewhere")
def test_a_link_in_the_vault_shows_nothing_of_what_it_points_to(tmp_path: Path) -> None:
    vault, secret = tmp_path / "Home", tmp_path / "secret.md"
    vault.mkdir()
    secret.write_text("the sesame opens")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "deep.md").write_text("the sesame opens")
    (vault / "note.md").symlink_to(secret)
    (vault / "folder").symlink_to(tmp_path / "elsewhere")
    (vault / "own.md").write_text("nothing of the kind")
    settings = Settings(data_dir=tmp_path, model_dir=tmp_path, state_dir=tmp_path, offline=True)
    record = VaultRecord("a1", "Home", vault)
    engine = Engine.open(record, tmp_path / "index", settings, writable=True)
    try:
        engine.index_now()
        assert [note.path for note in engine.ledger(state="keyword_only").entries] == ["own.md"]
        for path in ("note.md", "folder/deep.md"):
            with pytest.raises(RecollectError):
                engine.note(path)
    finally:
        engine.close()


# --- connections --------------------------------------------------------------------------------


class Running:
    """A server as `serve` runs it."""

    def __init__(self, bound: BoundServer, task: asyncio.Task[None]) -> None:
        self.bound = bound
        self.task = task

    async def talk(self, text: bytes, *, seconds: float = 5) -> bytes:
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
    monkeypatch.setattr(server_module, "IDLE_SECONDS", 0.2)
    server = await start(vaults, settings)
    yield server
    await stop(server)


@pytest.mark.parametrize(
    "head", [b"", b"GET /api/health HT", b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: 1\r\n"]
)
async def test_a_head_that_never_ends_is_cut_off(running: Running, head: bytes) -> None:
    assert await running.talk(head) == b""


async def test_a_head_that_trickles_is_cut_off_however_it_goes_on(running: Running) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", running.bound.port)

    async def trickle() -> None:
        for number in range(200):
            writer.write(f"X-{number}: slow\r\n".encode() if number else b"GET / HTTP/1.1\r\n")
            await writer.drain()
            await asyncio.sleep(0.02)

    trickling = asyncio.create_task(trickle())
    closed = await asyncio.wait_for(reader.read(), 3)
    trickling.cancel()
    await asyncio.gather(trickling, return_exceptions=True)
    writer.close()

    assert b"200" not in closed


async def test_one_address_cannot_take_every_connection(running: Running) -> None:
    health = f"GET /api/health HTTP/1.1\r\nHost: 127.0.0.1:{running.bound.port}\r\n\r\n".encode()
    held = [await asyncio.open_connection("127.0.0.1", running.bound.port) for _ in range(2)]
    await asyncio.sleep(0.05)

    refused = await running.talk(health)
    for _, writer in held:
        writer.close()
    await asyncio.sleep(0.05)
    answered = await running.talk(health)

    assert refused.startswith(b"HTTP/1.1 503")
    assert b"Retry-After" in refused
    assert answered.startswith(b"HTTP/1.1 200")


async def test_a_head_that_is_too_large_is_refused(running: Running) -> None:
    huge = b"GET / HTTP/1.1\r\nX-Huge: " + b"x" * 100_000 + b"\r\n\r\n"

    assert (await running.talk(huge)).startswith(b"HTTP/1.0 400") or b" 400 " in (
        await running.talk(huge)
    )


async def test_two_lengths_of_a_body_are_one_too_many(running: Running) -> None:
    smuggled = (
        f"POST /api/similar HTTP/1.1\r\nHost: 127.0.0.1:{running.bound.port}\r\n"
        "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /api/status"
    )

    assert b" 400 " in (await running.talk(smuggled.encode()))


# --- queries ------------------------------------------------------------------------------------

BOMBS = [
    "(" * 4000,
    "(" * 2000 + ")" * 2000,
    "a OR " * 800,
    "-" * 4096,
    '"' * 4095,
    "[" * 4096,
    "[a:[b:[c:" * 400,
    "(a|a)*" * 600,
    "(x+x+)+y" * 500,
    "tag:" * 1000,
    "path:" + "*" * 4000,
    "created:" + "9" * 4000,
    "modified:>" + "1" * 300,
    "\u0301" * 4096,
    "\ufdfa" * 4096,
    "\U0001f468\u200d" * 2000,
]


@pytest.fixture(scope="module")
def garden(tmp_path_factory: pytest.TempPathFactory) -> Engine:
    home = tmp_path_factory.mktemp("bombs")
    (home / "Home").mkdir()
    for number in range(50):
        (home / "Home" / f"{number}.md").write_text(f"---\ntype: x{number}\n---\n" + "ax " * 400)
    settings = Settings(data_dir=home, model_dir=home, state_dir=home, offline=True)
    vaults = Vaults(settings)
    record = vaults.add(home / "Home")
    engine = vaults.open(record, writable=True)
    engine.index_now()
    yield engine
    vaults.close()


@pytest.mark.parametrize("query", BOMBS, ids=lambda query: ascii(query[:12]))
def test_no_query_is_a_bomb(garden: Engine, query: str) -> None:
    began = os.times()
    garden.search(SearchRequest(query=query))
    spent = os.times()

    # Processor time, which another process's work does not add to.
    assert spent.user - began.user < 5


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
        status = await asyncio.to_thread(Remote(found).status)
        assert b'"state":"ready"' in status
        assert b"HTTP" not in await running.talk(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        trusting = ssl.create_default_context(cafile=str(cert))
        trusting.check_hostname = False
        async with (
            aiohttp.ClientSession() as session,
            session.get(
                f"{running.bound.url}/?token={TOKEN}", ssl=trusting, allow_redirects=False
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


# --- allow-lists --------------------------------------------------------------------------------


async def test_a_wildcard_lets_all_hosts_in_and_is_warned_of(connect: Connect) -> None:
    rules = ServerRules(allowed_hosts=("*",), allowed_origins=("*",))
    client = await connect(rules=rules)

    response = await client.get(
        "/api/status", headers={"Host": "any.example", "Origin": "https://any.example"}
    )

    assert response.status == 200
    assert len(warnings_of(rules)) == 2
    assert "rebinding" in warnings_of(rules)[0]


async def test_the_address_devices_were_told_is_known(connect: Connect) -> None:
    client = await connect(rules=ServerRules(public_url="https://box.tail.example:8443"))

    for host, status in (("box.tail.example:8443", 200), ("tail.example", 403)):
        assert (await client.get("/api/health", headers={"Host": host})).status == status


def test_an_address_beyond_loopback_that_it_listens_on_is_known_by_itself() -> None:
    gate = Gate(Callers(TOKEN), ServerRules(host="192.168.7.7", port=8765))
    everywhere = Gate(Callers(TOKEN), ServerRules(host="0.0.0.0", port=8765))

    came_in_on = Address("192.168.7.7", 8765)
    assert gate.check_host(["192.168.7.7:8765"], came_in_on)
    assert everywhere.check_host(["192.168.7.7:8765"], came_in_on)
    with pytest.raises(ForbiddenError, match="RECOLLECT_SERVER_ALLOWED_HOSTS"):
        everywhere.check_host(["notes.home:8765"], came_in_on)


def test_nothing_listens_twice_on_one_port() -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as taken,
        pytest.raises(ServerError, match="--port"),
    ):
        bind("127.0.0.1", taken.getsockname()[1])
