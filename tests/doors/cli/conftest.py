"""Every test of the command line has its own data, models and settings, and no network."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.doors.cli.support import NOTES, CommandLine, write_notes
from tests.tiny_model import write_tiny_model


@pytest.fixture(autouse=True)
def own_places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = tmp_path / "settings.toml"
    settings.write_text("", encoding="utf-8")
    monkeypatch.setenv("NOTEWELL_CONFIG", str(settings))
    monkeypatch.setenv("NOTEWELL_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("NOTEWELL_MODEL_DIR", str(tmp_path / "models"))
    monkeypatch.setenv("NOTEWELL_OFFLINE", "true")
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def notewell() -> CommandLine:
    return CommandLine()


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    return write_notes(tmp_path / "Notes", NOTES)


@pytest.fixture
def indexed(notewell: CommandLine, vault: Path) -> Path:
    """The vault, indexed without a model: by keyword alone."""
    notewell("index", vault)
    return vault


@pytest.fixture(scope="session")
def tiny_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tiny_model(tmp_path_factory.mktemp("tiny"))


@pytest.fixture
def with_model(tiny_model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The tiny model is the configured one; its graph is built once for all tests."""
    monkeypatch.setenv("NOTEWELL_MODEL_NAME", "tiny")
    monkeypatch.setenv("NOTEWELL_MODEL_FOLDER", str(tiny_model))
    monkeypatch.setenv("NOTEWELL_MODEL_QUANTISATION", "fp32")
    monkeypatch.setenv("NOTEWELL_MODEL_DIR", str(tiny_model.parent / "cache"))
