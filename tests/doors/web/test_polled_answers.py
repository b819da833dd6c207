"""Ask by polling: the events of an answer for clients that cannot read a stream, as phones."""

from __future__ import annotations

import asyncio

from aiohttp import ClientResponse

from notewell.base.types import AskRules
from notewell.doors.web.site import SITE
from notewell.features.ask.polled_answers import PolledAnswers
from tests.doors.web.fakes import Client, FakeEngine
from tests.waiting import HANG_S

QUESTION = {"question": "How do bees fly?", "stream": "poll"}


def _answers(client: Client) -> PolledAnswers:
    return client.app[SITE].parts.of(PolledAnswers)  # type: ignore[index]


async def _begin(client: Client) -> str:
    response = await client.post("/api/ask", json=QUESTION)
    reply = await response.json()
    assert (response.status, response.content_type) == (200, "application/json")
    assert reply == {"id": reply["id"], "events": [], "done": False}
    return str(reply["id"])


async def _events(client: Client, number: str, **asked: int) -> ClientResponse:
    params = {name: str(value) for name, value in asked.items()}
    return await client.get(f"/api/ask/{number}", params=params)


async def test_an_answer_comes_in_parts_and_ends(client: Client) -> None:
    number = await _begin(client)
    kinds: list[str] = []
    text, after, done = "", 0, False
    async with asyncio.timeout(HANG_S):
        while not done:
            reply = await (await _events(client, number, after=after)).json()
            done = reply["done"]
            for event in reply["events"]:
                assert event["id"] > after
                after = event["id"]
                kinds.append(event["event"])
                text += event["data"].get("text", "")
    assert kinds[-1] == "answer"
    assert text == "By the sun [1]."


async def test_events_can_be_asked_for_again_and_text_comes_joined(client: Client) -> None:
    number = await _begin(client)
    async with asyncio.timeout(HANG_S):
        while not (await (await _events(client, number, after=2)).json())["done"]:
            pass
    whole = await (await _events(client, number)).json()
    assert [(event["id"], event["event"]) for event in whole["events"]] == [
        (2, "text"),
        (3, "answer"),
    ]
    assert whole["events"][0]["data"] == {"text": "By the sun [1]."}
    rest = await (await _events(client, number, after=2)).json()
    assert [event["event"] for event in rest["events"]] == ["answer"]


async def test_an_answer_can_be_stopped(client: Client, engine: FakeEngine) -> None:
    engine.asking.slow = True
    number = await _begin(client)
    await _events(client, number)
    assert (await client.post("/api/ask/stop", json={"id": number})).status == 200
    async with asyncio.timeout(HANG_S):
        await asyncio.to_thread(engine.asking.cancelled.wait)
        while not (reply := await (await _events(client, number, after=1)).json())["done"]:
            pass
    assert reply["events"] == []


async def test_waiting_for_events_returns_without_any_in_time(
    client: Client, engine: FakeEngine
) -> None:
    engine.asking.slow = True
    number = await _begin(client)
    await _events(client, number)
    reply = await (await _events(client, number, after=1, wait=0)).json()
    assert reply == {"id": number, "events": [], "done": False}
    await client.post("/api/ask/stop", json={"id": number})


async def test_an_answer_that_nobody_asks_for_is_stopped(
    client: Client, engine: FakeEngine
) -> None:
    engine.asking.slow = True
    _answers(client).patience_s = 0.05
    await _begin(client)
    async with asyncio.timeout(HANG_S):
        await asyncio.to_thread(engine.asking.cancelled.wait)


async def test_unknown_answers_are_not_found(client: Client) -> None:
    assert (await _events(client, "0" * 32)).status == 404
    assert (await _events(client, "not-an-id")).status == 400
    assert (await client.post("/api/ask/stop", json={"id": "0" * 32})).status == 404


async def test_there_is_a_maximum_of_running_answers(client: Client, engine: FakeEngine) -> None:
    engine.asking.slow = True
    _answers(client).max_per_caller = 1
    number = await _begin(client)
    refused = await client.post("/api/ask", json=QUESTION)
    assert refused.status == 503
    assert (await refused.json())["code"] == "too_many_answers"
    await client.post("/api/ask/stop", json={"id": number})


async def test_a_server_that_stops_ends_its_answers(client: Client, engine: FakeEngine) -> None:
    engine.asking.slow = True
    await _begin(client)
    await client.close()
    async with asyncio.timeout(HANG_S):
        await asyncio.to_thread(engine.asking.cancelled.wait)


async def test_a_program_on_this_computer_answers_from_now_on(
    client: Client, engine: FakeEngine
) -> None:
    response = await client.post("/api/ask/use", json={"server": "ollama", "model": "qwen3:8b"})
    assert response.status == 200
    rules = engine.asked[0]
    assert isinstance(rules, AskRules)
    assert (rules.provider, rules.base_url, rules.model) == (
        "openai",
        "http://127.0.0.1:11434/v1",
        "qwen3:8b",
    )
    config = await (await client.get("/api/config")).json()
    values = {setting["key"]: setting["value"] for setting in config["settings"]}
    assert values["ask.base_url"] == "http://127.0.0.1:11434/v1"


async def test_a_client_cannot_name_the_receiver_of_notes(client: Client) -> None:
    for wrong in ({"server": "http://evil.example"}, {"server": "ollama", "base_url": "http://x"}):
        assert (await client.post("/api/ask/use", json=wrong)).status == 400
