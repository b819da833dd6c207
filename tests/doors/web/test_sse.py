"""The event stream: frames, resuming, heartbeats, limits, and its end."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest
from aiohttp import ClientResponse

from notewell.doors.web import server as server_module
from notewell.doors.web.site import Streams
from tests.doors.web.fakes import TOKEN, Client, Connect, FakeEngine
from tests.waiting import HANG_S, until_async


async def frame(response: ClientResponse) -> str:
    async with asyncio.timeout(HANG_S):
        return (await response.content.readuntil(b"\n\n")).decode()


async def event(response: ClientResponse) -> dict[str, Any]:
    """The next event; what only keeps the connection alive is skipped."""
    while True:
        lines = [line for line in (await frame(response)).splitlines() if line]
        fields = dict(line.split(": ", 1) for line in lines if not line.startswith(":"))
        if "event" in fields:
            return {**fields, "data": json.loads(fields["data"])}


async def admitted(client: Client, meanwhile: Callable[[], None] = lambda: None) -> ClientResponse:
    """A stream, as soon as the server has room for it; the bound is for a hang."""

    async def attempt() -> ClientResponse | None:
        response = await client.get("/api/events")
        if response.status == 200:
            return response
        meanwhile()
        return None

    admitted = await until_async(attempt)
    assert admitted is not None
    return admitted


async def ended(response: ClientResponse) -> bool:
    async with asyncio.timeout(HANG_S):
        await response.content.read()
    return True


async def test_what_happens_is_told_as_it_happens(client: Client, engine: FakeEngine) -> None:
    async with client.get("/api/events") as response:
        assert (response.status, response.content_type) == (200, "text/event-stream")
        assert response.headers["Cache-Control"] == "no-store"
        assert response.headers["X-Content-Type-Options"] == "nosniff"
        assert (await frame(response)).startswith("retry: ")

        await asyncio.to_thread(engine.events.publish, "ledger", indexed=3, note="Zürich\n\n")

        assert await event(response) == {
            "id": "1",
            "event": "ledger",
            "data": {"indexed": 3, "note": "Zürich\n\n"},
        }


async def test_a_client_resumes_by_parameter_or_by_header(
    client: Client, engine: FakeEngine
) -> None:
    for generation in range(1, 6):
        engine.events.publish("generation", generation=generation)

    async with client.get("/api/events?after=3") as response:
        assert [(await event(response))["id"] for _ in range(2)] == ["4", "5"]
    # A browser repeats the address it began with; the header is newer.
    headers = {"Last-Event-ID": "4"}
    async with client.get("/api/events?after=0", headers=headers) as response:
        assert (await event(response))["id"] == "5"


@pytest.mark.parametrize("after", ["-1", "x", "1.5"])
async def test_an_id_that_is_none_is_refused(client: Client, after: str) -> None:
    by_header = await client.get("/api/events", headers={"Last-Event-ID": after})
    by_parameter = await client.get(f"/api/events?after={after}")

    assert (by_header.status, by_parameter.status) == (400, 400)


async def test_a_stream_needs_the_token(stranger: Client) -> None:
    assert (await stranger.get("/api/events")).status == 401


async def test_a_silent_stream_shows_that_it_lives(connect: Connect) -> None:
    client = await connect(streams=Streams(heartbeat_s=0.01))

    async with client.get("/api/events") as response:
        await frame(response)
        assert [await frame(response) for _ in range(3)] == [": still here\n\n"] * 3


async def test_more_streams_than_fit_are_refused_until_one_is_closed(
    connect: Connect, engine: FakeEngine
) -> None:
    client = await connect(streams=Streams(most=2))
    first = await client.get("/api/events")
    second = await client.get("/api/events")

    third = await client.get("/api/events")
    problem = await third.json(content_type="application/problem+json")
    assert (third.status, problem["code"]) == (503, "too_many_streams")

    first.close()  # the server learns of it when it looks for room
    again = await admitted(client)
    engine.events.publish("generation", generation=9)
    assert (await event(again))["data"] == {"generation": 9}
    assert (await event(second))["data"] == {"generation": 9}
    again.close()
    second.close()


async def test_head_asks_whether_there_is_a_stream_and_opens_none(connect: Connect) -> None:
    client = await connect(streams=Streams(most=1))

    for _ in range(3):
        response = await client.head("/api/events")
        assert (response.status, await response.read()) == (200, b"")


async def test_a_client_that_does_not_read_is_given_up(
    connect: Connect, engine: FakeEngine
) -> None:
    client = await connect(streams=Streams(patience_s=0.05, most=1))
    reader, writer = await asyncio.open_connection("127.0.0.1", client.port, limit=1024)
    writer.write(
        f"GET /api/events HTTP/1.1\r\nHost: 127.0.0.1:{client.port}\r\n"
        f"Authorization: Bearer {TOKEN}\r\n\r\n".encode()
    )
    await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), HANG_S)

    def tell_more_than_buffers_hold() -> None:
        for _ in range(50):
            engine.events.publish("ledger", note="x" * 20_000)

    response = await admitted(client, tell_more_than_buffers_hold)

    response.close()
    writer.close()


async def test_the_end_of_the_server_ends_the_streams(connect: Connect) -> None:
    streams = Streams()
    client = await connect(streams=streams)
    response = await client.get("/api/events")
    await frame(response)

    await streams.end(client.app)

    assert await ended(response)


async def test_an_unread_stream_does_not_keep_the_server_from_stopping(
    connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server_module, "SHUTDOWN_SECONDS", 10 * HANG_S)
    client = await connect()
    await client.get("/api/events")

    async with asyncio.timeout(HANG_S):  # less than it would wait for a request in flight
        await client.server.close()
