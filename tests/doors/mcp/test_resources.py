"""Notes as resources, and prompts for common tasks."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp.shared.exceptions import MCPError

from notewell.doors.mcp import note_tools
from notewell.doors.mcp.note_tools import parse_resource_uri, resource_uri
from tests.doors.mcp.conftest import NOTES, Connect


async def test_notes_are_listed_and_read(connect: Connect) -> None:
    async with connect() as client:
        listed = (await client.list_resources()).resources
        assert {resource.name for resource in listed} == set(NOTES)
        zurich = next(resource for resource in listed if resource.name == "Zürich.md")
        contents = (await client.read_resource(zurich.uri)).contents
        assert contents[0].text == NOTES["Zürich.md"]  # type: ignore[union-attr]
        assert contents[0].mime_type == "text/markdown"
        templates = (await client.list_resource_templates()).resource_templates
        assert templates[0].uri_template == "notewell://note/{vault}/{+path}"
        by_name = await client.read_resource("notewell://note/Home/Garden/Roof.md")
        assert by_name.contents[0].text == NOTES["Garden/Roof.md"]  # type: ignore[union-attr]


async def test_the_list_is_paged(connect: Connect, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(note_tools, "PAGE", 4)
    async with connect() as client:
        first = await client.list_resources()
        second = await client.list_resources(cursor=first.next_cursor)
        assert (len(first.resources), len(second.resources)) == (4, 2)
        assert second.next_cursor is None
        with pytest.raises(MCPError, match="cursor"):
            await client.list_resources(cursor="x")


@pytest.mark.parametrize(
    "uri", ["notewell://note/Home/Nowhere.md", "notewell://other/x/y", "file:///etc/passwd"]
)
async def test_a_resource_that_is_not_a_note_is_not_found(connect: Connect, uri: str) -> None:
    async with connect() as client:
        with pytest.raises(MCPError) as caught:
            await client.read_resource(uri)
    assert caught.value.code == -32002


async def test_a_path_out_of_the_vault_is_refused(connect: Connect) -> None:
    async with connect() as client:
        with pytest.raises(MCPError):
            await client.read_resource("notewell://note/Home/../../../etc/passwd")


@given(
    st.text(st.characters(exclude_categories=["Cs"]), min_size=1),
    st.text(st.characters(exclude_categories=["Cs"]), min_size=1),
)
def test_an_address_can_be_parsed(vault: str, path: str) -> None:
    assert parse_resource_uri(resource_uri(vault, path)) == (vault, path)


async def test_prompts_are_listed_and_filled_in(connect: Connect) -> None:
    async with connect() as client:
        names = {prompt.name for prompt in (await client.list_prompts()).prompts}
        assert names == {
            *("answer_from_notes", "summarize_topic", "find_connections", "topic_history")
        }
        for name, argument in (("summarize_topic", "topic"), ("find_connections", "path")):
            made = await client.get_prompt(name, {argument: "Garden/Bees.md"})
            assert "Garden/Bees.md" in made.messages[0].content.text  # type: ignore[union-attr]
        answer = await client.get_prompt("answer_from_notes", {"question": "bees"})
        text = answer.messages[0].content.text  # type: ignore[union-attr]
        assert "<retrieved_document" in text
        with pytest.raises(MCPError, match="needs: topic"):
            await client.get_prompt("topic_history", {})
        with pytest.raises(MCPError, match="no prompt 'x'"):
            await client.get_prompt("x", {})
