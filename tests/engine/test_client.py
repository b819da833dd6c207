"""The client of a running server, against a real one."""

from __future__ import annotations

import asyncio
import http.server
import json
import os
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from dataclasses import fields
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from notewell.base.errors import (
    AccessError,
    NotewellError,
    NotFoundError,
    OutsideVaultError,
    QueryTooLongError,
    ServerError,
    UsageError,
)
from notewell.base.types import VaultRecord
from notewell.contract.log import ClearLogRequest, LogRequest, VerdictRequest
from notewell.contract.notes import NeighborsRequest, NoteRequest
from notewell.contract.request import Request
from notewell.contract.search import (
    CompleteRequest,
    SearchRequest,
    SimilarRequest,
    SimilarTextRequest,
)
from notewell.contract.status import (
    CancelRequest,
    GuardRequest,
    LedgerRequest,
    PauseRequest,
    ReindexRequest,
    ResumeRequest,
    RetryRequest,
    StatusRequest,
)
from notewell.doors.web import server
from notewell.engine.client import SERVER_FILE, RemoteBackend, ServerInfo, running_server
from notewell.features.archaeology.requests import ArchaeologyRequest
from notewell.features.graph.requests import REQUESTS
from tests.doors.web.fakes import NOTES, TOKEN, FakeEngine, FakeVaults
from tests.doors.web.serving import serving

# Requests that differ in the kinds of their fields.
ABOUT_A_VAULT = (*REQUESTS, NeighborsRequest, ArchaeologyRequest, CompleteRequest)


@pytest.fixture
def engine(tmp_path: Path) -> FakeEngine:
    return FakeEngine(VaultRecord("a1b2", "Home", tmp_path, default=True), NOTES)


@pytest.fixture
async def directory(engine: FakeEngine, tmp_path: Path) -> AsyncIterator[Path]:
    """The index folder of a vault that is being served."""
    vaults = FakeVaults([engine], tmp_path)
    async with serving(vaults, tmp_path):
        yield vaults.directory(engine.record)


async def call(function: Callable[..., Any], *args: object) -> Any:
    """Run the synchronous client beside the server's event loop."""
    return await asyncio.to_thread(function, *args)


@pytest.fixture
async def remote(directory: Path) -> RemoteBackend:
    info = await call(running_server, directory)
    assert isinstance(info, ServerInfo)
    return RemoteBackend(info, vault="a1b2")


def test_client_and_server_use_the_same_file_name() -> None:
    assert server.SERVER_FILE == SERVER_FILE


@pytest.mark.parametrize("kind", ABOUT_A_VAULT, ids=lambda kind: kind.__name__)
async def test_every_request_arrives_unchanged(
    remote: RemoteBackend, engine: FakeEngine, kind: type[Request[Any]]
) -> None:
    given = {"path": "Zürich.md", "source": "a b.md", "target": "c.md", "q": "", "prefix": "tag:"}
    names = {field.name for field in fields(kind)}
    question = kind(**{name: value for name, value in given.items() if name in names})

    answer = await call(remote.document, question)

    assert engine.asked[-1] == question
    assert isinstance(answer, bytes)
    assert json.loads(answer)["vault"] == "Home"


async def test_a_running_server_is_found(directory: Path) -> None:
    info = await call(running_server, directory)

    assert isinstance(info, ServerInfo)
    assert (info.token, info.pid, info.api, info.vaults) == (TOKEN, os.getpid(), 1, ("a1b2",))
    assert TOKEN not in repr(info)


async def test_the_log_is_read_cleared_and_gets_verdicts(
    remote: RemoteBackend, engine: FakeEngine
) -> None:
    since = datetime.fromisoformat("2026-03-02T11:00:00+01:00")
    book = await call(remote.answer, LogRequest(5, since))
    await call(remote.answer, VerdictRequest("bees", "Garden/Bees.md", "clear"))
    cleared = await call(remote.answer, ClearLogRequest(keep_verdicts=True))

    assert engine.asked == [(5, 1_772_445_600.0), ("bees", "Garden/Bees.md", None), True]
    assert book.entries[0].query == "garden water"
    assert cleared.verdicts == 0


