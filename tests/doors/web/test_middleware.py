"""Attacks on the access rules: token, cookie, host, origin, headers, logs."""

from __future__ import annotations

import base64
import hashlib
import logging
import re

import pytest
from aiohttp import ClientResponse
from yarl import URL

from notewell.base.types import ServerRules
from notewell.doors.web.auth import PAGE_KEY
from notewell.doors.web.listener import bind_warning
from notewell.doors.web.routes import ROUTES, Route
from tests.doors.web.fakes import TOKEN, Client, Connect, FakeEngine


async def refusal(response: ClientResponse) -> tuple[int, str]:
    return response.status, (await response.json(content_type=None))["code"]


# --- the token ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "route", [r for r in ROUTES if r.endpoint.needs_token], ids=lambda r: r.endpoint.name
)
async def test_every_route_but_health_needs_the_token(
    stranger: Client, engine: FakeEngine, route: Route
) -> None:
    response = await stranger.request(route.endpoint.method, route.endpoint.path)

    assert await refusal(response) == (401, "unauthorized")
    assert response.headers["WWW-Authenticate"].startswith("Bearer")
    assert engine.asked == []


@pytest.mark.parametrize(
    "path",
    [
        "/api/openapi.json",
        "/api/docs",
        "/api/nothing",
        "/metrics",
        "//api/search?q=bees",
        "/api//search?q=bees",
        "/%61pi/search?q=bees",
        "/api/health/../search?q=bees",
        "/api/search/?q=bees",
        "/API/SEARCH?q=bees",
    ],
)
async def test_no_variant_of_a_path_bypasses_the_token(
    stranger: Client, engine: FakeEngine, path: str
) -> None:
    exactly = URL(f"http://127.0.0.1:{stranger.port}{path}", encoded=True)

    response = await stranger.session.get(exactly)

    assert response.status in {401, 404}
    assert engine.asked == []


@pytest.mark.parametrize(
    "shown",
    [
        "Bearer",
        "Bearer ",
        "Bearer wrong",
        f"Bearer {TOKEN}x",
        f"Bearer {TOKEN[:-1]}",
        f"Basic {TOKEN}",
        f"{TOKEN}",
        f"Bearer {TOKEN.upper()}",
        "Bearer \u00fc\u00fc",
    ],
)
async def test_a_wrong_token_is_refused(stranger: Client, shown: str) -> None:
    response = await stranger.get("/api/status", headers={"Authorization": shown})

    assert response.status == 401


async def test_the_token_is_not_taken_from_the_address_of_a_route(stranger: Client) -> None:
    response = await stranger.get(f"/api/status?token={TOKEN}")

    assert response.status == 401


async def test_the_word_bearer_is_case_insensitive(stranger: Client) -> None:
    response = await stranger.get("/api/status", headers={"Authorization": f"bearer {TOKEN}"})

    assert response.status == 200


# --- the browser's cookie -----------------------------------------------------------------------


async def sign_in(client: Client) -> ClientResponse:
    return await client.post("/", data={"token": TOKEN}, allow_redirects=False)


def page_key(signed_in: ClientResponse) -> dict[str, str]:
    """The header with the half of the session that our pages store."""
    return {PAGE_KEY: URL(signed_in.headers["Location"]).query["key"]}


async def test_a_browser_gets_a_cookie_for_the_token_and_loses_it_from_the_address(
    stranger: Client,
) -> None:
    response = await sign_in(stranger)

    assert response.status == 303
    address = URL(response.headers["Location"])
    assert (address.path, set(address.query)) == ("/", {"key"})
    (cookie,) = response.cookies.values()
    assert address.query["key"] not in str(cookie)
    assert cookie["httponly"]
    assert cookie["samesite"] == "Strict"
    assert cookie["path"] == "/"
    assert TOKEN not in str(response.headers)
    assert response.headers["Referrer-Policy"] == "no-referrer"


async def test_the_cookie_opens_the_api_to_our_own_pages(connect: Connect) -> None:
    client = await connect(token=None)
    key = page_key(await sign_in(client))

    alone = await client.get("/api/search?q=bees", headers=key)
    of_page = {"Sec-Fetch-Site": "same-origin", **key}
    fetched = await client.get("/api/search?q=bees", headers=of_page)

    assert (alone.status, fetched.status) == (200, 200)
    start = await client.get("/", params={"key": key[PAGE_KEY]})
    assert "This browser may ask" in await start.text()


