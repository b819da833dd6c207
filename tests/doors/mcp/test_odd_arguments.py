"""Whatever an assistant sends is answered: odd forms of arguments, of paths and of messages."""

from __future__ import annotations

import json
import subprocess
import sys
import unicodedata
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from aiohttp import ClientSession
from hypothesis import given
from hypothesis import strategies as st

from notewell.base.errors import NotFoundError
from notewell.contract.notes import BlockView, HeadingView, NoteReply
from notewell.doors.mcp.arguments import request_of
from notewell.doors.mcp.messages import is_id, repair_message
from notewell.doors.mcp.server import tools
from notewell.features import FEATURES
from notewell.vault.named_section import section_lines
from tests.doors.mcp.conftest import RIGHT, TOKEN, Home, connected, make_home, serving
from tests.doors.mcp.test_stdio import INITIALIZE
from tests.doors.mcp.test_tools import answer_of, ask, paths, refused
from tests.waiting import PROCESS_S

SECTIONS = """\
# Top

Under the top. ^first

## Dup

The first of two.

# Q: what? (A/B)

An answer.

# 🦊 Fox & [[Bees|the hive]]

A fox.

## Dup

The second of two.

- one item ^item
- another item

# C# > C++

Languages.
"""
NOTES = {
    "Folder/Test Note.md": SECTIONS,
    "Folder/Café.md": "A note on coffee and quince.\n",
    "Über/Berg.md": "A note on a mountain.\n",
    "Other.md": "Another note on quince. [[Test Note]]\n",
}


@pytest.fixture(scope="module")
def odd(tmp_path_factory: pytest.TempPathFactory, tiny: Path) -> Home:
    return make_home(tmp_path_factory.mktemp("odd"), tiny, NOTES)


SPELLINGS = [
    "folder/test note.md",
    "/Folder/Test Note.md",
    "./Folder/Test Note.md",
    ".\\Folder\\Test Note.md",
    "Folder\\Test Note.md",
    "Folder//Test Note",
    "[[Test Note]]",
    "[[Folder/Test Note#Top|shown]]",
    "![[Test Note]]",
    "test note",
    " Folder/Test Note.md\n",
]


async def test_a_path_is_what_a_person_or_a_model_writes(odd: Home) -> None:
    async with connected(odd) as client:
        for path in SPELLINGS:
            assert (await ask(client, "read_note", path=path))["path"] == "Folder/Test Note.md"
            near = await ask(client, "graph_neighbors", path=path)
            assert paths(near, "neighbors") == ["Other.md"]
            assert (await ask(client, "similar", path=path))["tokens"] > 0


async def test_letters_in_two_parts_name_the_same_note_and_folder(odd: Home) -> None:
    async with connected(odd) as client:
        apart = unicodedata.normalize("NFD", "Folder/Café.md")
        assert (await ask(client, "read_note", path=apart))["path"] == "Folder/Café.md"
        listed = await ask(client, "list_notes", path=unicodedata.normalize("NFD", "über/"))
        assert paths(listed, "notes") == ["Über/Berg.md"]


async def test_a_path_in_a_place_without_a_note_is_not_another_note(odd: Home) -> None:
    async with connected(odd) as client:
        for path in (
            "Nowhere/Test Note.md",
            "Test Note.md",
            "../Other.md",
            "[[Nothing]]",
            "/",
            "[[]]",
        ):
            assert (await refused(client, "read_note", path=path))["code"] in {
                "not_found",
                "outside_vault",
                "bad_request",
            }


async def test_a_folder_and_what_namespaces_names_can_be_listed(odd: Home) -> None:
    async with connected(odd) as client:
        names = [
            namespace["namespace"] for namespace in (await ask(client, "namespaces"))["namespaces"]
        ]
        assert {"Home", "Home/Folder", "Home/Über"} <= set(names)
        for name in names:
            by_path = await ask(client, "list_notes", path=name)
            by_name = await ask(client, "list_notes", namespace=name)
            assert paths(by_path, "notes") == paths(by_name, "notes") != []
        assert (await refused(client, "list_notes", path="Nowhere"))["code"] == "not_found"


