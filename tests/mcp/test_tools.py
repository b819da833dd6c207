"""Every tool returns one compact text block within its budget, and helpful errors."""

from __future__ import annotations

import json
from typing import Any

import pytest
from mcp.client.client import Client
from mcp.shared.exceptions import MCPError
from mcp_types import CallToolResult

from notewell.context.tokens import TokenCounter
from notewell.mcp.server import TOOLS
from tests.mcp.conftest import RIGHT, WRITING, Connect, Home, connected

NAMES = {
    *("search", "similar", "read_note", "list_notes", "graph_neighbors", "graph_path"),
    *("archaeology", "vault_status", "context", "trace_query", "trace_list", "namespaces"),
    *("stats", "reindex", "index_paths", "index_remove"),
}


def answer_of(result: CallToolResult) -> dict[str, Any]:
    """The answer, which is one text block and the same as structured content."""
    assert len(result.content) == 1
    text = result.content[0].text  # type: ignore[union-attr]
    document: dict[str, Any] = json.loads(text)
    assert document == result.structured_content
    return document


async def ask(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result.content
    return answer_of(result)


async def refused(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    result = await client.call_tool(tool, arguments)
    assert result.is_error
    error: dict[str, Any] = answer_of(result)["error"]
    return error


def paths(document: dict[str, Any], part: str = "results") -> list[str]:
    return [one["path"] for one in document[part]]


async def test_all_tools_are_listed_whoever_may_write(connect: Connect) -> None:
    async with connect() as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    assert set(tools) >= NAMES
    assert [tool.name for tool in TOOLS] == list(tools)
    for name in NAMES:
        assert tools[name].annotations is not None
        assert tools[name].annotations.read_only_hint is (name not in WRITING)
        assert tools[name].input_schema["additionalProperties"] is False


async def test_the_list_of_tools_is_short(connect: Connect) -> None:
    async with connect() as client:
        tools = (await client.list_tools()).tools
    text = json.dumps([tool.model_dump(by_alias=True, exclude_none=True) for tool in tools])
    assert len(text) < 850 * len(tools)
    search = next(tool for tool in tools if tool.name == "search").input_schema
    assert search["required"] == ["query"]
    assert search["properties"]["limit"] == {
        "default": 10,
        "description": "Maximum number of results",
        "maximum": 100,
        "minimum": 1,
        "type": "integer",
    }
    assert search["properties"]["namespace"]["type"] == "string"
    assert "default" not in search["properties"]["namespace"]


@pytest.mark.parametrize("tool", sorted(NAMES))
async def test_every_tool_answers_with_its_tokens(connect: Connect, tool: str) -> None:
    async with connect(allow_write=True) as client:
        document = await ask(client, tool, **RIGHT[tool])
    assert document["tokens"] > 0


@pytest.mark.parametrize("tool", WRITING)
async def test_writing_is_refused_unless_allowed(connect: Connect, tool: str) -> None:
    async with connect() as client:
        error = await refused(client, tool, **RIGHT[tool])
    assert error["code"] == "read_only"
    assert "--allow-write" in error["message"]


@pytest.mark.parametrize(
    ("tool", "arguments", "what"),
    [
        ("search", {}, "`query` is missing"),
        ("search", {"query": "x", "limit": 0}, "`limit`"),
        ("search", {"query": "x", "q": "y"}, "`q` is unknown here (known: vault"),
        ("search", {"query": "x" * 5000}, "`query`"),
        ("similar", {}, "give either `path` or `text`"),
        ("read_note", {"path": "Zürich.md", "lines": "ten"}, "`lines`"),
        ("read_note", {"path": "Zürich.md", "lines": "9-2"}, "lines 1 to 1"),
        ("graph_neighbors", {"path": "Zürich.md", "hops": 99}, "`hops`"),
        ("context", {"query": "x", "budget_tokens": 1}, "`budget_tokens`"),
        ("trace_query", {"query": "x", "query_id": "y"}, "give either"),
    ],
)
async def test_bad_arguments_are_named(
    connect: Connect, tool: str, arguments: dict[str, Any], what: str
) -> None:
    async with connect() as client:
        error = await refused(client, tool, **arguments)
    assert error["code"] == "bad_request"
    assert what in error["message"]


async def test_a_tool_that_is_none_is_an_error_of_the_protocol(connect: Connect) -> None:
    async with connect() as client:
        with pytest.raises(MCPError, match="no tool 'delete_all'"):
            await client.call_tool("delete_all", {})


async def test_a_note_that_is_not_there_brings_the_nearest(connect: Connect) -> None:
    async with connect() as client:
        error = await refused(client, "read_note", path="Garden/Beez.md")
        assert (error["code"], error["nearest"][0]) == ("not_found", "Garden/Bees.md")
        error = await refused(client, "graph_path", source="Zürich.md", target="compst")
        assert error["nearest"] == ["Garden/Compost.md"]


async def test_a_vault_that_is_not_known_is_refused(connect: Connect) -> None:
    async with connect() as client:
        error = await refused(client, "search", query="x", vault="Elsewhere")
        assert error["code"] == "not_found"
        assert "known: Home" in error["message"]
    async with connect(only="Home") as client:
        error = await refused(client, "search", query="x", namespace="Elsewhere/Garden")
        assert error["code"] == "vault_not_found"


async def test_a_namespace_is_a_vault_or_a_folder_of_it(connect: Connect) -> None:
    async with connect() as client:
        listed = await ask(client, "namespaces", depth=2)
        assert {"namespace": "Home/Work/Garden", "notes": 1} in listed["namespaces"]
        assert listed["namespaces"][0] == {"namespace": "Home", "notes": 6}
        inside = await ask(client, "search", query="garden", namespace="Home/Garden")
        assert set(paths(inside)) == {"Garden/Bees.md", "Garden/Compost.md", "Garden/Roof.md"}
        plain = await ask(client, "search", query="garden", namespace="Home/Garden", plain=True)
        assert set(paths(plain)) == set(paths(inside))
        everywhere = await ask(client, "search", query="garden", namespace="Home")
        assert "Work/Plan.md" in paths(everywhere)


async def test_search_speaks_the_query_language(connect: Connect) -> None:
    async with connect() as client:
        found = await ask(client, "search", query='tag:garden -"warm in spring"')
        assert paths(found) == ["Garden/Bees.md"]
        assert found["results"][0]["tags"] == ["garden"]


@pytest.mark.parametrize("budget", [150, 300, 700])
@pytest.mark.parametrize("tool", ["search", "similar", "list_notes", "archaeology", "namespaces"])
async def test_an_answer_keeps_to_its_budget(
    connect: Connect, home: Home, tool: str, budget: int
) -> None:
    count = TokenCounter(home.settings.model, home.settings.model_dir)
    async with connect() as client:
        result = await client.call_tool(tool, {**RIGHT[tool], "budget_tokens": budget})
    document = answer_of(result)
    assert document["tokens"] >= count(result.content[0].text)  # type: ignore[union-attr]
    kept = next(part for part in document.values() if isinstance(part, list))
    assert document["tokens"] <= budget or not kept


@pytest.mark.parametrize("budget", [300, 500, 900])
async def test_a_context_and_its_sources_keep_to_the_budget(connect: Connect, budget: int) -> None:
    async with connect() as client:
        made = await ask(client, "context", query="bees garden plan", budget_tokens=budget)
    assert made["tokens"] <= budget
    assert [one["n"] for one in made.get("sources", [])] == list(
        range(1, len(made.get("sources", [])) + 1)
    )


async def test_a_note_is_read_whole_by_section_and_by_line(connect: Connect) -> None:
    async with connect() as client:
        whole = await ask(client, "read_note", path="Garden/Bees.md")
        assert whole["text"] == NOTES_BEES.rstrip("\n")
        assert whole["links"] == ["Garden/Compost.md"]
        part = await ask(client, "read_note", path="Garden/Bees.md", section="hive")
        assert part["text"].startswith("## Hive\n\nA hive")
        assert "Tools" not in part["text"]
        lines = await ask(client, "read_note", path="Garden/Bees.md", lines="7")
        assert (lines["text"], lines["lines"]) == (
            "Bees find home by the sun. See [[Compost]].",
            "7-7",
        )
        error = await refused(client, "read_note", path="Garden/Bees.md", section="Hives")
        assert "Hive" in error["message"]


NOTES_BEES = "---\ntags: [garden]\ncreated: 2026-03-01\n---\n# Bees\n\nBees find home by the sun. See [[Compost]].\n\n## Hive\n\nA hive in spring needs room and water.\n\n## Tools\n\nThe smoker.\n"


async def test_a_long_note_is_read_in_parts(own_home: Home) -> None:
    text = "\n".join(f"{n}: a garden and a house by the sea" for n in range(300))
    (own_home.folder / "Garden" / "Roof.md").write_text(text, encoding="utf-8")
    read, line = [], 1
    async with connected(own_home) as client:
        while line:
            part = await ask(
                client, "read_note", path="Garden/Roof.md", lines=f"{line}-300", budget_tokens=2000
            )
            read.append(part["text"])
            line = part.get("next_line", 0)
    assert len(read) > 1
    assert "\n".join(read) == text


async def test_notes_are_listed_by_folder_filter_and_page(connect: Connect) -> None:
    async with connect() as client:
        everything = await ask(client, "list_notes", order="path")
        assert paths(everything, "notes")[0] == "Garden/Bees.md"
        second = await ask(client, "list_notes", order="path", offset=1, limit=1)
        assert (second["total"], paths(second, "notes")) == (6, ["Garden/Compost.md"])
        tagged = await ask(client, "list_notes", filter="tag:garden", path="Garden")
        assert sorted(paths(tagged, "notes")) == ["Garden/Bees.md", "Garden/Compost.md"]


async def test_searches_can_be_looked_up_and_explained(connect: Connect) -> None:
    async with connect() as client:
        await ask(client, "search", query="room and water")
        listed = await ask(client, "trace_list", limit=1)
        assert listed["searches"][0]["door"] == "mcp"
        trace = await ask(
            client, "trace_query", query_id=listed["searches"][0]["query_id"], budget_tokens=9000
        )
        assert trace["query"] == "room and water"
        assert {"parse", "fuse"} <= {stage["name"] for stage in trace["explain"]["stages"]}
        assert (await refused(client, "trace_query", query_id="nope"))["code"] == "not_found"


async def test_a_job_is_followed_to_its_end(own_home: Home) -> None:
    (own_home.folder / "New.md").write_text("A note about the moon.", encoding="utf-8")
    async with connected(own_home, allow_write=True) as client:
        job = (await ask(client, "reindex"))["job"]
        while (await ask(client, "vault_status", job=job["id"]))["job"]["state"] == "running":
            pass
        assert paths(await ask(client, "search", query="moon"))[0] == "New.md"
        (own_home.folder / "New.md").unlink()
        job = (await ask(client, "index_remove", paths=["New.md"]))["job"]
        while (await ask(client, "vault_status", job=job["id"]))["job"]["state"] == "running":
            pass
        assert "New.md" not in paths(await ask(client, "search", query="moon"))
        assert (await refused(client, "vault_status", job="reindex-0"))["code"] == "not_found"


async def test_an_index_that_is_not_there_is_told_with_what_to_do(own_home: Home) -> None:
    other = own_home.folder.parent / "Other"
    other.mkdir()
    vaults = own_home.vaults()
    vaults.add(other)
    async with connected(own_home) as client:
        error = await refused(client, "search", query="x", vault="Other")
    assert error["code"] == "index_not_found"
    assert "notewell serve Other" in error["message"]


async def test_the_status_names_failed_and_excluded_files(connect: Connect) -> None:
    async with connect() as client:
        found = await ask(client, "vault_status", path="Garden/Gone.md")
        assert found["files"][0]["rule"] == "missing"
        assert found["ledger"]["indexed"] == 6
