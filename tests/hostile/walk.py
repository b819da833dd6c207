"""A walk over every command, route and tool of a hostile vault: `main(VAULT, REPORT)`.

Run by test_hostile_vault.py, with a watch over it and all that it starts. It writes what was said
to REPORT, and ends with an error where a program hangs or a server does not end when it is told to.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import click
from click.testing import CliRunner

from notewell.contract import endpoints
from notewell.doors.cli.app import cli
from notewell.engine.feature import requests
from notewell.features import FEATURES
from tests.hostile.obeying_model import ObeyingModel, results
from tests.hostile.vault import ODD, SETTINGS, write

HANG_S = 120.0
ENDS_S = 20.0
NOTEWELL = (sys.executable, "-P", "-m", "notewell")
QUESTION = "How is the library insured?"
# Served by processes of their own, below.
SERVING = {("serve",), ("demo",), ("mcp",)}
# Values of arguments, by their names: what a person would give, of this vault.
VALUES: Mapping[str, str] = {
    "q": "quince",
    "query": "quince",
    "question": QUESTION,
    "content": "Quince is a memory.",
    "path": ODD,
    "note": ODD,
    "source": ODD,
    "target": "Good.md",
    "key": "log.queries",
    "value": "true",
    "shell": "bash",
    "number": "1",
    "url": "postgresql://127.0.0.1:1/x",
    "host": "127.0.0.1",
    "status": "dismissed",
    "vault": "vault",
}
ANY = "../../outside/Safe.md"
# Paths that a request may give in place of its example.
PATHS = (
    ODD,
    "Link.md",
    "Way out/Safe.md",
    "../outside/Safe.md",
    "Pipe.md",
    "Evil.svg",
    ".git/config",
)


class Walk:
    """What was said, by what was asked."""

    def __init__(self, vault: Path) -> None:
        self.vault = vault
        self.said: list[dict[str, Any]] = []

    def note(self, asked: str, code: int, text: str) -> None:
        self.said.append({"asked": asked, "code": code, "text": text})

    def run(self, *arguments: str) -> None:
        """Run a command in a process of its own, in the vault's folder."""
        ran = subprocess.run(
            [*NOTEWELL, *arguments],
            cwd=self.vault,
            capture_output=True,
            timeout=HANG_S,
            check=False,
            stdin=subprocess.DEVNULL,
        )
        text = (ran.stdout + ran.stderr).decode("utf-8", "backslashreplace")
        self.note(" ".join(arguments), ran.returncode, text)

    def invoke(self, *arguments: str) -> None:
        """Run a command in this process."""
        ran = CliRunner().invoke(cli, [*arguments], prog_name="notewell")
        error = "" if isinstance(ran.exception, SystemExit | None) else repr(ran.exception)
        self.note(" ".join(arguments), ran.exit_code, ran.output + ran.stderr + error)


def settings(walk: Walk) -> None:
    """Each file of settings in turn; the vault is then left without one."""
    for name, text in SETTINGS.items():
        write(walk.vault, ".notewell.toml", text)
        walk.note(f"settings {name}", 0, "")
        walk.invoke("index", str(walk.vault))
    (walk.vault / ".notewell.toml").unlink()


def commands() -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """Every command, once, with its path."""
    seen: set[int] = set()
    waiting: list[tuple[tuple[str, ...], click.Command, click.Context]] = [
        ((), cli, click.Context(cli, info_name="notewell"))
    ]
    while waiting:
        path, command, context = waiting.pop()
        if not isinstance(command, click.Group):
            if id(command.callback) not in seen:
                seen.add(id(command.callback))
                yield path, command
            continue
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            if inner is not None:
                place = click.Context(inner, info_name=name, parent=context)
                waiting.append(((*path, name), inner, place))


def arguments_of(command: click.Command, scratch: Path) -> list[str]:
    """Arguments, and options that are required, with values of this vault."""
    given: list[str] = []
    for param in command.params:
        value = VALUES.get(param.name or "", ANY)
        if param.name in {"file", "folder", "place"}:
            value = str(scratch / f"made-{param.name}")
        if isinstance(param, click.Argument):
            given += [value] if param.required or param.name in VALUES else []
        elif param.required and isinstance(param, click.Option):
            given += [param.opts[0]] if param.is_flag else [param.opts[0], value]
    return given


def every_command(walk: Walk, scratch: Path) -> None:
    for path, command in sorted(commands(), key=lambda one: one[0]):
        if path not in SERVING:
            walk.invoke(*path, *arguments_of(command, scratch))


def every_route(walk: Walk, server: Server) -> None:
    """Each request with its example, and with each odd path that it can have."""
    wanted = (
        *endpoints.VAULTS,
        *endpoints.LOOKING,
        *endpoints.CHANGES,
        *endpoints.MANAGING,
        *requests(FEATURES),
    )
    for request in wanted:
        endpoint = request.endpoint
        if "event-stream" in endpoint.media and endpoint.name != "ask":
            continue
        example = dict(endpoint.example or {})
        variants = [example]
        if "path" in example:
            variants += [{**example, "path": path} for path in PATHS]
        for values in variants:
            ask(walk, server, endpoint.method, endpoint.path, values)
    for path in PATHS:
        ask(walk, server, "GET", "/api/file", {"path": path})


