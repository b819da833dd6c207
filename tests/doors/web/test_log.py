"""The log over HTTP: searches, opened results, verdicts, and who may read it."""

from __future__ import annotations

import pytest

from notewell.contract.search import SearchRequest
from tests.doors.web.fakes import Client, FakeEngine


async def test_a_search_names_its_client(client: Client, engine: FakeEngine) -> None:
    await client.get("/api/search", params={"q": "bees"})
    await client.get("/api/search", params={"q": "bees", "door": "plugin"})
    await client.get("/api/search", params={"q": "bees", "door": "none"})

    assert engine.asked == [
        SearchRequest("bees", door="http"),
        SearchRequest("bees", door="plugin"),
        SearchRequest("bees"),
    ]


@pytest.mark.parametrize("door", ["Plugin", "a b", "x" * 40, "é"])
async def test_a_client_name_is_a_short_word(client: Client, door: str) -> None:
    response = await client.get("/api/search", params={"q": "bees", "door": door})

    assert response.status == 400
    assert "`door`" in (await response.json())["detail"]


async def test_an_opening_names_its_search(client: Client, engine: FakeEngine) -> None:
    told = {"query_id": "q1", "path": "Garden/Bees.md", "rank": 2}

    assert (await client.post("/api/opened", json=told)).status == 200
    assert engine.asked == [("q1", None, "Garden/Bees.md", 2)]


@pytest.mark.parametrize(
    "told",
    [
        {"path": "A.md"},
        {"q": " ", "path": "A.md"},
        {"q": "x", "path": "../A.md"},
        {"q": "x", "path": "A.md", "rank": 0},
        {"q": "x" * 5000, "path": "A.md"},
    ],
)
async def test_an_invalid_opened_result_is_refused(
    client: Client, engine: FakeEngine, told: dict[str, object]
) -> None:
    assert (await client.post("/api/opened", json=told)).status == 400
    assert engine.asked == []


async def test_a_verdict_is_one_of_three(client: Client, engine: FakeEngine) -> None:
    for verdict in ("this_was_it", "never_for_this", "clear"):
        told = {"q": "bees", "path": "A.md", "verdict": verdict}
        reply = await (await client.post("/api/verdict", json=told)).json()
        assert reply["verdict"] == (None if verdict == "clear" else verdict)
    response = await client.post("/api/verdict", json={"q": "b", "path": "A.md", "verdict": "no"})

    assert response.status == 400
    assert [asked[2] for asked in engine.asked] == ["this_was_it", "never_for_this", None]  # type: ignore[index]


async def test_since_is_a_time_with_its_zone(client: Client, engine: FakeEngine) -> None:
    asked = {"since": "2026-03-02T10:00:00+00:00", "limit": "5"}

    assert (await client.get("/api/log", params=asked)).status == 200
    assert engine.asked == [(5, 1_772_445_600.0)]
    for since in ("2026-03-02T10:00:00", "yesterday"):
        assert (await client.get("/api/log", params={"since": since})).status == 400


async def test_unauthorised_callers_neither_read_nor_clear_the_log(
    stranger: Client, engine: FakeEngine
) -> None:
    assert (await stranger.get("/api/log")).status == 401
    assert (await stranger.post("/api/log/clear", json={})).status == 401
    assert engine.asked == []
