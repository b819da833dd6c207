"""The folder of the notes is asked for once, at a terminal."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path

from tests.features.gleanings.test_results import BEES, DAY, TEXT


def at_a_terminal(environ: dict[str, str], *words: str, typed: str = "") -> str:
    mine, theirs = pty.openpty()
    os.write(mine, typed.encode())
    try:
        done = subprocess.run(
            [sys.executable, "-m", "notewell", *words],
            stdin=theirs,
            env=environ,
            capture_output=True,
            text=True,
            timeout=120,
            check=True,
        )
    finally:
        os.close(mine)
        os.close(theirs)
    return done.stderr + done.stdout


def test_the_folder_is_asked_for_once_and_kept(tmp_path: Path) -> None:
    vault = tmp_path / "Notes"
    (vault / "Daily").mkdir(parents=True)
    (vault / DAY).write_text(TEXT, encoding="utf-8")
    environ = os.environ | {"NOTEWELL_DATA_DIR": str(tmp_path / "data"), "NOTEWELL_OFFLINE": "1"}
    at_a_terminal(environ, "index", str(vault))

    said = at_a_terminal(environ, "gleanings", "extract", "--vault", "Notes", typed="Saved\n")
    assert "Folder of the vault for the notes" in said
    assert (vault / f"Saved/{BEES}.md").is_file()

    again = at_a_terminal(environ, "gleanings", "extract", "--vault", "Notes", "--full")
    assert "Folder of the vault" not in again
    found = at_a_terminal(environ, "search", "type:gleaning bees", "--vault", "Notes", "--json")
    assert f"Saved/{BEES}.md" in found
    assert ".documents" not in found
