"""Pairing over HTTP: an administrator's link, its code exchanged for a token, and who is refused."""

from __future__ import annotations

import logging
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from aiohttp import ClientResponse

from notewell.base.support.log_files import AUDIT
from notewell.base.types import LimitRules, ServerRules
from notewell.doors.web.openapi import document
from notewell.doors.web.routes import ROUTES
from notewell.engine.access import Devices
from tests.doors.web.fakes import TOKEN, Client, Connect
from tests.doors.web.fits import misfits

ADMIN = {"Authorization": f"Bearer {TOKEN}"}


async def code_of(response: ClientResponse) -> tuple[int, str]:
    return response.status, (await response.json(content_type=None))["code"]


def shape_misfits(reply: str, value: object) -> list[str]:
    described = document(ROUTES, "0.0.0")
    return misfits(value, described["components"]["schemas"][reply], described)


async def redeem(client: Client, code: str, name: str = "phone") -> ClientResponse:
    return await client.post("/api/pair/redeem", json={"code": code, "name": name})


@pytest.fixture
def devices(tmp_path: Path) -> Devices:
    return Devices(tmp_path / "state")


@pytest.fixture
async def kept(connect: Connect, devices: Devices) -> Client:
    return await connect(token=None, state_dir=devices.file.parent)


async def test_a_link_lets_a_device_in_that_can_be_taken_away(
    kept: Client, devices: Devices
) -> None:
    made = await (await kept.post("/api/pair", json={}, headers=ADMIN)).json()
    assert made["scope"] == "write"
    assert made["code"] in made["url"]
    assert made["code"] in made["obsidian"]
    assert made["qr"].startswith("data:image/svg+xml")
    assert shape_misfits("PairReply", made) == []

    paired = await (await redeem(kept, made["code"])).json()

    assert paired["device"] == "phone"
    assert shape_misfits("RedeemReply", paired) == []
    bearer = {"Authorization": f"Bearer {paired['token']}"}
    session = await (await kept.get("/api/session", headers=bearer)).json()
    assert session == {"name": "phone", "scope": "write"}
    devices.revoke("phone")
    assert (await kept.get("/api/session", headers=bearer)).status == 401


async def test_a_code_of_the_terminal_works_at_the_running_server(
    kept: Client, devices: Devices
) -> None:
    response = await redeem(kept, devices.offer("read"))

    assert response.status == 200
    assert response.headers["Cache-Control"] == "no-store"


async def test_a_code_works_once(kept: Client, devices: Devices) -> None:
    code = devices.offer("read")
    assert (await redeem(kept, code)).status == 200

    assert await code_of(await redeem(kept, code)) == (403, "pairing_code_invalid")


async def test_an_expired_code_is_refused(kept: Client, devices: Devices) -> None:
    code = devices.offer("read", seconds=-1)

    assert await code_of(await redeem(kept, code)) == (403, "pairing_code_invalid")


async def test_five_wrong_codes_end_all_and_an_address_may_not_guess_on(
    connect: Connect, devices: Devices
) -> None:
    client = await connect(token=None, state_dir=devices.file.parent, limits=LimitRules(guesses=5))
    code = devices.offer("read")
    for attempt in range(5):
        await redeem(client, f"guess {attempt}")

    assert await code_of(await redeem(client, code)) == (429, "too_many_guesses")
    assert devices.pair(code, "phone") is None


async def test_many_tries_are_limited_by_rate(connect: Connect, devices: Devices) -> None:
    client = await connect(token=None, state_dir=devices.file.parent, limits=LimitRules(heavy=3))
    statuses = [(await redeem(client, "the same")).status for _ in range(4)]

    assert statuses == [403, 403, 403, 429]


@pytest.mark.parametrize("scope", ["read", "write"])
async def test_only_administrators_make_links(kept: Client, devices: Devices, scope: str) -> None:
    token = devices.add("phone", "read" if scope == "read" else "write")
    response = await kept.post("/api/pair", json={}, headers={"Authorization": f"Bearer {token}"})

    assert await code_of(response) == (403, "scope_required")
    assert (await kept.post("/api/pair", json={})).status == 401


async def test_a_link_never_gives_administration(kept: Client) -> None:
    response = await kept.post("/api/pair", json={"scope": "admin"}, headers=ADMIN)

    assert response.status == 400


async def test_an_unknown_host_or_a_foreign_page_redeems_nothing(
    kept: Client, devices: Devices
) -> None:
    body = {"code": devices.offer("read"), "name": "phone"}
    rebound = await kept.post("/api/pair/redeem", json=body, headers={"Host": "evil.example"})
    foreign = await kept.post(
        "/api/pair/redeem", json=body, headers={"Origin": "https://evil.example"}
    )

    assert await code_of(rebound) == (403, "unknown_host")
    assert await code_of(foreign) == (403, "foreign_origin")
    assert devices.all() == ()


