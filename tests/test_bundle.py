"""The bundle that assistants install: by the rules of its format, and its server answers."""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from mcp import StdioServerParameters
from mcp.client.client import Client

from tests.doors.mcp.conftest import Home, make_home
from tests.tiny_model import write_tiny_model
from tests.waiting import PROCESS_S

ROOT = Path(__file__).resolve().parents[1]
VALIDATOR = ROOT / "node_modules" / "@anthropic-ai" / "mcpb" / "dist" / "cli" / "cli.js"
PACK = "import sys; from pathlib import Path; import bundle; bundle.pack(Path(sys.argv[1]), Path(sys.argv[2]), 0)"


@pytest.fixture(scope="module")
def packed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bundle, unpacked; in place of a wheel it has an empty file."""
    out = tmp_path_factory.mktemp("bundle")
    wheel = out / "notewell-0.1.0-py3-none-any.whl"
    wheel.touch()
    command = [sys.executable, "-c", PACK, str(wheel), str(out)]
    subprocess.run(command, check=True, cwd=ROOT / "release", timeout=PROCESS_S)
    (bundle,) = out.glob("*.mcpb")
    with zipfile.ZipFile(bundle) as archive:
        assert "manifest.json" in archive.namelist()
        archive.extractall(out / "unpacked")
    return out / "unpacked"


def test_it_holds_its_wheel_and_the_manifest_of_this_version(packed: Path) -> None:
    told = json.loads((packed / "manifest.json").read_text(encoding="utf-8"))
    assert (told["manifest_version"], told["version"]) == ("0.4", "0.1.0")
    assert (packed / told["server"]["entry_point"]).is_file()
    assert {tool["name"] for tool in told["tools"]} >= {"search", "read_note", "context"}
    (wheel,) = packed.glob("*.whl")
    assert f'path = "{wheel.name}"' in (packed / "pyproject.toml").read_text(encoding="utf-8")


@pytest.mark.skipif(not VALIDATOR.exists(), reason="its program is not installed: npm ci")
def test_its_own_program_finds_it_valid(packed: Path) -> None:
    command = ["node", str(VALIDATOR), "validate", str(packed / "manifest.json")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PROCESS_S, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("vault", "allow_write", "writes"),
    [("", "false", False), ("${user_config.vault}", "", False), ("Home", "true", True)],
)
async def test_its_server_answers_with_what_a_person_chose(
    packed: Path, tmp_path: Path, vault: str, allow_write: str, writes: bool
) -> None:
    home: Home = make_home(tmp_path, write_tiny_model(tmp_path / "tiny"))
    chosen = str(home.folder) if vault == "Home" else vault
    server = StdioServerParameters(
        command=sys.executable,
        args=[str(packed / "server.py"), chosen, allow_write],
        env=home.environment,
        cwd=home.folder,
    )
    async with Client(server) as client:
        names = {tool.name for tool in (await client.list_tools()).tools}
    assert "search" in names
    assert ("edit_note" in names) is writes
