"""The program starts itself again, from an environment of Python and as the helper."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from notewell.base.support import program
from notewell.engine.installed_features import package_folders


@pytest.fixture
def helper(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """What PyInstaller sets in a process of the helper."""
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    monkeypatch.setattr(sys, "_MEIPASS", str(tmp_path), raising=False)
    monkeypatch.setattr(sys, "executable", "/opt/notewell-helper/notewell")
    return tmp_path


def test_in_an_environment_the_program_is_a_module_of_its_python() -> None:
    assert program.models_inside() is None
    done = subprocess.run(
        [*program.own_command(), "--version"], check=True, capture_output=True, text=True
    )
    assert "notewell" in done.stdout.lower()


def test_the_helper_is_one_program_that_knows_no_modules(helper: Path) -> None:
    assert program.own_command() == ["/opt/notewell-helper/notewell"]
    assert program.reader_command() == ("/opt/notewell-helper/notewell", program.FILE_READER)
    assert program.code_command() == ("/opt/notewell-helper/notewell", program.CODE_RUNNER)
    assert {helper, Path("/opt/notewell-helper")} <= set(program.own_folders())
    assert program.models_inside() == helper / "models"
    assert package_folders() == (helper,)