async def test_a_cookie_that_another_port_learned_opens_nothing(connect: Connect) -> None:
    """Browsers send cookies to all ports of a host; the page key stays with the origin."""
    client = await connect(token=None)
    address = URL((await sign_in(client)).headers["Location"])
    key = address.query["key"]
    wrong = [{}, {PAGE_KEY: ""}, {PAGE_KEY: "0" * len(key)}, {PAGE_KEY: key[:-1]}]
    for path in ("/api/session", "/api/status", "/api/search?q=bees", "/api/events", "/api/docs"):
        for headers in wrong:
            response = await client.get(path, headers=headers)
            assert response.status in {401, 429}
        response = await client.get(f"{path}{'&' if '?' in path else '?'}key={'0' * len(key)}")
        assert response.status in {401, 429}
    for method in ("POST", "PATCH"):
        assert (await client.request(method, "/api/config", json={})).status in {401, 405, 429}


async def test_a_page_key_without_its_cookie_opens_nothing(connect: Connect) -> None:
    client = await connect(token=None)
    key = page_key(await sign_in(client))
    client.session.cookie_jar.clear()
    assert (await client.get("/api/status", headers=key)).status == 401
    as_token = {"Authorization": f"Bearer {key[PAGE_KEY]}"}
    assert (await client.get("/api/status", headers=as_token)).status == 401


async def test_a_key_in_the_address_opens_pages_and_nothing_of_a_vault(connect: Connect) -> None:
    client = await connect(token=None)
    query = {"key": page_key(await sign_in(client))[PAGE_KEY]}
    docs = await client.get("/api/docs", params=query)
    assert docs.status == 200
    assert f"/api/openapi.json?key={query['key']}" in await docs.text()
    assert (await client.get("/api/openapi.json", params=query)).status == 200
    assert (await client.get("/api/status", params=query)).status == 401


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
async def test_the_cookie_counts_for_no_other_site_nor_another_port(
    connect: Connect, site: str
) -> None:
    client = await connect(token=None)
    key = page_key(await sign_in(client))

    response = await client.get("/api/search?q=bees", headers={"Sec-Fetch-Site": site, **key})

    assert response.status == 401


async def test_the_cookie_is_not_the_token_and_the_token_no_cookie(connect: Connect) -> None:
    client = await connect(token=None)
    (cookie,) = (await sign_in(client)).cookies.values()
    assert cookie.value != TOKEN
    client.session.cookie_jar.clear()

    as_token = {"Authorization": f"Bearer {cookie.value}"}
    as_cookie = {"Cookie": f"{cookie.key}={TOKEN}"}

    assert (await client.get("/api/status", headers=as_token)).status == 401
    assert (await client.get("/api/status", headers=as_cookie)).status == 401


async def test_a_wrong_token_in_the_link_signs_nobody_in(stranger: Client) -> None:
    response = await stranger.post("/", data={"token": "wrong"}, allow_redirects=False)

    # The page that the browser goes to says what was wrong, and has no part of the token.
    assert (response.status, response.headers["Location"]) == (303, "/?refused=token")
    assert not response.cookies


async def test_signing_in_goes_nowhere_else(stranger: Client) -> None:
    secret = {"token": TOKEN, "next": "//evil.example/", "key": "x"}

    response = await stranger.post("/?next=//evil.example/", data=secret, allow_redirects=False)

    assert re.fullmatch(r"/\?key=[0-9a-f]{32}", response.headers["Location"])


# --- the host -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost", "LOCALHOST", "[::1]"])
async def test_this_machine_s_own_names_are_known(client: Client, name: str) -> None:
    response = await client.get("/api/status", headers={"Host": f"{name}:{client.port}"})

    assert response.status == 200


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:{port}",
        "localhost.evil.example:{port}",
        "localhost",
        "localhost:1",
        "127.0.0.1",
        "127.0.0.1.nip.io:{port}",
        "user@localhost:{port}",
        "localhost:{port}@evil.example",
        "127.1:{port}",
        "0x7f000001:{port}",
        "2130706433:{port}",
        "[::ffff:127.0.0.1]:{port}",
        "0.0.0.0:{port}",
        "169.254.169.254",
        "[::1",
        "localhost:99999999",
        "",
    ],
)
@pytest.mark.parametrize("path", ["/api/status", "/api/health", "/", f"/?token={TOKEN}"])
async def test_a_foreign_host_name_is_refused_everywhere(
    client: Client, engine: FakeEngine, host: str, path: str
) -> None:
    response = await client.get(
        path, headers={"Host": host.format(port=client.port)}, allow_redirects=False
    )

    assert response.status in {400, 403}
    assert "Set-Cookie" not in response.headers
    assert engine.asked == []


async def test_a_refused_host_is_told_how_to_add_its_name(client: Client) -> None:
    response = await client.get("/api/health", headers={"Host": "notes.example"})

    problem = await response.json(content_type=None)
    assert (response.status, problem["code"]) == (403, "unknown_host")
    assert "allowed_hosts" in problem["detail"]
    assert "notes.example" in problem["detail"]


