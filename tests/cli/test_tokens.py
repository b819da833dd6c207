"""The token that stays: made once, the owner's alone, replaced when asked."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from recollect.access.keeper import new_token, stored_token
from recollect.errors import AccessError
from tests.cli.support import CommandLine

posix = pytest.mark.skipif(os.name != "posix", reason="file modes are POSIX")


def test_it_is_made_once_and_shown_again(recollect: CommandLine) -> None:
    first = recollect("token", "show").stdout

    assert recollect("token", "show").stdout == first
    assert len(first.strip()) == 43  # 256 bits in base 64


def test_rotating_replaces_it(recollect: CommandLine) -> None:
    first = recollect("token", "show").stdout
    second = recollect("token", "rotate").stdout

    assert second != first
    assert recollect("token", "show").stdout == second


def test_two_are_never_the_same() -> None:
    assert new_token() != new_token()


@posix
def test_nobody_else_may_read_it(tmp_path: Path) -> None:
    stored_token(tmp_path / "state")

    assert [file.name for file in (tmp_path / "state").iterdir()] == ["token"]
    assert (tmp_path / "state" / "token").stat().st_mode & 0o777 == 0o600


@posix
def test_one_that_others_could_read_is_refused(recollect: CommandLine, tmp_path: Path) -> None:
    stored_token(tmp_path / "data" / "state")
    (tmp_path / "data" / "state" / "token").chmod(0o644)

    assert "token rotate" in recollect("token", "show", fails=1).stderr
    recollect("token", "rotate")
    recollect("token", "show")


@pytest.mark.parametrize("content", [b"", b"\n"])
def test_an_empty_file_counts_as_none(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "token"
    file.touch(mode=0o600)
    file.write_bytes(content)

    assert len(stored_token(tmp_path)) == 43


def test_a_damaged_one_is_told(tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.touch(mode=0o600)
    file.write_bytes(b"\xff\xfe")

    with pytest.raises(AccessError, match="token rotate"):
        stored_token(tmp_path)
