"""The attacks of docs/security.md on every route of the OpenAPI document: token, host, origin,
method, type. What is refused is a problem document with our headers, and nothing fails inside."""

from __future__ import annotations

from typing import Any

import pytest
from aiohttp import ClientResponse
from multidict import CIMultiDict
from yarl import URL

from notewell.base.types import LimitRules
from notewell.doors.web.auth import PAGE_KEY, SAFETY_HEADERS
from notewell.doors.web.openapi import document
from notewell.doors.web.routes import ROUTES
from tests.doors.web.fakes import TOKEN, Client, Connect, FakeEngine

UNLIMITED = LimitRules(search=0, read=0, heavy=0, write=0, guesses=100_000)
DOCUMENT: dict[str, Any] = document(ROUTES, "1")
OPERATIONS = [
    (method.upper(), path, operation)
    for path, operations in DOCUMENT["paths"].items()
    for method, operation in operations.items()
]
METHODS = {"GET", "POST", "PUT", "PATCH", "DELETE", "TRACE", "OPTIONS", "PROPFIND"}
# Of the wrong type, length or meaning for nearly every parameter.
VALUES: tuple[Any, ...] = (
    "x" * 3000,
    "ä" * 300 + ".md",
    "nul\0",
    "../" * 40,
    "9" * 40,
    "-1",
    "NaN",
    "true;DROP TABLE notes",
    "\ufffd\u202e\u2028",
)
BODY_VALUES: tuple[Any, ...] = (*VALUES, 2**70, -1, 1e308, True, None, [], {}, [[[]]], {"a": {}})

every_route = pytest.mark.parametrize(
    ("method", "path", "operation"),
    OPERATIONS,
    ids=[f"{method} {path}" for method, path, _ in OPERATIONS],
)


@pytest.fixture
async def stranger(connect: Connect) -> Client:
    return await connect(token=None, limits=UNLIMITED)


@pytest.fixture
async def owner(connect: Connect) -> Client:
    return await connect(limits=UNLIMITED)


async def check_refused(response: ClientResponse, *statuses: int) -> None:
    assert response.status in statuses, await response.text()
    assert response.content_type == "application/problem+json"
    problem = await response.json(content_type=None)
    assert problem["status"] == response.status
    assert {"type", "title", "detail", "code"} <= problem.keys()
    for name, value in SAFETY_HEADERS.items():
        assert response.headers[name] == value


def needs_token(path: str) -> bool:
    return path not in {"/api/health", "/api/pair/redeem"}  # the latter: test_pairing.py


@every_route
async def test_nothing_is_shown_without_the_right_secret(
    stranger: Client, engine: FakeEngine, method: str, path: str, operation: Any
) -> None:
    signed_in = await stranger.post("/", data={"token": TOKEN}, allow_redirects=False)
    key = URL(signed_in.headers["Location"]).query["key"]
    cookie = signed_in.cookies.output(header="", sep=";").split(";")[0].strip()
    stranger.session.cookie_jar.clear()
    shown: list[dict[str, str]] = [
        {},
        {"Authorization": f"Bearer {TOKEN[:-1]}"},
        {"Authorization": "Bearer "},
        {"Authorization": f"Basic {TOKEN}"},
        {"Cookie": cookie},
        {"Cookie": cookie, PAGE_KEY: key[::-1]},
        {"Cookie": cookie, PAGE_KEY: key, "Sec-Fetch-Site": "same-site"},
        {PAGE_KEY: key},
    ]
    if needs_token(path):
        for headers in shown:
            await check_refused(await stranger.request(method, path, headers=headers), 401)
        assert engine.asked == []


@every_route
async def test_no_name_but_ours_is_answered(
    owner: Client, engine: FakeEngine, method: str, path: str, operation: Any
) -> None:
    for host in ("evil.example", f"evil.example:{owner.port}", "127.0.0.1:1", "", "a b"):
        response = await owner.request(method, path, headers={"Host": host})
        await check_refused(response, 403)
    assert engine.asked == []


@every_route
async def test_no_page_but_ours_is_answered(
    owner: Client, engine: FakeEngine, method: str, path: str, operation: Any
) -> None:
    ports = ("http://127.0.0.1:1", f"https://evil.example:{owner.port}", "null", "file://")
    for origin in ports:
        response = await owner.request(method, path, headers={"Origin": origin})
        await check_refused(response, 403)
    assert engine.asked == []
    assert not any(name.lower().startswith("access-control") for name in response.headers)


@pytest.mark.parametrize("path", DOCUMENT["paths"])
async def test_no_other_method_is_taken(owner: Client, engine: FakeEngine, path: str) -> None:
    same = [path, path.rpartition("/")[0] + "/{id}"]  # an id could be any word
    known = {method.upper() for each in same for method in DOCUMENT["paths"].get(each, {})}
    own = {method.upper() for method in DOCUMENT["paths"][path]}
    for method in sorted(METHODS - known):
        response = await owner.request(method, path)
        await check_refused(response, 405)
        assert own <= set(response.headers["Allow"].split(","))
    assert engine.asked == []


@every_route
async def test_no_value_makes_a_route_fail(
    owner: Client, method: str, path: str, operation: Any
) -> None:
    for parameter in operation.get("parameters", ()):
        if path == "/api/events":
            break  # a stream that does not end
        for value in VALUES:
            query = {parameter["name"]: value}
            response = await owner.request(method, path, params=query)
            if response.status >= 400:
                await check_refused(response, 400, 403, 404, 409)
            response.close()


@every_route
async def test_no_body_makes_a_route_fail(
    owner: Client, method: str, path: str, operation: Any
) -> None:
    if "requestBody" not in operation or path == "/api/ask":
        return
    (content,) = operation["requestBody"]["content"].values()
    schema = content["schema"]
    while "$ref" in schema:
        schema = DOCUMENT["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    bodies = [{name: value} for name in schema.get("properties", {}) for value in BODY_VALUES]
    for body in (*bodies, [], "x", 5, None):
        response = await owner.request(method, path, json=body)
        if response.status >= 400:
            await check_refused(response, 400, 403, 404, 409)
    for raw in (b"{", b"\xff\xfe", b"[" * 100_000, b'{"a":' * 50_000, b"null"):
        headers = CIMultiDict({"Content-Type": "application/json"})
        await check_refused(await owner.request(method, path, data=raw, headers=headers), 400)