async def test_configured_host_names_are_known_and_nothing_like_them(connect: Connect) -> None:
    rules = ServerRules(allowed_hosts=("notes.example", "box.local:8443"))
    client = await connect(rules=rules)

    async def status(host: str) -> int:
        return (await client.get("/api/status", headers={"Host": host})).status

    assert [await status(h) for h in ("notes.example", "Notes.Example:9", "box.local:8443")] == [
        200,
        200,
        200,
    ]
    assert [await status(h) for h in ("box.local", "box.local:80", "a.notes.example")] == [
        403,
        403,
        403,
    ]


# --- the origin ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "origin",
    [
        "https://evil.example",
        "null",
        "http://127.0.0.1:1",
        "http://localhost.evil.example",
        "file://",
        "app://obsidian.md",
        "chrome-extension://abc",
        "http://",
        "http://[",
        "\u00fc",
    ],
)
@pytest.mark.parametrize("path", ["/api/status", "/api/health", "/"])
async def test_pages_of_others_are_refused_even_with_the_token(
    client: Client, engine: FakeEngine, origin: str, path: str
) -> None:
    response = await client.get(path, headers={"Origin": origin})

    assert await refusal(response) == (403, "foreign_origin")
    assert engine.asked == []


async def test_our_own_pages_and_configured_ones_may_ask(connect: Connect) -> None:
    client = await connect(rules=ServerRules(allowed_origins=("app://obsidian.md",)))
    ours = f"http://127.0.0.1:{client.port}"

    for origin in (ours, "app://obsidian.md"):
        assert (await client.get("/api/status", headers={"Origin": origin})).status == 200


async def test_no_answer_has_a_cors_header(client: Client) -> None:
    origin = f"http://127.0.0.1:{client.port}"
    answers = [
        await client.get("/api/status", headers={"Origin": origin}),
        await client.get("/api/status", headers={"Origin": "https://evil.example"}),
        await client.options(
            "/api/status",
            headers={"Origin": origin, "Access-Control-Request-Method": "GET"},
        ),
    ]

    for response in answers:
        assert not [name for name in response.headers if name.lower().startswith("access-control")]


# --- headers, logs, address ---------------------------------------------------------------------


@pytest.mark.parametrize(
    "path", ["/", "/api/health", "/api/status", "/api/nothing", "/api/search", "/api/docs"]
)
@pytest.mark.parametrize("with_token", [True, False])
async def test_every_answer_has_the_safety_headers(
    connect: Connect, path: str, with_token: bool
) -> None:
    client = await connect(token=TOKEN if with_token else None)

    headers = (await client.get(path)).headers

    assert "default-src 'none'" in headers["Content-Security-Policy"]
    assert "frame-ancestors 'none'" in headers["Content-Security-Policy"]
    assert "unsafe" not in headers["Content-Security-Policy"]
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["X-Frame-Options"] == "DENY"
    assert headers["Referrer-Policy"] == "no-referrer"
    assert headers["Cache-Control"] == "no-store"
    assert "aiohttp" not in headers["Server"]


@pytest.mark.parametrize("path", ["/", "/api/docs"])
async def test_the_style_of_our_pages_is_the_one_their_policy_allows(
    client: Client, path: str
) -> None:
    response = await client.get(path)

    (style,) = re.findall(r"<style>(.*?)</style>", await response.text(), re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert f"'sha256-{digest}'" in response.headers["Content-Security-Policy"]


async def test_the_host_shown_on_the_shell_is_escaped(connect: Connect) -> None:
    client = await connect(token=None, rules=ServerRules(allowed_hosts=("<b>x",)))

    response = await client.get("/", headers={"Host": "<b>x"})

    page = await response.text()
    assert "&lt;b&gt;x/api/search" in page
    assert "<b>" not in page


async def test_logs_name_the_route_and_neither_query_nor_token(
    client: Client, engine: FakeEngine, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    engine.fails = ValueError("about my secret diary")

    await client.get("/api/search?q=my+secret+diary")
    await client.get("/api/note?path=secret/diary.md")
    await client.get("/api/secret-diary")
    await client.get(f"/?token={TOKEN}")
    await sign_in(client)

    text = caplog.text
    assert "GET /api/search 500" in text
    assert "unforeseen ValueError" in text
    assert "secret" not in text
    assert TOKEN not in text


async def test_an_unforeseen_error_tells_the_client_nothing_of_the_inside(
    client: Client, engine: FakeEngine
) -> None:
    engine.fails = ValueError("at /home/me/notes")

    response = await client.get("/api/search?q=x")

    assert await refusal(response) == (500, "internal")
    assert "/home/me" not in await response.text()


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "::1", "127.8.8.8"])
def test_listening_for_this_machine_alone_needs_no_warning(host: str) -> None:
    assert bind_warning(host) is None


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.4", "notes.local", ""])
def test_listening_beyond_this_machine_says_what_it_means(host: str) -> None:
    assert "unencrypted" in bind_warning(host)
