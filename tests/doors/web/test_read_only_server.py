"""A server that only searches refuses what would change notes or an index, and says why."""

from __future__ import annotations

import pytest

from notewell.base.types import ServerRules
from tests.doors.web.fakes import Connect, FakeVaults


@pytest.mark.parametrize("path", ["reindex", "changes", "sync", "queue/pause"])
async def test_changes_are_refused(connect: Connect, vaults: FakeVaults, path: str) -> None:
    client = await connect(vaults, rules=ServerRules(read_only=True))
    refused = await client.post(f"/api/{path}", json={})
    assert (refused.status, (await refused.json())["code"]) == (403, "read_only_server")


async def test_searches_are_answered(connect: Connect, vaults: FakeVaults) -> None:
    client = await connect(vaults, rules=ServerRules(read_only=True))
    assert (await client.get("/api/search?q=bread")).status == 200
