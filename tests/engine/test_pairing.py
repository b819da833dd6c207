"""Pairing codes: one use, ten minutes, five wrong tries, and what a link may look like."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from notewell.base.errors import UsageError
from notewell.base.types import ServerRules
from notewell.engine.access import (
    MAX_WRONG_CODES,
    Devices,
    checked_address,
    digest,
    is_loopback,
    own_address,
    pairing_links,
)


@pytest.fixture
def devices(tmp_path: Path) -> Devices:
    return Devices(tmp_path / "state")


def test_a_code_gives_one_device_a_token_of_its_own(devices: Devices) -> None:
    code = devices.offer("write")

    paired = devices.pair(code, "  My   phone ")

    assert paired is not None
    (device,) = devices.all()
    assert (device.name, device.scope, device.token) == ("My phone", "write", digest(paired.token))
    assert paired.token not in repr(paired)
    assert devices.pair(code, "replay") is None
    assert len(devices.all()) == 1


def test_the_code_is_random_and_only_its_digest_is_kept(devices: Devices) -> None:
    codes = {devices.offer("read") for _ in range(5)}

    assert len(codes) == 5
    assert {len(code) for code in codes} == {22}  # 128 bits in base 64
    assert not any(code in devices.file.read_text() for code in codes)


def test_of_two_at_once_only_one_gets_in(devices: Devices) -> None:
    code = devices.offer("read")
    with ThreadPoolExecutor(4) as pool:
        paired = list(pool.map(lambda n: devices.pair(code, f"phone {n}"), range(4)))

    assert len([each for each in paired if each is not None]) == 1
    assert len(devices.all()) == 1


def test_an_expired_code_gives_nothing(devices: Devices) -> None:
    assert devices.pair(devices.offer("read", seconds=-1), "phone") is None
    assert devices.all() == ()


def test_after_five_wrong_tries_every_open_code_is_gone(devices: Devices) -> None:
    codes = [devices.offer("read"), devices.offer("write")]
    for attempt in range(MAX_WRONG_CODES):
        assert devices.pair(f"guess {attempt}", "thief") is None

    assert [devices.pair(code, "phone") for code in codes] == [None, None]
    assert devices.pair(devices.offer("read"), "phone") is not None  # a new one works


def test_four_wrong_tries_leave_the_code(devices: Devices) -> None:
    code = devices.offer("read")
    for attempt in range(MAX_WRONG_CODES - 1):
        devices.pair(f"guess {attempt}", "thief")

    assert devices.pair(code, "phone") is not None


def test_another_code_does_not_forgive_wrong_tries(devices: Devices) -> None:
    first = devices.offer("read")
    for attempt in range(MAX_WRONG_CODES - 1):
        devices.pair(f"guess {attempt}", "thief")
    second = devices.offer("read")
    devices.pair("the fifth", "thief")

    assert [devices.pair(code, "phone") for code in (first, second)] == [None, None]


def test_without_an_open_code_strangers_write_nothing(devices: Devices) -> None:
    assert devices.pair("guess", "thief") is None
    assert not devices.file.exists()


def test_a_paired_device_never_administers(devices: Devices) -> None:
    with pytest.raises(UsageError, match="never administer"):
        devices.offer("admin")


def test_a_name_that_is_taken_gets_a_number(devices: Devices) -> None:
    names = [devices.pair(devices.offer("read"), name) for name in ("Phone", "phone", "PHONE")]

    assert [name and name.name for name in names] == ["Phone", "phone 2", "PHONE 3"]


@pytest.mark.parametrize("name", ["", "   ", "x" * 65, "bell\a", "right\u202eleft"])
def test_an_unreadable_name_is_refused_and_leaves_the_code(devices: Devices, name: str) -> None:
    code = devices.offer("read")

    with pytest.raises(UsageError, match="printable"):
        devices.pair(code, name)
    assert devices.pair(code, "phone") is not None


def test_a_file_of_an_earlier_version_is_read(devices: Devices) -> None:
    devices.file.parent.mkdir()
    devices.file.write_text('{"format": 1, "devices": [], "links": []}')

    assert devices.pair(devices.offer("read"), "phone") is not None


@pytest.mark.parametrize(
    "address",
    [
        "",
        "notes.home.arpa",
        "javascript:alert(1)",
        "file:///etc/passwd",
        "https://good@evil.example",
        "https://good.example/path",
        "https://good.example?x=1",
        "https://good.example#x",
        "https://good.example\n.evil.example",
        "https://good.example:99999",
        "https://good.example:0",
        "https://b\u00fcro.example",
        "https://",
    ],
)
def test_what_is_no_plain_address_is_refused(address: str) -> None:
    with pytest.raises(UsageError, match="an address is"):
        checked_address(address)


@given(st.text(max_size=80))
def test_an_address_that_is_accepted_has_only_a_host(text: str) -> None:
    try:
        checked = checked_address(text)
    except UsageError:
        return
    parts = urlsplit(checked)
    assert (parts.path, parts.query, parts.fragment, parts.username) == ("", "", "", None)


def test_both_links_carry_the_code_and_the_browsers_only_after_the_hash() -> None:
    links = pairing_links("https://notes.home.arpa:8765", "a-code", "read")

    assert links.url.startswith("https://notes.home.arpa:8765/#/pair?code=a-code&")
    assert urlsplit(links.url).query == ""
    obsidian = urlsplit(links.obsidian)
    assert (obsidian.scheme, obsidian.netloc) == ("obsidian", "notewell-pair")
    given = parse_qs(obsidian.query)
    assert given["url"] == ["https://notes.home.arpa:8765"]
    assert (given["code"], given["scope"]) == (["a-code"], ["read"])


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("http://127.0.0.1:8765", True),
        ("http://localhost:8765", True),
        ("http://[::1]:8765", True),
        ("http://192.168.1.4:8765", False),
        ("https://notes.home.arpa", False),
    ],
)
def test_an_address_of_this_computer_only_is_known(address: str, *, expected: bool) -> None:
    assert is_loopback(address) is expected


def test_the_address_is_the_public_one_or_where_the_server_listens() -> None:
    assert own_address(ServerRules(public_url="https://box.ts.net")) == "https://box.ts.net"
    assert own_address(ServerRules(host="::1", tls_cert="c.pem")) == "https://[::1]:8765"
