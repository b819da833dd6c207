"""The official client with a separate process: `notewell mcp`."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable
from typing import Any

import anyio
import mcp_types
import pytest
from mcp import StdioServerParameters
from mcp.client.client import Client
from pydantic import ValidationError

from notewell.doors.mcp.messages import refusal_of
from tests.doors.mcp.conftest import RIGHT, WRITING, Home, serving
from tests.doors.mcp.test_tools import NAMES, SHORT, answer_of, ask, paths, refused, size
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
        tools = (await client.list_tools()).tools
        assert (len(tools), size(tools) < SHORT) == (10, True)
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
            result = await client.call_tool("search", {"query": f"garden {number}", "weak": True})
            found.append(paths(answer_of(result))[0])

        async with anyio.create_task_group() as group:
            for number in range(PARALLEL):
                group.start_soon(call, number)
        assert len(found) == PARALLEL


async def test_a_server_can_start_and_stop_meanwhile(home: Home) -> None:
    async with Client(process(home, "--vault", "Home", "--allow-write")) as client:
        assert paths(await ask(client, "search", query="garden"))
        async with serving(home):
            assert paths(await ask(client, "search", query="garden"))
            # Only a server holds the writer's lock, so this was answered by it.
            assert "problem" not in (await ask(client, "reindex"))["job"]
        assert paths(await ask(client, "search", query="garden"))
        assert (await ask(client, "vault_status"))["notes"] == 6


INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}


def converse(home: Home, messages: Iterable[object]) -> list[dict[str, Any]]:
    """Send lines and close stdin; the answers, after the process has ended by itself.

    It logs all that it can, and stdout has protocol messages only.
    """
    lines = [each if isinstance(each, str) else json.dumps(each) for each in messages]
    ran = subprocess.run(
        [sys.executable, "-m", "notewell", "-vv", "mcp"],
        input="".join(f"{line}\n" for line in lines),
        capture_output=True,
        env=home.environment,
        cwd=home.folder,
        timeout=PROCESS_S,
        check=False,
        text=True,
    )
    assert ran.returncode == 0, ran.stderr
    assert all(line.startswith('{"jsonrpc"') for line in ran.stdout.splitlines()), ran.stdout
    return [json.loads(line) for line in ran.stdout.splitlines()]


@pytest.mark.parametrize(
    ("line", "code", "request_id"),
    [
        ("this is not JSON", -32700, None),
        ('{"jsonrpc": "2.0", "id": 1', -32700, None),
        ("[]", -32600, None),
        ("{}", -32600, None),
        ("null", -32600, None),
        ('{"jsonrpc": "1.0", "id": 7, "method": "ping"}', -32600, 7),
        ('{"id": "s", "method": "ping"}', -32600, "s"),
        ('{"jsonrpc": "2.0", "id": 8, "method": 5}', -32600, 8),
    ],
)
def test_what_is_no_message_is_refused_as_the_protocol_says(
    line: str, code: int, request_id: object
) -> None:
    with pytest.raises(ValidationError) as raised:
        mcp_types.jsonrpc_message_adapter.validate_json(line, by_name=False)
    refusal = refusal_of(raised.value)
    assert refusal is not None
    assert (refusal.error.code, refusal.id) == (code, request_id)


def test_malformed_messages_are_answered_and_the_rest_goes_on(home: Home) -> None:
    answers = converse(home, ["no JSON", "", INITIALIZE, "{}", '{"jsonrpc": "2.0", "id": 1.5}'])
    codes = [answer["error"]["code"] for answer in answers if "error" in answer]
    assert codes == [-32700, -32600, -32600]
    assert [answer["id"] for answer in answers if "result" in answer] == [1]


def test_it_ends_although_cancelled_calls_were_waiting(home: Home) -> None:
    calls = [
        {
            "jsonrpc": "2.0",
            "id": number,
            "method": "tools/call",
            "params": {"name": "search", "arguments": {"query": f"garden {number}"}},
        }
        for number in range(10, 60)
    ]
    cancels = [
        {
            "jsonrpc": "2.0",
            "method": "notifications/cancelled",
            "params": {"requestId": call["id"]},
        }
        for call in calls
    ]
    answers = converse(
        home,
        [INITIALIZE, {"jsonrpc": "2.0", "method": "notifications/initialized"}, *calls, *cancels],
    )
    # Most were given up before they began: what is answered is not what the end waited for.
    results = [answer for answer in answers if "result" in answer]
    assert len(results) < 25
