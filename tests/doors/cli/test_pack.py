"""`notewell pack`: vectors made on one computer are imported on another."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.doors.cli.support import NOTES, CommandLine, write_notes


@pytest.mark.usefixtures("with_model")
def test_the_second_computer_embeds_nothing(
    notewell: CommandLine, vault: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = notewell.json("index", vault)
    made = notewell.json("pack", "export", tmp_path / "vault.tar")
    assert made["vectors"] == first["embedded"] > 0

    monkeypatch.setenv("NOTEWELL_DATA_DIR", str(tmp_path / "other data"))
    copy = write_notes(tmp_path / "Copy" / "Notes", NOTES)
    taken = notewell.json("pack", "import", tmp_path / "vault.tar", "--vault", copy)
    assert taken["added"] == made["vectors"]

    report = notewell.json("index", copy)
    assert (report["embedded"], report["reused"]) == (0, report["chunks"])
    assert notewell.json("status")["semantic"] == "ready"


def test_an_import_makes_keyword_only_notes_searchable_by_meaning(
    notewell: CommandLine, vault: Path, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    notewell("index", vault)
    assert notewell.json("status")["semantic"] == "unavailable"
    request.getfixturevalue("with_model")
    notewell("index", write_notes(tmp_path / "Elsewhere" / "Notes", NOTES))
    notewell("pack", "export", tmp_path / "vault.tar", "--vault", "Notes-2")

    notewell("pack", "import", tmp_path / "vault.tar", "--vault", "Notes")

    status = notewell.json("status", "--vault", "Notes")
    assert (status["semantic"], status["vectors"]) == ("ready", status["chunks"])
    assert status["ledger"]["keyword_only"] == 0


def test_the_error_without_vectors_or_model_says_so(
    notewell: CommandLine, indexed: Path, tmp_path: Path
) -> None:
    refused = notewell.json("pack", "export", tmp_path / "vault.tar", fails=3)
    assert "no vectors" in refused["detail"]

    (tmp_path / "some.tar").write_bytes(b"")
    refused = notewell.json("pack", "import", tmp_path / "some.tar", fails=1)
    assert refused["error"] == "model_unavailable"
