"""The official client over HTTP, with a real server and tokens."""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace

import anyio
import httpx2
import pytest
from aiohttp import ClientSession, web
from yarl import URL

from notewell.base.types import LimitRules
from notewell.doors.mcp.http import attach
from notewell.doors.web.site import SITE
from notewell.engine.access import Devices
from tests.doors.mcp.conftest import RIGHT, TOKEN, WRITING, Home, connected, over_http, serving
from tests.doors.mcp.test_tools import NAMES, SHORT, answer_of, ask, paths, refused, size
from tests.waiting import HANG_S, PROCESS_S

PARALLEL = 100


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_every_tool_answers(home: Home, mode: str) -> None:
    async with serving(home) as url, over_http(f"{url}/mcp", mode=mode) as client:
        tools = (await client.list_tools()).tools
        assert (len(tools), size(tools) < SHORT) == (10, True)
        for name in sorted(NAMES - set(WRITING)):
            assert (await ask(client, name, **RIGHT[name]))["tokens"] > 0
        for name in WRITING:
            assert (await refused(client, name, **RIGHT[name]))["code"] == "read_only"
        error = await refused(client, "search", query="x", limit="many")
        assert error["code"] == "bad_request"
        listed = await client.list_resources()
        assert len(listed.resources) == 6
        await client.get_prompt("answer_from_notes", {"question": "bees"})


async def test_the_address_can_request_writing(own_home: Home) -> None:
    async with serving(own_home) as url, over_http(f"{url}/mcp?allow_write=true") as client:
        (own_home.folder / "New.md").write_text("A note about the moon.", encoding="utf-8")
        job = (await ask(client, "index_paths", paths=["New.md"]))["job"]
        while (await ask(client, "vault_status", job=job["id"]))["job"]["state"] == "running":
            pass
        assert paths(await ask(client, "search", query="moon"))[0] == "New.md"


async def test_the_feature_is_listed_by_health(home: Home) -> None:
    async with serving(home) as url, ClientSession() as stranger:
        health = await (await stranger.get(f"{url}/api/health")).json()
    assert "mcp" in health["features"]


async def test_a_caller_without_the_token_is_refused(home: Home) -> None:
    async with serving(home) as url, ClientSession() as stranger:
        for headers in ({}, {"Authorization": "Bearer wrong"}):
            reply = await stranger.post(f"{url}/mcp", json={}, headers=headers)
            assert reply.status == 401
        foreign = {"Origin": "https://evil.example"}
        reply = await stranger.post(f"{url}/mcp", json={}, headers=foreign)
        assert reply.status == 403


async def test_a_hundred_concurrent_calls_are_answered(home: Home) -> None:
    async with serving(home) as url, over_http(f"{url}/mcp") as client:
        found: list[str] = []

        async def call(number: int) -> None:
            result = await client.call_tool("search", {"query": f"garden {number}", "weak": True})
            found.append(paths(answer_of(result))[0])

        async with anyio.create_task_group() as group:
            for number in range(PARALLEL):
                group.start_soon(call, number)
    assert len(found) == PARALLEL


async def test_a_full_server_says_when_to_retry(home: Home) -> None:
    apps: list[web.Application] = []

    def extend(app: web.Application) -> None:
        attach(app)
        apps.append(app)

    busy = replace(
        home, settings=replace(home.settings, limits=LimitRules(concurrent=1, waiting=0))
    )
    async with serving(busy, extend=extend) as url, over_http(f"{url}/mcp") as client:
        async with apps[0][SITE].slots.hold():
            error = await refused(client, "search", query="garden")
            assert (error["code"], error["retry_after"]) == ("overloaded", 1.0)
        assert paths(await ask(client, "search", query="garden"))


async def test_a_body_that_does_not_arrive_in_time_is_refused(home: Home) -> None:
    limits = LimitRules(body_timeout_s=0.05)
    impatient = replace(home, settings=replace(home.settings, limits=limits))
    async with serving(impatient) as url:
        address = URL(url)
        reader, writer = await asyncio.open_connection(address.host, address.port)
        head = f"POST /mcp HTTP/1.1\r\nHost: {address.host}:{address.port}\r\n"
        writer.write(
            f"{head}Authorization: Bearer {TOKEN}\r\nContent-Length: 99\r\n\r\n{{".encode()
        )
        assert b" 408 " in await asyncio.wait_for(reader.readline(), HANG_S)
        writer.close()


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_a_cancelled_call_does_not_affect_others(home: Home, mode: str) -> None:
    async with serving(home) as url, over_http(f"{url}/mcp", mode=mode) as client:
        with anyio.move_on_after(0.0001) as scope:
            await client.call_tool("context", {"query": "garden"})
        assert scope.cancelled_caught
        assert paths(await ask(client, "search", query="garden"))


async def test_an_open_session_does_not_delay_shutdown(home: Home) -> None:
    headers = {"Authorization": "Bearer t0ken-" + "m" * 40, "Accept": "text/event-stream"}
    async with httpx2.AsyncClient(headers=headers, timeout=PROCESS_S) as http:
        async with serving(home) as url, over_http(f"{url}/mcp", mode="legacy") as client:
            await ask(client, "stats")
            begun = time.monotonic()
        assert (await _gone(http, url)) is True
    assert time.monotonic() - begun < 20


async def _gone(http: httpx2.AsyncClient, url: str) -> bool:
    try:
        await http.get(f"{url}/api/health")
    except httpx2.HTTPError:
        return True
    return False


async def test_a_read_only_device_cannot_request_writing(own_home: Home) -> None:
    token = Devices(own_home.settings.state_dir).add("Phone", "read")
    async with serving(own_home, kept_token="kept") as url, ClientSession() as phone:
        headers = {"Authorization": f"Bearer {token}"}
        reply = await phone.post(f"{url}/mcp?allow_write=true", json={}, headers=headers)
        assert (reply.status, (await reply.json())["code"]) == (403, "scope_required")
        async with over_http(f"{url}/mcp", token=token) as client:
            assert paths(await ask(client, "search", query="garden"))


async def test_several_vaults_are_searched_as_one(own_home: Home) -> None:
    second = own_home.folder.parent / "Second"
    second.mkdir()
    (second / "Nectar.md").write_text("Bees gather nectar in spring.\n", encoding="utf-8")
    vaults = own_home.vaults()
    vaults.open(vaults.add(second), writable=True).index_now()
    vaults.close()

    async with connected(own_home) as client:
        found = await ask(client, "search", query="bees", vault="all", weak=True)
        assert {result["vault"] for result in found["results"]} == {"Home", "Second"}
        refused_one = await refused(client, "read_note", path="Nectar.md", vault="all")
    assert refused_one["code"] == "vault_required"
    async with serving(own_home) as url, over_http(f"{url}/mcp") as remote:
        found = await ask(remote, "search", query="bees", vault="Home,Second", weak=True)
        assert {result["vault"] for result in found["results"]} == {"Home", "Second"}