WANTED = [
    ("Top", 1, 8),
    ("Dup", 5, 8),
    ("dup", 5, 8),
    ("Dup#2", 17, 23),
    ("Top#Dup", 5, 8),
    ("#Top#Dup", 5, 8),
    ("Top > Dup", 5, 8),
    ("🦊 Fox & [[Bees|the hive]]#Dup", 17, 23),
    ("Q what? (A/B)", 9, 12),
    ("Q: what? (A/B)", 9, 12),
    ("🦊 Fox & the hive", 13, 23),
    ("🦊 Fox & [[Bees|the hive]]", 13, 23),
    ("🦊 Fox & Bees the hive", 13, 23),
    ("C# > C++", 24, 26),
    ("C C++", 24, 26),
    ("^first", 3, 3),
    ("#^item", 21, 21),
]


async def test_a_section_is_named_as_links_name_it(odd: Home) -> None:
    async with connected(odd) as client:
        for section, first, last in WANTED:
            part = await ask(client, "read_note", path="Test Note", section=section)
            assert (section, part["lines"]) == (section, f"{first}-{last}")


async def test_a_section_that_is_not_there_names_those_that_are(odd: Home) -> None:
    async with connected(odd) as client:
        for section in ("Dup#3", "Dup#Top", "^none", "#", "Topp", "^"):
            error = await refused(client, "read_note", path="Test Note", section=section)
            assert error["code"] == "not_found"
            known = "its blocks: ^first" if "^" in section else "its headings:"
            assert known in error["message"]


@given(st.lists(st.text("ab# >^:[]", min_size=1, max_size=8), max_size=6), st.text("ab# >^:[]2"))
def test_any_section_is_lines_of_the_note_or_not_found(names: list[str], wanted: str) -> None:
    rows = [f"# {name}" for name in names]
    note = NoteReply(
        *("Home", "A.md", "A", (), (), None, "\n".join(rows), {}),
        headings=tuple(HeadingView(1, name, n) for n, name in enumerate(names, 1)),
        links_out=(),
        links_in=(),
        created=None,
        modified=None,
        uri="",
        ledger=None,
        blocks=(BlockView("a", (1, 1)),) if names else (),
    )
    try:
        first, last = section_lines(note, wanted)
    except NotFoundError:
        assert wanted not in names  # the name as it is shown is always understood
    else:
        assert 1 <= first <= last <= len(rows)


ODD: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1.5, 10**25, "", " ", "\x00", "3", "null", "\ud83e", "é" * 5000),
    *([], {}, [[]], {"a": {"b": None}}, '{"tags": ["x"]}', "[1]", "../../etc/passwd", "[[x]]"),
)


async def test_every_tool_answers_every_odd_form_of_every_argument(home: Home) -> None:
    """An answer or an error of the caller's; never one that nobody expected."""
    unexpected = []
    async with connected(home) as reader:
        for tool in tools(FEATURES):
            right = RIGHT.get(tool.name, {})
            for name in request_of(tool).model_fields:
                for value in ODD:
                    if isinstance(value, str) and "\ud83e" in value:
                        continue  # the SDK's client cannot send it; lines below can
                    result = await reader.call_tool(tool.name, {**right, name: value})
                    if result.is_error:
                        error = answer_of(result)["error"]
                        assert error["message"]
                        if error["code"] == "internal":
                            unexpected.append((tool.name, name, value))
    assert unexpected == []


async def test_null_is_an_argument_that_was_left_out(odd: Home) -> None:
    calls: dict[str, dict[str, Any]] = {
        "search": {"query": "quince", "weak": True},
        "similar": {"path": "Other.md"},
        "context": {"query": "quince"},
        "list_notes": {},
        "read_note": {"path": "Other.md"},
    }
    async with connected(odd) as reader:
        for tool in tools(FEATURES):
            if tool.name not in calls:
                continue
            given = calls[tool.name]
            nulls = {name: None for name in request_of(tool).model_fields if name not in given}
            plain = await ask(reader, tool.name, **given)
            with_nulls = await ask(reader, tool.name, **given, **nulls)
            assert _without_ids(with_nulls) == _without_ids(plain)
        assert "missing" in (await refused(reader, "search", query=None))["message"]


