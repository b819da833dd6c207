"""Devices with access: what is stored of their tokens, adding and revoking them."""

from __future__ import annotations

import os
import stat
import threading
from pathlib import Path

import pytest

from notewell.base.errors import AccessError, NotFoundError, UsageError
from notewell.engine.access import Devices, digest, session_of


@pytest.fixture
def devices(tmp_path: Path) -> Devices:
    return Devices(tmp_path / "state")


def test_a_token_is_shown_once_and_only_its_digest_is_kept(devices: Devices) -> None:
    token = devices.add("phone", "read")

    (device,) = devices.all()
    assert (device.name, device.scope, device.last_used) == ("phone", "read", None)
    assert device.token == digest(token)
    assert device.session == digest(session_of(token))
    kept = devices.file.read_text()
    assert token not in kept
    assert session_of(token) not in kept
    assert digest(token) not in repr(device)


@pytest.mark.skipif(os.name != "posix", reason="file modes are POSIX")
def test_only_the_owner_can_read_the_file(devices: Devices) -> None:
    devices.add("phone", "read")

    assert stat.S_IMODE(devices.file.stat().st_mode) == 0o600


def test_device_names_are_unique(devices: Devices) -> None:
    devices.add("Phone", "read")

    with pytest.raises(UsageError, match="revoke"):
        devices.add(" phone ", "admin")
    with pytest.raises(UsageError, match="revoke"):
        devices.invite("PHONE", "admin")


@pytest.mark.parametrize("name", ["", "   ", "x" * 65, "bell\a", "right\u202eleft"])
def test_an_unreadable_name_is_refused(devices: Devices, name: str) -> None:
    with pytest.raises(UsageError, match="printable"):
        devices.add(name, "read")


def test_a_link_works_once(devices: Devices) -> None:
    code = devices.invite("phone", "write")
    assert devices.all() == ()

    cookie = devices.redeem(code)

    (device,) = devices.all()
    assert (device.name, device.scope, device.token) == ("phone", "write", None)
    assert device.session == digest(cookie or "")
    assert devices.redeem(code) is None
    assert len(devices.all()) == 1


def test_a_link_expires(devices: Devices) -> None:
    code = devices.invite("phone", "read", seconds=0)

    assert devices.redeem(code) is None
    assert devices.all() == ()


def test_a_newer_link_for_a_name_replaces_the_earlier_one(devices: Devices) -> None:
    first, second = devices.invite("phone", "read"), devices.invite("phone", "read")

    assert devices.redeem(first) is None
    assert devices.redeem(second) is not None


def test_a_link_is_invalid_once_its_name_is_taken(devices: Devices) -> None:
    code = devices.invite("phone", "admin")
    devices.add("phone", "read")

    assert devices.redeem(code) is None
    assert [device.scope for device in devices.all()] == ["read"]


def test_a_link_used_at_once_by_many_signs_in_one(devices: Devices) -> None:
    code = devices.invite("phone", "read")
    got: list[str | None] = []
    threads = [threading.Thread(target=lambda: got.append(devices.redeem(code))) for _ in range(8)]

    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len([cookie for cookie in got if cookie is not None]) == 1


def test_rotating_invalidates_the_earlier_token_and_cookie(devices: Devices) -> None:
    first = devices.add("phone", "read")

    second = devices.rotate("Phone")

    (device,) = devices.all()
    assert second != first
    assert (device.token, device.session) == (digest(second), digest(session_of(second)))


def test_revoking_forgets_a_device_or_a_link(devices: Devices) -> None:
    devices.add("phone", "read")
    code = devices.invite("tablet", "read")

    devices.revoke("phone")
    devices.revoke("tablet")

    assert devices.all() == ()
    assert devices.redeem(code) is None
    with pytest.raises(NotFoundError, match="token list"):
        devices.revoke("phone")


def test_the_last_use_of_a_device_is_recorded(devices: Devices) -> None:
    devices.add("phone", "read")
    devices.add("tablet", "read")
    phone, tablet = devices.all()

    devices.store_last_use({phone.id: 123.0, "gone": 5.0})

    assert [device.last_used for device in devices.all()] == [123.0, tablet.last_used]


@pytest.mark.parametrize("text", ["{", "[]", '{"devices": [{}], "links": []}'])
def test_an_unreadable_file_admits_nobody(devices: Devices, text: str) -> None:
    devices.file.parent.mkdir()
    devices.file.write_text(text)

    with pytest.raises(AccessError, match="mend it"):
        devices.all()
    with pytest.raises(AccessError, match="mend it"):
        devices.add("phone", "read")
    assert devices.file.read_text() == text