@dataclass(frozen=True)
class Server:
    """A running server: its address and its token."""

    url: str
    token: str


def ask(walk: Walk, server: Server, method: str, path: str, values: Mapping[str, Any]) -> None:
    rest = dict(values)
    for name in [part[1:-1] for part in path.split("/") if part.startswith("{")]:
        path = path.replace(f"{{{name}}}", str(rest.pop(name, "x")))
    target, body = server.url + path, None
    if method == "GET" and rest:
        target += f"?{urlencode(rest, doseq=True)}"
    elif method != "GET":
        body = json.dumps(rest).encode()
    request = urllib.request.Request(target, body, method=method)
    request.add_header("Authorization", f"Bearer {server.token}")
    request.add_header("Content-Type", "application/json")
    try:
        with urllib.request.urlopen(request, timeout=HANG_S) as reply:
            code, content = reply.status, reply.read()
    except urllib.error.HTTPError as error:
        code, content = error.code, error.read()
    walk.note(f"{method} {path} {json.dumps(values)}", code, content.decode("utf-8", "replace"))


def every_tool(walk: Walk) -> None:
    """Each tool of assistants, with values of this vault for its arguments."""
    with subprocess.Popen(
        [*NOTEWELL, "mcp", "--vault", "vault", "--allow-write", "--tools", "all"],
        cwd=walk.vault,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None

        def call(number: int, method: str, params: object) -> Any:
            message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
            print(json.dumps(message), file=process.stdin, flush=True)
            return json.loads(process.stdout.readline())  # type: ignore[union-attr]

        client = {"name": "walk", "version": "1"}
        hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client}
        call(1, "initialize", hello)
        print('{"jsonrpc": "2.0", "method": "notifications/initialized"}', file=process.stdin)
        tools = call(2, "tools/list", {})["result"]["tools"]
        for number, tool in enumerate(tools, 3):
            arguments = {
                name: _value(name, kind)
                for name, kind in tool["inputSchema"].get("properties", {}).items()
                if name in tool["inputSchema"].get("required", ()) or name in {"path", "query"}
            }
            reply = call(number, "tools/call", {"name": tool["name"], "arguments": arguments})
            walk.note(f"tool {tool['name']}", 0, json.dumps(reply, ensure_ascii=False))
        process.stdin.close()
        assert process.wait(ENDS_S) == 0


def _value(name: str, schema: Mapping[str, Any]) -> object:
    kind = schema.get("type")
    if kind == "array":
        return [VALUES.get(name.removesuffix("s"), ANY)]
    if kind in {"integer", "number"}:
        return 1
    if kind == "boolean":
        return True
    if kind == "object":
        return {}
    return VALUES.get(name, ANY)


def served(walk: Walk) -> None:
    """A server, all its routes, an assistant beside it; then it is told to end."""
    with subprocess.Popen(
        [*NOTEWELL, "serve", str(walk.vault), "--port", "0", "--handshake"],
        cwd=walk.vault,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as server:
        assert server.stdout is not None
        told = json.loads(server.stdout.readline())
        address = Server(f"http://127.0.0.1:{told['port']}", told["token"])
        ask(walk, address, "POST", "/api/ask", {"question": QUESTION})
        every_route(walk, address)
        every_tool(walk)
        began = time.monotonic()
        server.send_signal(signal.SIGTERM)
        code = server.wait(ENDS_S)
        walk.note("the server ends", code, f"{time.monotonic() - began:.1f} s")


def main(place: str, report: str) -> None:
    vault, scratch = Path(place), Path(report).parent / "scratch"
    scratch.mkdir()
    walk = Walk(vault)
    model = ObeyingModel()
    os.environ["NOTEWELL_ASK_PROVIDER"] = "openai"
    os.environ["NOTEWELL_ASK_BASE_URL"] = model.url
    os.environ["NOTEWELL_ASK_WEB"] = "true"
    os.chdir(vault)
    settings(walk)
    for command in (
        ("index", "."),
        ("search", "quince"),
        ("status", "ledger", "--json"),
        ("history", ".", "quince"),
        ("search", "quince", "--ever"),
        ("search", "quince", "--as-of", "2025-01-15"),
        ("doctor",),
    ):
        walk.run(*command)
    walk.run("ask", QUESTION, "--save", "Answer.md")
    walk.note("saved", 0, (vault / "Answer.md").read_text(encoding="utf-8"))
    every_command(walk, scratch)
    served(walk)
    walk.note("the model was sent", 0, model.read)
    walk.note("results of tools", 0, json.dumps([results(body) for body in model.asked]))
    model.close()
    for name, who in (("own", resource.RUSAGE_SELF), ("children", resource.RUSAGE_CHILDREN)):
        walk.note(f"memory {name}", resource.getrusage(who).ru_maxrss // 1024, "MB")
    Path(report).write_text(json.dumps(walk.said), encoding="utf-8")
