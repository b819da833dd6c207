"""Several vaults in one server, more than it keeps open: every request gets its vault."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import cast

import pytest

from notewell.base.types import ServerRules, VaultRules
from notewell.engine.known_vaults import REGISTRY
from notewell.engine.open_vaults import Vaults
from notewell.features import FEATURES
from tests.doors.web.fakes import Connect, FakeVaults
from tests.vaults import settings_in

NAMES = ("Attic", "Barn", "Cellar")


@pytest.fixture
def three(tmp_path: Path) -> Iterator[Vaults]:
    settings = settings_in(
        tmp_path,
        vault=VaultRules(watch="off"),
        server=ServerRules(open_vaults=1),
    )
    vaults = Vaults(settings, features=FEATURES)
    for name in NAMES:
        (tmp_path / name).mkdir()
        (tmp_path / name / "note.md").write_text(f"bees in the {name}", encoding="utf-8")
        vaults.open(vaults.add(tmp_path / name), writable=True).index_now()
    vaults.close()
    vaults.serve(vaults.records())
    yield vaults
    vaults.close()


async def test_a_closed_vault_is_opened_by_a_request(connect: Connect, three: Vaults) -> None:
    client = await connect(cast("FakeVaults", three))
    for name in (*NAMES, *NAMES):
        found = await (await client.get("/api/search", params={"q": "bees", "vault": name})).json()
        assert [result["snippet"] for result in found["results"]] == [f"bees in the {name}"]

    listed = (await (await client.get("/api/vaults")).json())["vaults"]
    assert {vault["name"] for vault in listed if vault["open"]} == {
        engine.record.name for engine in three.opened()
    }
    assert [vault["served"] for vault in listed] == [True] * 3
    assert (await client.get("/api/vaults")).status == 200
    assert 'notewell_notes{vault="Cellar"}' in await (await client.get("/metrics")).text()


async def test_a_list_of_vaults_that_was_damaged_is_told(
    connect: Connect, three: Vaults, tmp_path: Path
) -> None:
    client = await connect(cast("FakeVaults", three))
    whole = await (await client.get("/api/vaults")).json()
    (tmp_path / "data" / REGISTRY).write_bytes(b"{")

    told = await (await client.get("/api/vaults")).json()

    assert whole["notice"] is None
    assert "taken from its copy" in told["notice"]
    assert told["vaults"] == whole["vaults"]


async def test_a_changed_setting_of_searches_applies_to_the_next_search_of_every_vault(
    connect: Connect, three: Vaults, tmp_path: Path
) -> None:
    for name in NAMES:
        (tmp_path / name / "old.md").write_text("---\nstatus: retired\n---\nold bees", "utf-8")
        three.open(three.find(name, cwd=tmp_path), writable=True).index_now()
    three.close()  # only one of them may be open
    client = await connect(cast("FakeVaults", three))
    queries = [{"q": "bees", "vault": name} for name in NAMES]

    async def found() -> list[int]:
        return [
            len((await (await client.get("/api/search", params=query)).json())["results"])
            for query in queries
        ]

    before = await found()
    changes = {"search.shelved_status": ["retired"]}
    await client.patch("/api/config?vault=Attic", json={"changes": changes})
    shelved = await found()
    changes = {"search.min_score": 1.0, "search.shelved_status": None}
    await client.patch("/api/config?vault=Attic", json={"changes": changes})

    assert (before, shelved, await found()) == ([2, 2, 2], [1, 1, 1], [1, 1, 1])
    running = await (await client.get("/api/config?vault=Barn&section=search")).json()
    assert {setting["key"]: setting["running"] for setting in running["settings"]}[
        "search.min_score"
    ] == 1.0
    assert running["restart"] is False


async def test_requests_about_all_vaults_at_once_are_all_answered(
    connect: Connect, three: Vaults
) -> None:
    client = await connect(cast("FakeVaults", three))

    async def ask(name: str) -> int:
        return (await client.get("/api/status", params={"vault": name})).status

    assert set(await asyncio.gather(*(ask(name) for name in NAMES * 8))) == {200}


async def test_which_vault_is_asked_where_several_are_served(
    connect: Connect, three: Vaults
) -> None:
    client = await connect(cast("FakeVaults", three))
    assert (await (await client.get("/api/status")).json())["vault"] == "Attic"  # the default one
    assert (await client.get("/api/status", params={"vault": "Loft"})).status == 404

    three.serve([record for record in three.records() if not record.default])

    refused = await client.get("/api/status")
    problem = await refused.json()
    assert (refused.status, problem["code"]) == (400, "vault_required")
    assert "Barn, Cellar" in problem["detail"]
