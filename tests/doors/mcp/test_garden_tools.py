"""The tools about the gardener, called by the official client."""

from __future__ import annotations

from pathlib import Path

from tests.doors.mcp.conftest import NOTES, connected, make_home
from tests.doors.mcp.test_tools import ask, refused


async def test_suggestions_are_read_applied_taken_back_and_rejected(
    tmp_path: Path, tiny: Path
) -> None:
    home = make_home(tmp_path, tiny, {**NOTES, "Spelt.md": "See [[Compst]].\n"})
    note = home.folder / "Spelt.md"
    before = note.read_bytes()
    async with connected(home) as client:
        assert (await refused(client, "garden_make_plan"))["code"] == "read_only"
    async with connected(home, allow_write=True) as client:
        made = await ask(client, "garden_make_plan", checks=["broken_links"])
        plan = made["id"]
        (one,) = made["suggestions"]
        assert (await ask(client, "garden_plans"))["plans"][0]["counts"]["open"] == 1
        assert one["diff"] in (await ask(client, "garden_plans", id=plan))["suggestions"][0]["diff"]

        done = await ask(client, "garden_apply", id=plan, only=[one["id"]])
        assert done["applied"] == [one["id"]]
        assert note.read_bytes() != before
        await ask(client, "garden_undo", id=plan, only=[one["id"]])
        assert note.read_bytes() == before
        assert (await refused(client, "garden_apply", id=plan, only=[]))["code"]
        gone = await ask(client, "garden_reject", id=plan, only=[one["id"]])
    assert gone["deleted"] is True
