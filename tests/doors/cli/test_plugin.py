"""`notewell plugin install`: a folder or a known vault, told in plain words and as JSON."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from notewell.doors.obsidian.install import BUILT
from tests.doors.cli.support import CommandLine

pytestmark = pytest.mark.skipif(not BUILT.is_dir(), reason="the plugin is not built")


def test_a_folder_gets_the_plugin_switched_on(notewell: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "Notes" / ".obsidian").mkdir(parents=True)

    told = notewell("plugin", "install", str(tmp_path / "Notes"), "--enable").stderr

    plugins = tmp_path / "Notes" / ".obsidian"
    assert json.loads((plugins / "community-plugins.json").read_text()) == ["notewell"]
    manifest = json.loads((plugins / "plugins" / "notewell" / "manifest.json").read_text())
    assert manifest["version"] in told
    assert "restart Obsidian" in told


def test_a_known_vault_is_named(notewell: CommandLine, indexed: Path) -> None:
    (indexed / ".obsidian").mkdir(exist_ok=True)

    done = json.loads(notewell("plugin", "install", indexed.name, "--json").stdout)

    assert done["folder"] == str(indexed / ".obsidian" / "plugins" / "notewell")
    assert (done["before"], done["enabled"]) == (None, False)


def test_what_is_no_vault_is_told(notewell: CommandLine, tmp_path: Path) -> None:
    assert "no known vault of this name" in notewell("plugin", "install", "Nowhere", fails=3).stderr
    assert "open it as a vault" in notewell("plugin", "install", str(tmp_path), fails=3).stderr
