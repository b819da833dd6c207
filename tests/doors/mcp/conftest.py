"""A small vault with links, indexed with the tiny model, and clients of the official SDK."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager, closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

import httpx2
import pytest
from aiohttp import web
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client

from notewell.base.types import DocumentRules, ModelRules, Settings
from notewell.doors.mcp.http import attach
from notewell.doors.mcp.local import LocalSource
from notewell.doors.mcp.server import build, parse_topics
from notewell.doors.web.server import BoundServer, serve
from notewell.engine.known_vaults import KnownVaults
from notewell.engine.open_vaults import Vaults
from notewell.features import FEATURES
from tests.tiny_model import write_tiny_model
from tests.waiting import PROCESS_S

TOKEN = "t0ken-" + "m" * 40
NOTES = {
    "Garden/Bees.md": "---\ntags: [garden]\ncreated: 2026-03-01\n---\n# Bees\n\nBees find home by the sun. See [[Compost]].\n\n## Hive\n\nA hive in spring needs room and water.\n\n## Tools\n\nThe smoker.\n",
    "Garden/Compost.md": "#garden\n\nCompost is warm in spring. [[Roof]]\n",
    "Garden/Roof.md": "A garden on the roof, with a view of the city.\n",
    "Work/Plan.md": "The plan for the year: a garden project, and a second one [1].\n",
    "Work/Garden/Notes.md": "Not of the garden's folder, but of a garden at work.\n",
    "Zürich.md": "Eine Stadt am See. Die Brücke führt zum Bahnhof.\n",
}
# Documents outside every vault, which stay as they are.
PAPERS = Path(__file__).parent / "papers"
# For each tool, arguments that are right.
RIGHT: Mapping[str, Mapping[str, Any]] = {
    "search": {"query": "garden in spring", "limit": 3},
    "similar": {"path": "Garden/Bees.md"},
    "read_note": {"path": "Garden/Bees"},
    "list_notes": {"path": "Garden"},
    "context": {"query": "how do bees find home", "budget_tokens": 900},
    "graph_neighbors": {"path": "Garden/Bees.md", "hops": 2},
    "graph_path": {"source": "Garden/Bees.md", "target": "Garden/Roof.md"},
    "archaeology": {"query": "garden"},
    "companions": {"query": "how do bees find home and how old is the city"},
    "topics": {"check": True},
    "edit_properties": {"path": "Garden/Bees.md", "set": {"status": "done"}, "dry_run": True},
    "edit_note": {
        "path": "Garden/Bees.md",
        "expected_hash": "0" * 32,
        "section": "Hive",
        "how": "append",
        "text": "Water is near.",
    },
    "runs": {"limit": 3},
    "cancel_run": {"id": "1"},
    "garden_plans": {},
    "garden_make_plan": {"checks": ["tag_variants"]},
    "garden_apply": {"id": "20261122-103000", "only": ["0123456789ab"]},
    "garden_reject": {"id": "20261122-103000", "only": ["0123456789ab"]},
    "garden_undo": {"id": "20261122-103000", "only": ["0123456789ab"]},
    "vault_status": {},
    "trace_query": {"query": "garden"},
    "trace_list": {},
    "namespaces": {},
    "stats": {},
    "reindex": {},
    "index_paths": {"paths": ["Garden"]},
    "index_remove": {"paths": ["Garden/Gone.md"]},
    "index_file": {"path": str(PAPERS / "Wasps.txt"), "namespace": "Papers"},
    "index_directory": {"path": str(PAPERS), "namespace": "Papers", "include": ["*.txt"]},
    "index_clear": {"namespace": "Papers"},
}
WRITING = (
    "cancel_run",
    "garden_make_plan",
    "garden_apply",
    "garden_reject",
    "garden_undo",
    "edit_properties",
    "edit_note",
    "reindex",
    "index_paths",
    "index_remove",
    "index_file",
    "index_directory",
)

Connect: TypeAlias = Callable[..., AbstractAsyncContextManager[Client]]


@dataclass(frozen=True)
class Home:
    """Settings under which one vault, called Home, is known and indexed."""

    settings: Settings
    folder: Path

    def vaults(self) -> Vaults:
        return Vaults(self.settings, features=FEATURES)

    @property
    def environment(self) -> dict[str, str]:
        """The same settings for another process."""
        model = self.settings.model
        return {
            **os.environ,
            "NOTEWELL_DATA_DIR": str(self.settings.data_dir),
            "NOTEWELL_MODEL_DIR": str(self.settings.model_dir),
            "NOTEWELL_CONFIG": str(self.settings.data_dir / "none.toml"),
            "NOTEWELL_DOCUMENTS_ALLOW": str(PAPERS),
            "NOTEWELL_OFFLINE": "true",
            "NOTEWELL_MODEL_NAME": model.name,
            "NOTEWELL_MODEL_FOLDER": str(model.folder),
            "NOTEWELL_MODEL_QUANTISATION": "fp32",
        }


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tiny_model(tmp_path_factory.mktemp("tiny"))


@pytest.fixture(scope="session")
def home(tmp_path_factory: pytest.TempPathFactory, tiny: Path) -> Home:
    """A home whose notes stay as they are."""
    return make_home(tmp_path_factory.mktemp("home"), tiny)


@pytest.fixture
def own_home(tmp_path: Path, tiny: Path) -> Home:
    """A home for one test, to change notes in."""
    return make_home(tmp_path, tiny)


def make_home(tmp_path: Path, tiny: Path, notes: Mapping[str, str] = NOTES) -> Home:
    folder = tmp_path / "Home"
    for path, text in notes.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    settings = Settings(
        documents=DocumentRules(allow=(str(PAPERS),)),
        data_dir=tmp_path / "data",
        model_dir=tiny.parent / "cache",
        state_dir=tmp_path / "state",
        offline=True,
        model=ModelRules(name="tiny", folder=str(tiny), quantisation="fp32", threads=1),
    )
    settings.data_dir.mkdir()
    (settings.data_dir / "none.toml").write_text("", encoding="utf-8")
    with closing(Vaults(settings, features=FEATURES)) as vaults:
        vaults.open(vaults.add(folder), writable=True).index_now()
    return Home(settings, folder)


@pytest.fixture
def connect(home: Home) -> Connect:
    """Make a client of a server in this process, for the shared home."""
    return partial(connected, home)


@asynccontextmanager
async def connected(
    home: Home, *, allow_write: bool = False, only: str | None = None, topics: str = ""
) -> AsyncIterator[Client]:
    """A client of a server in this process, which opens the index or asks a server."""
    known = KnownVaults(home.settings)
    record = known.find(only, cwd=home.folder) if only else None
    source = LocalSource(known, home.vaults, only=record, cwd=home.folder)
    try:
        wanted = parse_topics(topics)
        made = build(source, may_write=lambda _: allow_write, wanted=lambda _: wanted)
        async with Client(made) as client:
            yield client
    finally:
        await asyncio.to_thread(source.close)


@asynccontextmanager
async def serving(
    home: Home,
    *,
    kept_token: str | None = None,
    extend: Callable[[web.Application], None] = attach,
) -> AsyncIterator[str]:
    """Serve the vault over HTTP, as `notewell serve` does; gives the address."""
    vaults = home.vaults()
    listening: asyncio.Future[BoundServer] = asyncio.get_running_loop().create_future()
    vaults.serve(vaults.records())
    server = asyncio.create_task(
        serve(
            vaults,
            home.settings,
            host="127.0.0.1",
            port=0,
            token=TOKEN,
            kept_token=kept_token,
            handshake=False,
            ready=listening.set_result,
            extend=extend,
        )
    )
    await asyncio.wait({server, listening}, return_when=asyncio.FIRST_COMPLETED)
    try:
        yield (await listening).url
    finally:
        server.cancel()
        await asyncio.wait({server})


@asynccontextmanager
async def over_http(url: str, *, token: str = TOKEN, mode: str = "auto") -> AsyncIterator[Client]:
    """A client of `/mcp` with a token."""
    headers = {"Authorization": f"Bearer {token}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=PROCESS_S) as http,
        Client(streamable_http_client(url, http_client=http), mode=mode) as client,
    ):
        yield client