async def test_a_search_sends_every_parameter(remote: RemoteBackend, engine: FakeEngine) -> None:
    request = SearchRequest(
        'bees "of the" & more +ü',
        limit=2,
        mode="semantic",
        plain=True,
        fusion="convex",
        alpha=0.25,
        min_score=0.1,
        expand=True,
        rerank=False,
        explain=True,
        door="cli",
    )

    reply = json.loads(await call(remote.document, request))

    assert engine.asked == [request]
    assert reply["vault"] == "Home"
    assert "explain" in reply


async def test_a_search_without_a_client_is_not_logged_by_the_server(
    remote: RemoteBackend, engine: FakeEngine
) -> None:
    await call(remote.answer, SearchRequest("bees"))

    assert engine.asked == [SearchRequest("bees")]


async def test_similar_sends_a_path_or_a_text(remote: RemoteBackend, engine: FakeEngine) -> None:
    by_path = SimilarRequest(path="Garden/Bees.md", limit=3, unlinked=True)
    by_text = SimilarTextRequest(text="", limit=3, explain=True)
    by_part = SimilarRequest(path="Garden/Bees.md", heading="Hives", links=0.5, direction="in")
    by_line = SimilarRequest(path="Garden/Bees.md", line=12, decay=0.25)

    for request in (by_path, by_text, by_part, by_line):
        await call(remote.answer, request)

    assert engine.asked == [by_path, by_text, by_part, by_line]


async def test_the_other_requests_reach_the_engine(
    remote: RemoteBackend, engine: FakeEngine
) -> None:
    status = await call(remote.answer, StatusRequest())
    ledger = await call(remote.answer, LedgerRequest(state="indexed", path="Zürich.md"))
    note = await call(remote.answer, NoteRequest("Zürich.md"))
    reindex = ReindexRequest(full=True, paths=("a.md",))
    accepted = json.loads(await call(remote.document, reindex))

    assert status.vault == "Home"
    assert [row.path for row in ledger.entries] == ["Zürich.md"]
    assert note.content == NOTES["Zürich.md"]
    assert accepted == {"accepted": 1, "generation": 7, "warnings": []}
    assert engine.asked[-1] == (True, ("a.md",))


async def test_the_queue_and_the_guard_can_be_controlled(
    remote: RemoteBackend, engine: FakeEngine
) -> None:
    for request in (PauseRequest(), ResumeRequest(), RetryRequest(), CancelRequest()):
        assert (await call(remote.answer, request)).accepted == 3
    await call(remote.answer, GuardRequest(remove=True))

    assert engine.asked == ["pause", "resume", "retry", "cancel", True]


@pytest.mark.parametrize(
    ("ask", "kind", "code"),
    [
        (lambda r: r.answer(NoteRequest("missing.md")), NotFoundError, "note_not_found"),
        (lambda r: r.answer(NoteRequest("../x.md")), OutsideVaultError, "outside_vault"),
        (lambda r: r.answer(SearchRequest("q" * 5000)), QueryTooLongError, "query_too_long"),
        (lambda r: r.answer(SearchRequest("q", limit=0)), UsageError, "bad_request"),
    ],
)
async def test_a_problem_document_is_raised_as_its_error(
    remote: RemoteBackend,
    ask: Callable[[RemoteBackend], object],
    kind: type[NotewellError],
    code: str,
) -> None:
    with pytest.raises(kind) as raised:
        await call(ask, remote)

    assert (raised.value.code, type(raised.value)) == (code, kind)
    assert raised.value.message


async def test_a_wrong_token_is_an_access_error(remote: RemoteBackend) -> None:
    info = remote.info
    stranger = RemoteBackend(ServerInfo(info.url, "wrong", info.pid, 1, info.version, info.vaults))

    with pytest.raises(AccessError):
        await call(stranger.answer, StatusRequest())


# --- servers that are not there, or not ours ----------------------------------------------------


