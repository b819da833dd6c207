"""Vaults added and removed by an administrator, where the start of the server allowed that."""

from __future__ import annotations

from pathlib import Path

import pytest

from notewell.base.types import ServerRules
from tests.doors.web.fakes import Connect, FakeVaults


async def test_a_folder_becomes_a_vault_and_is_forgotten_with_its_data_kept(
    connect: Connect, vaults: FakeVaults, tmp_path: Path
) -> None:
    client = await connect(vaults, rules=ServerRules(allow_vaults=True))
    folder = tmp_path / "Recipes"
    folder.mkdir()
    added = await (await client.post("/api/vaults", json={"folder": str(folder)})).json()
    assert added["changeable"]
    assert [vault["name"] for vault in added["vaults"] if vault["served"]] == ["Home", "Recipes"]
    removed = await client.delete("/api/vaults", json={"id": "e5f6"})
    assert [vault["name"] for vault in (await removed.json())["vaults"]] == ["Home"]
    assert vaults.removed == ("e5f6", False)
    assert folder.is_dir()


@pytest.mark.parametrize("rules", [ServerRules(), ServerRules(allow_vaults=True, host="0.0.0.0")])
async def test_without_the_flag_or_beyond_loopback_vaults_are_fixed(
    connect: Connect, vaults: FakeVaults, tmp_path: Path, rules: ServerRules
) -> None:
    client = await connect(vaults, rules=rules)
    refused = await client.post("/api/vaults", json={"folder": str(tmp_path)})
    assert (refused.status, (await refused.json())["code"]) == (403, "vaults_fixed")
    assert (await client.delete("/api/vaults", json={"id": "a1b2"})).status == 403
    assert not (await (await client.get("/api/vaults")).json())["changeable"]


async def test_what_is_no_folder_and_no_vault_is_refused(
    connect: Connect, vaults: FakeVaults, tmp_path: Path
) -> None:
    client = await connect(vaults, rules=ServerRules(allow_vaults=True))
    for folder, status in (("Notes", 400), (str(tmp_path / "gone"), 404)):
        assert (await client.post("/api/vaults", json={"folder": folder})).status == status
    assert (await client.delete("/api/vaults", json={"id": "ffff"})).status == 404
