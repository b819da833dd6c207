"""Notes that are kept from assistants: no reply, count or error tells that they exist."""

from __future__ import annotations

import json
import os
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager, closing
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from mcp.client.client import Client

from notewell.base.types import AssistantRules
from notewell.features.memory import MemoryRules
from tests.doors.mcp.conftest import NOTES, RIGHT, Home, connected, make_home, over_http, serving
from tests.doors.mcp.test_tools import NAMES, ask, paths, refused

PLANTED = "quetzalcoatl"
KEPT = {
    "Private/Diary.md": f"A garden with {PLANTED}. [[Bees]] and [[Compost]] #{PLANTED}-tag\n",
    f"Garden/{PLANTED}.md": f"---\ntags: [secret/deep]\n---\nA hive in spring, {PLANTED}.\n",
    "Work/Salary.md": (
        f"---\nAssistants: no\nowner: {PLANTED}\n---\n# {PLANTED}\n\nThe plan for the garden.\n"
    ),
}
RULES = AssistantRules(exclude=("private/**",), exclude_tags=("#Secret",))
Open: TypeAlias = Callable[[Home], AbstractAsyncContextManager[Client]]


@asynccontextmanager
async def alone(home: Home) -> AsyncIterator[Client]:
    """A client of `notewell mcp`, without a server."""
    async with connected(home, allow_write=True) as client:
        yield client


@asynccontextmanager
async def beside_a_server(home: Home) -> AsyncIterator[Client]:
    """A client of `notewell mcp`, which asks the running server."""
    async with serving(home), connected(home, allow_write=True) as client:
        yield client


@asynccontextmanager
async def of_the_server(home: Home) -> AsyncIterator[Client]:
    """A client of the server's own `/mcp`."""
    async with serving(home) as url, over_http(f"{url}/mcp?allow_write=true") as client:
        yield client


DOORS = pytest.mark.parametrize("door", [alone, beside_a_server, of_the_server])


def with_rules(home: Home, rules: AssistantRules) -> Home:
    return Home(replace(home.settings, assistants=rules), home.folder)


@pytest.fixture
def private_home(tmp_path: Path, tiny: Path) -> Home:
    """A home with three notes that are kept from assistants, each by another means."""
    home = with_equal_times(make_home(tmp_path, tiny, {**NOTES, **KEPT}))
    memory = {"memory": MemoryRules(folder="Memory")}
    return with_rules(Home(replace(home.settings, of_features=memory), home.folder), RULES)


@pytest.fixture
def home_without(tmp_path: Path, tiny: Path) -> Home:
    """The same home, where these notes do not exist."""
    (tmp_path / "without").mkdir()
    return with_equal_times(make_home(tmp_path / "without", tiny))


def with_equal_times(home: Home) -> Home:
    """Give all notes one time, because how new they are counts in their scores."""
    for note in home.folder.rglob("*.md"):
        os.utime(note, (1_780_000_000, 1_780_000_000))
    with closing(home.vaults()) as vaults:
        vaults.open(vaults.records()[0], writable=True).index_now()
    return home


async def up_to_date(client: Client) -> None:
    """Wait until all notes are read and embedded."""
    while True:
        status = await ask(client, "vault_status")
        if (status["state"], status["semantic"]) == ("ready", "ready") and status["notes"]:
            return


@DOORS
async def test_no_reply_has_the_planted_word(private_home: Home, door: Open) -> None:
    async with door(private_home) as client:
        await up_to_date(client)
        for name in sorted(NAMES - {"garden_apply", "garden_reject", "garden_undo", "cancel_run"}):
            reply = await client.call_tool(name, dict(RIGHT[name]))
            assert PLANTED not in text_of(reply), name
        for query in ("plan garden hive spring", "#secret/deep", "[owner]", "path:Private", "*"):
            reply = await client.call_tool("search", {"query": query, "weak": True, "limit": 50})
            assert PLANTED not in text_of(reply), query
        for shown in (await client.list_resources()).resources:
            assert PLANTED not in str(shown)


