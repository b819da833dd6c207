"""The stored token: created once, readable only by its owner, replaced on request."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from notewell.base.errors import AccessError
from notewell.engine.access import new_token, stored_token
from tests.doors.cli.support import CommandLine

posix = pytest.mark.skipif(os.name != "posix", reason="file modes are POSIX")


def test_the_token_is_created_once_and_shown_again(notewell: CommandLine) -> None:
    first = notewell("token", "show").stdout

    assert notewell("token", "show").stdout == first
    assert len(first.strip()) == 43  # 256 bits in base 64


def test_rotating_replaces_the_token(notewell: CommandLine) -> None:
    first = notewell("token", "show").stdout
    second = notewell("token", "rotate").stdout

    assert second != first
    assert notewell("token", "show").stdout == second


def test_tokens_are_unique() -> None:
    assert new_token() != new_token()


@posix
def test_the_token_file_is_readable_by_its_owner_only(tmp_path: Path) -> None:
    stored_token(tmp_path / "state")

    assert [file.name for file in (tmp_path / "state").iterdir()] == ["token"]
    assert (tmp_path / "state" / "token").stat().st_mode & 0o777 == 0o600


@posix
def test_a_token_file_that_others_can_read_is_refused(
    notewell: CommandLine, tmp_path: Path
) -> None:
    stored_token(tmp_path / "data" / "state")
    (tmp_path / "data" / "state" / "token").chmod(0o644)

    assert "token rotate" in notewell("token", "show", fails=1).stderr
    notewell("token", "rotate")
    notewell("token", "show")


@pytest.mark.parametrize("content", [b"", b"\n"])
def test_an_empty_token_file_counts_as_missing(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "token"
    file.touch(mode=0o600)
    file.write_bytes(content)

    assert len(stored_token(tmp_path)) == 43


def test_a_damaged_token_file_is_reported(tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.touch(mode=0o600)
    file.write_bytes(b"\xff\xfe")

    with pytest.raises(AccessError, match="token rotate"):
        stored_token(tmp_path)


# --- devices ------------------------------------------------------------------------------------


def test_a_device_gets_a_token_once_and_is_listed_without_it(notewell: CommandLine) -> None:
    token = notewell("token", "add", "phone", "--scope", "write").stdout.strip()

    assert len(token) == 43
    (device,) = notewell.json("token", "list")["devices"]
    assert (device["name"], device["scope"], device["kind"]) == ("phone", "write", "token")
    assert device["last_used"] is None
    listed = notewell("token", "list").stdout
    assert "phone" in listed
    assert "never" in listed
    assert token not in listed


def test_a_revoked_device_is_not_listed(notewell: CommandLine) -> None:
    notewell("token", "add", "phone")

    notewell("token", "revoke", "phone")

    assert notewell.json("token", "list") == {"devices": []}
    assert "token list" in notewell("token", "revoke", "phone", fails=3).stderr


def test_the_token_of_a_device_is_rotated_separately(notewell: CommandLine) -> None:
    mine = notewell("token", "show").stdout
    first = notewell("token", "add", "phone").stdout

    second = notewell("token", "rotate", "phone").stdout

    assert second != first
    assert notewell("token", "show").stdout == mine


def test_a_link_has_the_address_and_can_be_drawn(notewell: CommandLine) -> None:
    plain = notewell("token", "link", "phone", "--url", "https://box.example/")
    drawn = notewell("token", "link", "phone", "--url", "https://box.example", "--qr")

    assert plain.stdout.startswith("https://box.example/?code=")
    assert "works once" in plain.stderr
    assert len(plain.stdout.strip().split("code=")[1]) == 43
    assert "\u2580" in drawn.stderr or "\u2584" in drawn.stderr
    assert "\u2584" not in drawn.stdout


def test_a_link_to_this_computer_says_so(
    notewell: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = notewell("token", "link", "phone")
    monkeypatch.setenv("NOTEWELL_SERVER_PUBLIC_URL", "https://box.example")
    there = notewell("token", "link", "phone")

    assert here.stdout.startswith("http://127.0.0.1:8765/?code=")
    assert "Only this computer" in here.stderr
    assert there.stdout.startswith("https://box.example/?code=")
    assert "Only this computer" not in there.stderr


def test_a_device_name_can_be_used_once(notewell: CommandLine) -> None:
    notewell("token", "add", "phone")

    assert "revoke" in notewell("token", "add", "Phone", fails=2).stderr