def left(directory: Path, **changes: object) -> None:
    stored = {
        "url": "http://127.0.0.1:9",
        "token": TOKEN,
        "pid": os.getpid(),
        "api": 1,
        "version": "0",
        "vaults": ["a1b2"],
    }
    (directory / SERVER_FILE).write_text(json.dumps(stored | changes))


def ended_process() -> int:
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


@contextmanager
def stub(
    status: int, body: bytes, asked: list[http.server.BaseHTTPRequestHandler]
) -> Iterator[str]:
    """A server that says the same to everybody."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self)
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Keep quiet."""

    with http.server.HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def test_without_a_server_file_there_is_no_server(tmp_path: Path) -> None:
    assert running_server(tmp_path) is None
    assert running_server(tmp_path / "missing") is None


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "null", "{}", '{"url": 3}', '{"url": "http://a:b", "token": "t", "pid": 1}'],
)
def test_an_unreadable_server_file_means_no_server(tmp_path: Path, text: str) -> None:
    (tmp_path / SERVER_FILE).write_text(text)

    assert running_server(tmp_path) is None


@pytest.mark.parametrize(
    "changes",
    [
        {"url": "http://127.0.0.1:port"},
        {"url": "http://127.0.0.1:99999"},
        {"url": "nonsense"},
        {"pid": -1},
        {"pid": 0},
        {"pid": "x"},
        {"pid": 2**70},
        {"vaults": 3},
        {"api": 2},
        {},
    ],
    ids=str,
)
def test_a_server_file_with_a_dead_address_means_no_server(
    tmp_path: Path, changes: dict[str, object]
) -> None:
    left(tmp_path, **changes)

    assert running_server(tmp_path) is None


def test_a_server_file_of_a_dead_process_is_stale_even_if_the_port_is_in_use(
    tmp_path: Path,
) -> None:
    asked: list[http.server.BaseHTTPRequestHandler] = []
    with stub(200, b'{"status": "ok", "api": 1}', asked) as url:
        left(tmp_path, url=url, pid=ended_process())

        assert running_server(tmp_path) is None
    assert asked == []


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (200, b"<html>"),
        (200, b"[]"),
        (200, b'{"api": 2}'),
        (200, b"\xff"),
        (500, b'{"api": 1}'),
        (302, b""),
    ],
)
def test_another_program_on_the_port_never_receives_the_token(
    tmp_path: Path, status: int, body: bytes
) -> None:
    asked: list[http.server.BaseHTTPRequestHandler] = []
    with stub(status, body, asked) as url:
        left(tmp_path, url=url)

        assert running_server(tmp_path) is None
    assert len(asked) == 1
    assert "Authorization" not in asked[0].headers


@pytest.mark.parametrize(
    ("status", "body", "kind"),
    [
        (503, b"busy", ServerError),
        (404, b"{}", ServerError),
        (404, b'{"detail": "gone", "code": "new_word"}', NotFoundError),
        (418, b'{"detail": "short and stout", "code": "teapot"}', ServerError),
    ],
)
def test_replies_of_another_version_are_errors_with_a_reason(
    status: int, body: bytes, kind: type[NotewellError]
) -> None:
    with stub(status, body, []) as url:
        remote = RemoteBackend(ServerInfo(url, TOKEN, 1, 1, "0", ()))

        with pytest.raises(kind) as raised:
            remote.answer(StatusRequest())

    assert type(raised.value) is kind


def test_an_unreachable_server_is_a_server_error() -> None:
    remote = RemoteBackend(ServerInfo("http://127.0.0.1:9", TOKEN, 1, 1, "0", ()))

    with pytest.raises(ServerError, match="does not answer"):
        remote.answer(StatusRequest())


def test_finding_a_server_imports_neither_aiohttp_nor_numpy() -> None:
    check = (
        "import sys, notewell.engine.client;"
        "sys.exit(bool({'aiohttp', 'numpy', 'pydantic'} & set(sys.modules)))"
    )

    assert subprocess.run([sys.executable, "-c", check], check=False).returncode == 0
