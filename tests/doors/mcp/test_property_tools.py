"""The tool that edits properties, called by the official client."""

from __future__ import annotations

from tests.doors.mcp.conftest import Home, connected
from tests.doors.mcp.test_tools import ask, refused

_NOTE = "Garden/Bees.md"


async def test_an_assistant_that_may_write_edits_properties(own_home: Home) -> None:
    file = own_home.folder / _NOTE
    before = file.read_text(encoding="utf-8")
    edit = {"set": {"rating": 5, "seen": ["meadow"]}, "add": {"tags": "bees"}}
    async with connected(own_home, allow_write=True) as client:
        shown = await ask(client, "edit_properties", path=_NOTE, dry_run=True, **edit)
        assert file.read_text(encoding="utf-8") == before
        done = await ask(client, "edit_properties", path=_NOTE, expected_hash=shown["hash"], **edit)
        again = await ask(client, "edit_properties", path="Garden/Bees", **edit)

    assert shown["diff"] == done["diff"]
    assert (done["changed"], again["changed"]) == (True, False)
    assert file.read_text(encoding="utf-8") == before.replace("[garden]", "[garden, bees]").replace(
        "2026-03-01\n", "2026-03-01\nrating: 5\nseen:\n  - meadow\n"
    )


async def test_a_note_that_has_changed_and_one_that_is_missing(own_home: Home) -> None:
    async with connected(own_home, allow_write=True) as client:
        edit = {"set": {"rating": 5}}
        changed = await refused(
            client, "edit_properties", path=_NOTE, expected_hash="0" * 32, **edit
        )
        missing = await refused(client, "edit_properties", path="Nothing.md", **edit)
    assert (changed["code"], missing["code"]) == ("note_changed", "not_found")
