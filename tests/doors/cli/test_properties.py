"""`notewell properties`: edits that keep the rest of a note, and their undo."""

from __future__ import annotations

from pathlib import Path

import pytest

from notewell.doors.cli import backends
from tests.doors.cli.support import CommandLine
from tests.tiny_model import write_tiny_model

NOTE = "---\r\n# mine\r\nrating: 4 # of 5\r\ntags: ['a', b]\r\n---\r\nText\r\n"


@pytest.fixture
def note(vault: Path, notewell: CommandLine) -> Path:
    file = vault / "Rated.md"
    file.write_bytes(NOTE.encode())
    notewell("index", vault)
    return file


def test_a_note_is_edited_once_and_undone(notewell: CommandLine, note: Path) -> None:
    edit = (
        *("properties", "Rated", "--set", "rating=5", "--set", 'when="2026"'),
        *("--add", "tags=c", "--add", "tags=[b, d]"),
    )

    shown = notewell(*edit, "--dry-run")
    assert "-rating: 4 # of 5\n" in shown.stdout
    assert shown.stdout.endswith("\n")  # the message after the diff has a line of its own
    assert note.read_bytes() == NOTE.encode()

    done = notewell.json(*edit)
    wanted = NOTE.replace("4", "5").replace("b]", 'b, c, d]\r\nwhen: "2026"')
    assert note.read_bytes() == wanted.encode()
    assert done["changed"]
    again = notewell.json(*edit)
    assert (again["changed"], again["diff"], again["hash"]) == (False, "", done["hash"])

    # A search finds what was written at once, and what was undone no more.
    assert notewell.json("search", "[rating:5]")["total"] == 1
    notewell("undo", done["undo"])
    assert note.read_bytes() == NOTE.encode()
    assert notewell.json("search", "[rating:5]")["total"] == 0
    assert notewell.json("search", "[rating:4]")["total"] == 1


def test_properties_are_removed_and_renamed(notewell: CommandLine, note: Path) -> None:
    notewell("properties", "Rated.md", "--remove", "rating", "--rename", "tags=labels")
    assert note.read_bytes() == b"---\r\n# mine\r\nlabels: ['a', b]\r\n---\r\nText\r\n"


@pytest.mark.usefixtures("note")
@pytest.mark.parametrize(
    ("options", "said"),
    [
        ((), "what to change"),
        (("--set", "rating"), "lacks a name and a value"),
        (("--set", "title=Issue #4"), "comment"),
        (("--set", "title=a: b"), "quotes"),
        (("--set", "a=1", "--remove", "a"), "twice"),
        (("--rename", "rating=tags"), "which the note has too"),
        (("--set", "a=[[1]]"), "lists within lists"),
    ],
)
def test_what_cannot_be_meant_is_refused(
    notewell: CommandLine, options: tuple[str, ...], said: str
) -> None:
    error = notewell.json("properties", "Rated", *options, fails=2)
    assert said in error["detail"]


def test_a_write_does_not_embed_a_vault_that_waits(
    notewell: CommandLine, note: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(backends, "_MOST_WAITING", 0)
    monkeypatch.setenv("NOTEWELL_MODEL_NAME", "tiny")
    monkeypatch.setenv("NOTEWELL_MODEL_FOLDER", str(write_tiny_model(tmp_path / "tiny")))
    monkeypatch.setenv("NOTEWELL_MODEL_QUANTISATION", "fp32")
    said = notewell("properties", "Rated", "--set", "rating=5").stderr
    assert note.exists()
    assert "`notewell index` reads it" in said
    assert notewell.json("search", "[rating:5]")["total"] == 0
    notewell("index")
    assert notewell.json("search", "[rating:5]")["total"] == 1
