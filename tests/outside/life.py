"""The whole life of a vault, by the commands that people and programs run: `python life.py VAULT`.

Run by test_nothing_leaves.py, with a watch over it and all that it starts. It imports nothing of
Notewell, and ends with an error where a command does not do its work.
"""

from __future__ import annotations

import json
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO

HANG_S = 240
NOTEWELL = (sys.executable, "-m", "notewell")
INITIALIZE = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "life", "version": "1"},
}


def main(vault: str) -> None:
    """Live through it. One server runs while other programs come and go."""
    notewell("index", vault)
    notewell("search", "something ate my seedlings overnight")  # without a server
    with started("serve", vault, "--port", "0") as (_, output):
        assert output.readline().startswith("http://127.0.0.1:")
        notewell("search", "my dough did not rise")
        notewell("similar", "Home.md")
        notewell("ask", "why do we forget?", fails=1)  # no model is set up
        notewell("gleanings", "extract")
        talk_to_assistant()
    with started("serve", vault, "--port", "0", "--handshake") as (_, output):
        ask_server(json.loads(output.readline()))


def notewell(*args: str, fails: int = 0) -> None:
    """Run a command to its end."""
    command = [*NOTEWELL, *args]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=HANG_S, check=False)
    assert ran.returncode == fails, (args, ran.stdout, ran.stderr)


@contextmanager
def started(*args: str) -> Iterator[tuple[IO[str], IO[str]]]:
    """Run a command during the block; its input and output. It ends well when asked to."""
    pipe = subprocess.PIPE
    with subprocess.Popen([*NOTEWELL, *args], stdin=pipe, stdout=pipe, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            yield process.stdin, process.stdout
            if args[0] == "serve" and "--handshake" not in args:
                process.terminate()  # the others end when their input does
            process.communicate(timeout=HANG_S)
            assert process.returncode == 0, (args, process.returncode)
        finally:
            process.kill()


def talk_to_assistant() -> None:
    """Search as an assistant does, through the server that it starts."""
    with started("mcp") as (request, answer):

        def ask(number: int, method: str, params: object) -> dict[str, object]:
            message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
            print(json.dumps(message), file=request, flush=True)
            answered: dict[str, dict[str, object]] = json.loads(answer.readline())
            assert "error" not in answered, answered
            return answered["result"]

        ask(1, "initialize", INITIALIZE)
        print('{"jsonrpc": "2.0", "method": "notifications/initialized"}', file=request, flush=True)
        found = ask(2, "tools/call", {"name": "search", "arguments": {"query": "bread"}})
        assert not found["isError"], found


def ask_server(said: dict[str, object]) -> None:
    """Search as the plugin does, at the server that it starts."""
    request = urllib.request.Request(
        f"http://127.0.0.1:{said['port']}/api/search?q=compost",
        headers={"Authorization": f"Bearer {said['token']}"},
    )
    with urllib.request.urlopen(request, timeout=HANG_S) as response:
        assert json.load(response)["results"]


if __name__ == "__main__":
    main(sys.argv[1])
