"""Every tool returns one compact text block within its budget, and helpful errors."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Iterable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from mcp.client.client import Client
from mcp.shared.exceptions import MCPError
from mcp_types import CallToolResult, Tool

from notewell.base.errors import UsageError
from notewell.doors.mcp.server import parse_topics, tools
from notewell.engine.engine import Engine
from notewell.engine.ingest.token_counter import TokenCounter
from notewell.features import FEATURES
from tests.doors.mcp.conftest import (
    NOTES,
    PAPERS,
    RIGHT,
    WRITING,
    Connect,
    Home,
    connected,
    make_home,
)
from tests.vault.pdf_files import pdf

NAMES = {
    *("search", "similar", "read_note", "list_notes", "graph_neighbors", "graph_path"),
    *("archaeology", "vault_status", "context", "trace_query", "trace_list", "namespaces"),
    *("stats", "reindex", "index_paths", "index_remove"),
}


def answer_of(result: CallToolResult) -> dict[str, Any]:
    """The answer, which is one text block and sent once."""
    assert len(result.content) == 1
    text = result.content[0].text  # type: ignore[union-attr]
    document: dict[str, Any] = json.loads(text)
    assert result.structured_content is None
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
    return [any_["path"] for any_ in document[part]]


SHORT = 5_000  # characters, about 1,200 tokens
CORE = {
    *("search", "similar", "context", "read_note", "list_notes", "vault_status", "feedback"),
    *("memory_recall", "memory_context", "gleanings"),
}
CORE_WRITING = {"edit_note", "edit_properties", "memory_store", "memory_outcome"}


async def listed(connect: Connect, **options: Any) -> dict[str, Any]:
    async with connect(**options) as client:
        return {tool.name: tool for tool in (await client.list_tools()).tools}


async def test_ten_tools_are_listed_and_more_by_topic(connect: Connect) -> None:
    assert set(await listed(connect)) == CORE
    assert set(await listed(connect, allow_write=True)) == CORE | CORE_WRITING
    garden = await listed(connect, topics="garden,graph")
    assert set(garden) == CORE | {"garden_plans", "graph_neighbors", "graph_path", "stats"}
    garden = await listed(connect, topics="garden", allow_write=True)
    assert "garden_apply" in garden
    every = await listed(connect, topics="all", allow_write=True)
    assert [tool.name for tool in tools(FEATURES)] == list(every)
    assert set(every) >= NAMES
    for name in NAMES:
        assert every[name].annotations is not None
        assert every[name].annotations.read_only_hint is (name not in WRITING)
        assert every[name].input_schema["additionalProperties"] is False


def test_a_topic_that_there_is_not_is_told() -> None:
    with pytest.raises(UsageError, match="no tools of gardn"):
        parse_topics("memory, gardn")


def size(tools: Iterable[Tool]) -> int:
    """Characters of a list of tools as it is sent."""
    shown = [tool.model_dump(by_alias=True, exclude_none=True) for tool in tools]
    return len(json.dumps(shown, separators=(",", ":")))


async def test_the_list_of_tools_is_short(connect: Connect) -> None:
    usual, every = await listed(connect), await listed(connect, topics="all", allow_write=True)
    assert size(usual.values()) < SHORT
    assert size((await listed(connect, topics="core")).values()) < SHORT
    assert size(every.values()) < 850 * len(every)
    search = usual["search"].input_schema
    assert search["required"] == ["query"]
    assert search["properties"]["limit"] == {
        "default": 10,
        "type": "integer",
    }
    assert every["search"].input_schema["properties"]["limit"]["maximum"] == 100
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
async def test_errors_name_invalid_arguments(
    connect: Connect, tool: str, arguments: dict[str, Any], what: str
) -> None:
    async with connect() as client:
        error = await refused(client, tool, **arguments)
    assert error["code"] == "bad_request"
    assert what in error["message"]


async def test_an_unknown_tool_is_a_protocol_error(connect: Connect) -> None:
    async with connect() as client:
        with pytest.raises(MCPError, match="no tool 'delete_all'"):
            await client.call_tool("delete_all", {})


async def test_a_missing_note_lists_similar_names(connect: Connect) -> None:
    async with connect() as client:
        error = await refused(client, "read_note", path="Garden/Beez.md")
        assert (error["code"], error["nearest"][0]) == ("not_found", "Garden/Bees.md")
        error = await refused(client, "graph_path", source="Zürich.md", target="compst")
        assert error["nearest"] == ["Garden/Compost.md"]


async def test_an_unknown_vault_is_refused(connect: Connect) -> None:
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


FILTERED: list[tuple[dict[str, Any], set[str]]] = [
    ({"namespace": "Home/Garden"}, {"Bees", "Compost", "Roof"}),
    ({"tags": ["garden"]}, {"Bees", "Compost"}),
    ({"path": "**/*es.md"}, {"Bees", "Notes"}),
    ({"path": "Garden/*.md"}, {"Bees", "Compost", "Roof"}),
    ({"type": "task"}, {"Plan"}),
    ({"dates": {"created": "2026-03"}}, {"Bees"}),
    ({"min_confidence": 0.6}, {"Roof"}),
    ({"properties": {"status": "to do"}}, {"Plan"}),
    ({"properties": {"effort": {"gt": 2, "lt": 4}}}, {"Plan"}),
    ({"properties": {"effort": {"in": [3, 8]}}}, {"Plan", "Compost"}),
    ({"properties": {"effort": [8], "done": True}}, {"Compost"}),
    ({"path": "Garden/*", "tags": ["garden"], "properties": {"effort": {"gt": 4}}}, {"Compost"}),
    ({"properties": {"effort": {"gt": 100}}}, set()),
]


async def test_a_search_says_how_well_each_note_matches_and_what_it_corrected(
    connect: Connect,
) -> None:
    async with connect() as client:
        good = await ask(client, "search", query="compost in spring")
        corrected = await ask(client, "search", query="compots")
        usual = await ask(client, "search", query="compost zeppelin submarine")
        weak = await ask(client, "search", query="compost zeppelin submarine", weak=True)
    first = good["results"][0]
    assert first["match"] in {"strong", "related"}
    assert first["id"].startswith(f"{first['path']}#")
    assert {"hash", "line", "mtime"} <= first.keys()
    assert all({"id", "hash"} <= more.keys() for more in first.get("more", []))
    assert corrected["corrected"] == {"text": "compost", "from": ["compots"]}
    assert "weak" not in [result["match"] for result in usual["results"]]
    assert "weak" in [result["match"] for result in weak["results"]]


async def test_a_passage_is_read_by_its_id_and_a_stale_one_leads_to_its_text(
    connect: Connect,
) -> None:
    async with connect() as client:
        found = (await ask(client, "search", query="compost in spring"))["results"][0]
        read = await ask(client, "read_note", id=found["id"], hash=found["hash"])
        stale = await ask(client, "read_note", id=f"{found['path']}#99", hash=found["hash"])
    assert "stale" not in read
    assert stale["stale"]
    assert (stale["id"], stale["lines"]) == (read["id"], read["lines"])


PROPERTIES = {
    "Work/Plan.md": "type: task\nstatus: to do\neffort: 3\n",
    "Garden/Compost.md": "effort: 8\ndone: true\n",
    "Garden/Roof.md": "confidence: 0.6\n",
    "Work/Garden/Notes.md": "confidence: 0.5\n",
}


@pytest.fixture(scope="module")
def described(tmp_path_factory: pytest.TempPathFactory, tiny: Path) -> Home:
    """A home whose notes have properties."""
    notes = {path: f"---\n{text}---\n{NOTES[path]}" for path, text in PROPERTIES.items()}
    return make_home(tmp_path_factory.mktemp("described"), tiny, {**NOTES, **notes})


@pytest.mark.parametrize("plain", [False, True])
@pytest.mark.parametrize(("filters", "found"), FILTERED, ids=range(len(FILTERED)))
async def test_filters_are_conditions(
    described: Home, filters: dict[str, Any], found: set[str], plain: bool
) -> None:
    query = '-"a garden": [in] tag:x OR (spring' if plain else "garden OR spring"
    async with connected(described) as client:
        made = await ask(client, "search", query=query, plain=plain, filters=filters, weak=True)
    assert {path.rpartition("/")[2][:-3] for path in paths(made)} == found
    assert made["total"] == len(found)
    assert "warnings" not in made or all(
        "read as text" not in warning for warning in made["warnings"]
    )


@pytest.mark.parametrize(
    ("filters", "what"),
    [
        ({"colour": "red"}, "`filters.colour` is unknown"),
        ({"dates": {"read": "7d"}}, "`read`"),
        ({"dates": {"created": "soon"}}, "`created` is no range"),
        ({"path": "!x"}, "`filters.path`"),
        ({"properties": {"effort": {"like": 3}}}, "not like"),
        ({"properties": {"effort": {"in": 3}}}, "needs a list"),
        ({"properties": {"a]b": 3}}, "name of a property"),
        ({"properties": {"a": "x OR y"}}, "without brackets"),
        ({"namespace": "Home/Work"}, "differ"),
    ],
)
async def test_filters_that_cannot_be_are_refused(
    connect: Connect, filters: dict[str, Any], what: str
) -> None:
    async with connect() as client:
        error = await refused(client, "search", query="x", namespace="Home/Garden", filters=filters)
    assert error["code"] == "bad_request"
    assert what in error["message"]


async def test_a_search_takes_every_option_of_the_ranking(connect: Connect) -> None:
    options = {
        "fusion": "rrf",
        "alpha": 0.3,
        "recency": 0.2,
        "graph": 0.1,
        "collapse": True,
        "expand": False,
        "rerank": False,
        "ignore": ["tags", "links"],
        "min_score": 0.1,
    }
    async with connect() as client:  # also without a list that describes them
        made = await ask(client, "search", query="garden in spring", mode="hybrid", **options)
    tools = await listed(connect, topics="search")
    assert options.keys() <= tools["search"].input_schema["properties"].keys()
    assert made["results"]


async def test_search_speaks_the_query_language(connect: Connect) -> None:
    async with connect() as client:
        found = await ask(client, "search", query='tag:garden -"warm in spring"')
        assert paths(found) == ["Garden/Bees.md"]
        assert found["results"][0]["tags"] == ["garden"]


@pytest.mark.parametrize("budget", [150, 300, 700])
@pytest.mark.parametrize("tool", ["search", "similar", "list_notes", "archaeology", "namespaces"])
async def test_a_reply_stays_within_its_budget(
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
async def test_a_context_and_its_sources_stay_within_the_budget(
    connect: Connect, budget: int
) -> None:
    async with connect() as client:
        made = await ask(client, "context", query="bees garden plan", budget_tokens=budget)
    assert made["tokens"] <= budget
    assert [each["n"] for each in made.get("sources", [])] == list(
        range(1, len(made.get("sources", [])) + 1)
    )


@pytest.mark.parametrize("budget", [64, 100, 200, 300, 500])
async def test_a_context_begins_with_the_best_note_however_small(
    connect: Connect, home: Home, budget: int
) -> None:
    query = "bees find home by the sun"
    async with connect() as client:
        best = paths(await ask(client, "search", query=query))[0]
        made = await ask(client, "context", query=query, budget_tokens=budget)
    told = [each["path"] for each in made.get("sources", [])] or made["context"].split('path="')[1:]
    assert told[0].split('"')[0] == best == "Garden/Bees.md"
    assert made["tokens"] <= budget


@pytest.mark.parametrize("budget", [100, 256, 400])
async def test_the_best_result_comes_however_small_the_budget(
    connect: Connect, budget: int
) -> None:
    async with connect() as client:
        made = await ask(client, "search", query="garden in spring", budget_tokens=budget)
        whole = await ask(client, "search", query="garden in spring")
    assert paths(made)[0] == paths(whole)[0]
    assert made["omitted"] == len(whole["results"]) - len(made["results"])
    assert made["tokens"] <= budget


async def test_a_note_is_read_in_full_by_section_or_by_line(connect: Connect) -> None:
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


async def test_a_pdf_is_found_with_its_page_and_read(own_home: Home) -> None:
    (own_home.folder / "Paper.pdf").write_bytes(pdf([["Clover."], ["Quince trees blossom."]]))
    (own_home.folder / "Reading.md").write_text("![[Paper.pdf]]", encoding="utf-8")
    with closing(own_home.vaults()) as vaults:
        vaults.open(vaults.add(own_home.folder), writable=True).index_now()
    async with connected(own_home) as client:
        answer = await ask(client, "search", query="quince blossom", weak=True)
        note = await ask(client, "read_note", path="Paper.pdf")

    (first, *_) = answer["results"]
    assert (first["path"], first["page"]) == ("Paper.pdf", 2)
    assert first["embedded_in"] == ["Reading.md"]
    assert "Quince trees blossom." in note["text"]


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
        assert {"parse", "fusion"} <= {stage["name"] for stage in trace["explain"]["stages"]}
        assert (await refused(client, "trace_query", query_id="nope"))["code"] == "not_found"


async def test_the_progress_of_a_job_is_reported(own_home: Home) -> None:
    (own_home.folder / "New.md").write_text("A note about the moon.", encoding="utf-8")
    async with connected(own_home, allow_write=True) as client:
        done = await _ended(client, (await ask(client, "reindex"))["job"])
        assert done["ledger"]["indexed"] == 7, done
        assert paths(await ask(client, "search", query="moon"))[0] == "New.md", done
        (own_home.folder / "New.md").unlink()
        done = await _ended(client, (await ask(client, "index_remove", paths=["New.md"]))["job"])
        assert "New.md" not in paths(await ask(client, "search", query="moon")), done
        assert (await refused(client, "vault_status", job="reindex-0"))["code"] == "not_found"


async def test_what_changes_while_a_job_ends_is_in_the_next(
    own_home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    indexed, go_on, index_now = threading.Event(), threading.Event(), Engine.index_now

    def held(engine: Engine, **options: Any) -> Any:
        report = index_now(engine, **options)
        indexed.set()
        go_on.wait(60)
        return report

    monkeypatch.setattr(Engine, "index_now", held)
    async with connected(own_home, allow_write=True) as client:
        await ask(client, "reindex")
        await asyncio.to_thread(indexed.wait, 60)
        (own_home.folder / "New.md").write_text("A note about the moon.", encoding="utf-8")
        job = (await ask(client, "reindex"))["job"]
        go_on.set()
        await _ended(client, job)
        assert paths(await ask(client, "search", query="moon"))[0] == "New.md"


async def _ended(client: Client, job: Mapping[str, Any]) -> Mapping[str, Any]:
    """Wait until a job has ended; the status then."""
    while (status := await ask(client, "vault_status", job=job["id"]))["job"]["state"] == "running":
        pass
    return status


async def test_a_missing_index_is_a_clear_error(own_home: Home) -> None:
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


@pytest.mark.parametrize(
    ("tool", "path", "code"),
    [
        ("index_paths", "/etc/hosts", "outside_vault"),
        ("index_paths", "../Home2/x.md", "outside_vault"),
        ("index_paths", "Garden/Beez.md", "not_found"),
        ("index_remove", "/etc/hosts", "outside_vault"),
    ],
)
async def test_paths_that_the_vault_does_not_have_begin_no_job(
    connect: Connect, tool: str, path: str, code: str
) -> None:
    async with connect(allow_write=True) as client:
        error = await refused(client, tool, paths=["Garden/Compost.md", path])
    assert error["code"] == code
    if code == "not_found":
        assert "Garden/Beez.md" in error["message"]
        assert error["nearest"][0] == "Garden/Bees.md"


async def test_a_heading_that_is_not_there_is_not_a_note_to_wait_for(own_home: Home) -> None:
    (own_home.folder / "New.md").write_text("# One", encoding="utf-8")
    async with connected(own_home) as client:
        error = await refused(client, "read_note", path="Garden/Bees.md", section="Nothing")
        assert (error["code"], error.get("nearest")) == ("not_found", None)


async def test_a_namespace_of_documents_is_one_word_everywhere(own_home: Home) -> None:
    async with connected(own_home, allow_write=True) as client:
        await ask(client, "index_file", **RIGHT["index_file"])
        listed = (await ask(client, "namespaces"))["namespaces"]
        assert {"namespace": "Papers", "notes": 1} in listed
        assert not any(".documents" in each["namespace"] for each in listed)
        found = await ask(client, "search", query="wasps", namespace="Papers", weak=True)
        assert paths(found) == [".documents/Papers/Wasps.txt"]
        named = await ask(client, "list_notes", path="Papers")
        assert paths(named, "notes") == [".documents/Papers/Wasps.txt"]
        unknown = await refused(client, "search", query="wasps", namespace="Papyri")
        assert "no vault 'Papyri'" in unknown["message"]
        missing = await refused(
            client, "index_file", path=str(PAPERS / "None.txt"), namespace="Papers"
        )
        assert missing["code"] == "not_found"
        await ask(client, "index_clear", namespace="Papers")
        error = await refused(client, "search", query="wasps", namespace="Papers")
        assert error["code"] == "not_found"


async def test_five_notes_come_before_more_passages_of_one(tmp_path: Path, tiny: Path) -> None:
    section = "## Spring {}\n\n" + "The bees of this hive fly far in spring. " * 30 + "\n\n"
    text = "".join(section.format(number) for number in range(6))
    notes = {f"Hive {number}.md": f"# Hive {number}\n\n{text}" for number in range(8)}
    async with connected(make_home(tmp_path, tiny, notes)) as client:
        found = await ask(
            client, "search", query="bees in spring", limit=8, budget_tokens=1000, collapse=False
        )
    assert len(paths(found)) >= 5
    assert len(set(paths(found))) == len(paths(found))
    assert all(result["snippet"] for result in found["results"])


async def test_feedback_is_noted_for_the_search_it_is_about(own_home: Home) -> None:
    async with connected(own_home) as client:
        await ask(client, "search", query="garden in spring")
        said = await ask(client, "feedback", query="garden in spring", path="Garden/Bees.md")
        assert said["recorded"]
        latest = (await ask(client, "trace_list"))["searches"][0]
    assert latest["opened"]
