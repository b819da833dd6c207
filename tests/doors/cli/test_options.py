"""Messages of commands: the commands in them, and consent."""

from __future__ import annotations

import re
import shlex
import sys
from pathlib import Path

import pytest

from tests.doors.cli.support import NOTES, CommandLine, write_notes


def commands_in(text: str) -> list[list[str]]:
    return [shlex.split(found) for found in re.findall("`notewell ([^`]+)`", text)]


def test_an_undo_that_is_printed_undoes_the_note_it_was_about(
    notewell: CommandLine, indexed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = write_notes(tmp_path / "My other vault", NOTES)
    notewell("index", other)
    notewell("properties", "City.md", "--set", "status=ours", "--vault", indexed)
    said = notewell("properties", "City.md", "--set", "status=theirs", "--vault", other).stderr
    monkeypatch.chdir(indexed)
    (undo,) = commands_in(said)
    notewell(*undo)

    assert "theirs" not in (other / "City.md").read_text()
    assert "ours" in (indexed / "City.md").read_text()


def test_commands_name_the_vault_only_where_there_are_others(
    notewell: CommandLine, indexed: Path, tmp_path: Path
) -> None:
    def hints(*args: object, fails: int = 0) -> list[str]:
        return [" ".join(command) for command in commands_in(notewell(*args, fails=fails).stderr)]

    assert hints("runs", "show", 99, fails=3) == ["runs list"]
    assert hints("queue", "pause", fails=3) == ["index"]

    notewell("index", write_notes(tmp_path / "Other", NOTES))
    assert hints("runs", "show", 99, fails=3) == ["runs list --vault Notes"]
    assert hints("queue", "pause", "--vault", "Other", fails=3) == ["index Other"]
    shown = notewell.json("runs", "show", 99, "--vault", "Other", fails=3)
    assert "`notewell runs list --vault Other`" in shown["detail"]


def test_commands_name_the_data_directory_that_was_named(
    notewell: CommandLine, vault: Path, tmp_path: Path
) -> None:
    elsewhere = tmp_path / "else where"
    notewell("--data-dir", elsewhere, "index", vault)
    said = notewell("runs", "show", 99, "--data-dir", elsewhere, fails=3).stderr
    assert commands_in(said) == [["runs", "list", "--data-dir", str(elsewhere)]]


@pytest.mark.usefixtures("indexed")
def test_commands_name_the_program_by_its_path_where_no_shell_finds_it(
    notewell: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "own environment" / "notewell"
    program.parent.mkdir()
    program.touch()
    monkeypatch.setattr(sys, "executable", str(program.with_name("python")))
    monkeypatch.setenv("PATH", str(tmp_path))

    said = notewell("runs", "show", 99, fails=3).stderr

    assert "`'own environment/notewell' runs list`" in said


@pytest.mark.parametrize(
    "command",
    [
        ("phone-index", "on"),
        ("pack", "export", "passages.jsonl", "--to", "qdrant"),
        ("models", "allow", "models.example.org"),
    ],
)
@pytest.mark.usefixtures("indexed")
def test_what_needs_consent_needs_yes_without_a_terminal(
    notewell: CommandLine, tmp_path: Path, command: tuple[str, ...]
) -> None:
    before = set(tmp_path.rglob("*.*"))
    assert "--yes" in notewell(*command, fails=2).stderr
    assert {file for file in tmp_path.rglob("*.*") if file.suffix in {".jsonl", ".bin"}} <= before
    assert "models.example.org" not in (tmp_path / "settings.toml").read_text()
