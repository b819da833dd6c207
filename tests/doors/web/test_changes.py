"""Changes over HTTP: what a client may send, and what is refused before the engine."""

from __future__ import annotations

import io
from typing import Any

import pytest

from notewell.contract.status import MOST_CHANGES, Change
from notewell.doors.web.request_models import MAX_BODY_BYTES
from tests.doors.web.fakes import Client, FakeEngine

SAVED = 1_772_445_600_123


async def refused(client: Client, route: str, body: dict[str, Any]) -> tuple[int, str, str]:
    response = await client.post(route, json=body)
    problem = await response.json(content_type="application/problem+json")
    return response.status, problem["code"], problem["detail"]


async def test_changes_reach_the_engine_in_order_and_in_the_index_s_form(
    client: Client, engine: FakeEngine
) -> None:
    changes = [
        {"kind": "create", "path": "Zu\N{COMBINING DIAERESIS}rich.md", "content": "text"},
        {"kind": "modify", "path": "a/b.md", "mtime": SAVED},
        {"kind": "rename", "path": "new/", "old_path": "old/"},
        {"kind": "delete", "path": "a/b.md"},
    ]

    response = await client.post("/api/changes", json={"changes": changes})

    assert response.status == 202
    assert await response.json() == {
        "accepted": 4,
        "generation": 7,
        "warnings": ["something was left out"],
    }
    assert engine.asked == [
        (
            Change("create", "Z\N{LATIN SMALL LETTER U WITH DIAERESIS}rich.md", content="text"),
            Change("modify", "a/b.md", mtime=SAVED),
            Change("rename", "new", "old"),
            Change("delete", "a/b.md"),
        )
    ]


@pytest.mark.parametrize(
    ("change", "code", "named"),
    [
        ({"kind": "create", "path": "../x.md"}, "outside_vault", "inside the vault"),
        ({"kind": "create", "path": "/etc/x.md"}, "outside_vault", "inside the vault"),
        ({"kind": "create", "path": "C:\\x.md"}, "outside_vault", "inside the vault"),
        ({"kind": "create", "path": "a\\..\\x.md"}, "outside_vault", "inside the vault"),
        ({"kind": "create", "path": "nul\0.md"}, "outside_vault", "inside the vault"),
        ({"kind": "delete", "path": ""}, "bad_request", "changes.1.path"),
        ({"kind": "touch", "path": "x.md"}, "bad_request", "changes.1.kind"),
        ({"kind": "rename", "path": "x.md"}, "bad_request", "old_path"),
        ({"kind": "delete", "path": "x.md", "old_path": "y.md"}, "bad_request", "old_path"),
        ({"kind": "rename", "path": "x.md", "old_path": "../y.md"}, "outside_vault", "inside"),
        ({"kind": "create", "path": "x.md", "mtime": 1.5}, "bad_request", "mtime"),
        ({"kind": "create", "path": "x.md", "mtime": 10**18}, "bad_request", "mtime"),
        ({"kind": "create", "path": "x.md", "content": 5}, "bad_request", "content"),
        ({"kind": "create", "path": "x.md", "hash": "5"}, "bad_request", "hash"),
        ({"path": "x.md"}, "bad_request", "changes.1.kind"),
        ("x.md", "bad_request", "changes.1"),
    ],
)
async def test_one_bad_change_refuses_the_batch(
    client: Client, engine: FakeEngine, change: object, code: str, named: str
) -> None:
    batch = [{"kind": "delete", "path": "good.md"}, change]

    status, said, detail = await refused(client, "/api/changes", {"changes": batch})

    assert (status, said) == (400, code)
    assert named in detail
    assert engine.asked == []


async def test_a_list_of_files_is_compared(client: Client, engine: FakeEngine) -> None:
    files = [["Garden/Bees.md", 10, SAVED], ["New.md", 0, -5]]

    response = await client.post("/api/sync", json={"files": files})

    assert response.status == 200
    assert await response.json() == {
        "need": ["New.md"],
        "gone": ["Garden/Compost.md", "Zürich.md"],
        "guard": False,
    }
    assert engine.asked == [(("Garden/Bees.md", 10, SAVED), ("New.md", 0, -5))]


NO_FILES: list[object] = [
    ["a.md", 1],
    ["a.md", 1, 2, 3],
    ["a.md", -1, 2],
    ["a.md", 1.5, 2],
    ["a.md", "1", 2],
    ["a.md", 1, True],
    ["a.md", 1, 10**16],
    [1, 1, 1],
    "a.md",
    None,
]


@pytest.mark.parametrize("file", NO_FILES)
async def test_a_list_with_one_bad_file_is_refused(
    client: Client, engine: FakeEngine, file: object
) -> None:
    body = {"files": [["good.md", 1, 1], file, *[["x", None, None]] * 1000]}

    status, code, detail = await refused(client, "/api/sync", body)

    assert (status, code) == (400, "bad_request")
    assert len(detail) < 500
    assert engine.asked == []


async def test_a_body_beyond_the_limit_is_refused(client: Client, engine: FakeEngine) -> None:
    body = b'{"files": [' + b" " * MAX_BODY_BYTES + b"]}"

    response = await client.post("/api/sync", data=io.BytesIO(body))

    assert (response.status, (await response.json(content_type=None))["code"]) == (
        413,
        "body_too_large",
    )
    assert engine.asked == []


@pytest.mark.parametrize("action", ["pause", "resume", "retry", "cancel"])
async def test_the_queue_can_be_controlled(client: Client, engine: FakeEngine, action: str) -> None:
    response = await client.post(f"/api/queue/{action}")

    assert response.status == 202
    assert (await response.json())["accepted"] == 3
    assert engine.asked == [action]


async def test_a_guard_is_settled_by_a_boolean(client: Client, engine: FakeEngine) -> None:
    assert (await client.post("/api/guard", json={"remove": True})).status == 202
    assert (await client.post("/api/guard", json={"remove": False})).status == 202
    assert (await client.post("/api/guard", json={})).status == 400
    assert (await client.post("/api/guard", json={"remove": "true"})).status == 400

    assert engine.asked == [True, False]


@pytest.mark.parametrize("route", ["/api/changes", "/api/reindex"])
async def test_more_than_a_client_reports_at_once_is_refused_with_the_way_out(
    client: Client, engine: FakeEngine, route: str
) -> None:
    paths = [f"folder/{number}.md" for number in range(MOST_CHANGES + 1)]

    def body(some: list[str]) -> dict[str, Any]:
        if route == "/api/reindex":
            return {"paths": some}
        return {"changes": [{"kind": "modify", "path": path} for path in some]}

    status, code, detail = await refused(client, route, body(paths))
    assert (status, code) == (400, "bad_request")
    assert "at most 10000 items" in detail
    assert engine.asked == []
    assert (await client.post(route, json=body(paths[1:]))).status == 202
