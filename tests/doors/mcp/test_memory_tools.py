"""The twelve memory tools, called by the official client."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from notewell.features.memory import MemoryRules
from notewell.features.memory.tools import TOOLS
from tests.doors.mcp.conftest import Connect, Home, connected
from tests.doors.mcp.test_tools import ask, refused

RULE = "Write short sentences."
RIGHT: dict[str, dict[str, Any]] = {
    "memory_store": {"content": RULE},
    "memory_recall": {"query": "sentences"},
    "memory_context": {"query": "sentences"},
    "memory_apply": {"id": "x"},
    "memory_outcome": {"id": "x", "helped": True},
    "memory_forget": {"id": "x"},
    "memory_relate": {"source": "x", "target": "y"},
    "memory_unrelate": {"source": "x", "target": "y"},
    "memory_inspect": {"id": "x"},
    "memory_list": {},
    "memory_history": {},
    "memory_health": {},
}
WRITING = [tool.name for tool in TOOLS if tool.writes]


@pytest.fixture
def remembering(own_home: Home) -> Home:
    return replace(
        own_home, settings=replace(own_home.settings, of_features={"memory": MemoryRules("Memory")})
    )


async def test_all_twelve_memory_tools_are_listed(connect: Connect) -> None:
    async with connect(allow_write=True, topics="memory") as client:
        listed = {tool.name: tool for tool in (await client.list_tools()).tools}
    assert {name for name in listed if name.startswith("memory_")} == set(RIGHT)
    assert len(WRITING) == 6


@pytest.mark.parametrize("tool", WRITING)
async def test_writing_needs_both_the_permission_and_a_folder(connect: Connect, tool: str) -> None:
    async with connect() as client:
        assert "--allow-write" in (await refused(client, tool, **RIGHT[tool]))["message"]
    async with connect(allow_write=True) as client:
        error = await refused(client, tool, **RIGHT[tool])
    assert error["code"] == "read_only"
    assert "folder" in error["message"]


async def test_a_memory_is_stored_used_and_deleted(remembering: Home) -> None:
    async with connected(remembering, allow_write=True) as client:
        memory = (await ask(client, "memory_store", **RIGHT["memory_store"]))["memory"]
        assert (remembering.folder / memory["path"]).exists()
        assert (await ask(client, "memory_store", content=RULE))["existing"]
        found = await ask(client, "memory_recall", query="short sentences")
        assert found["memories"][0]["memory"]["id"] == memory["id"]
        assert "similarity" in found["memories"][0]["why"]
        await ask(client, "memory_apply", id=memory["id"])
        for _ in range(6):
            judged = await ask(client, "memory_outcome", id=memory["id"], helped=True)
        assert judged["memory"]["type"] == "golden_rule"
        text = (await ask(client, "memory_context", query="anything"))["text"]
        assert text.startswith("## Golden rules\n- Write short")
        await ask(client, "memory_relate", source=memory["id"], target="Zürich")
        shown = await ask(client, "memory_inspect", id=memory["id"])
        assert shown["memory"]["relations"][0]["path"] == "Zürich.md"
        await ask(client, "memory_unrelate", source=memory["id"], target="Zürich")
        assert (await ask(client, "memory_history"))["total"] == 8
        assert (await ask(client, "memory_list", type="golden_rule"))["total"] == 1
        assert (await ask(client, "memory_health"))["golden"] == 1
        assert (await refused(client, "memory_forget", id=memory["id"]))["code"] == "protected"
        forced = await refused(client, "memory_forget", id=memory["id"], force=True)
        assert forced["code"] == "protected"  # only a person deletes a golden rule
        assert (remembering.folder / memory["path"]).exists()
        plain = (await ask(client, "memory_store", content="Soon gone."))["memory"]
        await ask(client, "memory_forget", id=plain["id"])
        assert not (remembering.folder / plain["path"]).exists()
        missing = await refused(client, "memory_inspect", id=plain["id"])
        assert missing["code"] == "memory_not_found"


async def test_a_recall_finds_notes_and_memories_and_the_links_between(remembering: Home) -> None:
    async with connected(remembering, allow_write=True) as client:
        smoke = (await ask(client, "memory_store", content="Smoke calms them."))["memory"]
        room = {"content": "A hive needs room.", "provenance": "Garden/Bees.md"}
        hive = (await ask(client, "memory_store", **room))["memory"]
        await ask(client, "memory_relate", source=smoke["id"], target="Garden/Bees")
        found = await ask(client, "memory_recall", query="hive in spring room", depth=1)
        alone = await ask(client, "memory_recall", query="hive in spring room", notes=0)

    bees = next(note for note in found["notes"] if note["path"] == "Garden/Bees.md")
    assert {(bee["id"], bee["kind"]) for bee in bees["memories"]} == {
        (hive["id"], "provenance"),
        (smoke["id"], "relates_to"),
    }
    via = {memory["memory"]["id"]: memory.get("via") for memory in found["memories"]}
    # As soon as the index has read it, which a write begins, it is found by itself too.
    assert via[smoke["id"]] in {"Garden/Bees.md", None}
    assert not [note for note in found["notes"] if note["path"].startswith("Memory/")]
    assert "notes" not in alone


async def test_several_memories_are_forgotten_at_once(remembering: Home) -> None:
    async with connected(remembering, allow_write=True) as client:
        ids = [
            (await ask(client, "memory_store", content=f"Rule {n}."))["memory"]["id"]
            for n in range(3)
        ]
        for _ in range(6):
            await ask(client, "memory_outcome", id=ids[1], helped=True)
        gone = await ask(client, "memory_forget", ids=ids)
    assert [each["id"] for each in gone["forgotten"]] == [ids[0], ids[2]]
    assert gone["protected_ids"] == [ids[1]]


async def test_an_assistant_cannot_grant_a_golden_rule(remembering: Home) -> None:
    async with connected(remembering, allow_write=True) as client:
        error = await refused(client, "memory_store", content=RULE, type="golden_rule")
        assert error["code"] == "bad_request"
        assert "`type`" in error["message"]
        assert (await ask(client, "memory_list"))["total"] == 0


@pytest.mark.parametrize("budget", [150, 400])
async def test_answers_keep_to_their_budget(remembering: Home, budget: int) -> None:
    async with connected(remembering, allow_write=True) as client:
        for n in range(8):
            await ask(client, "memory_store", content=f"Rule {n}: write short sentences, always.")
        for tool in ("memory_recall", "memory_context", "memory_list", "memory_history"):
            document = await ask(client, tool, **RIGHT[tool], budget_tokens=budget)
            kept = document.get("memories") or document.get("entries") or document.get("text")
            assert document["tokens"] <= budget or not kept, tool