@pytest.mark.parametrize(
    "address",
    ["javascript:alert(1)", "https://a@evil.example", "https://x/?code=1", "https://x\r\nHost: y"],
)
async def test_a_hostile_address_makes_no_link(kept: Client, address: str) -> None:
    response = await kept.post("/api/pair", json={"address": address}, headers=ADMIN)

    assert response.status == 400


async def test_the_link_has_the_address_that_other_devices_reach(
    connect: Connect, devices: Devices
) -> None:
    state_dir = devices.file.parent
    alone = await connect(state_dir=state_dir)
    public = await connect(state_dir=state_dir, rules=ServerRules(public_url="https://box.ts.net/"))
    asked = {"address": "http://127.0.0.1:8765"}

    here = await (await alone.post("/api/pair", json=asked)).json()
    there = await (await public.post("/api/pair", json=asked)).json()
    named = await (await alone.post("/api/pair", json={"address": "https://notes.home"})).json()

    assert (here["loopback"], urlsplit(here["url"]).netloc) == (True, "127.0.0.1:8765")
    assert (there["loopback"], urlsplit(there["url"]).netloc) == (False, "box.ts.net")
    assert parse_qs(urlsplit(named["obsidian"]).query)["url"] == ["https://notes.home"]


async def test_a_server_of_another_program_says_why_it_pairs_nobody(connect: Connect) -> None:
    client = await connect()

    assert await code_of(await client.post("/api/pair", json={})) == (403, "no_devices")
    assert await code_of(await redeem(client, "a")) == (403, "no_devices")


async def test_a_browser_is_signed_in_by_a_code_and_its_name(
    kept: Client, devices: Devices
) -> None:
    code = devices.offer("write")
    link = {"code": code, "name": "Kitchen tablet"}

    first = await kept.post("/", data=link, allow_redirects=False)
    again = await kept.post("/", data=link, allow_redirects=False)

    assert first.status == 303
    assert "HttpOnly" in first.headers["Set-Cookie"]
    assert code not in first.headers["Location"]
    assert "name" not in parse_qs(urlsplit(first.headers["Location"]).query)
    assert again.headers["Location"] == "/?refused=code"
    (device,) = devices.all()
    assert (device.name, device.scope, device.token) == ("Kitchen tablet", "write", None)


async def test_codes_are_guessed_at_neither_door(kept: Client, devices: Devices) -> None:
    code = devices.offer("read")
    for attempt in range(5):
        link = {"code": f"guess {attempt}", "name": "x"}
        await kept.post("/", data=link, allow_redirects=False)

    assert await code_of(await redeem(kept, code)) == (403, "pairing_code_invalid")


async def test_the_audit_log_tells_of_pairing_without_the_code(
    kept: Client, devices: Devices, caplog: pytest.LogCaptureFixture
) -> None:
    code = devices.offer("read")
    with caplog.at_level(logging.INFO, AUDIT):
        await redeem(kept, code)
        await redeem(kept, code)

    assert "signed in by pairing" in caplog.text
    assert "refused sign-in by pairing" in caplog.text
    assert code not in caplog.text


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"code": "x"},
        {"code": "", "name": "phone"},
        {"code": "x" * 101, "name": "phone"},
        {"code": ["x"], "name": "phone"},
        {"code": "x", "name": "x" * 65},
        {"code": "x", "name": "right\u202eleft"},
        {"code": "x", "name": "phone", "scope": "admin"},
        {"code": "x", "name": "phone", "vault": "Home"},
    ],
)
async def test_hostile_parameters_are_refused_and_leave_the_code(
    kept: Client, devices: Devices, body: dict[str, object]
) -> None:
    code = devices.offer("read")

    assert (await kept.post("/api/pair/redeem", json=body)).status == 400
    assert (await redeem(kept, code)).status == 200


async def test_an_administrator_ends_the_links_that_nobody_used(
    kept: Client, devices: Devices
) -> None:
    made = await (await kept.post("/api/pair", json={}, headers=ADMIN)).json()
    assert (await kept.post("/api/pair/cancel", json={})).status == 401

    ended = await (await kept.post("/api/pair/cancel", json={}, headers=ADMIN)).json()

    assert ended == {"cancelled": 1}
    assert shape_misfits("PairCancelReply", ended) == []
    assert (await code_of(await redeem(kept, made["code"])))[0] == 403
    assert devices.withdraw() == 0
