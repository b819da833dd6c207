"""Signing a browser in: only our own pages do it, by a POST; opening an address changes nothing."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import cast

import pytest
from aiohttp import ClientResponse

from notewell.base.types import LimitRules, VaultRules
from notewell.doors.web.routes import ROUTES
from notewell.engine.access import Devices
from notewell.engine.open_vaults import Vaults
from notewell.features import FEATURES
from tests.doors.web.fakes import TOKEN, Client, Connect, FakeVaults
from tests.vaults import settings_in
from tests.waiting import until_async

OWNER = {"Authorization": f"Bearer {TOKEN}"}
GUESSES = 3
# As browsers send them: a form and a script name their origin, what a page embeds does not.
FOREIGN = [
    {"Origin": "https://evil.example"},
    {"Origin": "null"},
    {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Dest": "empty"},
    {"Sec-Fetch-Site": "same-site", "Sec-Fetch-Dest": "document"},  # another port of the host
]


@pytest.fixture
def devices(tmp_path: Path) -> Devices:
    return Devices(tmp_path / "state")


@pytest.fixture
async def wary(connect: Connect, devices: Devices) -> Client:
    """A server that takes few wrong secrets, and a client that shows nothing."""
    return await connect(
        token=None, state_dir=devices.file.parent, limits=LimitRules(guesses=GUESSES)
    )


async def sign_in(client: Client, **secret: str) -> ClientResponse:
    return await client.post("/", data=secret, allow_redirects=False)


def is_in(response: ClientResponse) -> bool:
    return response.status == 303 and "key=" in response.headers["Location"]


@pytest.mark.parametrize("method", ["GET", "HEAD"])
async def test_opening_a_link_uses_up_neither_codes_nor_guesses(
    wary: Client, devices: Devices, method: str
) -> None:
    link, pairing = devices.invite("laptop", "read"), devices.offer("read")
    stored = devices.file.read_bytes()
    opened = [{"code": link}, {"code": pairing, "name": "tablet"}, {"token": TOKEN}]
    for number in range(25):
        guess = f"guess {number}"
        opened += [{"code": guess}, {"code": guess, "name": "x"}, {"token": guess}]

    for query in opened:
        response = await wary.request(method, "/", params=query, allow_redirects=False)
        assert (response.status, "Set-Cookie" in response.headers) == (200, False)

    assert devices.file.read_bytes() == stored
    assert is_in(await sign_in(wary, code=link))
    assert is_in(await sign_in(wary, code=pairing, name="tablet"))
    assert is_in(await sign_in(wary, token=TOKEN))


@pytest.mark.parametrize("headers", FOREIGN)
async def test_what_a_foreign_page_posts_is_refused_before_it_counts(
    wary: Client, devices: Devices, headers: dict[str, str]
) -> None:
    link, pairing = devices.invite("laptop", "read"), devices.offer("read")
    stored = devices.file.read_bytes()
    tried = [{"code": link}, {"code": pairing, "name": "tablet"}, {"token": TOKEN}]
    tried += [{"code": f"guess {number}", "name": "x"} for number in range(9)]

    for secret in tried:
        response = await wary.post("/", data=secret, headers=headers, allow_redirects=False)
        assert (response.status, "Set-Cookie" in response.headers) == (403, False)
        assert (await response.json(content_type=None))["code"] == "foreign_origin"

    assert devices.file.read_bytes() == stored
    assert is_in(await sign_in(wary, code=pairing, name="tablet"))


@pytest.mark.parametrize("path", ["/", "/api/docs", "/api/openapi.json", "/api/status"])
async def test_addresses_and_cookies_that_others_can_make_a_browser_send_are_no_guesses(
    wary: Client, path: str
) -> None:
    for number in range(GUESSES + 2):
        cookie = {"Cookie": f"notewell-{wary.port}=guess {number}"}
        await wary.get(path, params={"key": f"guess {number}"})
        await wary.get(path, headers=cookie)
        await wary.get(path, params={"key": f"guess {number}"}, headers=cookie)

    assert (await wary.get("/api/session", headers=OWNER)).status == 200
    assert is_in(await sign_in(wary, token=TOKEN))


@pytest.mark.parametrize("embedded", ["image", "iframe", "script", "empty"])
async def test_what_a_foreign_page_embeds_does_not_use_up_the_rate(
    connect: Connect, embedded: str
) -> None:
    client = await connect(token=None, limits=LimitRules(read=2))
    foreign = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Dest": embedded}
    own = {"Sec-Fetch-Site": "same-origin", "Sec-Fetch-Dest": embedded}

    statuses = [(await client.get("/", headers=foreign)).status for _ in range(5)]

    assert statuses == [403] * 5
    assert (await client.get("/", headers=own)).status == 200
    link = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Dest": "document"}
    assert (await client.get("/", headers=link)).status == 200  # a person follows a link


@pytest.mark.parametrize(
    "body", [b"", b"token", b"name=x", b"\xff\xfe", b'{"token": "x"}', b"token=%ff", b"a=b&" * 99]
)
async def test_a_form_without_a_secret_is_refused(wary: Client, body: bytes) -> None:
    response = await wary.post("/", data=body)

    assert (response.status, (await response.json(content_type=None))["code"]) == (
        400,
        "bad_request",
    )


async def test_a_page_without_scripts_sends_the_link_by_a_button(
    wary: Client, devices: Devices
) -> None:
    """The page of a server without a web interface, which has no script to post the secret."""
    code = devices.offer("read")
    link = {"code": code, "name": 'a"><script>'}

    opened = await wary.get("/", params=link)
    text = await opened.text()

    assert "<script" not in text
    assert '<form method="post" action="/">' in text
    assert "form-action 'self'" in opened.headers["Content-Security-Policy"]
    # With `no-referrer`, browsers would send `Origin: null` with the form.
    assert opened.headers["Referrer-Policy"] == "strict-origin"
    fields = dict(re.findall(r'name="(\w+)" value="([^"]*)"', text))
    assert fields == {"code": code, "name": "a&quot;&gt;&lt;script&gt;"}
    own = {"Origin": f"http://127.0.0.1:{wary.port}", "Sec-Fetch-Site": "same-origin"}
    posted = await wary.post("/", data=link, headers=own, allow_redirects=False)
    assert is_in(posted)
    page = await wary.get(posted.headers["Location"])
    (docs,) = re.findall(r'href="(/api/docs[^"]+)"', await page.text())
    assert (await wary.get(docs)).status == 200


async def test_a_page_without_scripts_says_that_a_link_is_used_up(wary: Client) -> None:
    refused = await sign_in(wary, code="used-up")

    assert refused.headers["Location"] == "/?refused=code"
    assert "not valid" in await (await wary.get("/?refused=code")).text()


# --- every GET ----------------------------------------------------------------------------------


@pytest.fixture
def real(tmp_path: Path) -> Iterator[Vaults]:
    """A vault with an index of its own, as a server opens it."""
    settings = settings_in(
        tmp_path,
        vault=VaultRules(watch="off"),
    )
    vaults = Vaults(settings, features=FEATURES)
    (tmp_path / "Home").mkdir()
    (tmp_path / "Home/Bees.md").write_text("Bees dance. [[Sun]]", encoding="utf-8")
    vaults.open(vaults.add(tmp_path / "Home"), writable=True).index_now()
    vaults.serve(vaults.records())
    yield vaults
    vaults.close()


def kept(folder: Path) -> dict[str, str]:
    """What is stored: notes, indexes and state, but not what was searched or logged."""
    return {
        file.relative_to(folder).as_posix(): hashlib.sha256(file.read_bytes()).hexdigest()
        for file in folder.rglob("*")
        if file.is_file() and not file.name.startswith("queries.db") and file.suffix != ".db-shm"
    }


async def test_no_get_changes_what_is_stored(
    connect: Connect, real: Vaults, devices: Devices, tmp_path: Path
) -> None:
    client = await connect(cast("FakeVaults", real), state_dir=devices.file.parent)
    devices.offer("read")
    gets = [
        r.endpoint for r in ROUTES if r.endpoint.method == "GET" and r.endpoint.name != "events"
    ]
    paths = [endpoint.place(endpoint.example) for endpoint in gets]
    paths += ["/", "/api/docs", "/api/openapi.json", "/api/file?path=Bees.md", "/api/nothing"]

    async def started() -> bool:
        status = await (await client.get("/api/status")).json()
        runs = (await (await client.get("/api/runs")).json())["runs"]
        return status["state"] == "ready" and all(run["result"] != "running" for run in runs)

    await until_async(started)
    before = kept(tmp_path)

    for path in paths:
        await client.head(path)
        response = await client.get(path)
        assert response.status in {200, 400, 403, 404, 409, 503}, path
        assert "Set-Cookie" not in response.headers

    assert kept(tmp_path) == before
