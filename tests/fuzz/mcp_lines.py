"""Lines of the Model Context Protocol: the server goes on, and answers each request it can read."""

from __future__ import annotations

import asyncio
import json
import os
import queue
import random
import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

import anyio
import mcp_types as types
from mcp.server.stdio import stdio_server
from pydantic import ValidationError

from notewell.doors.mcp.local import LocalSource
from notewell.doors.mcp.server import WellFormedMessages, build, tools
from notewell.engine.known_vaults import KnownVaults
from notewell.features import FEATURES
from tests.doors.mcp.conftest import RIGHT, Home, make_home
from tests.fuzz.logged import collected
from tests.fuzz.mutation import change_json, made_of, mutate, odd_bytes
from tests.fuzz.target import Check, FaultError, Generate, Target
from tests.tiny_model import write_tiny_model
from tests.waiting import PROCESS_S


def _request(method: str, params: object = None) -> dict[str, object]:
    message: dict[str, object] = {"jsonrpc": "2.0", "id": 7, "method": method}
    return message if params is None else {**message, "params": params}


INITIALIZE = _request(
    "initialize",
    {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "fuzz", "version": "1"},
    },
)
MESSAGES: tuple[dict[str, Any], ...] = (
    *(
        _request("tools/call", {"name": tool.name, "arguments": dict(RIGHT.get(tool.name, {}))})
        for tool in tools(FEATURES)
    ),
    _request("tools/list"),
    _request("ping"),
    _request("resources/list", {"cursor": "0"}),
    _request("resources/templates/list"),
    _request("resources/read", {"uri": "notewell://Home/Garden/Bees.md"}),
    _request("prompts/list"),
    _request("prompts/get", {"name": "recall", "arguments": {"topic": "bees"}}),
    {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 7}},
    {"jsonrpc": "2.0", "id": 7, "result": {}},
    INITIALIZE,
)
SEEDS = tuple(json.dumps(message, ensure_ascii=False).encode() for message in MESSAGES)
PIECES = (
    *(
        text.encode()
        for text in (
            "{", "}", "[", "]", ",", ":", '"', "null", "true", "-0", "1e400", "NaN", "Infinity", "7",
            '"id":7', '"id":null', '"jsonrpc":"2.0"', '"method":"ping"', '"params":{}', "\\u0000",
            "\\ud800", "[[[[", '{"a":', '"query":"a"', '"vault":"Home"', '"limit":"10"', "_meta",
        )
    ),
    *odd_bytes(),
)  # fmt: skip


def _generator(_seed: int, _inputs: int) -> Generate:
    def generate(rng: random.Random) -> bytes:
        kind = rng.random()
        if kind < 0.1:
            return made_of(rng, PIECES)
        if kind < 0.4:
            return mutate(rng, SEEDS, PIECES)
        message = dict(rng.choice(MESSAGES))
        for _ in range(rng.randint(1, 3)):
            params = message.get("params")
            arguments = params.get("arguments") if isinstance(params, dict) else None
            if isinstance(arguments, dict) and arguments and rng.random() < 0.8:
                message["params"] = {**params, "arguments": change_json(rng, arguments)}
            else:
                changed = change_json(rng, message)
                message = changed if isinstance(changed, dict) else {"changed": changed}
        return json.dumps(message, ensure_ascii=rng.random() < 0.5).encode("utf-8", "replace")

    return generate


class Session:
    """A server on a thread of this process, and the two pipes that it reads and writes."""

    def __init__(self, home: Home) -> None:
        self._known = KnownVaults(home.settings)
        self._source = LocalSource(
            self._known,
            home.vaults,
            only=self._known.find("Home", cwd=home.folder),
            cwd=home.folder,
        )
        into, self._into = os.pipe()
        out, outgoing = os.pipe()
        self._answers: queue.Queue[str | None] = queue.Queue()
        self._out = os.fdopen(out, encoding="utf-8")
        stdin = os.fdopen(into, encoding="utf-8", errors="replace")
        stdout = os.fdopen(outgoing, "w", encoding="utf-8")
        self._files = (stdin, self._out)
        self._threads = (
            threading.Thread(target=self._serve, args=(stdin, stdout), daemon=True),
            threading.Thread(target=self._read, daemon=True),
        )
        for thread in self._threads:
            thread.start()
        self._pings = 0
        self.talk(json.dumps(INITIALIZE).encode())

    def _serve(self, stdin: TextIO, stdout: TextIO) -> None:
        async def serve() -> None:
            server = build(self._source, may_write=lambda _: False)
            streams = stdio_server(anyio.wrap_file(stdin), anyio.wrap_file(stdout))
            async with streams as (incoming, outgoing):
                answering = WellFormedMessages(incoming, outgoing)
                await server.run(answering, outgoing, server.create_initialization_options())

        try:
            asyncio.run(serve())
        finally:
            stdout.close()

    def _read(self) -> None:
        for line in self._out:
            self._answers.put(line)
        self._answers.put(None)

    def talk(self, line: bytes) -> list[Mapping[str, Any]]:
        """Send bytes and a ping behind them; the answers until everything is answered."""
        self._pings += 1
        ping = f"ping-{self._pings}"
        last = json.dumps({"jsonrpc": "2.0", "id": ping, "method": "ping"}).encode()
        data = memoryview(line + b"\n" + last + b"\n")
        while data:
            data = data[os.write(self._into, data) :]
        waiting = {*_answerable(line), ping}
        answers: list[Mapping[str, Any]] = []
        while waiting:
            try:
                answer = self._answers.get(timeout=PROCESS_S)
            except queue.Empty:
                raise FaultError(f"no answer to {waiting}") from None
            if answer is None:
                raise FaultError("the server ended")
            answers.append(json.loads(answer))
            waiting.discard(answers[-1].get("id"))
        return answers

    def close(self) -> None:
        os.close(self._into)
        for thread in self._threads:
            thread.join()
        for file in self._files:
            file.close()
        self._source.close()


def _answerable(data: bytes) -> set[str | int]:
    """Ids of the requests in some lines, which must be answered unless one of them is cancelled."""
    ids: set[str | int] = set()
    text = data.decode("utf-8", "replace").replace("\r\n", "\n").replace("\r", "\n")
    for line in text.split("\n"):
        try:
            message = types.jsonrpc_message_adapter.validate_json(line, by_name=False)
        except ValidationError:
            continue
        if isinstance(message, types.JSONRPCRequest):
            ids.add(message.id)
        elif isinstance(message, types.JSONRPCNotification) and "cancel" in message.method:
            return set()
    return ids


@contextmanager
def _opened() -> Iterator[Check]:
    with tempfile.TemporaryDirectory() as folder, collected() as logged:
        home = make_home(Path(folder), write_tiny_model(Path(folder, "tiny")))
        session = Session(home)

        def check(data: bytes) -> None:
            logged.take()
            for answer in session.talk(data):
                error = answer.get("error", {})
                internal = error.get("code") == types.INTERNAL_ERROR and "data" not in error
                if internal or '"code":"internal"' in json.dumps(answer, separators=(",", ":")):
                    raise FaultError(f"{json.dumps(answer)[:500]}\n{logged.take()}")

        try:
            yield check
        finally:
            session.close()


MCP = Target("mcp", _opened, _generator)