@DOORS
async def test_the_first_answer_has_all_notes(private_home: Home, door: Open) -> None:
    async with door(private_home) as client:
        listed = await ask(client, "list_notes")
    assert {note["path"] for note in listed["notes"]} == set(NOTES)


@DOORS
async def test_a_search_for_the_word_finds_what_a_vault_without_it_finds(
    private_home: Home, home_without: Home, door: Open
) -> None:
    asked: tuple[tuple[str, Mapping[str, Any]], ...] = (
        ("search", {"query": PLANTED, "weak": True, "limit": 50}),
        ("search", {"query": "garden spring plan", "weak": True, "limit": 50}),
        ("search", {"query": "quetzalcoatll", "mode": "keyword"}),
        ("similar", {"path": "Garden/Bees.md", "limit": 50}),
        ("list_notes", {}),
        ("list_notes", {"filter": "tag:secret"}),
        ("stats", {}),
        ("graph_neighbors", {"path": "Garden/Bees.md", "hops": 3}),
        ("archaeology", {"query": "garden"}),
        ("context", {"query": f"who is {PLANTED}", "budget_tokens": 4000}),
        ("companions", {"query": f"who is {PLANTED} and where is compost warm"}),
        ("evidence", {"claim": f"{PLANTED} is in the garden"}),
        ("read_note", {"path": "Private/Diary"}),
        ("read_note", {"path": "Work/Salary.md"}),
        ("read_note", {"path": PLANTED}),
        ("vault_status", {"path": "Private/Diary.md"}),
        ("vault_status", {"path": "Private"}),
        ("vault_status", {"path": "Work/Salary.md", "state": "excluded"}),
        ("graph_path", {"source": "Garden/Bees.md", "target": "Work/Salary.md"}),
        ("index_paths", {"paths": ["Work/Salary.md"]}),
        ("index_paths", {"paths": ["Private"]}),
        ("edit_note", {**RIGHT["edit_note"], "path": "Work/Salary.md"}),
        ("edit_properties", {**RIGHT["edit_properties"], "path": "Private/Diary.md"}),
    )
    async with door(private_home) as client, door(home_without) as other:
        await up_to_date(client)
        await up_to_date(other)
        for name, arguments in asked:
            reply = comparable(await client.call_tool(name, dict(arguments)))
            wanted = comparable(await other.call_tool(name, dict(arguments)))
            assert reply == wanted, (name, arguments)


@DOORS
async def test_a_note_that_is_marked_while_assistants_read_is_gone(
    own_home: Home, door: Open
) -> None:
    async with door(own_home) as client:
        assert "Work/Plan.md" in paths(await ask(client, "search", query="plan year"))
        note = own_home.folder / "Work/Plan.md"
        note.write_text(f"---\nassistants: false\n---\n{note.read_text()}", encoding="utf-8")
        await ask(client, "reindex")
        while (await client.call_tool("read_note", {"path": "Work/Plan.md"})).is_error is False:
            pass
        await up_to_date(client)
        assert "Work/Plan.md" not in paths(await ask(client, "search", query="plan year"))
        note.write_text(note.read_text().replace("false", "true"), encoding="utf-8")
        await ask(client, "reindex")
        while (await client.call_tool("read_note", {"path": "Work/Plan.md"})).is_error:
            pass


@DOORS
async def test_assistants_write_in_one_folder_alone(own_home: Home, door: Open) -> None:
    home = with_rules(own_home, AssistantRules(write_folder="/Work/"))
    async with door(home) as client:
        refusal = await refused(
            client, "edit_properties", path="Garden/Bees.md", set={"status": "done"}
        )
        assert refusal["code"] == "outside_write_folder"
        await ask(client, "edit_properties", path="Work/Plan.md", set={"status": "done"})
    assert "status: done" in (home.folder / "Work/Plan.md").read_text()
    assert "status" not in (home.folder / "Garden/Bees.md").read_text()


def text_of(reply: Any) -> str:
    return "".join(part.text for part in reply.content)


def comparable(reply: Any) -> object:
    """A reply without what differs between two runs on the same notes."""
    document = json.loads(text_of(reply))
    for name in ("job", "generation", "took_ms", "tokens", "next_run", "query_id"):
        document.pop(name, None)
    return document
