"""The OpenAPI document and the pages made from the same table."""

from __future__ import annotations

import os
import re
from dataclasses import is_dataclass
from pathlib import Path
from typing import get_args, get_type_hints

import pytest

from notewell.base.types import LimitRules
from notewell.contract.json_schema import Json
from notewell.contract.request import JSON_MEDIA
from notewell.doors.web.limits import Rates
from notewell.doors.web.openapi import document, parameters
from notewell.doors.web.routes import ROUTES, Route
from tests.doors.web.fakes import Client
from tests.doors.web.fits import misfits

API_GUIDE = Path(__file__).parents[3] / "docs" / "api.md"
DOCUMENT = document(ROUTES, "1.2.3")


def references(node: Json) -> set[str]:
    if isinstance(node, list):
        return set().union(*map(references, node))
    if not isinstance(node, dict):
        return set()
    found = {str(node["$ref"])} if "$ref" in node else set()
    return found.union(*map(references, node.values()))


async def test_the_document_is_served_and_names_its_version(client: Client) -> None:
    served = await (await client.get("/api/openapi.json")).json()

    assert served["openapi"] == "3.1.0"
    assert list(served["paths"]) == list(dict.fromkeys(route.endpoint.path for route in ROUTES))


def test_every_reference_resolves() -> None:
    schemas = DOCUMENT["components"]["schemas"]

    found = references(DOCUMENT)

    assert found
    assert {name.removeprefix("#/components/schemas/") for name in found} <= set(schemas)


def test_no_two_records_share_a_name() -> None:
    records: dict[str, set[type]] = {}

    def look(hint: object) -> None:
        if isinstance(hint, type) and is_dataclass(hint):
            if hint in records.setdefault(hint.__name__, set()):
                return
            records[hint.__name__].add(hint)
            for part in get_type_hints(hint).values():
                look(part)
        for part in get_args(hint):
            look(part)

    for route in ROUTES:
        look(route.reply)

    assert [kinds for kinds in records.values() if len(kinds) > 1] == []


def test_operations_have_their_own_names() -> None:
    names = [
        operation["operationId"]
        for methods in DOCUMENT["paths"].values()
        for operation in methods.values()
    ]

    assert len(names) == len(set(names)) == len(ROUTES)


def test_what_may_be_absent_is_not_required() -> None:
    search = DOCUMENT["components"]["schemas"]["SearchReply"]

    assert "explain" in search["properties"]
    assert "explain" not in search["required"]
    assert "confidence" in search["required"]


def test_only_health_and_the_exchange_of_a_one_time_code_are_open() -> None:
    is_open = [
        path
        for path, methods in DOCUMENT["paths"].items()
        for operation in methods.values()
        if operation.get("security") == []
    ]

    assert is_open == ["/api/health", "/api/pair/redeem"]


_ARRANGED = {"ask_events", "ask_stop", "allow_host", "add_vault", "remove_vault"}


@pytest.mark.parametrize(
    "route",
    # Other tests ask these, which need a code, a running answer, or a service: test_pairing.py,
    # test_devices.py, test_polled_answers.py, test_served_vaults.py, tests/engine/test_consent.py.
    [
        r
        for r in ROUTES
        if r.endpoint.media == JSON_MEDIA
        and not r.endpoint.path.startswith(("/api/pair", "/api/devices"))
        and r.endpoint.name not in _ARRANGED
    ],
    ids=lambda route: route.endpoint.name,
)
async def test_replies_have_the_shape_that_the_document_tells(client: Client, route: Route) -> None:
    operation = DOCUMENT["paths"][route.endpoint.path][route.endpoint.method.lower()]
    place = route.endpoint.place(route.endpoint.example)
    schema = operation["responses"][str(route.endpoint.status)]["content"]["application/json"][
        "schema"
    ]

    if route.endpoint.method != "GET":
        example = operation["requestBody"]["content"]["application/json"]["example"]
        response = await client.request(route.endpoint.method, place, json=example)
    else:
        asked = {
            p["name"]: p["example"]
            for p in operation["parameters"]
            if "example" in p and p["in"] == "query"
        }
        shown = {n: str(v).lower() if isinstance(v, bool) else v for n, v in asked.items()}
        response = await client.get(place, params=shown)

    assert response.status == route.endpoint.status
    assert misfits(await response.json(), schema, DOCUMENT) == []


async def test_problems_have_the_shape_that_the_document_tells(client: Client) -> None:
    problem = await (await client.get("/api/search")).json(content_type="application/problem+json")

    schema = {"$ref": "#/components/schemas/Problem"}
    assert misfits(problem, schema, DOCUMENT) == []


def route_table() -> str:
    rates = Rates(LimitRules())
    lines = ["| route | needs | rate | parameters | answers |", "| --- | --- | --: | --- | --- |"]
    for route in ROUTES:
        asked = ", ".join(
            f"**`{p.name}`**" if p.required else f"`{p.name}`" for p in parameters(route.model)
        )
        lines.append(
            f"| `{route.endpoint.method} {route.endpoint.path}` | {route.endpoint.scope if route.endpoint.needs_token else ''}"
            f" | {rates.most(route.endpoint.name, route.endpoint.rate)} | {asked} | {route.endpoint.summary}: {route.endpoint.status}"
            f" `{route.reply_name}` |"
        )
    return "\n".join(lines)


def test_the_guide_has_the_table_of_routes_as_it_is() -> None:
    guide = API_GUIDE.read_text(encoding="utf-8")
    marked = re.compile(r"(<!-- routes -->\n\n).*(\n\n<!-- /routes -->)", re.DOTALL)

    if os.environ.get("NOTEWELL_TEST_UPDATE_CONTRACT") == "1":
        guide = marked.sub(lambda found: found[1] + route_table() + found[2], guide)
        API_GUIDE.write_text(guide, encoding="utf-8")

    assert marked.search(guide)
    assert route_table() in guide, "run this test with NOTEWELL_TEST_UPDATE_CONTRACT=1"
