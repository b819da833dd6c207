"""The plugin is put into a vault: its three files, nothing of the person's, and nowhere else."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from notewell.base.errors import ConfigError, NotFoundError, OutsideVaultError, UsageError
from notewell.doors.obsidian.install import FILES, install

OTHERS = ["dataview", "calendar"]


@pytest.fixture
def built(tmp_path: Path) -> Path:
    return make_built(tmp_path / "built", "1.2.0")


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    folder = tmp_path / "Notes"
    (folder / ".obsidian").mkdir(parents=True)
    (folder / "Bees.md").write_text("# Bees\n")
    return folder


def make_built(folder: Path, version: str) -> Path:
    folder.mkdir()
    (folder / "main.js").write_text(f"// {version}")
    (folder / "styles.css").write_text("a {}")
    (folder / "manifest.json").write_text(json.dumps({"id": "notewell", "version": version}))
    return folder


def everything(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_its_files_are_written_and_nothing_else(vault: Path, built: Path) -> None:
    before = everything(vault)

    done = install(vault, enable=False, built=built)

    plugin = {f".obsidian/plugins/notewell/{name}": (built / name).read_bytes() for name in FILES}
    assert everything(vault) == before | plugin
    assert (done.version, done.before, done.enabled, done.changed) == ("1.2.0", None, False, True)


def test_it_is_added_to_the_plugins_that_are_switched_on_once(vault: Path, built: Path) -> None:
    listed = vault / ".obsidian" / "community-plugins.json"
    listed.write_text(json.dumps(OTHERS))

    assert install(vault, enable=True, built=built).enabled
    again = install(vault, enable=True, built=built)

    assert json.loads(listed.read_text()) == [*OTHERS, "notewell"]
    assert (again.before, again.enabled, again.changed) == ("1.2.0", True, False)


def test_an_update_keeps_the_settings(vault: Path, built: Path, tmp_path: Path) -> None:
    install(vault, enable=True, built=built)
    kept = vault / ".obsidian" / "plugins" / "notewell" / "data.json"
    kept.write_text('{"score": "off"}')

    done = install(vault, enable=False, built=make_built(tmp_path / "newer", "1.10.0"))

    assert (done.before, done.version, done.enabled) == ("1.2.0", "1.10.0", True)
    assert kept.read_text() == '{"score": "off"}'
    with pytest.raises(UsageError, match="--force"):
        install(vault, enable=False, built=built)
    assert install(vault, enable=False, built=built, force=True).before == "1.10.0"


def test_a_folder_that_is_no_vault_stays_as_it_is(tmp_path: Path, built: Path) -> None:
    folder = tmp_path / "Photos"
    folder.mkdir()
    with pytest.raises(NotFoundError, match="open it as a vault in Obsidian once"):
        install(folder, enable=True, built=built)
    with pytest.raises(NotFoundError):
        install(tmp_path / "nowhere", enable=True, built=built)
    assert everything(folder) == {}


def test_another_settings_folder_can_be_named(tmp_path: Path, built: Path) -> None:
    folder = tmp_path / "Notes"
    (folder / ".config").mkdir(parents=True)
    assert install(folder, enable=False, config_folder=".config", built=built).changed


@pytest.mark.parametrize("name", ["..", ".", "", "../Other/.obsidian", "a/b", "/etc"])
def test_a_settings_folder_is_one_name(vault: Path, built: Path, name: str) -> None:
    with pytest.raises(UsageError):
        install(vault, enable=True, config_folder=name, built=built)


@pytest.mark.parametrize(
    "link", [".obsidian", ".obsidian/plugins", ".obsidian/plugins/notewell"], ids=str
)
def test_a_link_out_of_the_vault_is_not_followed(tmp_path: Path, built: Path, link: str) -> None:
    vault, outside = tmp_path / "Strange", tmp_path / "home"
    outside.mkdir()
    (outside / "plugins").mkdir()
    place = vault / link
    place.parent.mkdir(parents=True)
    place.symlink_to(outside)

    with pytest.raises(OutsideVaultError):
        install(vault, enable=True, built=built)
    assert everything(outside) == {}


@pytest.mark.parametrize("name", [*FILES, "community-plugins.json"])
def test_a_linked_file_is_not_written_through(
    vault: Path, built: Path, tmp_path: Path, name: str
) -> None:
    secret = tmp_path / "secret"
    secret.write_text("[]")
    folder = vault / ".obsidian" / "plugins" / "notewell"
    folder.mkdir(parents=True)
    place = folder / name if name in FILES else vault / ".obsidian" / name
    place.symlink_to(secret)

    with pytest.raises(OutsideVaultError):
        install(vault, enable=True, built=built)
    assert secret.read_text() == "[]"


@given(content=st.binary(max_size=60))
def test_whatever_the_list_of_plugins_holds_it_is_kept_or_nothing_is_written(
    tmp_path_factory: pytest.TempPathFactory, content: bytes
) -> None:
    root = tmp_path_factory.mktemp("list")
    built = make_built(root / "built", "1.0.0")
    listed = root / "Notes" / ".obsidian" / "community-plugins.json"
    listed.parent.mkdir(parents=True)
    listed.write_bytes(content)
    try:
        install(root / "Notes", enable=True, built=built)
    except ConfigError:
        assert everything(root / "Notes") == {".obsidian/community-plugins.json": content}
    else:
        assert json.loads(listed.read_bytes())[:-1] == json.loads(content)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes by name")
def test_a_pipe_in_the_place_of_a_file_is_not_waited_for(vault: Path, built: Path) -> None:
    folder = vault / ".obsidian" / "plugins" / "notewell"
    folder.mkdir(parents=True)
    os.mkfifo(folder / "manifest.json")
    assert install(vault, enable=False, built=built).before is None

    os.mkfifo(vault / ".obsidian" / "community-plugins.json")
    with pytest.raises(ConfigError, match="nothing was written"):
        install(vault, enable=True, built=built)


def test_a_package_without_the_plugin_says_how_to_build_it(vault: Path, tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="make plugin"):
        install(vault, enable=True, built=tmp_path / "none")
