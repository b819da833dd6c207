"""HTTP: requests from the OpenAPI document (`http_requests.py`), and changed ones, to a real server.

An input is the request's line, its headers, an empty line, and its body. The server indexes a small
vault with a tiny model. A fault is an answer of 5xx that the document does not explain, one that is
not HTTP, and none to a whole request.
"""

from __future__ import annotations

import asyncio
import http.client
import itertools
import re
import select
import socket
import tempfile
import threading
import urllib.parse
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from notewell.base.types import LimitRules, ServerRules, Settings
from notewell.doors.web.server import BoundServer, serve
from notewell.engine.configuration import Configuration
from notewell.engine.feature import sections
from notewell.features import FEATURES
from notewell.features.memory import MemoryRules
from tests.doors.mcp.conftest import TOKEN, Home, make_home
from tests.fuzz.http_requests import generator
from tests.fuzz.logged import collected
from tests.fuzz.target import Check, FaultError, Target
from tests.tiny_model import write_tiny_model
from tests.waiting import PROCESS_S

UNLIMITED = LimitRules(search=0, read=0, heavy=0, write=0)
# What depends on the machine and not on the request: no language model runs on it.
EXPLAINED = frozenset({502, 503, 504})
# How long an answer to what may be no whole request is waited for: the server would wait 20 s for
# the rest of it.
_SOON_S = 0.02
_CONTINUE = b"HTTP/1.1 100 "
# A request that has to succeed, before every so many.
_CONTROLLED = 200
_CONTROL = (
    b"GET /api/search?q=garden&mode=keyword HTTP/1.1\r\nHost: 127.0.0.1\r\n"
    b"Authorization: Bearer " + TOKEN.encode() + b"\r\nContent-Length: 0\r\n\r\n"
)
# A whole request after which the connection stays open: nothing in it says or implies otherwise.
_WHOLE = re.compile(
    rb"(?P<method>[A-Z]+) [^\s\x00]+ HTTP/1\.1\r\n(?:[A-Za-z-]+: [\x20-\x7e\xa0-\xff]*\r\n)+\r\n"
)
_OTHERWISE = re.compile(rb"\n(?:connection|transfer-encoding|expect|upgrade):", re.IGNORECASE)
_GONE = (http.client.RemoteDisconnected, ConnectionResetError, BrokenPipeError)
_LENGTH = re.compile(rb"\ncontent-length: (\d{1,9})\r", re.IGNORECASE)


class _Server:
    """A server on a thread of this process."""

    def __init__(self, home: Home) -> None:
        file = home.settings.data_dir / "config.toml"
        file.touch()
        self._configuration = Configuration(
            {"NOTEWELL_CONFIG": str(file)}, features=sections(FEATURES)
        )
        self._home = replace(home, settings=_settings(home.settings))
        self._loop = asyncio.new_event_loop()
        self._listening: asyncio.Future[BoundServer] = self._loop.create_future()
        self._up = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()
        if not self._up.wait(PROCESS_S):
            raise RuntimeError("the server does not start")
        address = urllib.parse.urlsplit(self._listening.result().url)
        self._place = (str(address.hostname), int(address.port or 0))

        self._kept: socket.socket | None = None

    def _run(self) -> None:
        self._task = self._loop.create_task(self._serve())
        self._loop.run_until_complete(asyncio.wait({self._task}))

    async def _serve(self) -> None:
        vaults = self._home.vaults()
        vaults.serve(vaults.records())
        self._listening.add_done_callback(lambda _: self._up.set())
        await serve(
            vaults,
            self._home.settings,
            host="127.0.0.1",
            port=0,
            token=TOKEN,
            handshake=False,
            ready=self._listening.set_result,
            configuration=self._configuration,
        )

    def ask(self, message: bytes) -> tuple[int, bytes]:
        """Send a message and read one answer: its status and body, or 0 if there is none."""
        if not _is_whole(message):
            with self._connection() as connection:
                began = False
                try:
                    connection.sendall(message)
                    began = _has_answered(connection)
                    if not began:
                        connection.shutdown(socket.SHUT_WR)  # incomplete: say that nothing follows
                    return _answer(connection, message)
                except _GONE:
                    return 0, b""
                except http.client.IncompleteRead:
                    if began:
                        raise
                    return 0, b""  # a stream of events ends for a client that says it has left
        used = self._kept is not None
        connection = self._kept or self._connection()
        self._kept = None
        try:
            connection.sendall(message)
            answer = _answer(connection, message, then=self._keep)
        except _GONE as error:
            if not used:
                raise FaultError("no answer to a whole request") from error
            answer = self.ask(message)  # the server had closed the connection in between
        finally:
            if self._kept is not connection:
                connection.close()
        return answer

    def _connection(self) -> socket.socket:
        return socket.create_connection(self._place, timeout=PROCESS_S)

    def _keep(self, connection: socket.socket) -> None:
        self._kept = connection

    def close(self) -> None:
        if self._kept is not None:
            self._kept.close()
        self._loop.call_soon_threadsafe(self._task.cancel)
        self._thread.join()
        self._loop.close()


def _has_answered(connection: socket.socket) -> bool:
    """Whether an answer begins soon. `100 Continue` is none: the server waits for a body then."""
    if not select.select([connection], [], [], _SOON_S)[0]:
        return False
    return not connection.recv(len(_CONTINUE), socket.MSG_PEEK).startswith(_CONTINUE)


def _settings(settings: Settings) -> Settings:
    """Everything that can be switched on without another program; requests name no port."""
    return replace(
        settings,
        limits=UNLIMITED,
        server=ServerRules(allowed_hosts=("127.0.0.1",)),
        of_features={"memory": MemoryRules(folder="Memories")},
    )


def _is_whole(message: bytes) -> bool:
    """Whether this is one request with all of its body, after which the connection stays open."""
    head, end, body = message.partition(b"\r\n\r\n")
    sizes = _LENGTH.findall(head + end)
    return (
        _WHOLE.fullmatch(head + end) is not None
        and _OTHERWISE.search(head) is None
        and sizes == [str(len(body)).encode()]
    )


def _answer(
    connection: socket.socket, message: bytes, then: Callable[[socket.socket], None] | None = None
) -> tuple[int, bytes]:
    """Read an answer; `then` gets the connection if another request can follow on it."""
    method = message.split(b" ", 1)[0].decode("latin-1").strip().upper()
    answer = http.client.HTTPResponse(connection, method=method)
    try:
        answer.begin()
        status, body = answer.status, answer.read()
        if then is not None and not answer.will_close:
            then(connection)
        return status, body
    finally:
        answer.close()


@contextmanager
def _opened() -> Iterator[Check]:
    with tempfile.TemporaryDirectory() as folder, collected() as logged:
        home = make_home(Path(folder), write_tiny_model(Path(folder, "tiny")))
        server, count = _Server(home), itertools.count()

        def check(data: bytes) -> None:
            if next(count) % _CONTROLLED == 0 and (status := server.ask(_CONTROL)[0]) != 200:
                raise FaultError(f"{status} for a right request: what is fuzzed is a refusal")
            try:
                status, answer = server.ask(data)
            except http.client.HTTPException as error:
                raise FaultError(f"not an answer of HTTP: {error!r}") from error
            if status >= 500 and not (status in EXPLAINED and b'"code"' in answer):
                raise FaultError(f"{status}: {answer[:300]!r}\n{logged.take()}")
            logged.take()

        try:
            yield check
        finally:
            server.close()


HTTP = Target("http", _opened, generator)
