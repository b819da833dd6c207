"""The tool that edits a part of a note, called by the official client: read, edit, refused."""

from __future__ import annotations

from tests.doors.mcp.conftest import Home, connected
from tests.doors.mcp.test_tools import ask, refused

NOTE = "Garden/Bees.md"


async def test_an_assistant_edits_what_it_has_read(own_home: Home) -> None:
    file = own_home.folder / NOTE
    before = file.read_text(encoding="utf-8")
    async with connected(own_home, allow_write=True) as client:
        read = await ask(client, "read_note", path=NOTE, section="Hive")
        edit = {"path": NOTE, "section": "Hive", "how": "append", "text": "And shade."}
        done = await ask(client, "edit_note", expected_hash=read["hash"], **edit)
        stale = await refused(client, "edit_note", expected_hash=read["hash"], **edit)

    after = before.replace("room and water.\n", "room and water.\n\nAnd shade.\n")
    assert file.read_text(encoding="utf-8") == after
    assert "+And shade." in done["diff"]
    assert stale["code"] == "note_changed"
    assert "And shade." in stale["message"]


async def test_it_is_neither_listed_nor_done_where_only_reading_is_allowed(own_home: Home) -> None:
    async with connected(own_home) as client:
        names = {tool.name for tool in (await client.list_tools()).tools}
        edit = {"path": NOTE, "section": "Hive", "how": "append", "text": "x"}
        error = await refused(client, "edit_note", expected_hash="0" * 32, **edit)
    assert "edit_note" not in names
    assert error["code"] == "read_only"
