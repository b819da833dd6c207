"""What must not be imported: lower packages stay light, so that commands start quickly."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import notewell
from notewell.base.types import VaultRecord
from notewell.engine.known_vaults import Registry
from tests.doors.web.fakes import NOTES, FakeEngine, FakeVaults
from tests.doors.web.serving import serving

PACKAGE = Path(notewell.__file__).parent
HEAVY = {
    "aiohttp",
    "networkx",
    "numpy",
    "onnxruntime",
    "pydantic",
    "rich",
    "tantivy",
    "tokenizers",
}
# What answers without a server.
ENGINE = {
    "numpy",
    "onnxruntime",
    "tantivy",
    "notewell.engine.engine",
    "notewell.index",
    "notewell.engine.ingest",
    "notewell.models",
    "notewell.engine.open_vaults",
}
# What takes long to load and is not needed to ask a server: checks of requests, drawing, TLS,
# e-mail parsers (of http.client), tables of names in other scripts (IDNA), locks, and the records
# of other requests.
SLOW = {
    "pydantic",
    "rich.console",
    "ssl",
    "http.client",
    "email",
    "asyncio",
    "secrets",
    "stringprep",
    "filelock",
    "importlib.metadata",
    "notewell.engine.configuration",
    "notewell.features.ask.requests",
    "notewell.contract.context",
    "notewell.contract.manage",
    "notewell.base.support.http",
    "notewell.base.support.log_files",
    "notewell.base.types.embedding",
    "notewell.base.types.stored",
}


def modules(room: str) -> list[str]:
    """All modules of a room, or the one of that name."""
    single = PACKAGE / f"{room}.py"
    files = [single] if single.exists() else sorted((PACKAGE / room).rglob("*.py"))
    names = (".".join(file.relative_to(PACKAGE.parent).with_suffix("").parts) for file in files)
    return [name.removesuffix(".__init__") for name in names]


def loaded_by(code: str) -> set[str]:
    """The modules that are loaded when a new interpreter has run `code`."""
    report = "; import json, sys; print(json.dumps(sorted(sys.modules)))"
    run = subprocess.run(
        [sys.executable, "-c", code + report], capture_output=True, text=True, check=True
    )
    return set(json.loads(run.stdout.splitlines()[-1]))


@pytest.mark.parametrize(
    "room", ["base/types", "base/errors", "contract", "base/config", "base/support"]
)
def test_low_level_packages_import_nothing_heavy(room: str) -> None:
    light = modules(room)
    assert light
    assert not loaded_by(f"import {', '.join(light)}") & HEAVY


def test_commands_with_their_tools_import_nothing_heavy() -> None:
    commands = [name for name in modules("features") if name.endswith(".commands")]
    assert len(commands) > 20
    assert not loaded_by(f"import {', '.join(commands)}") & (HEAVY - {"rich"})


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """Settings and a data directory of their own, for another process."""
    (tmp_path / "settings.toml").touch()
    return {
        **os.environ,
        "NOTEWELL_CONFIG": str(tmp_path / "settings.toml"),
        "NOTEWELL_DATA_DIR": str(tmp_path / "data"),
        "NOTEWELL_OFFLINE": "true",
    }


def home(tmp_path: Path) -> VaultRecord:
    """A vault that the data directory knows."""
    record = VaultRecord("a1b2", "Home", tmp_path, default=True)
    with Registry(tmp_path / "data").changing() as records:
        records.append(record)
    return record


# Not by `-X importtime`, which does not see what importlib.import_module loads.
LISTING_MODULES = (
    "import atexit, sys; from notewell.doors.cli import main;"
    " atexit.register(lambda: print(*sorted(sys.modules), file=sys.stderr)); main()"
)


def imported_by(environment: dict[str, str], *args: str) -> tuple[str, set[str]]:
    """What `notewell` with these arguments prints, and the modules that it has imported."""
    run = subprocess.run(
        [sys.executable, "-c", LISTING_MODULES, *args],
        capture_output=True,
        text=True,
        env=environment,
        check=True,
    )
    return run.stdout, set(run.stderr.splitlines()[-1].split())


def test_a_list_of_vaults_loads_nothing_slow(environment: dict[str, str], tmp_path: Path) -> None:
    home(tmp_path)

    printed, imported = imported_by(environment, "vaults", "list")

    assert "a1b2" in printed
    assert "notewell.engine.vault_list" in imported
    assert not imported & (ENGINE | SLOW)


async def test_a_search_through_a_server_loads_nothing_slow(
    environment: dict[str, str], tmp_path: Path
) -> None:
    vaults = FakeVaults([FakeEngine(home(tmp_path), NOTES)], tmp_path)
    directory = vaults.directory(vaults.records()[0])
    environment["NOTEWELL_INDEX_DIR"] = str(directory)

    async with serving(vaults, tmp_path):
        printed, imported = await asyncio.to_thread(imported_by, environment, "search", "bees")

    assert "Garden/Bees.md" in printed
    assert "notewell.engine.client" in imported
    assert not imported & (ENGINE | SLOW)


OPENING = """
from pathlib import Path
from notewell.contract.search import SearchRequest
from notewell.features import FEATURES
from notewell.base.types import Settings, VaultRules
from notewell.engine.open_vaults import Vaults
home = Path({home!r})
settings = Settings(home / "data", home / "models", home, offline=True, vault=VaultRules(watch="off"))
vaults = Vaults(settings, features=FEATURES)
engine = vaults.open(vaults.add(home / "vault"), writable=True)
engine.index_now()
engine.start()
assert engine.search(SearchRequest("bees")).results
vaults.close()"""


def test_a_vault_is_opened_and_searched_without_what_answers_questions(tmp_path: Path) -> None:
    (tmp_path / "vault").mkdir()
    (tmp_path / "vault" / "Bees.md").write_text("bees hum", encoding="utf-8")

    loaded = loaded_by(OPENING.format(home=str(tmp_path)) + "\npass")

    assert "notewell.engine.engine" in loaded
    assert not {
        name
        for name in loaded
        if name.startswith(("notewell.features.ask.", "notewell.models.chat."))
    }
