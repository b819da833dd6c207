"""`notewell models`: the catalogue, and models that are installed or not."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from notewell.models import catalogue
from tests.cli.support import CommandLine

DEFAULT = "all-MiniLM-L6-v2"


def test_the_catalogue_is_listed(notewell: CommandLine) -> None:
    listed = {model["name"]: model for model in notewell.json("models", "list")["models"]}

    assert listed[DEFAULT]["dimensions"] == 384
    assert listed[DEFAULT]["configured"]
    assert listed[DEFAULT]["path"] is None
    assert "384" in notewell("models", "list").stdout


def test_an_unknown_model_is_exit_3(notewell: CommandLine) -> None:
    for command in ("get", "path"):
        assert DEFAULT in notewell("models", command, "nonsense", fails=3).stderr


def test_the_error_about_a_missing_model_says_how_to_get_it(notewell: CommandLine) -> None:
    result = notewell("models", "path", DEFAULT, fails=3)

    assert f"notewell models get {DEFAULT}" in result.stderr


def test_offline_a_model_cannot_be_downloaded(notewell: CommandLine) -> None:
    assert "offline" in notewell("models", "get", fails=1).stderr


def test_files_that_are_not_the_model_are_refused(notewell: CommandLine, tiny_model: Path) -> None:
    result = notewell("models", "get", DEFAULT, "--from", tiny_model, fails=1)

    assert str(tiny_model) in result.stderr


def test_files_from_a_folder_are_copied_and_kept(
    notewell: CommandLine, tiny_model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    default = catalogue.CATALOGUE[0]
    unpinned = tuple(catalogue.PinnedFile(file.name) for file in default.files)
    monkeypatch.setattr(catalogue, "CATALOGUE", (replace(default, files=unpinned),))
    got = notewell("models", "get", "--from", tiny_model).stdout

    assert Path(got.strip()).is_relative_to(tmp_path / "models")
    assert notewell("models", "path").stdout == got
    assert notewell("models", "get").stdout == got
