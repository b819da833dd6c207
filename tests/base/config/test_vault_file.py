"""The file in a vault sets what is allowed by name; a vault may come from a stranger."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from notewell.base.config import known_keys, load_settings
from notewell.base.errors import ConfigError
from notewell.base.types import Settings
from notewell.base.types.settings import MODEL_NAMES
from notewell.engine.feature import sections
from notewell.features import FEATURES
from notewell.models.catalogue import CATALOGUE

OF_FEATURES = sections(FEATURES)
# All that a vault may set. A setting that is added later is refused until it stands here.
ALLOWED = {
    "index_dir",
    *(f"vault.{key}" for key in ("types", "include", "exclude", "watch", "reconcile_at")),
    *(f"vault.{key}" for key in ("max_note_bytes", "max_document_bytes")),
    *(f"chunking.{key}" for key in ("method", "percentile")),
    *(f"chunking.{key}" for key in ("max_tokens", "min_tokens", "overlap_tokens")),
    *(f"model.{key}" for key in ("name", "quantisation", "dimensions", "late_chunking")),
    *(f"model.{key}" for key in ("query_prefix", "passage_prefix")),
    "topics.folder",
    "memory.folder",
    *(f"gleanings.{key}" for key in ("headings", "daily_folders", "folder")),
    *(f"garden.{key}" for key in ("folder", "ignore", "checks")),
}


@pytest.fixture
def home(tmp_path: Path) -> dict[str, str]:
    (tmp_path / "config.toml").touch()
    return {"NOTEWELL_CONFIG": str(tmp_path / "config.toml"), "HOME": str(tmp_path)}


def read(home: dict[str, str], vault: Path, text: str) -> Settings:
    (vault / ".notewell.toml").write_text(text, encoding="utf-8")
    return load_settings(environ=home, vault=vault, features=OF_FEATURES)


@pytest.mark.parametrize("key", sorted(set(known_keys(OF_FEATURES)) - ALLOWED))
def test_whatever_is_not_allowed_by_name_is_refused_with_its_reason(
    home: dict[str, str], tmp_path: Path, key: str
) -> None:
    section, _, name = key.rpartition(".")
    text = f'[{section}]\n{name} = "1"\n' if section else f'{name} = "1"\n'
    with pytest.raises(ConfigError, match=rf"'{key}' cannot be set in a vault, because \w+"):
        read(home, tmp_path, text)


@pytest.mark.parametrize(
    "name", [".", "./model", "model", "/tmp/model", "someone/model", "../x", "", "all-MiniLM-L6"]
)
def test_a_vault_chooses_a_model_of_the_catalogue_alone(
    home: dict[str, str], tmp_path: Path, name: str
) -> None:
    (tmp_path / "model").mkdir()
    with pytest.raises(ConfigError, match=r"'model\.name' cannot be set in a vault to"):
        read(home, tmp_path, f'[model]\nname = "{name}"\n')


def test_the_names_that_a_vault_may_choose_are_those_of_the_catalogue(
    home: dict[str, str], tmp_path: Path
) -> None:
    assert tuple(spec.name for spec in CATALOGUE) == MODEL_NAMES
    for name in MODEL_NAMES:
        assert read(home, tmp_path, f'[model]\nname = "{name}"\n').model.name == name


@pytest.mark.parametrize(
    "line",
    [
        "[vault]\nmax_note_bytes = 99999999999999",
        '[vault]\nmax_note_bytes = "99999999999999"',
        "[vault]\nmax_document_bytes = 1e15",
        "[chunking]\nmax_tokens = 1",
        f'[vault]\nexclude = ["{"a" * 2_000}"]',
    ],
)
def test_a_vault_cannot_ask_for_what_takes_all_memory(
    home: dict[str, str], tmp_path: Path, line: str
) -> None:
    with pytest.raises(ConfigError, match=r"cannot be set in a vault to|too long"):
        read(home, tmp_path, line)


def test_a_vault_may_set_how_its_notes_are_read(home: dict[str, str], tmp_path: Path) -> None:
    settings = read(
        home,
        tmp_path,
        '[vault]\nexclude = ["Old/"]\nmax_note_bytes = 100\n[chunking]\nmax_tokens = 64',
    )
    assert (settings.vault.exclude, settings.vault.max_note_bytes) == (("Old/",), 100)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_pipe_in_the_place_of_the_file_is_refused(home: dict[str, str], tmp_path: Path) -> None:
    os.mkfifo(tmp_path / ".notewell.toml")
    with pytest.raises(ConfigError, match="not a plain file"):
        load_settings(environ=home, vault=tmp_path, features=OF_FEATURES)


def test_a_folder_or_a_huge_file_in_its_place_is_refused(
    home: dict[str, str], tmp_path: Path
) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "one" / ".notewell.toml").mkdir()
    with pytest.raises(ConfigError, match="a folder, not a file"):
        load_settings(environ=home, vault=tmp_path / "one", features=OF_FEATURES)
    with (tmp_path / ".notewell.toml").open("wb") as file:
        file.truncate(2**33)  # takes no room
    with pytest.raises(ConfigError, match="larger than"):
        load_settings(environ=home, vault=tmp_path, features=OF_FEATURES)
