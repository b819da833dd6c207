"""Ask over HTTP: a stream of events that ends with the answer, or when the client leaves."""

from __future__ import annotations

import asyncio
import json

import pytest

from notewell.features.ask.requests import AskRequest
from tests.doors.web.fakes import Client, FakeEngine
from tests.waiting import HANG_S


async def test_an_answer_streams_and_ends(client: Client, engine: FakeEngine) -> None:
    asked = {"question": "How do bees fly?", "conversation": "0123456789abcdef"}
    response = await client.post("/api/ask", json=asked)
    body = await response.text()

    assert response.content_type == "text/event-stream"
    frames = [frame for frame in body.split("\n\n") if frame.startswith("id")]
    kinds = [frame.splitlines()[1] for frame in frames]
    assert kinds == ["event: text", "event: text", "event: answer"]
    reply = json.loads(frames[-1].splitlines()[2].removeprefix("data: "))
    assert reply["answer"] == "By the sun [1]."
    assert engine.asked == [AskRequest("How do bees fly?", "0123456789abcdef")]


async def test_a_disconnected_client_ends_the_answer(client: Client, engine: FakeEngine) -> None:
    engine.asking.slow = True
    response = await client.post("/api/ask", json={"question": "How do bees fly?"})
    await response.content.readuntil(b"By the ")
    response.close()

    async with asyncio.timeout(HANG_S):
        await asyncio.to_thread(engine.asking.cancelled.wait)


async def test_an_unexpected_error_ends_the_stream_with_an_error_event(
    client: Client, engine: FakeEngine, caplog: pytest.LogCaptureFixture
) -> None:
    engine.asking.breaks = True
    response = await client.post("/api/ask", json={"question": "How do bees fly?"})
    body = await response.text()

    assert 'event: error\ndata: {"code":"internal"' in body
    assert "RuntimeError" in caplog.text
    assert "How do bees fly" not in body + caplog.text


async def test_questions_are_validated(client: Client) -> None:
    for wrong in ({}, {"question": ""}, {"question": "x", "conversation": "../x"}):
        response = await client.post("/api/ask", json=wrong)
        assert response.status == 400


async def test_a_stored_conversation_can_be_read(client: Client, engine: FakeEngine) -> None:
    response = await client.get(
        "/api/ask/conversation", params={"conversation": "0123456789abcdef"}
    )
    reply = await response.json()

    (turn,) = reply["turns"]
    assert (turn["question"], turn["answer"]) == ("How do bees fly?", "By the sun [1].")
    assert turn["sources"][0]["line"] == 3
    assert turn["cancelled"] is False
    assert engine.asked == ["0123456789abcdef"]


async def test_conversations_are_listed_and_deleted(client: Client, engine: FakeEngine) -> None:
    listed = await (await client.get("/api/ask/conversations")).json()
    (one,) = listed["conversations"]
    assert (one["question"], one["turns"]) == ("Why?", 1)

    asked = {"conversation": one["conversation"]}
    assert (await client.post("/api/ask/forget", json=asked)).status == 200
    assert engine.asked == [("forget", "0123456789abcdef")]
