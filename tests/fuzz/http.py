"""HTTP: requests made by schemathesis from the OpenAPI document, and changed ones, to a real server.

An input is the request's line, its headers, an empty line, and its body. The server indexes a small
vault with a tiny model. A fault is an answer of 5xx that the document does not explain, one that is
not HTTP, and none.
"""

from __future__ import annotations

import asyncio
import http.client
import json
import random
import socket
import tempfile
import threading
import urllib.parse
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import requests
import schemathesis
from hypothesis import HealthCheck, Phase, given, seed, settings

from notewell.config.edit import Configuration
from notewell.types import LimitRules
from notewell.web.openapi import document
from notewell.web.routes import ROUTES
from notewell.web.server import serve
from notewell.web.server_file import BoundServer
from tests.fuzz.logged import collected
from tests.fuzz.mutation import ODD, change_json, mutate, odd_bytes
from tests.fuzz.target import Check, FaultError, Generate, Target
from tests.mcp.conftest import NOTES, TOKEN, Home, make_home
from tests.tiny_model import write_tiny_model
from tests.waiting import PROCESS_S

UNLIMITED = LimitRules(search=0, read=0, heavy=0, write=0)
# What depends on the machine and not on the request: no language model is set up in this vault.
EXPLAINED = frozenset({503, 504})
_MOST_EXAMPLES = 200
_PATHS = (*NOTES, "Garden", "Garden/", "../x.md", "Garden/Bees", "/Garden/Bees.md", "")
_NAMED_BY_PATH = frozenset({"path", "source", "target", "note", "folder"})
_PIECES = (
    b" ", b"\r\n", b"\r\n\r\n", b": ", b"%00", b"%ff", b"%2e%2e/", b"?", b"&", b"=", b"#", b"//", b"/api/",
    b"HTTP/1.1", b"HTTP/1.0", b"Content-Length: 5\r\n", b"Transfer-Encoding: chunked\r\n", b"{", b"}",
    b'"', b"Host: x\r\n", b"Expect: 100-continue\r\n", b"Content-Encoding: gzip\r\n", b"Range: bytes=0-\r\n",
    b"Origin: null\r\n", b"Accept-Encoding: \r\n", b"Cookie: a=b\r\n", b"[[", b"limit=-1", b"vault=Home",
    *odd_bytes(),
)  # fmt: skip


def _generator(number: int, inputs: int) -> Generate:
    """Some requests by schemathesis for each route; the inputs are these and changes of them."""
    schema = schemathesis.openapi.from_dict(document(ROUTES, "1")).exclude(
        operation_id=["events"]  # a stream that does not end
    )
    operations = [found.ok() for found in schema.get_all_operations()]
    examples = max(2, min(_MOST_EXAMPLES, inputs // (4 * len(operations))))
    made: list[requests.PreparedRequest] = []

    def collect(operation: Any) -> None:
        @seed(number)
        @settings(
            max_examples=examples,
            deadline=None,
            database=None,
            phases=(Phase.explicit, Phase.generate),
            suppress_health_check=list(HealthCheck),
        )
        @given(case=operation.as_strategy())
        def keep(case: schemathesis.Case) -> None:
            arguments = case.as_transport_kwargs(base_url="http://127.0.0.1:1")
            try:
                made.append(requests.Request(**arguments).prepare())
            except (requests.RequestException, ValueError):
                return  # what the client library cannot send

        keep()

    for operation in operations:
        collect(operation)

    def generate(rng: random.Random) -> bytes:
        request = rng.choice(made)
        target = urllib.parse.urlsplit(request.url or "/")
        query = urllib.parse.parse_qsl(target.query, keep_blank_values=True)
        body = request.body.encode() if isinstance(request.body, str) else request.body or b""
        kind = rng.random()
        if kind > 0.25:  # as schemathesis made it, a quarter of the times
            query = _sensible(rng, query)
            body = _changed_body(rng, bytes(body))
        query_text = urllib.parse.urlencode(query, errors="replace")
        path = str(target.path) + (f"?{query_text}" if query_text else "")
        raw = _message(str(request.method), path, bytes(body))
        return mutate(rng, [raw], _PIECES) if kind > 0.85 else raw

    return generate


def _sensible(rng: random.Random, query: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Name the vault and notes that exist, so that requests get past the first check."""
    changed = []
    for name, value in query:
        if name == "vault" and rng.random() < 0.9:
            continue
        if name in _NAMED_BY_PATH and rng.random() < 0.7:
            changed.append((name, rng.choice(_PATHS)))
        elif rng.random() < 0.15:
            at = rng.randint(0, len(value))
            changed.append((name, value[:at] + rng.choice(ODD) + value[at:]))
        else:
            changed.append((name, value))
    return changed


def _changed_body(rng: random.Random, body: bytes) -> bytes:
    try:
        value = json.loads(body)
    except ValueError:
        return body
    if isinstance(value, dict):
        value = {
            name: rng.choice(_PATHS) if name in _NAMED_BY_PATH and rng.random() < 0.7 else part
            for name, part in value.items()
            if name != "vault"
        }
    if rng.random() < 0.5:
        value = change_json(rng, value)
    return json.dumps(value).encode()


def _message(method: str, path: str, body: bytes) -> bytes:
    kind = b"Content-Type: application/json\r\n" if body else b""
    return (
        (
            f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {TOKEN}\r\n"
            f"Content-Length: {len(body)}\r\nConnection: close\r\n"
        ).encode("ascii", "replace")
        + kind
        + b"\r\n"
        + body
    )


class _Server:
    """A server on a thread of this process."""

    def __init__(self, home: Home) -> None:
        file = home.settings.data_dir / "config.toml"
        file.touch()
        self._configuration = Configuration({"NOTEWELL_CONFIG": str(file)})
        self._home = replace(home, settings=replace(home.settings, limits=UNLIMITED))
        self._loop = asyncio.new_event_loop()
        self._listening: asyncio.Future[BoundServer] = self._loop.create_future()
        self._up = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()
        if not self._up.wait(PROCESS_S):
            raise RuntimeError("the server does not start")
        address = urllib.parse.urlsplit(self._listening.result().url)
        self._place = (str(address.hostname), int(address.port or 0))

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
        """Send a message, say that nothing follows, and read one answer."""
        with socket.create_connection(self._place, timeout=PROCESS_S) as connection:
            try:
                connection.sendall(message)
                connection.shutdown(socket.SHUT_WR)
                answer = http.client.HTTPResponse(connection, method=_method(message))
                answer.begin()
                return answer.status, answer.read()
            except http.client.RemoteDisconnected:
                return 0, b""  # an incomplete message has no answer
            except (ConnectionResetError, BrokenPipeError):
                return 0, b""

    def close(self) -> None:
        self._loop.call_soon_threadsafe(self._task.cancel)
        self._thread.join()
        self._loop.close()


def _method(message: bytes) -> str:
    return message.split(b" ", 1)[0].decode("latin-1").strip().upper()


@contextmanager
def _opened() -> Iterator[Check]:
    with tempfile.TemporaryDirectory() as folder, collected() as logged:
        home = make_home(Path(folder), write_tiny_model(Path(folder, "tiny")))
        server = _Server(home)

        def check(data: bytes) -> None:
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


HTTP = Target("http", _opened, _generator)
