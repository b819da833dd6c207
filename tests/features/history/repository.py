"""A vault that is a git repository, written commit by commit."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest


def needs_git() -> None:
    """Skip the test where git is not installed."""
    if shutil.which("git") is None:
        pytest.skip("needs git")


class Repository:
    """A folder below version control; each commit is of a day."""

    def __init__(self, folder: Path, vault: str = ".") -> None:
        """`vault` is the folder of the notes in it."""
        needs_git()
        self.folder = folder
        self.vault = folder / vault
        self.vault.mkdir(parents=True)
        self.git("init", "-q")

    def commit(self, day: str, notes: Mapping[str, str | None], subject: str = "Notes") -> str:
        """Write notes (None: delete) and commit them at noon of a day."""
        for path, text in notes.items():
            file = self.vault / path
            if text is None:
                file.unlink()
            else:
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(text, encoding="utf-8")
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", subject, at=f"{day}T12:00:00")
        return self.git("rev-parse", "HEAD").strip()

    def git(self, *arguments: str, at: str = "2026-01-01T12:00:00") -> str:
        """The output of git."""
        who = {"NAME": "Anna", "EMAIL": "anna@example.com", "DATE": at}
        roles = {f"GIT_{role}_{k}": v for role in ("AUTHOR", "COMMITTER") for k, v in who.items()}
        done = subprocess.run(
            ["git", "-C", str(self.folder), *arguments],
            check=True,
            capture_output=True,
            text=True,
            env={**os.environ, **roles, "GIT_CONFIG_GLOBAL": os.devnull},
        )
        return done.stdout
