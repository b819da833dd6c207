"""Limits per caller: rates, slots, time, and requests that are cut off."""

from __future__ import annotations

import asyncio
import json
import threading
from pathlib import Path

import pytest
from aiohttp import ClientResponse
from hypothesis import given
from hypothesis import strategies as st

from notewell.base.errors import BusyError, ConfigError
from notewell.base.types import LimitRules
from notewell.contract.search import SearchReply, SearchRequest
from notewell.contract.status import AcceptedReply
from notewell.doors.web.limits import Rates, SlidingWindow, Slots
from notewell.doors.web.site import Streams
from notewell.engine.access import Devices
from tests.doors.web.fakes import Client, Connect, FakeEngine
from tests.waiting import HANG_S, happened, until_async


async def code_of(response: ClientResponse) -> tuple[int, str]:
    return response.status, (await response.json(content_type=None))["code"]


# --- rates --------------------------------------------------------------------------------------


@given(st.lists(st.floats(0, 3, allow_nan=False)), st.integers(1, 6))
def test_no_window_exceeds_its_limit(gaps: list[float], most: int) -> None:
    window, now, let_in = SlidingWindow(10.0), 0.0, []
    for gap in gaps:
        now += gap
        wait = window.wait("me", most, now)
        if wait == 0:
            window.add("me", now)
            let_in.append(now)
        else:
            assert window.wait("me", most, now + wait + 1e-6) == 0
    for start in let_in:
        assert len([at for at in let_in if start <= at < start + 10.0]) <= most


def test_callers_that_were_silent_longest_are_forgotten() -> None:
    window = SlidingWindow(10.0)
    for number in range(10_000):
        window.add(number, 0.0)

    assert window.wait(9_999, 1, 0.0) > 0
    assert window.wait(0, 1, 0.0) == 0


async def test_a_rate_limited_caller_gets_a_retry_time(
    connect: Connect, engine: FakeEngine
) -> None:
    client = await connect(limits=LimitRules(search=3))

    answers = [await client.get("/api/search?q=bees") for _ in range(5)]

    assert [answer.status for answer in answers] == [200, 200, 200, 429, 429]
    assert await code_of(answers[-1]) == (429, "rate_limited")
    assert 1 <= int(answers[-1].headers["Retry-After"]) <= 10
    assert len(engine.asked) == 3


async def test_routes_and_callers_are_counted_apart(
    connect: Connect, tmp_path: Path, engine: FakeEngine
) -> None:
    phone = Devices(tmp_path).add("phone", "read")
    client = await connect(limits=LimitRules(search=1, read=1), state_dir=tmp_path)
    as_phone = {"Authorization": f"Bearer {phone}"}

    assert (await client.get("/api/search?q=bees")).status == 200
    assert (await client.get("/api/search?q=bees")).status == 429
    assert (await client.get("/api/note?path=Garden/Bees.md")).status == 200
    assert (await client.get("/api/search?q=bees", headers=as_phone)).status == 200


async def test_a_single_route_may_have_a_limit_of_its_own_or_none(connect: Connect) -> None:
    client = await connect(limits=LimitRules(search=1, routes=("search=0", "status=2")))

    assert {(await client.get("/api/search?q=bees")).status for _ in range(5)} == {200}
    assert [(await client.get("/api/status")).status for _ in range(3)] == [200, 200, 429]


@pytest.mark.parametrize("entry", ["search", "search=", "search=many", "search=-1"])
def test_the_error_about_an_invalid_limit_names_it(entry: str) -> None:
    with pytest.raises(ConfigError, match=r"limits\.routes"):
        Rates(LimitRules(routes=(entry,)))


async def test_requests_without_a_token_are_rate_limited_too(connect: Connect) -> None:
    client = await connect(token=None, limits=LimitRules(read=3))

    for path, refused in (("/api/health", 200), ("/api/status", 401), ("/", 200)):
        statuses = [(await client.get(path)).status for _ in range(4)]
        assert statuses == [refused] * 3 + [429]


async def test_searching_while_typing_is_never_rate_limited(client: Client) -> None:
    text = "how do bees find their way home in spring " * 5

    statuses = {
        (await client.get("/api/search", params={"q": text[:n]})).status for n in range(200)
    }

    assert statuses == {200}


@pytest.mark.parametrize("name", ["search", "read", "heavy", "write", "guesses", "connections"])
def test_the_guide_names_the_limits_as_they_are(name: str) -> None:
    guide = Path(__file__).parents[3] / "docs" / "security.md"

    assert f"| `limits.{name}` | {getattr(LimitRules(), name)} |" in guide.read_text("utf-8")


# --- places -------------------------------------------------------------------------------------


async def test_requests_run_wait_or_are_refused_by_load() -> None:
    slots, go = Slots(2, 1), asyncio.Event()
    running = 0

    async def work() -> None:
        nonlocal running
        async with slots.hold():
            running += 1
            await go.wait()
            running -= 1

    first = [asyncio.create_task(work()) for _ in range(3)]
    await until_async(lambda: (running, slots.waiting) == (2, 1))
    assert running == 2
    with pytest.raises(BusyError) as refused:
        await work()
    assert refused.value.retry_after == 1.0

    go.set()
    await asyncio.gather(*first)
    await work()


async def test_a_request_that_waits_too_long_is_refused_and_frees_its_place() -> None:
    slots = Slots(1, 5, patience_s=0.01)
    async with slots.hold():
        with pytest.raises(BusyError, match="more to do"):
            async with slots.hold():
                pass
    async with slots.hold():
        pass


