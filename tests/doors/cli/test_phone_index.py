"""`notewell phone-index`: off until a person switches it on, and told before it is written."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from notewell.base.errors import ConfigError
from notewell.base.types import VaultRecord
from notewell.engine.configuration import Configuration
from notewell.engine.feature import sections
from notewell.features import FEATURES
from notewell.features.phone import PhoneRules
from notewell.features.phone.service import change_setting
from notewell.vault.paths import PHONE_INDEX
from tests.doors.cli.support import CommandLine
from tests.features.phone.reading import read


@pytest.mark.usefixtures("with_model")
def test_it_is_switched_on_and_off(
    notewell: CommandLine, vault: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    notewell("index", vault)
    before = {file: file.read_bytes() for file in vault.rglob("*") if file.is_file()}
    shown = json.loads(notewell("phone-index", "show", "--json").stdout)
    assert (shown["on"], shown["bytes"], shown["expected"]["notes"]) == (False, None, 3)
    assert not (vault / PHONE_INDEX).exists()

    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    said = notewell("phone-index", "on", "--yes")
    assert str(vault / PHONE_INDEX) in said.stdout

    assert read((vault / PHONE_INDEX).read_bytes()).paths == [
        "City.md",
        "Garden/Bees.md",
        "Garden/Compost.md",
    ]
    settings = (tmp_path / "settings.toml").read_text(encoding="utf-8")
    assert "[phone]" in settings
    assert json.loads(notewell("phone-index", "show", "--json").stdout)["on"] is True
    after = {file: file.read_bytes() for file in vault.rglob("*") if file.is_file()}
    assert {file for file in after if after[file] != before.get(file)} == {vault / PHONE_INDEX}

    notewell("index", vault)
    assert json.loads(notewell("status", "--json").stdout)["ledger"]["excluded"] == 0
    notewell("phone-index", "off")
    assert not (vault / PHONE_INDEX).exists()
    assert json.loads(notewell("phone-index", "show", "--json").stdout)["on"] is False


def test_without_vectors_nothing_is_written_and_nothing_is_set(
    notewell: CommandLine, indexed: Path, tmp_path: Path
) -> None:
    failed = notewell("phone-index", "on", "--yes", fails=2)

    assert "no passage" in failed.stderr.lower()
    assert not (indexed / PHONE_INDEX).exists()
    assert "v1" not in (tmp_path / "settings.toml").read_text(encoding="utf-8")
    assert json.loads(notewell("phone-index", "show", "--json").stdout)["on"] is False


def test_the_setting_is_of_one_vault_unless_a_person_wrote_all(tmp_path: Path) -> None:
    file = tmp_path / "settings.toml"
    configuration = Configuration(
        {**os.environ, "NOTEWELL_CONFIG": str(file)}, features=sections(FEATURES)
    )
    one, other = (VaultRecord(f"v{n}", f"Vault {n}", tmp_path / f"{n}") for n in (1, 2))
    change_setting(configuration, one, wanted=True)
    change_setting(configuration, other, wanted=True)
    change_setting(configuration, one, wanted=False)
    assert configuration.settings(tmp_path).of(PhoneRules).index == ("v2",)

    change_setting(configuration, other, wanted=False)
    assert not configuration.settings(tmp_path).of(PhoneRules).index

    file.write_text("[phone]\nindex = true\n", encoding="utf-8")
    change_setting(configuration, one, wanted=True)
    with pytest.raises(ConfigError, match="every vault"):
        change_setting(configuration, one, wanted=False)


def test_a_vault_cannot_switch_it_on_by_its_own_file(notewell: CommandLine, vault: Path) -> None:
    (vault / ".notewell.toml").write_text("[phone]\nindex = true\n", encoding="utf-8")

    assert "cannot be set in a vault" in notewell("index", vault, fails=2).stderr
