"""Files are opened by name only if they are plain ones, whatever a stranger put in their place."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from notewell.base.support.plain_file import NotPlainFileError, open_plain, read_plain

pytestmark = pytest.mark.skipif(os.name != "posix", reason="pipes and devices of POSIX")


@pytest.fixture(params=["pipe", "socket", "folder", "device", "link to a device", "link to a pipe"])
def odd(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    place = tmp_path / "app.json"
    kind = str(request.param)
    if kind == "pipe":
        os.mkfifo(place)
    elif kind == "socket":
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(str(place))
    elif kind == "folder":
        place.mkdir()
    elif kind == "device":
        return Path("/dev/zero")
    elif kind == "link to a device":
        place.symlink_to("/dev/zero")
    else:
        os.mkfifo(tmp_path / "pipe")
        place.symlink_to(tmp_path / "pipe")
    return place


def test_what_is_no_file_is_refused_at_once(odd: Path) -> None:
    with pytest.raises(NotPlainFileError):
        open_plain(odd)
    with pytest.raises(NotPlainFileError):
        read_plain(odd, most=100)


def test_a_plain_file_is_read_also_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"text")
    (tmp_path / "b").symlink_to(tmp_path / "a")
    assert read_plain(tmp_path / "b", most=4) == b"text"
    with open_plain(tmp_path / "a") as stream:
        assert stream.read() == b"text"


def test_no_more_is_read_than_allowed(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"text")
    with pytest.raises(NotPlainFileError, match="larger than 3 bytes"):
        read_plain(tmp_path / "a", most=3)


def test_a_limit_beyond_all_memory_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"text")
    assert read_plain(tmp_path / "a", most=99_999_999_999_999) == b"text"


def test_a_missing_file_is_told_as_such(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        open_plain(tmp_path / "none")
