"""Devices over HTTP: who has access, whose access ends, and what the audit log tells of it."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest

from notewell.base.support.log_files import AUDIT, logging_to_files
from notewell.base.types import LogFormat, LogRules
from notewell.doors.web.audit import Audit
from notewell.doors.web.auth import Caller
from notewell.doors.web.openapi import document
from notewell.doors.web.routes import ROUTES
from notewell.engine.access import Devices
from tests.doors.web.fakes import TOKEN, Client, Connect
from tests.doors.web.fits import misfits

ADMIN = {"Authorization": f"Bearer {TOKEN}"}
DOCUMENT = document(ROUTES, "0.0.0")


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


def shape_misfits(reply: str, value: object) -> list[str]:
    return misfits(value, DOCUMENT["components"]["schemas"][reply], DOCUMENT)


@pytest.fixture
def devices(tmp_path: Path) -> Devices:
    return Devices(tmp_path / "state")


@pytest.fixture
def logs(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "state" / "logs"
    with logging_to_files(folder, LogRules()):
        yield folder


@pytest.fixture
async def kept(connect: Connect, devices: Devices, logs: Path) -> Client:
    return await connect(token=None, state_dir=devices.file.parent, logs=logs)


async def test_an_administrator_sees_the_devices_and_which_one_asks(
    kept: Client, devices: Devices
) -> None:
    laptop, _phone = devices.add("laptop", "admin"), devices.add("phone", "read")

    reply = await (await kept.get("/api/devices", headers=bearer(laptop))).json()

    assert shape_misfits("DevicesReply", reply) == []
    assert [(device["name"], device["scope"], device["kind"]) for device in reply["devices"]] == [
        ("laptop", "admin", "token"),
        ("phone", "read", "token"),
    ]
    assert [device["current"] for device in reply["devices"]] == [True, False]
    assert reply["devices"][0]["last_used"] is not None
    assert reply["devices"][1]["last_used"] is None


async def test_a_revoked_device_is_refused_from_its_next_request_on(
    kept: Client, devices: Devices
) -> None:
    phone = devices.add("phone", "write")
    devices.add("tablet", "read")
    assert (await kept.get("/api/session", headers=bearer(phone))).status == 200
    listed = await (await kept.get("/api/devices", headers=ADMIN)).json()

    ended = await kept.delete(
        "/api/devices", json={"id": listed["devices"][0]["id"]}, headers=ADMIN
    )

    reply = await ended.json()
    assert shape_misfits("DevicesReply", reply) == []
    assert [device["name"] for device in reply["devices"]] == ["tablet"]
    assert (await kept.get("/api/session", headers=bearer(phone))).status == 401


async def test_a_device_that_is_not_there_is_told(kept: Client) -> None:
    response = await kept.delete("/api/devices", json={"id": "0123456789ab"}, headers=ADMIN)

    assert response.status == 404
    assert (await response.json(content_type=None))["code"] == "device_not_found"


@pytest.mark.parametrize("scope", ["read", "write"])
async def test_only_an_administrator_sees_or_ends_access(
    kept: Client, devices: Devices, scope: str
) -> None:
    headers = bearer(devices.add("phone", "read" if scope == "read" else "write"))

    statuses = [
        (await kept.get("/api/devices", headers=headers)).status,
        (await kept.get("/api/audit", headers=headers)).status,
        (await kept.delete("/api/devices", json={"id": "x"}, headers=headers)).status,
    ]

    assert statuses == [403, 403, 403]
    assert len(devices.all()) == 1


async def test_a_server_of_another_program_has_no_devices(client: Client) -> None:
    assert await (await client.get("/api/devices")).json() == {"devices": [], "shared": False}

    response = await client.delete("/api/devices", json={"id": "0123456789ab"})

    assert response.status == 403
    assert (await response.json(content_type=None))["code"] == "no_devices"


async def test_the_audit_log_tells_sign_ins_changes_and_refusals_newest_first(
    kept: Client, devices: Devices
) -> None:
    code = devices.offer("write")
    made = await (
        await kept.post("/api/pair/redeem", json={"code": code, "name": "My phone (admin), from x"})
    ).json()
    await kept.post("/api/queue/pause", json={}, headers=bearer(made["token"]))
    await kept.get("/api/search?q=secret", headers=bearer("wrong"))

    reply = await (await kept.get("/api/audit", headers=ADMIN)).json()

    assert shape_misfits("AuditReply", reply) == []
    refused, changed, *_, signed_in = reply["entries"]
    assert (refused["event"], refused["code"], refused["by"]) == ("refused", "unauthorized", None)
    assert refused["what"] == "GET /api/search"
    assert (changed["event"], changed["what"]) == ("changed", "POST /api/queue/pause")
    assert (changed["by"], changed["scope"]) == ("My phone (admin), from x", "write")
    assert changed["status"] == 202
    assert (signed_in["event"], signed_in["what"]) == ("signed_in", "pairing")
    assert "secret" not in str(reply)


async def test_the_audit_log_is_cut_at_the_limit(kept: Client) -> None:
    for _ in range(3):
        await kept.post("/api/queue/pause", json={}, headers=ADMIN)

    reply = await (await kept.get("/api/audit?limit=2", headers=ADMIN)).json()

    assert len(reply["entries"]) == 2


@pytest.mark.parametrize("form", ["text", "json"])
def test_lines_are_read_as_they_are_written_and_damaged_ones_are_left_out(
    tmp_path: Path, form: LogFormat
) -> None:
    with logging_to_files(tmp_path, LogRules(format=form)):
        audit = Audit(tmp_path)
        audit.log_sign_in("10.0.0.7", how="link", well=True)
        logging.getLogger(AUDIT).info("a line of another form")
        audit.log_refusal(
            "10.0.0.8", Caller("1", "phone: 200, unknown", "read"), "GET /x", "forbidden"
        )
        with (tmp_path / "audit.log").open("ab") as file:
            file.write(b'{"time": 5}\n\xff\xfe 2026-11-22T10:00 \n{"time": "2026')

    refused, signed_in = audit.newest(10)

    assert (signed_in.what, signed_in.address) == ("link", "10.0.0.7")
    assert (refused.by, refused.scope) == ("phone: 200, unknown", "read")
    assert (refused.what, refused.code, refused.address) == ("GET /x", "forbidden", "10.0.0.8")


def test_older_files_and_other_servers_are_read_too(tmp_path: Path) -> None:
    line = (
        "2026-11-22T10:00:0{n}.000+00:00 INFO notewell.audit: signed in by link from 10.0.0.{n}\n"
    )
    for n, name in enumerate(["audit.log.1", "audit-2.log", "audit.log"]):
        (tmp_path / name).write_text(line.format(n=n))

    entries = Audit(tmp_path).newest(10)

    assert [entry.address for entry in entries] == ["10.0.0.2", "10.0.0.1", "10.0.0.0"]
    assert Audit(tmp_path / "none").newest(10) == ()
    assert Audit().newest(10) == ()