def _without_ids(answer: dict[str, Any]) -> dict[str, Any]:
    return {name: part for name, part in answer.items() if name not in {"query_id", "took_ms"}}


async def test_objects_and_lists_may_be_sent_as_their_json(odd: Home) -> None:
    async with connected(odd) as reader:
        found = await ask(
            reader,
            "search",
            query="quince",
            weak=True,
            filters='{"path": "Folder/*", "type": null}',
        )
        assert paths(found)[0] == "Folder/Café.md"
        assert "Other.md" not in paths(found)
        wrong = await refused(reader, "search", query="quince", filters='{"pat": "x"}')
        assert "filters.pat" in wrong["message"]
        text = await ask(reader, "search", query='["quince"]', plain=True, weak=True)
        assert paths(text)  # a query is text, whatever it looks like


def talk(home: Home, messages: Sequence[object], *, answers: int) -> list[dict[str, Any]]:
    """Send lines to a server and read as many answers, before stdin is closed."""
    command = [sys.executable, "-m", "notewell", "mcp"]
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=home.environment,
        cwd=home.folder,
        text=True,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write("".join(f"{json.dumps(message)}\n" for message in messages))
        process.stdin.flush()
        received = [json.loads(process.stdout.readline()) for _ in range(answers)]
        process.stdin.close()
        assert process.wait(PROCESS_S) == 0
        assert process.stdout.read() == ""
    return received


IDS = [None, 1.0, 1.5, True, False, [1], {}, [], {"a": 1}]


def _listing(given: object) -> dict[str, object]:
    return {"jsonrpc": "2.0", "id": given, "method": "tools/list"}


def test_a_request_with_any_id_is_answered(odd: Home) -> None:
    ping = {"jsonrpc": "2.0", "id": "last", "method": "ping"}
    answers = talk(odd, [INITIALIZE, *map(_listing, IDS), ping], answers=len(IDS) + 2)
    refusals = [answer for answer in answers if "error" in answer]
    assert len(refusals) == len(IDS) - 1
    assert {(refusal["id"], refusal["error"]["code"]) for refusal in refusals} == {(None, -32600)}
    # 1.0 is the number 1, which here is the id of the first message too.
    results = [answer["id"] for answer in answers if "result" in answer]
    assert sorted(results, key=str) == [1, 1, "last"]


def test_half_an_emoji_is_searched_with_and_keeps_the_id(odd: Home) -> None:
    call = {
        "jsonrpc": "2.0",
        "id": "half",
        "method": "tools/call",
        "params": {"name": "search", "arguments": {"query": "quince \ud83e", "weak": True}},
    }
    (answer,) = [each for each in talk(odd, [INITIALIZE, call], answers=2) if each["id"] == "half"]
    found = json.loads(answer["result"]["content"][0]["text"])
    assert {load["path"] for load in found["results"]} >= {"Folder/Café.md", "Other.md"}


async def test_malformed_messages_over_http_are_refused_as_the_protocol_says(odd: Home) -> None:
    headers = {
        "Authorization": f"Bearer {TOKEN}",
        "Accept": "application/json, text/event-stream",
        "Content-Type": "application/json",
    }
    bodies = [("", -32700), ("{", -32700), ("[]", -32600), ("{}", -32600)]
    bodies += [(json.dumps(_listing(given)), -32600) for given in IDS if given != 1.0]
    async with serving(odd) as url, ClientSession(headers=headers) as stranger:
        for body, code in bodies:
            reply = await stranger.post(f"{url}/mcp", data=body)
            answer = await reply.json()
            assert (reply.status, answer["error"]["code"], answer["id"]) == (400, code, None)


@given(st.recursive(st.none() | st.booleans() | st.floats() | st.text(), st.lists, max_leaves=3))
def test_a_repaired_message_has_an_id_that_the_protocol_knows_or_no_method(given_id: Any) -> None:
    message = json.loads(repair_message(json.dumps(_listing(given_id))))
    assert is_id(message["id"]) or "method" not in message


@given(st.text())
def test_what_is_no_object_stays_as_it_is(text: str) -> None:
    if not text.strip().startswith("{"):
        assert repair_message(text) == text