class Slow(FakeEngine):
    """An engine whose searches and jobs take until `go` is set; `begun` once one runs."""

    def __init__(self, engine: FakeEngine) -> None:
        super().__init__(engine.record, engine.notes)
        self.begun = threading.Event()
        self.go = threading.Event()
        self.cancelled = 0
        self._begin = self.work.reindex
        self.work.reindex = self._reindex

    def search(self, request: SearchRequest) -> SearchReply:
        self._wait()
        return super().search(request)

    def _reindex(self, **asked: object) -> AcceptedReply:
        self._wait()
        return self._begin(**asked)

    def _wait(self) -> None:
        self.begun.set()
        self.go.wait(HANG_S)


async def answered(client: Client, path: str) -> ClientResponse | None:
    """The response where it is a 200, else None."""
    response = await client.get(path)
    return response if response.status == 200 else None


def no_connections(client: Client) -> bool:
    """Whether the server has seen every client leave."""
    runner = client.server.runner
    return runner is not None and runner.server is not None and not runner.server.connections


@pytest.fixture
def slow(engine: FakeEngine, vaults: object) -> Slow:
    made = Slow(engine)
    vaults.engines[:] = [made]
    return made


async def test_a_full_server_refuses_requests_but_answers_health_and_status(
    connect: Connect, slow: Slow
) -> None:
    client = await connect(limits=LimitRules(concurrent=1, waiting=0))
    begun = asyncio.create_task(client.get("/api/search?q=bees"))
    await happened(slow.begun)

    refused = await client.get("/api/search?q=honey")
    health = await client.get("/api/health")
    status = await client.get("/api/status")
    slow.go.set()

    assert await code_of(refused) == (503, "overloaded")
    assert refused.headers["Retry-After"] == "1"
    assert (health.status, status.status) == (200, 200)
    assert (await begun).status == 200
    assert (await client.get("/api/search?q=honey")).status == 200


async def test_a_slow_read_is_cancelled(connect: Connect, slow: Slow) -> None:
    client = await connect(limits=LimitRules(query_timeout_s=0.05, concurrent=1))

    refused = await client.get("/api/search?q=bees")
    # On a busy machine this one may itself take longer than the time it is given.
    after = await until_async(lambda: answered(client, "/api/ledger"))
    slow.go.set()

    assert await code_of(refused) == (504, "query_timeout")
    assert "query_timeout_s" in (await refused.json(content_type=None))["detail"]
    assert after.status == 200


async def test_a_slow_change_is_not_cancelled(connect: Connect, slow: Slow) -> None:
    client = await connect(limits=LimitRules(query_timeout_s=0.05))
    begun = asyncio.create_task(client.post("/api/reindex"))
    await happened(slow.begun)
    await asyncio.sleep(0.1)  # longer than a query may take
    slow.go.set()

    assert (await begun).status == 202


async def test_the_slot_of_a_disconnected_client_is_freed_at_once(
    connect: Connect, slow: Slow
) -> None:
    client = await connect(limits=LimitRules(concurrent=1, waiting=0))
    leaving = asyncio.create_task(client.get("/api/search?q=bees"))
    await happened(slow.begun)

    leaving.cancel()
    await until_async(lambda: no_connections(client))

    assert (await until_async(lambda: answered(client, "/api/ledger"))).status == 200
    assert not slow.go.is_set()
    slow.go.set()


async def test_a_change_is_completed_after_its_client_disconnected(
    connect: Connect, slow: Slow
) -> None:
    client = await connect()
    leaving = asyncio.create_task(client.post("/api/reindex"))
    await happened(slow.begun)
    leaving.cancel()
    await until_async(lambda: no_connections(client))

    slow.go.set()
    await until_async(lambda: slow.asked)

    assert (False, ()) in slow.asked


# --- what is cut off ----------------------------------------------------------------------------


async def test_a_slow_body_times_out(connect: Connect) -> None:
    client = await connect(limits=LimitRules(body_timeout_s=0.05))
    reader, writer = await asyncio.open_connection("127.0.0.1", client.port)
    head = (
        f"POST /api/similar HTTP/1.1\r\nHost: 127.0.0.1:{client.port}\r\n"
        f"Authorization: {client.session.headers['Authorization']}\r\nContent-Length: 99\r\n\r\n{{"
    )
    writer.write(head.encode())

    status = await reader.readline()

    assert b"408" in status
    writer.close()


@pytest.mark.parametrize(
    "body",
    [
        '{"text":' * 100_000,
        "[" * 1_000_000,
        '{"text": "x", "limit": ' + "9" * 100_000 + "}",
        '{"text": "x", "limit": 1e999}',
        '{"text": "\\ud800"}',
        '{"text": "x"' + ', "text": "x"' * 50_000 + ', "y": 1}',
    ],
    ids=["deep", "deeper", "digits", "infinity", "surrogate", "doubled"],
)
async def test_hostile_json_is_refused(client: Client, engine: FakeEngine, body: str) -> None:
    response = await client.post("/api/similar", data=body)

    assert response.status == 400
    assert engine.asked == []


async def test_deep_json_that_fits_is_refused_for_what_it_says(client: Client) -> None:
    deep = {"text": "x", "more": json.loads("[" * 500 + "]" * 500)}

    assert (await client.post("/api/similar", json=deep)).status == 400


async def test_a_caller_cannot_take_all_event_streams(connect: Connect, tmp_path: Path) -> None:
    phone = Devices(tmp_path).add("phone", "read")
    client = await connect(state_dir=tmp_path, streams=Streams(most=4, each=2))
    as_phone = {"Authorization": f"Bearer {phone}"}

    statuses = [(await client.get("/api/events")).status for _ in range(4)]
    of_another = (await client.get("/api/events", headers=as_phone)).status

    assert statuses == [200, 200, 503, 503]
    assert of_another == 200
