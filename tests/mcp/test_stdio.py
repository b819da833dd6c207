"""The official client with a separate process: `notewell mcp`."""

from __future__ import annotations

import subprocess
import sys

import anyio
import pytest
from mcp.client.client import Client

from mcp import StdioServerParameters
from tests.mcp.conftest import RIGHT, WRITING, Home, serving
from tests.mcp.test_tools import NAMES, answer_of, ask, paths, refused
from tests.waiting import PROCESS_S

PARALLEL = 100


def process(home: Home, *options: str) -> StdioServerParameters:
    return StdioServerParameters(
        command=sys.executable,
        args=["-m", "notewell", "mcp", *options],
        env=home.environment,
        cwd=home.folder,
    )


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_every_tool_answers(home: Home, mode: str) -> None:
    async with Client(process(home), mode=mode) as client:
        assert {tool.name for tool in (await client.list_tools()).tools} >= NAMES
        for name in sorted(NAMES - set(WRITING)):
            assert (await ask(client, name, **RIGHT[name]))["tokens"] > 0
        for name in WRITING:
            assert (await refused(client, name, **RIGHT[name]))["code"] == "read_only"
        assert (await refused(client, "search"))["code"] == "bad_request"
        with anyio.move_on_after(0.0001) as scope:
            await client.call_tool("context", {"query": "garden"})
        assert scope.cancelled_caught
        found: list[str] = []

        async def call(number: int) -> None:
            result = await client.call_tool("search", {"query": f"garden {number}"})
            found.append(paths(answer_of(result))[0])

        async with anyio.create_task_group() as group:
            for number in range(PARALLEL):
                group.start_soon(call, number)
        assert len(found) == PARALLEL


async def test_a_server_may_come_and_go(home: Home) -> None:
    async with Client(process(home, "--vault", "Home", "--allow-write")) as client:
        assert paths(await ask(client, "search", query="garden"))
        async with serving(home):
            assert paths(await ask(client, "search", query="garden"))
            # Only a server holds the writer's lock, so this was answered by it.
            assert "problem" not in (await ask(client, "reindex"))["job"]
        assert paths(await ask(client, "search", query="garden"))
        assert (await ask(client, "vault_status"))["notes"] == 6


def test_stdout_is_the_protocols_alone(home: Home) -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "notewell", "-vv", "mcp"],
        input=b"this is not JSON\n",
        capture_output=True,
        env=home.environment,
        cwd=home.folder,
        timeout=PROCESS_S,
        check=False,
    )
    assert ran.returncode == 0
    assert all(line.startswith(b'{"jsonrpc"') for line in ran.stdout.splitlines())


def test_a_vault_that_is_not_known_ends_it_with_what_to_do(home: Home) -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "notewell", "mcp", "--vault", "Elsewhere"],
        input=b"",
        capture_output=True,
        env=home.environment,
        timeout=PROCESS_S,
        check=False,
    )
    assert (ran.returncode, ran.stdout) == (3, b"")
    assert b"known: Home" in ran.stderr
