"""A real server on a free port, with small fake engines."""

from __future__ import annotations

from pathlib import Path

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer
from pytest_aiohttp import AiohttpClient

from notewell.base.types import LimitRules, ServerRules, VaultRecord
from notewell.doors.web.app import create_app
from notewell.doors.web.server import make_runner
from notewell.doors.web.site import Streams
from notewell.engine.configuration import Configuration
from notewell.engine.feature import sections
from notewell.features import FEATURES
from tests.doors.web.fakes import NOTES, ROWS, TOKEN, Client, Connect, FakeEngine, FakeVaults

UNBUILT = Path("no web interface")  # whether or not this checkout has built one


class RealServer(TestServer):
    """Runs an application as `serve` does, limits and logs included."""

    async def _make_runner(self, **_: object) -> web.AppRunner:
        return make_runner(self.app)


@pytest.fixture
def engine(tmp_path: Path) -> FakeEngine:
    return FakeEngine(VaultRecord("a1b2", "Home", tmp_path, default=True), NOTES)


@pytest.fixture
def second_engine(tmp_path: Path) -> FakeEngine:
    return FakeEngine(VaultRecord("c3d4", "Work", tmp_path), {"Plan.md": "bees at work"})


@pytest.fixture
def vaults(engine: FakeEngine, tmp_path: Path) -> FakeVaults:
    return FakeVaults([engine], tmp_path / "one")


@pytest.fixture
def two_vaults(engine: FakeEngine, second_engine: FakeEngine, tmp_path: Path) -> FakeVaults:
    return FakeVaults([engine, second_engine], tmp_path / "two")


@pytest.fixture
def no_vaults(tmp_path: Path) -> FakeVaults:
    return FakeVaults([], tmp_path / "none")


@pytest.fixture
def settings_file(tmp_path: Path) -> Configuration:
    """A configuration of its own, in `config.toml`."""
    file = tmp_path / "config.toml"
    file.write_text("# mine\n[search]\npassages = 4  # not too many\n")
    return Configuration(
        {"NOTEWELL_CONFIG": str(file), "NOTEWELL_LOG_LEVEL": "error"},
        features=sections(FEATURES),
    )


@pytest.fixture
def connect(
    aiohttp_client: AiohttpClient, vaults: FakeVaults, settings_file: Configuration
) -> Connect:
    """Start a server and give a client of it, with the token unless `token` says otherwise."""

    async def start(
        served: FakeVaults | None = None,
        *,
        token: str | None = TOKEN,
        rules: ServerRules | None = None,
        static: Path = UNBUILT,
        streams: Streams | None = None,
        limits: LimitRules | None = None,
        state_dir: Path | None = None,
        logs: Path | None = None,
        configuration: Configuration | None = None,
        texts: Path | None = None,
    ) -> Client:
        app = create_app(
            served or vaults,
            token=TOKEN,
            server=rules or ServerRules(),
            static=static,
            streams=streams,
            limits=limits,
            state_dir=state_dir,
            logs=logs,
            configuration=configuration or settings_file,
            texts=texts,
            features=ROWS,
        )
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        return await aiohttp_client(RealServer(app), headers=headers)

    return start


@pytest.fixture
async def client(connect: Connect) -> Client:
    return await connect()


@pytest.fixture
async def stranger(connect: Connect) -> Client:
    """A client that does not know the token."""
    return await connect(token=None)
