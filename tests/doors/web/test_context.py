"""The route for contexts: requests reach the engine, invalid ones are refused."""

from __future__ import annotations

from typing import Any

import pytest

from notewell.contract.context import ContextRequest
from tests.doors.web.fakes import Client, FakeEngine


async def test_a_question_reaches_the_engine(client: Client, engine: FakeEngine) -> None:
    body = {"q": "bees", "budget_tokens": 900, "sources": 3, "fill": True, "door": "web"}
    reply = await client.post("/api/context", json=body)
    assert reply.status == 200
    assert (await reply.json())["budget_tokens"] == 900
    asked = ContextRequest("bees", budget_tokens=900, sources=3, fill=True, door="web")
    assert engine.asked == [asked]


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({}, "bad_request"),
        ({"q": "x", "budget_tokens": 10}, "bad_request"),
        ({"q": "x", "sources": 0}, "bad_request"),
        ({"q": "x", "budget": 100}, "bad_request"),
        ({"q": "x" * 5000}, "query_too_long"),
    ],
)
async def test_invalid_requests_are_refused(
    client: Client, body: dict[str, Any], code: str
) -> None:
    reply = await client.post("/api/context", json=body)
    assert (reply.status, (await reply.json())["code"]) == (400, code)
