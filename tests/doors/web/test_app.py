"""The routes: the reply of each, and which of several vaults a request concerns."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlencode

import pytest
from aiohttp import ClientResponse

from notewell.base.errors import ModelError, NotewellError, NotFoundError
from notewell.contract.notes import NeighborsRequest
from notewell.contract.request import JSON_MEDIA
from notewell.contract.search import SimilarTextRequest
from notewell.doors.web.routes import ROUTES, Route
from tests.doors.web.fakes import Client, Connect, FakeEngine, FakeVaults


async def ask(client: Client, route: Route) -> ClientResponse:
    place = route.endpoint.place(route.endpoint.example)
    example = {k: v for k, v in route.endpoint.example.items() if k not in route.endpoint.in_path}
    if route.endpoint.method != "GET":
        return await client.request(route.endpoint.method, place, json=example)
    given = {k: str(v).lower() if isinstance(v, bool) else v for k, v in example.items()}
    return await client.get(f"{place}?{urlencode(given)}")


# Other tests ask these: they need a code, a running answer, a service of embeddings, or a folder.
@pytest.mark.parametrize(
    "route",
    [
        route
        for route in ROUTES
        if not route.endpoint.path.startswith(("/api/pair", "/api/devices"))
        and route.endpoint.name
        not in {"add_vault", "allow_host", "ask_events", "ask_stop", "remove_vault"}
    ],
    ids=lambda route: route.endpoint.name,
)
async def test_the_documented_example_of_each_route_works(client: Client, route: Route) -> None:
    response = await ask(client, route)

    assert response.status == route.endpoint.status
    assert response.content_type == route.endpoint.media.partition(";")[0]
    if route.endpoint.media == JSON_MEDIA:
        assert await response.json()
    response.close()  # a stream would go on


async def test_health_tells_the_contract_and_no_vault(stranger: Client) -> None:
    response = await stranger.get("/api/health")

    health = await response.json()
    assert (health["status"], health["api"], health["auth"]) == ("ok", 1, "token")
    assert {"search", "similar", "ledger"} <= set(health["features"])
    assert "Home" not in await response.text()


async def test_vaults_are_listed_with_what_is_open(client: Client) -> None:
    reply = await (await client.get("/api/vaults")).json()

    (vault,) = reply["vaults"]
    assert (vault["id"], vault["name"], vault["default"]) == ("a1b2", "Home", True)
    assert vault["open"] is True
    assert vault["source"] == "folder"


async def test_a_search_reaches_the_engine_with_all_its_parameters(
    client: Client, engine: FakeEngine
) -> None:
    asked = (
        "q=bees -wasp&limit=3&mode=semantic&plain=true&fusion=convex&alpha=0.3&min_score=0.2"
        "&explain=true"
    )

    reply = await (await client.get(f"/api/search?{asked}")).json()

    (request,) = engine.asked
    assert (request.q, request.limit, request.mode) == ("bees -wasp", 3, "semantic")
    assert (request.plain, request.fusion, request.alpha) == (True, "convex", 0.3)
    assert (request.min_score, request.explain) == (0.2, True)
    assert reply["results"][0]["path"] == "Garden/Bees.md"
    assert reply["results"][0]["highlights"] == [[0, 4]]


async def test_explain_is_in_the_reply_only_when_asked_for(client: Client) -> None:
    without = await (await client.get("/api/search?q=bees")).json()
    with_it = await (await client.get("/api/search?q=bees&explain=true")).json()

    assert "explain" not in without
    assert with_it["explain"]["stages"][0]["name"] == "parse"


async def test_values_not_computed_are_null(client: Client) -> None:
    reply = await (await client.get("/api/search?q=bees")).json()

    assert reply["confidence"] is None
    assert reply["results"][0]["scores"]["semantic"] is None


async def test_an_empty_query_has_an_empty_reply(client: Client) -> None:
    response = await client.get("/api/search?q=")

    assert response.status == 200
    assert (await response.json())["results"] == []


async def test_similar_notes_of_a_text_are_requested_by_post(
    client: Client, engine: FakeEngine
) -> None:
    response = await client.post("/api/similar", json={"text": "spring water", "limit": 1})

    assert [hit["path"] for hit in (await response.json())["results"]] == ["Garden/Bees.md"]
    assert engine.asked == [SimilarTextRequest("spring water", limit=1)]


async def test_paths_reach_the_engine_in_the_index_s_form(
    client: Client, engine: FakeEngine
) -> None:
    decomposed = "Zu\N{COMBINING DIAERESIS}rich.md"

    response = await client.get("/api/note", params={"path": decomposed})

    assert response.status == 200
    assert engine.asked == ["Z\N{LATIN SMALL LETTER U WITH DIAERESIS}rich.md"]


async def test_reindex_is_accepted_and_passed_on(client: Client, engine: FakeEngine) -> None:
    plain = await client.post("/api/reindex")
    some = await client.post("/api/reindex", json={"full": True, "paths": ["a.md", "b"]})

    assert (plain.status, some.status) == (202, 202)
    assert await some.json() == {"accepted": 2, "generation": 7, "warnings": []}
    assert engine.asked == [(False, ()), (True, ("a.md", "b"))]


async def test_one_of_several_vaults_is_named_by_id_or_name(
    connect: Connect, two_vaults: FakeVaults, second_engine: FakeEngine
) -> None:
    client = await connect(two_vaults)

    for word in ("Work", "c3d4"):
        reply = await (await client.get(f"/api/search?q=bees&vault={word}")).json()
        assert reply["vault"] == "Work"
    posted = await client.post("/api/reindex?vault=Work", json={})
    assert posted.status == 202
    in_body = await client.post("/api/reindex", json={"vault": "c3d4"})
    assert in_body.status == 202
    assert len(second_engine.asked) == 4


async def test_a_request_without_a_vault_is_answered_by_the_default_one(
    connect: Connect, two_vaults: FakeVaults
) -> None:
    client = await connect(two_vaults)

    response = await client.get("/api/search?q=bees")

    assert (response.status, (await response.json())["vault"]) == (200, "Home")


async def test_an_unknown_vault_is_not_found(client: Client) -> None:
    response = await client.get("/api/status?vault=Elsewhere")

    assert (response.status, (await response.json())["code"]) == (404, "vault_not_found")


async def test_a_server_without_a_vault_says_so(connect: Connect, no_vaults: FakeVaults) -> None:
    client = await connect(no_vaults)

    response = await client.get("/api/search?q=bees")

    assert response.status == 404
    assert "notewell serve" in (await response.json())["detail"]


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [
        (NotFoundError("There is no such note."), 404, "not_found"),
        (ModelError("The model does not work."), 503, "model_failed"),
        (ModelError("Download it.", code="special"), 503, "special"),
    ],
)
async def test_an_engine_s_error_is_a_problem_document(
    client: Client, engine: FakeEngine, error: NotewellError, status: int, code: str
) -> None:
    engine.fails = error

    response = await client.get("/api/search?q=bees")

    problem = await response.json(content_type="application/problem+json")
    assert response.status == problem["status"] == status
    assert problem["code"] == code
    assert problem["detail"] == error.message
    assert set(problem) == {"type", "title", "status", "detail", "code"}


async def test_unknown_routes_and_methods_are_problem_documents(client: Client) -> None:
    missing = await client.get("/api/nothing")
    wrong = await client.post("/api/search")

    assert missing.content_type == wrong.content_type == "application/problem+json"
    assert (missing.status, (await missing.json())["code"]) == (404, "not_found")
    assert (wrong.status, (await wrong.json())["code"]) == (405, "method_not_allowed")
    assert "GET" in wrong.headers["Allow"]


async def test_head_answers_like_get_without_a_body(client: Client, stranger: Client) -> None:
    health = await stranger.head("/api/health")

    assert (health.status, await health.read()) == (200, b"")
    assert (await client.head("/api/status")).status == 200
    assert (await stranger.head("/api/status")).status == 401


async def test_the_engines_live_as_long_as_the_server(
    connect: Connect, vaults: FakeVaults, engine: FakeEngine
) -> None:
    client = await connect()
    assert engine.started
    assert not vaults.closed

    await client.close()

    assert vaults.closed


async def test_the_start_page_needs_no_token_and_says_what_to_do(stranger: Client) -> None:
    response = await stranger.get("/")

    page = await response.text()
    assert (response.status, response.content_type) == (200, "text/html")
    assert "notewell search" in page
    assert "/api/search" in page
    assert "Home" not in page


async def test_a_built_interface_replaces_the_start_page(connect: Connect, tmp_path: Path) -> None:
    static = tmp_path / "static"
    static.mkdir()
    (static / "index.html").write_text("<title>The interface</title>")
    (static / "app.js").write_text("export {}")
    (tmp_path / "secret.txt").write_text("outside")
    (static / "leak.txt").symlink_to(tmp_path / "secret.txt")
    client = await connect(token=None, static=static)

    shell = await client.get("/")
    assert "The interface" in await shell.text()
    assert "script-src 'self'" in shell.headers["Content-Security-Policy"]
    script = await client.get("/static/app.js")
    assert (script.status, script.headers["X-Content-Type-Options"]) == (200, "nosniff")
    assert (await client.get("/static/leak.txt")).status in {403, 404}
    assert (await client.get("/static/")).status in {403, 404}
    for way in ("%2e%2e/secret.txt", "..%2fsecret.txt", "%2e%2e%5csecret.txt"):
        assert (await client.get(f"/static/{way}")).status in {401, 403, 404}


async def test_the_docs_page_names_every_route_and_loads_nothing(client: Client) -> None:
    page = await (await client.get("/api/docs")).text()

    for route in ROUTES:
        assert f"{route.endpoint.method} {route.endpoint.path}" in page
    assert "<script" not in page
    assert "http://" not in page
    assert "https://" not in page


async def test_a_question_reaches_the_engine_with_all_its_parameters(
    client: Client, engine: FakeEngine
) -> None:
    asked = "path=Garden%2FBees.md&hops=3&direction=in&decay=0.25&limit=7&daily=false"

    response = await client.get(f"/api/graph/neighbors?{asked}")

    assert response.status == 200
    assert engine.asked[-1] == NeighborsRequest(
        "Garden/Bees.md", hops=3, direction="in", decay=0.25, limit=7, daily=False
    )


@pytest.mark.parametrize(
    "asked",
    [
        "graph/neighbors",
        "graph/neighbors?path=x.md&hops=0",
        "graph/neighbors?path=x.md&hops=7",
        "graph/neighbors?path=x.md&decay=0",
        "graph/neighbors?path=x.md&direction=up",
        "graph/path?source=x.md",
        "graph/path?source=x.md&target=../y.md",
        "graph/hubs?by=luck",
        "archaeology",
        "archaeology?q=x&granularity=year",
        "complete?prefix=x&limit=0",
    ],
)
async def test_an_invalid_question_is_refused(client: Client, asked: str) -> None:
    assert (await client.get(f"/api/{asked}")).status == 400


async def test_several_vaults_are_searched_as_one(
    connect: Connect, two_vaults: FakeVaults, second_engine: FakeEngine
) -> None:
    client = await connect(two_vaults)

    for vault in ("all", "home,Work"):
        found = await (await client.get(f"/api/search?q=bees&vault={vault}")).json()
        assert {result["vault"] for result in found["results"]} == {"Home", "Work"}
    one = await (await client.get("/api/search?q=bees&vault=Work")).json()
    assert {result["vault"] for result in one["results"]} == {None}
    assert (await client.get("/api/search?q=bees&vault=Work,Nowhere")).status == 404

    second_engine.fails = NotFoundError("the index is gone")
    found = await (await client.get("/api/search?q=bees&vault=all")).json()
    assert found["warnings"] == ["Work was not searched: the index is gone"]
