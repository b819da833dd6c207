"""Access: scopes, devices added and revoked while a server runs, sign-in links."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest
from aiohttp import ClientResponse
from yarl import URL

from notewell.base.support.log_files import AUDIT
from notewell.base.types import LimitRules, ServerRules
from notewell.doors.web.auth import PAGE_KEY
from notewell.doors.web.routes import ROUTES, Route
from notewell.engine.access import Devices, Scope, new_stored_token, stored_token
from tests.doors.web.fakes import Client, Connect, FakeEngine

RANK = {"read": 0, "write": 1, "admin": 2}


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


async def code_of(response: ClientResponse) -> tuple[int, str]:
    return response.status, (await response.json(content_type=None))["code"]


@pytest.fixture
def state_dir(tmp_path: Path) -> Path:
    return tmp_path / "state"


@pytest.fixture
def devices(state_dir: Path) -> Devices:
    return Devices(state_dir)


@pytest.fixture
async def kept(connect: Connect, state_dir: Path) -> Client:
    """A server that knows the devices of `state_dir`, and a client that shows nothing."""
    return await connect(token=None, state_dir=state_dir)


@pytest.mark.parametrize("scope", ["read", "write"])
@pytest.mark.parametrize(
    "route", [r for r in ROUTES if r.endpoint.needs_token], ids=lambda r: r.endpoint.name
)
async def test_a_device_does_what_its_scope_allows_and_nothing_else(
    kept: Client, devices: Devices, engine: FakeEngine, route: Route, scope: Scope
) -> None:
    token = devices.add("phone", scope)
    if route.endpoint.name == "events":
        pytest.skip("a stream does not end")

    place = route.endpoint.place(route.endpoint.example)
    response = await kept.request(route.endpoint.method, place, headers=bearer(token))

    if RANK[scope] >= RANK[route.endpoint.scope]:
        assert response.status in {200, 202, 400, 404, 409}
    else:
        assert await code_of(response) == (403, "scope_required")
        assert engine.asked == []


def test_changes_need_more_than_the_read_scope() -> None:
    changing = {r.endpoint.name: r.endpoint.scope for r in ROUTES if r.endpoint.method != "GET"}

    harmless = {name for name, scope in changing.items() if scope == "read"}
    assert {"similar_text", "opened"} <= harmless
    assert changing["log_clear"] == "admin"
    assert {changing[name] for name in ("changes", "sync", "reindex", "guard", "verdict")} == {
        "write"
    }


async def test_the_token_that_stays_is_known_and_rotating_it_holds_at_once(
    kept: Client, state_dir: Path
) -> None:
    first = stored_token(state_dir)
    assert (await kept.get("/api/status", headers=bearer(first))).status == 200

    second = new_stored_token(state_dir)

    assert (await kept.get("/api/status", headers=bearer(first))).status == 401
    assert (await kept.get("/api/status", headers=bearer(second))).status == 200


async def test_a_revoked_device_is_refused_from_the_next_request_on(
    kept: Client, devices: Devices
) -> None:
    token = devices.add("phone", "read")
    assert (await kept.get("/api/status", headers=bearer(token))).status == 200

    devices.revoke("phone")

    assert await code_of(await kept.get("/api/status", headers=bearer(token))) == (
        401,
        "unauthorized",
    )


async def test_a_device_is_not_known_to_a_server_that_a_program_started(
    connect: Connect, devices: Devices
) -> None:
    token = devices.add("phone", "admin")
    client = await connect(token=token)

    assert (await client.get("/api/status")).status == 401


async def test_a_damaged_device_file_denies_access(kept: Client, devices: Devices) -> None:
    token = devices.add("phone", "read")
    devices.file.write_text("{")

    response = await kept.get("/api/status", headers=bearer(token))

    assert await code_of(response) == (401, "state_unreadable")


async def test_the_last_use_of_a_device_is_stored_at_shutdown(
    kept: Client, devices: Devices
) -> None:
    token = devices.add("phone", "read")
    await kept.get("/api/status", headers=bearer(token))

    await kept.close()

    (device,) = devices.all()
    assert device.last_used is not None


# --- links that sign in -------------------------------------------------------------------------


async def follow(client: Client, **secret: str) -> ClientResponse:
    """Follow a link as its page does, which shows the key that it gets from then on."""
    response = await client.post("/", data=secret, allow_redirects=False)
    key = URL(response.headers.get("Location", "")).query.get("key")
    if key is not None:
        client.session.headers[PAGE_KEY] = key
    return response


async def test_a_link_signs_a_browser_in_once(kept: Client, devices: Devices) -> None:
    code = devices.invite("phone", "read")

    first = await follow(kept, code=code)

    address = URL(first.headers["Location"])
    assert (first.status, address.path, set(address.query)) == (303, "/", {"key"})
    (cookie,) = first.cookies.values()
    assert cookie["httponly"]
    assert cookie["samesite"] == "Strict"
    assert cookie["path"] == "/"
    assert int(cookie["max-age"]) > 0
    assert code not in cookie.value
    assert (await kept.get("/api/status")).status == 200
    assert (await kept.post("/api/reindex")).status == 403

    kept.session.cookie_jar.clear()
    second = await follow(kept, code=code)
    assert second.headers["Location"] == "/?refused=code"
    assert "Set-Cookie" not in second.headers
    assert (await kept.get("/api/status")).status == 401


async def test_the_cookie_of_a_link_is_no_token(kept: Client, devices: Devices) -> None:
    signed_in = await follow(kept, code=devices.invite("phone", "admin"))
    (cookie,) = signed_in.cookies.values()
    kept.session.cookie_jar.clear()

    assert (await kept.get("/api/status", headers=bearer(cookie.value))).status == 401


async def test_what_a_devices_browser_may_do_ends_with_the_device(
    kept: Client, devices: Devices
) -> None:
    await follow(kept, code=devices.invite("phone", "read"))
    assert (await kept.get("/api/status")).status == 200

    devices.revoke("phone")

    assert (await kept.get("/api/status")).status == 401


async def test_a_cookie_is_secure_where_a_trusted_proxy_speaks_https(
    connect: Connect, state_dir: Path, devices: Devices
) -> None:
    https = {"X-Forwarded-Proto": "https"}
    for trusted, secure in ((("127.0.0.1",), True), ((), "")):
        client = await connect(
            token=None, state_dir=state_dir, rules=ServerRules(trusted_proxies=trusted)
        )
        code = devices.invite(f"phone {secure}", "read")
        response = await client.post("/", data={"code": code}, headers=https, allow_redirects=False)
        assert next(iter(response.cookies.values()))["secure"] == secure


# --- guessing -----------------------------------------------------------------------------------


async def test_guessing_is_slowed_down_and_a_device_that_is_known_goes_on(
    connect: Connect, state_dir: Path, devices: Devices
) -> None:
    client = await connect(token=None, state_dir=state_dir, limits=LimitRules(guesses=3))
    known, fresh = devices.add("phone", "read"), devices.add("tablet", "read")
    assert (await client.get("/api/status", headers=bearer(known))).status == 200

    statuses = [
        (await client.get("/api/status", headers=bearer(f"guess {number}"))).status
        for number in range(5)
    ]

    assert statuses == [401, 401, 401, 429, 429]
    refused = await client.get("/api/status", headers=bearer(fresh))
    assert await code_of(refused) == (429, "too_many_guesses")
    assert 0 < int(refused.headers["Retry-After"]) <= 60
    assert (await client.get("/api/status", headers=bearer(known))).status == 200


@pytest.mark.parametrize("how", ["token", "code", "cookie", "page key"])
async def test_every_way_to_sign_in_has_the_same_guess_limit(
    connect: Connect, state_dir: Path, how: str
) -> None:
    client = await connect(token=None, state_dir=state_dir, limits=LimitRules(guesses=3))

    async def guess(number: int) -> int:
        if how == "cookie":
            headers = {"Cookie": f"notewell-{client.port}=guess-{number}", PAGE_KEY: "x"}
            return (await client.get("/api/status", headers=headers)).status
        if how == "page key":
            headers = {"Cookie": f"notewell-{client.port}=known", PAGE_KEY: f"guess-{number}"}
            return (await client.get("/api/status", headers=headers)).status
        return (await follow(client, **{how: f"guess-{number}"})).status

    statuses = [await guess(number) for number in range(5)]

    assert statuses[3:] == [429, 429]
    assert 429 not in statuses[:3]


async def test_repeating_one_wrong_token_counts_as_one_guess(connect: Connect) -> None:
    client = await connect(token="of an earlier server", limits=LimitRules(guesses=3))

    assert {(await client.get("/api/status")).status for _ in range(9)} == {401}


async def test_a_proxy_we_trust_says_who_guesses_and_nobody_else_does(connect: Connect) -> None:
    limits = LimitRules(guesses=1)
    trusting = await connect(
        token=None, limits=limits, rules=ServerRules(trusted_proxies=("127.0.0.1",))
    )
    wary = await connect(token=None, limits=limits)

    async def statuses(client: Client) -> list[int]:
        return [
            (
                await client.get(
                    "/api/status",
                    headers={**bearer(f"{number}"), "X-Forwarded-For": f"9.9.9.9, 10.0.0.{number}"},
                )
            ).status
            for number in range(3)
        ]

    assert await statuses(trusting) == [401, 401, 401]
    assert await statuses(wary) == [401, 429, 429]


# --- the audit log ------------------------------------------------------------------------------


async def test_the_audit_log_says_who_did_what_and_nothing_of_notes(
    kept: Client, devices: Devices, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, AUDIT)
    token, reader = devices.add("laptop", "write"), devices.add("phone", "read")

    await kept.post("/api/reindex", json={"paths": ["Diary.md"]}, headers=bearer(token))
    await kept.post("/api/reindex", json={"paths": ["../Diary.md"]}, headers=bearer(token))
    await kept.get("/api/search?q=diary", headers=bearer(reader))
    await kept.post("/api/similar", json={"text": "diary"}, headers=bearer(reader))
    await kept.post("/api/reindex", json={"paths": ["Diary.md"]}, headers=bearer(reader))
    await kept.get("/api/note?path=Diary.md", headers=bearer("wrong-one"))
    await follow(kept, code=devices.invite("tablet", "read"))

    said = [record.getMessage() for record in caplog.records if record.name == AUDIT]
    assert said == [
        "POST /api/reindex 202, laptop (write) from 127.0.0.1",
        "POST /api/reindex 400, laptop (write) from 127.0.0.1",
        "refused POST /api/reindex: scope_required, phone (read) from 127.0.0.1",
        "refused GET /api/note: unauthorized, unknown from 127.0.0.1",
        "signed in by code from 127.0.0.1",
    ]


async def test_a_flood_of_refusals_does_not_fill_the_disk(
    stranger: Client, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, AUDIT)

    for _ in range(30):
        await stranger.get("/api/status")

    assert len([record for record in caplog.records if record.name == AUDIT]) == 10


async def test_only_an_administrator_grants_a_golden_rule(
    kept: Client, devices: Devices, engine: FakeEngine
) -> None:
    rule = {"content": "Write short sentences.", "type": "golden_rule"}
    writer, admin = (bearer(devices.add(name, name)) for name in ("write", "admin"))

    refused = await kept.post("/api/memory/store", json=rule, headers=writer)
    assert await code_of(refused) == (403, "scope_required")
    assert engine.asked == []
    plain = await kept.post("/api/memory/store", json={**rule, "type": "fact"}, headers=writer)
    granted = await kept.post("/api/memory/store", json=rule, headers=admin)
    assert (plain.status, granted.status) == (200, 200)
