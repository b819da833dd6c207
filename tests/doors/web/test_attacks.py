"""Attacks from the same network, or by a hostile page or note: none of them works."""

from __future__ import annotations

import asyncio
import os
import socket
from pathlib import Path
from urllib.parse import quote

import pytest

from notewell.base.errors import ForbiddenError, NotewellError, ServerError
from notewell.base.types import ServerRules, Settings, VaultRecord
from notewell.contract.notes import NoteRequest
from notewell.contract.search import SearchRequest
from notewell.doors.web.auth import Address, Callers, Gate
from notewell.doors.web.listener import bind, warnings_of
from notewell.doors.web.openapi import parameters
from notewell.doors.web.routes import ROUTES, Route
from notewell.engine.engine import Engine
from notewell.engine.open_vaults import Vaults
from notewell.features import FEATURES
from tests.doors.web.fakes import TOKEN, Client, Connect, FakeEngine

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
        for parameter in parameters(route.model)
        if parameter.name in PATHS and not route.endpoint.path.startswith("/api/memory")
    ]


@pytest.mark.parametrize("leaving", LEAVING, ids=repr)
@pytest.mark.parametrize(
    ("route", "name"), path_parameters(), ids=lambda part: getattr(part, "name", part)
)
async def test_no_parameter_leads_out_of_the_vault(
    client: Client, engine: FakeEngine, route: Route, name: str, leaving: str
) -> None:
    is_list = name == "paths" and route.endpoint.method != "GET"
    asked = {**route.endpoint.example, name: [leaving] if is_list else leaving}
    if route.endpoint.method == "GET":
        query = "&".join(f"{key}={quote(str(value))}" for key, value in asked.items())
        response = await client.get(f"{route.endpoint.path}?{query}")
    else:
        response = await client.request(route.endpoint.method, route.endpoint.path, json=asked)

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
    engine = Engine.open(record, tmp_path / "index", settings, writable=True, features=FEATURES)
    try:
        engine.index_now()
        assert [note.path for note in engine.ledger(state="keyword_only").entries] == ["own.md"]
        for path in ("note.md", "folder/deep.md"):
            with pytest.raises(NotewellError):
                engine.note(NoteRequest(path))
    finally:
        engine.close()


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
    vaults = Vaults(settings, features=FEATURES)
    record = vaults.add(home / "Home")
    engine = vaults.open(record, writable=True)
    engine.index_now()
    yield engine
    vaults.close()


@pytest.mark.parametrize("query", BOMBS, ids=lambda query: ascii(query[:12]))
def test_no_query_takes_excessive_time(garden: Engine, query: str) -> None:
    began = os.times()
    garden.search(SearchRequest(q=query))
    spent = os.times()

    # Processor time, which another process's work does not add to.
    assert spent.user - began.user < 5


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
    with pytest.raises(ForbiddenError, match="NOTEWELL_SERVER_ALLOWED_HOSTS"):
        everywhere.check_host(["notes.home:8765"], came_in_on)


def test_nothing_listens_twice_on_one_port() -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as taken,
        pytest.raises(ServerError, match="--port"),
    ):
        bind("127.0.0.1", taken.getsockname()[1])
