"""A client fills a mirror over HTTP, with the real server and engine."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from notewell.base.types import VaultRules
from notewell.doors.web.server import BoundServer, serve
from notewell.engine.open_vaults import Vaults
from notewell.features import FEATURES
from tests.vaults import settings_in
from tests.waiting import HANG_S

SAVED = 1_772_445_600_123
NOTES = {
    "Garden/Bees.md": "Bees find their way by the sun.",
    "Garden/Compost.md": "Compost is warm in spring.",
    "Zürich.md": "A town at a lake, with a zeppelin over it.",
}


@asynccontextmanager
async def serving(home: Path) -> AsyncIterator[aiohttp.ClientSession]:
    settings = settings_in(
        home,
        vault=VaultRules(reconcile_at=""),
    )
    vaults = Vaults(settings, features=FEATURES)
    vaults.open(vaults.add_mirror("Phone"), writable=True)
    listening: asyncio.Future[BoundServer] = asyncio.get_running_loop().create_future()
    task = asyncio.create_task(
        serve(
            vaults,
            settings,
            host="127.0.0.1",
            port=0,
            token="t",
            handshake=False,
            ready=listening.set_result,
        )
    )
    try:
        headers = {"Authorization": "Bearer t"}
        async with aiohttp.ClientSession((await listening).url, headers=headers) as session:
            yield session
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def ask(session: aiohttp.ClientSession, route: str, **body: Any) -> Any:
    method, path = route.split()
    how = {"json": body} if method == "POST" else {"params": body}
    async with session.request(method, path, **how) as response:
        reply = await response.json(content_type=None)
        assert response.status < 400, reply
        return reply


def stamps(notes: Mapping[str, str]) -> list[list[Any]]:
    return [[path, len(text.encode()), SAVED] for path, text in notes.items()]


async def fill(session: aiohttp.ClientSession, notes: Mapping[str, str]) -> Any:
    """What a client does at every connect: compare, then send what is needed."""
    compared = await ask(session, "POST /api/sync", files=stamps(notes))
    changes = [
        {"kind": "modify", "path": path, "mtime": SAVED, "content": notes[path]}
        for path in compared["need"]
    ]
    if changes:
        await ask(session, "POST /api/changes", changes=changes)
    return compared


async def ready(session: aiohttp.ClientSession, notes: int) -> Any:
    """Follow the events until so many notes are indexed and nothing is left to do."""
    async with asyncio.timeout(HANG_S), session.get("/api/events", params={"after": 0}) as stream:
        while True:
            status = await ask(session, "GET /api/status")
            if (status["state"], status["notes"]) == ("ready", notes):
                return status
            await stream.content.readuntil(b"\n\n")


def places(home: Path) -> list[Path]:
    """All that lies there but the index, which lives."""
    return sorted(place for place in home.rglob("*") if "vaults/" not in str(place))


async def found(session: aiohttp.ClientSession, query: str) -> list[str]:
    return [hit["path"] for hit in (await ask(session, "GET /api/search", q=query))["results"]]


async def test_a_client_fills_a_mirror_and_finds_its_notes(tmp_path: Path) -> None:
    async with serving(tmp_path) as session:
        (vault,) = (await ask(session, "GET /api/vaults"))["vaults"]
        assert vault["source"] == "mirror"
        compared = await fill(session, NOTES)
        assert (set(compared["need"]), compared["gone"]) == (set(NOTES), [])
        await ready(session, 3)
        assert await found(session, "zeppelin") == ["Zürich.md"]
        assert (await ask(session, "GET /api/note", path="Zürich.md"))["content"]

        assert (await fill(session, NOTES))["need"] == []

    # The next server has it all, and the client need send nothing.
    async with serving(tmp_path) as session:
        assert (await fill(session, NOTES))["need"] == []
        await ready(session, 3)
        assert await found(session, "zeppelin") == ["Zürich.md"]


async def test_a_client_s_changes_while_it_was_away_arrive_at_once(tmp_path: Path) -> None:
    async with serving(tmp_path) as session:
        await fill(session, NOTES)
        await ready(session, 3)
        now = {**NOTES, "Garden/Bees.md": "Wasps, not bees.", "New.md": "An airship."}
        del now["Zürich.md"]

        compared = await fill(session, now)
        await ready(session, 3)

        assert compared["gone"] == ["Zürich.md"]
        assert await found(session, "airship") == ["New.md"]
        assert await found(session, "wasps") == ["Garden/Bees.md"]
        assert await found(session, "zeppelin") == []


@pytest.mark.parametrize(
    "path",
    [
        "../../vaults.json",
        "/etc/x.md",
        "..\\x.md",
        "a/../../x.md",
        "./x.md",
        ".",
        "a//x.md",
        "\0.md",
    ],
)
async def test_no_client_writes_outside_its_mirror(tmp_path: Path, path: str) -> None:
    async with serving(tmp_path) as session:
        before = places(tmp_path)
        good = {"kind": "create", "path": "Good.md", "content": "fine"}
        for bad in (
            {"kind": "create", "path": path, "content": "evil"},
            {"kind": "delete", "path": path},
            {"kind": "rename", "path": path, "old_path": "Good.md"},
            {"kind": "rename", "path": "Good.md", "old_path": path},
        ):
            async with session.post("/api/changes", json={"changes": [good, bad]}) as response:
                problem = json.loads(await response.read())
                assert (response.status, problem["code"]) == (400, "outside_vault")
        after = places(tmp_path)

    assert after == before
